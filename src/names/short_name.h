/* Long C++ and Rust names in fewer characters.
 *
 * Which form of a name people see is decided for all names of a recording (views/shown_names.h);
 * details, exports and folded stacks have the whole name. Each step removes a little more:
 *
 *	<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index
 *	alloc::vec::Vec<T,A>::index        self: the type of the method, without "as" and "impl"
 *	alloc::vec::Vec<..>::index         folded
 *	alloc::vec::Vec::index             plain
 *
 * A name of more than WK_SHORT_MOST_BYTES stays as it is. */
#ifndef WK_NAMES_SHORT_NAME_H
#define WK_NAMES_SHORT_NAME_H

#include "base/buf.h"

#define WK_SHORT_MOST_BYTES 4096

enum wk_short {
	WK_SHORT_TIDY,       /* "{{closure}}", "{lambda(int)#1}", "std::basic_string<...>" */
	WK_SHORT_PARAMETERS, /* without what C++ writes around a name: "void f<int>(int) const" */
	WK_SHORT_SELF,
	WK_SHORT_FOLDED,
	WK_SHORT_PLAIN,
	WK_SHORT_STEPS
};

/* Applies one step; the text must be clean: valid UTF-8, no control characters. */
void wk_short_name_step(struct wk_buf *name, enum wk_short step);

/* Adds the name after all steps: "alloc::vec::Vec::index". A name that is too long is added as it
 * is. */
void wk_short_name_plain(struct wk_str name, struct wk_buf *plain);

/* The same with the closures among its arguments: "std::sort<main::{lambda:38}>". */
void wk_short_name_closures(struct wk_str name, struct wk_buf *text);

size_t wk_characters(struct wk_str text);

#endif
