/* The profile: tables of columns. The header to read first.
 *
 * Rows have 32-bit ids. Id 0 means "none" in every table, so row 0 of each is empty. Rows are
 * added, never edited, except where a comment says that a later event or wk_model_resolve fills a
 * column. A parent is always added before its children, so its id is smaller. The model owns
 * everything in it and frees it all at once.
 *
 *   sample -> stack -> (parent stack, frame), frame -> (image, address)        as recorded
 *   named_of[stack] -> named stack -> (parent, named frame) -> function        as resolved
 *
 * One recorded frame becomes one named frame, or several if calls were inlined. A named frame is a
 * function and the line of its source.
 * model/builder.h fills the recorded part from events, model/resolve.h the named part, and views/
 * read both. */
#ifndef WK_MODEL_MODEL_H
#define WK_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "event/event.h"
#include "event/image_kind.h"
#include "symbols/image/symbols.h"

typedef uint32_t wk_text_id; /* in wk_model.text */
typedef uint32_t wk_image_id;
typedef uint32_t wk_function_id;
typedef uint32_t wk_frame_id;
typedef uint32_t wk_stack_id;
typedef uint32_t wk_process_id;
typedef uint32_t wk_thread_id;
typedef uint32_t wk_source_id;
typedef uint32_t wk_heap_id;
typedef uint32_t wk_subject_id;

/* One row for each distinct (path, build id, inode and its generation). */
struct wk_image {
	wk_text_id path, name; /* name: what is shown, usually the path's last part */
	enum wk_image_kind kind;
	struct wk_build_id build_id;
	uint64_t inode, inode_generation;
	uint32_t device_major, device_minor;
	wk_text_id pdb_path; /* of a Windows image; 0 if unknown, otherwise the build id is that
			      * of its PDB */
	uint32_t time_stamp, image_bytes;
	uint32_t pid;         /* a process that had it mapped (the first) */
	uint64_t first_start; /* its first mapping */
	uint64_t first_offset, first_size_bytes;
	uint64_t first_seen_ns;
	uint32_t first_input, last_input; /* whose numbers it is from */
	wk_text_id reason;         /* by resolve: where names came from, or why there are none */
	wk_text_id names_source;   /* by resolve: the same for a column "names from"; 0: `reason` */
	bool is_hidden;            /* by resolve: the kernel hides its addresses from this user */
	bool in_kernel;            /* a file that the kernel has mapped: a driver */
	bool has_names;            /* by resolve */
	enum wk_image_state state; /* by resolve: of its file; WK_IMAGE_NAMED if never looked for */
};

/* A process from its start (fork) to its end; a reused pid is another row. */
struct wk_process {
	uint32_t pid;
	uint32_t parent_pid;  /* 0: unknown, or of none */
	wk_process_id parent; /* 0: the recording does not have it */
	wk_text_id name;      /* the last name it had */
	wk_text_id command_line;
	uint64_t start_ns; /* 0: before the recording */
	uint64_t end_ns;   /* 0: still ran when the recording ended */
	bool has_exit_code;
	int exit_code;
	wk_text_id user;     /* its owner; this and the next two are 0 if unknown */
	wk_text_id package;  /* that it was installed from */
	wk_text_id services; /* that run in it */
	bool has_session;
	uint32_t session;
	uint32_t traits;           /* enum wk_process_trait */
	struct wk_process_use use; /* the last that was recorded */
};

struct wk_thread {
	uint32_t tid;
	wk_process_id process;
	wk_text_id name;
	uint64_t start_ns, end_ns;
};

/* A heap of a process, as the system names it. */
struct wk_heap_row {
	wk_process_id process;
	uint64_t handle; /* 0: the process has only one */
	wk_text_id name; /* the handle as text: "0x1f0000" */

	bool counts_blocks; /* their number is known */
	bool was_there;     /* before the recording, with blocks that are unknown */

	/* All of its blocks: of those that were freed, half were there no longer than the median,
	 * none longer than the longest. Row 0 has the sums of all heaps. */
	uint64_t left_bytes;          /* while its process runs; 0 afterwards */
	uint64_t peak_bytes, peak_ns; /* the most that was left, and when that was so first */
	uint64_t frees, median_life_ns, longest_life_ns;
	uint64_t unknown_frees; /* of addresses at which no block was known */
	uint64_t missed_frees;  /* blocks at whose address another one was allocated */
};

/* What a block or a wait is, in addition to its thread and stack. One row for each distinct one. */
struct wk_subject {
	wk_heap_id heap;   /* of a block; 0 for a wait */
	wk_text_id what;   /* of a block: the part of the allocator, as the system calls it; of a
			    * wait: its reason. 0 if unknown */
	wk_thread_id by;   /* of a wait: the thread that ended it; 0: none, unknown, or: */
	bool by_interrupt; /* an interrupt ended it, for a device or a timer */
	bool could_run;    /* not a wait: the thread was preempted */
	uint8_t mode;      /* of a wait: enum wk_wait_mode */
};

/* How the recorder found the callers of a user stack. */
enum wk_stacks_by {
	WK_STACKS_UNTOLD,         /* unknown */
	WK_STACKS_NONE,           /* it did not: a sample is one address */
	WK_STACKS_FRAME_POINTERS, /* the kernel followed them, even if the code has none */
	WK_STACKS_OTHERWISE,
};

/* What was sampled: "cpu-clock" in "ns". */
struct wk_source {
	uint32_t number; /* as events name it */
	wk_text_id name, unit;
	bool is_cpu_time;
	bool is_weighed;     /* only the weights of rows matter, not their number */
	bool counts_samples; /* its weights are numbers of samples: a row stands for several */
	bool has_lifetimes;  /* memory: what a row weighs is freed later, see wk_ends */
	bool is_of_blocks;   /* of heaps: what the allocator does is charged to its caller */
	bool is_of_pages;    /* of address spaces */
	bool is_part;        /* its rows are parts of those of another source, and no more events */
	uint8_t stacks_by;   /* enum wk_stacks_by */
	uint64_t lost_samples;
	uint64_t lost_before; /* of them, those of the first side of a comparison */
};

struct wk_function {
	wk_text_id name;   /* readable; for unnamed ones see model/resolve.h */
	wk_text_id linked; /* as linked (mangled); 0 if there is none */
	wk_text_id plain;  /* by resolve: the name without the lines of closures; 0: it has none */
	wk_image_id image;
	wk_text_id file; /* of its source; 0 if unknown */
	uint8_t kind;    /* enum wk_frame_kind, as in the input */
	bool is_unnamed;
	bool is_rest_of_image; /* all unnamed code of its image */
	bool is_before;        /* came with the line of a closure, in the "before" input of a
				* comparison: that line is another after an edit */
	uint32_t closure_line; /* by resolve: that its name has; 0 of others */
};

/* Does the user part of a stack end where a program or a thread begins? */
enum wk_reach {
	WK_REACH_CUT, /* no: the outermost frame has callers, or there is no user part */
	WK_REACH_ROOT,
	WK_REACH_UNKNOWN, /* the file of the outermost frame could not be opened */
};

struct wk_frames { /* recorded frames */
	uint32_t count;
	wk_image_id *image;
	uint64_t *address; /* file offset in the image; absolute for kernel, anonymous, unknown */
	wk_function_id *function; /* if the frame came with its name, otherwise 0 */
	uint32_t *line;           /* of its source; 0 if unknown */
	uint8_t *is_inlined;      /* into its caller; known only of frames with names */
	size_t cap;
};

struct wk_named_frames { /* one for each distinct (function, line, is_inlined) */
	uint32_t count;
	wk_function_id *function;
	wk_frame_id *frame;  /* the first recorded frame it came from */
	uint32_t *line;      /* of the function's source; 0 if unknown */
	uint8_t *is_inlined; /* 1: inlined into the frame below it (its caller) */
	size_t cap;
};

/* The calls of each recorded frame: the function that the machine ran, followed by the calls that
 * were inlined into it, each into the one before. See wk_model_calls_of. */
struct wk_calls {
	uint32_t *first; /* [frames.count + 1]: rows of a frame; NULL if came_named */
	wk_function_id *function;
	uint32_t *line; /* of the function's source; 0 if unknown */
	size_t count, cap;
};

/* In order of time. If no view needs single samples, a row may stand for all samples of one stack,
 * thread, source and side: `times` is their number, time and CPU are those of the first. */
struct wk_samples {
	uint32_t count;
	wk_stack_id *stack; /* recorded stack: leaf id names the whole stack */
	uint64_t *weight;   /* in the unit of its source */

	/* Columns that text without times and threads does not need are NULL until a row differs:
	 * wk_sample_time() and the others below read them. */
	uint64_t *time_ns;
	wk_thread_id *thread;
	wk_source_id *source;
	uint32_t *cpu;
	uint8_t *is_before;   /* of the "before" side of a comparison; NULL: none is */
	uint64_t *times;      /* how many samples a row stands for; NULL: its source decides */
	wk_subject_id *about; /* of blocks and waits, otherwise 0; NULL: there are none */
	size_t cap, expected; /* rows that fit, and that will come, if known */
};

/* Stacks as lists of frames, of rows whose stack is 0: model/stack_lists.h. */
struct wk_stack_lists {
	struct wk_list_block *first, *last; /* NULL: there are none */
	size_t frame_count;
};

/* Memory that was freed, of rows whose sources have lifetimes, in the order in which it was added.
 * What is left of a row at a moment is its weight less those of its ends until then, or 0: the sum
 * of all weights is limited, that of ends is not. Memory that was never freed has no row here. Ends
 * that are summed have the time of the last event of their interval (model/heap/rows.h). */
struct wk_end {
	uint32_t sample; /* row of samples */
	uint32_t at_row; /* how many samples there were by then: the order among them */
	uint64_t time_ns, weight;
	uint64_t times;      /* how many of the row's blocks ended; 0: a part of its only one */
	wk_thread_id thread; /* that freed it; 0: its process ended */
	wk_stack_id stack;   /* recorded; 0 if unknown. Of several blocks both are of the first */
	uint8_t lived;       /* wk_power_of() of the time in ns that each was there */
	bool is_left;        /* nothing freed it before its process ended: it is gone since, and
			      * what is left in the end contains it */
};

#define WK_LIVED_UNKNOWN UINT8_MAX

/* 0 for 0, otherwise n for values from 2^(n-1) to 2^n - 1: the classes of sizes and lifetimes. */
static inline uint32_t wk_power_of(uint64_t value)
{
	return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

#define WK_POWERS 65 /* how many there are */

enum wk_doing {
	WK_DOING_UNKNOWN, /* of no interval */
	WK_RUNNING,
	WK_WAITING, /* for something */
	WK_READY,   /* it could run, but had no processor */
};

/* What a thread did, by the switches between threads. If no view needs single samples, a row stands
 * for all intervals of a thread with the same state and subject. */
struct wk_interval {
	union {
		uint64_t begin_ns;   /* of a single one */
		uint64_t longest_ns; /* of several */
	};
	uint64_t took_ns; /* all of them */
	uint32_t times;   /* how many there are */
	wk_thread_id thread;
	wk_subject_id
		about; /* the wait, or the last one of a thread that is ready; 0 while it runs */
	uint8_t doing; /* enum wk_doing */
};

/* A moment with a name, as programs and users record them. */
struct wk_mark {
	uint64_t time_ns;
	wk_process_id process; /* 0 if unknown */
	wk_thread_id thread;
	wk_text_id label, provider;
};

/* A moment whose allocated blocks are of interest. What is left of a row at it is what
 * wk_lifetimes_left() says, with the ends and rows that were there by then. */
struct wk_snapshot {
	uint64_t time_ns;
	uint32_t at_row, at_end; /* how many samples and ends there were by then */
	wk_process_id process;   /* 0: of all */
	wk_text_id label;        /* 0: none */
	uint8_t cause;           /* enum wk_snapshot_cause */
	uint32_t input;          /* that it is from, counted from 1 */
};

/* What the system counted for a process at a moment. */
struct wk_use_row {
	uint64_t time_ns;
	wk_process_id process;
	struct wk_process_use use;
};

/* How many records of a kind an input has. */
struct wk_count {
	wk_text_id provider, name;
	uint64_t count;
	bool is_used;
};

/* The place of a recorded name: in an image, by path and build id or, without one, by the input
 * that has both. */
struct wk_recorded_key {
	wk_text_id path;
	struct wk_build_id build_id;
	uint64_t address;
	uint32_t input;
};

/* A function by its name, as linked. */
struct wk_embedded_symbol {
	struct wk_recorded_key at;
	uint64_t size_bytes;
	wk_text_id name;
};

/* A function as the recorder saw it, with a name or not. */
struct wk_embedded_bounds {
	struct wk_recorded_key at;
	uint32_t size_bytes;
	bool is_root;
};

/* The calls at one address: rows of embedded_calls, the outermost function first. */
struct wk_embedded_place {
	struct wk_recorded_key at;
	uint32_t first, count;
};

struct wk_embedded_call {
	wk_text_id function; /* as linked */
	wk_text_id file;
	uint32_t line;
};

struct wk_fact {
	wk_text_id key, value;
	wk_text_id section; /* what it is a part of; 0: the whole */
	uint32_t input;     /* that it is from, counted from 1 */
};

struct wk_note {
	uint64_t offset; /* WK_NOWHERE if it has none */
	wk_text_id text;
	uint64_t count; /* how many equal notes there were */
	enum wk_note_severity severity;
};

/* The time of the samples of a side, by its own clock. */
struct wk_side_time {
	uint64_t first_ns, last_ns;
	uint64_t began_ns;     /* when the recording did; UINT64_MAX: unknown */
	uint64_t command_ns;   /* when its command did, a little later; UINT64_MAX: it has none */
	uint32_t began_inputs; /* the number of the last input of which that was asked */
	bool has_command;
	bool has_samples;
	const struct wk_traits *traits; /* of its inputs */
};

struct wk_model {
	struct wk_strtab *text;
	wk_text_id input;  /* its files as arguments of a shell command; 0: unknown */
	bool sums_samples; /* set before the first event: samples, and intervals of threads, that
			    * differ only in time and CPU become one row. Samples that came with
			    * their stacks' names, and those with lifetimes, keep a row each */
	bool sums_blocks; /* set before the first event: so do blocks of heaps of one stack, thread,
			   * subject and power of two of sizes, for each interval between snapshots
			   * of their process. What is left of them is known at those moments only,
			   * and at these, which count from wk_model_begin_ns; 0: none */
	uint64_t sums_from_ns, sums_to_ns;
	bool slices_blocks; /* with sums_blocks: the first blocks have a row each, and intervals of
			     * the others are also ended by time: model/heap/rows.h */
	bool separates_heaps; /* but blocks of heaps that have handles keep a row each */
	bool has_several_inputs;
	bool samples_blocks;          /* of heaps: sizes and numbers are estimates, */
	uint64_t sample_bytes;        /* of blocks that are this mean distance apart; 0: unknown */
	uint64_t sample_bytes_before; /* the same on the "before" side of a comparison */
	uint64_t weight_left;         /* for wk_model_fit_weight */

	/* Each of these arrays has `..._count` rows, row 0 being the empty one. */
	struct wk_image *images;
	uint32_t image_count;
	struct wk_process *processes;
	uint32_t process_count;
	struct wk_thread *threads;
	uint32_t thread_count;
	struct wk_source *sources;
	uint32_t source_count;
	struct wk_function *functions;
	uint32_t function_count;
	struct wk_embedded_symbol *embedded; /* from row 0 on */
	uint32_t embedded_count;
	struct wk_embedded_bounds *embedded_bounds; /* from row 0 on */
	uint32_t embedded_bounds_count;
	struct wk_embedded_place *embedded_places; /* from row 0 on */
	uint32_t embedded_place_count;
	struct wk_embedded_call *embedded_calls; /* from row 0 on */
	uint32_t embedded_call_count;
	struct wk_fact *facts; /* from row 0 on: facts have no ids */
	uint32_t fact_count;
	struct wk_note *notes; /* from row 0 on */
	uint32_t note_count;
	struct wk_heap_row *heaps;
	uint32_t heap_count;
	struct wk_subject *subjects;
	uint32_t subject_count;
	struct wk_mark *marks; /* from row 0 on, in order of time */
	uint32_t mark_count;
	struct wk_snapshot *snapshots; /* from row 0 on, in order of time: number 1 is row 0 */
	uint32_t snapshot_count;
	struct wk_use_row *uses; /* from row 0 on, in order of time */
	uint32_t use_count;
	struct wk_count *counts; /* from row 0 on */
	uint32_t count_count;

	struct wk_frames frames;
	struct wk_trie stacks;     /* labels are wk_frame_id */
	struct wk_samples samples; /* from row 0 on: samples have no ids */
	struct wk_stack_lists lists;
	struct wk_end *ends; /* from row 0 on */
	uint32_t end_count;
	struct wk_interval *intervals; /* from row 0 on */
	uint32_t interval_count;

	/* Filled by wk_model_resolve. */
	struct wk_calls calls;
	struct wk_named_frames named_frames;
	struct wk_trie named;   /* labels are rows of named_frames */
	wk_stack_id *named_of;  /* [stacks.count]; see wk_model_named_of */
	bool came_named;        /* every frame came with its name: `named` is `stacks` itself */
	uint8_t *reaches_root;  /* [stacks.count]: enum wk_reach; NULL if came_named */
	uint8_t *has_user_part; /* [stacks.count]; NULL if came_named */

	uint32_t input_number; /* of the input that is being read */
	uint64_t lost_samples; /* of all sources, and those of unknown ones */
	uint64_t lost_records;
	uint64_t lost_before;                 /* of both, those of the first side of a comparison */
	uint64_t first_ns, last_ns;           /* of the samples */
	const struct wk_traits *traits;       /* of the system that was recorded */
	const struct wk_traits *input_traits; /* of the input that is being read */
	struct wk_side_time side_times[2];    /* of a comparison: [is_before] */
	enum wk_fetching fetching;            /* of files with more names */

	struct wk_model_private *own; /* capacities and hash tables */
};

struct wk_model *wk_model_new(void);
void wk_model_free(struct wk_model *model);

static inline struct wk_str wk_model_str(const struct wk_model *model, wk_text_id id)
{
	return wk_strtab_str(model->text, id);
}

/* For advice that can be pasted into a shell: the files of the model, or the one that commands for
 * a single file accept. "FILE" if unknown. */
static inline const char *wk_model_input(const struct wk_model *model)
{
	return model->input ? wk_strtab_get(model->text, model->input) : "FILE";
}

static inline const char *wk_model_one_input(const struct wk_model *model)
{
	return model->has_several_inputs ? "FILE" : wk_model_input(model);
}

/* The named stack of a recorded one. */
static inline wk_stack_id wk_model_named_of(const struct wk_model *model, wk_stack_id stack)
{
	if (model->named_of)
		return model->named_of[stack];
	return model->came_named ? stack : 0;
}

/* The functions of a recorded frame, outermost first. */
struct wk_frame_calls {
	const wk_function_id *function;
	const uint32_t *line;
	uint32_t count;
};

static inline struct wk_frame_calls wk_model_calls_of(const struct wk_model *model,
						      wk_frame_id frame)
{
	const struct wk_calls *calls = &model->calls;
	uint32_t first;

	if (!calls->first)
		return (struct wk_frame_calls){ &model->frames.function[frame],
						&model->frames.line[frame], 1 };
	first = calls->first[frame];
	return (struct wk_frame_calls){ calls->function + first, calls->line + first,
					calls->first[frame + 1] - first };
}

/* An image as symbols/ looks it up. */
struct wk_image_key wk_model_image_key(const struct wk_model *model, wk_image_id id);

/* UINT64_MAX: unknown. */
static inline uint64_t wk_side_time_start_ns(const struct wk_side_time *side)
{
	return side->command_ns < UINT64_MAX ? side->command_ns : side->began_ns;
}

/* Of a start, if it is known, and the first sample, if there is one. */
static inline uint64_t wk_earlier_start(uint64_t start_ns, bool has_samples, uint64_t first_ns)
{
	return start_ns < first_ns || (!has_samples && start_ns < UINT64_MAX) ? start_ns : first_ns;
}

/* Moments are counted from here: the start of a trace that has its own, that of wick's own
 * recordings, or the first sample. While events are read, it is known once the first sample is
 * and, if a command was recorded, the command. */
static inline uint64_t wk_model_begin_ns(const struct wk_model *model)
{
	uint64_t before_ns = wk_side_time_start_ns(&model->side_times[true]);
	uint64_t after_ns = wk_side_time_start_ns(&model->side_times[false]);
	uint64_t start_ns = before_ns < after_ns ? before_ns : after_ns;

	if (model->traits->times_from_start)
		return 0;
	return wk_earlier_start(start_ns, model->samples.count, model->first_ns);
}

/* The same, and the last sample, of one side of a comparison: each was recorded at its own time. */
static inline uint64_t wk_model_side_begin_ns(const struct wk_model *model, bool is_before)
{
	const struct wk_side_time *side = &model->side_times[is_before];
	uint64_t start_ns = wk_side_time_start_ns(side);

	if (!model->samples.is_before)
		return wk_model_begin_ns(model);
	if (side->traits->times_from_start)
		return 0;
	return wk_earlier_start(start_ns, side->has_samples, side->first_ns);
}

static inline uint64_t wk_model_side_last_ns(const struct wk_model *model, bool is_before)
{
	return model->samples.is_before ? model->side_times[is_before].last_ns : model->last_ns;
}

static inline uint64_t wk_sample_time(const struct wk_samples *samples, uint32_t row)
{
	return samples->time_ns ? samples->time_ns[row] : 0;
}

static inline wk_thread_id wk_sample_thread(const struct wk_samples *samples, uint32_t row)
{
	return samples->thread ? samples->thread[row] : 0;
}

static inline wk_source_id wk_sample_source(const struct wk_samples *samples, uint32_t row)
{
	return samples->source ? samples->source[row] : 1;
}

/* WK_NO_CPU if unknown. */
static inline uint32_t wk_sample_cpu(const struct wk_samples *samples, uint32_t row)
{
	return samples->cpu ? samples->cpu[row] : WK_NO_CPU;
}

/* How many samples a row stands for. */
static inline uint64_t wk_model_sample_times(const struct wk_model *model, uint32_t sample)
{
	if (model->samples.times)
		return model->samples.times[sample];
	return model->sources[wk_sample_source(&model->samples, sample)].counts_samples
		       ? model->samples.weight[sample]
		       : 1;
}

/* What a row is about, in addition to its thread and stack. */
static inline const struct wk_subject *wk_model_subject(const struct wk_model *model,
							uint32_t sample)
{
	return &model->subjects[model->samples.about ? model->samples.about[sample] : 0];
}

/* The word for its rows: "sample", or "record" if they are only parts of a sum. */
static inline const char *wk_source_row_word(const struct wk_source *source)
{
	if (source->has_lifetimes || source->is_part)
		return "allocation";
	return source->is_weighed && !source->counts_samples ? "record" : "sample";
}

/* Rows. Images, functions, frames, stacks and subjects are interned: an equal one gets the id of
 * the first. */
wk_text_id wk_model_text(struct wk_model *model, struct wk_str text);
wk_image_id wk_model_add_image(struct wk_model *model, enum wk_image_kind kind,
			       const struct wk_event_image *image, uint32_t pid, uint64_t time_ns);
wk_process_id wk_model_add_process(struct wk_model *model, const struct wk_process *process);
wk_thread_id wk_model_add_thread(struct wk_model *model, const struct wk_thread *thread);
wk_source_id wk_model_add_source(struct wk_model *model, const struct wk_source *source);

/* A source whose rows are derived from other events; one for all inputs. */
enum wk_derived {
	WK_DERIVED_WAIT,
	WK_DERIVED_READY,
	WK_DERIVED_READYING,
	WK_DERIVED_COMMIT,
	WK_DERIVED_RESERVE,
	WK_DERIVED_DECOMMIT,
	WK_DERIVED_HEAP,
	WK_DERIVED_FREE,
	WK_DERIVED_HEAP_TEMPORARY, /* freed before their thread did anything else */
	WK_DERIVED_HEAP_PEAK,      /* blocks that were there when their process had the most */
	WK_DERIVED_COUNT
};
wk_source_id wk_model_derived_source(struct wk_model *model, enum wk_derived derived);
wk_function_id wk_model_add_function(struct wk_model *model, const struct wk_function *function);
wk_frame_id wk_model_add_frame(struct wk_model *model, wk_image_id image, uint64_t address);

/* A frame that came with its name. */
struct wk_supplied_frame {
	wk_function_id function;
	uint64_t address; /* 0 if unknown */
	uint32_t line;
	bool is_inlined;
};
wk_frame_id wk_model_add_supplied_frame(struct wk_model *model,
					const struct wk_supplied_frame *given);
wk_stack_id wk_model_add_stack(struct wk_model *model, wk_stack_id parent, wk_frame_id frame);
uint32_t wk_model_add_named_frame(struct wk_model *model, wk_function_id function, uint32_t line,
				  wk_frame_id frame, bool is_inlined);
wk_stack_id wk_model_add_named(struct wk_model *model, wk_stack_id parent, uint32_t named_frame);
void wk_model_add_embedded(struct wk_model *model, const struct wk_event_symbol *symbol);
void wk_model_add_embedded_bounds(struct wk_model *model, const struct wk_event_bounds *bounds);
void wk_model_add_embedded_place(struct wk_model *model, const struct wk_event_calls *calls);
void wk_model_add_fact(struct wk_model *model, const struct wk_event_system *fact);
/* The value of the first fact of that name, empty if there is none. */
struct wk_str wk_model_fact(const struct wk_model *model, const char *key);
/* The same of one input, counted from 1. */
struct wk_str wk_model_fact_of(const struct wk_model *model, const char *key, uint32_t input);
/* How many samples each source has. The caller frees the array. */
uint64_t *wk_model_count_samples(const struct wk_model *model);
void wk_model_add_note(struct wk_model *model, const struct wk_event_note *note);
wk_subject_id wk_model_add_subject(struct wk_model *model, const struct wk_subject *about);
wk_heap_id wk_model_add_heap(struct wk_model *model, const struct wk_heap_row *heap);
void wk_model_add_mark(struct wk_model *model, const struct wk_mark *mark);
/* Sets `at_row`, `at_end` and `input`. */
void wk_model_add_snapshot(struct wk_model *model, const struct wk_snapshot *snapshot);
void wk_model_add_use(struct wk_model *model, const struct wk_use_row *use);
void wk_model_add_count(struct wk_model *model, const struct wk_count *count);

struct wk_sample {
	uint64_t time_ns, weight;
	wk_thread_id thread;
	uint32_t cpu;
	wk_stack_id stack;
	wk_source_id source;
	bool is_before;
	uint64_t times;    /* how many samples it stands for; 0: one, or its weight */
	uint64_t until_ns; /* the time of the last of them, if not time_ns */
	wk_subject_id about;
};
void wk_model_add_sample(struct wk_model *model, const struct wk_sample *sample);

/* For rows that their owner adds up: their sums, and the time of the last event of a side. */
void wk_model_set_sum(struct wk_model *model, uint32_t row, uint64_t weight, uint64_t times);
void wk_model_see_last(struct wk_model *model, bool is_before, uint64_t time_ns);

/* Once, after the last event: when a recording without samples began. */
void wk_model_see_begin(struct wk_model *model);

/* Numbers of rows are 32 bits wide. */
#define WK_MODEL_MOST_SAMPLES (UINT32_MAX - 1)

/* As much of a weight as still fits, so that views can add up all weights in 64 bits. */
uint64_t wk_model_cut_weight(struct wk_model *model);
static inline uint64_t wk_model_fit_weight(struct wk_model *model, uint64_t weight)
{
	if (weight > model->weight_left)
		return wk_model_cut_weight(model);
	model->weight_left -= weight;
	return weight;
}

/* Makes room for `count` more at once. */
void wk_model_expect_samples(struct wk_model *model, size_t count);

/* The row that has its stack, thread, source and side, for wk_model_add_to_sum; made if there is
 * none. */
uint32_t wk_model_sum_row(struct wk_model *model, const struct wk_sample *sample);

/* Adds to the weight and the number of samples of a row of sums. */
static inline void wk_model_add_to_sum(struct wk_model *model, uint32_t row, uint64_t weight,
				       uint64_t times)
{
	model->samples.weight[row] += weight;
	model->samples.times[row] += times;
}

/* The same, added to the row of its sum. */
void wk_model_sum_sample(struct wk_model *model, const struct wk_sample *sample);

static inline void wk_model_put_sample(struct wk_model *model, const struct wk_sample *sample)
{
	if (model->sums_samples)
		wk_model_sum_sample(model, sample);
	else
		wk_model_add_sample(model, sample);
}

/* Of a row that wk_model_add_sample added; sets `at_row`. */
void wk_model_add_end(struct wk_model *model, const struct wk_end *end);

/* A single interval, or its part of a sum. */
void wk_model_add_interval(struct wk_model *model, const struct wk_interval *interval);

#endif
