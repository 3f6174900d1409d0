/* Opens the kernel's counters: which attributes, for which threads, and what to do if it refuses.
 *
 * One wk_perf holds everything that is open. Each CPU has a ring, owned by an idle event of wick's
 * own thread that never ends; the events of all targets on that CPU write into it. Each target has,
 * per CPU, one side-band event (mappings, names, starts and ends; a dummy that counts nothing) and
 * one event for each selected name. A thread's clock starts with a whole interval, so that
 * processes shorter than it would have no samples: where rights allow, clocks are those of the
 * CPUs. What the kernel refuses is tried with less, and `notices` lists what was dropped.
 *
 * Order of calls: wk_perf_init, wk_perf_open_rings, wk_perf_open_target for each thread (or once
 * with -1 for all CPUs), wk_perf_enable unless the events wait for an exec, wk_perf_fini. */
#ifndef WK_RECORD_PERF_OPEN_H
#define WK_RECORD_PERF_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "record/family/family.h"
#include "record/layout.h"
#include "record/perf_names.h"
#include "record/ring.h"

struct wk_perf_config {
	const struct wk_perf_event *events; /* copied */
	size_t event_count;
	bool may_use_cpu_clock; /* cycles may be replaced if there is no PMU */
	uint64_t frequency_hz;  /* or, if 0, */
	uint64_t period;
	bool user_only;
	bool has_chain;       /* ask the kernel for call chains */
	bool may_sample_cpus; /* clocks of CPUs instead of threads, if the kernel can filter them */
	uint32_t stack_bytes;
	uint64_t ring_bytes; /* 0: chosen */
};

struct wk_perf_cpu {
	uint32_t cpu;
	int owner; /* the event whose ring it is */
	struct wk_ring ring;
};

struct wk_perf_fd {
	int fd;
	uint32_t source; /* whose samples it has; 0: side-band */
};

struct wk_perf {
	struct wk_perf_event *events;
	size_t event_count;
	struct wk_perf_config config; /* ring_bytes: as large as they could be had */
	uint64_t wanted_ring_bytes;   /* as large as would be best */
	struct wk_layout layout;
	struct wk_perf_cpu *cpus;
	size_t cpu_count;
	struct wk_perf_fd *fds; /* all but the owners */
	size_t fd_count, fd_cap;
	struct wk_map sources;      /* event id to number of its source (1 is the first) */
	struct wk_map with_fields;  /* ids of the events whose samples contain fields, to
				     * enum wk_fields */
	struct wk_buf tracing_data; /* describes these */
	struct wk_buf notices;      /* a sentence a line */
	bool samples_cpus; /* by clocks of CPUs, of which the kernel passes on those of the family
			    */
	bool has_family;
	struct wk_family family;
	bool kernel_refused; /* user code only, for lack of the right */
	bool knows_lost;     /* the kernel counts what each event lost */
	bool has_probes;     /* for all targets: they were opened with the first */
	bool is_settled;     /* an event was opened: no more changes of layout */
};

enum wk_perf_opened {
	WK_OPENED,
	WK_OPEN_GONE,   /* the thread has ended meanwhile */
	WK_OPEN_FAILED, /* err says why */
};

bool wk_perf_init(struct wk_perf *perf, const struct wk_perf_config *config, struct wk_err *err);
bool wk_perf_open_rings(struct wk_perf *perf, struct wk_err *err);

/* `tid` -1: everything that runs, on each CPU. With `on_exec` the samples begin when the
 * target replaces its program; the side-band begins at once. */
enum wk_perf_opened wk_perf_open_target(struct wk_perf *perf, pid_t tid, bool on_exec,
					struct wk_err *err);

/* Closes the events opened after the first `count`, and what children inherited of them. */
void wk_perf_close_after(struct wk_perf *perf, size_t count);

/* Is each event a sample, or each Nth, other than calls that change address spaces? They may come a
 * hundred thousand times a second. */
bool wk_perf_counts_events(const struct wk_perf *perf);

void wk_perf_enable(struct wk_perf *perf);
void wk_perf_disable(struct wk_perf *perf);

/* Once no more samples come: the kernel takes a moment to remove its programs. */
void wk_perf_leave_family(struct wk_perf *perf);

/* What the kernel lost so far, by number of source; [0]: records of other kinds. Zeros if it does
 * not count. `lost` has a number for each of the events, and one more. */
void wk_perf_lost(const struct wk_perf *perf, uint64_t *lost);

/* Its descriptors and rings, not its memory. */
void wk_perf_close(struct wk_perf *perf);

/* Zeroed before wk_perf_init, it may be finished at any time. */
void wk_perf_fini(struct wk_perf *perf);

/* The value of /proc/sys/kernel/perf_event_paranoid, or -2 if it cannot be read. */
int wk_perf_paranoid(void);

#endif
