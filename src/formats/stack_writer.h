/* Writes stacks that have names already as events; used by readers of text formats.
 *
 * It interns frames and stacks: each distinct one is emitted once (FRAME, STACKS), and a sample
 * refers to it by number. Order of calls:
 *
 *	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
 *	for each sample:
 *		stack = 0;
 *		for each frame, outermost first:
 *			stack = wk_stack_writer_push(writer, stack, &frame);
 *		wk_stack_writer_sample(writer, ..., stack, weight);
 *	ok = wk_stack_writer_end(writer, err);             frees it
 *
 * Formats that print the innermost frame first collect the frames with wk_stack_writer_frame and
 * use wk_stack_writer_reversed. Texts are borrowed for the call only. If the sink fails, later
 * calls do nothing, and wk_stack_writer_end fails with the sink's error; wk_stack_writer_is_done
 * lets a reader stop early. */
#ifndef WK_FORMATS_STACK_WRITER_H
#define WK_FORMATS_STACK_WRITER_H

#include "event/sink.h"

struct wk_stack_writer;

/* The numbered frames and stacks, for the next input of the same sink: they need not be emitted or
 * compared again. A sink with a store is for one writer at a time. */
struct wk_stack_store *wk_stack_store_new(void);
void wk_stack_store_free(struct wk_stack_store *store);

/* Before each input of a comparison: the line of a closure on one side is another one on the other,
 * so frames with the same names are two. */
void wk_stack_store_next_input(struct wk_stack_store *store, bool is_before);

struct wk_stack_writer *wk_stack_writer_new(const struct wk_sink *sink);

/* The number of a frame; `frame->number` is ignored. If thousands of frames may share a long text
 * of a table, `frame->is_lasting` says that the table stays, so that the text is hashed once. */
uint32_t wk_stack_writer_frame(struct wk_stack_writer *writer, const struct wk_event_frame *frame);

/* The same for a frame that the caller knows to be new. */
uint32_t wk_stack_writer_new_frame(struct wk_stack_writer *writer,
				   const struct wk_event_frame *frame);

/* The same for a frame that has only a name. */
uint32_t wk_stack_writer_name(struct wk_stack_writer *writer, struct wk_str name);

/* The number of the stack `frame` called by `parent` (0: none). */
uint32_t wk_stack_writer_stack(struct wk_stack_writer *writer, uint32_t parent, uint32_t frame);

uint32_t wk_stack_writer_push(struct wk_stack_writer *writer, uint32_t parent,
			      const struct wk_event_frame *frame);

/* The stack of frames that were collected innermost first. */
uint32_t wk_stack_writer_reversed(struct wk_stack_writer *writer, const uint32_t *frames,
				  size_t count);

/* Frames to add to a stack, outermost first. */
struct wk_stack_walk {
	const uint32_t *frames;
	uint32_t count;
	uint32_t stack; /* the stack to start from; afterwards the result */
};

/* Adds many walks at once: their lookups overlap. */
void wk_stack_writer_walk(struct wk_stack_writer *writer, struct wk_stack_walk *walks,
			  size_t count);

/* `done` of `whole` bytes have been read; sizes the tables for the estimated rest. */
void wk_stack_writer_progress(struct wk_stack_writer *writer, uint64_t done, uint64_t whole);

/* About that many new stacks will follow. */
void wk_stack_writer_expect(struct wk_stack_writer *writer, uint32_t count);

/* Emits any event, for example a sample. */
void wk_stack_writer_event(struct wk_stack_writer *writer, const struct wk_event *event);

/* Emits the SOURCE of the samples with this number. */
void wk_stack_writer_emit_source(struct wk_stack_writer *writer,
				 const struct wk_event_source *source);

/* The same for samples with weights. Inputs with one measure have number 0; call it first. */
void wk_stack_writer_source(struct wk_stack_writer *writer, uint32_t number, const char *name,
			    const char *unit, bool is_cpu_time);

/* A process or thread that exists, with its name. */
void wk_stack_writer_process(struct wk_stack_writer *writer, uint32_t pid, struct wk_str name);

/* The same for a process that is known by its command line, with the program as first word. */
void wk_stack_writer_command(struct wk_stack_writer *writer, uint32_t pid,
			     struct wk_str command_line);

void wk_stack_writer_thread(struct wk_stack_writer *writer, uint32_t pid, uint32_t tid,
			    struct wk_str name);

/* A sample of a stack of this writer, on an unknown CPU. */
void wk_stack_writer_sample(struct wk_stack_writer *writer, uint64_t time_ns, uint32_t pid,
			    uint32_t tid, uint32_t source, uint32_t stack, uint64_t weight);

/* A sample of source 0 and no process, as in folded stacks. */
void wk_stack_writer_count(struct wk_stack_writer *writer, uint32_t stack, uint64_t weight);

/* A NOTE without an offset about a fault in the input. */
void wk_stack_writer_note(struct wk_stack_writer *writer, struct wk_str text);

/* A NOTE that is no fault. */
void wk_stack_writer_remark(struct wk_stack_writer *writer, struct wk_str text);

/* The number of emitted samples, sums and changes of heaps; 0 at the end of an input is an error.
 */
uint64_t wk_stack_writer_samples(const struct wk_stack_writer *writer);

bool wk_stack_writer_is_done(const struct wk_stack_writer *writer);

/* False, with the reason, if the sink failed or `err` already holds an error. */
bool wk_stack_writer_end(struct wk_stack_writer *writer, struct wk_err *err);

#endif
