/* Stacks that came with their names, to events: what readers of text formats speak through.
 *
 * It interns frames and stacks, so that each distinct one is told once (FRAME, STACKS) and a
 * sample refers to it by a number. Usual order of calls:
 *
 *	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
 *	for each sample:
 *		stack = 0;
 *		for each frame, outermost first:
 *			stack = wk_stack_writer_push(writer, stack, &frame);
 *		wk_stack_writer_event(writer, &event);      with event.sample.named_stack = stack
 *	ok = wk_stack_writer_end(writer, err);             frees it
 *
 * Formats that print the innermost frame first gather the frames with wk_stack_writer_frame
 * and add them in the other order. Texts are borrowed for the call only. A sink that takes no
 * more makes all later calls harmless; wk_stack_writer_end then fails with its reason, and a
 * reader may ask wk_stack_writer_is_done to stop early. */
#ifndef WK_FORMATS_STACK_WRITER_H
#define WK_FORMATS_STACK_WRITER_H

#include "event/sink.h"

struct wk_stack_writer;

/* What has a number, for the next input of the same sink: its frames and stacks need not be told
 * again, and nobody must find out that they are the same. A writer to a sink with a store has it
 * until wk_stack_writer_end. */
struct wk_stack_store *wk_stack_store_new(void);
void wk_stack_store_free(struct wk_stack_store *store);

struct wk_stack_writer *wk_stack_writer_new(const struct wk_sink *sink);

/* The number of a frame; `frame->number` is not looked at. Where thousands of frames may name one
 * long text of a table, `frame->is_lasting` says that the table stays: then it is read once. */
uint32_t wk_stack_writer_frame(struct wk_stack_writer *writer, const struct wk_event_frame *frame);

/* The same for a frame that the caller knows to be new, since it keeps count itself. */
uint32_t wk_stack_writer_new_frame(struct wk_stack_writer *writer,
				   const struct wk_event_frame *frame);

/* The same for a frame of which only the name is known. */
uint32_t wk_stack_writer_name(struct wk_stack_writer *writer, struct wk_str name);

/* The number of the stack that `frame` makes on top of `parent` (0: none). */
uint32_t wk_stack_writer_stack(struct wk_stack_writer *writer, uint32_t parent, uint32_t frame);

uint32_t wk_stack_writer_push(struct wk_stack_writer *writer, uint32_t parent,
			      const struct wk_event_frame *frame);

/* Frames gathered innermost first: the stack of them all. */
uint32_t wk_stack_writer_reversed(struct wk_stack_writer *writer, const uint32_t *frames,
				  size_t count);

/* A stack that grows frame by frame, outermost first. */
struct wk_stack_walk {
	const uint32_t *frames;
	uint32_t count;
	uint32_t stack; /* where it begins, and afterwards the whole */
};

/* The same for many stacks at once: their look-ups do not wait for one another. */
void wk_stack_writer_walk(struct wk_stack_writer *writer, struct wk_stack_walk *walks,
			  size_t count);

/* Says that `done` of `whole` bytes have been read, so that room for what will come is made at
 * once. */
void wk_stack_writer_progress(struct wk_stack_writer *writer, uint64_t done, uint64_t whole);

/* Says that about so many new stacks will come at once. */
void wk_stack_writer_expect(struct wk_stack_writer *writer, uint32_t count);

/* Passes any event on; a sample is one of these. */
void wk_stack_writer_event(struct wk_stack_writer *writer, const struct wk_event *event);

/* SOURCE as an event: what the samples of this number weigh. */
void wk_stack_writer_emit_source(struct wk_stack_writer *writer,
				 const struct wk_event_source *source);

/* SOURCE number 0 with this name and unit, for inputs of one measure; call it first. */
void wk_stack_writer_source(struct wk_stack_writer *writer, const char *name, const char *unit,
			    bool is_cpu_time);

/* A process or thread that exists, with its name. */
void wk_stack_writer_process(struct wk_stack_writer *writer, uint32_t pid, struct wk_str name);
void wk_stack_writer_thread(struct wk_stack_writer *writer, uint32_t pid, uint32_t tid,
			    struct wk_str name);

/* A sample of a stack of this writer, on an unknown CPU. */
void wk_stack_writer_sample(struct wk_stack_writer *writer, uint64_t time_ns, uint32_t pid,
			    uint32_t tid, uint32_t source, uint32_t stack, uint64_t weight);

/* A sample of source 0 and no process, as in folded stacks. */
void wk_stack_writer_count(struct wk_stack_writer *writer, uint32_t stack, uint64_t weight);

/* A NOTE without an offset, of a fault of the input. */
void wk_stack_writer_note(struct wk_stack_writer *writer, struct wk_str text);

/* How many samples, or sums of them, were passed on: none at the end of an input is worth an
 * error. */
uint64_t wk_stack_writer_samples(const struct wk_stack_writer *writer);

bool wk_stack_writer_is_done(const struct wk_stack_writer *writer);

/* False, with the reason, if the sink failed or `err` already holds an error. */
bool wk_stack_writer_end(struct wk_stack_writer *writer, struct wk_err *err);

#endif
