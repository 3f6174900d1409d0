/* Streams of hotspot's parser: what the files of this reader share.
 *
 * Order of calls: wk_hotspot_read_tables, which reads all definitions; then, for each record of
 * something that happened, in order of time, wk_hotspot_emit. docs/formats/perfparser.md describes
 * the layout. Records are little-endian frames around big-endian fields; texts stay in the input.
 */
#ifndef WK_FORMATS_PERFPARSER_INTERNAL_H
#define WK_FORMATS_PERFPARSER_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "formats/lines.h"
#include "formats/reader.h"

/* The first byte of a record. */
enum wk_hotspot_type {
	WK_HOTSPOT_THREAD_START,
	WK_HOTSPOT_THREAD_END,
	WK_HOTSPOT_COMMAND,
	WK_HOTSPOT_LOCATION,
	WK_HOTSPOT_SYMBOL,
	WK_HOTSPOT_STRING,
	WK_HOTSPOT_LOST,
	WK_HOTSPOT_FEATURES,
	WK_HOTSPOT_ERROR,
	WK_HOTSPOT_PROGRESS,
	WK_HOTSPOT_TRACE_FORMAT,
	WK_HOTSPOT_ATTRIBUTES,
	WK_HOTSPOT_SWITCH,
	WK_HOTSPOT_SAMPLE,
	WK_HOTSPOT_TRACE_SAMPLE,
	WK_HOTSPOT_DOWNLOAD,
	WK_HOTSPOT_TYPES
};

#define WK_HOTSPOT_NONE (-1) /* of a text, a location ... */

struct wk_hotspot_record {
	uint64_t offset; /* of its size in the input */
	uint8_t type;
	struct wk_bytes body; /* without the type */
};

/* The name of a function; texts by number. */
struct wk_hotspot_symbol {
	int32_t name, binary, path;
	bool is_defined; /* with at least one of the three */
	bool in_kernel;
};

struct wk_hotspot_location {
	uint64_t address;
	int32_t file, line, parent;
	uint32_t pid;
	struct wk_hotspot_symbol symbol;
	uint32_t frame; /* its number once it was emitted; 0: not yet */
	int32_t caller; /* the location that this one is inlined into */
};

struct wk_hotspot_attributes {
	uint32_t type;
	uint64_t config, period; /* the period is 0 if it was a frequency */
	int32_t name;
	bool is_defined, is_announced;
	bool has_cpus; /* else all are 0: its samples do not contain them */
};

/* What hotspot's parser complained of, by the kind of its complaint. */
struct wk_hotspot_complaint {
	uint64_t count; /* of different ones */
	struct wk_bytes first;
};

#define WK_HOTSPOT_COMPLAINTS 4

struct wk_hotspot {
	struct wk_stack_writer *writer;
	struct wk_bytes input; /* the records */
	uint64_t whole_bytes;
	bool skips_details;

	struct wk_str *strings;
	size_t string_count, string_cap;
	struct wk_hotspot_location *locations;
	size_t location_count, location_cap;
	struct wk_hotspot_attributes *attributes;
	size_t attribute_count, attribute_cap;

	uint32_t sizes[WK_HOTSPOT_TYPES]; /* of the first record of each type */
	uint64_t happenings, last_ns;     /* records with a time, and the time of the last one */
	bool is_disordered;               /* their times are not in order */
	bool has_cpus;                    /* the same for records that are not samples */
	bool is_cut;                      /* the last record is not whole */
	double progress; /* 0 to 1: how much of its input was converted; -1: unknown */
	uint64_t bad_records, bad_samples, unknown_records;
	uint64_t missing;  /* locations of samples that are not defined */
	uint64_t losses;   /* of an unknown number of records each */
	uint64_t left_out; /* inlined frames */
	uint64_t budget;   /* inlined frames that may still be emitted */
	struct wk_hotspot_complaint complaints[WK_HOTSPOT_COMPLAINTS];
	struct wk_map complained; /* hashes of the texts */

	struct wk_map counter_of; /* of an event and a CPU or thread */
	uint64_t *counters;       /* last values, of groups */
	size_t counter_count, counter_cap;

	uint32_t *frames; /* of a sample, innermost first */
	size_t frame_count, frame_cap;
	struct wk_buf trace_text;
	struct wk_str
		*in_brackets; /* by the number of an image: what its unnamed frames are called */
	size_t in_brackets_cap;
	struct wk_str *readable; /* by the number of a name: it, not mangled */
	size_t readable_cap;
	uint64_t readable_budget; /* bytes that may still be added to them */
	struct wk_arena texts;
};

/* The next record; false at the end, or at one that is not whole. */
bool wk_hotspot_next(struct wk_hotspot *hotspot, struct wk_bytes *rest,
		     struct wk_hotspot_record *record);

/* Reads all definitions. False with the reason if the layout is of an unknown version. */
bool wk_hotspot_read_tables(struct wk_hotspot *hotspot, struct wk_err *err);

/* Text that was defined, else empty. */
struct wk_str wk_hotspot_string(const struct wk_hotspot *hotspot, int32_t number);

/* A length and that many bytes, as Qt writes them. */
struct wk_bytes wk_hotspot_blob(struct wk_bytes *body);

/* A count and that many items of `size` bytes each; the count comes from the file. */
struct wk_bytes wk_hotspot_many(struct wk_bytes *body, unsigned size);

bool wk_hotspot_happens(uint8_t type);

/* Emits a record of something that happened. */
void wk_hotspot_emit(struct wk_hotspot *hotspot, const struct wk_hotspot_record *record);

/* The stack of a sample's locations, innermost first. */
uint32_t wk_hotspot_stack(struct wk_hotspot *hotspot, struct wk_bytes locations);

/* Emits the facts about the machine. */
void wk_hotspot_emit_features(struct wk_hotspot *hotspot, struct wk_bytes body);

/* Counts a complaint, and emits what they were. */
void wk_hotspot_complain(struct wk_hotspot *hotspot, struct wk_bytes body);
void wk_hotspot_emit_complaints(struct wk_hotspot *hotspot);

/* Writes a tracepoint's fields: "prev_comm=sh prev_pid=12 ...". */
void wk_hotspot_print_fields(const struct wk_hotspot *hotspot, struct wk_bytes *body,
			     struct wk_buf *text);

#endif
