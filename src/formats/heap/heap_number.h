/* Signed numbers of the heap library's streams. */
#ifndef WK_FORMATS_HEAP_HEAP_NUMBER_H
#define WK_FORMATS_HEAP_HEAP_NUMBER_H

#include <stdint.h>

/* 0, 1, 2, 3 ... are 0, -1, 1, -2 ... */
static inline int64_t wk_heap_unfold(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

#endif
