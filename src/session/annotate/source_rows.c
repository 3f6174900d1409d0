#include "session/annotate/source_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"

struct content {
	const struct wk_row_weight *weight;
	uint32_t line;
	uint64_t address;
	bool has_address;
	struct wk_str text;
};

static void share(struct wk_table *table, const char *key, const char *title,
		  const struct content *content, uint64_t part, uint64_t whole)
{
	wk_column_share(table, key, title, part, whole);
	if (table->row_count && !content->weight)
		table->cells[table->cell_count - 1].is_none = true;
}

static void columns(struct wk_source_rows *rows, const struct content *content)
{
	static const struct wk_row_weight none;
	const struct wk_row_weight *weight = content->weight ? content->weight : &none;
	struct wk_table *table = rows->table;
	char address[24];

	share(table, "self_percent", "self %", content, weight->self, rows->whole);
	if (!rows->has_code)
		share(table, "total_percent", "total %", content, weight->total, rows->whole);
	if (rows->weighs_bytes)
		wk_column_number_if(table, WK_CELL_BYTES, "self_bytes", "self bytes", 0,
				    content->weight, weight->self);
	wk_column_number_if(table, WK_CELL_COUNT, "self_samples", rows->samples, 1, content->weight,
			    weight->samples);
	wk_column_text_if(table, "file", "file", WK_DETAIL, rows->file.len, rows->file);
	if (rows->has_code) {
		snprintf(address, sizeof(address), "%" PRIx64, content->address);
		wk_column_text_if(table, "address", "address", 0, content->has_address,
				  wk_table_keep(table, wk_str_c(address)));
	}
	wk_column_number_if(table, WK_CELL_NUMBER, "line", "line", 0, content->line, content->line);
	wk_column_text(table, "text", rows->has_code ? "instruction" : "source", 0, content->text);
}

static void start(struct wk_source_rows *rows, const struct wk_model *model, wk_source_id source)
{
	const struct wk_source *of = &model->sources[source];
	struct wk_buf title = { 0 };

	wk_buf_add_fmt(&title, "self %ss", wk_source_row_word(of));
	rows->samples = wk_table_keep(rows->table, wk_buf_str(&title)).at;
	rows->weighs_bytes = wk_str_is(wk_model_str(model, of->unit), "bytes");
	rows->table->has_blanks = true;
	columns(rows, &(struct content){ 0 });
	wk_buf_fini(&title);
}

void wk_source_rows_init(struct wk_source_rows *rows, struct wk_table *table,
			 const struct wk_model *model, wk_source_id source, uint64_t whole)
{
	*rows = (struct wk_source_rows){ .table = table, .whole = whole };
	start(rows, model, source);
}

void wk_source_rows_init_code(struct wk_source_rows *rows, struct wk_table *table,
			      const struct wk_model *model, wk_source_id source, uint64_t whole)
{
	*rows = (struct wk_source_rows){ .table = table, .whole = whole, .has_code = true };
	start(rows, model, source);
}

static void add(struct wk_source_rows *rows, const struct content *content)
{
	wk_table_row(rows->table);
	columns(rows, content);
}

void wk_source_rows_heading(struct wk_source_rows *rows, struct wk_str text)
{
	add(rows, &(struct content){ .text = wk_table_keep(rows->table, text) });
}

void wk_source_rows_file(struct wk_source_rows *rows, struct wk_str path)
{
	rows->file = path;
	wk_source_rows_heading(rows, path);
}

void wk_source_rows_gap(struct wk_source_rows *rows)
{
	add(rows, &(struct content){ .text = wk_str_c("...") });
}

#define TAB 8

/* Tabs as blanks, so that columns stay straight. */
static struct wk_str expand(struct wk_source_rows *rows, struct wk_str text)
{
	struct wk_buf wide = { 0 };
	struct wk_str kept;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] != '\t')
			wk_buf_add_char(&wide, text.at[i]);
		else
			do
				wk_buf_add_char(&wide, ' ');
			while (wide.len % TAB);
	}
	kept = wk_table_keep(rows->table, wk_buf_str(&wide));
	wk_buf_fini(&wide);
	return kept;
}

void wk_source_rows_line(struct wk_source_rows *rows, uint32_t line, struct wk_str text,
			 const struct wk_row_weight *weight)
{
	add(rows, &(struct content){ .weight = weight, .line = line,
				     .text = expand(rows, text) });
}

void wk_source_rows_instruction(struct wk_source_rows *rows, uint64_t address, struct wk_str text,
				const struct wk_row_weight *weight)
{
	add(rows, &(struct content){ .weight = weight, .address = address, .has_address = true,
				     .text = wk_table_keep(rows->table, text) });
}
