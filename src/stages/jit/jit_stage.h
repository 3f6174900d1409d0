/* A sink between a reader (or a recorder) and the next sink: adds the names that programs wrote for
 * their JIT code (perf maps, jitdumps) to the stream.
 *
 * Reading: if a process has samples in code that is in no file, its files are read and emitted as
 * SYMBOL events, those of a jitdump each before the first event that is later. If SYMBOL events of
 * the process come with the recording, no files are read.
 *
 * Recording: addresses in such code are collected, and when their process ends, runs another
 * program or the recording ends, the names of these places alone are emitted, with the times from
 * which they were valid (which are then in the past).
 *
 * It also has the unwind tables of such code, for a stage in front of it that walks stacks.
 *
 * A file that cannot be the process's own is reported in a note and not used. Order of calls: new,
 * emit to its sink, finish, free. */
#ifndef WK_STAGES_JIT_JIT_STAGE_H
#define WK_STAGES_JIT_JIT_STAGE_H

#include "event/sink.h"

struct wk_jit_stage;
struct wk_unwind_image;

struct wk_jit_stage *wk_jit_stage_new(struct wk_sink next);
struct wk_sink wk_jit_stage_sink(struct wk_jit_stage *stage);

/* The processes live while the events come: for recorders. */
void wk_jit_stage_set_live(struct wk_jit_stage *stage);

/* For the stage that unwinds in front of it: updates the unwind tables of process `pid` to
 * `time_ns`. They are searched for from the first stack with `in_code` set, which is in code of no
 * file. `is_changed`: answers may differ from before. */
bool wk_jit_stage_advance(struct wk_jit_stage *stage, uint32_t pid, uint64_t time_ns, bool in_code,
			  bool *is_changed, struct wk_err *err);

/* The table for `address` of the process; false if there is none. */
bool wk_jit_stage_find(struct wk_jit_stage *stage, uint32_t pid, uint64_t address,
		       struct wk_unwind_image *image);

bool wk_jit_stage_finish(struct wk_jit_stage *stage, struct wk_err *err);
void wk_jit_stage_free(struct wk_jit_stage *stage);

#endif
