/* A live system to events: CPU (and other) samples by perf_event_open.
 *
 * The recorder opens the counters, drains the kernel's rings, puts records in order of
 * time, and hands events to a sink: samples of user code carry registers and a copy of the
 * stack (wk_event_stack), which a sink above turns into call chains while recording.
 *
 * Order of calls: wk_recorder_new (opens everything and, for a command, forks it but does
 * not let it run), wk_recorder_run (until the end), wk_recorder_free. Needs no other program. */
#ifndef WK_RECORD_RECORDER_H
#define WK_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/sink.h"
#include "channel/patch.h"
#include "event/stack_end.h"
#include "record/heap/probes.h"

/* The name of an event that never happens. */
#define WK_DUMMY_EVENT "dummy"

/* What is loaded into a program whose heap is recorded. */
#define WK_HEAP_LIBRARY_NAME "libwick-heap.so"

#define WK_MOST_STACK_BYTES 65528 /* the kernel's limit */

enum wk_call_graph {
	WK_CALL_GRAPH_AUTO,          /* dwarf */
	WK_CALL_GRAPH_DWARF,         /* registers and stack copies, to be unwound by tables */
	WK_CALL_GRAPH_FRAME_POINTER, /* the kernel's own walk */
	WK_CALL_GRAPH_NONE,
};

struct wk_recorder_options {
	size_t size;          /* sizeof(struct wk_recorder_options) */
	char *const *command; /* argv to run, NULL-terminated, or NULL */
	const pid_t *pids;    /* processes to attach to */
	size_t pid_count;
	bool all_cpus;             /* the whole system */
	uint64_t frequency_hz;     /* 0: 997 */
	uint64_t period;           /* instead of a frequency: a sample after this many events */
	const char *const *events; /* perf's names; none: cycles, or cpu-clock without a PMU */
	size_t event_count;
	enum wk_call_graph call_graph;
	uint32_t stack_bytes;       /* most of each stack to copy; 0: as much as the kernel does, or
				     * less if the rings must be small */
	uint64_t duration_ns;       /* 0: until the command ends or stop is called */
	uint64_t ring_bytes;        /* a CPU; 0: chosen */
	bool user_only;             /* do not sample kernel code */
	const char *folder;         /* the command's working folder; NULL: the current one */
	bool records_heap;          /* allocations, by the heap library; not with all_cpus */
	uint64_t heap_sample_bytes; /* only some blocks, at this mean distance in bytes; 0: all */
	uint64_t heap_seed;         /* of their choice; 0: any */
	bool drops_heap_events;     /* that come too fast, instead of making the command wait */
	bool spills_heap_events;    /* to memory, for the same reason */
	uint64_t snapshot_every_ns; /* of the heaps; 0: only those that are requested */
	bool snapshots_at_exit;     /* of each process, as the next two */
	bool snapshots_at_peak;
	uint64_t snapshot_over_bytes; /* when it first has more, and at each doubling; 0: not */
	bool command_to_stderr;       /* its standard output goes there: wick's own is in use */
	bool records_memory;          /* calls that map, unmap or protect memory */

	/* Functions of allocators, recorded by uprobes in addition to what the heap library
	 * records; if they may be missing, a notice says that they cannot be recorded. */
	const struct wk_heap_probe *heap_probes;
	size_t heap_probe_count;
	bool needs_heap_probes;
	const char *why_heap_probes; /* the heap library cannot record them; or NULL */

	/* Functions that the heap library patches in the programs that it is loaded into. */
	const struct wk_channel_patch *heap_patches;
	const char *const *heap_patched; /* of each, its file */
	size_t heap_patch_count;

	/* Called for each sample whose copy of the stack is full, long before it comes to the sink
	 * in order of time, by another thread; or NULL. */
	void (*on_full_stack)(void *context, uint32_t pid, uint32_t tid,
			      const struct wk_event_stack *stack);

	/* Where the thread's stack ends: a copy that shows the same outermost return address is not
	 * kept beyond. False: it is not known. Called as the other; or NULL. */
	bool (*find_stack_end)(void *context, uint32_t tid, struct wk_stack_end *end);
	void *stack_context; /* of both */
};

struct wk_recorder_status {
	uint64_t samples, lost_samples, lost_records;
	uint64_t elapsed_ns;
	bool command_running;
};

struct wk_recorder_result {
	uint64_t samples, lost_samples, lost_records, throttled;
	uint64_t elapsed_ns;
	uint64_t end_ns; /* recorder's clock when the command ended or recording stopped */
	bool has_command;
	bool command_began;   /* false if it could not be run, or was not started */
	bool command_running; /* recording ended before it did; it is still a child */
	pid_t command_pid;
	int wait_status;     /* of the command once it has ended, as waitpid gives it */
	bool user_only;      /* kernel code was not sampled, by request or for lack of rights */
	bool samples_cpus;   /* also processes shorter than the interval between samples */
	uint64_t privileged; /* programs with more rights than the recorder: not sampled */
	uint64_t cpu_ns;     /* CPU time of an ended command and of what it waited for, as far as
			      * such code was to be sampled */
	uint64_t sampled_ns; /* CPU time that the samples stand for; UINT64_MAX if they are not of
			      * a clock */
	uint32_t heap_processes;               /* whose allocations were recorded */
	uint64_t heap_bytes;                   /* of their events */
	uint64_t heap_patched, heap_unpatched; /* functions, over all processes */
	bool probes_heap;                      /* functions of allocators are recorded by uprobes */
	bool counts_cpu_time;                  /* the first event is a clock or cycles */
	uint64_t counters;                     /* of processes: how often they were recorded */
	bool records_calls; /* that change address spaces: else page faults, if requested */
	bool hooks_calls;   /* by the heap library */
};

struct wk_recorder;

/* NULL on failure, with a sentence that names the setting and the command that changes it. For a
 * command that cannot be run: code WK_ENOCOMMAND or WK_ENOTRUNNABLE, and nothing was recorded.
 * Faults found only by the exec itself (such as a damaged binary) are returned in the same way by
 * wk_recorder_run. */
struct wk_recorder *wk_recorder_new(const struct wk_recorder_options *options, struct wk_err *err);

/* What was not possible and what was done instead ("kernel code is not sampled: ..."), one sentence
 * a line; empty if everything is as requested. Known after wk_recorder_new. */
const char *wk_recorder_notices(const struct wk_recorder *recorder);

/* Are memory calls recorded by the heap library, not by tracepoints? Known then as well. */
bool wk_recorder_hooks_calls(const struct wk_recorder *recorder);

/* Lets the command run and emits events to `sink` until the end. `progress` (may be NULL) is called
 * about four times a second. False if the sink failed or recording broke; earlier events are in the
 * sink, and the command is unharmed: it runs to its end. */
bool wk_recorder_run(struct wk_recorder *recorder, const struct wk_sink *sink,
		     void (*progress)(void *context, const struct wk_recorder_status *status),
		     void *context, struct wk_recorder_result *result, struct wk_err *err);

/* Ends wk_recorder_run soon; may be called from a signal handler. A command, which a Ctrl-C
 * reaches as well, gets three seconds to end by itself first; a second call ends at once. */
void wk_recorder_stop(struct wk_recorder *recorder);

/* Sends a signal that was meant for the two of them on to the command, if it runs; may be
 * called from a signal handler. */
void wk_recorder_signal(struct wk_recorder *recorder, int signal_number);

/* The command, if it was let run and has not been waited for; otherwise 0. */
pid_t wk_recorder_command(const struct wk_recorder *recorder);

/* A command that still runs is left alone. */
void wk_recorder_free(struct wk_recorder *recorder);

#endif
