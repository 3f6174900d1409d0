/* Long names of C++ and Rust in fewer words, for where there is little room.
 *
 * Only drawings and narrow columns shorten, and only what does not fit; details, search, exports
 * and folded stacks have the whole name. Each step gives away a little more:
 *
 *	<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index
 *	alloc::vec::Vec<T,A>::index        self: whose function it is, without "as" and "impl"
 *	alloc::vec::Vec<..>::index         folded
 *	alloc::vec::Vec::index             plain
 *
 * The picture's script does the same (web/svg_words.js); both are tested by the one list
 * tests/data/short_names.tsv. A name of more than WK_SHORT_MOST_BYTES is left alone. */
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

/* Takes one step; the text must be clean: valid UTF-8, no control characters. */
void wk_short_name_step(struct wk_buf *name, enum wk_short step);

/* As many steps as it takes to come down to `room` characters; false if they do not suffice. */
bool wk_short_name_fit(struct wk_buf *name, size_t room);

size_t wk_characters(struct wk_str text);

#endif
