#include "views/diff.h"

#include "base/buf.h"
#include "base/mem.h"
#include "views/flat.h"

static bool is_before(const struct wk_samples *samples, uint32_t i)
{
	return samples->is_before && samples->is_before[i];
}

struct wk_diff_sides wk_diff_sides(const struct wk_model *model, const struct wk_filter *filter,
				   bool by_samples)
{
	const struct wk_samples *samples = &model->samples;
	struct wk_diff_sides sides = { 0 };

	for (uint32_t i = 0; i < samples->count; i++) {
		uint64_t times = wk_model_sample_times(model, i);
		uint64_t weight = by_samples ? times : samples->weight[i];

		if (!wk_filter_has(filter, i))
			continue;
		*(is_before(samples, i) ? &sides.before : &sides.after) += weight;
		*(is_before(samples, i) ? &sides.samples_before : &sides.samples_after) += times;
	}
	return sides;
}

wk_source_id wk_diff_common_source(const struct wk_model *model)
{
	uint8_t *seen = wk_alloc_zeroed(model->source_count, 1); /* 1: before, 2: after */
	wk_source_id first = 0, best = 0;

	for (uint32_t i = 0; i < model->samples.count; i++)
		seen[model->samples.source[i]] |= is_before(&model->samples, i) ? 1 : 2;
	for (wk_source_id id = model->source_count; id-- > 1;) {
		if (seen[id] != 3)
			continue;
		first = id;
		if (model->sources[id].is_cpu_time)
			best = id;
	}
	free(seen);
	return best ? best : first;
}

/* ---- the table */

struct change {
	const struct wk_flat_row *row;
	struct wk_str name;
	uint64_t size; /* of the change that ranks it */
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int larger_first(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	order = wk_str_compare(a->name, b->name);
	return order ? order : (a->row->id > b->row->id) - (a->row->id < b->row->id);
}

static struct change *rank(const struct wk_flat *flat, const struct wk_model *model,
			   bool by_total, uint32_t *count)
{
	struct change *changes = wk_alloc(((size_t)flat->count + 1) * sizeof(*changes));

	*count = 0;
	for (uint32_t i = 0; i < flat->count; i++) {
		const struct wk_flat_row *row = &flat->rows[i];
		uint64_t size = by_total ? distance(row->total, row->total_before)
					 : distance(row->self, row->self_before);

		if (size && row->id)
			changes[(*count)++] = (struct change){
				row, wk_model_str(model, model->functions[row->id].name), size };
	}
	qsort(changes, *count, sizeof(*changes), larger_first);
	return changes;
}

/* "12.5 % more", or the words where no number says it. */
static void change_cell(struct wk_table *table, uint64_t before, uint64_t after)
{
	struct wk_buf text = { 0 };

	if (before == after)
		wk_buf_add_text(&text, "same");
	else if (before == 0)
		wk_buf_add_text(&text, "new");
	else if (after == 0)
		wk_buf_add_text(&text, "gone");
	else
		wk_buf_add_fmt(&text, "%.1f %% %s",
			       100 * (double)distance(before, after) / (double)before,
			       before < after ? "more" : "less");
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&text)));
	wk_buf_fini(&text);
}

static void side_columns(struct wk_table *table, const char *what, struct wk_str unit,
			 bool is_detail)
{
	static const char *const sides[] = { "before", "after", "change" };

	for (size_t i = 0; i < 3; i++) {
		struct wk_buf key = { 0 };

		wk_buf_add_fmt(&key, "%s_%s", what, sides[i]);
		wk_table_weight_column(table, wk_buf_text(&key), unit);
		/* The words with a blank are for people. */
		table->columns[table->column_count - 1].title =
			wk_table_keep(table, wk_str_c(sides[i]));
		if (is_detail)
			wk_table_detail(table);
		wk_buf_fini(&key);
	}
}

static void add_columns(struct wk_table *table, struct wk_str unit, bool by_total)
{
	side_columns(table, "self", unit, by_total);
	side_columns(table, "total", unit, !by_total);
	wk_table_column(table, WK_CELL_TEXT, "relative", "relative");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "function", "function");
}

static void add_row(struct wk_table *table, const struct wk_model *model,
		    const struct change *change, bool by_total)
{
	const struct wk_flat_row *row = change->row;
	const struct wk_function *function = &model->functions[row->id];
	struct wk_str image = wk_model_str(model, model->images[function->image].name);

	if (!function->image)
		image = wk_str_basename(wk_model_str(model, function->file));
	wk_table_row(table);
	wk_table_number(table, row->self_before);
	wk_table_number(table, row->self);
	wk_table_change(table, row->self_before, row->self);
	wk_table_number(table, row->total_before);
	wk_table_number(table, row->total);
	wk_table_change(table, row->total_before, row->total);
	if (by_total)
		change_cell(table, row->total_before, row->total);
	else
		change_cell(table, row->self_before, row->self);
	wk_table_text(table, image.len ? image : wk_str_c("(none)"));
	wk_table_text(table, change->name);
}

void wk_diff_table(struct wk_table *table, const struct wk_model *model,
		   const struct wk_filter *filter, const struct wk_diff_options *options)
{
	struct wk_flat flat;
	struct change *changes;
	uint32_t count, shown;

	wk_flat_compare(&flat, model, filter, WK_FLAT_FUNCTIONS, options->by_samples,
			options->before_factor);
	changes = rank(&flat, model, options->by_total, &count);
	shown = options->limit && options->limit < count ? options->limit : count;
	add_columns(table, flat.unit, options->by_total);
	for (uint32_t i = 0; i < shown; i++)
		add_row(table, model, &changes[i], options->by_total);
	if (shown < count)
		wk_table_note(table, "%u more %s not shown; --all shows %s", count - shown,
			      count - shown == 1 ? "function changed and is"
						 : "functions changed and are",
			      count - shown == 1 ? "it" : "them");
	free(changes);
	wk_flat_fini(&flat);
}
