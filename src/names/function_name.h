/* The one name of a function, whatever its source.
 *
 * A compiler that copies a function for some of its calls, or splits one, gives each part a linked
 * name of its own: "hot.constprop.0", "hot.part.0.cold". Debug information uses the function's name
 * for all of them, and so do people: views, searches and comparisons of two builds have `hot`.
 * Where names must be those of the symbol table (`--to perf-script`, `--no-demangle`) they are read
 * from there. */
#ifndef WK_NAMES_FUNCTION_NAME_H
#define WK_NAMES_FUNCTION_NAME_H

#include "base/buf.h"

/* `name` without what compilers put behind it: as linked, or as demanglers write that
 * ("f(int) (.isra.0)", "f(int) [clone .isra.0]"). */
struct wk_str wk_name_without_clones(struct wk_str name);

/* A linked name, or one that debug information has, as people read it. */
void wk_function_name(struct wk_str name, struct wk_buf *out);

/* The same for linked names only; false if it is not mangled. */
bool wk_function_demangle(struct wk_str linked, struct wk_buf *out);

#endif
