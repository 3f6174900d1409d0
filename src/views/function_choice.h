/* The functions that a typed word means.
 *
 * A whole name means that function alone: "malloc" is not "malloc_consolidate". Next, the end of a
 * path without what brackets add: "Vec::push" is "alloc::vec::Vec<T,A>::push". Otherwise the word
 * is a pattern that may match anywhere. In a Rust program "main" is the program's own, not the
 * function of that name that rustc generates for the C library. */
#ifndef WK_VIEWS_FUNCTION_CHOICE_H
#define WK_VIEWS_FUNCTION_CHOICE_H

#include "base/err.h"
#include "model/model.h"

/* A byte for each function; the caller frees them. NULL if no function is meant. */
uint8_t *wk_choose_functions(const struct wk_model *model, const char *word, bool ignore_case,
			     struct wk_err *err);

#endif
