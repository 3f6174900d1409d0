/* The blocks of names, frames and stacks. */
#include "base/map.h"
#include "base/mem.h"
#include "render/page/columns.h"
#include "render/page/page_internal.h"
#include "views/kind.h"
#include "views/shown_names.h"
#include "views/tree/tree.h"

/* ---- names */

/* The list `key` of a number for each function. */
static void numbers(struct wk_out *out, const char *key, const struct wk_page_parts *parts,
		    uint32_t (*number)(const struct wk_model *model, wk_function_id id))
{
	const struct wk_page_ids *ids = &parts->ids;

	wk_out_fmt(out, ",\n\"%s\":[0", key);
	for (uint32_t i = 1; i < ids->function_count; i++) {
		wk_out_char(out, ',');
		wk_out_u64(out, number(parts->model, ids->functions[i]));
	}
	wk_out_char(out, ']');
}

static uint32_t image_of(const struct wk_model *model, wk_function_id id)
{
	return model->functions[id].image;
}

static uint32_t kind_of(const struct wk_model *model, wk_function_id id)
{
	return wk_code_kind_of(model, id);
}

/* The list `key` of the functions for which it is true. */
static void list(struct wk_out *out, const char *key, const struct wk_page_parts *parts,
		 bool (*is_listed)(const struct wk_model *model, wk_function_id id))
{
	const struct wk_page_ids *ids = &parts->ids;
	uint32_t count = 0;

	wk_out_fmt(out, ",\n\"%s\":[", key);
	for (uint32_t i = 1; i < ids->function_count; i++) {
		if (!is_listed(parts->model, ids->functions[i]))
			continue;
		wk_out_text(out, count++ ? "," : "");
		wk_out_u64(out, i);
	}
	wk_out_char(out, ']');
}

static bool is_unnamed(const struct wk_model *model, wk_function_id id)
{
	return model->functions[id].is_unnamed;
}

static bool is_start_up(const struct wk_model *model, wk_function_id id)
{
	return wk_is_start_up(wk_model_str(model, model->functions[id].name));
}

static void files(struct wk_out *out, const struct wk_page_parts *parts)
{
	const struct wk_page_ids *ids = &parts->ids;
	struct wk_map number_of = { 0 };
	wk_text_id *texts = wk_alloc((size_t)ids->function_count * sizeof(*texts));
	uint32_t count = 0;

	wk_out_text(out, ",\n\"file\":[0");
	for (uint32_t i = 1; i < ids->function_count; i++) {
		wk_text_id text = parts->model->functions[ids->functions[i]].file;
		uint32_t *number = text ? wk_map_at(&number_of, text) : NULL;

		if (number && !*number) {
			texts[count] = text;
			*number = ++count;
		}
		wk_out_char(out, ',');
		wk_out_u64(out, number ? *number : 0);
	}
	wk_out_text(out, "],\n\"files\":[\"\"");
	for (uint32_t i = 0; i < count; i++) {
		wk_out_char(out, ',');
		wk_out_json_quoted(out, wk_model_str(parts->model, texts[i]));
	}
	wk_out_char(out, ']');
	wk_free(texts);
	wk_map_fini(&number_of);
}

/* With `shown`, those that are shown otherwise, and empty texts for the others. */
static void names(struct wk_out *out, const char *key, const struct wk_page_parts *parts,
		  const struct wk_shown_names *shown)
{
	const struct wk_model *model = parts->model;

	wk_out_fmt(out, "%s\":[\"\"", key);
	for (uint32_t i = 1; i < parts->ids.function_count; i++) {
		struct wk_str name =
			wk_model_str(model, model->functions[parts->ids.functions[i]].name);
		struct wk_str brief = shown ? wk_shown_name(shown, name) : name;

		wk_out_char(out, ',');
		wk_out_json_quoted(out, shown && wk_str_eq(brief, name) ? wk_str_c("") : brief);
	}
	wk_out_char(out, ']');
}

void wk_page_names(const struct wk_page_parts *parts, struct wk_buf *block)
{
	struct wk_out out = wk_out_to_buf(block);
	struct wk_shown_names shown;

	wk_shown_names_init(&shown, parts->model);
	names(&out, "{\"names", parts, NULL);
	names(&out, ",\n\"short", parts, &shown);
	numbers(&out, "image", parts, image_of);
	numbers(&out, "kind", parts, kind_of);
	files(&out, parts);
	list(&out, "unnamed", parts, is_unnamed);
	list(&out, "startup", parts, is_start_up);
	wk_out_text(&out, "}\n");
	wk_out_end(&out);
	wk_shown_names_fini(&shown);
}

/* ---- frames and stacks */

void wk_page_frames(const struct wk_page_parts *parts, struct wk_buf *block)
{
	const struct wk_page_ids *ids = &parts->ids;
	const struct wk_named_frames *frames = &parts->model->named_frames;
	int64_t *values = wk_alloc((size_t)ids->frame_count * sizeof(*values));
	struct wk_columns columns = { 0 };

	for (uint32_t i = 0; i < ids->frame_count; i++)
		values[i] = ids->function_of[i];
	wk_columns_add(&columns, "function", values, ids->frame_count, false);
	for (uint32_t i = 0; i < ids->frame_count; i++)
		values[i] = i ? frames->line[ids->frames[i]] : 0;
	wk_columns_add(&columns, "line", values, ids->frame_count, false);
	for (uint32_t i = 0; i < ids->frame_count; i++)
		values[i] = i ? frames->is_inlined[ids->frames[i]] : 0;
	wk_columns_add(&columns, "inlined", values, ids->frame_count, false);
	wk_columns_write(&columns, block);
	wk_free(values);
}

static void hidden_frames(const struct wk_page_parts *parts, int64_t *values)
{
	const struct wk_page_ids *ids = &parts->ids;
	uint8_t *hidden = wk_tree_hidden(parts->model);

	for (uint32_t i = 0; i < ids->stack_count; i++)
		values[i] = 0;
	for (wk_stack_id id = 1; id < parts->model->named.count; id++)
		if (ids->stack_of[id])
			values[ids->stack_of[id]] = hidden[id];
	wk_free(hidden);
}

void wk_page_stacks(const struct wk_page_parts *parts, struct wk_buf *block)
{
	const struct wk_page_ids *ids = &parts->ids;
	int64_t *values = wk_alloc((size_t)ids->stack_count * sizeof(*values));
	struct wk_columns columns = { 0 };

	for (uint32_t i = 0; i < ids->stack_count; i++)
		values[i] = ids->stacks[i].parent;
	wk_columns_add(&columns, "parent", values, ids->stack_count, true);
	for (uint32_t i = 0; i < ids->stack_count; i++)
		values[i] = ids->stacks[i].label;
	wk_columns_add(&columns, "frame", values, ids->stack_count, false);
	hidden_frames(parts, values);
	wk_columns_add(&columns, "hidden", values, ids->stack_count, false);
	wk_columns_write(&columns, block);
	wk_free(values);
}
