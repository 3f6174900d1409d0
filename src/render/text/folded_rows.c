#include "render/text/folded_rows.h"

#include "base/mem.h"

/* Names are written once, and from then on copied. */
struct name {
	size_t at;
	uint32_t len; /* 0: not written yet */
};

struct lines {
	const struct wk_model *model;
	struct wk_buf texts;
	struct wk_out to_texts;
	struct name *names; /* [function_count] */
	struct wk_buf line;
	size_t *ends; /* by depth: the end of that frame's name; ends[0] is 0 */
	size_t ends_cap;
};

/* With the ';' behind it. */
static struct wk_str name_of(struct lines *lines, wk_function_id id)
{
	struct name *name = &lines->names[id];

	if (!name->len) {
		name->at = lines->texts.len;
		wk_folded_name(&lines->to_texts, &lines->texts,
			       wk_function_shown_name(lines->model, id));
		wk_buf_add_char(&lines->texts, ';');
		name->len = (uint32_t)(lines->texts.len - name->at);
	}
	return wk_str_of(lines->texts.at + name->at, name->len);
}

static void add_frames(struct lines *lines, const struct wk_stack_row *row)
{
	WK_RESERVE(lines->ends, lines->ends_cap, (size_t)row->depth + 1);
	lines->ends[0] = 0;
	lines->line.len = lines->ends[row->as_before];
	for (uint32_t i = row->as_before; i < row->depth; i++) {
		wk_buf_add_str(&lines->line, name_of(lines, row->functions[i]));
		lines->ends[i + 1] = lines->line.len;
	}
}

static void write_line(struct lines *lines, const struct wk_stack_row *row, struct wk_str unit,
		       struct wk_out *out)
{
	add_frames(lines, row);
	wk_out_bytes(out, lines->line.at, lines->line.len - 1);
	wk_folded_count(out, unit, row->before);
	wk_folded_count(out, unit, row->after);
	wk_out_char(out, '\n');
}

void wk_folded_rows(struct wk_stack_rows *rows, const struct wk_model *model, struct wk_out *out)
{
	struct lines lines = {
		.model = model,
		.names = wk_alloc_zeroed(model->function_count, sizeof(*lines.names)),
	};
	struct wk_str unit = wk_stack_rows_unit(rows);
	struct wk_stack_row row;

	lines.to_texts = wk_out_to_buf(&lines.texts);
	while (wk_stack_rows_next(rows, &row))
		write_line(&lines, &row, unit, out);
	wk_out_end(&lines.to_texts);
	WK_BUF_FINI_ALL(&lines.texts, &lines.line);
	WK_FREE_ALL(lines.names, lines.ends);
}
