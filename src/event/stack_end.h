/* Where the stack of a thread ends, and how a copy shows that it is still that stack. */
#ifndef WK_EVENT_STACK_END_H
#define WK_EVENT_STACK_END_H

#include <stdint.h>

struct wk_stack_end {
	uint64_t end;            /* of the page with the outermost frame */
	uint64_t address, value; /* the outermost return address: a word of 64 bits */
};

#endif
