/* The layout of the records that wick requests from the kernel, and the machine's registers.
 *
 * One layout serves all events of a recording, so that the time of any record is at a fixed place
 * and no record must be parsed before its order is known. Only the fields of a tracepoint, between
 * call chain and registers, and the address of a page fault are not in all of them; and some
 * tracepoints have no stack. */
#ifndef WK_RECORD_LAYOUT_H
#define WK_RECORD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

/* Of an event whose samples contain fields. */
enum wk_fields {
	WK_FIELDS_AND_STACK = 1,
	WK_FIELDS_ALONE,   /* no registers and no stack */
	WK_FIELDS_ADDRESS, /* no fields, but the address that was accessed, after the time */
};

struct wk_layout {
	uint64_t sample_type; /* of events that sample; side-band events have the first of it */
	uint64_t registers;   /* sample_regs_user */
	uint32_t sp_place;    /* the stack pointer is so many bytes into them */
	uint32_t stack_bytes; /* sample_stack_user; 0: no registers and no stacks */
	uint64_t period;      /* of each sample, which then does not contain it; or 0 */
	bool has_chain;
	enum wk_machine machine; /* of the kernel */
};

/* The layout for this machine. `stack_bytes` 0: no copies of stacks. */
struct wk_layout wk_layout_of(enum wk_machine machine, bool has_chain, uint32_t stack_bytes);

/* This machine, if stacks of it can be unwound. */
enum wk_machine wk_machine_here(void);

/* The time of a record, or 0 if it is too short. `record` is 8-aligned and has `size` bytes, a
 * multiple of 8. */
uint64_t wk_layout_time(const uint8_t *record, size_t size);

#endif
