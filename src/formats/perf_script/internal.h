/* Between the files that read `perf script` text.
 *
 * perf_script.c cuts the input into parts and reads each into tables of its own
 * (perf_script_part.c, perf_script_chain.c), in threads where that is asked for;
 * perf_script_tell.c then tells the parts' samples as events, in order and from one thread, so
 * that the cuts are not seen. perf_script_head.c and perf_script_frame.c know the two kinds of
 * lines, perf_script_collapse_head.c and perf_script_collapse.c what the older tools make of
 * them. The bytes that are read stay where
 * they are until the end, so all texts are borrowed from them. */
#ifndef WK_FORMATS_PERF_SCRIPT_INTERNAL_H
#define WK_FORMATS_PERF_SCRIPT_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "formats/collapse.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/stack_writer.h"

/* The first line of a sample. */
struct wk_script_head {
	struct wk_str comm;     /* the command's name, without blanks around it */
	struct wk_str pid, tid; /* as written; empty where they are not */
	struct wk_str who;      /* all of the above as it stands: from the line's begin */
	struct wk_str event;
	struct wk_str frame; /* where the only frame stands on the same line */
	uint64_t time_ns, period, lost;
	uint32_t cpu;
	bool has_time, has_event, has_period;
	bool is_record; /* of another kind (PERF_RECORD_...), not a sample */
};

/* As perf prints it, in all its forms. False if the line is none. */
bool wk_script_head_parse(struct wk_str line, struct wk_script_head *head);

/* As the older tool understands it; falls back to the above where it understands nothing. */
bool wk_script_head_collapse(const struct wk_collapse *collapse, struct wk_str line,
			     struct wk_script_head *head);

/* The name of the outermost frame that the older tool prints for a sample. */
void wk_script_root_name(const struct wk_collapse *collapse, const struct wk_script_head *head,
			 struct wk_buf *name);

/* A line of a call chain, apart from what it means. */
struct wk_script_frame_line {
	struct wk_str address; /* hexadecimal digits */
	struct wk_str rest;    /* the name, the image in parentheses ... */
	struct wk_str source;  /* the line of source that stood on a line of its own, or empty */
	bool in_kernel;        /* the address is in the kernel's half */
};

enum wk_script_line_kind {
	WK_SCRIPT_LINE_BLANK,
	WK_SCRIPT_LINE_FRAME,
	WK_SCRIPT_LINE_SOURCE, /* file and line of the frame before it (-F +srcline) */
	WK_SCRIPT_LINE_EXTRA,  /* known, and nothing to do with stacks: branches, registers ... */
	WK_SCRIPT_LINE_OTHER,
};

enum wk_script_line_kind wk_script_line_kind(struct wk_str line,
					     struct wk_script_frame_line *frame);

/* Where branch stack entries begin in `text`, or its length. */
size_t wk_script_branches_at(struct wk_str text);

struct wk_script_part;

/* The frames of a line, outermost first, through wk_script_add_frame. False if it is none after
 * all. `cuts` is set where an option says that the callers are not wanted. */
bool wk_script_frames_plain(struct wk_script_part *part, const struct wk_script_frame_line *line);
bool wk_script_frames_collapse(struct wk_script_part *part, const struct wk_script_frame_line *line,
			       bool is_java, bool *cuts);

/* What was read of one part of the input is kept in numbers that only this part knows. */

/* Whose samples are added up, and of which event. */
struct wk_script_group {
	uint64_t time_ns; /* of its first sample */
	uint32_t task;    /* in `tasks`; 0: nobody is named */
	uint32_t event;   /* in `events`; 0: none is named */
	bool has_period;  /* the first sample says what it weighs */
};

struct wk_script_task {
	struct wk_str who;  /* what it was known by in the text */
	struct wk_str name; /* of the thread; as an older tool has it, of the outermost frame */
	uint32_t pid, tid;
	bool has_pid;
	uint64_t last;  /* which sample of the part was its last; counted from 1 */
	uint32_t group; /* of its last sample, + 1 */
	uint32_t told;  /* for the teller: the name's number there, or the frame's */
};

/* A line's frames, found again by its text. */
struct wk_script_known_line {
	const char *at;
	uint32_t len;
	uint8_t flavour;
	bool cuts;
	uint32_t first, count; /* in line_frames */
};

/* Lines up to a blank one, found again by their text. */
struct wk_script_known_chain {
	const char *at;
	uint64_t hash;
	uint32_t len, chain;
	bool is_java;
};

struct wk_script_event_row {
	uint32_t told; /* for the teller: the source's number + 1, 0: not told yet */
};

struct wk_script_part {
	const struct wk_collapse *collapse; /* or NULL */
	bool sums;                          /* a row for each distinct stack, task and event */
	uint64_t sample_count;
	const char *at, *end;
	const char *mixed_until; /* up to here no blank lines stand between samples */

	struct wk_arena texts;         /* those that had to be made */
	struct wk_event_frame *frames; /* from 1 up */
	size_t frames_cap;
	uint32_t frame_count;
	struct wk_index frame_index;

	struct wk_script_known_line *lines; /* from 1 up */
	size_t lines_cap;
	uint32_t line_count;
	struct wk_index line_index;
	uint32_t *line_frames;
	size_t line_frames_cap, line_frame_count;

	struct wk_trie chains;               /* labels: frames; 0 where callers were cut off */
	struct wk_script_known_chain *known; /* from 1 up */
	size_t known_cap;
	uint32_t known_count;
	struct wk_index known_index;
	uint64_t *met, met_mask; /* a bit for each hash that was met */
	uint32_t *pending;       /* lines of the chain being read, innermost first */
	size_t pending_cap;

	struct wk_script_task *tasks; /* from 1 up */
	size_t tasks_cap;
	uint32_t task_count;
	struct wk_index task_index;

	struct wk_strtab *event_names; /* text n is row n + 1 of `events` */
	struct wk_script_event_row *events;
	size_t events_cap;
	uint32_t last_event; /* 0 where its word says nothing about other lines */
	struct wk_str last_event_word;

	struct wk_script_group *groups;
	size_t groups_cap;
	uint32_t group_count;
	struct wk_map group_of; /* task and event to a group's number + 1 */

	/* A sample each or, with `sums`, more. The stacks are `chains` until they are told, and
	 * `whose` is a group. */
	struct wk_event_sum *rows;
	size_t rows_cap, row_count;
	struct wk_index row_index; /* only with `sums`; row n goes by n + 1 */

	/* stackcollapse-perf.pl counts a sample when the blank line behind it comes. */
	bool wants_blank, has_unfinished;

	uint64_t lost;
	uint64_t bad_count;
	struct wk_str bad_first;
	bool bad_is_head; /* a sample's first line was expected there */

	/* For the teller. */
	uint32_t *number_of_frame, *stack_of_chain;
	size_t number_of_frame_cap, stack_of_chain_cap;
};

void wk_script_part_init(struct wk_script_part *part, const struct wk_read_options *options,
			 const char *begin, const char *end);

/* Frees all but what is said when all parts were told: lines that were lost, bad or unfinished. */
void wk_script_part_end(struct wk_script_part *part);

/* Reads until `most` rows are there; false at the end of the part. With `sums` it must be read to
 * its end at once. */
bool wk_script_part_read(struct wk_script_part *part, size_t most);

/* The line at `at`, with the carriage return that may stand before its end; and without. */
static inline struct wk_str wk_script_line_at(const char *at, const char *end)
{
	const char *feed = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	size_t len = (size_t)((feed ? feed : end) - at);

	return wk_str_of(at, len);
}

static inline struct wk_str wk_script_plain_line(struct wk_str line)
{
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}

/* Where the next line begins. */
static inline const char *wk_script_line_behind(struct wk_str line, const char *end)
{
	return line.at + line.len < end ? line.at + line.len + 1 : end;
}

/* Counts a line that makes no sense and keeps the first. */
void wk_script_note_bad(struct wk_script_part *part, struct wk_str line, bool is_head);

/* The chain that begins at `part->at`, behind a sample's first line; moves behind it. */
uint32_t wk_script_next_chain(struct wk_script_part *part, bool is_java);

/* The chain of a single frame. */
uint32_t wk_script_chain_of_frame(struct wk_script_part *part, struct wk_str text, bool is_java);

/* Adds to the line that is being read. */
void wk_script_add_frame(struct wk_script_part *part, const struct wk_event_frame *frame);

#define WK_SCRIPT_MOST_PARTS 64

/* Reads the input in `count` parts, the others than the first in threads of their own. */
bool wk_script_read(const struct wk_input *input, size_t count, const struct wk_sink *sink,
		    struct wk_err *err);

/* From parts to events. */
struct wk_script_emitter {
	struct wk_stack_writer *writer;
	const struct wk_collapse *collapse; /* or NULL */
	struct wk_strtab *names;            /* of threads */
	struct wk_strtab *sources;          /* by name; 0 is the one without */
	bool told_unnamed;
	struct wk_map name_of_thread; /* pid and tid to a name's number */
	struct wk_map knows_process;
	struct wk_map stacks;        /* outermost frame and chain to stack */
	struct wk_script_part *part; /* whose stacks those are */
	uint32_t last_task;
	uint32_t *path; /* scratch */
	size_t path_cap;
	struct wk_str only_event; /* the one that an older tool takes */
	bool has_only_event, told_filtering;
};

void wk_script_emitter_init(struct wk_script_emitter *teller, struct wk_stack_writer *writer,
			    const struct wk_collapse *collapse);
void wk_script_emitter_fini(struct wk_script_emitter *teller);

/* Tells all rows there are and takes them out. */
void wk_script_emit(struct wk_script_emitter *teller, struct wk_script_part *part);

#endif
