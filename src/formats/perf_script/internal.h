/* Between the files that read `perf script` text.
 *
 * perf_script.c cuts the input into parts and reads each into its own tables (part.c, chain.c), in
 * several threads if the options allow that; emit.c then emits the samples of all parts as events,
 * in order and from one thread, so that the result does not depend on the cuts. head.c and frame.c
 * parse the two kinds of lines, collapse_head.c and collapse.c as the older tools do. All texts are
 * borrowed from the input, which stays in place until the end. */
#ifndef WK_FORMATS_PERF_SCRIPT_INTERNAL_H
#define WK_FORMATS_PERF_SCRIPT_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "formats/collapse.h"
#include "formats/pieces.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/scan.h"
#include "formats/stack_writer.h"

/* The first line of a sample. */
struct wk_script_head {
	struct wk_str comm;     /* the command's name, without blanks around it */
	struct wk_str pid, tid; /* as written; may be empty */
	struct wk_str who;      /* the line up to here: all of the above as written */
	struct wk_str event;
	struct wk_str frame; /* the only frame, if it is on the same line */
	uint64_t time_ns, period, lost;
	uint32_t cpu;
	bool has_time, has_event, has_period;
	bool is_record; /* of another kind (PERF_RECORD_...), not a sample */
};

/* In all forms that perf prints. False for other lines. */
bool wk_script_head_parse(struct wk_str line, struct wk_script_head *head);

/* A first line without a command's number (-F comm,time,ip,sym): any line is one. */
void wk_script_head_parse_bare(struct wk_str line, struct wk_script_head *head);

/* As the older tool understands it, or as above if the tool does not understand the line. */
bool wk_script_head_collapse(const struct wk_collapse *collapse, struct wk_str line,
			     struct wk_script_head *head);

/* The name of the outermost frame that the older tool prints for a sample. */
void wk_script_root_name(const struct wk_collapse *collapse, const struct wk_script_head *head,
			 struct wk_buf *name);

/* The parts of a line of a call chain. */
struct wk_script_frame_line {
	struct wk_str address; /* hexadecimal digits */
	struct wk_str rest;    /* the name, the image in parentheses ... */
	struct wk_str source;  /* the file and line from the next line, or empty */
	bool in_kernel;        /* the address is in the kernel's half */
};

enum wk_script_line_kind {
	WK_SCRIPT_LINE_BLANK,
	WK_SCRIPT_LINE_FRAME,
	WK_SCRIPT_LINE_SOURCE, /* file and line of the frame before it (-F +srcline) */
	WK_SCRIPT_LINE_EXTRA,  /* known, but no part of a stack: branches, registers ... */
	WK_SCRIPT_LINE_OTHER,
};

enum wk_script_line_kind wk_script_line_kind(struct wk_str line,
					     struct wk_script_frame_line *frame);

/* Is the address where perf puts it, behind a tab or a blank and 16 columns wide? Few other texts
 * have such lines. */
bool wk_script_is_aligned_frame(struct wk_str line);

/* A line of the usual form: its frames are determined by these. */
struct wk_script_usual_line {
	struct wk_str name;  /* without its offset */
	struct wk_str image; /* in its parentheses */
	struct wk_str rest;  /* all behind the address */
	const char *next;    /* line */
	bool in_kernel;
};

/* The line at `at`, of a text up to `end`. False: it is to be read with wk_script_line_kind. */
bool wk_script_usual_line(const char *at, const char *end, struct wk_script_usual_line *line);

/* The offset of the branch stack entries in `text`, or its length. */
size_t wk_script_branches_at(struct wk_str text);

struct wk_script_part;

/* Pass the frames of a line, outermost first, to wk_script_add_frame. False if the line is no frame
 * after all. `cuts` is set if an option drops the callers of this frame. */
bool wk_script_frames_plain(struct wk_script_part *part, const struct wk_script_frame_line *line);
bool wk_script_frames_collapse(struct wk_script_part *part, const struct wk_script_frame_line *line,
			       bool is_java, bool *cuts);

/* Each part of the input has its own numbers of frames, chains, tasks and events. */

/* The task and event whose samples are added up. */
struct wk_script_group {
	uint64_t time_ns; /* of its first sample */
	uint32_t task;    /* in `tasks`; 0: not named */
	uint32_t event;   /* in `event_names`, + 1; 0: not named */
	bool has_period;  /* of the first sample */
};

struct wk_script_task {
	struct wk_str who;  /* the start of its samples' first lines */
	struct wk_str name; /* of the thread; in collapse mode, of the outermost frame */
	uint32_t pid, tid;
	bool has_pid;
	uint64_t last;    /* its last sample's number in the part, from 1 */
	uint32_t group;   /* of its last sample, + 1 */
	uint32_t emitted; /* the emitter's number of the name + 1, or of the frame; 0: none yet */
};

/* A line's frames, found again by its text. */
struct wk_script_known_line {
	const char *at, *image; /* of usual lines the name, and the image */
	uint32_t len, image_len;
	uint8_t flavour;
	bool cuts;
	uint32_t first, count; /* in line_frames */
};

struct wk_script_part {
	const struct wk_collapse *collapse; /* or NULL */
	bool sums;                          /* a row for each distinct stack, task and event */
	uint64_t sample_count;
	const char *at, *end;
	bool is_in_pieces; /* the text is replaced by the next: what is kept is copied */
	bool has_one_line; /* the last was cut before a sample of one line */
	struct wk_pieces pieces;
	const char *begin;     /* of the text that is there ... */
	uint64_t bytes_before; /* ... and how much of the input was before it */
	uint64_t lines_before; /* the same in lines; of a pipe only */
	bool is_list;          /* each line is a sample: an address and a name */
	bool is_end;           /* of the input */

	struct wk_arena texts;         /* composed names */
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

	struct wk_trie chains; /* labels: frames; 0: callers were cut off */
	uint32_t *pending;     /* lines of the chain being read, innermost first */
	size_t pending_cap;

	struct wk_script_task *tasks; /* from 1 up */
	size_t tasks_cap;
	uint32_t task_count;
	struct wk_index task_index;

	struct wk_strtab *event_names; /* text n is event n + 1 */
	uint32_t event_count;
	uint32_t last_event; /* 0: its word cannot identify it in other lines */
	struct wk_str last_event_word;

	struct wk_script_group *groups;
	size_t groups_cap;
	uint32_t group_count;
	struct wk_map group_of; /* task and event to a group's number + 1 */

	/* A sample each or, with `sums`, several. `stack` is a number in `chains` until the row is
	 * emitted, `whose` a group. */
	struct wk_event_sum *rows;
	size_t rows_cap, row_count;
	struct wk_index row_index; /* only with `sums`: row + 1 */

	/* stackcollapse-perf.pl counts a sample only if a blank line follows it. */
	bool wants_blank, has_unfinished;

	uint64_t lost;
	uint64_t bad_count;
	struct wk_str bad_first;
	uint64_t bad_at;     /* where that line is in the input */
	uint64_t bad_number; /* its number; 0: to be counted */
	bool bad_is_head;    /* a sample's first line was expected there */

	/* The emitter's numbers; 0: none yet. */
	uint32_t *number_of_frame, *stack_of_chain;
	uint32_t *source_of_event; /* + 1 */
	size_t number_of_frame_cap, stack_of_chain_cap, source_of_event_cap;
};

void wk_script_part_init(struct wk_script_part *part, const struct wk_read_options *options,
			 const char *begin, const char *end);

/* Before the text is replaced by the next. */
void wk_script_part_leave(struct wk_script_part *part);

/* Frees what only reading needs: the indexes of known texts. */
void wk_script_part_end_reading(struct wk_script_part *part);

/* A text that lasts as long as the part. */
static inline struct wk_str wk_script_kept(struct wk_script_part *part, struct wk_str text)
{
	return part->is_in_pieces && text.len ? wk_arena_copy(&part->texts, text) : text;
}

/* Frees the tables; the counts of lost, bad and unfinished samples remain readable. */
void wk_script_part_end(struct wk_script_part *part);

/* Reads until there are `most` rows; false at the end of the part. With `sums` one call must read
 * the whole part. */
bool wk_script_part_read(struct wk_script_part *part, size_t most);

/* The line at `at`, including a carriage return at its end; and a line without that. */
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

/* The start of the next line. */
static inline const char *wk_script_line_behind(struct wk_str line, const char *end)
{
	return line.at + line.len < end ? line.at + line.len + 1 : end;
}

/* The offset of the first byte from `at` on that is no digit. */
static inline size_t wk_script_skip_digits(struct wk_str text, size_t at)
{
	while (at < text.len && wk_is_digit(text.at[at]))
		at++;
	return at;
}

/* The number of the line at `at` in the text at `begin`, from 1. */
uint64_t wk_script_line_number(const char *begin, const char *at);

/* Counts a line that was not understood and remembers the first. */
void wk_script_note_bad(struct wk_script_part *part, struct wk_str line, bool is_head);

/* Reads the chain at `part->at`, behind a sample's first line, and moves behind it. */
uint32_t wk_script_next_chain(struct wk_script_part *part, bool is_java);

/* The chain of a single frame, `text`. Moves behind its source line, if that is at `part->at`. */
uint32_t wk_script_chain_of_frame(struct wk_script_part *part, struct wk_str text, bool is_java);

/* Adds a frame of the line that is being read. */
void wk_script_add_frame(struct wk_script_part *part, const struct wk_event_frame *frame);

#define WK_SCRIPT_MOST_PARTS 64
#define WK_SCRIPT_EXPECTED \
	"the text of `perf script`: \"COMMAND PID TIME: EVENT:\", then a line for each frame"

/* Reads the input in `count` parts, each but the first in its own thread; of a pipe one. */
bool wk_script_read(const struct wk_input *input, size_t count, const struct wk_sink *sink,
		    struct wk_err *err);

/* Continues a part that is read in pieces with its next text; false at the end, or if reading
 * fails. */
bool wk_script_next_piece(struct wk_script_part *part);

/* Is each line a sample, an address and a name? By the first lines. */
bool wk_script_is_list(struct wk_bytes bytes);

/* What is emitted before the samples and after them. */
void wk_script_emit_start(struct wk_stack_writer *writer, const struct wk_input *input);
void wk_script_emit_end(struct wk_stack_writer *writer, const struct wk_input *input,
			const struct wk_script_part *parts, size_t count);

/* Emits the samples of parts as events. */
struct wk_script_emitter {
	struct wk_stack_writer *writer;
	const struct wk_collapse *collapse; /* or NULL */
	struct wk_strtab *names;            /* of threads */
	struct wk_strtab *sources;          /* by name; 0 is the unnamed one */
	bool has_unnamed;
	struct wk_map name_of_thread; /* pid and tid to a name's number + 1 */
	struct wk_map knows_process;
	struct wk_map stacks;        /* outermost frame and chain to stack */
	struct wk_script_part *part; /* that `stacks` and `last_task` belong to */
	uint32_t last_task;
	uint32_t *path; /* scratch */
	size_t path_cap;
	struct wk_str only_event; /* the only one that the older tool counts */
	bool has_only_event, has_noted_filter;
};

void wk_script_emitter_init(struct wk_script_emitter *emitter, struct wk_stack_writer *writer,
			    const struct wk_collapse *collapse);
void wk_script_emitter_fini(struct wk_script_emitter *emitter);

/* Emits all rows and removes them from the part. */
void wk_script_emit(struct wk_script_emitter *emitter, struct wk_script_part *part);

#endif
