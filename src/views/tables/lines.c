/* Source lines: their table, and the column of other tables that shows the hottest one. */
#include "views/tables/internal.h"

#include <inttypes.h>

#include "base/mem.h"
#include "views/kind.h"
#include "views/own_code.h"
#include "views/source_line.h"
#include "views/tree/flat.h"

void wk_tables_source(struct wk_table *table, const struct wk_model *model, unsigned how,
		      uint32_t named_frame, uint32_t more)
{
	struct wk_buf full = { 0 }, brief = { 0 };

	if (table->row_count) {
		wk_source_line_add(model, named_frame, false, &full);
		wk_source_line_add(model, named_frame, true, &brief);
	}
	if (brief.len && more)
		wk_buf_add_fmt(&brief, " and %" PRIu32 " more", more);
	wk_column_text_if(table, "source", "source", how, full.len,
			  wk_table_keep(table, wk_buf_str(&full)));
	wk_table_brief(table, wk_table_keep(table, wk_buf_str(&brief)));
	WK_BUF_FINI_ALL(&full, &brief);
}

uint32_t *wk_tables_hottest_lines(const struct wk_model *model, const struct wk_filter *filter,
				  const struct wk_table_options *options)
{
	uint32_t *hottest = wk_alloc_zeroed(model->function_count, sizeof(*hottest));
	struct wk_flat flat;

	if (!wk_has_source_lines(model))
		return hottest;
	wk_flat_init(&flat, model, filter, WK_FLAT_LINES, &options->tree);
	for (uint32_t i = 0; i < flat.count; i++)
		if (!hottest[flat.rows[i].function] && model->named_frames.line[flat.rows[i].id])
			hottest[flat.rows[i].function] = flat.rows[i].id;
	wk_flat_fini(&flat);
	return hottest;
}

static void line_row(struct wk_table *table, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_flat *flat,
		     const struct wk_flat_row *row)
{
	wk_column_share(table, "self_percent", "self %", row->self, flat->whole);
	wk_column_share(table, "total_percent", "total %", row->total, flat->whole);
	wk_tables_weight_detail(table, "self", flat->unit, row->self);
	wk_tables_weight_detail(table, "total", flat->unit, row->total);
	wk_tables_samples(table, "self_samples", 1, model, filter, flat->unit, row->self,
			  row->self_samples);
	wk_tables_samples(table, "total_samples", WK_DETAIL, model, filter, flat->unit, row->total,
			  row->total_samples);
	wk_tables_source(table, model, 0, row->id, 0);
	wk_tables_name(table, "function", "function", model, model->functions[row->function].name);
}

void wk_tables_fill_lines(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint64_t hidden = 0, hidden_weight = 0, unknown_weight = 0;
	uint8_t *own = options->hides_callers ? wk_own_code(model) : NULL;
	struct wk_flat flat;

	wk_flat_init(&flat, model, filter, WK_FLAT_LINES, &options->tree);
	if (options->by_total)
		wk_flat_sort_by_total(&flat);
	line_row(table, model, filter, &flat, &(struct wk_flat_row){ 0 });
	for (uint32_t i = 0; i < flat.count; i++) {
		const struct wk_flat_row *row = &flat.rows[i];

		if (!wk_source_file(model, row->id).len) {
			if (!wk_is_heap_library(model, row->function))
				unknown_weight += row->self;
		} else if ((own && !row->self && !own[row->function]) ||
			   wk_tables_is_full(table, options) ||
			   wk_tables_is_small(row->total, flat.whole, options->min_percent)) {
			hidden++;
			hidden_weight += row->self;
		} else {
			wk_table_row(table);
			line_row(table, model, filter, &flat, row);
		}
	}
	wk_tables_note_hidden(table, hidden == 1 ? "line is" : "lines are", "self %", hidden,
			      hidden_weight, flat.whole);
	if (table->row_count && wk_source_is_late(model, filter->source))
		wk_table_note(table, WK_SOURCE_IS_LATE);
	wk_tables_note_share(table,
			     model->came_named ? "of the whole came without line information"
					       : "of the whole is in code without line information "
						 "(compile with -g; `wick symbols` shows what is "
						 "missing)",
			     unknown_weight, flat.whole);
	wk_tables_note_heap_library(table, model, filter);
	wk_flat_fini(&flat);
	wk_free(own);
}
