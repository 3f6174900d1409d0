/* The stacks of a comparison, each with its own weight on both sides: the input for lines of folded
 * text.
 *
 * A tree (views/tree/tree.h) has all that and more, with a dozen columns for each of its nodes, of
 * which most are only on the way to a stack. These rows come one by one, sorted by name as in the
 * tree:
 *
 *	while (wk_stack_rows_next(rows, &row))
 *		...
 *
 * The model must outlive them. */
#ifndef WK_VIEWS_TREE_STACK_ROWS_H
#define WK_VIEWS_TREE_STACK_ROWS_H

#include "views/tree/tree.h"

struct wk_stack_rows;

struct wk_stack_row {
	uint64_t before, after; /* at least one of them is not 0 */
	uint32_t depth;
	uint32_t as_before;              /* how many of the outermost are those of the last row */
	const wk_function_id *functions; /* [depth], the outermost first; until the next row */
};

/* NULL if only a tree can provide them: the displayed stacks differ from the model's, or one side
 * is scaled. The order option is ignored. */
struct wk_stack_rows *wk_stack_rows_new(const struct wk_model *model,
					const struct wk_filter *filter,
					const struct wk_tree_options *options);
void wk_stack_rows_free(struct wk_stack_rows *rows);

bool wk_stack_rows_next(struct wk_stack_rows *rows, struct wk_stack_row *row);

/* As for a tree, see there. */
struct wk_str wk_stack_rows_unit(const struct wk_stack_rows *rows);

#endif
