#include "render/page/page_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "views/tree/merge.h"
#include "views/tree/tree_internal.h"

/* ---- levels */

static bool is_of_processes(uint32_t label)
{
	return WK_LABEL_KIND(label) == WK_LABEL_PROCESS_NAME ||
	       WK_LABEL_KIND(label) == WK_LABEL_PROCESS;
}

/* With both columns of processes, a process without a name looks the same in each. */
static enum wk_page_level level_of_process(const struct wk_tree_shape *shape, uint32_t node)
{
	bool has_outer = false;

	for (uint32_t above = shape->parent[node]; above; above = shape->parent[above])
		has_outer |= is_of_processes(shape->label[above]);
	for (unsigned i = 0; i < shape->grouping.count; i++) {
		enum wk_group_column column = shape->grouping.columns[i];

		if (column != WK_GROUP_PROCESS && column != WK_GROUP_PID)
			continue;
		if (!has_outer)
			return column == WK_GROUP_PID ? WK_LEVEL_PID : WK_LEVEL_PROCESS;
		has_outer = false;
	}
	return WK_LEVEL_PROCESS;
}

enum wk_page_level wk_page_level(const struct wk_tree_shape *shape, uint32_t node)
{
	static const uint8_t levels[] = {
		[WK_LABEL_FUNCTION] = WK_LEVEL_FUNCTION,
		[WK_LABEL_PROCESS_NAME] = WK_LEVEL_PROCESS,
		[WK_LABEL_THREAD] = WK_LEVEL_THREAD,
		[WK_LABEL_CPU] = WK_LEVEL_CPU,
		[WK_LABEL_MODULE] = WK_LEVEL_MODULE,
		[WK_LABEL_TEXT] = WK_LEVEL_REASON,
		[WK_LABEL_SIZE] = WK_LEVEL_SIZE,
		[WK_LABEL_LINE] = WK_LEVEL_FUNCTION,
		[WK_LABEL_ANNOTATION] = WK_LEVEL_ANNOTATION,
		[WK_LABEL_READIER] = WK_LEVEL_READIER,
		[WK_LABEL_HEAP] = WK_LEVEL_HEAP,
		[WK_LABEL_PART] = WK_LEVEL_PART,
	};
	uint32_t label = shape->label[node];

	if (!node)
		return WK_LEVEL_WHOLE;
	return WK_LABEL_KIND(label) == WK_LABEL_PROCESS
		       ? level_of_process(shape, node)
		       : (enum wk_page_level)levels[WK_LABEL_KIND(label)];
}

/* ---- names as the page has them */

static void add_or(struct wk_buf *name, struct wk_str text, const char *otherwise)
{
	if (text.len)
		wk_buf_add_str(name, text);
	else
		wk_buf_add_text(name, otherwise);
}

static uint32_t system_number(uint32_t id)
{
	return id < WK_UNKNOWN_PID ? id : 0;
}

static void add_process(struct wk_buf *name, const struct wk_model *model, wk_process_id id,
			enum wk_page_level level)
{
	add_or(name, wk_model_str(model, model->processes[id].name), "(unknown process)");
	if (level == WK_LEVEL_PID)
		wk_buf_add_fmt(name, " (%" PRIu32 ")", system_number(model->processes[id].pid));
}

static void add_thread(struct wk_buf *name, const struct wk_model *model, wk_thread_id id)
{
	struct wk_str own = wk_model_str(model, model->threads[id].name);
	uint32_t tid = system_number(model->threads[id].tid);

	if (!id)
		wk_buf_add_text(name, "(interrupt)");
	else if (own.len)
		wk_buf_add_fmt(name, "%.*s (%" PRIu32 ")", WK_STR_ARG(own), tid);
	else
		wk_buf_add_fmt(name, "thread %" PRIu32, tid);
}

static void add_size(struct wk_buf *name, uint32_t digits)
{
	uint64_t from = digits ? (uint64_t)1 << (digits - 1) : 1;

	wk_num_add_bytes(name, from);
	wk_buf_add_text(name, " to ");
	wk_num_add_bytes(name, from * 2);
}

static void add_name(struct wk_buf *name, const struct wk_tree_shape *shape, uint32_t node,
		     enum wk_page_level level)
{
	const struct wk_model *model = shape->rows->model;
	uint32_t label = shape->label[node];
	struct wk_arena arena = { 0 };

	switch (WK_LABEL_KIND(label)) {
	case WK_LABEL_PROCESS:
		add_process(name, model, WK_LABEL_ID(label), level);
		break;
	case WK_LABEL_THREAD:
	case WK_LABEL_READIER:
		add_thread(name, model, WK_LABEL_ID(label));
		break;
	case WK_LABEL_SIZE:
		add_size(name, WK_LABEL_ID(label));
		break;
	case WK_LABEL_MODULE:
		add_or(name, wk_model_str(model, wk_function_module(model, WK_LABEL_ID(label))),
		       "(unknown module)");
		break;
	case WK_LABEL_FUNCTION:
		wk_buf_add_str(name,
			       wk_model_str(model, model->functions[WK_LABEL_ID(label)].name));
		break;
	default:
		wk_buf_add_str(name, wk_tree_shape_name(shape, node, &arena));
	}
	wk_arena_fini(&arena);
}

/* ---- hashes */

struct hash {
	uint32_t a, b;
};

static void add_unit(struct hash *hash, uint32_t unit)
{
	hash->a = (hash->a ^ unit) * 0x01000193u;
	hash->b = ((hash->b + unit) ^ hash->b >> 13) * 0x5bd1e995u;
}

static void add_ascii(struct hash *hash, const char *text)
{
	for (; *text; text++)
		add_unit(hash, (uint8_t)*text);
}

/* HIDDEN of web/page/src/words/format.ts. */
static bool is_hidden(uint32_t c)
{
	static const uint32_t ranges[][2] = {
		{ 0, 0x1f },          { 0x7f, 0x9f },         { 0xad, 0xad },
		{ 0x61c, 0x61c },     { 0x115f, 0x1160 },     { 0x180e, 0x180e },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },     { 0x2060, 0x206f },
		{ 0x3164, 0x3164 },   { 0xfeff, 0xfeff },     { 0xfff9, 0xfffb },
		{ 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

/* Characters are those of UTF-16. */
static void add_character(struct hash *hash, uint32_t c)
{
	char digits[16];

	if (is_hidden(c)) {
		snprintf(digits, sizeof(digits), "\\u%04" PRIx32, c);
		add_ascii(hash, digits);
	} else if (c >= 0x10000) {
		add_unit(hash, 0xd800 + ((c - 0x10000) >> 10));
		add_unit(hash, 0xdc00 + ((c - 0x10000) & 0x3ff));
	} else {
		add_unit(hash, c);
	}
}

static struct hash own_hash(const struct wk_tree_shape *shape, uint32_t node,
			    enum wk_page_level level)
{
	struct hash hash = { 0x811c9dc5u, 0x9e3779b9u };
	struct wk_buf name = { 0 };
	struct wk_str rest;
	char prefix[16];

	if (level != WK_LEVEL_FUNCTION) {
		snprintf(prefix, sizeof(prefix), "%d:", (int)level);
		add_ascii(&hash, prefix);
	}
	add_name(&name, shape, node, level);
	rest = wk_buf_str(&name);
	while (rest.len) {
		uint32_t c = wk_utf8_next(&rest);

		add_character(&hash, c == WK_UTF8_BROKEN ? 0xfffd : c);
	}
	wk_buf_fini(&name);
	return hash;
}

uint64_t *wk_page_paths_new(const struct wk_tree_shape *shape)
{
	uint64_t *paths = wk_alloc_table((size_t)shape->count * sizeof(*paths));
	struct wk_map numbers = { 0 };
	struct hash *own = NULL;
	size_t count = 0, cap = 0;

	paths[0] = 0;
	for (uint32_t i = 1; i < shape->count; i++) {
		enum wk_page_level level = wk_page_level(shape, i);
		uint32_t *number = wk_map_at(&numbers, (uint64_t)level << 32 | shape->label[i]);
		uint64_t above = paths[shape->parent[i]];
		uint32_t high, low;

		if (!*number) {
			*WK_APPEND(own, count, cap) = own_hash(shape, i, level);
			*number = (uint32_t)count;
		}
		high = ((uint32_t)(above >> 32) ^ own[*number - 1].a) * 0x85ebca6bu +
		       own[*number - 1].b;
		low = ((uint32_t)above + own[*number - 1].b) * 0xc2b2ae35u ^ own[*number - 1].a;
		paths[i] = (uint64_t)high << 32 | low;
	}
	wk_map_fini(&numbers);
	wk_free(own);
	return paths;
}

bool wk_page_path_read(struct wk_str text, uint64_t *path)
{
	uint64_t value = 0;

	if (text.len != 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = text.at[i] ? strchr(digits, text.at[i]) : NULL;

		if (!digit)
			return false;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	*path = value;
	return true;
}
