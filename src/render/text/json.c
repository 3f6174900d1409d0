/* A table as one JSON object: its name, the quality of the view, notes, and the rows as objects by
 * column key. Times are nanoseconds, shares are percents; unknown values are null. */
#include <inttypes.h>

#include "render/renderers.h"

static void member(struct wk_out *out, const char *key, uint64_t value)
{
	wk_out_fmt(out, "    \"%s\": %" PRIu64 ",\n", key, value);
}

/* Those with most samples; the total number comes first. */
static void closed_images(struct wk_out *out, const struct wk_quality *quality)
{
	uint32_t listed = quality->closed_count < WK_QUALITY_IMAGES ? quality->closed_count
								    : WK_QUALITY_IMAGES;

	member(out, "images_without_names_total", quality->closed_count);
	wk_out_text(out, "    \"images_without_names\": [");
	for (uint32_t i = 0; i < listed; i++) {
		const struct wk_quality_image *closed = &quality->closed[i];
		const struct wk_image *image = &quality->model->images[closed->id];

		wk_out_text(out, i ? ",\n      {\"image\": " : "\n      {\"image\": ");
		wk_out_json_quoted(out, wk_model_str(quality->model, image->name));
		wk_out_text(out, ", \"path\": ");
		wk_out_json_quoted(out, wk_model_str(quality->model, image->path));
		wk_out_fmt(out, ", \"file_is\": \"%s\", \"samples\": %" PRIu64 "}",
			   wk_quality_closed_word(quality, i), closed->samples);
	}
	wk_out_text(out, listed ? "\n    ],\n" : "],\n");
}

static void quality_object(struct wk_out *out, const struct wk_quality *quality)
{
	struct wk_buf line = { 0 };

	wk_out_text(out, "  \"quality\": {\n");
	member(out, "samples_in_view", quality->in_view);
	member(out, "samples_total", quality->total);
	member(out, "samples_of_other_events", quality->elsewhere);
	member(out, "lost_samples", quality->lost_samples);
	member(out, "lost_records", quality->lost_records);
	wk_out_fmt(out, "    \"is_complete\": %s,\n", quality->missing_parts ? "false" : "true");
	member(out, "user_stacks", quality->with_user_part);
	member(out, "user_stacks_reaching_root", quality->whole);
	member(out, "user_stacks_of_unknown_reach", quality->unknown_reach);
	member(out, "frames", quality->frames);
	member(out, "frames_unnamed", quality->unnamed);
	closed_images(out, quality);
	wk_quality_line(quality, &line);
	wk_out_text(out, "    \"summary\": ");
	wk_out_json_quoted(out, wk_buf_str(&line));
	wk_out_text(out, "\n  },\n");
	wk_buf_fini(&line);
}

void wk_json_cell(struct wk_out *out, const struct wk_column *column, const struct wk_cell *cell)
{
	if (cell->is_none)
		wk_out_text(out, "null");
	else if (column->kind == WK_CELL_TEXT)
		wk_out_json_quoted(out, cell->text);
	else if (column->kind == WK_CELL_DECIMAL)
		wk_out_str(out, cell->text);
	else
		wk_number_cell(out, column, cell);
}

static void row_object(struct wk_out *out, const struct wk_table *table, size_t row)
{
	wk_out_text(out, row ? ",\n    {" : "\n    {");
	for (uint32_t i = 0; i < table->column_count; i++) {
		wk_out_text(out, i ? ", " : "");
		wk_out_json_quoted(out, table->columns[i].key);
		wk_out_text(out, ": ");
		wk_json_cell(out, &table->columns[i], wk_table_cell(table, row, i));
	}
	wk_out_char(out, '}');
}

static void note_text(struct wk_out *out, size_t *count, struct wk_str text)
{
	wk_out_text(out, (*count)++ ? ", " : "");
	wk_out_json_quoted(out, text);
}

/* The table's notes, what is missing from the recording, and what could not be used. */
static void note_texts(struct wk_out *out, const struct wk_view *view)
{
	const struct wk_model *model = view->quality ? view->quality->model : NULL;
	size_t count = 0;

	for (size_t i = 0; i < view->table->note_count; i++)
		note_text(out, &count, view->table->notes[i]);
	for (uint32_t i = 0; model && i < model->note_count; i++)
		if (model->notes[i].severity != WK_NOTE_REMARK)
			note_text(out, &count, wk_model_str(model, model->notes[i].text));
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_table *table = view->table;

	(void)err;
	wk_out_text(out, "{\n  \"view\": ");
	wk_out_json_quoted(out, table->name);
	wk_out_text(out, ",\n");
	if (view->quality)
		quality_object(out, view->quality);
	wk_out_text(out, "  \"notes\": [");
	note_texts(out, view);
	wk_out_text(out, "],\n  \"rows\": [");
	for (size_t row = 0; row < table->row_count; row++)
		row_object(out, table, row);
	wk_out_text(out, table->row_count ? "\n  ]\n}\n" : "]\n}\n");
	return true;
}

const struct wk_renderer wk_renderer_json = {
	.name = "json",
	.summary = "one JSON object, for programs",
	.wants = WK_RENDER_TABLE,
	.render = render,
};
