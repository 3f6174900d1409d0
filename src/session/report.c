#include "session/report.h"

#include <assert.h>

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/advice.h"
#include "render/page/page.h"
#include "session/picture_title.h"
#include "session/presets/page_presets.h"
#include "session/selection.h"
#include "session/shown_table.h"

#define HOTTEST_ROWS  200
#define MOST_ROWS     50000 /* of a table */
#define RESOLUTION_NS 10000
#define MANY_ROWS     20000000 /* beyond it, times are less exact: */
#define COARSE_NS     100000

bool wk_report_check(const struct wk_filter_spec *filter, struct wk_err *err)
{
	return (!filter->outstanding && !wk_filter_spec_has_span(filter)) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "--outstanding, --snapshot, --between and --grew do not apply to a page, "
		       "which shows any moment");
}

struct wk_open_options wk_report_open_options(const struct wk_open_options *options,
					      const struct wk_report_options *report)
{
	struct wk_open_options open = *options;

	open.sums_blocks = open.slices_blocks = true;
	open.separates_heaps = wk_filter_spec_narrows(report->filter); /* for their peaks */
	open.is_of_any_event = true;
	open.in_view = report->filter;
	return open;
}

/* ---- sentences */

struct sentences {
	struct wk_arena arena;
	struct wk_str *at;
	size_t count, cap;
};

static void sentences_fini(struct sentences *sentences)
{
	wk_arena_fini(&sentences->arena);
	wk_free(sentences->at);
}

static void add_sentence(void *context, const char *sentence)
{
	struct sentences *sentences = context;
	struct wk_str copy = wk_arena_copy(&sentences->arena, wk_str_c(sentence));

	*WK_APPEND(sentences->at, sentences->count, sentences->cap) = copy;
}

static void add_lines(struct sentences *sentences, struct wk_str lines)
{
	struct wk_str line;

	while (wk_str_split(lines, '\n', &line, &lines))
		*WK_APPEND(sentences->at, sentences->count, sentences->cap) =
			wk_arena_copy(&sentences->arena, line);
}

/* What is wrong with the recording, as other commands warn of it. */
static void add_warnings(struct sentences *warnings, const struct wk_selection *selection)
{
	const struct wk_messages into = { .warn = add_sentence, .context = warnings };

	wk_selection_report_cpu(selection, &into);
	wk_selection_warn(selection, &into);
	wk_selection_hint(selection, &into);
}

static void add_quality(struct sentences *quality, const struct wk_selection *selection)
{
	const struct wk_messages into = { .warn = add_sentence, .context = quality };
	struct wk_quality facts = selection->quality;
	struct wk_buf line = { 0 };

	facts.facts_only = true;
	wk_quality_line(&facts, &line);
	wk_warn_buf(&into, &line);
}

/* ---- tables */

/* What the page does not compute from samples. */
static bool is_written(const struct wk_table_view *view)
{
	return !(view->uses & (WK_TABLE_IS_OF_FUNCTION | WK_TABLE_HAS_CODE)) ||
	       view->uses & WK_TABLE_IS_OF_SYSTEM || view->uses & WK_TABLE_HAS_PEAKS;
}

struct tables {
	struct wk_shown_table *shown;
	size_t count, cap;
	struct wk_page_lack *lacks;
	size_t lack_count, lacks_cap;
	struct wk_buf no_cpu;
};

/* About the event of the filter, unless it is about others. */
static bool fill_table(struct wk_shown_table *shown, const struct wk_model *model,
		       const struct wk_filter_spec *filter, const struct wk_table_view *view,
		       uint32_t limit, struct wk_err *err)
{
	struct wk_view_choice choice = { .filter = *filter };
	const struct wk_table_query query = {
		.view = view,
		.choice = &choice,
		.options = { .limit = limit },
		.prints_all = true,
	};

	if (!wk_table_view_accepts_source(view, filter->source))
		choice.filter.source = NULL;
	return wk_shown_table_open(shown, &query, model, err);
}

static void add_lack(struct tables *tables, const char *name, const char *sentence)
{
	*WK_APPEND(tables->lacks, tables->lack_count, tables->lacks_cap) =
		(struct wk_page_lack){ name, sentence };
}

static bool has_cpu_time(const struct wk_model *model)
{
	for (wk_source_id id = 1; id < model->source_count; id++)
		if (model->sources[id].is_cpu_time)
			return true;
	return false;
}

/* Of what is no table of its own. */
static void add_other_lacks(struct tables *tables, const struct wk_model *model)
{
	const char *record = wk_advice(model->traits->advice, WK_ADVICE_CPU_SAMPLES);

	if (!has_cpu_time(model)) {
		wk_buf_add_fmt(&tables->no_cpu,
			       "this recording has no samples of CPU time; %s records them",
			       record ? record : "`wick record -- COMMAND`");
		add_lack(tables, "cpu", wk_buf_text(&tables->no_cpu));
	}
	if (model->process_count <= 1) {
		add_lack(tables, "processes", "this recording contains no processes");
		add_lack(tables, "process-tree", "this recording contains no processes");
	}
}

static bool fill_tables(struct tables *tables, const struct wk_model *model,
			const struct wk_filter_spec *filter, struct wk_err *err)
{
	add_other_lacks(tables, model);
	for (const struct wk_table_view *view = wk_table_views; view->name; view++) {
		const char *lacks = wk_table_view_lacks(view, model);

		if (lacks)
			add_lack(tables, view->name, lacks);
		if (lacks || !is_written(view))
			continue;
		WK_RESERVE(tables->shown, tables->cap, tables->count + 1);
		if (!fill_table(&tables->shown[tables->count], model, filter, view, MOST_ROWS, err))
			return false;
		tables->count++;
	}
	return true;
}

static void tables_fini(struct tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		wk_shown_table_fini(&tables->shown[i]);
	WK_FREE_ALL(tables->shown, tables->lacks);
	wk_buf_fini(&tables->no_cpu);
}

/* ---- the page */

static bool compiles_rust(const struct wk_model *model)
{
	static const char *const compilers[] = { "rustc", "cargo", "rustc.exe", "cargo.exe", NULL };

	for (wk_process_id id = 1; id < model->process_count; id++)
		if (wk_str_is_one_of(wk_model_str(model, model->processes[id].name), compilers))
			return true;
	return false;
}

static struct wk_str command_of(const struct wk_model *model)
{
	struct wk_str recorded = wk_model_fact(model, "recorded");

	return recorded.len ? recorded : wk_model_fact(model, "command line");
}

/* "a.data and 2 more". */
static void add_input(struct wk_buf *input, const char *const *paths)
{
	size_t more = 0;

	while (paths[more + 1])
		more++;
	wk_buf_add_text(input, strcmp(paths[0], "-") == 0 ? "standard input"
							  : wk_str_basename(wk_str_c(paths[0])).at);
	if (more)
		wk_buf_add_fmt(input, " and %zu more", more);
}

/* As the address of a link ends. */
static void add_link(struct wk_buf *link, const char *open)
{
	if (open && *open)
		wk_buf_add_fmt(link, "%s%s", *open == '#' ? "" : "#", open);
}

static void add_rounding(struct wk_buf *words, const struct wk_model *model, bool is_served)
{
	wk_buf_add_text(words, ", which are rounded to 100 us; ");
	if (!is_served)
		wk_buf_add_fmt(words, "`wick view %s` shows recordings of any size, and ",
			       wk_model_input(model));
	wk_buf_add_text(words, "--time or --filter selects a part of the recording");
}

static uint64_t choose_resolution(const struct wk_model *model, bool is_served,
				  struct sentences *warnings)
{
	struct wk_buf words = { 0 };

	if (model->samples.count <= MANY_ROWS)
		return RESOLUTION_NS;
	wk_num_add_grouped(&words, model->samples.count);
	wk_buf_add_text(&words, " samples are too many for exact times");
	add_rounding(&words, model, is_served);
	add_sentence(warnings, wk_buf_text(&words));
	wk_buf_fini(&words);
	return COARSE_NS;
}

/* One of the recordings of a page. */
struct recording {
	struct wk_selection selection;
	struct sentences quality, warnings;
	struct wk_buf input, link;
	struct wk_page page;
};

static void fill_page(struct recording *recording, const char *const *paths,
		      const struct wk_report_options *options)
{
	const struct wk_selection *selection = &recording->selection;
	const struct wk_model *model = selection->quality.model;

	add_input(&recording->input, paths);
	add_link(&recording->link, options->open);
	add_quality(&recording->quality, selection);
	recording->page = (struct wk_page){
		.model = model,
		.filter = &selection->filter,
		.title = wk_recording_name(model, &selection->filter, paths[0]),
		.input = wk_buf_str(&recording->input),
		.command = command_of(model),
		.open = wk_buf_str(&recording->link),
		.resolution_ns = choose_resolution(model, options->is_served,
						   &recording->warnings),
		.compiles_rust = compiles_rust(model),
		.is_redacted = options->redacts,
	};
	add_warnings(&recording->warnings, selection);
	recording->page.quality = recording->quality.at;
	recording->page.quality_count = recording->quality.count;
	recording->page.warnings = recording->warnings.at;
	recording->page.warning_count = recording->warnings.count;
}

static bool recording_open(struct recording *recording, const struct wk_model *model,
			   const char *const *paths, const struct wk_report_options *options,
			   struct wk_err *err)
{
	struct wk_selection *selection = &recording->selection;

	if (model->samples.is_before)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "%s is a comparison itself; `wick diff` and `wick flame` show it",
			       paths[0]);
	if (!wk_selection_open(selection, model, options->filter, err))
		return false;
	selection->quality.shows_elsewhere = true; /* all events */
	fill_page(recording, paths, options);
	return true;
}

static void recording_close(struct recording *recording)
{
	wk_selection_fini(&recording->selection);
	sentences_fini(&recording->quality);
	sentences_fini(&recording->warnings);
	WK_BUF_FINI_ALL(&recording->input, &recording->link);
}

struct wk_report_page {
	struct recording recording, before;
	struct tables tables;
	struct wk_page_presets presets;
	struct wk_shown_table hottest;
	bool has_hottest;
	struct wk_table *all; /* of the tables */
	struct wk_page_blocks *blocks;
};

static void add_tables(struct wk_report_page *page)
{
	const struct tables *tables = &page->tables;
	struct wk_page *data = &page->recording.page;

	page->all = wk_alloc((tables->count + 1) * sizeof(*page->all));
	for (size_t i = 0; i < tables->count; i++)
		page->all[i] = tables->shown[i].table;
	data->tables = page->all;
	data->table_count = tables->count;
	data->lacks = tables->lacks;
	data->lack_count = tables->lack_count;
	data->hottest = &page->hottest.table;
}

static void add_presets(struct wk_report_page *page, bool has_chosen)
{
	struct sentences *warnings = &page->recording.warnings;
	struct wk_page *data = &page->recording.page;

	add_lines(warnings, wk_buf_str(&page->presets.missing));
	data->warnings = warnings->at;
	data->warning_count = warnings->count;
	data->presets = page->presets.at;
	data->preset_count = page->presets.count;
	data->has_chosen_preset = has_chosen;
}

/* Of the recording that the page is about. */
static bool fill_page_tables(struct wk_report_page *page, const struct wk_report_options *options,
			     struct wk_err *err)
{
	const struct wk_page *data = &page->recording.page;
	const struct wk_table_view *functions = wk_table_view_with(WK_TABLE_IS_DEFAULT);

	page->has_hottest = fill_table(&page->hottest, data->model, options->filter, functions,
				       HOTTEST_ROWS, err);
	if (!page->has_hottest || !wk_page_presets_open(&page->presets, options->preset, err) ||
	    !wk_page_presets_fill(&page->presets, data->model, data->compiles_rust, err) ||
	    !fill_tables(&page->tables, data->model, options->filter, err))
		return false;
	add_presets(page, options->preset);
	add_tables(page);
	return true;
}

/* Filters must leave something, of one of the recordings. */
static bool expect_samples(const struct recording *recording, const struct recording *before,
			   struct wk_err *err)
{
	return !recording->selection.filter.is_narrowed || before->selection.filter.in_view ||
	       wk_selection_expect(&recording->selection, err);
}

static bool page_open(struct wk_report_page *page, const struct wk_report *report,
		      const struct wk_report_options *options, struct wk_err *err)
{
	struct recording *before = &page->before;

	if (!recording_open(&page->recording, report->model, report->paths, options, err) ||
	    (report->before &&
	     !recording_open(before, report->before, report->before_paths, options, err)) ||
	    !expect_samples(&page->recording, before, err))
		return false;
	if (report->before)
		page->recording.page.before = &before->page;
	return fill_page_tables(page, options, err);
}

struct wk_report_page *wk_report_page_new(const struct wk_report *report,
					  const struct wk_report_options *options,
					  struct wk_err *err)
{
	struct wk_report_page *page = wk_alloc_zeroed(1, sizeof(*page));

	if (page_open(page, report, options, err))
		return page;
	wk_report_page_free(page);
	return NULL;
}

void wk_report_page_free(struct wk_report_page *page)
{
	if (!page)
		return;
	if (page->blocks)
		wk_page_blocks_free(page->blocks);
	if (page->has_hottest)
		wk_shown_table_fini(&page->hottest);
	tables_fini(&page->tables);
	wk_page_presets_close(&page->presets);
	recording_close(&page->before);
	recording_close(&page->recording);
	WK_FREE_ALL(page->all, page);
}

const struct wk_selection *wk_report_page_selection(const struct wk_report_page *page)
{
	return &page->recording.selection;
}

const struct wk_page *wk_report_page_data(const struct wk_report_page *page)
{
	return &page->recording.page;
}

bool wk_report_page_snapshot(const struct wk_report_page *page, uint32_t place, uint32_t *row)
{
	assert(page->blocks);
	return wk_page_snapshot_row(page->blocks, place, row);
}

static const struct wk_page_blocks *blocks_of(struct wk_report_page *page)
{
	if (!page->blocks)
		page->blocks = wk_page_blocks_new(&page->recording.page);
	return page->blocks;
}

bool wk_report_page_block(struct wk_report_page *page, struct wk_str name, struct wk_buf *bytes)
{
	return wk_page_block_make(blocks_of(page), name, bytes);
}

void wk_report_page_serve(struct wk_report_page *page, const struct wk_page_served *served,
			  struct wk_buf *policy, struct wk_out *out)
{
	wk_page_write_served(&page->recording.page, blocks_of(page), served, policy, out);
}

/* ---- a page within a size */

struct bounded {
	struct wk_buf page;
	uint64_t most_bytes;
};

static bool write_bounded(void *context, const char *bytes, size_t len)
{
	struct bounded *bounded = context;

	if (len > bounded->most_bytes - bounded->page.len)
		return false;
	wk_buf_add(&bounded->page, bytes, len);
	return true;
}

/* False, and nothing is written, if it is larger. */
static bool write_within(const struct wk_page *page, uint64_t most_bytes, struct wk_out *out)
{
	struct bounded bounded = { .most_bytes = most_bytes };
	struct wk_out to = { .write = write_bounded, .context = &bounded };
	bool fits;

	wk_page_write(page, &to);
	fits = wk_out_end(&to);
	if (fits)
		wk_out_str(out, wk_buf_str(&bounded.page));
	wk_buf_fini(&bounded.page);
	return fits;
}

static void thin(struct wk_report_page *page, uint64_t most_bytes,
		 const struct wk_messages *messages)
{
	struct sentences *warnings = &page->recording.warnings;
	struct wk_page *data = &page->recording.page;
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, "the page would be larger than ");
	wk_num_add_bytes(&words, most_bytes);
	wk_buf_add_text(&words, " with exact times");
	add_rounding(&words, data->model, false);
	add_sentence(warnings, wk_buf_text(&words));
	wk_warn(messages, wk_buf_text(&words));
	wk_buf_fini(&words);
	data->warnings = warnings->at;
	data->warning_count = warnings->count;
	data->resolution_ns = page->before.page.resolution_ns = COARSE_NS;
}

static uint64_t bytes_of(const struct wk_out *out)
{
	return out->written + out->pending.len;
}

static void write_large(const struct wk_page *page, uint64_t most_bytes, struct wk_out *out,
			const struct wk_messages *messages)
{
	uint64_t before = bytes_of(out), size;
	struct wk_buf words = { 0 };

	wk_page_write(page, out);
	size = bytes_of(out) - before;
	if (size <= most_bytes)
		return;
	wk_buf_add_text(&words, "the page has ");
	wk_num_add_bytes(&words, size);
	wk_buf_add_fmt(
		&words,
		", which browsers may not open; `wick view %s` shows the recording, and --time "
		"or --filter selects a part of it",
		wk_model_input(page->model));
	wk_warn_buf(messages, &words);
}

static void write_page(struct wk_report_page *page, uint64_t most_bytes, struct wk_out *out,
		       const struct wk_messages *messages)
{
	const struct wk_page *data = &page->recording.page;

	if (data->resolution_ns < COARSE_NS) {
		if (write_within(data, most_bytes, out))
			return;
		thin(page, most_bytes, messages);
	}
	write_large(data, most_bytes, out, messages);
}

bool wk_report_write(const struct wk_report *report, const struct wk_report_options *options,
		     struct wk_out *out, const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_report_page *page = wk_report_page_new(report, options, err);

	if (!page)
		return false;
	write_page(page, options->most_bytes ? options->most_bytes : WK_REPORT_MOST_BYTES, out,
		   messages);
	wk_selection_report(&page->recording.selection, messages);
	wk_report_page_free(page);
	return true;
}
