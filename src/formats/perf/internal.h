/* Shared by the files of the perf.data reader.
 *
 * One struct wk_perf exists for one call of the reader. perf_data.c walks the file; attr.c knows
 * the layout of each source's records; order.c sorts records by time; record.c and sample.c turn a
 * record into events, with details.c and deferred.c for rare parts; packed.c unpacks records;
 * features.c reads the data outside records: machine.c emits its facts, and sections.c wick's own
 * sections; oddities.c counts faults.
 *
 * There are two passes: the first reads what must be known before any event is emitted (attrs,
 * names, features of a pipe), the second sorts and emits. Only packed records are copied: records
 * are pointers into the input, and 16 bytes are stored for each record that waits for its turn. */
#ifndef WK_FORMATS_PERF_INTERNAL_H
#define WK_FORMATS_PERF_INTERNAL_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/packed/unpack.h"
#include "event/relay.h"
#include "event/sink.h"
#include "formats/perf/format.h"
#include "formats/perf/wick_sections.h"
#include "formats/tracepoint/format.h"

/* A record's head, and the window of its body (which ends with the trailer, if any). */
struct wk_perf_record {
	uint32_t type;
	uint32_t misc;
	const uint8_t *at;
	struct wk_bytes body;
};

struct wk_perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t branch_sample_type, user_registers, interrupt_registers;
	uint32_t user_stack_bytes;
	uint32_t breakpoint_kind; /* bit 0 it reads, 1 writes, 2 runs */
	uint64_t breakpoint_address;
	int32_t clock_id;

	/* Positions of fields, in words of 8 bytes: from the start of a sample's body, or from
	 * the end of a trailer (1 is the last word). Missing is 0 for the trailer, -1 for the
	 * sample. */
	int sample_time, sample_id;
	unsigned trailer_tid, trailer_time, trailer_id, trailer_cpu;

	uint32_t id_count;
	struct wk_str name; /* in the input; empty until a feature provides it */
	bool is_announced;  /* its SOURCE event was emitted */
};

/* Records that wait for their turn. */
struct wk_perf_waiting {
	uint64_t time_ns;
	const uint8_t *at;
};

struct wk_perf_order {
	struct wk_perf_waiting *rows, *scratch;
	size_t count, cap, scratch_cap;
	bool is_unsorted;
	uint64_t latest_ns;  /* of all records so far */
	uint64_t settled_ns; /* nothing earlier follows */
};

/* Records that were packed with zstd, as one stream in pieces. */
struct wk_perf_packed {
	struct wk_unzstd *stream;
	struct wk_buf pending; /* the start of a record whose rest is still to come */
	uint8_t **blocks;      /* of unpacked records, some of which still wait */
	size_t block_count, block_cap;
};

/* Faults of single records: counted, and reported once at the end. */
enum wk_perf_oddity {
	WK_PERF_ODD_SHORT,     /* fields do not fit the record */
	WK_PERF_ODD_NO_ATTR,   /* a sample without any attr */
	WK_PERF_ODD_UNKNOWN,   /* a type that is not known */
	WK_PERF_ODD_AUXTRACE,  /* a hardware trace (Intel PT ...) */
	WK_PERF_ODD_DEFERRED,  /* samples whose user chain was to come later and did not */
	WK_PERF_ODD_GUEST,     /* samples inside virtual machines */
	WK_PERF_ODD_THROTTLED, /* sampling paused by the kernel */
	WK_PERF_ODD_BLOCK,     /* allocations whose address is not known */
	WK_PERF_ODD_LATE,      /* records that are too late for their round */
	WK_PERF_ODD_TWICE,     /* records that perf wrote in two rounds */
	WK_PERF_ODD_FEATURE,   /* feature sections that contradict themselves */
	WK_PERF_ODD_SECTION,   /* damaged chunks of wick's own sections */
	WK_PERF_ODD_VERSION,   /* such chunks of a later version */
	WK_PERF_ODD_TEXT,      /* text among the records of a pipe */
	WK_PERF_ODD_END,       /* the file ends inside a record */
	WK_PERF_ODDITIES
};

/* The fields of a sample, in record order; windows point into the record. */
struct wk_perf_fields {
	uint64_t id, address, data_address, period;
	uint32_t pid, tid, cpu;
	struct wk_bytes group; /* the counters of a group read */
	uint64_t group_count;
	uint64_t counter_value, counter_id; /* of a read that is not of a group */
	struct wk_bytes chain, raw, branches;
	uint64_t register_set; /* 0 none, 1 of 32 bits, 2 of 64 */
	struct wk_bytes registers, stack;
	uint64_t stack_used;
	struct wk_bytes rest; /* fields after the stack */
};

/* A user's call chain that came after its samples, when their thread left the kernel. */
struct wk_perf_deferred {
	uint64_t cookie;
	uint64_t *chain;
	size_t count;
};

struct wk_perf_odd {
	uint64_t count;
	uint64_t offset; /* of the first */
};

struct wk_perf_build_id_row {
	struct wk_build_id id;
	bool is_kernel;
};

/* A row of wick's symbols or notes, until its time. */
struct wk_perf_extra {
	uint64_t time_ns;
	struct wk_bytes row;
	bool is_note;
};

/* The range in `line_rows` of the lines of one JIT code block. */
struct wk_perf_lines {
	size_t first, count;
};

/* A section whose rows are emitted after the sources. */
struct wk_perf_late {
	unsigned feature;
	struct wk_bytes content;
};

/* A row of wick's processes: what the task record of this moment cannot contain. */
struct wk_perf_process_row {
	bool has_exit_code;
	int exit_code;
	struct wk_str command_line;
};

struct wk_perf_image_row {
	uint32_t device_major, device_minor;
	uint64_t inode, inode_generation;
};

/* The same loss by two ways: LOST records of the kernel, and totals that perf adds at the end. */
struct wk_perf_lost {
	uint64_t records, totals;
};

struct wk_perf {
	struct wk_bytes input; /* the whole, with the byte order */
	const struct wk_sink *sink;
	struct wk_relay *relay; /* in front of it if there are heaps, or NULL */
	struct wk_sink relay_sink;
	unsigned threads;              /* at most */
	struct wk_err *err;            /* of the call */
	const struct wk_parts *parts;  /* more records, if the recording is a folder */
	const struct wk_os_file *file; /* the mapping of the records being read, or NULL */
	const uint8_t *file_start;
	uint64_t released; /* up to this offset its pages were released */
	bool is_pipe;
	bool is_unfinished;   /* what the recorder writes at the end is not there */
	uint64_t whole_bytes; /* for a file that was cut off in its records: its minimum length
			       * before */
	struct wk_bytes data; /* the records */

	struct wk_perf_attr *attrs;
	size_t attr_count, attr_cap;
	struct wk_map attr_of_id; /* to index + 1 */
	bool has_name_width;
	uint32_t name_width;    /* of the longest event's name */
	bool has_build_id_flag; /* some attr requested build ids in mappings */
	enum wk_machine machine;
	uint32_t cpus_configured; /* what lists of all CPUs count */

	struct wk_err broken; /* the records end here: reported after everything before it */

	struct wk_perf_packed packed;
	struct wk_perf_order order;
	uint64_t file_order_ns;  /* the time that a record without one gets */
	uint64_t emitted_ns;     /* of the last emitted event */
	const uint8_t *round_at; /* where the round before this one ended; NULL: unknown */
	struct wk_perf_odd odd[WK_PERF_ODDITIES];
	struct wk_perf_lost lost;

	/* Build ids of the feature. */
	struct wk_map build_id_of; /* by path, hashed: row + 1 */
	struct wk_perf_build_id_row *build_ids;
	size_t build_id_count, build_id_cap;

	/* Uses of processes, until their times. */
	struct wk_event *uses;
	size_t use_count, use_cap, uses_emitted;

	struct wk_perf_extra *extras;
	size_t extra_count, extra_cap, extras_emitted;
	struct wk_section_known known; /* texts of the chunk at hand */
	struct wk_perf_late *late;
	size_t late_count, late_cap;
	struct wk_event_call calls[WK_SECTION_MOST_CALLS]; /* of the row at hand */
	struct wk_map lines_of;                            /* id - 1 is the index in `lines` */
	struct wk_perf_lines *lines;
	size_t line_count, line_cap;
	struct wk_jit_map_line *line_rows;
	size_t line_row_count, line_row_cap;
	struct wk_perf_process_row *processes;
	size_t process_count, process_cap;
	struct wk_map process_of;
	struct wk_perf_image_row *images;
	size_t image_count, image_cap;
	struct wk_map image_of;

	struct wk_heap_streams *heap; /* NULL: there are none */
	bool keeps_heap_streams;      /* emits them as they are */

	/* Something that was SEEN and may get its name from the next record. */
	struct wk_event held;

	/* Scratch for the current sample. Fields that its attr does not have stay empty, so they
	 * are cleared only if the attr differs from the last one's. */
	struct wk_event sample;
	struct wk_perf_fields fields;
	const struct wk_perf_attr *fields_of;
	uint64_t *kernel_chain, *user_chain;
	size_t kernel_cap, user_cap;
	struct wk_event_branch *branches;
	size_t branch_cap;
	struct wk_event_details details;
	struct wk_event_registers user_registers;
	struct wk_buf trace_text, other_text;
	bool skips_details, is_header_only;

	struct wk_bytes tracing_data; /* the kernel's description of its tracepoints; empty: none */
	struct wk_trace_formats *trace_formats;
	bool tried_trace_formats;

	struct wk_perf_memory *memory;   /* NULL: no call that changes an address space came yet */
	struct wk_perf_heap *heap_calls; /* NULL: no sample with fields came yet */

	/* Chains that came, of records that still wait for their turn. */
	struct wk_perf_deferred *deferred;
	size_t deferred_count, deferred_cap;
	struct wk_map deferred_of; /* cookie to index + 1 */

	/* Last values of counters that were read with a sample of their group. */
	struct wk_map counter_of_id;
	uint64_t *counters;
	size_t counter_count, counter_cap;
};

/* oddities.c */

/* Counts one more, met in the record at `at`: NULL, or outside of the input, for packed ones. */
void wk_perf_odd(struct wk_perf *perf, enum wk_perf_oddity oddity, const uint8_t *at);
/* Emits a note for each kind that occurred. */
bool wk_perf_emit_oddities(struct wk_perf *perf);

/* perf_data.c */

/* The record at `at`, which must be complete in the input. */
static inline struct wk_perf_record wk_perf_record_at(const struct wk_perf *perf, const uint8_t *at)
{
	struct wk_bytes head = { .at = at, .end = at + 8, .big_endian = perf->input.big_endian };
	uint32_t type = wk_u32(&head), misc = wk_u16(&head), size = wk_u16(&head);

	return (struct wk_perf_record){
		.type = type,
		.misc = misc,
		.at = at,
		.body = { .at = at + 8, .end = at + size, .start = perf->input.start,
			  .big_endian = perf->input.big_endian },
	};
}

/* attr.c */

/* Bit-fields begin at the other end on big-endian machines. */
uint64_t wk_perf_mirrored(uint64_t bits);

/* Adds the attr in `raw`; false if it is too short. */
bool wk_perf_add_attr(struct wk_perf *perf, struct wk_bytes raw);
/* The ids of the attr added last. */
void wk_perf_add_ids(struct wk_perf *perf, struct wk_bytes ids);
void wk_perf_name_attr(struct wk_perf *perf, uint64_t id, struct wk_str name);
/* The attr that a sample or another record belongs to; NULL if there is none at all. */
struct wk_perf_attr *wk_perf_attr_of(struct wk_perf *perf, const struct wk_perf_record *record);
/* Does the trailer of the record have an id that is known, or is there only one attr? */
bool wk_perf_names_attr(const struct wk_perf *perf, const struct wk_perf_record *record);
uint64_t wk_perf_time_of(struct wk_perf *perf, const struct wk_perf_record *record);
/* Fills time, ids and CPU of an event from a record's trailer. */
void wk_perf_read_trailer(struct wk_perf *perf, const struct wk_perf_record *record,
			  struct wk_event *event);
bool wk_perf_announce_new(struct wk_perf *perf, struct wk_perf_attr *attr);

static inline bool wk_perf_announce(struct wk_perf *perf, struct wk_perf_attr *attr)
{
	return attr->is_announced || wk_perf_announce_new(perf, attr);
}

/* order.c */

void wk_perf_order_add(struct wk_perf_order *order, uint64_t time_ns, const uint8_t *at);
/* Ends a round: what cannot come any more is settled. Returns how many rows are final. */
size_t wk_perf_order_round(struct wk_perf_order *order);
/* Sorts. Returns how many rows are of that time or earlier. */
size_t wk_perf_order_until(struct wk_perf_order *order, uint64_t time_ns);
/* Sorts; all rows are final. */
size_t wk_perf_order_all(struct wk_perf_order *order);
/* The first `count` rows were emitted. */
void wk_perf_order_drop(struct wk_perf_order *order, size_t count);

/* packed.c */

/* Unpacks the next piece: whole records in `plain`. False on failure; `broken` has the reason. */
bool wk_perf_unpack(struct wk_perf *perf, const struct wk_perf_record *record,
		    struct wk_bytes *plain);
/* Frees the unpacked records that were emitted. */
void wk_perf_forget_packed(struct wk_perf *perf);
/* The stream has come to its end; another may begin. */
void wk_perf_end_packed(struct wk_perf *perf);
void wk_perf_packed_fini(struct wk_perf_packed *packed);

/* record.c */

/* Emits a record in its turn, after all rows of wick's sections that precede it. */
bool wk_perf_emit(struct wk_perf *perf, uint64_t time_ns, const uint8_t *at);
/* After the last record. */
bool wk_perf_emit_rest(struct wk_perf *perf);
bool wk_perf_give(struct wk_perf *perf, const struct wk_event *event);

/* sample.c */
bool wk_perf_emit_sample(struct wk_perf *perf, const struct wk_perf_record *record,
			 uint64_t time_ns);

/* memory_calls.c */

/* What the sample of a system call did to the address space, if it is one that does. */
bool wk_perf_emit_memory(struct wk_perf *perf, const struct wk_perf_attr *attr,
			 const struct wk_perf_fields *fields, const struct wk_event *sample);
/* An event that was emitted: address spaces begin and end with processes. */
void wk_perf_memory_process(struct wk_perf *perf, const struct wk_event *event);
void wk_perf_memory_free(struct wk_perf_memory *memory);

/* heap_probes.c */

/* Are its samples calls of an allocator? They are emitted as HEAP events only, unless the sink
 * wants what was recorded. */
bool wk_perf_is_heap_call(struct wk_perf *perf, const struct wk_perf_attr *attr);
bool wk_perf_emit_heap(struct wk_perf *perf, const struct wk_perf_attr *attr,
		       const struct wk_perf_fields *fields, const struct wk_event *sample);
/* An event that was emitted: calls may be missing. */
void wk_perf_heap_lost(struct wk_perf *perf, const struct wk_event *event);
void wk_perf_heap_free(struct wk_perf_heap *heap);

/* details.c */

/* What samples of such a type have: enum wk_detail. */
uint32_t wk_perf_details_of(uint64_t sample_type);
/* Fields of a sample that views do not weigh by. Valid until the next sample. */
const struct wk_event_details *wk_perf_details(struct wk_perf *perf,
					       const struct wk_perf_attr *attr,
					       const struct wk_perf_fields *fields);
/* The kernel's descriptions of its tracepoints; NULL if the recording has none. */
struct wk_trace_formats *wk_perf_trace_formats(struct wk_perf *perf);
/* The sample's branches, the latest first, in perf->branches. Returns how many. */
size_t wk_perf_read_branches(struct wk_perf *perf, const struct wk_perf_fields *fields);

/* deferred.c */

/* A record with a chain was read; its samples wait or are still to come. */
void wk_perf_add_deferred(struct wk_perf *perf, const struct wk_perf_record *record);
/* The record's turn has come: no later sample is of its chain. */
void wk_perf_drop_deferred(struct wk_perf *perf, const struct wk_perf_record *record);
/* The chain of a cookie, or NULL. */
const struct wk_perf_deferred *wk_perf_find_deferred(const struct wk_perf *perf, uint64_t cookie);
void wk_perf_deferred_fini(struct wk_perf *perf);

/* features.c */

/* Reads the content of one feature; emits facts at once. */
bool wk_perf_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes content);
/* One record of the BUILD_ID feature or of a pipe. */
bool wk_perf_add_build_id(struct wk_perf *perf, const struct wk_perf_record *record);
/* Sets the build id of an image that has none, if the feature has it. */
void wk_perf_apply_build_id(const struct wk_perf *perf, struct wk_event_image *image);

/* "HOSTNAME", as in perf's source, or what kind of feature it is. */
const char *wk_perf_feature_name(unsigned feature);

/* Reads the content of a feature and emits its facts, as `key` or keys that begin with it. False if
 * the sink failed. */
typedef bool wk_perf_read_feature(struct wk_perf *perf, struct wk_bytes *in, const char *key);

/* machine.c */

/* Length, then text that is padded with NULs. */
struct wk_str wk_perf_feature_text(struct wk_bytes *in);
bool wk_perf_emit_fact(struct wk_perf *perf, const char *key, struct wk_str value);

wk_perf_read_feature wk_perf_read_text, wk_perf_read_texts, wk_perf_read_count,
	wk_perf_read_cpu_counts, wk_perf_read_memory, wk_perf_read_topology, wk_perf_read_numa,
	wk_perf_read_pmus, wk_perf_read_groups, wk_perf_read_caches, wk_perf_read_memory_blocks,
	wk_perf_read_clock, wk_perf_read_clock_step, wk_perf_read_layout, wk_perf_read_compression,
	wk_perf_read_cpu_capabilities, wk_perf_read_capabilities, wk_perf_read_hybrid,
	wk_perf_read_android;
wk_perf_read_feature wk_perf_read_android_files; /* android.c */

/* other.c: what no view uses, for readers that look at details. Its text is valid until the next.
 */
bool wk_perf_read_other(struct wk_perf *perf, const struct wk_perf_record *record,
			struct wk_bytes *body, struct wk_event *event);

/* header.c: facts about the file itself, if only its header is read */

bool wk_perf_header_attr(struct wk_perf *perf, const struct wk_perf_attr *attr, struct wk_str name);
bool wk_perf_header_build_id(struct wk_perf *perf, const struct wk_build_id *id,
			     struct wk_str path);
/* That a section exists, and details that no other fact has. */
bool wk_perf_header_feature(struct wk_perf *perf, unsigned feature, struct wk_bytes content);
bool wk_perf_header_tracepoints(struct wk_perf *perf);

/* perf_data.c */

/* Records until then were read: they are emitted, and so are the heap's events until then. */
bool wk_perf_settle(struct wk_perf *perf, uint64_t until_ns);

/* Are the bytes, and some behind them, where they are until all is read? */
bool wk_perf_stays(const struct wk_perf *perf, struct wk_bytes bytes, size_t behind);

/* sections.c */
bool wk_perf_section(struct wk_perf *perf, unsigned feature, struct wk_bytes content);
/* Call once after the last section. */
void wk_perf_sort_extras(struct wk_perf *perf);
bool wk_perf_emit_extras(struct wk_perf *perf, uint64_t until_ns);
bool wk_perf_emit_uses(struct wk_perf *perf, uint64_t until_ns);
/* What names images, before the first record. */
bool wk_perf_emit_names(struct wk_perf *perf);
void wk_perf_apply_process_row(const struct wk_perf *perf, struct wk_event *event);
void wk_perf_apply_image_row(const struct wk_perf *perf, struct wk_event_image *image);

#endif
