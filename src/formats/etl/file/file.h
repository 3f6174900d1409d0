/* The container of Windows event traces (.etl): files to records, in order of time.
 *
 * A trace is one or several files of one session or of one recording (kernel.etl and user.etl of
 * the same start of the machine), each a run of buffers; a buffer holds records of one
 * processor, plain or packed (formats/etl/packed/xpress.h). docs/formats/etl.md tells the format
 * and what of it real files confirm. Which record means what is not known here.
 *
 * Order of calls: open, header, then next until false, damage; rewind and next again as often as
 * wanted; close. Who knows from a first reading which buffers a second one needs marks them (place,
 * keep) and has only those again. The files' bytes stay the caller's and must outlive it. Memory:
 * nine bytes for each buffer, and for each processor of each file one unpacked buffer, with
 * threads up to 64 MiB more of them; plain buffers are read where they lie. Whatever a file
 * claims, a buffer becomes at most 64 KiB and 300 times its packed bytes, and all of them together
 * 64 MiB and 20 times the files. */
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

/* Which of the record headers it had, as far as somebody must know. */
enum wk_etl_kind {
	WK_ETL_KERNEL,   /* System, Compact and PerfInfo headers: known by `hook` */
	WK_ETL_CLASSIC,  /* Full and Instance headers: known by provider and opcode */
	WK_ETL_MANIFEST, /* EventHeader: known by provider and id; manifest and TraceLogging */
	WK_ETL_MESSAGE,  /* WPP: only a number, perhaps with a provider */
	WK_ETL_OTHER,    /* Error, WNODE and Timed headers, which nothing is known of; opcode is the
			  * header's type */
};

#define WK_ETL_NO_THREAD UINT32_MAX

/* What stands beside the payload, numbered as Windows numbers extended items. The counters of a
 * PerfInfo header come as COUNTERS and PEBS, the ids of an Instance header as INSTANCE (two u32,
 * then the parent's class). */
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
#define WK_ETL_MOST_ITEMS 16 /* more are passed over */

/* What a kind of header has not is 0 (of pid and tid WK_ETL_NO_THREAD). */
struct wk_etl_record {
	uint64_t time; /* raw ticks; wk_etl_ns makes nanoseconds since the trace began */
	enum wk_etl_kind kind;
	uint32_t pid, tid; /* WK_ETL_NO_THREAD also where Windows wrote that */
	uint32_t cpu;
	uint32_t file;   /* which of those that were opened, from 0 */
	uint64_t offset; /* of its buffer in that file, for words */
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
	struct wk_etl_item items[WK_ETL_MOST_ITEMS]; /* those behind item_count are unset */
};

enum wk_etl_clock { WK_ETL_QPC = 1, WK_ETL_SYSTEM_TIME = 2, WK_ETL_CYCLES = 3 };

/* What a file's first record says. Times of the day are in 100 ns since 1601, UTC. */
struct wk_etl_header {
	uint32_t buffer_bytes, processors, pointer_bytes;
	uint32_t os_major, os_minor, os_build;
	uint32_t layout_major, layout_minor; /* 1.5 as sessions write, 2.0 once merged and packed */
	uint64_t boot_time, start_time, end_time;
	uint64_t first_tick;       /* the raw time of start_time */
	uint64_t ticks_per_second; /* of raw times, whatever the clock; never 0 */
	enum wk_etl_clock clock;
	uint32_t timer_100ns, log_mode, cpu_mhz, events_lost, buffers_lost, buffers_written;
	int32_t time_zone_minutes;     /* what is added to local time to get UTC */
	struct wk_bytes session, file; /* UTF-16, without the NUL; in the caller's bytes */
	bool is_merged, is_packed, is_circular;
};

/* What went wrong without ending the reading, for notes. What open found stays; the rest is of
 * the reading since then or since the last rewind. */
struct wk_etl_damage {
	uint64_t broken_buffers;   /* whose header lies or that do not unpack to its claim */
	uint64_t cut_buffers;      /* by the end of the file */
	uint64_t missing_buffers;  /* fewer there than the headers say were written */
	uint64_t broken_records;   /* with sizes or types that cannot be */
	uint64_t backward_records; /* older than the one before them on their processor */
	uint64_t unread_bytes;     /* behind a buffer whose end cannot be known */
	uint64_t lossy_buffers;    /* marked "events lost" or "buffer lost" by Windows */
	uint64_t first_offset;     /* of the first broken buffer; WK_NOWHERE without */
	char first_words[160];     /* what it was, or ""; names the file if not the first */
};

/* Opens one file or more. NULL, with a sentence, where the first is no trace, or another is none or
 * is of another start of the machine; those are named by number. With more than one thread the
 * others stay until close and unpack what comes next; whatever their number, all that is told here
 * is the same. */
struct wk_etl_file *wk_etl_open(const struct wk_bytes *files, size_t count, unsigned threads,
				struct wk_err *err);

/* The same for files that are mapped: `mapped` has what is behind each, or NULL. Of their pages few
 * are in memory at any time, however large the files are. */
struct wk_etl_file *wk_etl_open_mapped(const struct wk_bytes *files,
				       const struct wk_os_file *const *mapped, size_t count,
				       unsigned threads, struct wk_err *err);
void wk_etl_close(struct wk_etl_file *etl);

/* Of the file that begins first, with the losses of all and the end of the last. */
const struct wk_etl_header *wk_etl_header(const struct wk_etl_file *etl);

/* Of one file, from 0 in the order they were given. */
const struct wk_etl_header *wk_etl_header_of(const struct wk_etl_file *etl, size_t file);

uint64_t wk_etl_buffer_count(const struct wk_etl_file *etl);
const struct wk_etl_damage *wk_etl_damage(const struct wk_etl_file *etl);

/* To the first record again. */
void wk_etl_rewind(struct wk_etl_file *etl);

/* Which buffer the record lies in that `next` gave last; and that it is wanted again. */
uint32_t wk_etl_place(const struct wk_etl_file *etl);
void wk_etl_keep(struct wk_etl_file *etl, uint32_t place);

/* At the end of a reading: to the first record again, and from then on only buffers that are kept
 * are read, and others only where the order of records hangs on them. Damage stays that of the
 * whole reading. */
void wk_etl_rewind_to_saved(struct wk_etl_file *etl);

/* The next record in order of time, those of the same time by file and processor, those of one
 * processor as they were written. What it points to lives until the next call. The records that
 * headers were read from come like all others. False at the end. */
bool wk_etl_next(struct wk_etl_file *etl, struct wk_etl_record *record);

/* Nanoseconds since the trace began, by whichever clock it has; 0 for what was before. */
uint64_t wk_etl_ns(const struct wk_etl_file *etl, uint64_t time);

/* What tells whether files can be opened together. */
struct wk_etl_identity {
	uint64_t boot_time, origin; /* time of day: of the start, and when raw times were zero */
	uint64_t ticks_per_second;
	enum wk_etl_clock clock;
	uint64_t size_bytes, first_hash;
};

/* False where it is no trace. */
bool wk_etl_identify(struct wk_bytes file, struct wk_etl_identity *identity);

/* Are they traces of the same start of the machine, and not one the copy of the other? */
bool wk_etl_is_one_session(const struct wk_etl_identity *a, const struct wk_etl_identity *b);

/* Is this the begin of a trace? 0 to 100, for a reader's probe. The first 512 bytes are enough. */
int wk_etl_probe(struct wk_bytes first);

#endif
