/* The state of reading a .nettrace file: nettrace.c is the reader, first_pass.c and second_pass.c
 * the two loops over its blocks, the other files are parts of them by subject.
 *
 * The runtime names its methods when a session ends, so the file is read twice. The first pass
 * collects names, threads and counts. The second emits events: those between two sequence points
 * are sorted by time, which is all the order that the format promises. Payloads stay in the
 * mapped input; memory is needed for the names, and for the events and stacks of one such span. */
#ifndef WK_FORMATS_NETTRACE_TRACE_H
#define WK_FORMATS_NETTRACE_TRACE_H

#include "base/buf.h"
#include "event/sink.h"
#include "formats/clr/owners.h"
#include "formats/nettrace/events.h"
#include "formats/nettrace/file.h"
#include "formats/nettrace/head.h"
#include "formats/nettrace/losses.h"
#include "formats/nettrace/methods.h"
#include "formats/nettrace/samples.h"
#include "formats/nettrace/stacks.h"
#include "formats/nettrace/threads.h"
#include "formats/nettrace/types.h"
#include "formats/nettrace/universal.h"

/* An event that waits for its turn. */
struct wk_nettrace_row {
	uint64_t time_ns, thread;
	const uint8_t *payload;
	uint32_t payload_bytes, type, stack, cpu;
};

struct wk_nettrace {
	const struct wk_sink *sink;
	struct wk_err *err;
	struct wk_bytes bytes; /* all of the input */
	struct wk_nettrace_head head;
	bool is_v6;
	struct wk_nettrace_types types;
	struct wk_nettrace_threads threads;
	struct wk_nettrace_stacks stacks;
	struct wk_nettrace_methods methods;
	struct wk_clr_owners owners;
	struct wk_nettrace_losses losses;
	struct wk_nettrace_samples samples;
	struct wk_nettrace_universal universal;
	struct wk_buf command, system, machine; /* of the process, as it says itself */

	struct wk_nettrace_row *rows; /* of the span */
	size_t row_count, row_cap;

	uint64_t bad_blocks, unknown_types, short_payloads, unknown_stacks;
};

/* The process of an event, and the system's number of its thread. */
struct wk_nettrace_who {
	uint32_t pid, tid;
};

static inline bool wk_nettrace_emit(const struct wk_nettrace *trace, const struct wk_event *event)
{
	return wk_sink_emit(trace->sink, event, trace->err);
}

/* `thread` is a number of an event. */
struct wk_nettrace_who wk_nettrace_who(const struct wk_nettrace *trace, uint64_t thread);

/* A block that both passes need alike: metadata, threads, stacks. */
void wk_nettrace_take_block(struct wk_nettrace *trace, const struct wk_nettrace_block *block);

/* A sequence point: stacks end, and perhaps numbers of threads and types. `losses` may be NULL. */
void wk_nettrace_pass_point(struct wk_nettrace *trace, struct wk_bytes block,
			    struct wk_nettrace_losses *losses);

/* Do events of the type become samples of a source of their own? Once the first pass is done. */
bool wk_nettrace_has_source(const struct wk_nettrace_type *type);
bool wk_nettrace_is_used(const struct wk_nettrace_type *type);
bool wk_nettrace_emit_sources(const struct wk_nettrace *trace);

/* `file` is behind the head, or at the start. Each pass goes to the end. */
void wk_nettrace_first_pass(struct wk_nettrace *trace, struct wk_nettrace_file *file);
bool wk_nettrace_second_pass(struct wk_nettrace *trace, struct wk_nettrace_file *file);

#endif
