/* The container of Windows event traces (.etl): files to records, in order of time.
 *
 * A trace is one or more files of one session or one recording (kernel.etl and user.etl of the same
 * boot). Each file is a series of buffers, and a buffer contains records of one processor, plain or
 * packed (formats/etl/packed/xpress.h). docs/formats/etl.md describes the format and which parts of
 * it real files confirm. This module does not interpret records.
 *
 * Order of calls: open, header, then next until false, damage; rewind and next again as often as
 * needed; close. A caller that knows after the first pass which buffers the second one needs marks
 * them (place, keep), and then only those are read again. The bytes of the files belong to the
 * caller and must outlive the trace. Memory: nine bytes per buffer, and per processor and file one
 * unpacked buffer, with threads up to 64 MiB more of them; plain buffers are read in place.
 * Whatever a file claims, a buffer is limited to 64 KiB plus 300 times its packed bytes, and all of
 * them together to 64 MiB plus 20 times the files. */
#ifndef WK_FORMATS_ETL_FILE_FILE_H
#define WK_FORMATS_ETL_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"

struct wk_etl_file;
struct wk_os_file;

struct wk_guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

/* The kind of record header, as far as it matters. */
enum wk_etl_kind {
	WK_ETL_KERNEL,   /* System, Compact and PerfInfo headers: identified by `hook` */
	WK_ETL_CLASSIC,  /* Full and Instance headers: identified by provider and opcode */
	WK_ETL_MANIFEST, /* EventHeader: identified by provider and id; manifest and TraceLogging */
	WK_ETL_MESSAGE,  /* WPP: only a number, possibly with a provider */
	WK_ETL_OTHER,    /* Error, WNODE and Timed headers, which are not documented; opcode is the
			    header's type */
};

#define WK_ETL_NO_THREAD UINT32_MAX

/* Data beside the payload, by Windows' numbers of extended items. The counters of a PerfInfo header
 * are COUNTERS and PEBS, the ids of an Instance header INSTANCE (two u32, then the class of the
 * parent). */
enum {
	WK_ETL_ITEM_RELATED_ACTIVITY = 1,
	WK_ETL_ITEM_INSTANCE = 4,
	WK_ETL_ITEM_STACK_32 = 5, /* u64 match id, then addresses of 4 bytes, leaf first */
	WK_ETL_ITEM_STACK_64 = 6, /* ... of 8 bytes */
	WK_ETL_ITEM_PEBS = 7,
	WK_ETL_ITEM_COUNTERS = 8, /* u64 each */
	WK_ETL_ITEM_SCHEMA = 11,  /* of TraceLogging */
	WK_ETL_ITEM_TRAITS = 12,
};

struct wk_etl_item {
	uint16_t type;
	struct wk_bytes data;
};
#define WK_ETL_MOST_ITEMS 16 /* further ones are skipped */

/* Fields that a kind of header does not have are 0 (pid and tid: WK_ETL_NO_THREAD). */
struct wk_etl_record {
	uint64_t time; /* raw ticks; wk_etl_ns converts to nanoseconds since the start of the trace
			*/
	enum wk_etl_kind kind;
	uint32_t pid, tid; /* WK_ETL_NO_THREAD also if Windows wrote that */
	uint32_t cpu;
	uint32_t file;   /* index of the file, from 0 */
	uint64_t offset; /* of its buffer in that file, for messages */
	uint64_t keyword;
	struct wk_guid provider, activity;
	uint16_t hook; /* KERNEL: group in the high byte, opcode in the low */
	uint16_t id;   /* MANIFEST; of MESSAGE its number */
	uint16_t task;
	uint16_t version;
	uint8_t opcode; /* KERNEL: the hook's; CLASSIC: the event's type */
	uint8_t level, channel;
	uint8_t pointer_bytes; /* of this event: 4 or 8 */
	struct wk_bytes payload;
	size_t item_count;
	struct wk_etl_item items[WK_ETL_MOST_ITEMS]; /* those from item_count on are unset */
};

enum wk_etl_clock { WK_ETL_QPC = 1, WK_ETL_SYSTEM_TIME = 2, WK_ETL_CYCLES = 3 };

/* The content of a file's first record. Times of day are in 100 ns since 1601, UTC. */
struct wk_etl_header {
	uint32_t buffer_bytes, processors, pointer_bytes;
	uint32_t os_major, os_minor, os_build;
	uint32_t layout_major,
		layout_minor; /* 1.5 as written by sessions, 2.0 after merging and packing */
	uint64_t boot_time, start_time, end_time;
	uint64_t first_tick;       /* the raw time of start_time */
	uint64_t ticks_per_second; /* of raw times, whatever the clock; never 0 */
	enum wk_etl_clock clock;
	uint32_t timer_100ns, log_mode, cpu_mhz, events_lost, buffers_lost, buffers_written;
	int32_t time_zone_minutes;     /* added to local time to get UTC */
	struct wk_bytes session, file; /* UTF-16, without the NUL; in the caller's bytes */
	bool is_merged, is_packed, is_circular;
};

/* Faults that did not end the reading, for notes. Faults found by open stay; the others are those
 * since then or since the last rewind. */
struct wk_etl_damage {
	uint64_t broken_buffers; /* with a wrong header, or that do not unpack to their claimed size
				  */
	uint64_t cut_buffers;    /* by the end of the file */
	uint64_t missing_buffers;  /* fewer in the file than its header says were written */
	uint64_t broken_records;   /* with impossible sizes or types */
	uint64_t backward_records; /* older than the previous one on their processor */
	uint64_t unread_bytes;     /* after a buffer with an unknown end */
	uint64_t lossy_buffers;    /* marked "events lost" or "buffer lost" by Windows */
	uint64_t first_offset;     /* of the first broken buffer, or WK_NOWHERE */
	char first_words[160];     /* what is wrong, or ""; names a file other than the first */
};

/* Opens one or more files. NULL, with a message, if a file is not a trace or is of another boot
 * than the first; the message names it by number. With more than one thread, the others run until
 * close and unpack the next buffers; the results do not depend on the number of threads. `mapped`
 * contains the files that are mapped, or is NULL: few of their pages are then in memory at any
 * time. */
struct wk_etl_file *wk_etl_open(const struct wk_bytes *files,
				const struct wk_os_file *const *mapped, size_t count,
				unsigned threads, struct wk_err *err);
void wk_etl_close(struct wk_etl_file *etl);

/* Of the file that begins first, with the losses of all files and the latest end. */
const struct wk_etl_header *wk_etl_header(const struct wk_etl_file *etl);

uint64_t wk_etl_buffer_count(const struct wk_etl_file *etl);
const struct wk_etl_damage *wk_etl_damage(const struct wk_etl_file *etl);

/* Back to the first record. */
void wk_etl_rewind(struct wk_etl_file *etl);

/* The buffer of the last record of `next`; marks it to be read again. */
uint32_t wk_etl_buffer_index(const struct wk_etl_file *etl);
void wk_etl_mark_buffer(struct wk_etl_file *etl, uint32_t place);

/* At the end of a pass: back to the first record. From then on only marked buffers are read, and
 * others only if the order of records depends on them. Damage remains that of the whole pass. */
void wk_etl_rewind_to_saved(struct wk_etl_file *etl);

/* The next record in order of time; equal times by file and processor, on one processor in the
 * order of the file. Its pointers are valid until the next call. The records that contain the
 * headers are included. False at the end. */
bool wk_etl_next(struct wk_etl_file *etl, struct wk_etl_record *record);

/* Nanoseconds since the start of the trace, whatever the clock; 0 for earlier times. */
uint64_t wk_etl_ns(const struct wk_etl_file *etl, uint64_t time);

/* Decides whether files can be opened together. */
struct wk_etl_identity {
	uint64_t boot_time, origin; /* time of day: of the start, and when raw times were zero */
	uint64_t ticks_per_second;
	enum wk_etl_clock clock;
	uint64_t size_bytes, first_hash;
};

/* False if it is not a trace. */
bool wk_etl_identify(struct wk_bytes file, struct wk_etl_identity *identity);

/* True for different traces of the same boot. */
bool wk_etl_is_one_session(const struct wk_etl_identity *a, const struct wk_etl_identity *b);

/* For probes: 0 to 100. The first 512 bytes are enough. */
int wk_etl_probe(struct wk_bytes first);

#endif
