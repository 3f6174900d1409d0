/* Between the files that make events of a Windows trace: etl.c (the reader), etl_record_kind.c
 * (which kernel event a record is), etl_process.c (what a process is told as), etl_config.h (the
 * machine), etl_scan.c (the first pass), etl_tell.c and its neighbours (the second).
 *
 * What was there all the time is told only when a trace ends, and stacks and names come after what
 * they belong to. So the records are gone through twice: the first pass keeps what already ran
 * and was mapped, methods, stacks and what the map of volumes says; the second tells those as
 * having been there before, and then all changes and samples in order of time. Buffers in which
 * the first pass met nothing that the second tells are not read again. */
#ifndef WK_FORMATS_ETL_TRACE_H
#define WK_FORMATS_ETL_TRACE_H

#include "base/arena.h"
#include "base/map.h"
#include "event/sink.h"
#include "formats/etl/config/config.h"
#include "formats/etl/counts.h"
#include "formats/etl/file/file.h"
#include "formats/etl/file/intervals.h"
#include "formats/etl/ids.h"
#include "formats/etl/paths.h"
#include "formats/etl/payload/methods.h"
#include "formats/etl/payload/modules.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/payload/user.h"
#include "formats/etl/schema/schema.h"
#include "formats/etl/snapshots.h"
#include "formats/etl/stacks.h"
#include "formats/etl/sums.h"

/* Kernel events by their hooks: group in the high byte, opcode in the low. */
enum wk_etl_hook {
	WK_ETL_KERNEL_MASKS_ON = 0x0005,
	WK_ETL_KERNEL_MASKS_END = 0x0020,
	WK_ETL_TRANSITION_FAULT = 0x020a,
	WK_ETL_DEMAND_ZERO_FAULT = 0x020b,
	WK_ETL_COPY_ON_WRITE_FAULT = 0x020c,
	WK_ETL_GUARD_PAGE_FAULT = 0x020d,
	WK_ETL_HARD_PAGE_FAULT = 0x020e,
	WK_ETL_ACCESS_VIOLATION = 0x020f,
	WK_ETL_HARD_FAULT = 0x0220, /* what was read for one */
	WK_ETL_VIRTUAL_ALLOC = 0x0262,
	WK_ETL_VIRTUAL_FREE = 0x0263,
	WK_ETL_VIRTUAL_BEFORE = 0x0280, /* there when the trace began */
	WK_ETL_VIRTUAL_BEHIND = 0x0281, /* there when the trace ended */
	WK_ETL_PROCESS_START = 0x0301,
	WK_ETL_PROCESS_END = 0x0302,
	WK_ETL_PROCESS_BEFORE = 0x0303,     /* it ran when the trace began */
	WK_ETL_PROCESS_BEHIND = 0x0304,     /* it ran when the trace ended */
	WK_ETL_PROCESS_LOADS = 0x030a,      /* an image */
	WK_ETL_PROCESS_USE = 0x0320,        /* its counters when it ended */
	WK_ETL_PROCESS_USE_BEHIND = 0x0321, /* and when the trace did */
	WK_ETL_THREAD_START = 0x0501,
	WK_ETL_THREAD_END = 0x0502,
	WK_ETL_THREAD_BEFORE = 0x0503,
	WK_ETL_THREAD_BEHIND = 0x0504,
	WK_ETL_SWITCH = 0x0524,
	WK_ETL_COMPACT_SWITCH = 0x0525, /* several, packed in a way that nobody tells */
	WK_ETL_READY = 0x0532,
	WK_ETL_THREAD_NAME = 0x0548,
	WK_ETL_CPU = 0x0b0a,
	WK_ETL_CPU_NAME = 0x0b23,
	WK_ETL_MARK = 0x0f22,
	WK_ETL_MARK_LATER = 0x0f24, /* the same, of one that does not wait for it */
	WK_ETL_SAMPLE = 0x0f2e,
	WK_ETL_COUNTED = 0x0f2f,
	WK_ETL_MESSAGE_ISR = 0x0f32,
	WK_ETL_SAMPLE_CACHE = 0x0f37,
	WK_ETL_THREADED_DPC = 0x0f42,
	WK_ETL_ISR = 0x0f43,
	WK_ETL_DPC = 0x0f44,
	WK_ETL_TIMER_DPC = 0x0f45,
	WK_ETL_SAMPLE_NMI = 0x0f47,
	WK_ETL_INTERVAL_SET = 0x0f48,
	WK_ETL_INTERVAL_BEGIN = 0x0f49,
	WK_ETL_INTERVAL_END = 0x0f4a,
	WK_ETL_HEAP_CREATE = 0x1020,
	WK_ETL_HEAP_ALLOC = 0x1021,
	WK_ETL_HEAP_REALLOC = 0x1022,
	WK_ETL_HEAP_DESTROY = 0x1023,
	WK_ETL_HEAP_FREE = 0x1024,
	WK_ETL_IMAGE_UNLOAD = 0x1402,
	WK_ETL_IMAGE_BEFORE = 0x1403,
	WK_ETL_IMAGE_BEHIND = 0x1404,
	WK_ETL_IMAGE_LOAD = 0x140a,
	WK_ETL_STACK = 0x1820,
	WK_ETL_STACK_CREATE = 0x1822,
	WK_ETL_STACK_EVICT = 0x1823,
	WK_ETL_STACK_REST = 0x1824,
	WK_ETL_STACK_KERNEL_KEY = 0x1825,
	WK_ETL_STACK_USER_KEY = 0x1826,

	/* Those that are known by a provider's number. */
	WK_ETL_DEBUG_ID = 0x10001,
	WK_ETL_IMAGE_ID,
	WK_ETL_VOLUME,
	WK_ETL_BUILD, /* this and the next of SystemConfigEx */
	WK_ETL_SYSTEM_PATHS,
	WK_ETL_VOLUME_UNMAPPED,
	WK_ETL_INTERFACE,
	WK_ETL_WINSAT_SCORES,
	WK_ETL_WINSAT_METRICS,
	WK_ETL_WINSAT_SYSTEM,
	WK_ETL_METHOD_LOAD,
	WK_ETL_METHOD_KNOWN, /* of a rundown, or when it goes */
	WK_ETL_MODULE,       /* that the CLR has, with its PDBs */
	WK_ETL_SCRIPT_LOAD,  /* of JavaScript, as the two of methods */
	WK_ETL_SCRIPT_KNOWN,
	WK_ETL_SCRIPT_SOURCE, /* which file it is of */
	WK_ETL_NO_HOOK = 0,
};

/* Which kernel event a record is, whoever logged it: one of the above, or another hook. */
uint32_t wk_etl_hook_of(const struct wk_etl_record *record);

static inline struct wk_etl_form wk_etl_form_of(const struct wk_etl_record *record)
{
	return (struct wk_etl_form){ (uint8_t)record->version, record->pointer_bytes };
}

/* What was there before the trace's first change of it. Texts are the trace's. */
struct wk_etl_seen_process {
	uint32_t pid;
	struct wk_event_process told;
};

struct wk_etl_seen_thread {
	uint32_t pid, tid;
	uint32_t service_tag; /* of the service it works for; 0: none */
	struct wk_str name;
};

struct wk_etl_seen_image {
	uint32_t pid;
	uint64_t base, size_bytes;
	struct wk_str path;
	uint32_t time_stamp; /* 0 in most rundowns: see etl_ids.h */
	uint64_t time;       /* of the record, in ticks */
};

/* A counter of the processor, by Windows' number for it. */
struct wk_etl_counter {
	uint32_t source;
	struct wk_etl_intervals intervals; /* how many events a sample stands for */
	struct wk_str name;
	bool is_seen; /* there are samples of it */
};

struct wk_etl_trace {
	struct wk_etl_file *file;
	const struct wk_sink *sink;
	struct wk_err *err;
	struct wk_arena texts;

	struct wk_etl_paths paths;
	struct wk_etl_stacks *stacks;
	struct wk_etl_schemas *schemas; /* what events are called and what is in them */
	struct wk_etl_user *user;       /* events of programs and drivers */
	struct wk_etl_methods *methods; /* code that they made */
	struct wk_etl_modules *modules;
	struct wk_etl_snapshots *snapshots;
	bool in_full;            /* somebody looks at each of them */
	bool sums_other_sources; /* nobody at samples but those of the timer, if there are */
	struct wk_etl_ids *ids;  /* of images */

	struct wk_etl_seen_process *processes;
	size_t process_count, process_cap;
	struct wk_etl_seen_thread *threads;
	size_t thread_count, thread_cap;
	struct wk_etl_seen_image *images;
	size_t image_count, image_cap;

	struct wk_etl_counts *counts;
	uint32_t sources_seen;    /* bits of what there are samples of (etl_tell_samples.c) */
	struct wk_event_sum idle; /* all of the processors that had nothing to do, in ticks */
	uint64_t idle_untold;     /* samples of it before anybody said what they stand for */
	struct wk_map counter_of; /* Windows' number of it: row + 1 */
	struct wk_etl_counter *counters;
	size_t counter_count, counter_cap;
	uint32_t *running; /* tid by processor, as the second pass has come to */

	struct wk_map pid_of;              /* of a thread, + 1: as the second pass has come to */
	struct wk_map guess_of;            /* the same by what else names both */
	struct wk_etl_intervals intervals; /* of the timer, in 100 ns */
	uint64_t unknown_keys;             /* stacks that nobody defined */
	uint64_t short_payloads;           /* records with less than they must have */
	uint64_t packed_switches;          /* records of switches that nobody can read */
	struct wk_etl_config config;

	struct wk_map program_of; /* pid + 1: row + 1 of programs */
	struct wk_str *programs;  /* the names of the first image of each that is one */
	size_t program_count, program_cap;
};

/* Kernel modules are everybody's, whatever process a record names. */
static inline uint32_t wk_etl_owner_of(uint64_t base, unsigned pointer_bytes, uint32_t pid)
{
	return base >> (pointer_bytes * 8 - 1) ? WK_KERNEL_PID : pid;
}

/* UTF-16 as UTF-8 that lives as long as the trace. */
struct wk_str wk_etl_keep16(struct wk_etl_trace *trace, struct wk_bytes utf16);
struct wk_str wk_etl_keep_path(struct wk_etl_trace *trace, struct wk_bytes utf16);

/* What a process record says, but for what changed and the services; texts are the trace's. */
struct wk_event_process wk_etl_emitted_process(struct wk_etl_trace *trace,
					       const struct wk_etl_process *process);

/* Remembers the program that a process runs by the path of an image, if it is one: its name in
 * process records may be cut. The second gives the whole name, or the one it was given. */
void wk_etl_keep_program(struct wk_etl_trace *trace, uint32_t pid, struct wk_bytes path);
struct wk_str wk_etl_whole_name(const struct wk_etl_trace *trace, uint32_t pid, struct wk_str name,
				struct wk_str command_line);
static inline bool wk_etl_handle(const struct wk_etl_trace *trace, const struct wk_event *event)
{
	return wk_sink_emit(trace->sink, event, trace->err);
}

/* ---- who did it (etl_tell_threads.c) */

/* WK_UNKNOWN_PID if nothing says whose it is. */
uint32_t wk_etl_pid_of_thread(const struct wk_etl_trace *trace, uint32_t tid);

/* The thread of an event that is known, its process, and its stack into `sample`. */
void wk_etl_set_thread(struct wk_etl_trace *trace, const struct wk_etl_record *record, uint32_t tid,
		       struct wk_event *event, struct wk_event_sample *sample);

/* Those of an event whose payload does not say: by its header, by who runs on its processor, or
 * by its stack. False where none of them says it. */
bool wk_etl_set_doer(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		     struct wk_event *event, struct wk_event_sample *sample);

/* Whom an interrupt stopped, where that is known. */
void wk_etl_set_running(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			struct wk_event *event);

/* ---- one kind of record each; payloads that are too short are counted */

void wk_etl_scan_interval(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			  uint32_t hook);
bool wk_etl_is_sampled(uint32_t hook);

/* Whether samples of other sources are only counted: known in the first pass from the first sample
 * of the timer on. wk_etl_count_idle counts those that the second pass leaves out then. */
bool wk_etl_sums_others(const struct wk_etl_trace *trace);
void wk_etl_count_idle(struct wk_etl_trace *trace, struct wk_etl_sums *sums);
bool wk_etl_scan_sampled(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook); /* false if it is none */
bool wk_etl_emit_sources(struct wk_etl_trace *trace);
bool wk_etl_emit_sampled(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook);
bool wk_etl_emit_switch(struct wk_etl_trace *trace, const struct wk_etl_record *record);
bool wk_etl_emit_ready(struct wk_etl_trace *trace, const struct wk_etl_record *record);
bool wk_etl_emit_use(struct wk_etl_trace *trace, const struct wk_etl_record *record);
bool wk_etl_emit_virtual(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook);
bool wk_etl_emit_heap(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		      uint32_t hook);

/* A 32-bit program may log what a 64-bit kernel would, in a record that says its own width: what
 * fits only the other width has that from now on. */
void wk_etl_widen_pointers(struct wk_etl_record *record, uint32_t hook);

void wk_etl_scan(struct wk_etl_trace *trace);
bool wk_etl_second_pass(struct wk_etl_trace *trace);

/* Of which hooks the second pass tells more than samples. */
bool wk_etl_is_known(uint32_t hook);

/* Whether the second pass does anything with a record, but for the sample that an event of a
 * program is with its stack. */
bool wk_etl_is_emitted(const struct wk_etl_trace *trace, const struct wk_etl_record *record,
		       uint32_t hook);

#endif
