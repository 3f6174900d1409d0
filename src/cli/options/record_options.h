/* The options for what to record and how, shared by every command that records.
 *
 * A command lists wk_record_group among its options with a wk_record_args as their values, and
 * makes the plan from it: the recorder's options, and the memory they point into. */
#ifndef WK_CLI_OPTIONS_RECORD_OPTIONS_H
#define WK_CLI_OPTIONS_RECORD_OPTIONS_H

#include <string.h>

#include "base/arena.h"
#include "cli/options/options.h"
#include "session/record.h"

struct wk_record_args {
	bool all_cpus, user_only;
	uint64_t frequency, period;
	struct wk_text_list events, pids;
	uint64_t duration_ns;
	const char *call_graph;
	uint64_t stack_bytes, ring_bytes;
	bool embeds_symbols, no_embed;
	bool heap, memory, cpu;
	const char *heap_full, *heap_symbols;
	uint64_t heap_sample, heap_seed;
	uint64_t snapshot_every_ns, snapshot_over;
	bool snapshot_at_exit, snapshot_at_peak;
};

extern const struct wk_opt_group wk_record_group;

/* Its last options, which do not choose what is recorded. */
extern const struct wk_opt_group wk_sampling_group;

struct wk_record_plan {
	struct wk_recorder_options options;
	pid_t *pids;
	struct wk_text_list events;
	struct wk_arena texts;
	const char *heap_symbols;
	bool embeds_symbols; /* for the writer of the recording */
};

/* `command` follows "--"; or NULL. Fails if nothing would be recorded, if two options contradict
 * each other, and for impossible values. */
bool wk_record_plan_init(struct wk_record_plan *plan, const struct wk_record_args *args,
			 char *const *command, struct wk_err *err);
/* `-e list` where it is not supported, which is an error. */
static inline bool wk_record_args_want_list(const struct wk_record_args *args, struct wk_err *err)
{
	for (size_t i = 0; i < args->events.count; i++)
		if (strcmp(args->events.at[i], "list") == 0)
			return !wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					"\"-e list\" only lists events: wick record -e list");
	return false;
}

void wk_record_plan_fini(struct wk_record_plan *plan);

#endif
