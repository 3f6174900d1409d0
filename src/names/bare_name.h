/* A function's name without the parts that only some sources of names have.
 *
 * C++ debug information has "part" and "main(int, char**)::{lambda:31}::operator()" for functions
 * without a linked name, such as inlined calls; a symbol table has "part(int)" and
 * "main::{lambda(int)#1}::operator()(int) const" for the same functions. The bare names of both are
 * "part" and "main::{lambda}::operator()". */
#ifndef WK_NAMES_BARE_NAME_H
#define WK_NAMES_BARE_NAME_H

#include <stdbool.h>

#include "base/buf.h"

/* `name` has no clone suffix. True if parameters were among the parts removed. */
bool wk_bare_name(struct wk_str name, struct wk_buf *out);

#endif
