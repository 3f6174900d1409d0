/* A table as comma separated values: a line of keys, then a line for each row. Numbers are whole
 * and without groups, times are nanoseconds, shares are percents. */
#include <inttypes.h>

#include "render/renderers.h"

void wk_number_cell(struct wk_out *out, const struct wk_column *column, const struct wk_cell *cell)
{
	if (column->kind == WK_CELL_SHARE)
		wk_out_fmt(out, "%.4f",
			   cell->whole ? 100.0 * (double)cell->number / (double)cell->whole : 0);
	else
		wk_out_fmt(out, "%s%" PRIu64, cell->is_negative ? "-" : "", cell->number);
}

static void cell(struct wk_out *out, const struct wk_column *column, const struct wk_cell *cell)
{
	if (wk_column_has_text(column))
		wk_out_csv(out, cell->is_none ? (struct wk_str){ 0 } : cell->text);
	else if (!cell->is_none)
		wk_number_cell(out, column, cell);
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_table *table = view->table;

	(void)err;
	for (uint32_t i = 0; i < table->column_count; i++) {
		wk_out_text(out, i ? "," : "");
		wk_out_csv(out, table->columns[i].key);
	}
	wk_out_char(out, '\n');
	for (size_t row = 0; row < table->row_count; row++) {
		for (uint32_t i = 0; i < table->column_count; i++) {
			wk_out_text(out, i ? "," : "");
			cell(out, &table->columns[i], wk_table_cell(table, row, i));
		}
		wk_out_char(out, '\n');
	}
	return true;
}

const struct wk_renderer wk_renderer_csv = {
	.name = "csv",
	.summary = "comma separated values, for spreadsheets",
	.wants = WK_RENDER_TABLE,
	.render = render,
};
