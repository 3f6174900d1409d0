/* Tables as blocks, and as HTML. */
#include <inttypes.h>

#include "base/num.h"
#include "render/page/page_internal.h"
#include "render/renderers.h"
#include "render/svg/write.h"

/* ---- JSON */

static const char *const kind_names[] = {
	[WK_CELL_TEXT] = "text",         [WK_CELL_NUMBER] = "number",
	[WK_CELL_COUNT] = "count",       [WK_CELL_DURATION] = "duration",
	[WK_CELL_MOMENT] = "moment",     [WK_CELL_START] = "start",
	[WK_CELL_BYTES] = "bytes",       [WK_CELL_THOUSANDTHS] = "thousandths",
	[WK_CELL_DECIMAL] = "decimal",   [WK_CELL_SHARE] = "share",
};

static void write_column(struct wk_out *out, const struct wk_column *column)
{
	wk_out_text(out, "{\"key\":");
	wk_out_json_quoted(out, column->key);
	wk_out_text(out, ",\"title\":");
	wk_out_json_quoted(out, column->title);
	wk_out_fmt(out, ",\"kind\":\"%s\",\"detail\":%s}", kind_names[column->kind],
		   column->is_detail ? "true" : "false");
}

static void write_row(struct wk_out *out, const struct wk_table *table, size_t row)
{
	wk_out_char(out, '{');
	for (uint32_t i = 0; i < table->column_count; i++) {
		wk_out_text(out, i ? "," : "");
		wk_out_json_quoted(out, table->columns[i].key);
		wk_out_char(out, ':');
		wk_json_cell(out, &table->columns[i], wk_table_cell(table, row, i));
	}
	if (table->is_tree)
		wk_out_fmt(out, ",\"indent\":%" PRIu32, table->rows[row].indent);
	wk_out_char(out, '}');
}

void wk_page_json_table(const struct wk_table *table, struct wk_buf *block)
{
	struct wk_out out = wk_out_to_buf(block);

	wk_out_text(&out, "{\"table\":");
	wk_out_json_quoted(&out, table->name);
	wk_out_text(&out, ",\n\"columns\":[");
	for (uint32_t i = 0; i < table->column_count; i++) {
		wk_out_text(&out, i ? "," : "");
		write_column(&out, &table->columns[i]);
	}
	wk_out_text(&out, "],\n\"rows\":[");
	for (size_t row = 0; row < table->row_count; row++) {
		wk_out_text(&out, row ? ",\n" : "\n");
		write_row(&out, table, row);
	}
	wk_out_text(&out, "],\n\"notes\":[");
	for (size_t i = 0; i < table->note_count; i++) {
		wk_out_text(&out, i ? "," : "");
		wk_out_json_quoted(&out, table->notes[i]);
	}
	wk_out_text(&out, "]}\n");
	wk_out_end(&out);
}

/* ---- HTML */

static void add_number(struct wk_buf *text, const struct wk_column *column,
		       const struct wk_cell *cell)
{
	wk_buf_add_text(text, cell->is_negative ? "-" : "");
	if (column->kind == WK_CELL_SHARE)
		wk_num_add_share(text, cell->number, cell->whole);
	else if (column->kind == WK_CELL_BYTES)
		wk_num_add_bytes(text, cell->number);
	else if (column->kind == WK_CELL_DURATION)
		wk_num_add_duration(text, cell->number);
	else
		wk_num_add_grouped(text, cell->number);
}

static void write_cell(struct wk_out *out, const struct wk_column *column,
		       const struct wk_cell *cell)
{
	struct wk_buf text = { 0 };

	if (wk_column_has_text(column)) {
		wk_out_text(out, "<td>");
		wk_svg_text(out, cell->brief.len ? cell->brief : cell->text);
	} else {
		wk_out_text(out, "<td class=\"number\">");
		if (!cell->is_none)
			add_number(&text, column, cell);
		wk_out_xml(out, wk_buf_str(&text));
	}
	wk_out_text(out, "</td>");
	wk_buf_fini(&text);
}

void wk_page_html_table(const struct wk_table *table, struct wk_out *out)
{
	wk_out_text(out, "<table><thead><tr>");
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].is_detail)
			continue;
		wk_out_text(out, "<th scope=\"col\">");
		wk_svg_text(out, table->columns[i].title);
		wk_out_text(out, "</th>");
	}
	wk_out_text(out, "</tr></thead><tbody>\n");
	for (size_t row = 0; row < table->row_count; row++) {
		wk_out_text(out, "<tr>");
		for (uint32_t i = 0; i < table->column_count; i++)
			if (!table->columns[i].is_detail)
				write_cell(out, &table->columns[i], wk_table_cell(table, row, i));
		wk_out_text(out, "</tr>\n");
	}
	wk_out_text(out, "</tbody></table>\n");
}
