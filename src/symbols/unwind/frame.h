/* The state of one frame in a walk, and the properties of each machine that walking needs.
 *
 * A wk_frame holds register values by DWARF number with a bit for each known one, and the stack
 * copy that serves all loads. A load outside the copy fails and sets `missed_above` if a longer
 * copy would have contained it; for a living process, that memory may be read instead. */
#ifndef WK_SYMBOLS_UNWIND_FRAME_H
#define WK_SYMBOLS_UNWIND_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "event/event.h"

struct wk_unwind_machine {
	uint8_t registers; /* DWARF numbers below this are stored */
	uint8_t word_bytes;
	uint8_t sp, fp, pc;
	uint8_t return_address; /* the column that CFI names for it on this machine */
	bool return_on_stack;   /* a call pushes the return address: each frame uses stack */
	uint64_t preserved;     /* registers that a call leaves as they were, one bit each */
	uint64_t address_mask;  /* bits of a code address; the others may hold its signature */
};

/* NULL for machines that cannot be walked. */
const struct wk_unwind_machine *wk_unwind_machine(enum wk_machine machine);

#define WK_STACK_PAGE_BYTES 4096

/* More of a living process's stack, read if a copy ends too early. */
struct wk_stack_memory {
	size_t (*read)(void *context, uint64_t address, void *bytes, size_t size);
	/* Are two code addresses of the process in one function? */
	bool (*is_same_function)(void *context, uint64_t address, uint64_t other);
	void *context, *function_context;
	bool is_allowed; /* nothing spoke against it yet */
	bool was_used;
	unsigned reads;
	uint64_t highest; /* of the words read from the copy: the outermost return address */
	uint64_t highest_value;
	uint64_t base; /* what `bytes` hold */
	size_t len;
	uint8_t bytes[WK_STACK_PAGE_BYTES];
};

struct wk_frame {
	uint64_t value[WK_REGISTERS];
	uint64_t valid;
	const uint8_t *bytes; /* the copy; its first byte was at `base` */
	uint64_t base;
	size_t size_bytes;
	uint8_t word_bytes;
	bool missed_above;
	struct wk_stack_memory *memory; /* NULL: there is only the copy */
};

static inline bool wk_frame_knows(const struct wk_frame *frame, unsigned reg)
{
	return reg < WK_REGISTERS && frame->valid >> reg & 1;
}

static inline void wk_frame_set(struct wk_frame *frame, unsigned reg, uint64_t value)
{
	frame->value[reg] = value;
	frame->valid |= (uint64_t)1 << reg;
}

/* The most that a copy may hold: memory further up belongs to no stack, or to another one. */
#define WK_FRAME_REACH (1u << 20)

/* For an address that is not in the copy: from the process, if it is above and has not moved on. */
bool wk_frame_load_beyond(struct wk_frame *frame, uint64_t address, size_t size, uint64_t *value);

static inline uint64_t wk_frame_number(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return WK_FROM_LE(64, value);
}

static inline bool wk_frame_load(struct wk_frame *frame, uint64_t address, size_t size,
				 uint64_t *value)
{
	uint64_t offset = address - frame->base;

	if (offset > frame->size_bytes || frame->size_bytes - offset < size)
		return wk_frame_load_beyond(frame, address, size, value);
	*value = wk_frame_number(frame->bytes + offset, size);
	if (frame->memory && address > frame->memory->highest) {
		frame->memory->highest = address;
		frame->memory->highest_value = *value;
	}
	return true;
}

/* In place: walking does little else. */
__attribute__((always_inline)) static inline bool wk_frame_load_word(struct wk_frame *frame,
								     uint64_t address,
								     uint64_t *value)
{
	return frame->word_bytes == 8 ? wk_frame_load(frame, address, 8, value)
				      : wk_frame_load(frame, address, 4, value);
}

#endif
