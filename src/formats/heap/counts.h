/* Heap profiles that have, for each stack, what is in use and what was allocated in all, without
 * times: those of tcmalloc, jemalloc and pprof. */
#ifndef WK_FORMATS_HEAP_COUNTS_H
#define WK_FORMATS_HEAP_COUNTS_H

#include "formats/stack_text.h"

struct wk_heap_counts {
	uint64_t used_bytes, used_blocks; /* not freed yet */
	uint64_t made_bytes, made_blocks; /* allocated in all; below the others if unknown */
};

/* "10:  45100 [  11:  45200]": blocks and bytes in use, and in all. False if it is something
 * else. */
bool wk_heap_counts_read(struct wk_str *line, struct wk_heap_counts *counts);

/* Estimates all blocks from sampled ones, as pprof and jeprof do: of blocks of size X a part of
 * 1 - exp(-X / period) is sampled, if a sample is taken every `period_bytes` on average. */
void wk_heap_counts_scale(struct wk_heap_counts *counts, uint64_t period_bytes);

/* A note that the numbers are estimates; none if the period is 0. */
void wk_heap_counts_note(struct wk_stack_writer *writer, uint64_t period_bytes);

/* Emits them as one HEAP_SUM, for a stack of the writer or the chain in `sample`. */
void wk_heap_counts_emit(struct wk_stack_writer *writer, uint32_t pid, uint32_t tid,
			 const struct wk_event_sample *sample, const struct wk_heap_counts *counts);

/* The addresses of a line, "0x5567b2398195 0x5567b23981a0 ...", innermost first. */
struct wk_heap_chain {
	uint64_t *at;
	size_t count, cap;
};

/* Replaces the chain. Each is a return address: the byte before is in the call. False if the line
 * has anything else, or nothing. */
bool wk_heap_chain_read(struct wk_heap_chain *chain, struct wk_str line);

/* The mappings that such profiles end with are those of /proc/PID/maps. */
#define WK_MAPS_HEAD "MAPPED_LIBRARIES:"

/* Emits the executable mappings, and the process, named after the first one. */
void wk_maps_emit(struct wk_stack_text *text, uint32_t pid, struct wk_str maps);

#endif
