#include "serve/aggregates.h"

#include <string.h>

#include "base/mem.h"
#include "base/text/pattern.h"
#include "render/page/columns.h"
#include "render/page/page_tree.h"
#include "serve/arguments.h"
#include "views/aggregate/histogram.h"
#include "views/aggregate/tree_cut.h"

#define KEPT_TREES   4
#define KEPT_FILTERS 8

#define LEAST_SHARE   0.0005
#define MOST_NODES    50000 /* of an answer, that are shown for their weight */
#define MOST_OPENED   10000 /* children of each opened node */
#define MOST_LISTED   4000
#define MOST_BINS     20000
#define MOST_BIN_SUMS 1000000 /* of all nodes */

struct kept_filter {
	wk_source_id source;
	struct wk_buf expression;
	uint64_t *bits;
	uint64_t number; /* no other filter has it */
};

/* What the weights of a tree are about. */
struct weighed {
	uint64_t from_ns, to_ns, filter;
	enum wk_row_measure measure;
};

struct kept_tree {
	wk_source_id source;
	struct wk_grouping grouping;
	bool inverted, all_inline, is_weighed;
	struct wk_tree_shape *shape;
	struct wk_tree_weights weights;
	struct weighed weighed;
};

struct wk_aggregates {
	const struct wk_model *model;
	const struct wk_selection *selection;
	struct wk_event_rows **rows; /* by event; NULL: not asked for yet */
	void *filters[KEPT_FILTERS]; /* struct kept_filter; the last used first, then NULL */
	void *trees[KEPT_TREES];     /* struct kept_tree, the same */
	uint64_t filter_count;       /* that were made */
};

/* What a request is about. */
struct asked {
	wk_source_id source;
	struct wk_grouping grouping;
	bool inverted, all_inline;
	struct wk_buf expression;
	struct wk_row_selection selection;
	uint64_t filter; /* its number; 0: none */
};

/* ---- what is kept */

static void free_filter(struct kept_filter *filter)
{
	if (!filter)
		return;
	wk_buf_fini(&filter->expression);
	WK_FREE_ALL(filter->bits, filter);
}

static void free_tree(struct kept_tree *tree)
{
	if (!tree)
		return;
	wk_tree_weights_fini(&tree->weights);
	wk_tree_shape_free(tree->shape);
	wk_free(tree);
}

/* Puts the element at `place` first. */
static void *to_front(void **list, size_t place, void *element)
{
	memmove(list + 1, list, place * sizeof(*list));
	list[0] = element;
	return element;
}

struct wk_aggregates *wk_aggregates_new(const struct wk_model *model,
					const struct wk_selection *selection)
{
	struct wk_aggregates *a = wk_alloc_zeroed(1, sizeof(*a));

	a->model = model;
	a->selection = selection;
	a->rows = wk_alloc_zeroed(model->source_count, sizeof(*a->rows));
	return a;
}

void wk_aggregates_free(struct wk_aggregates *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < KEPT_TREES; i++)
		free_tree(a->trees[i]);
	for (size_t i = 0; i < KEPT_FILTERS; i++)
		free_filter(a->filters[i]);
	for (wk_source_id id = 0; id < a->model->source_count; id++)
		wk_event_rows_free(a->rows[id]);
	WK_FREE_ALL(a->rows, a);
}

/* All samples of an event that the page may show. */
static const struct wk_event_rows *rows_of(struct wk_aggregates *a, wk_source_id source,
					   struct wk_err *err)
{
	struct wk_filter_spec spec = a->selection->asked;
	struct wk_filter filter;

	if (a->rows[source])
		return a->rows[source];
	spec.before_source = spec.after_source = source;
	spec.outstanding = false;
	spec.span = spec.before_span = (struct wk_span_spec){ 0 };
	if (!wk_filter_init(&filter, a->model, &spec, err))
		return NULL;
	a->rows[source] = wk_event_rows_new(a->model, &filter);
	wk_filter_fini(&filter);
	return a->rows[source];
}

static const struct kept_filter *filter_of(struct wk_aggregates *a,
					   const struct wk_event_rows *rows,
					   const struct wk_buf *expression, struct wk_err *err)
{
	struct wk_filter_spec spec = { .before_source = rows->source,
				       .after_source = rows->source,
				       .expression = wk_buf_text(expression) };
	struct kept_filter *kept;
	struct wk_filter filter;

	for (size_t i = 0; i < KEPT_FILTERS && a->filters[i]; i++) {
		kept = a->filters[i];
		if (kept->source == rows->source &&
		    wk_str_eq(wk_buf_str(&kept->expression), wk_buf_str(expression)))
			return to_front(a->filters, i, kept);
	}
	if (!wk_filter_init(&filter, a->model, &spec, err))
		return NULL;
	kept = wk_alloc_zeroed(1, sizeof(*kept));
	kept->source = rows->source;
	kept->bits = wk_event_rows_in_view(rows, &filter, WK_SPAN_OF_ALL);
	kept->number = ++a->filter_count;
	wk_buf_add_str(&kept->expression, wk_buf_str(expression));
	wk_filter_fini(&filter);
	free_filter(a->filters[KEPT_FILTERS - 1]);
	return to_front(a->filters, KEPT_FILTERS - 1, kept);
}

static struct kept_tree *new_tree(const struct wk_event_rows *rows, const struct asked *asked)
{
	struct kept_tree *kept = wk_alloc_zeroed(1, sizeof(*kept));
	struct wk_tree_options options = { .grouping = &asked->grouping,
					   .inverted = asked->inverted,
					   .hides_plumbing = !asked->all_inline };

	kept->source = asked->source;
	kept->grouping = asked->grouping;
	kept->inverted = asked->inverted;
	kept->all_inline = asked->all_inline;
	kept->shape = wk_tree_shape_new(rows, &options);
	wk_tree_weights_init(&kept->weights, kept->shape);
	return kept;
}

static bool is_same_tree(const struct kept_tree *kept, const struct asked *asked)
{
	return kept->source == asked->source && kept->inverted == asked->inverted &&
	       kept->all_inline == asked->all_inline &&
	       memcmp(&kept->grouping, &asked->grouping, sizeof(kept->grouping)) == 0;
}

static struct kept_tree *tree_of(struct wk_aggregates *a, const struct asked *asked)
{
	for (size_t i = 0; i < KEPT_TREES && a->trees[i]; i++)
		if (is_same_tree(a->trees[i], asked))
			return to_front(a->trees, i, a->trees[i]);
	free_tree(a->trees[KEPT_TREES - 1]);
	return to_front(a->trees, KEPT_TREES - 1, new_tree(a->rows[asked->source], asked));
}

static struct kept_tree *weighed_tree(struct wk_aggregates *a, const struct asked *asked)
{
	const struct wk_row_selection *selection = &asked->selection;
	const struct weighed *of, is = { selection->from_ns, selection->to_ns, asked->filter,
					 selection->measure };
	struct kept_tree *kept = tree_of(a, asked);

	of = &kept->weighed;
	if (kept->is_weighed && of->from_ns == is.from_ns && of->to_ns == is.to_ns &&
	    of->filter == is.filter && of->measure == is.measure)
		return kept;
	wk_tree_weights_set(&kept->weights, selection);
	kept->weighed = is;
	kept->is_weighed = true;
	return kept;
}

/* ---- arguments */

/* 0 if there is none. */
static wk_source_id find_event(const struct wk_model *model, struct wk_str name)
{
	wk_source_id source = model->source_count - 1;

	while (source && !wk_str_eq(wk_model_str(model, model->sources[source].name), name))
		source--;
	return source;
}

static bool read_event(const struct wk_aggregates *a, const struct wk_request *request,
		       wk_source_id *source, struct wk_err *err)
{
	struct wk_buf name = { 0 };
	bool ok = wk_argument_text(request, "event", &name, err);

	*source = name.len ? find_event(a->model, wk_buf_str(&name)) : a->selection->filter.source;
	if (ok && !*source)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     name.len ? "the recording has no event \"%s\"" : WK_NO_SAMPLES "%s",
			     wk_buf_text(&name));
	wk_buf_fini(&name);
	return ok;
}

static bool read_group(const struct wk_request *request, struct wk_grouping *grouping,
		       struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, "group", &text, err);

	if (ok && !wk_request_has(request, "group"))
		wk_buf_add_text(&text, "process,stack");
	ok = ok && wk_grouping_read(grouping, wk_buf_str(&text), err);
	if (ok && wk_grouping_has(grouping, WK_GROUP_ANNOTATION))
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "the level `annotation` needs the rules of a preset");
	wk_buf_fini(&text);
	return ok;
}

static bool read_selection(const struct wk_aggregates *a, const struct wk_request *request,
			   struct wk_row_selection *selection, struct wk_err *err)
{
	static const char *const measures[] = { "all", "outstanding", "gone", NULL };
	uint64_t begin_ns = wk_model_begin_ns(a->model);
	unsigned measure = WK_MEASURE_ALL;

	if (!wk_argument_moment(request, "from", begin_ns, &selection->from_ns, err) ||
	    !wk_argument_moment(request, "to", begin_ns, &selection->to_ns, err) ||
	    !wk_argument_word(request, "measure", measures, &measure, err))
		return false;
	selection->measure = (enum wk_row_measure)measure;
	return selection->from_ns <= selection->to_ns ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "\"from\" is after \"to\"");
}

/* Also finds the rows and the filter. `asked` has the default time. */
static bool read_asked(struct wk_aggregates *a, const struct wk_request *request,
		       struct asked *asked, struct wk_err *err)
{
	const struct wk_event_rows *rows;
	const struct kept_filter *filter;

	if (!read_event(a, request, &asked->source, err) ||
	    !read_group(request, &asked->grouping, err) ||
	    !wk_argument_flag(request, "inverted", &asked->inverted, err) ||
	    !wk_argument_flag(request, "all-inline", &asked->all_inline, err) ||
	    !read_selection(a, request, &asked->selection, err) ||
	    !wk_argument_text(request, "filter", &asked->expression, err))
		return false;
	rows = rows_of(a, asked->source, err);
	if (!rows || !asked->expression.len)
		return rows;
	filter = filter_of(a, rows, &asked->expression, err);
	if (!filter)
		return false;
	asked->selection.bits = filter->bits;
	asked->filter = filter->number;
	return true;
}

/* ---- trees */

static bool answer_tree(struct wk_aggregates *a, const struct wk_request *request,
			struct wk_buf *answer, struct wk_err *err)
{
	struct asked asked = { .selection.to_ns = UINT64_MAX };
	struct wk_cut_options options = { .share = LEAST_SHARE, .most = MOST_NODES,
					  .most_opened = MOST_OPENED };
	struct wk_number_list opened = { 0 };
	struct kept_tree *kept;
	struct wk_tree_cut cut;
	bool ok = wk_argument_share(request, "share", &options.share, err) &&
		  wk_argument_number(request, "root", 0, UINT32_MAX, &options.root, err) &&
		  wk_argument_number(request, "current", 0, UINT32_MAX, &options.current, err) &&
		  wk_argument_numbers(request, "open", MOST_LISTED, &opened, err) &&
		  read_asked(a, request, &asked, err);

	if (ok) {
		options.opened = opened.at;
		options.opened_count = (uint32_t)opened.count;
		kept = weighed_tree(a, &asked);
		if (options.root >= kept->shape->count)
			options.root = 0;
		wk_tree_cut_init(&cut, &kept->weights, NULL, &options);
		wk_page_tree_write(kept->shape, &cut, false, answer);
		wk_tree_cut_fini(&cut);
	}
	wk_buf_fini(&asked.expression);
	wk_free(opened.at);
	return ok;
}

/* ---- histograms */

/* What a histogram is of, beyond what all requests have. */
struct histogram {
	struct wk_time_bins bins;
	struct wk_number_list nodes;
	bool has_nodes, has_levels;
};

static bool read_histogram(const struct wk_request *request, struct histogram *h,
			   struct wk_err *err)
{
	h->bins.count = 600;
	h->has_nodes = wk_request_has(request, "nodes");
	if (!wk_argument_number(request, "count", 1, MOST_BINS, &h->bins.count, err) ||
	    !wk_argument_flag(request, "levels", &h->has_levels, err) ||
	    !wk_argument_numbers(request, "nodes", MOST_LISTED, &h->nodes, err))
		return false;
	if (h->has_nodes && h->has_levels)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "nodes have no levels");
	return h->nodes.count * h->bins.count <= MOST_BIN_SUMS ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "more than %d bins of all nodes", MOST_BIN_SUMS);
}

static void add_column(struct wk_columns *columns, const char *name, int64_t *sums, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sums[i] = sums[i] > WK_COLUMN_MOST ? WK_COLUMN_MOST : sums[i];
		sums[i] = sums[i] < -WK_COLUMN_MOST ? -WK_COLUMN_MOST : sums[i];
	}
	wk_columns_add(columns, name, sums, (uint32_t)count, false);
}

static void write_histogram(struct wk_aggregates *a, const struct asked *asked,
			    const struct histogram *h, struct wk_buf *answer)
{
	const struct wk_event_rows *rows = a->rows[asked->source];
	size_t count = (h->has_nodes ? h->nodes.count : 1) * h->bins.count;
	int64_t *sums = wk_alloc_zeroed(count + 1, sizeof(*sums));
	struct wk_columns columns = { 0 };

	if (h->has_nodes)
		wk_histogram_of_nodes(tree_of(a, asked)->shape, &asked->selection, &h->bins,
				      h->nodes.at, (uint32_t)h->nodes.count, sums);
	else
		wk_histogram(rows, &asked->selection, &h->bins, sums);
	add_column(&columns, "weight", sums, count);
	if (h->has_levels) {
		wk_histogram_levels(rows, asked->selection.bits, &h->bins, sums);
		add_column(&columns, "level", sums, count);
	}
	wk_columns_write(&columns, answer);
	wk_free(sums);
}

static bool answer_bins(struct wk_aggregates *a, const struct wk_request *request,
			struct wk_buf *answer, struct wk_err *err)
{
	struct asked asked = { .selection = { .from_ns = wk_model_begin_ns(a->model),
					      .to_ns = a->model->last_ns } };
	struct histogram h = { 0 };
	bool ok = read_histogram(request, &h, err) && read_asked(a, request, &asked, err);

	if (ok) {
		h.bins.from_ns = asked.selection.from_ns;
		h.bins.to_ns = asked.selection.to_ns;
		write_histogram(a, &asked, &h, answer);
	}
	wk_buf_fini(&asked.expression);
	wk_free(h.nodes.at);
	return ok;
}

/* ---- searches */

static bool matches(void *pattern, struct wk_str name)
{
	return wk_pattern_matches(pattern, name);
}

/* By function: 1 if its name matches. */
static uint8_t *matching_functions(const struct wk_model *model, struct wk_pattern *pattern)
{
	uint8_t *functions = wk_alloc_zeroed(model->function_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++)
		functions[id] = wk_pattern_matches(pattern, wk_function_shown_name(model, id));
	return functions;
}

/* How many functions of nodes with weight match, each once. Clears `functions`. */
static uint32_t count_functions(const struct wk_tree_weights *weights, uint8_t *functions)
{
	const struct wk_tree_shape *shape = weights->shape;
	uint32_t count = 0;

	for (uint32_t i = 1; i < shape->count; i++) {
		uint8_t *is_new;

		if (wk_tree_shape_kind(shape, i) != WK_NODE_FUNCTION ||
		    !wk_node_sum_is_met(&weights->total[i]))
			continue;
		is_new = &functions[wk_tree_shape_id(shape, i)];
		count += *is_new;
		*is_new = 0;
	}
	return count;
}

static void write_search(const struct wk_tree_weights *weights, struct wk_pattern *pattern,
			 struct wk_buf *answer)
{
	const struct wk_tree_shape *shape = weights->shape;
	uint8_t *functions = matching_functions(shape->rows->model, pattern);
	uint8_t *hits = wk_tree_shape_search(shape, functions, matches, pattern);
	struct wk_node_sum sum = wk_tree_weights_of_matches(weights, hits);

	wk_buf_add_fmt(answer, "{\"weight\":%lld,\"times\":%lld,\"functions\":%u}\n",
		       (long long)wk_column_value(sum.weight),
		       (long long)wk_column_value(sum.times), count_functions(weights, functions));
	WK_FREE_ALL(functions, hits);
}

static struct wk_pattern *read_pattern(const struct wk_request *request, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	const char *why = "it is empty";
	bool ignore_case = false;
	struct wk_pattern *pattern = NULL;

	if (wk_argument_text(request, "pattern", &text, err) &&
	    wk_argument_flag(request, "ignore-case", &ignore_case, err)) {
		if (text.len)
			pattern = wk_pattern_new(wk_buf_text(&text), ignore_case, &why);
		if (!pattern)
			wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"pattern\": %s", why);
	}
	wk_buf_fini(&text);
	return pattern;
}

static bool answer_search(struct wk_aggregates *a, const struct wk_request *request,
			  struct wk_buf *answer, struct wk_err *err)
{
	struct asked asked = { .selection.to_ns = UINT64_MAX };
	struct wk_pattern *pattern = read_pattern(request, err);
	bool ok = pattern && read_asked(a, request, &asked, err);

	if (ok)
		write_search(&weighed_tree(a, &asked)->weights, pattern, answer);
	wk_pattern_free(pattern);
	wk_buf_fini(&asked.expression);
	return ok;
}

/* ---- routes */

static const struct route {
	const char *name, *type;
	bool (*answer)(struct wk_aggregates *a, const struct wk_request *request,
		       struct wk_buf *answer, struct wk_err *err);
} routes[] = {
	{ "tree", "application/octet-stream", answer_tree },
	{ "bins", "application/octet-stream", answer_bins },
	{ "search", "application/json", answer_search },
};

static const struct route *find_route(struct wk_str name)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (wk_str_is(name, routes[i].name))
			return &routes[i];
	return NULL;
}

bool wk_aggregates_has(struct wk_str route)
{
	return find_route(route) != NULL;
}

bool wk_aggregates_answer(struct wk_aggregates *a, const struct wk_request *request,
			  struct wk_buf *answer, const char **type, struct wk_err *err)
{
	const struct route *route = find_route(wk_request_route(request));

	*type = route->type;
	return route->answer(a, request, answer, err);
}
