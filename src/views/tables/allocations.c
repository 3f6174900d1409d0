/* The table of functions that allocated blocks of heaps: what is left of these, what came of the
 * rest, and how large they were and how long they lived. */
#include "views/tables/internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/estimates.h"
#include "views/image_words.h"
#include "views/lifetimes.h"
#include "views/tree/flat.h"

struct amount {
	uint64_t bytes, blocks;
};

struct site {
	struct amount allocated, freed, left;
	struct wk_estimate left_estimate; /* of the bytes left */
	struct amount gone, kept; /* between two snapshots: were there at the first, and either not
				   * or still at the second */
	struct amount temporary, peak;
};

/* How many blocks there are of each power of two. */
struct classes {
	uint64_t sizes[WK_POWERS], lives[WK_POWERS];
};

struct sites {
	const struct wk_model *model;
	const struct wk_filter *filter;
	wk_source_id blocks, temporary, peak;
	struct wk_moment from, to; /* of the view: rows and ends are counted between them */
	bool is_between;           /* the first is a snapshot */
	bool counts_blocks;        /* their numbers are known, */
	bool has_peak;             /* and so is what there was at the peak */
	wk_function_id *functions; /* by recorded stack */
	struct wk_left left;       /* by sample, if the filter does not have it */
	struct site *by_function;  /* 0: without a stack */
	struct site whole;
	uint32_t *shown_as;      /* by function: its row + 1 */
	struct classes *classes; /* by row */
};

static void add(struct amount *to, uint64_t bytes, uint64_t blocks)
{
	to->bytes += bytes;
	to->blocks += blocks;
}

static wk_source_id find_source(const struct wk_model *model, const char *name)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (model->sources[i].is_of_blocks &&
		    wk_str_is(wk_model_str(model, model->sources[i].name), name))
			return i;
	return 0;
}

static wk_function_id function_of(const struct sites *sites, uint32_t sample)
{
	return sites->functions[sites->model->samples.stack[sample]];
}

static bool is_of_process(const struct sites *sites, uint32_t sample)
{
	wk_thread_id thread = wk_sample_thread(&sites->model->samples, sample);

	return !sites->filter->span.process ||
	       sites->model->threads[thread].process == sites->filter->span.process;
}

static bool is_block(const struct sites *sites, uint32_t sample)
{
	return wk_sample_source(&sites->model->samples, sample) == sites->blocks &&
	       wk_filter_passes(sites->filter, sample) && is_of_process(sites, sample);
}

/* --- Sums --- */

static uint64_t margin_of(const struct site *site)
{
	return (uint64_t)llround(wk_estimate_margin(site->left_estimate, 0));
}

static struct amount left_of(const struct sites *sites, uint32_t sample)
{
	const struct wk_filter *filter = sites->filter;
	struct wk_left left = { filter->weights, filter->times };

	if (!filter->weights)
		left = sites->left;
	else if (!wk_filter_has(filter, sample))
		return (struct amount){ 0 };
	return (struct amount){
		.bytes = left.bytes[sample],
		.blocks = left.blocks ? left.blocks[sample]
				      : wk_model_sample_times(sites->model, sample),
	};
}

static void count_block(struct sites *sites, struct site *site, uint32_t sample)
{
	const struct wk_samples *samples = &sites->model->samples;
	uint64_t times = wk_model_sample_times(sites->model, sample);
	struct amount left = left_of(sites, sample);

	if (sample >= sites->to.at_row)
		return;
	if (sample < sites->from.at_row) {
		add(&site->kept, samples->weight[sample], times);
		return;
	}
	add(&site->allocated, samples->weight[sample], times);
	add(&site->left, left.bytes, left.blocks);
	wk_estimate_add(&site->left_estimate, left.bytes, wk_estimate_step(sites->model, sample));
}

static void count_sample(struct sites *sites, struct site *site, uint32_t sample)
{
	const struct wk_samples *samples = &sites->model->samples;
	wk_source_id source = wk_sample_source(samples, sample);
	uint64_t times = wk_model_sample_times(sites->model, sample);

	if (source == sites->blocks)
		count_block(sites, site, sample);
	else if (source == sites->peak)
		add(&site->peak, samples->weight[sample], times);
	else if (source == sites->temporary && sample >= sites->from.at_row &&
		 sample < sites->to.at_row)
		add(&site->temporary, samples->weight[sample], times);
}

static void take(struct amount *from, const struct wk_end *end)
{
	from->bytes -= end->weight < from->bytes ? end->weight : from->bytes;
	from->blocks -= end->times < from->blocks ? end->times : from->blocks;
}

static bool is_in_view(const struct sites *sites, const struct wk_end *end)
{
	return is_block(sites, end->sample) && end->time_ns <= sites->filter->to_ns;
}

static void count_end(struct sites *sites, struct site *site, uint32_t i)
{
	const struct wk_end *end = &sites->model->ends[i];
	bool is_old = end->sample < sites->from.at_row;

	if (is_old)
		take(&site->kept, end);
	if (i < sites->from.at_end)
		return;
	if (!end->is_left)
		add(&site->freed, end->weight, end->times);
	if (is_old)
		add(&site->gone, end->weight, end->times);
}

static void add_up(struct sites *sites)
{
	const struct wk_model *model = sites->model;

	for (uint32_t i = 0; i < model->samples.count; i++) {
		if (!wk_filter_passes(sites->filter, i) || !is_of_process(sites, i))
			continue;
		count_sample(sites, &sites->by_function[function_of(sites, i)], i);
		count_sample(sites, &sites->whole, i);
	}
	for (uint32_t i = 0; i < sites->to.at_end; i++) {
		if (!is_in_view(sites, &model->ends[i]))
			continue;
		count_end(sites, &sites->by_function[function_of(sites, model->ends[i].sample)], i);
		count_end(sites, &sites->whole, i);
	}
}

/* --- Rows --- */

static bool has_blocks(const struct sites *sites, const struct site *site)
{
	if (sites->filter->span.grew ||
	    (sites->filter->is_given[WK_FILTER_OUTSTANDING] && !sites->filter->span.is_given))
		return site->left.blocks || site->left.bytes;
	return site->allocated.blocks || site->freed.blocks || site->kept.blocks ||
	       site->peak.blocks;
}

static struct wk_ranked *rank(const struct sites *sites, bool by_total, uint32_t *count)
{
	uint32_t ids = sites->model->function_count;
	struct wk_ranked *rows = wk_alloc(((size_t)ids + 1) * sizeof(*rows));

	*count = 0;
	for (uint32_t i = 0; i < ids; i++) {
		const struct site *site = &sites->by_function[i];

		if (has_blocks(sites, site))
			rows[(*count)++] = (struct wk_ranked){
				.weight = by_total ? site->allocated.bytes : site->left.bytes,
				.id = i,
				.then = by_total ? site->left.bytes : site->allocated.bytes,
			};
	}
	qsort(rows, *count, sizeof(*rows), wk_tables_heavier_first);
	return rows;
}

/* Of the rows that are shown. */
static void count_classes(struct sites *sites)
{
	const struct wk_model *model = sites->model;

	for (uint32_t i = sites->from.at_row; i < sites->to.at_row; i++) {
		uint32_t row = sites->shown_as[function_of(sites, i)];
		uint64_t times = wk_model_sample_times(model, i);

		if (row && times && sites->counts_blocks && is_block(sites, i))
			sites->classes[row - 1]
				.sizes[wk_power_of(model->samples.weight[i] / times)] += times;
	}
	for (uint32_t i = sites->from.at_end; i < sites->to.at_end; i++) {
		const struct wk_end *end = &model->ends[i];
		uint32_t row = sites->shown_as[function_of(sites, end->sample)];

		if (row && end->lived != WK_LIVED_UNKNOWN && is_in_view(sites, end))
			sites->classes[row - 1].lives[end->lived] += end->times;
	}
}

/* "16 B: 120, 1.0 KiB: 3": from each power of two to the next. */
static struct wk_str class_text(struct wk_table *table, const uint64_t *classes,
				void (*add_bound)(struct wk_buf *buf, uint64_t value))
{
	struct wk_buf words = { 0 };
	struct wk_str text;

	for (uint32_t i = 0; i < WK_POWERS; i++) {
		if (!classes[i])
			continue;
		wk_buf_add_text(&words, words.len ? ", " : "");
		add_bound(&words, i ? (uint64_t)1 << (i - 1) : 0);
		wk_buf_add_text(&words, ": ");
		wk_num_add_grouped(&words, classes[i]);
	}
	text = wk_table_keep(table, wk_buf_str(&words));
	wk_buf_fini(&words);
	return text;
}

static void count_column(struct wk_table *table, const struct sites *sites, const char *key,
			 const char *title, unsigned how, uint64_t count)
{
	wk_column_number_if(table, WK_CELL_COUNT, key, title, how, sites->counts_blocks, count);
}

/* Of exact recordings there is none. */
static void margin_column(struct wk_table *table, const struct sites *sites, const char *key,
			  const struct site *site)
{
	if (sites->model->sample_bytes)
		wk_column_number(table, WK_CELL_BYTES, key, "±", 0, margin_of(site));
}

static void between_columns(struct wk_table *table, const struct sites *sites,
			    const struct site *site)
{
	wk_column_share(table, "percent", "%", site->left.bytes, sites->whole.left.bytes);
	wk_column_number(table, WK_CELL_BYTES, "new_bytes", "new", 0, site->left.bytes);
	margin_column(table, sites, "new_margin_bytes", site);
	count_column(table, sites, "new_blocks", "new blocks", 1, site->left.blocks);
	wk_column_number(table, WK_CELL_BYTES, "gone_bytes", "gone", 0, site->gone.bytes);
	count_column(table, sites, "gone_blocks", "gone blocks", 4, site->gone.blocks);
	wk_column_number(table, WK_CELL_BYTES, "kept_bytes", "kept", 0, site->kept.bytes);
	count_column(table, sites, "kept_blocks", "kept blocks", 5, site->kept.blocks);
}

static void left_columns(struct wk_table *table, const struct sites *sites, const struct site *site)
{
	wk_column_share(table, "percent", "%", site->left.bytes, sites->whole.left.bytes);
	wk_column_number(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding", 0,
			 site->left.bytes);
	margin_column(table, sites, "outstanding_margin_bytes", site);
	count_column(table, sites, "outstanding_blocks", "blocks", 1, site->left.blocks);
	wk_column_number_if(table, WK_CELL_BYTES, "peak_bytes", "at peak", 2, sites->has_peak,
			    site->peak.bytes);
	wk_column_share(table, "peak_percent", "peak %", site->peak.bytes, sites->whole.peak.bytes);
	count_column(table, sites, "peak_blocks", "peak blocks", WK_DETAIL, site->peak.blocks);
}

static void site_row(struct wk_table *table, const struct sites *sites, const struct site *site,
		     wk_function_id id, const struct classes *classes)
{
	const struct wk_model *model = sites->model;
	const struct wk_function *function = &model->functions[id];

	if (sites->is_between)
		between_columns(table, sites, site);
	else
		left_columns(table, sites, site);
	wk_column_number(table, WK_CELL_BYTES, "allocated_bytes", "allocated", 3,
			 site->allocated.bytes);
	count_column(table, sites, "allocations", "allocations", 4, site->allocated.blocks);
	wk_column_number(table, WK_CELL_BYTES, "freed_bytes", "freed", 6, site->freed.bytes);
	count_column(table, sites, "frees", "frees", WK_DETAIL, site->freed.blocks);
	if (!model->sample_bytes) {
		count_column(table, sites, "temporary", "temporary", 5, site->temporary.blocks);
		wk_column_number(table, WK_CELL_BYTES, "temporary_bytes", "temporary bytes",
				 WK_DETAIL, site->temporary.bytes);
	}
	wk_column_text(table, "sizes", "sizes", WK_DETAIL,
		       class_text(table, classes->sizes, wk_num_add_bytes));
	wk_column_text(table, "lifetimes", "lifetimes", WK_DETAIL,
		       class_text(table, classes->lives, wk_num_add_duration));
	wk_column_text(table, "image", "image", 7, wk_image_name_of(model, function->image));
	wk_tables_name(table, "function", "function", model, function->name);
}

static void print_rows(struct wk_table *table, struct sites *sites, const struct wk_ranked *rows,
		       uint32_t shown)
{
	sites->classes = wk_alloc_zeroed((size_t)shown + 1, sizeof(*sites->classes));
	sites->shown_as = wk_alloc_zeroed(sites->model->function_count, sizeof(*sites->shown_as));
	for (uint32_t i = 0; i < shown; i++)
		sites->shown_as[rows[i].id] = i + 1;
	count_classes(sites);
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		site_row(table, sites, &sites->by_function[rows[i].id], rows[i].id,
			 &sites->classes[i]);
	}
	WK_FREE_ALL(sites->classes, sites->shown_as);
}

/* --- The table --- */

static struct sites start(const struct wk_model *model, const struct wk_filter *filter,
			  const struct wk_table_options *options)
{
	const struct wk_span *span = &filter->span;
	struct sites sites = {
		.model = model,
		.filter = filter,
		.blocks = wk_lifetimes_source(model, "heap"),
		.temporary = find_source(model, "heap-temporary"),
		.peak = find_source(model, "heap-peak"),
		.to = { .at_row = model->samples.count, .at_end = model->end_count },
		.functions = wk_flat_functions(model, filter, &options->tree),
		.by_function = wk_alloc_zeroed(model->function_count, sizeof(struct site)),
	};

	if (span->is_given) {
		sites.from = span->from;
		sites.to = span->to;
		sites.is_between = span->from.at_row || span->from.at_end;
	}
	if (!filter->weights)
		sites.left = wk_lifetimes_left(model, filter->to_ns, filter->before_to_ns);
	return sites;
}

/* Of a function with three times the distance nothing is chosen in 1 of 20 recordings. */
static void note_margin(struct wk_table *table, const struct sites *sites)
{
	struct wk_buf margin = { 0 }, unseen = { 0 };

	if (!sites->model->sample_bytes)
		return;
	wk_num_add_bytes(&margin, margin_of(&sites->whole));
	wk_num_add_bytes(&unseen, sites->model->sample_bytes * 3);
	wk_table_note(table,
		      "sizes are estimates: in 19 of 20 recordings the true size is within ± of "
		      "them (all: ± "
		      "%s); functions with less than %s may be missing",
		      wk_buf_text(&margin), wk_buf_text(&unseen));
	WK_BUF_FINI_ALL(&margin, &unseen);
}

#define MUCH_BYTES (UINT64_C(64) << 20) /* that a program and its libraries may have besides */

/* Programs may have most of their memory elsewhere: compilers and interpreters map it. */
static void note_rest(struct wk_table *table, const struct wk_model *model)
{
	struct wk_buf all = { 0 }, blocks = { 0 }, command = { 0 };
	uint64_t most_bytes, peak_bytes = 0;

	for (wk_heap_id i = 1; i < model->heap_count; i++)
		if (model->heaps[i].peak_bytes > peak_bytes)
			peak_bytes = model->heaps[i].peak_bytes;
	if (!wk_num_u64(wk_model_fact(model, "largest process"), &most_bytes) ||
	    most_bytes / 2 < peak_bytes || most_bytes - peak_bytes < MUCH_BYTES)
		return;
	wk_num_add_bytes(&all, most_bytes);
	wk_num_add_bytes(&blocks, peak_bytes);
	if (wk_lifetimes_source(model, "commit"))
		wk_buf_add_fmt(&command, "show %s memory", wk_model_input(model));
	else
		wk_buf_add_text(&command, "record --memory -- COMMAND");
	wk_table_note(table,
		      "the largest process had %s in memory, and blocks of heaps are at most %s of "
		      "it: `wick %s` shows what else is mapped",
		      wk_buf_text(&all), wk_buf_text(&blocks), wk_buf_text(&command));
	WK_BUF_FINI_ALL(&all, &blocks, &command);
}

static void note_whole(struct wk_table *table, const struct sites *sites,
		       const struct wk_table_options *options)
{
	const struct wk_model *model = sites->model;
	const struct site *whole = &sites->whole;
	struct wk_lifetimes sum = {
		.count = sites->counts_blocks ? whole->allocated.blocks : 0,
		.bytes = whole->allocated.bytes,
		.left_count = whole->left.blocks,
		.left_bytes = whole->left.bytes,
		.peak_bytes = whole->peak.bytes,
	};

	if (!sites->filter->is_narrowed && model->heaps[0].peak_bytes)
		sum.peak_bytes = model->heaps[0].peak_bytes; /* of all processes together */
	if (!sites->filter->span.is_given)
		wk_tables_note_memory(table, model, &sum, "heap", " allocation", " allocations");
	wk_tables_note_by_total(table, model, options);
	if (whole->peak.bytes > sum.peak_bytes)
		wk_table_note(table, "at peak: what each process had when it had the most; these "
				     "were different moments");
	note_margin(table, sites);
	if (!sites->filter->is_narrowed)
		note_rest(table, model);
	wk_tables_note_heaps(table, model);
}

void wk_tables_fill_allocations(struct wk_table *table, const struct wk_model *model,
				const struct wk_filter *filter,
				const struct wk_table_options *options)
{
	static const struct site none;
	static const struct classes no_classes;
	struct sites sites = start(model, filter, options);
	uint32_t count, shown;
	struct wk_ranked *rows;

	add_up(&sites);
	sites.has_peak = sites.whole.peak.bytes;
	sites.counts_blocks = wk_tables_count_blocks(model);
	rows = rank(&sites, options->by_total, &count);
	table->names_functions = true;
	site_row(table, &sites, &none, 0, &no_classes);
	shown = wk_tables_limit_rows(table, options, rows, count,
				     options->by_total ? sites.whole.allocated.bytes
						       : sites.whole.left.bytes,
				     "function is", "functions are");
	print_rows(table, &sites, rows, shown);
	note_whole(table, &sites, options);
	wk_left_fini(&sites.left);
	WK_FREE_ALL(sites.functions, sites.by_function, rows);
}

/* What a process still used when the recording ended is no leak. */
static void note_running(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter)
{
	uint8_t *runs = wk_alloc_zeroed(model->process_count, sizeof(*runs));
	struct wk_buf words = { 0 };
	uint64_t count = 0;

	for (wk_heap_id i = 1; i < model->heap_count; i++)
		runs[model->heaps[i].process] = !model->processes[model->heaps[i].process].end_ns;
	for (wk_process_id id = 1; id < model->process_count; id++)
		count += runs[id] && (!filter->span.process || filter->span.process == id);
	if (count && !filter->span.is_given) {
		wk_num_add_counted(&words, count, " process", " processes");
		wk_table_note(table, "%s had not ended: what was still in use is listed as well",
			      wk_buf_text(&words));
	}
	wk_buf_fini(&words);
	wk_free(runs);
}

void wk_tables_fill_leaks(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_filter left = *filter;

	left.is_given[WK_FILTER_OUTSTANDING] = true;
	wk_tables_fill_allocations(table, model, &left, options);
	note_running(table, model, filter);
}
