#include "formats/profiles/pprof_frames.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/lines.h"

static void add_number(struct wk_pprof_frames *frames, uint32_t number)
{
	*WK_APPEND(frames->numbers, frames->count, frames->cap) = number;
}

void wk_pprof_frames_init(struct wk_pprof_frames *frames, struct wk_stack_writer *writer,
			  size_t input_bytes)
{
	*frames = (struct wk_pprof_frames){
		.writer = writer, .budget = 2 * (uint64_t)input_bytes + 100000 };
	add_number(frames, 0);
}

static bool is_kernel(struct wk_str mapping)
{
	return wk_str_starts(mapping, "[kernel") || wk_str_starts(mapping, "[guest.kernel");
}

void wk_pprof_frames_add(struct wk_pprof_frames *frames, struct wk_event_frame *frame)
{
	struct wk_buf name = { 0 };

	if (is_kernel(frame->image))
		frame->kind = WK_FRAME_KERNEL;
	if (frame->name.len == 0) {
		frame->is_unnamed = true;
		wk_buf_add_fmt(&name, "0x%" PRIx64, frame->address);
		frame->name = wk_buf_str(&name);
	}
	add_number(frames, wk_stack_writer_frame(frames->writer, frame));
	wk_buf_fini(&name);
}

uint32_t wk_pprof_frames_stack(struct wk_pprof_frames *frames, uint32_t parent, uint32_t first,
			       uint32_t line_count)
{
	uint32_t inlined = line_count ? line_count - 1 : 0;
	uint32_t stack =
		wk_stack_writer_stack(frames->writer, parent, frames->numbers[first + inlined]);

	if (inlined > frames->budget) {
		frames->left_away += inlined;
		return stack;
	}
	frames->budget -= inlined;
	while (inlined--)
		stack = wk_stack_writer_stack(frames->writer, stack,
					      frames->numbers[first + inlined]);
	return stack;
}

void wk_pprof_frames_emit(const struct wk_pprof_frames *frames)
{
	wk_note_count(frames->writer, frames->left_away,
		      "inlined frames beyond two per byte of input, left out");
}

void wk_pprof_frames_fini(struct wk_pprof_frames *frames)
{
	wk_free(frames->numbers);
}
