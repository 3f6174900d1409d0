/* The clock of the heap library's events: the machine's counter, which costs less than asking the
 * system for the time. The recorder stores pairs of both. */
#ifndef WK_CHANNEL_TICKS_H
#define WK_CHANNEL_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>

/* After all that was loaded before. Without the fence the processor may read the counter first: a
 * thread that frees a block which another one has just handed over would have freed it some
 * nanoseconds before it was allocated. */
static inline uint64_t wk_heap_ticks(void)
{
	_mm_lfence();
	return __rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t wk_heap_ticks(void)
{
	uint64_t time;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(time));
	return time;
}
#else
#include <time.h>

static inline uint64_t wk_heap_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif

#endif
