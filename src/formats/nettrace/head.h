/* The first block: time, clock, process. */
#ifndef WK_FORMATS_NETTRACE_HEAD_H
#define WK_FORMATS_NETTRACE_HEAD_H

#include "base/bytes.h"

struct wk_nettrace_head {
	uint64_t wall_ns; /* since 1970, at `start`; 0 if unknown */
	uint64_t start;   /* ticks */
	uint64_t ticks_per_second;
	uint32_t pid; /* of all events; 0: each has its own (version 6) */
	uint32_t pointer_bytes, cpus;
	uint64_t interval_ns; /* between samples, as expected */
};

/* False if the block is too short or makes no sense. */
bool wk_nettrace_head_read(struct wk_bytes block, bool is_v6, struct wk_nettrace_head *head);

/* Nanoseconds since the start, at least 1: time 0 is before the recording. */
uint64_t wk_nettrace_ns(const struct wk_nettrace_head *head, uint64_t ticks);

#endif
