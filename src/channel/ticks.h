/* The clock of the heap library's events: the machine's counter, which costs less than asking the
 * system for the time. The recorder stores pairs of both.
 *
 * wk_heap_ticks is after all that was loaded before. wk_heap_ticks_alone need not be: the processor
 * may read the counter first. So a thread that frees a block which another one has just handed over
 * may have freed it some nanoseconds before it was allocated: see WK_CHANNEL_LOOSE. */
#ifndef WK_CHANNEL_TICKS_H
#define WK_CHANNEL_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t wk_heap_ticks_alone(void)
{
	return __rdtsc();
}

static inline uint64_t wk_heap_ticks(void)
{
	_mm_lfence();
	return wk_heap_ticks_alone();
}
#elif defined(__aarch64__)
static inline uint64_t wk_heap_ticks_alone(void)
{
	uint64_t time;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(time));
	return time;
}

static inline uint64_t wk_heap_ticks(void)
{
	__asm__ volatile("isb");
	return wk_heap_ticks_alone();
}
#else
#include <time.h>

static inline uint64_t wk_heap_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t wk_heap_ticks_alone(void)
{
	return wk_heap_ticks();
}
#endif

#endif
