/* The unwind tables that programs wrote for their JIT code, and which of them is valid at each
 * address of a process at the current time.
 *
 * The owner emits PROCESS and THREAD events (a fork copies, an exec drops) and, before a stack of a
 * process is walked, updates its jitdumps to that time. An open dump is used as it was read; one
 * that a living process still writes is followed: read on from where it ended the last time. Only
 * what stacks then need is compiled. */
#ifndef WK_STAGES_JIT_UNWIND_H
#define WK_STAGES_JIT_UNWIND_H

#include "event/event.h"
#include "stages/jit/lifetimes.h"
#include "symbols/unwind/unwind.h"

struct wk_jit_unwind;

struct wk_jit_unwind *wk_jit_unwind_new(void);
void wk_jit_unwind_free(struct wk_jit_unwind *unwind);
void wk_jit_unwind_add(struct wk_jit_unwind *unwind, const struct wk_event *event);

/* Updates `dump`, written by process `pid`, to `time_ns`; true if an earlier answer may have
 * changed. */
bool wk_jit_unwind_advance(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump, uint32_t pid,
			   uint64_t time_ns);
bool wk_jit_unwind_follow(struct wk_jit_unwind *unwind, struct wk_jit_dump *dump,
			  const struct wk_jit_owner *owner, uint64_t time_ns);

/* The table for `address`; false if there is none. */
bool wk_jit_unwind_find(struct wk_jit_unwind *unwind, uint32_t pid, uint64_t address,
			struct wk_unwind_image *image);

#endif
