/* Long C++ and Rust names in fewer characters, for narrow places.
 *
 * Only pictures and narrow columns shorten names, and only those that do not fit; details, search,
 * exports and folded stacks have the whole name. Each step removes a little more:
 *
 *	<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index
 *	alloc::vec::Vec<T,A>::index        self: the type of the method, without "as" and "impl"
 *	alloc::vec::Vec<..>::index         folded
 *	alloc::vec::Vec::index             plain
 *
 * The script of the picture does the same (web/svg_words.js); tests/data/short_names.tsv tests
 * both. A name of more than WK_SHORT_MOST_BYTES stays as it is. */
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

/* As many steps as needed to fit `room` characters; false if they are not enough. */
bool wk_short_name_fit(struct wk_buf *name, size_t room);

/* Adds the name after all steps: "alloc::vec::Vec::index". A name that is too long is added as it
 * is. */
void wk_short_name_plain(struct wk_str name, struct wk_buf *plain);

size_t wk_characters(struct wk_str text);

#endif
