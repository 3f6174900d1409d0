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

struct wk_restack_frame;
struct wk_restack_stack;

struct wk_restack {
	const char *const *base; /* NULL-terminated; NULL: whole stacks */
	bool reverses;
	void (*note)(void *context, struct wk_str text);
	void *context;

	struct wk_sink next;
	struct wk_stack_writer *writer;  /* NULL: stacks are passed on unchanged */
	struct wk_restack_frame *frames; /* by the reader's number */
	struct wk_restack_stack *stacks; /* likewise */
	size_t frames_cap, stacks_cap;
	uint64_t lost; /* samples with the base in their innermost frame only */
};

void wk_restack_begin(struct wk_restack *restack, const struct wk_sink *next);
struct wk_sink wk_restack_sink(struct wk_restack *restack);

/* Frees all; false, with the reason, if the sink behind failed or `err` holds an error. */
bool wk_restack_end(struct wk_restack *restack, struct wk_err *err);

#endif
