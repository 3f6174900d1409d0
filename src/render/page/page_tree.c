#include "render/page/page_tree.h"

#include "base/bisect.h"
#include "base/map.h"
#include "base/mem.h"
#include "render/page/columns.h"
#include "render/page/page_internal.h"
#include "render/page/page_path.h"
#include "views/tree/tree_internal.h"

struct answer {
	const struct wk_page_tree *of;
	const struct wk_tree_shape *shape;
	const struct wk_tree_cut *cut;
	struct wk_page_parts names; /* only the functions of its ids are used */
	uint32_t *text;             /* by row: of `texts`; 0: it is a function */
	uint32_t *function;         /* by row: of the functions of `names`; 0: it is no code */
	struct wk_buf texts;        /* what follows the first in a list of JSON */
	int64_t *values;            /* by row, of the column that is written */
	struct wk_columns columns;
};

/* ---- names */

static uint32_t function_number(struct answer *a, struct wk_map *known, wk_function_id function)
{
	struct wk_page_ids *ids = &a->names.ids;
	uint32_t *number = wk_map_at(known, function);

	if (!*number) {
		ids->functions[ids->function_count] = function;
		*number = ids->function_count++;
	}
	return *number;
}

/* Nodes of one label have one name. */
static uint32_t text_number(struct answer *a, struct wk_map *known, uint32_t node)
{
	uint32_t *number = wk_map_at(known, node ? a->shape->label[node] : UINT64_MAX);
	struct wk_arena arena = { 0 };
	struct wk_out out;

	if (*number)
		return *number;
	*number = (uint32_t)known->count;
	out = wk_out_to_buf(&a->texts);
	wk_out_char(&out, ',');
	wk_out_json_quoted(&out, wk_tree_shape_name(a->shape, node, &arena));
	wk_out_end(&out);
	wk_arena_fini(&arena);
	return *number;
}

static void find_names(struct answer *a)
{
	struct wk_map functions = { 0 }, texts = { 0 };

	a->names.ids.function_count = 1;
	for (uint32_t i = 0; i < a->cut->count; i++) {
		uint32_t node = a->cut->rows[i].node;
		enum wk_node_kind kind = wk_tree_shape_kind(a->shape, node);

		if (wk_node_is_code((uint8_t)kind))
			a->function[i] =
				function_number(a, &functions, wk_tree_shape_id(a->shape, node));
		if (kind != WK_NODE_FUNCTION)
			a->text[i] = text_number(a, &texts, node);
	}
	wk_map_fini(&functions);
	wk_map_fini(&texts);
}

/* The row of a node; 0 if there is none. */
static uint32_t row_of(const struct answer *a, uint32_t node)
{
	uint32_t low = 0, high = a->cut->count;

	WK_BISECT(low, high, a->cut->rows[middle].node < node);
	return low < a->cut->count && a->cut->rows[low].node == node ? low : 0;
}

static void write_names(const struct answer *a, struct wk_buf *answer)
{
	struct wk_buf json = { 0 };

	wk_buf_add_text(&json, "{\"names\":");
	wk_page_names(&a->names, &json);
	wk_buf_add_text(&json, ",\"texts\":[\"\"");
	wk_buf_add_str(&json, wk_buf_str(&a->texts));
	wk_buf_add_fmt(&json, "],\"root\":%u,\"current\":%u,\"nodes\":%u", row_of(a, a->of->root),
		       row_of(a, a->of->current), a->shape->count);
	wk_buf_add_fmt(&json, ",\"levelsLeftOut\":%u,\"cutStacks\":%u,\"cutWeight\":%lld}",
		       a->cut->levels_left_out, a->shape->cut_stacks,
		       (long long)wk_column_value(a->shape->cut_weight));
	wk_buf_add_u32(answer, (uint32_t)json.len);
	wk_buf_add_str(answer, wk_buf_str(&json));
	wk_buf_fini(&json);
}

/* ---- columns */

static void column(struct answer *a, const char *name,
		   int64_t (*value)(const struct answer *a, uint32_t row), bool by_steps)
{
	for (uint32_t i = 0; i < a->cut->count; i++)
		a->values[i] = value(a, i);
	wk_columns_add(&a->columns, name, a->values, a->cut->count, by_steps);
}

static int64_t node_of(const struct answer *a, uint32_t row)
{
	return a->cut->rows[row].node;
}

static int64_t parent_of(const struct answer *a, uint32_t row)
{
	return a->cut->rows[row].parent;
}

static int64_t kind_of(const struct answer *a, uint32_t row)
{
	return wk_tree_shape_kind(a->shape, a->cut->rows[row].node);
}

static int64_t level_of(const struct answer *a, uint32_t row)
{
	return wk_page_level(a->shape, a->cut->rows[row].node);
}

/* Of code it would be the model's, which no page knows. */
static int64_t id_of(const struct answer *a, uint32_t row)
{
	uint32_t node = a->cut->rows[row].node;
	enum wk_node_kind kind = wk_tree_shape_kind(a->shape, node);
	uint32_t label = a->shape->label[node];

	if (kind == WK_NODE_SUBJECT && WK_LABEL_KIND(label) == WK_LABEL_SIZE)
		return WK_LABEL_ID(label) ? WK_LABEL_ID(label) - 1 : 0;
	return kind == WK_NODE_PROCESS || kind == WK_NODE_THREAD || kind == WK_NODE_CPU
		       ? wk_tree_shape_id(a->shape, node)
		       : 0;
}

static int64_t function_of(const struct answer *a, uint32_t row)
{
	return a->function[row];
}

static int64_t text_of(const struct answer *a, uint32_t row)
{
	return a->text[row];
}

static int64_t is_inlined(const struct answer *a, uint32_t row)
{
	return a->shape->is_inlined[a->cut->rows[row].node];
}

static int64_t is_recursive(const struct answer *a, uint32_t row)
{
	return a->shape->is_recursive[a->cut->rows[row].node];
}

static int64_t first_of(const struct answer *a, uint32_t row)
{
	return a->shape->first_row[a->cut->rows[row].node];
}

/* Every node but the whole has samples. */
static int64_t first_time_of(const struct answer *a, uint32_t row)
{
	const struct wk_event_rows *rows = a->shape->rows;
	uint32_t first = a->shape->first_row[a->cut->rows[row].node];
	int64_t since;

	if (first >= rows->count)
		return 0;
	since = (int64_t)(wk_event_row_time(rows, first) - wk_model_begin_ns(rows->model));
	return since > WK_COLUMN_MOST    ? WK_COLUMN_MOST
	       : since < -WK_COLUMN_MOST ? -WK_COLUMN_MOST
					 : since;
}

static int64_t left_out_of(const struct answer *a, uint32_t row)
{
	return a->cut->rows[row].left_out;
}

/* The columns of a sum in each row: `sum_at` bytes into it. */
static void sums(struct answer *a, const char *weight, const char *times, size_t sum_at)
{
	for (int is_times = 0; is_times < 2; is_times++) {
		for (uint32_t i = 0; i < a->cut->count; i++) {
			const char *row = (const char *)&a->cut->rows[i];
			const struct wk_node_sum *sum = (const void *)(row + sum_at);

			a->values[i] = wk_column_value(is_times ? sum->times : sum->weight);
		}
		wk_columns_add(&a->columns, is_times ? times : weight, a->values, a->cut->count,
			       false);
	}
}

static void write_allocated(struct answer *a)
{
	const struct wk_node_sum *of = a->of->allocated;

	for (uint32_t i = 0; i < a->cut->count; i++)
		a->values[i] = wk_column_value(of[a->cut->rows[i].node].weight);
	wk_columns_add(&a->columns, "allocated", a->values, a->cut->count, false);
	for (uint32_t i = 0; i < a->cut->count; i++)
		a->values[i] = wk_column_value(of[a->cut->rows[i].node].times);
	wk_columns_add(&a->columns, "allocations", a->values, a->cut->count, false);
}

static void write_columns(struct answer *a, struct wk_buf *answer)
{
	column(a, "node", node_of, true);
	column(a, "parent", parent_of, true);
	column(a, "kind", kind_of, false);
	column(a, "level", level_of, false);
	column(a, "id", id_of, false);
	column(a, "function", function_of, false);
	column(a, "text", text_of, false);
	column(a, "inlined", is_inlined, false);
	column(a, "recursive", is_recursive, false);
	column(a, "first", first_of, false);
	column(a, "firstTime", first_time_of, false);
	sums(a, "total", "totalTimes", offsetof(struct wk_cut_row, total));
	sums(a, "self", "selfTimes", offsetof(struct wk_cut_row, self));
	column(a, "left", left_out_of, false);
	sums(a, "leftWeight", "leftTimes", offsetof(struct wk_cut_row, left_out_sum));
	if (a->of->allocated)
		write_allocated(a);
	if (a->of->has_before) {
		sums(a, "before", "beforeTimes", offsetof(struct wk_cut_row, total_before));
		sums(a, "selfBefore", "selfBeforeTimes", offsetof(struct wk_cut_row, self_before));
		sums(a, "leftBefore", "leftBeforeTimes",
		     offsetof(struct wk_cut_row, left_out_before));
	}
	wk_columns_write(&a->columns, answer);
}

void wk_page_tree_write(const struct wk_page_tree *tree, struct wk_buf *answer)
{
	size_t count = (size_t)tree->cut->count + 1;
	struct answer a = { .of = tree, .shape = tree->shape, .cut = tree->cut,
			    .names = { .model = tree->shape->rows->model } };

	a.names.ids.functions = wk_alloc_zeroed(count, sizeof(*a.names.ids.functions));
	a.text = wk_alloc_zeroed(count, sizeof(*a.text));
	a.function = wk_alloc_zeroed(count, sizeof(*a.function));
	a.values = wk_alloc(count * sizeof(*a.values));
	find_names(&a);
	write_names(&a, answer);
	write_columns(&a, answer);
	wk_buf_fini(&a.texts);
	WK_FREE_ALL(a.names.ids.functions, a.text, a.function, a.values);
}
