/* Shared by the files of the perf.data writer: its state, and functions for features.
 *
 * write.c writes the file, write_quota.c handles full disks, write_record.c turns events into
 * records, write_attr.c describes sources, write_features.c writes what is known at the end. wick's
 * own sections are filled as events come. */
#ifndef WK_FORMATS_PERF_WRITE_INTERNAL_H
#define WK_FORMATS_PERF_WRITE_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "formats/perf/format.h"
#include "formats/perf/wick_sections.h"
#include "formats/perf/write.h"

#define WK_PERF_WRITE_ATTR_BYTES 128 /* all perf versions read this size */

/* One id a source; id 0 would mean "none". */
#define WK_PERF_WRITE_ID(index) ((uint64_t)(index) + 1)

struct wk_perf_write_source {
	uint32_t number; /* as events name it */
	struct wk_str name, unit;
	uint32_t type;
	uint64_t config;
	uint64_t flags;
	bool has_fields;         /* of a tracepoint, in its samples */
	bool has_address;        /* of memory, in its samples */
	uint64_t user_registers; /* of copies of stacks; 0: samples have no place for them */
	uint32_t user_stack_bytes;
};

struct wk_perf_write_fact {
	struct wk_str key, value;
};

struct wk_perf_write_build_id {
	struct wk_str path;
	struct wk_build_id id;
	bool is_kernel;
	bool has_inode;
};

#define WK_PERF_WRITE_MARKS    16
#define WK_PERF_WRITE_SECTIONS (WK_SECTION_END - WK_SECTION_FIRST)

struct wk_perf_write_mark {
	uint64_t data_bytes, samples;
};

struct wk_perf_data_writer {
	int fd;
	bool is_pipe;
	uint64_t flush_interval_ns;
	size_t buffer_bytes;
	bool keeps_stacks;

	struct wk_arena arena;
	struct wk_perf_write_source *sources;
	size_t source_count, source_cap;
	struct wk_map source_of;    /* number to index + 1 */
	struct wk_str tracing_data; /* describes the tracepoints among them */
	bool describes_tracepoints; /* it is in the file, or will be in front of all samples */
	struct wk_perf_write_fact *facts;
	size_t fact_count, fact_cap;
	struct wk_perf_write_build_id *build_ids;
	size_t build_id_count, build_id_cap;
	struct wk_index build_id_of;

	bool began; /* its head is due, or there: `has_head` */
	bool has_head;
	uint64_t data_offset;
	uint64_t data_bytes;    /* of records that the file holds */
	struct wk_buf pending;  /* whole records that it does not */
	uint64_t data_samples;  /* among them */
	uint64_t feature_bytes; /* bytes used by the end of the file */
	uint64_t flushed_ns;    /* event time of the last flush */
	uint64_t last_ns;
	bool has_samples;
	uint64_t first_sample_ns, last_sample_ns;
	uint64_t cut_chains, cut_names;

	union {
		struct { /* in the order of their subjects */
			struct wk_section symbols, processes, images, notes, own_facts, calls,
				lines, bounds, heap, uses;
		};
		struct wk_section sections[WK_PERF_WRITE_SECTIONS];
	};
	struct wk_err failure; /* the first one, returned again to later callers */

	/* The end of the file after the last flushes, latest last: a full disk may need that space
	 * for the end of the file. */
	struct wk_perf_write_mark marks[WK_PERF_WRITE_MARKS];
	size_t mark_count;
	bool is_full;         /* the file cannot grow, and is valid up to `data_bytes` */
	bool takes_names;     /* and what follows is only for its end */
	uint64_t quota_bytes; /* how long it could become */
};

static inline void wk_perf_write_zeros(struct wk_buf *out, size_t count)
{
	memset(wk_buf_extend(out, count), 0, count);
}

/* The start of a record, and its end, which sets its size. */
static inline size_t wk_perf_write_record_begin(struct wk_buf *out, uint32_t type, uint32_t misc)
{
	wk_buf_add_u32(out, type);
	wk_buf_add_u16(out, (uint16_t)misc);
	wk_buf_add_u16(out, 0);
	return out->len - 8;
}

static inline void wk_perf_write_record_end(struct wk_buf *out, size_t start)
{
	size_t size = out->len - start;

	out->at[start + 6] = (char)(size & 0xff);
	out->at[start + 7] = (char)(size >> 8);
}

/* The value of a received SYSTEM event, or the empty text. */
struct wk_str wk_perf_write_fact(const struct wk_perf_data_writer *writer, const char *key);

/* Fills type, config and flags from the source's name; a tracepoint with fields has its own. */
void wk_perf_write_describe(struct wk_perf_write_source *source);

/* The attr as stored in the file; `index` 0 is the one for side-band records. */
void wk_perf_write_attr(const struct wk_perf_data_writer *writer, size_t index, struct wk_buf *out);

/* Adds the records of one event to `pending` or its rows to a section. */
bool wk_perf_write_event(struct wk_perf_data_writer *writer, const struct wk_event *event,
			 struct wk_err *err);
void wk_perf_write_finished_round(struct wk_perf_data_writer *writer);

/* What all readers need before the first record: the names of events, and in a pipe the attrs as
 * well. */
void wk_perf_write_leading_records(struct wk_perf_data_writer *writer);

/* What is pending was written after the other records: makes it part of the file. */
bool wk_perf_write_pending_is_there(struct wk_perf_data_writer *writer);

/* Not all of it could be written: makes part of the file what could, and leaves it pending. */
void wk_perf_write_discard_excess(struct wk_perf_data_writer *writer);

/* Drops the last records until `size_bytes` fit after them in a full file. False, with nothing
 * changed, if that would cost half of them. */
bool wk_perf_write_reserve(struct wk_perf_data_writer *writer, uint64_t size_bytes);

/* One feature's content; false if there is nothing to say. */
bool wk_perf_write_feature(const struct wk_perf_data_writer *writer, unsigned feature,
			   struct wk_buf *out);

/* The same as records of a pipe, added to `pending`. */
void wk_perf_write_feature_records(struct wk_perf_data_writer *writer, unsigned feature);

/* The chunks of a section, each in a record, added to `pending`. */
void wk_perf_write_section_records(struct wk_perf_data_writer *writer,
				   const struct wk_section *section);

/* Fills the section with the facts that no feature of perf's contains. */
void wk_perf_write_own_facts(struct wk_perf_data_writer *writer);

/* Empties the sections of names, which may be large, and reports it. False if there was nothing. */
bool wk_perf_write_leave_names_out(struct wk_perf_data_writer *writer);

#endif
