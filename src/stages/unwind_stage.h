/* A sink between a recorder (or a reader) and the next sink: turns stack copies into chains.
 *
 * It follows what every process has mapped, opens each image when it is first mapped (a
 * file may be gone a moment later), unwinds each sample that carries a stack copy, and hands
 * it on with a plain call chain. All else passes through as it came.
 *
 * It also remembers which addresses were seen in images that a later reader may not find:
 * the kernel, the vDSO, deleted files, files of other mount namespaces. wk_unwind_stage_finish
 * sends their names on as SYMBOL events.
 *
 * Order of calls: new, feed its sink, finish, free. The wk_symbols stays the caller's and is
 * used by the stage alone between new and finish. */
#ifndef WK_STAGES_UNWIND_STAGE_H
#define WK_STAGES_UNWIND_STAGE_H

#include "event/sink.h"
#include "event/stack_end.h"
#include "stages/embed.h"
#include "symbols/image/symbols.h"

struct wk_unwind_stage;
struct wk_jit_stage;

struct wk_unwind_options {
	/* JIT code is unwound by its tables. It must be after this stage and outlive it; or NULL.
	 */
	struct wk_jit_stage *jit;
	/* The processes are alive while the samples arrive: if a stack is deeper than its copy, the
	 * rest is read from the process itself. For recorders. */
	bool is_live;
	/* Emits the names of everything sampled at the end, not only those that a later reader may
	 * not find: for recordings that are moved to another machine. */
	bool embeds_names;
	/* Samples whose stacks lead through a missing file keep their copy: it can be unwound where
	 * the file is. By default it is dropped, and such a chain ends early. */
	bool keeps_stacks;
};

struct wk_unwind_stage *wk_unwind_stage_new(struct wk_symbols *symbols, struct wk_sink next,
					    struct wk_unwind_options options);
struct wk_sink wk_unwind_stage_sink(struct wk_unwind_stage *stage);
bool wk_unwind_stage_finish(struct wk_unwind_stage *stage, struct wk_err *err);
void wk_unwind_stage_free(struct wk_unwind_stage *stage);

/* A sample that will come to the sink later has a stack deeper than its copy: reads the rest while
 * the process is there. For recorders; may be called by another thread between new and free. */
void wk_unwind_stage_full_stack(struct wk_unwind_stage *stage, uint32_t pid, uint32_t tid,
				const struct wk_event_stack *stack);

/* Where the thread's stack ends: copies for the sink need no more. False if it is not known. As
 * above. */
bool wk_unwind_stage_stack_end(const struct wk_unwind_stage *stage, uint32_t tid,
			       struct wk_stack_end *end);

/* What became of the stacks so far. */
struct wk_unwind_counts {
	uint64_t whole, cut, broken; /* reached a root; copy too small; no rule */
	uint64_t frames;
	uint64_t kept;              /* copies handed on, since a file is not here: they are none of
				     * the above */
	const char *missing_reason; /* which file, of the first of them; or NULL */
};
struct wk_unwind_counts wk_unwind_stage_counts(const struct wk_unwind_stage *stage);

/* How many of the sampled addresses have names after wk_unwind_stage_finish. */
struct wk_embed_counts wk_unwind_stage_names(const struct wk_unwind_stage *stage);

#endif
