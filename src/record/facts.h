/* Facts about the machine and the recording, as SYSTEM events, and the kernel's own images.
 *
 * Keys: "host name", "kernel" (release), "machine" (as in uname), "cpu" (model), "cpus" (online),
 * "memory" (bytes), "command line" (of this program), "event" (one for each, with its rate),
 * "recorded" (the target: "./app input.txt", "process 12 (app)", "the whole system"), "call graph",
 * "perf_event_paranoid", "clock", "largest process" (bytes that the command or one of its children
 * had in memory), and "clock pair": the recording's clock and the time since
 * 1970-01-01 UTC at one moment, both in ns. */
#ifndef WK_RECORD_FACTS_H
#define WK_RECORD_FACTS_H

#include <stdbool.h>

#include "event/sink.h"
#include "record/launch.h"
#include "record/perf_open.h"
#include "record/recorder.h"

bool wk_facts_emit(const struct wk_perf *perf, const struct wk_recorder_options *options,
		   const struct wk_sink *sink, struct wk_err *err);

/* What is known when the command has ended. */
bool wk_facts_emit_end(const struct wk_launch *launch, uint64_t time_ns, const struct wk_sink *sink,
		       struct wk_err *err);

/* Does the kernel keep the addresses of its functions from us? */
bool wk_facts_kernel_is_hidden(void);

/* IMAGE events of the kernel and of its modules, with pid WK_KERNEL_PID. If addresses are hidden
 * from this user, one image covers the upper half of all addresses. */
bool wk_facts_emit_kernel(const struct wk_sink *sink, struct wk_err *err);

/* One line of /proc/modules: name size users dependants state address. */
bool wk_facts_module_line(struct wk_str line, struct wk_str *name, uint64_t *start,
			  uint64_t *size_bytes);

#endif
