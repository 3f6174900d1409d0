/* The unwinding tables that programs wrote of code they made at run time, and where in each
 * process which of them holds at the moment that the events have come to.
 *
 * The owner feeds PROCESS and THREAD events (a fork copies, an exec drops) and, before a stack of
 * a process is walked, brings its jitdumps up to that time. A dump that is open is taken as it
 * was read; one that a living process still writes is followed: read on from where it ended the
 * last time. What is compiled is only what stacks then meet. */
#ifndef WK_STAGES_JIT_UNWIND_H
#define WK_STAGES_JIT_UNWIND_H

#include "event/event.h"
#include "stages/jit/lifetimes.h"
#include "symbols/unwind/unwind.h"

struct wk_jit_unwind;

struct wk_jit_unwind *wk_jit_unwind_new(void);
void wk_jit_unwind_free(struct wk_jit_unwind *unwind);
void wk_jit_unwind_add(struct wk_jit_unwind *unwind, const struct wk_event *event);

/* Brings what process `pid` wrote to `dump` up to `time_ns`; true where an answer may have
 * changed that was given before. */
bool wk_jit_unwind_advance(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump, uint32_t pid,
			   uint64_t time_ns);
bool wk_jit_unwind_follow(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump,
			  const struct wk_jit_owner *owner, uint64_t time_ns);

/* The table for `address`; false where there is none. */
bool wk_jit_unwind_find(struct wk_jit_unwind *unwind, uint32_t pid, uint64_t address,
			struct wk_unwind_image *image);

#endif
