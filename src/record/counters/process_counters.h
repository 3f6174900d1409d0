/* What the system counts for the memory of recorded processes, read again and again while they run.
 *
 * /proc/PID/status costs some microseconds, and its peak (VmHWM) also covers the time since it was
 * read last. smaps_rollup walks all pages of a process, so it is read rarely. The more all this
 * costs, the rarer it is done: it takes about a hundredth of one CPU at most. */
#ifndef WK_RECORD_COUNTERS_PROCESS_COUNTERS_H
#define WK_RECORD_COUNTERS_PROCESS_COUNTERS_H

#include "base/map.h"
#include "event/sink.h"

struct wk_process_counters;

struct wk_process_counters *wk_process_counters_new(void);
void wk_process_counters_free(struct wk_process_counters *counters);

/* If it is time to: emits a PROCESS event with `use` for each process in `alive` (pid + 1 to
 * anything but 0), and for `command` if that is not 0, whose counters have changed. False if the
 * sink failed. */
bool wk_process_counters_poll(struct wk_process_counters *counters, const struct wk_map *alive,
			      uint32_t command, const struct wk_sink *sink, struct wk_err *err);

/* How long it is until it is time to. */
uint64_t wk_process_counters_pause_ns(const struct wk_process_counters *counters);

/* How many events were emitted. */
uint64_t wk_process_counters_count(const struct wk_process_counters *counters);

#endif
