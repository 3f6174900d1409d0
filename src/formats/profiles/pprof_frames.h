/* The frames of pprof's locations, for its binary and its text form: a location is an address,
 * with one frame, or one for each line of the calls inlined there.
 *
 *	wk_pprof_frames_init(&frames, writer, bytes of the input);
 *	first = wk_pprof_frames_next(&frames);       then, innermost first, one or more times:
 *	wk_pprof_frames_add(&frames, &frame);
 *	stack = wk_pprof_frames_stack(&frames, stack, first, lines of the location);
 *	wk_pprof_frames_emit(&frames);
 *	wk_pprof_frames_fini(&frames); */
#ifndef WK_FORMATS_PROFILES_PPROF_FRAMES_H
#define WK_FORMATS_PROFILES_PPROF_FRAMES_H

#include "formats/stack_writer.h"

struct wk_pprof_frames {
	struct wk_stack_writer *writer;
	uint32_t *numbers; /* of the writer; the first means "none" */
	size_t count, cap;
	uint64_t budget; /* of inlined frames */
	uint64_t left_away;
};

void wk_pprof_frames_init(struct wk_pprof_frames *frames, struct wk_stack_writer *writer,
			  size_t input_bytes);

/* The position of the next frame: never 0, which a location may use for "not created yet". */
static inline uint32_t wk_pprof_frames_next(const struct wk_pprof_frames *frames)
{
	return (uint32_t)frames->count;
}

/* A frame without a name gets its address as name; kernel code is recognised by its image. */
void wk_pprof_frames_add(struct wk_pprof_frames *frames, struct wk_event_frame *frame);

/* `parent` with the frames of a location of that many lines on top.
 *
 * A few bytes repeat a location, which may have any number of inlined lines: inlined frames are
 * dropped once there are far more of them than in any program. */
uint32_t wk_pprof_frames_stack(struct wk_pprof_frames *frames, uint32_t parent, uint32_t first,
			       uint32_t line_count);

/* One note about dropped frames; nothing if there are none. */
void wk_pprof_frames_emit(const struct wk_pprof_frames *frames);

void wk_pprof_frames_fini(struct wk_pprof_frames *frames);

#endif
