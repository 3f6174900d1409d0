/* The one name that a function has, wherever it comes from.
 *
 * A compiler that makes a copy of a function for some of its calls, or splits one, gives each
 * part a linked name of its own: "hot.constprop.0", "hot.part.0.cold". Debug information calls
 * all of them by the function's name, and so does a reader: views, searches and comparisons of
 * two builds have `hot`. Where names must be those of the table of symbols (`--to perf-script`,
 * `--no-demangle`) they are taken from there. */
#ifndef WK_NAMES_FUNCTION_NAME_H
#define WK_NAMES_FUNCTION_NAME_H

#include "base/buf.h"

/* `name` without what compilers put behind it: as linked, or as demanglers write that
 * ("f(int) (.isra.0)", "f(int) [clone .isra.0]"). */
struct wk_str wk_name_without_clones(struct wk_str name);

/* A linked name, or one that debug information has, as people read it. */
void wk_function_name(struct wk_str name, struct wk_buf *out);

/* The same of what is linked alone; false where it is not mangled. */
bool wk_function_demangle(struct wk_str linked, struct wk_buf *out);

#endif
