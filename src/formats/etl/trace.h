/* The state of reading a Windows trace, shared by the two passes and their handlers: etl.c is the
 * reader, hooks.c the table of events and their handlers, first_pass.c and second_pass.c the two
 * loops, samples.c, threads.c and memory.c the handlers by subject, process.c the names of
 * processes, config/ the machine.
 *
 * A trace lists what existed all the time only at its end, and stacks and names follow what they
 * belong to. So the records are read twice. The first pass collects processes, threads and images
 * that already existed, methods, stacks and the map of volumes; the second emits those as existing
 * from the start, and then changes and samples in order of time. Buffers without records for the
 * second pass are not read again. */
#ifndef WK_FORMATS_ETL_TRACE_H
#define WK_FORMATS_ETL_TRACE_H

#include "base/arena.h"
#include "base/map.h"
#include "event/sink.h"
#include "formats/etl/config/config.h"
#include "formats/etl/counts.h"
#include "formats/etl/file/file.h"
#include "formats/etl/hooks.h"
#include "formats/etl/ids.h"
#include "formats/etl/kinds.h"
#include "formats/etl/paths.h"
#include "formats/etl/methods.h"
#include "formats/etl/modules.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/schema/descriptions.h"
#include "formats/etl/stacks.h"
#include "formats/etl/sums.h"
#include "formats/etl/user.h"

/* What existed before the first change of it in the trace. Texts are the trace's. */
struct wk_etl_seen_process {
	uint32_t pid;
	struct wk_event_process event;
};

struct wk_etl_seen_thread {
	uint32_t pid, tid;
	uint32_t service_tag; /* of its service; 0: none */
	struct wk_str name;
};

struct wk_etl_seen_image {
	uint32_t pid;
	uint64_t base, size_bytes;
	struct wk_str path;
	uint32_t time_stamp; /* 0 in most rundowns: see ids.h */
	uint64_t time;       /* of the record, in ticks */
};

/* The sampling intervals of a source, which records may change over time. */
struct wk_etl_intervals {
	struct wk_etl_since {
		uint64_t time, interval; /* ticks, and the units of the source */
	} * at;
	size_t count, cap;
	size_t now; /* the row of the last lookup */
};

/* A counter of the processor, by its number in Windows. */
struct wk_etl_counter {
	uint32_t source;
	struct wk_etl_intervals intervals; /* number of events that a sample represents */
	struct wk_str name;
	bool has_samples;
};

struct wk_etl_trace {
	struct wk_etl_file *file;
	const struct wk_sink *sink;
	struct wk_err *err;
	struct wk_arena texts;
	struct wk_etl_hooks hooks;
	struct wk_etl_record record;    /* the one that a pass is at: the input of its handler */
	const struct wk_etl_hook *hook; /* its row in the table of events */
	enum wk_etl_provider provider;  /* in the first pass */

	struct wk_etl_paths paths;
	struct wk_etl_stacks *stacks;
	struct wk_etl_kinds *kinds; /* of events of programs and drivers */
	struct wk_etl_schemas *schemas;
	struct wk_etl_user *user;      /* those with stacks */
	struct wk_etl_methods methods; /* JIT code */
	struct wk_etl_modules modules;
	struct wk_etl_ids *ids;  /* of images */
	uint64_t heap_snapshots; /* of programs, whose content is not read */
	bool in_full;            /* every event of a program is emitted, as text */
	bool sums_other_sources; /* samples of other sources than the timer are summed */

	struct wk_map met_processes, met_threads; /* pid + 1, tid + 1: those that had a record */
	struct wk_map met_images;                 /* pid and base, hashed */
	struct wk_etl_seen_process *processes;
	size_t process_count, process_cap;
	struct wk_etl_seen_thread *threads;
	size_t thread_count, thread_cap;
	struct wk_etl_seen_image *images;
	size_t image_count, image_cap;

	struct wk_etl_counts counts;
	uint32_t sources_seen;    /* bits, by enum wk_etl_source */
	struct wk_event_sum idle; /* all samples of idle processors, in ticks */
	uint64_t idle_unweighted; /* those of them before the first interval */
	struct wk_map counter_of; /* by its number in Windows: row + 1 */
	struct wk_etl_counter *counters;
	size_t counter_count, counter_cap;
	uint32_t *running; /* tid by processor, at this point of the second pass */

	struct wk_map pid_of;              /* of a thread, + 1; likewise */
	struct wk_map guess_of;            /* the same by records that name both */
	struct wk_etl_intervals intervals; /* of the timer, in 100 ns */
	uint64_t unknown_keys;             /* stacks without a definition */
	uint64_t short_payloads;
	uint64_t packed_switches; /* records of switches that cannot be decoded */
	struct wk_etl_config config;

	struct wk_map program_of; /* pid + 1: row + 1 of programs */
	struct wk_str *programs;  /* the file name of the first .exe of each */
	size_t program_count, program_cap;
};

/* Kernel modules belong to all processes, whichever a record names. */
static inline uint32_t wk_etl_owner_of(uint64_t base, unsigned pointer_bytes, uint32_t pid)
{
	return base >> (pointer_bytes * 8 - 1) ? WK_KERNEL_PID : pid;
}

static inline bool wk_etl_emit_event(const struct wk_etl_trace *trace, const struct wk_event *event)
{
	return wk_sink_emit(trace->sink, event, trace->err);
}

/* Counts a payload that is too short. True, as reading continues. */
static inline bool wk_etl_skip_short(struct wk_etl_trace *trace)
{
	trace->short_payloads++;
	return true;
}

static inline struct wk_etl_form wk_etl_form(const struct wk_etl_trace *trace)
{
	return (struct wk_etl_form){ (uint8_t)trace->record.version, trace->record.pointer_bytes };
}

/* An event at the time and on the processor of the record. */
static inline struct wk_event wk_etl_event(const struct wk_etl_trace *trace,
					   enum wk_event_kind kind)
{
	return (struct wk_event){ .kind = kind, .cpu = trace->record.cpu,
				  .time_ns = wk_etl_ns(trace->file, trace->record.time) };
}

/* A path as programs write it, in the trace's arena. */
struct wk_str wk_etl_copy_path(struct wk_etl_trace *trace, struct wk_bytes utf16);

/* ---- process.c */

/* The content of a process record but for the change and the services; texts are the trace's. */
struct wk_event_process wk_etl_process_event(struct wk_etl_trace *trace,
					     const struct wk_etl_process *process);

/* Adds the program of a process by the path of an image, if it is an .exe: names in process
 * records may be cut. The second returns the whole name, or `name`. */
void wk_etl_add_program(struct wk_etl_trace *trace, uint32_t pid, struct wk_bytes path);
struct wk_str wk_etl_whole_name(const struct wk_etl_trace *trace, uint32_t pid, struct wk_str name,
				struct wk_str command_line);

/* ---- threads.c: the thread of an event */

/* WK_UNKNOWN_PID if it is unknown. */
uint32_t wk_etl_pid_of_thread(const struct wk_etl_trace *trace, uint32_t tid);

/* For an event whose thread is known: sets thread and process, and the stack of `sample`. */
void wk_etl_set_thread(struct wk_etl_trace *trace, uint32_t tid, struct wk_event *event,
		       struct wk_event_sample *sample);

/* The same for an event whose payload does not name its thread: by the header, by the thread that
 * runs on the processor, or by the stack. False if none of them is known. */
bool wk_etl_find_thread(struct wk_etl_trace *trace, struct wk_event *event,
			struct wk_event_sample *sample);

/* The thread that an interrupt stopped, if it is known. */
void wk_etl_set_running(struct wk_etl_trace *trace, struct wk_event *event);

/* ---- samples.c */

/* Are samples of other sources than the timer only summed? Known in the first pass from the first
 * sample of the timer on. wk_etl_sum_idle adds the samples that the second pass leaves out then. */
bool wk_etl_sums_others(const struct wk_etl_trace *trace);
void wk_etl_sum_idle(struct wk_etl_trace *trace, struct wk_etl_sums *sums);
bool wk_etl_emit_sources(struct wk_etl_trace *trace);

/* ---- the passes */

void wk_etl_first_pass(struct wk_etl_trace *trace);
bool wk_etl_second_pass(struct wk_etl_trace *trace);

/* ---- handlers of the table in hooks.c */

wk_etl_fits wk_etl_process_fits, wk_etl_image_fits;

/* first_pass.c */
wk_etl_scan wk_etl_scan_header, wk_etl_scan_process, wk_etl_scan_thread, wk_etl_scan_image,
	wk_etl_scan_image_id, wk_etl_scan_debug_id, wk_etl_scan_volume, wk_etl_scan_stack,
	wk_etl_scan_stack_definition, wk_etl_scan_packed_switch, wk_etl_scan_heap_snapshot;

/* second_pass.c */
wk_etl_emit wk_etl_emit_process, wk_etl_emit_thread, wk_etl_emit_thread_name, wk_etl_emit_image,
	wk_etl_emit_mark;

/* samples.c */
wk_etl_scan wk_etl_scan_sample, wk_etl_scan_samples, wk_etl_scan_counted, wk_etl_scan_interval;
wk_etl_emit wk_etl_emit_sample, wk_etl_emit_samples, wk_etl_emit_counted, wk_etl_emit_fault,
	wk_etl_emit_hard_fault, wk_etl_emit_interrupt;

/* threads.c, memory.c */
wk_etl_emit wk_etl_emit_switch, wk_etl_emit_ready, wk_etl_emit_use, wk_etl_emit_virtual,
	wk_etl_emit_heap;

/* methods.c, modules.c, user.c */
wk_etl_scan wk_etl_scan_method, wk_etl_scan_script_source, wk_etl_scan_module;
wk_etl_emit wk_etl_emit_method, wk_etl_emit_perfview_mark;

#endif
