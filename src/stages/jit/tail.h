/* A jitdump that a living program still writes: its pieces of code as they come.
 *
 * The file is read by and by, never mapped: its program may cut it off at any time. Order of
 * calls: open, next until false, later again; close. */
#ifndef WK_STAGES_JIT_TAIL_H
#define WK_STAGES_JIT_TAIL_H

#include "symbols/jit/jitdump.h"

struct wk_jit_tail;

/* `fd` stays the caller's. */
struct wk_jit_tail *wk_jit_tail_open(int fd);
void wk_jit_tail_close(struct wk_jit_tail *tail);

/* The next complete code block. Its borrowed data is valid until the next call. */
bool wk_jit_tail_next(struct wk_jit_tail *tail, struct wk_jit_code *code);

#endif
