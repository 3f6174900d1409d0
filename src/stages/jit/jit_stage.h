/* A sink between a reader (or a recorder) and the next sink: brings the names that programs
 * wrote down of the code they made at run time (perf maps, jitdumps) into the stream.
 *
 * Reading: where a process is sampled in code that no file holds, its files are read and told as
 * SYMBOL events, a jitdump's each in front of the first event that is later. Where SYMBOL
 * events of the process come with the recording, those are all there is.
 *
 * Recording: addresses in such code are noted, and when their process ends, runs another program
 * or the recording ends, the names of these places alone are told, with the times since which
 * they were true (which then lie in the past).
 *
 * It also has the unwinding tables of such code: a walk of stacks in front of it may ask.
 *
 * A file that is there and cannot be the process' own is told in a note and not used.
 * Order of calls: new, feed its sink, finish, free. */
#ifndef WK_STAGES_JIT_JIT_STAGE_H
#define WK_STAGES_JIT_JIT_STAGE_H

#include "event/sink.h"

struct wk_jit_stage;
struct wk_unwind_image;

struct wk_jit_stage *wk_jit_stage_new(struct wk_sink next);
struct wk_sink wk_jit_stage_sink(struct wk_jit_stage *stage);

/* The processes live while the events come: for recorders. */
void wk_jit_stage_set_live(struct wk_jit_stage *stage);

/* For whoever unwinds in front of it: brings the unwinding tables of process `pid` up to
 * `time_ns`. They are looked for from the first time on that `in_code` tells of a stack in code
 * that no file holds. `is_changed`: other answers may come than before. */
bool wk_jit_stage_advance(struct wk_jit_stage *stage, uint32_t pid, uint64_t time_ns, bool in_code,
			  bool *is_changed, struct wk_err *err);

/* The table for `address` of the process; false where there is none. */
bool wk_jit_stage_find(struct wk_jit_stage *stage, uint32_t pid, uint64_t address,
		       struct wk_unwind_image *image);

bool wk_jit_stage_finish(struct wk_jit_stage *stage, struct wk_err *err);
void wk_jit_stage_free(struct wk_jit_stage *stage);

#endif
