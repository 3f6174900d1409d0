/* Stacks of readers, summed and written as folded lines in the order of their text.
 *
 * A sink without a model: a sample costs one addition. Stacks of one text are one line. Order of
 * calls: _init, reading into _sink, _write, _fini. Notes are passed on at once. */
#ifndef WK_SESSION_FOLD_TALLY_H
#define WK_SESSION_FOLD_TALLY_H

#include "base/map.h"
#include "base/out.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "event/sink.h"

struct wk_tally {
	bool collapses_recursion; /* direct recursion is one frame */
	uint64_t per_count;       /* weights are divided by this, and lines of 0 left out; 0: 1 */
	void (*note)(void *context, struct wk_str text); /* NULL: notes are dropped */
	void *context;

	struct wk_strtab *names;
	struct wk_trie stacks; /* of names: labels are ids in `names` */
	uint32_t *name_of;     /* by the reader's number of a frame */
	uint32_t *stack_of;    /* by the reader's number of a stack: an id in `stacks` */
	size_t name_cap, stack_cap;
	uint64_t *weight; /* by id in `stacks` */
	uint8_t *is_met;  /* ... whether it has samples */
	size_t weight_cap, met_cap;
};

void wk_tally_init(struct wk_tally *tally);
void wk_tally_fini(struct wk_tally *tally);

struct wk_sink wk_tally_sink(struct wk_tally *tally);

void wk_tally_write(const struct wk_tally *tally, struct wk_out *out);

#endif
