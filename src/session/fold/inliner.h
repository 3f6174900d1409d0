/* The calls that were inlined at an address of a file of this machine, for `stackcollapse-perf.pl
 * --inline`, which runs addr2line. */
#ifndef WK_SESSION_FOLD_INLINER_H
#define WK_SESSION_FOLD_INLINER_H

#include "formats/collapse.h"
#include "session/messages.h"

struct wk_as_inliner;

struct wk_as_inliner *wk_as_inliner_new(const struct wk_messages *messages);
void wk_as_inliner_free(struct wk_as_inliner *inliner);

/* For the reader; lives as long as `inliner`. */
const struct wk_collapse_inliner *wk_as_inliner_for(struct wk_as_inliner *inliner);

#endif
