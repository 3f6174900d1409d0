/* What a new recording would write over: it is kept under another name first. */
#ifndef WK_SESSION_PREVIOUS_H
#define WK_SESSION_PREVIOUS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Makes room at `output`: what lies there is then `output`.old, as perf does it, which is added
 * to `old`. `old` stays empty where nothing was kept: there was nothing, or a recording without
 * samples, which must not push a good one out of its place. Fails where a file lies there that is
 * no recording of this form: nobody meant to write over their program's source. */
bool wk_previous_keep(const char *output, struct wk_buf *old, struct wk_err *err);

/* Marks the open file as a recording that is being written: another recorder will not take it for
 * one without samples, and write into it, before it has any. */
void wk_previous_hold(int fd);

/* Puts back what was kept, and forgets it. */
void wk_previous_restore(struct wk_buf *old);

/* The same in the place of a file at `output` that came to nothing; where nothing was kept, that
 * is removed. At each moment one of the two is there. */
bool wk_previous_put_back(const char *output, struct wk_buf *old);

#endif
