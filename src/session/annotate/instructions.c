#include "session/annotate/instructions.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "names/function_name.h"
#include "os/os.h"
#include "session/annotate/source_rows.h"
#include "session/annotate/source_text.h"
#include "symbols/object/object.h"
#include "views/disasm.h"
#include "views/source_line.h"

#define MOST_CODE_BYTES (4u << 20) /* of one function */
#define MOST_PLACES     64

/* Samples at one address. */
struct spot {
	wk_image_id image;
	uint64_t address; /* as in frames */
	struct wk_row_weight weight;
};

/* A function that the machine ran. */
struct code {
	struct wk_image_symbols *symbols;
	wk_image_id image;
	uint64_t start, size_bytes; /* as in frames */
	struct wk_str name;
	size_t first, end; /* its spots */
	uint64_t weight;
};

/* An instruction, before it is known whether it is shown. */
struct instruction {
	uint64_t address, vaddr;
	size_t len;
	struct wk_row_weight weight;
	bool is_hit;
};

struct writer {
	const struct wk_annotate_query *query;
	const struct wk_model *model;
	struct wk_table *table;
	struct wk_source_rows rows;
	struct spot *spots;
	size_t spot_count, spot_cap;
	struct code *codes;
	size_t code_count, code_cap;
	struct wk_source_text source; /* of the last line shown */
	struct wk_str source_path;
	uint32_t line;
};

/* ---- where samples are */

static bool has_chosen_call(const struct wk_model *model, const uint8_t *functions,
			    wk_frame_id frame)
{
	struct wk_frame_calls calls = wk_model_calls_of(model, frame);

	for (uint32_t i = 0; i < calls.count; i++)
		if (functions[calls.function[i]])
			return true;
	return false;
}

static int by_address(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* Returns the weight of all samples in view. */
static uint64_t find_spots(struct writer *writer, const struct wk_filter *filter,
			   const uint8_t *functions)
{
	const struct wk_model *model = writer->model;
	const struct wk_samples *samples = &model->samples;
	struct wk_row_weight *weight = wk_alloc_zeroed(model->frames.count, sizeof(*weight));
	uint64_t whole = 0;

	for (uint32_t i = 0; i < samples->count; i++) {
		wk_frame_id frame = model->stacks.entries[samples->stack[i]].label;

		if (!wk_filter_has(filter, i))
			continue;
		whole += wk_filter_weight(filter, model, i);
		if (!samples->stack[i])
			continue;
		weight[frame].self += wk_filter_weight(filter, model, i);
		weight[frame].samples += (uint32_t)wk_filter_times(filter, model, i);
	}
	for (wk_frame_id frame = 1; frame < model->frames.count; frame++)
		if (weight[frame].samples && has_chosen_call(model, functions, frame))
			*WK_APPEND(writer->spots, writer->spot_count, writer->spot_cap) =
				(struct spot){ model->frames.image[frame],
					       model->frames.address[frame], weight[frame] };
	wk_free(weight);
	if (writer->spot_count)
		qsort(writer->spots, writer->spot_count, sizeof(*writer->spots), by_address);
	return whole;
}

static bool is_in(const struct code *code, const struct spot *spot)
{
	return code->image == spot->image && spot->address - code->start < code->size_bytes;
}

static int heavier_first(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

static void find_codes(struct writer *writer, struct wk_symbols *symbols)
{
	struct code *last = NULL;
	struct wk_symbol symbol;

	for (size_t i = 0; i < writer->spot_count; i++) {
		const struct spot *spot = &writer->spots[i];
		struct wk_image_key key = wk_model_image_key(writer->model, spot->image);
		struct wk_image_symbols *image;

		if (!last || !is_in(last, spot)) {
			image = wk_symbols_image(symbols, &key);
			if (!wk_image_find(image, spot->address, &symbol))
				continue;
			last = WK_APPEND(writer->codes, writer->code_count, writer->code_cap);
			*last = (struct code){ image, spot->image, symbol.start, symbol.size_bytes,
					       symbol.name, i, i, 0 };
		}
		last->end = i + 1;
		last->weight += spot->weight.self;
	}
	if (writer->code_count)
		qsort(writer->codes, writer->code_count, sizeof(*writer->codes), heavier_first);
}

/* ---- one function */

static void add_source_line(struct writer *writer, const struct code *code,
			    const struct instruction *instruction)
{
	struct wk_place places[MOST_PLACES];
	size_t count = wk_image_places_of(code->symbols, instruction->vaddr, places, MOST_PLACES);

	if (!count || !places[0].line || !places[0].file.len)
		return;
	if (!wk_str_eq(places[0].file, writer->source_path)) {
		wk_source_text_close(&writer->source);
		wk_source_text_open(&writer->source, places[0].file, writer->query->folders);
		writer->source_path = writer->rows.file =
			wk_table_keep(writer->table, places[0].file);
	} else if (places[0].line == writer->line) {
		return;
	}
	writer->line = places[0].line;
	wk_source_rows_line(&writer->rows, writer->line,
			    writer->source.is_open
				    ? wk_source_text_line(&writer->source, writer->line)
				    : wk_source_brief_path(places[0].file),
			    NULL);
}

static struct instruction *decode(struct wk_disasm *disasm, const struct writer *writer,
				  const struct code *code, struct wk_bytes in, uint64_t vaddr,
				  size_t *count)
{
	struct instruction *list = NULL;
	size_t cap = 0, spot = code->first, size = wk_bytes_left(&in), at = 0;
	struct wk_buf text = { 0 };

	size = size < code->size_bytes ? size : code->size_bytes;
	size = size < MOST_CODE_BYTES ? size : MOST_CODE_BYTES;
	for (*count = 0; at < size;) {
		struct instruction next = { .address = code->start + at, .vaddr = vaddr + at };

		wk_buf_reset(&text);
		next.len = wk_disasm_next(disasm, in.at + at, size - at, next.vaddr, &text);
		for (; spot < code->end && writer->spots[spot].address < next.address + next.len;
		     spot++) {
			next.weight.self += writer->spots[spot].weight.self;
			next.weight.samples += writer->spots[spot].weight.samples;
			next.is_hit = true;
		}
		*WK_APPEND(list, *count, cap) = next;
		at += next.len;
	}
	wk_buf_fini(&text);
	return list;
}

/* Marks instructions near those with samples. */
static uint8_t *choose(const struct writer *writer, const struct instruction *list, size_t count)
{
	uint8_t *is_shown = wk_alloc_zeroed(count + 1, 1);
	size_t context = writer->query->context;

	for (size_t i = 0; i < count; i++) {
		size_t from = i > context ? i - context : 0;

		if (writer->query->shows_all)
			is_shown[i] = 1;
		for (size_t k = from; list[i].is_hit && k < count && k <= i + context; k++)
			is_shown[k] = 1;
	}
	return is_shown;
}

static void add_instructions(struct writer *writer, struct wk_disasm *disasm,
			     const struct code *code, struct wk_bytes in, uint64_t vaddr)
{
	struct wk_buf text = { 0 };
	size_t count;
	struct instruction *list = decode(disasm, writer, code, in, vaddr, &count);
	uint8_t *is_shown = choose(writer, list, count);

	for (size_t i = 0; i < count; i++) {
		if (is_shown[i] && i && !is_shown[i - 1])
			wk_source_rows_gap(&writer->rows);
		if (!is_shown[i])
			continue;
		add_source_line(writer, code, &list[i]);
		wk_buf_reset(&text);
		wk_disasm_next(disasm, in.at + (list[i].address - code->start), list[i].len,
			       list[i].vaddr, &text);
		wk_source_rows_instruction(&writer->rows, list[i].vaddr, wk_buf_str(&text),
					   list[i].is_hit ? &list[i].weight : NULL);
	}
	wk_buf_fini(&text);
	WK_FREE_ALL(list, is_shown);
}

/* Why the instructions of an image are not known, although it has samples. */
static void add_cause(const struct wk_model *model, wk_image_id image,
		      struct wk_image_symbols *symbols, struct wk_buf *words)
{
	const char *path = wk_strtab_get(model->text, model->images[image].path);

	enum wk_image_kind kind = model->images[image].kind;

	if (kind == WK_IMAGE_KERNEL)
		wk_buf_add_text(words,
				"they are the kernel's, whose code is in no file that wick reads");
	else if (kind == WK_IMAGE_ANONYMOUS)
		wk_buf_add_text(words, "they were made at run time and are in no file");
	else if (symbols && wk_image_obj(symbols))
		wk_buf_add_fmt(words, "%s has no symbols that say where functions begin", path);
	else if (symbols && wk_image_state(symbols) == WK_IMAGE_UNREADABLE)
		wk_buf_add_fmt(words, "%s cannot be read", path);
	else if (wk_os_is_there(path))
		wk_buf_add_fmt(words, "%s is another build than the one recorded", path);
	else
		wk_buf_add_fmt(words, "%s is not on this machine", path);
}

static bool add_code(struct writer *writer, const struct code *code, struct wk_err *err)
{
	const struct wk_obj *obj = wk_image_obj(code->symbols);
	const char *image =
		wk_strtab_get(writer->model->text, writer->model->images[code->image].name);
	struct wk_buf name = { 0 };
	struct wk_disasm *disasm;
	struct wk_bytes in;
	uint64_t vaddr;

	if (!obj || !wk_obj_vaddr_of(obj, code->start, &vaddr)) {
		add_cause(writer->model, code->image, code->symbols, &name);
		wk_table_note(writer->table, "instructions of %s cannot be printed: %s", image,
			      wk_buf_text(&name));
		wk_buf_fini(&name);
		return true;
	}
	in = wk_obj_bytes_from(obj, vaddr);
	disasm = wk_disasm_new(obj->machine_code, obj->is_64, err);
	if (!disasm)
		return false;
	wk_function_name(code->name, &name);
	wk_buf_add_fmt(&name, " (%s)", image);
	writer->line = 0;
	writer->source_path = writer->rows.file = wk_str_c("");
	wk_source_rows_heading(&writer->rows, wk_buf_str(&name));
	add_instructions(writer, disasm, code, in, vaddr);
	wk_disasm_free(disasm);
	wk_buf_fini(&name);
	return true;
}

static bool fail_without_code(const struct writer *writer, struct wk_symbols *symbols,
			      struct wk_err *err)
{
	struct wk_buf cause = { 0 };
	struct wk_image_key key;

	if (!writer->spot_count)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
			       "no instructions of %s have samples in view", writer->query->word);
	key = wk_model_image_key(writer->model, writer->spots[0].image);
	add_cause(writer->model, writer->spots[0].image, wk_symbols_image(symbols, &key), &cause);
	wk_fail(err, WK_EEMPTY, WK_NOWHERE, "the instructions of %s cannot be printed: %s",
		writer->query->word, wk_buf_text(&cause));
	wk_buf_fini(&cause);
	return false;
}

bool wk_instructions_fill(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, struct wk_symbols *symbols,
			  const uint8_t *functions, const struct wk_annotate_query *query,
			  struct wk_err *err)
{
	struct writer writer = { .query = query, .model = model, .table = table };
	uint64_t whole = find_spots(&writer, filter, functions);
	bool ok = true;

	wk_source_rows_init_code(&writer.rows, table, model, filter->source, whole);
	find_codes(&writer, symbols);
	for (size_t i = 0; i < writer.code_count && ok; i++)
		ok = add_code(&writer, &writer.codes[i], err);
	if (ok && !table->row_count)
		ok = fail_without_code(&writer, symbols, err);
	wk_source_text_close(&writer.source);
	WK_FREE_ALL(writer.spots, writer.codes);
	return ok;
}
