/* Which of the calls that are open at an address is the innermost: a heap with the greatest number
 * first. Calls that have ended may stay in it until they are first. */
#ifndef WK_SYMBOLS_CODE_INDEX_INNERMOST_H
#define WK_SYMBOLS_CODE_INDEX_INNERMOST_H

#include <stddef.h>
#include <stdint.h>

/* There is space for one more. */
static inline void wk_innermost_push(uint64_t *heap, size_t *count, uint64_t added)
{
	size_t at = (*count)++;

	for (; at > 0 && heap[(at - 1) / 2] < added; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = added;
}

static inline void wk_innermost_pop(uint64_t *heap, size_t *count)
{
	uint64_t last = heap[--*count];
	size_t at = 0;

	for (size_t child = 1; child < *count; child = 2 * at + 1) {
		if (child + 1 < *count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= last)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

#endif
