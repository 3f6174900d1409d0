/* The samples of .NET's sample profiler.
 *
 * About once in a millisecond it stops the process and takes the stacks of all threads, whether
 * they run or not: a round. Each sample of a round stands for the time since the round before.
 * A sample says whether its thread was in managed code or "external", in native code or waiting.
 * Some versions of the runtime always say external; if a recording marks hardly any sample as
 * managed, that word is not used.
 *
 * All samples are one source. A thread that waits, by the name of its innermost method, is not in
 * the other source, the one that views show; nor is one without any managed code. */
#ifndef WK_FORMATS_NETTRACE_SAMPLES_H
#define WK_FORMATS_NETTRACE_SAMPLES_H

#include "base/map.h"
#include "event/sink.h"
#include "formats/nettrace/methods.h"
#include "formats/nettrace/stacks.h"

enum { WK_NETTRACE_RUNNING, WK_NETTRACE_ALL, WK_NETTRACE_OTHER_SOURCES };

struct wk_nettrace_round {
	uint64_t time_ns, before_ns; /* of the round and the one before; 0: none */
	uint32_t number;
};

struct wk_nettrace_leaf_row {
	uint64_t address, managed, external;
};

struct wk_nettrace_samples {
	/* The first pass. */
	struct wk_map leaf_of; /* address: row + 1 */
	struct wk_nettrace_leaf_row *leaves;
	size_t leaf_count, leaf_cap;
	uint64_t count;
	bool marks_managed; /* the word is used */

	/* The second. */
	struct wk_map round_of; /* pid + 1: row + 1 */
	struct wk_nettrace_round *rounds;
	size_t round_count, round_cap;
	struct wk_map last_round; /* pid and tid, hashed: number of the round */
};

void wk_nettrace_samples_fini(struct wk_nettrace_samples *samples);

/* A sample of the first pass; false if the payload is short. */
bool wk_nettrace_samples_scan(struct wk_nettrace_samples *samples, uint64_t leaf,
			      struct wk_bytes payload);
void wk_nettrace_samples_settle(struct wk_nettrace_samples *samples,
				const struct wk_nettrace_methods *methods);

bool wk_nettrace_samples_emit_sources(const struct wk_nettrace_samples *samples,
				      const struct wk_sink *sink, struct wk_err *err);

/* The second pass: `event` has the time and the thread, and its chains are those of `chain`. */
bool wk_nettrace_samples_emit(struct wk_nettrace_samples *samples,
			      const struct wk_nettrace_methods *methods,
			      struct wk_nettrace_chain *chain, struct wk_event *event,
			      struct wk_bytes payload, uint64_t interval_ns,
			      const struct wk_sink *sink, struct wk_err *err);

#endif
