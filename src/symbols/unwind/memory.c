/* The part of the stack beyond the copy, read from the process a moment later.
 *
 * Only the outermost frames matter here, and they live long, while those at the other end come and
 * go. Still, the process may have moved on. So the last return address in the copy must still be in
 * its place; and a walk that used such memory counts only if it reaches a root (walk.c), because
 * overwritten memory does not lead to one. */
#include "symbols/unwind/frame.h"

/* Of 4 KiB each: a walk that needs more leads nowhere. */
#define READ_LIMIT 512

/* Is the last return address of the copy still in the process's memory? */
static bool is_unchanged(const struct wk_frame *frame)
{
	struct wk_stack_memory *memory = frame->memory;
	uint64_t offset = memory->highest - frame->base;
	uint8_t now[8];

	return memory->highest && offset <= frame->size_bytes && frame->size_bytes - offset >= 8 &&
	       memory->read(memory->context, memory->highest, now, 8) == 8 &&
	       memcmp(now, frame->bytes + offset, 8) == 0;
}

static bool is_held(const struct wk_stack_memory *memory, uint64_t address, size_t size)
{
	return address >= memory->base && address - memory->base <= memory->len &&
	       memory->len - (address - memory->base) >= size;
}

bool wk_frame_load_above(struct wk_frame *frame, uint64_t address, size_t size, uint64_t *value)
{
	struct wk_stack_memory *memory = frame->memory;

	if (!memory->is_allowed)
		return false;
	if (!memory->was_used)
		memory->is_allowed = is_unchanged(frame);
	if (memory->is_allowed && !is_held(memory, address, size)) {
		memory->base = address & ~(uint64_t)7;
		memory->len = memory->read(memory->context, memory->base, memory->bytes,
					   sizeof(memory->bytes));
		memory->is_allowed = is_held(memory, address, size) && ++memory->reads < READ_LIMIT;
	}
	if (!memory->is_allowed)
		return false;
	memory->was_used = true;
	frame->missed_above = false;
	*value = wk_frame_number(memory->bytes + (address - memory->base), size);
	return true;
}
