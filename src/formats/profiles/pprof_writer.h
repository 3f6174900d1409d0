/* Emits pprof profiles, for the binary and the text form: sources, and the stacks of locations. A
 * location is an address with one frame, or with one for each line of the calls inlined there.
 *
 *	wk_pprof_writer_init(&pprof, writer, &tables, bytes of the input);
 *	wk_pprof_emit_sources(&pprof);
 *	for each sample: stack = wk_pprof_push(&pprof, stack, location) for each location,
 *		outermost first; wk_pprof_emit_values(&pprof, pid, tid, stack, values, count);
 *	wk_pprof_writer_end(&pprof);                       emits notes, and frees */
#ifndef WK_FORMATS_PROFILES_PPROF_WRITER_H
#define WK_FORMATS_PROFILES_PPROF_WRITER_H

#include "formats/heap/counts.h"
#include "formats/profiles/pprof_tables.h"
#include "formats/stack_writer.h"

/* Sample types of heap profiles. */
enum wk_pprof_heap_type {
	WK_PPROF_INUSE_SPACE,
	WK_PPROF_INUSE_OBJECTS,
	WK_PPROF_ALLOC_SPACE,
	WK_PPROF_ALLOC_OBJECTS,
	WK_PPROF_HEAP_TYPES
};

struct wk_pprof_writer {
	struct wk_stack_writer *writer;
	struct wk_pprof_tables *tables;
	uint32_t *frames; /* numbers of the writer; the first means "none" */
	size_t count, cap;
	uint64_t budget;             /* of inlined frames */
	uint64_t left_out, negative; /* frames and values, for notes */
	bool is_heap;
	size_t heap_types[WK_PPROF_HEAP_TYPES]; /* their numbers + 1; 0: there is none */
};

void wk_pprof_writer_init(struct wk_pprof_writer *pprof, struct wk_stack_writer *writer,
			  struct wk_pprof_tables *tables, size_t input_bytes);
void wk_pprof_writer_end(struct wk_pprof_writer *pprof);

/* The source that pprof would show comes first: the type that the profile names, else the last. */
void wk_pprof_emit_sources(struct wk_pprof_writer *pprof);

/* `parent` with the frames of a location on top. They are created when a sample first refers to the
 * location. A few bytes repeat a location, which may have any number of inlined lines: inlined
 * frames are dropped once there are far more of them than in any program. */
uint32_t wk_pprof_push(struct wk_pprof_writer *pprof, uint32_t parent,
		       struct wk_pprof_location *location);

/* Emits a sample for each positive value; the values are those of the sample types. Those of a heap
 * profile are emitted as blocks of a heap as well. */
void wk_pprof_emit_values(struct wk_pprof_writer *pprof, uint32_t pid, uint32_t tid, uint32_t stack,
			  const uint64_t *values, size_t count);

/* Emits the source of a sample type ("cpu", "nanoseconds") under `number`. Returns the factor for
 * its values. */
uint64_t wk_pprof_emit_source(struct wk_stack_writer *writer, uint32_t number, struct wk_str type,
			      struct wk_str unit);

/* Names of threads and measures are cut to this length. */
struct wk_str wk_pprof_short_name(struct wk_str text);

static inline uint64_t wk_pprof_scaled(uint64_t value, uint64_t scale)
{
	return value > UINT64_MAX / scale ? UINT64_MAX : value * scale;
}

#endif
