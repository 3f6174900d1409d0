#include "serve/aggregates.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "render/page/columns.h"
#include "render/page/page_path.h"
#include "render/page/page_tree.h"
#include "serve/arguments.h"
#include "serve/page_pattern.h"
#include "serve/kept.h"
#include "views/aggregate/process_sums.h"
#include "views/aggregate/tree_cut.h"

#define USUAL_GROUPS "process,stack"

#define LEAST_SHARE   0.0005
#define MOST_NODES    50000 /* of an answer, that are shown for their weight */
#define MOST_OPENED   10000 /* children of each opened node */
#define MOST_LISTED   4000
#define MOST_BINS     20000
#define MOST_BIN_SUMS 1000000 /* of all nodes, or of all processes */

struct wk_aggregates {
	const struct wk_model *model;
	const struct wk_report_page *report;
	struct wk_kept kept;
};

struct wk_aggregates *wk_aggregates_new(const struct wk_report_page *report)
{
	struct wk_aggregates *a = wk_alloc_zeroed(1, sizeof(*a));

	a->report = report;
	a->model = wk_report_page_data(report)->model;
	wk_kept_init(&a->kept, wk_report_page_data(report), wk_report_page_selection(report));
	return a;
}

void wk_aggregates_free(struct wk_aggregates *a)
{
	if (!a)
		return;
	wk_kept_fini(&a->kept);
	wk_free(a);
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

	*source = name.len ? find_event(a->model, wk_buf_str(&name))
			   : a->kept.selection->filter.source;
	if (ok && !*source)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     name.len ? "the recording has no event \"%s\"" : WK_NO_SAMPLES "%s",
			     wk_buf_text(&name));
	wk_buf_fini(&name);
	return ok;
}

static bool read_group(const struct wk_request *request, struct wk_asked *asked, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, "group", &text, err) &&
		  wk_argument_text(request, "preset", &asked->preset, err);

	if (ok && !wk_request_has(request, "group"))
		wk_buf_add_text(&text, USUAL_GROUPS);
	ok = ok && wk_grouping_read(&asked->grouping, wk_buf_str(&text), err);
	if (ok && wk_grouping_has(&asked->grouping, WK_GROUP_ANNOTATION) &&
	    !wk_request_has(request, "preset"))
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "the level `annotation` needs the argument \"preset\"");
	wk_buf_fini(&text);
	return ok;
}

static bool find_snapshot(const struct wk_aggregates *a, uint32_t number,
			  const struct wk_snapshot **snapshot, struct wk_err *err)
{
	uint32_t row;

	if (!wk_report_page_snapshot(a->report, number, &row))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the argument \"between\": there is no snapshot %u",
			       (unsigned)number);
	*snapshot = &a->model->snapshots[row];
	return true;
}

/* Only blocks of the second one's process, which is a filter. */
static bool read_span(const struct wk_aggregates *a, const struct wk_request *request,
		      struct wk_asked *asked, struct wk_err *err)
{
	struct wk_number_list numbers = { 0 };
	const struct wk_snapshot *from = NULL, *to = NULL;
	bool ok = wk_argument_numbers(request, "between", 2, &numbers, err);

	if (ok && wk_request_has(request, "between")) {
		ok = numbers.count == 2 || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
						   "the argument \"between\" is not two numbers");
		ok = ok && (!numbers.at[0] || find_snapshot(a, numbers.at[0], &from, err)) &&
		     find_snapshot(a, numbers.at[1], &to, err);
	}
	if (ok && to) {
		asked->span.is_given = true;
		asked->span.to = (struct wk_moment){ to->at_row, to->at_end, false };
		asked->process = to->process;
		asked->selection.span = &asked->span;
		asked->selection.ends_have_time = true;
	}
	if (ok && from)
		asked->span.from = (struct wk_moment){ from->at_row, from->at_end, false };
	wk_free(numbers.at);
	return ok;
}

static bool read_selection(const struct wk_aggregates *a, const struct wk_request *request,
			   struct wk_asked *asked, struct wk_err *err)
{
	static const char *const measures[] = { "all", "outstanding", "gone", NULL };
	struct wk_row_selection *selection = &asked->selection;
	uint64_t begin_ns = wk_model_begin_ns(a->model);
	unsigned measure = WK_MEASURE_ALL;

	if (!wk_argument_moment(request, "from", begin_ns, &selection->from_ns, err) ||
	    !wk_argument_moment(request, "to", begin_ns, &selection->to_ns, err) ||
	    !wk_argument_word(request, "measure", measures, &measure, err) ||
	    !read_span(a, request, asked, err))
		return false;
	selection->measure = (enum wk_row_measure)measure;
	return selection->from_ns <= selection->to_ns ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "\"from\" is after \"to\"");
}

static bool read_filters(const struct wk_request *request, struct wk_asked *asked,
			 struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, "filter", &asked->expression, err) &&
		  wk_argument_text(request, "filters", &text, err);

	if (ok && wk_request_has(request, "filters"))
		ok = wk_page_filters_read(&asked->filters, wk_buf_str(&text), err);
	wk_buf_fini(&text);
	return ok;
}

/* Also finds the rows and the filter. `asked` has the default time, and must not move. */
static bool read_asked(struct wk_aggregates *a, const struct wk_request *request,
		       struct wk_asked *asked, struct wk_err *err)
{
	return read_event(a, request, &asked->source, err) && read_group(request, asked, err) &&
	       wk_argument_flag(request, "inverted", &asked->inverted, err) &&
	       wk_argument_flag(request, "all-inline", &asked->all_inline, err) &&
	       read_selection(a, request, asked, err) && read_filters(request, asked, err) &&
	       wk_kept_rows(&a->kept, asked->source, err) && wk_kept_filter(&a->kept, asked, err);
}

/* ---- nodes that are named by number or by path */

struct node_name {
	bool is_path;
	uint32_t node;
	uint64_t path;
};

struct node_names {
	struct node_name root, current;
	struct node_name *opened;
	size_t opened_count, cap;
};

static bool read_node_name(struct wk_str text, struct node_name *name)
{
	uint64_t number;

	name->is_path = wk_page_path_read(text, &name->path);
	if (name->is_path)
		return true;
	if (!wk_num_u64(text, &number) || number > UINT32_MAX)
		return false;
	name->node = (uint32_t)number;
	return true;
}

static bool read_node(const struct wk_request *request, const char *argument,
		      struct node_name *name, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, argument, &text, err);

	if (ok && wk_request_has(request, argument) && !read_node_name(wk_buf_str(&text), name))
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "the argument \"%s\" is neither a number of a node nor a path",
			     argument);
	wk_buf_fini(&text);
	return ok;
}

static bool read_opened(const struct wk_request *request, struct node_names *names,
			struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, "open", &text, err), is_more = text.len > 0;
	struct wk_str rest = wk_buf_str(&text), piece;

	while (ok && is_more) {
		is_more = wk_str_split(rest, ',', &piece, &rest);
		if (names->opened_count == MOST_LISTED)
			ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				     "the argument \"open\" has more than %d nodes", MOST_LISTED);
		else if (!read_node_name(piece,
					 WK_APPEND(names->opened, names->opened_count, names->cap)))
			ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				     "the argument \"open\" is not a list of nodes");
	}
	wk_buf_fini(&text);
	return ok;
}

static bool read_nodes(const struct wk_request *request, struct node_names *names,
		       struct wk_err *err)
{
	return read_node(request, "root", &names->root, err) &&
	       read_node(request, "current", &names->current, err) &&
	       read_opened(request, names, err);
}

/* Of each path that is named: a place, from 1 on. */
struct places {
	struct wk_map of_path;
	uint32_t *first; /* by place: the first node with that path; 0: none */
	uint8_t *is_opened;
	uint32_t count;
};

static void add_place(struct places *places, const struct node_name *name, bool is_opened)
{
	uint32_t *place;

	if (!name->is_path)
		return;
	place = wk_map_at(&places->of_path, name->path);
	if (!*place)
		*place = ++places->count;
	places->is_opened[*place] |= is_opened;
}

static uint32_t node_of(const struct places *places, const struct node_name *name)
{
	return name->is_path ? places->first[wk_map_find(&places->of_path, name->path)]
			     : name->node;
}

/* Several nodes can have one path: functions of one name in several modules. */
static void find_paths(struct places *places, struct wk_kept_tree *tree,
		       struct wk_number_list *opened)
{
	if (places->count && !tree->paths)
		tree->paths = wk_page_paths_new(tree->shape);
	for (uint32_t i = 1; places->count && i < tree->shape->count; i++) {
		uint32_t place = wk_map_find(&places->of_path, tree->paths[i]);

		if (!place)
			continue;
		if (!places->first[place])
			places->first[place] = i;
		if (places->is_opened[place])
			*WK_APPEND(opened->at, opened->count, opened->cap) = i;
	}
}

/* Nodes that do not exist are the whole. */
static void find_nodes(const struct node_names *names, struct wk_kept_tree *tree,
		       struct wk_cut_options *options, struct wk_number_list *opened)
{
	struct places places = { 0 };

	places.first = wk_alloc_zeroed(names->opened_count + 3, sizeof(*places.first));
	places.is_opened = wk_alloc_zeroed(names->opened_count + 3, 1);
	add_place(&places, &names->root, false);
	add_place(&places, &names->current, false);
	for (size_t i = 0; i < names->opened_count; i++) {
		add_place(&places, &names->opened[i], true);
		if (!names->opened[i].is_path)
			*WK_APPEND(opened->at, opened->count, opened->cap) = names->opened[i].node;
	}
	find_paths(&places, tree, opened);
	options->root = node_of(&places, &names->root);
	options->current = node_of(&places, &names->current);
	if (options->root >= tree->shape->count)
		options->root = 0;
	options->opened = opened->at;
	options->opened_count = (uint32_t)opened->count;
	wk_map_fini(&places.of_path);
	WK_FREE_ALL(places.first, places.is_opened);
}

/* ---- trees */

static void write_tree(struct wk_kept_tree *tree, const struct wk_asked *asked,
		       const struct node_names *names, double share, struct wk_buf *answer)
{
	struct wk_cut_options options = { .share = share, .most = MOST_NODES,
					  .most_opened = MOST_OPENED };
	struct wk_number_list opened = { 0 };
	struct wk_page_tree page = { .shape = tree->shape };
	struct wk_tree_cut cut;

	find_nodes(names, tree, &options, &opened);
	wk_tree_cut_init(&cut, &tree->weights, NULL, &options);
	page.cut = &cut;
	page.allocated = wk_kept_allocated(tree, asked);
	page.root = options.root;
	page.current = options.current;
	wk_page_tree_write(&page, answer);
	wk_tree_cut_fini(&cut);
	wk_free(opened.at);
}

static bool answer_tree(struct wk_aggregates *a, const struct wk_request *request,
			struct wk_buf *answer, struct wk_err *err)
{
	struct wk_asked asked = { .selection.to_ns = UINT64_MAX };
	struct node_names names = { 0 };
	struct wk_kept_tree *tree = NULL;
	double share = LEAST_SHARE;

	if (wk_argument_share(request, "share", &share, err) && read_nodes(request, &names, err) &&
	    read_asked(a, request, &asked, err))
		tree = wk_kept_weighed(&a->kept, &asked, err);
	if (tree)
		write_tree(tree, &asked, &names, share, answer);
	wk_asked_fini(&asked);
	wk_free(names.opened);
	return tree != NULL;
}

/* ---- histograms */

/* What a histogram is of, beyond what all requests have. */
struct histogram {
	struct wk_time_bins bins;
	struct wk_number_list nodes;
	bool has_nodes, has_levels, by_process, sums, spreads;
};

static bool read_words(const struct wk_request *request, struct histogram *h, struct wk_err *err)
{
	static const char *const words[] = { "process", NULL };
	unsigned word = 0;

	h->by_process = wk_request_has(request, "by");
	h->sums = wk_request_has(request, "sums");
	return wk_argument_word(request, "by", words, &word, err) &&
	       wk_argument_word(request, "sums", words, &word, err) &&
	       wk_argument_flag(request, "spread", &h->spreads, err);
}

static bool read_histogram(const struct wk_request *request, struct histogram *h,
			   struct wk_err *err)
{
	h->bins.count = 600;
	h->has_nodes = wk_request_has(request, "nodes");
	if (!wk_argument_number(request, "count", 1, MOST_BINS, &h->bins.count, err) ||
	    !wk_argument_flag(request, "levels", &h->has_levels, err) ||
	    !wk_argument_numbers(request, "nodes", MOST_LISTED, &h->nodes, err) ||
	    !read_words(request, h, err))
		return false;
	if (h->has_nodes + h->has_levels + h->by_process + h->sums > 1)
		return wk_fail(
			err, WK_EUSAGE, WK_NOWHERE,
			"only one of \"nodes\", \"levels\", \"by\" and \"sums\" is possible");
	return h->nodes.count * h->bins.count <= MOST_BIN_SUMS ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "more than %d bins of all nodes", MOST_BIN_SUMS);
}

static bool check_processes(const struct wk_aggregates *a, const struct histogram *h,
			    struct wk_err *err)
{
	uint32_t count = a->model->process_count;

	return !h->by_process || (uint64_t)count * h->bins.count <= MOST_BIN_SUMS ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "%u processes have more than %d bins; the largest \"count\" is %u",
		       (unsigned)count, MOST_BIN_SUMS, (unsigned)(MOST_BIN_SUMS / count));
}

static void add_column(struct wk_columns *columns, const char *name, int64_t *sums, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sums[i] = sums[i] > WK_COLUMN_MOST ? WK_COLUMN_MOST : sums[i];
		sums[i] = sums[i] < -WK_COLUMN_MOST ? -WK_COLUMN_MOST : sums[i];
	}
	wk_columns_add(columns, name, sums, (uint32_t)count, false);
}

/* Of all, or of nodes. `shape`: NULL: of all. */
static void write_histogram(const struct wk_event_rows *rows, const struct wk_tree_shape *shape,
			    const struct wk_asked *asked, const struct histogram *h,
			    struct wk_buf *answer)
{
	size_t count = (shape ? h->nodes.count : 1) * h->bins.count;
	int64_t *sums = wk_alloc_zeroed(count + 1, sizeof(*sums));
	struct wk_columns columns = { 0 };

	if (shape)
		wk_histogram_of_nodes(shape, &asked->selection, &h->bins, h->nodes.at,
				      (uint32_t)h->nodes.count, sums);
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

static void write_process_bins(const struct wk_event_rows *rows, const struct wk_asked *asked,
			       const struct histogram *h, struct wk_buf *answer)
{
	size_t count = (size_t)rows->model->process_count * h->bins.count;
	double *sums = wk_alloc(count * sizeof(*sums));
	int64_t *values = wk_alloc(count * sizeof(*values));
	struct wk_columns columns = { 0 };

	wk_histogram_of_processes(rows, &asked->selection, &h->bins, h->spreads, sums);
	for (size_t i = 0; i < count; i++)
		values[i] = sums[i] >= 0x1p62    ? WK_COLUMN_MOST
			    : sums[i] <= -0x1p62 ? -WK_COLUMN_MOST
						 : (int64_t)(sums[i] + (sums[i] < 0 ? -.5 : .5));
	add_column(&columns, "weight", values, count);
	wk_columns_write(&columns, answer);
	WK_FREE_ALL(sums, values);
}

static void write_process_sums(const struct wk_event_rows *rows, const struct wk_asked *asked,
			       struct wk_buf *answer)
{
	uint32_t count = rows->model->process_count;
	struct wk_process_sum *sums = wk_alloc(count * sizeof(*sums));
	int64_t *values = wk_alloc(count * sizeof(*values));
	struct wk_columns columns = { 0 };

	wk_process_sums(rows, &asked->selection, sums);
	for (uint32_t i = 0; i < count; i++)
		values[i] = sums[i].weight;
	add_column(&columns, "weight", values, count);
	for (uint32_t i = 0; i < count; i++)
		values[i] = sums[i].times;
	add_column(&columns, "times", values, count);
	wk_columns_write(&columns, answer);
	WK_FREE_ALL(sums, values);
}

/* False if there is no tree for nodes. */
static bool write_bins(struct wk_aggregates *a, const struct wk_asked *asked,
		       const struct histogram *h, struct wk_buf *answer, struct wk_err *err)
{
	const struct wk_event_rows *rows = a->kept.rows[asked->source];
	const struct wk_kept_tree *tree = h->has_nodes ? wk_kept_tree(&a->kept, asked, err) : NULL;

	if (h->has_nodes && !tree)
		return false;
	if (h->sums)
		write_process_sums(rows, asked, answer);
	else if (h->by_process)
		write_process_bins(rows, asked, h, answer);
	else
		write_histogram(rows, tree ? tree->shape : NULL, asked, h, answer);
	return true;
}

static bool answer_bins(struct wk_aggregates *a, const struct wk_request *request,
			struct wk_buf *answer, struct wk_err *err)
{
	struct wk_asked asked = { .selection = { .from_ns = wk_model_begin_ns(a->model),
						 .to_ns = a->model->last_ns } };
	struct histogram h = { 0 };
	bool ok = read_histogram(request, &h, err) && check_processes(a, &h, err) &&
		  read_asked(a, request, &asked, err);

	if (ok) {
		h.bins.from_ns = asked.selection.from_ns;
		h.bins.to_ns = asked.selection.to_ns;
		ok = write_bins(a, &asked, &h, answer, err);
	}
	wk_asked_fini(&asked);
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
	uint32_t nodes = 0;

	for (uint32_t i = 1; i < shape->count; i++)
		nodes += hits[i] && wk_node_sum_is_met(&weights->total[i]);
	wk_buf_add_fmt(answer, "{\"weight\":%lld,\"times\":%lld,\"functions\":%u,\"nodes\":%u}\n",
		       (long long)wk_column_value(sum.weight),
		       (long long)wk_column_value(sum.times), count_functions(weights, functions),
		       nodes);
	WK_FREE_ALL(functions, hits);
}

static struct wk_pattern *read_pattern(const struct wk_request *request, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	const char *why = "it is empty";
	struct wk_pattern *pattern = NULL;

	if (wk_argument_text(request, "pattern", &text, err)) {
		if (text.len)
			pattern = wk_page_pattern_new(wk_buf_str(&text), &why);
		if (!pattern)
			wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"pattern\": %s", why);
	}
	wk_buf_fini(&text);
	return pattern;
}

static bool answer_search(struct wk_aggregates *a, const struct wk_request *request,
			  struct wk_buf *answer, struct wk_err *err)
{
	struct wk_asked asked = { .selection.to_ns = UINT64_MAX };
	struct wk_pattern *pattern = read_pattern(request, err);
	const struct wk_kept_tree *tree = NULL;

	if (pattern && read_asked(a, request, &asked, err))
		tree = wk_kept_weighed(&a->kept, &asked, err);
	if (tree)
		write_search(&tree->weights, pattern, answer);
	wk_pattern_free(pattern);
	wk_asked_fini(&asked);
	return tree != NULL;
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

void wk_aggregates_prepare(struct wk_aggregates *a)
{
	struct wk_asked asked = { .source = a->kept.selection->filter.source,
				  .selection.to_ns = UINT64_MAX };
	struct wk_err err = { 0 };

	if (asked.source && wk_grouping_read(&asked.grouping, wk_str_c(USUAL_GROUPS), &err) &&
	    wk_kept_rows(&a->kept, asked.source, &err))
		wk_kept_weighed(&a->kept, &asked, &err);
	wk_asked_fini(&asked);
}
