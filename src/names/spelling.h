/* One spelling for names of C++, so that a search and a comparison by name find all of it.
 *
 * Linked names come from the demangler, names of what has none from debug information, and each
 * compiler writes lambdas, closing brackets and default arguments in its own way there. */
#ifndef WK_NAMES_SPELLING_H
#define WK_NAMES_SPELLING_H

#include "base/buf.h"

/* In what was demangled, from `begin` on: 'lambda0'(int) is {lambda(int)#2}, as c++filt and
 * perf have it. */
void wk_spell_lambdas(struct wk_buf *name, size_t begin);

/* A name that debug information has, as the demangler would print it: ">>" for "> >",
 * {lambda} for "<lambda(int)>" and "(lambda at FILE:LINE:COLUMN)", and the default arguments of
 * the standard library's usual templates where they were left out. */
void wk_spell_written(struct wk_str written, struct wk_buf *out);

#endif
