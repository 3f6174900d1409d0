#include "serve/kept.h"

#include <string.h>

#include "base/mem.h"

struct kept_filter {
	wk_source_id source;
	struct wk_buf key;
	uint64_t *bits;
	uint64_t number; /* no other filter has it */
};

void wk_asked_fini(struct wk_asked *asked)
{
	WK_BUF_FINI_ALL(&asked->preset, &asked->expression);
	wk_page_filters_fini(&asked->filters);
}

static void free_filter(struct kept_filter *filter)
{
	if (!filter)
		return;
	wk_buf_fini(&filter->key);
	WK_FREE_ALL(filter->bits, filter);
}

static void free_tree(struct wk_kept_tree *tree)
{
	if (!tree)
		return;
	wk_tree_weights_fini(&tree->weights);
	wk_tree_weights_fini(&tree->allocated);
	wk_tree_shape_free(tree->shape);
	wk_page_verbs_fini(&tree->verbs);
	wk_buf_fini(&tree->key);
	WK_FREE_ALL(tree->rules, tree->paths, tree);
}

/* Puts the element at `place` first. */
static void *to_front(void **list, size_t place, void *element)
{
	memmove(list + 1, list, place * sizeof(*list));
	list[0] = element;
	return element;
}

void wk_kept_init(struct wk_kept *kept, const struct wk_page *page,
		  const struct wk_selection *selection)
{
	*kept = (struct wk_kept){ .page = page, .model = page->model, .selection = selection };
	kept->rows = wk_alloc_zeroed(kept->model->source_count, sizeof(*kept->rows));
}

void wk_kept_fini(struct wk_kept *kept)
{
	for (size_t i = 0; i < WK_KEPT_TREES; i++)
		free_tree(kept->trees[i]);
	for (size_t i = 0; i < WK_KEPT_FILTERS; i++)
		free_filter(kept->filters[i]);
	for (wk_source_id id = 0; id < kept->model->source_count; id++)
		wk_event_rows_free(kept->rows[id]);
	wk_free(kept->rows);
}

const struct wk_event_rows *wk_kept_rows(struct wk_kept *kept, wk_source_id source,
					 struct wk_err *err)
{
	struct wk_filter_spec spec = kept->selection->asked;
	struct wk_filter filter;

	if (kept->rows[source])
		return kept->rows[source];
	spec.before_source = spec.after_source = source;
	spec.outstanding = false;
	spec.span = spec.before_span = (struct wk_span_spec){ 0 };
	if (!wk_filter_init(&filter, kept->model, &spec, err))
		return NULL;
	kept->rows[source] = wk_event_rows_new(kept->model, &filter);
	wk_filter_fini(&filter);
	return kept->rows[source];
}

/* ---- filters */

static uint64_t *bits_of_expression(const struct wk_event_rows *rows, const struct wk_buf *text,
				    struct wk_err *err)
{
	struct wk_filter_spec spec = { .before_source = rows->source,
				       .after_source = rows->source,
				       .expression = wk_buf_text(text) };
	struct wk_filter filter;
	uint64_t *bits;

	if (!wk_filter_init(&filter, rows->model, &spec, err))
		return NULL;
	bits = wk_event_rows_in_view(rows, &filter, WK_SPAN_OF_ALL);
	wk_filter_fini(&filter);
	return bits;
}

static uint64_t *new_bits(const struct wk_kept *kept, const struct wk_asked *asked,
			  struct wk_err *err)
{
	const struct wk_event_rows *rows = kept->rows[asked->source];
	uint64_t *bits = NULL, *others;

	if (asked->expression.len) {
		bits = bits_of_expression(rows, &asked->expression, err);
		if (!bits)
			return NULL;
	}
	if (!asked->filters.kept_key.len && !asked->process)
		return bits;
	others = wk_page_filters_bits(&asked->filters, rows, asked->process, kept->page);
	for (size_t i = 0; bits && i < (size_t)rows->count / 64 + 1; i++)
		others[i] &= bits[i];
	wk_free(bits);
	return others;
}

/* An expression contains no NUL. */
static void add_filter_key(const struct wk_asked *asked, struct wk_buf *key)
{
	wk_buf_add_u32(key, asked->process);
	wk_buf_add_str(key, wk_buf_str(&asked->expression));
	wk_buf_add_char(key, '\0');
	wk_buf_add_str(key, wk_buf_str(&asked->filters.kept_key));
}

/* NULL: the expression is wrong. */
static struct kept_filter *find_filter(struct wk_kept *kept, const struct wk_asked *asked,
				       struct wk_buf *key, struct wk_err *err)
{
	struct kept_filter *filter;
	uint64_t *bits;

	for (size_t i = 0; i < WK_KEPT_FILTERS && kept->filters[i]; i++) {
		filter = kept->filters[i];
		if (filter->source == asked->source &&
		    wk_str_eq(wk_buf_str(&filter->key), wk_buf_str(key)))
			return to_front(kept->filters, i, filter);
	}
	bits = new_bits(kept, asked, err);
	if (!bits)
		return NULL;
	filter = wk_alloc_zeroed(1, sizeof(*filter));
	filter->source = asked->source;
	filter->bits = bits;
	filter->number = ++kept->filter_count;
	wk_buf_add_str(&filter->key, wk_buf_str(key));
	free_filter(kept->filters[WK_KEPT_FILTERS - 1]);
	return to_front(kept->filters, WK_KEPT_FILTERS - 1, filter);
}

bool wk_kept_filter(struct wk_kept *kept, struct wk_asked *asked, struct wk_err *err)
{
	struct wk_buf key = { 0 };
	const struct kept_filter *filter;

	if (!asked->expression.len && !asked->filters.kept_key.len && !asked->process)
		return true;
	add_filter_key(asked, &key);
	filter = find_filter(kept, asked, &key, err);
	wk_buf_fini(&key);
	if (!filter)
		return false;
	asked->selection.bits = filter->bits;
	asked->filter = filter->number;
	return true;
}

/* ---- rules of annotations */

/* The first of that name; NULL if there is none, or it has no rules. */
static const struct wk_preset *preset_with_rules(const struct wk_page *page, struct wk_str name)
{
	for (size_t i = 0; i < page->preset_count; i++) {
		const struct wk_preset *preset = page->presets[i].preset;

		if (wk_str_is(name, preset->name))
			return preset->rule_count ? preset : NULL;
	}
	return NULL;
}

static size_t count_rules(const struct wk_page *page)
{
	size_t count = 0;

	for (size_t i = 0; i < page->preset_count; i++)
		count += page->presets[i].preset->rule_count;
	return count;
}

static void copy_rules(struct wk_kept_tree *tree, const struct wk_preset *preset)
{
	for (size_t i = 0; i < preset->rule_count; i++)
		tree->rules[tree->annotations.count++] = preset->rules[i];
}

/* Those of the preset, or if it has none those of all presets. */
static bool choose_rules(struct wk_kept_tree *tree, const struct wk_page *page, struct wk_str name,
			 struct wk_err *err)
{
	const struct wk_preset *preset = preset_with_rules(page, name);
	size_t count = preset ? preset->rule_count : count_rules(page);

	if (count > WK_ANNOTATIONS_MOST)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the presets have %zu rules of annotations, the limit is %d", count,
			       WK_ANNOTATIONS_MOST);
	tree->rules = wk_alloc_zeroed(count + 1, sizeof(*tree->rules));
	tree->annotations.rules = tree->rules;
	if (preset)
		copy_rules(tree, preset);
	for (size_t i = 0; !preset && i < page->preset_count; i++)
		copy_rules(tree, page->presets[i].preset);
	return true;
}

/* ---- trees */

static bool has_annotations(const struct wk_asked *asked)
{
	return wk_grouping_has(&asked->grouping, WK_GROUP_ANNOTATION);
}

/* Names of presets contain no NUL. */
static void add_tree_key(const struct wk_asked *asked, struct wk_buf *key)
{
	if (has_annotations(asked))
		wk_buf_add_str(key, wk_buf_str(&asked->preset));
	wk_buf_add_char(key, '\0');
	wk_buf_add_str(key, wk_buf_str(&asked->filters.verbs_key));
}

static struct wk_kept_tree *new_tree(const struct wk_kept *kept, const struct wk_asked *asked,
				     struct wk_err *err)
{
	struct wk_kept_tree *tree = wk_alloc_zeroed(1, sizeof(*tree));
	struct wk_tree_options options = { .grouping = &asked->grouping,
					   .inverted = asked->inverted,
					   .hides_plumbing = !asked->all_inline };

	if (has_annotations(asked)) {
		if (!choose_rules(tree, kept->page, wk_buf_str(&asked->preset), err)) {
			free_tree(tree);
			return NULL;
		}
		options.annotations = &tree->annotations;
	}
	tree->source = asked->source;
	tree->grouping = asked->grouping;
	tree->inverted = asked->inverted;
	tree->all_inline = asked->all_inline;
	if (asked->filters.verbs_key.len) {
		wk_page_verbs_init(&tree->verbs, &asked->filters, kept->model);
		options.verbs = &tree->verbs.verbs;
	}
	tree->shape = wk_tree_shape_new(kept->rows[asked->source], &options);
	wk_tree_weights_init(&tree->weights, tree->shape);
	return tree;
}

static bool is_same_tree(const struct wk_kept_tree *tree, const struct wk_asked *asked,
			 const struct wk_buf *key)
{
	return tree->source == asked->source && tree->inverted == asked->inverted &&
	       tree->all_inline == asked->all_inline &&
	       memcmp(&tree->grouping, &asked->grouping, sizeof(tree->grouping)) == 0 &&
	       wk_str_eq(wk_buf_str(&tree->key), wk_buf_str(key));
}

struct wk_kept_tree *wk_kept_tree(struct wk_kept *kept, const struct wk_asked *asked,
				  struct wk_err *err)
{
	struct wk_kept_tree *tree = NULL;
	struct wk_buf key = { 0 };
	size_t place = 0;

	add_tree_key(asked, &key);
	while (place < WK_KEPT_TREES && kept->trees[place] &&
	       !is_same_tree(kept->trees[place], asked, &key))
		place++;
	if (place < WK_KEPT_TREES && kept->trees[place]) {
		tree = to_front(kept->trees, place, kept->trees[place]);
	} else {
		tree = new_tree(kept, asked, err);
		if (tree) {
			wk_buf_add_str(&tree->key, wk_buf_str(&key));
			free_tree(kept->trees[WK_KEPT_TREES - 1]);
			to_front(kept->trees, WK_KEPT_TREES - 1, tree);
		}
	}
	wk_buf_fini(&key);
	return tree;
}

/* ---- weights */

static bool is_same_moment(struct wk_moment a, struct wk_moment b)
{
	return a.at_row == b.at_row && a.at_end == b.at_end;
}

static bool is_same_span(const struct wk_span *a, const struct wk_span *b)
{
	return a->is_given == b->is_given && a->process == b->process &&
	       is_same_moment(a->from, b->from) && is_same_moment(a->to, b->to);
}

static bool is_same(const struct wk_weighed *a, const struct wk_weighed *b)
{
	return a->is_known == b->is_known && a->from_ns == b->from_ns && a->to_ns == b->to_ns &&
	       a->filter == b->filter && a->measure == b->measure &&
	       is_same_span(&a->span, &b->span);
}

/* Sets weights unless they are those of the selection. */
static void weigh(struct wk_tree_weights *weights, struct wk_weighed *of,
		  const struct wk_asked *asked, enum wk_row_measure measure)
{
	struct wk_row_selection selection = asked->selection;
	const struct wk_weighed is = { true,	      selection.from_ns, selection.to_ns,
				       asked->filter, asked->span,	 measure };

	selection.measure = measure;
	if (is_same(of, &is))
		return;
	wk_tree_weights_set(weights, &selection);
	*of = is;
}

struct wk_kept_tree *wk_kept_weighed(struct wk_kept *kept, const struct wk_asked *asked,
				     struct wk_err *err)
{
	struct wk_kept_tree *tree = wk_kept_tree(kept, asked, err);

	if (tree)
		weigh(&tree->weights, &tree->weighed, asked, asked->selection.measure);
	return tree;
}

const struct wk_node_sum *wk_kept_allocated(struct wk_kept_tree *tree, const struct wk_asked *asked)
{
	if (!tree->shape->rows->has_lifetimes || asked->selection.measure == WK_MEASURE_ALL)
		return NULL;
	if (!tree->allocated.total)
		wk_tree_weights_init(&tree->allocated, tree->shape);
	weigh(&tree->allocated, &tree->allocated_of, asked, WK_MEASURE_ALL);
	return tree->allocated.total;
}
