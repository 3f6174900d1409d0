/* Names of the functions of a comparison without what an edit changes of them: closures of the
 * earlier side get the lines that they have on the later one, in every name that contains them.
 * Functions with equal names are then the same, whatever closures they are instances for.
 *
 * Closures are distinguished by the function that they are written in, and by its program if both
 * sides have one of that name. */
#ifndef WK_VIEWS_COMPARE_CLOSURE_LINES_H
#define WK_VIEWS_COMPARE_CLOSURE_LINES_H

#include "views/filter/filter.h"

/* Of the closures in view. The model must outlive it. */
struct wk_closure_lines;

/* `sides` are those on which each function was met (views/compare/pairs.h). */
struct wk_closure_lines *wk_closure_lines_new(const struct wk_model *model,
					      const struct wk_filter *filter, const uint8_t *sides);
void wk_closure_lines_free(struct wk_closure_lines *lines);

/* Adds the name of a function: "run::{lambda@34}::operator()" of "run::{lambda:31}::operator()" if
 * that moved by three lines. False if no closure in it has a line; then nothing is added. */
bool wk_closure_lines_name(const struct wk_closure_lines *lines, wk_function_id function,
			   struct wk_buf *text);

#endif
