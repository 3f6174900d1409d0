/* The file that a new recording would overwrite is renamed first. */
#ifndef WK_SESSION_PREVIOUS_H
#define WK_SESSION_PREVIOUS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Renames a file at `output` to `output`.old, as perf does, which is added to `old`. A file that
 * was there is `output`.old~ until it is known whether this one can stay. `old` stays empty if
 * there was none, or a recording without samples, which must not replace a good one. Fails if the
 * file is not a recording, such as a program's source. */
bool wk_previous_keep(const char *output, struct wk_buf *old, struct wk_err *err);

/* Marks the open file as a recording that is being written, so that another recorder does not treat
 * it as one without samples. */
void wk_previous_hold(int fd);

/* Once the recording at `output` is complete, and the file at `old` can stay. One without samples
 * (`is_empty`) does not replace a good one: then the old file is put back, and the result is true.
 */
bool wk_previous_settle(const char *output, bool is_empty, struct wk_buf *old);

/* Is it a recording, and read to its end without a sample? */
bool wk_previous_is_empty(const char *path);

/* Renames it back, and empties `old`. */
void wk_previous_restore(struct wk_buf *old);

/* The same if the recording at `output` failed; without an old file, that one is removed. At each
 * moment one of the two exists. */
bool wk_previous_put_back(const char *output, struct wk_buf *old);

#endif
