/* One spelling for C++ names, so that searching and comparing by name find all of them.
 *
 * Linked names come from the demangler, other names from debug information, and there each compiler
 * writes lambdas, closing brackets and default arguments differently. */
#ifndef WK_NAMES_SPELLING_H
#define WK_NAMES_SPELLING_H

#include "base/buf.h"

/* 1 for an opening bracket of any kind, -1 for a closing one, 0 for others. Arrows are not
 * brackets:
 * "<fn() -> u8 as ...". */
int wk_bracket_at(struct wk_str text, size_t at);

/* The position that closes the bracket at `open`, counting only that kind; SIZE_MAX if there is
 * none. The '>' of an arrow closes nothing. */
size_t wk_bracket_end(struct wk_str text, size_t open, char opening, char closing);

/* The start of the path whose last step begins at `at`: of "a::b" in "f<int, a::b>". */
size_t wk_path_begin(struct wk_str name, size_t at);

/* The end of a call of a lambda that something is written in: of "::operator()(int) const" before
 * "::{lambda()#1}". `at` if none begins there, SIZE_MAX if its brackets do not close. */
size_t wk_enclosing_call_end(struct wk_str name, size_t at);

/* For demangled text from `begin` on: 'lambda0'(int) becomes {lambda(int)#2}, as c++filt and perf
 * print it. */
void wk_spell_lambdas(struct wk_buf *name, size_t begin);

/* A name from debug information, as the demangler would print it: ">>" for "> >", {lambda} for
 * "<lambda(int)>" and "(lambda at FILE:LINE:COLUMN)", and the default arguments of common standard
 * library templates if they were omitted. */
void wk_spell_written(struct wk_str written, struct wk_buf *out);

#endif
