/* Cuts or reverses stacks between a reader and the model, as flamegraph tools do.
 *
 * A sink with another behind it: with `base` names, stacks begin at the innermost frame that
 * has one of them, and those without are dropped; with `reverses`, the innermost frame comes
 * first. Notes go to `note`. Order of calls: set the fields, wk_restack_begin, read into
 * wk_restack_sink, wk_restack_end. */
#ifndef WK_SESSION_FOLD_RESTACK_H
#define WK_SESSION_FOLD_RESTACK_H

#include "event/sink.h"
#include "formats/stack_writer.h"

struct wk_restack {
	const char *const *base; /* NULL-terminated; NULL: whole stacks */
	bool reverses;
	void (*note)(void *context, struct wk_str text);
	void *context;

	struct wk_sink next;
	struct wk_stack_writer *writer; /* NULL: stacks are passed on unchanged */
	uint32_t *frame_of;             /* by the reader's number of a frame: the writer's */
	uint8_t *is_base;               /* ... */
	uint32_t *parent, *frame;       /* by the reader's number of a stack */
	uint32_t *stack_of; /* ... and the writer's number of the new stack; 0: dropped */
	uint8_t *is_turned; /* ... whether stack_of is of the reversed stack */
	size_t frame_cap, base_cap, parent_cap, stack_frame_cap, stack_cap, turned_cap;
	uint64_t lost; /* samples with the base in their innermost frame only */
};

void wk_restack_begin(struct wk_restack *restack, const struct wk_sink *next);
struct wk_sink wk_restack_sink(struct wk_restack *restack);

/* Frees all; false, with the reason, if the sink behind failed or `err` holds an error. */
bool wk_restack_end(struct wk_restack *restack, struct wk_err *err);

#endif
