/* The default sink: fills a model's tables from events.
 *
 * It tracks mappings over time, interns frames and stacks, and appends one row per sample. Order of
 * calls: new, emit to its sink, finish, free; the model belongs to the caller. Events come in the
 * order that event/event.h specifies. */
#ifndef WK_MODEL_BUILDER_H
#define WK_MODEL_BUILDER_H

#include "event/sink.h"
#include "model/model.h"

struct wk_builder;

struct wk_builder *wk_builder_new(struct wk_model *model);
struct wk_sink wk_builder_sink(struct wk_builder *builder);

/* Between inputs that fill one model: numbers of processes, threads, sources,
 * frames and stacks begin anew. */
void wk_builder_next_input(struct wk_builder *builder);

/* Moments at which a process had the most, as numbers of the builder's events of heaps. */
struct wk_heap_peaks {
	uint64_t *events; /* in order */
	size_t count;
};

/* To be snapshots: what a builder of the same events has found. Borrowed; before the first event.
 */
void wk_builder_use_peaks(struct wk_builder *builder, const struct wk_heap_peaks *peaks);

/* After the last event: those of recordings that request snapshots of them. The caller frees
 * `events`. */
struct wk_heap_peaks wk_builder_peaks(const struct wk_builder *builder);

/* Call once, after the last event. */
void wk_builder_finish(struct wk_builder *builder);
void wk_builder_free(struct wk_builder *builder);

#endif
