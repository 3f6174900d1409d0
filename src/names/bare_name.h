/* A function's name without what only some sources of names know of it.
 *
 * Debug information of C++ has "part" and "main(int, char**)::{lambda}::operator()" where nothing
 * is linked by a name, as of calls that were inlined; a table of symbols has "part(int)" and
 * "main::{lambda(int)#1}::operator()(int) const" of the same functions. Both are bare as "part"
 * and "main::{lambda}::operator()". */
#ifndef WK_NAMES_BARE_NAME_H
#define WK_NAMES_BARE_NAME_H

#include <stdbool.h>

#include "base/buf.h"

/* `name` comes without marks of clones. True where its parameters were among what is left out. */
bool wk_bare_name(struct wk_str name, struct wk_buf *out);

#endif
