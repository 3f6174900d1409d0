/* The part of the stack beyond the copy, read from the process a moment later.
 *
 * A copy ends at its limit, at the first page that the program never touched (inside a large
 * buffer), and at the end of the stack that a signal handler runs on.
 *
 * Only the outer frames are wanted from there, and they live long, while those at the other end
 * come and go. Still, the process may have moved on. So the last return address in the copy must
 * still be in its place, or another one into the same function; and a walk that used such memory
 * counts only if it reaches a root (walk.c), because overwritten memory does not lead to one. */
#include "symbols/unwind/frame.h"

#define PAGE_BYTES WK_STACK_PAGE_BYTES
#define READ_LIMIT 512 /* pages: a walk that needs more leads nowhere */
#define MOST_COPY  (64u << 10)

static bool is_held(const struct wk_stack_memory *memory, uint64_t address, size_t size)
{
	return address >= memory->base && address - memory->base <= memory->len &&
	       memory->len - (address - memory->base) >= size;
}

static bool load(struct wk_stack_memory *memory, uint64_t address, size_t size, uint64_t *value)
{
	if (!is_held(memory, address, size)) {
		memory->base = address & ~(uint64_t)(PAGE_BYTES - 1);
		memory->len =
			memory->read(memory->context, memory->base, memory->bytes, PAGE_BYTES);
		if (++memory->reads == READ_LIMIT || !is_held(memory, address, size))
			return false;
	}
	*value = wk_frame_number(memory->bytes + (address - memory->base), size);
	return true;
}

/* Is the frame whose caller is wanted still there? If the copy has no return address, that frame
 * is the innermost, and only the result can show it. */
static bool is_unchanged(struct wk_stack_memory *memory, size_t word_bytes)
{
	uint64_t now;

	if (!memory->highest)
		return true;
	return load(memory, memory->highest, word_bytes, &now) &&
	       (now == memory->highest_value ||
		memory->is_same_function(memory->function_context, memory->highest_value, now));
}

/* The kernel copies up to the first page that was never touched. Reading such a page maps the page
 * of zeros there, and later copies get past it. */
static void map_gap(const struct wk_frame *frame, uint64_t address)
{
	uint64_t end = frame->base + frame->size_bytes;
	uint8_t byte;

	for (; end < address && end - frame->base < MOST_COPY; end += PAGE_BYTES)
		frame->memory->read(frame->memory->context, end, &byte, 1);
}

bool wk_frame_load_beyond(struct wk_frame *frame, uint64_t address, size_t size, uint64_t *value)
{
	struct wk_stack_memory *memory = frame->memory;

	frame->missed_above = address - frame->base < WK_FRAME_REACH;
	if (!frame->missed_above || !memory || !memory->is_allowed)
		return false;
	memory->is_allowed = (memory->was_used || is_unchanged(memory, frame->word_bytes)) &&
			     load(memory, address, size, value);
	if (!memory->is_allowed)
		return false;
	if (!memory->was_used)
		map_gap(frame, address);
	memory->was_used = true;
	frame->missed_above = false;
	return true;
}
