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
 * A file that is there and cannot be the process' own is told in a note and not used.
 * Order of calls: new, feed its sink, finish, free. */
#ifndef WK_MODEL_RUNTIME_STAGE_H
#define WK_MODEL_RUNTIME_STAGE_H

#include "event/sink.h"

struct wk_runtime_stage;

struct wk_runtime_stage *wk_runtime_stage_new(struct wk_sink next);
struct wk_sink wk_runtime_stage_sink(struct wk_runtime_stage *stage);

/* The processes live while the events come: for recorders. */
void wk_runtime_stage_set_live(struct wk_runtime_stage *stage);

bool wk_runtime_stage_finish(struct wk_runtime_stage *stage, struct wk_err *err);
void wk_runtime_stage_free(struct wk_runtime_stage *stage);

#endif
