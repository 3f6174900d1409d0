#include "model/jit_code.h"

#include "base/bisect.h"
#include "base/buf.h"
#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "stages/space.h"

struct code_line {
	uint64_t offset; /* in the piece of code */
	wk_text_id file;
	uint32_t line;
};

struct code_row {
	wk_text_id name;         /* as recorded */
	wk_function_id function; /* added on first use */
	enum wk_frame_kind kind;
	uint32_t line_count;
	size_t first_line; /* in `lines`, sorted by offset */
};

struct wk_jit_code_map {
	struct wk_model *model;
	struct wk_spaces *spaces; /* numbers of mappings are rows; "file offsets" those in them */
	struct code_row *rows;    /* row 0 is unused */
	size_t rows_cap;
	uint32_t row_count;
	struct code_line *lines;
	size_t lines_cap, line_count;
	wk_image_id image;
};

struct wk_jit_code_map *wk_jit_code_new(struct wk_model *model)
{
	struct wk_jit_code_map *code = wk_alloc_zeroed(1, sizeof(*code));

	code->model = model;
	code->spaces = wk_spaces_new();
	code->rows = wk_grow(NULL, &code->rows_cap, 1, sizeof(*code->rows));
	code->row_count = 1;
	return code;
}

void wk_jit_code_free(struct wk_jit_code_map *code)
{
	if (!code)
		return;
	wk_spaces_free(code->spaces);
	WK_FREE_ALL(code->rows, code->lines, code);
}

/* Lines that are out of order are left out, because binary search would not find them. */
static void add_lines(struct wk_jit_code_map *code, struct code_row *row,
		      const struct wk_event_symbol *symbol)
{
	uint64_t last = symbol->start;

	row->first_line = code->line_count;
	for (size_t i = 0; i < symbol->line_count && row->line_count < UINT32_MAX; i++) {
		const struct wk_jit_map_line *line = &symbol->lines[i];

		if (line->address < last)
			continue;
		last = line->address;
		*WK_APPEND(code->lines, code->line_count, code->lines_cap) = (struct code_line){
			.offset = line->address - symbol->start,
			.file = wk_model_text(code->model, line->file),
			.line = line->line,
		};
		row->line_count++;
	}
}

static bool handle_symbol(struct wk_jit_code_map *code, const struct wk_event *event)
{
	const struct wk_event_symbol *symbol = &event->symbol;
	struct wk_event place = {
		.kind = WK_EVENT_IMAGE,
		.pid = event->pid,
		.image = { .start = symbol->start, .size_bytes = symbol->size_bytes },
	};
	struct code_row row = { .name = wk_model_text(code->model, symbol->name),
				.kind = symbol->kind ? symbol->kind : WK_FRAME_JIT };

	if (symbol->image_path.len || symbol->size_bytes == 0 || row.name == 0 ||
	    code->row_count == UINT32_MAX)
		return false;
	add_lines(code, &row, symbol);
	WK_RESERVE(code->rows, code->rows_cap, (size_t)code->row_count + 1);
	code->rows[code->row_count] = row;
	wk_spaces_update(code->spaces, &place, code->row_count++);
	return true;
}

bool wk_jit_code_add(struct wk_jit_code_map *code, const struct wk_event *event)
{
	if (event->kind == WK_EVENT_SYMBOL)
		return handle_symbol(code, event);
	if (event->kind == WK_EVENT_PROCESS || event->kind == WK_EVENT_THREAD)
		wk_spaces_update(code->spaces, event, 0);
	return false;
}

static wk_image_id runtime_image(struct wk_jit_code_map *code)
{
	struct wk_event_image image = { .path = WK_STR(WK_JIT_IMAGE) };
	struct wk_image *row;

	if (code->image)
		return code->image;
	code->image = wk_model_add_image(code->model, WK_IMAGE_ANONYMOUS, &image, 0, 0);
	row = &code->model->images[code->image];
	row->has_names = true;
	row->reason = wk_model_text(code->model, wk_str_c("generated at run time; named by the "
							  "program that generated it"));
	return code->image;
}

static wk_function_id new_function(struct wk_jit_code_map *code, const struct code_row *row,
				   wk_image_id kernel)
{
	struct wk_str name = wk_model_str(code->model, row->name);
	struct wk_buf readable = { 0 };
	struct wk_function function = {
		.name = row->name,
		.image = kernel ? kernel : runtime_image(code),
		.file = row->line_count ? code->lines[row->first_line].file : 0,
		.kind = (uint8_t)(kernel ? WK_FRAME_KERNEL : row->kind),
	};

	if (wk_demangle(name, &readable)) {
		function.linked = row->name;
		function.name = wk_model_text(code->model, wk_buf_str(&readable));
	}
	wk_buf_fini(&readable);
	return wk_model_add_function(code->model, &function);
}

/* A function has one file: a line of another, inlined perhaps, would mislead. */
static uint32_t line_at(const struct wk_jit_code_map *code, const struct code_row *row,
			uint64_t offset)
{
	const struct code_line *lines;
	uint32_t low = 0, high = row->line_count;

	if (high == 0)
		return 0;
	lines = code->lines + row->first_line;
	WK_BISECT(low, high, lines[middle].offset <= offset);
	return low && lines[low - 1].file == lines[0].file ? lines[low - 1].line : 0;
}

wk_frame_id wk_jit_code_frame(struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			      wk_image_id kernel)
{
	const struct wk_mapping *place;
	struct wk_supplied_frame given = { .address = address };
	struct code_row *row;

	if (code->row_count == 1)
		return 0;
	place = wk_spaces_find(code->spaces, pid, address);
	if (!place)
		return 0;
	row = &code->rows[place->image];
	if (!row->function)
		row->function = new_function(code, row, pid == WK_KERNEL_PID ? kernel : 0);
	given.function = row->function;
	given.line = line_at(code, row, address - place->start + place->file_offset);
	return wk_model_add_supplied_frame(code->model, &given);
}

uint32_t wk_jit_code_find(const struct wk_jit_code_map *code, uint32_t pid, uint64_t address,
			  struct wk_symbol *symbol)
{
	const struct wk_mapping *place =
		code->row_count > 1 ? wk_spaces_find(code->spaces, pid, address) : NULL;

	if (!place)
		return 0;
	*symbol = (struct wk_symbol){
		.name = wk_model_str(code->model, code->rows[place->image].name),
		.start = place->start - place->file_offset,
	};
	return place->image;
}
