/* The events of a recording as text, before unwinding, naming and adding up. */
#ifndef WK_SESSION_DUMP_H
#define WK_SESSION_DUMP_H

#include "base/err.h"
#include "base/out.h"

/* Prints the events of the files (NULL-terminated), which must belong to one session, in order of
 * time; or, with `header_only`, the facts in the file's header, one per line. `format` NULL:
 * detected. */
bool wk_dump(const char *const *paths, const char *format, bool header_only, struct wk_out *out,
	     struct wk_err *err);

#endif
