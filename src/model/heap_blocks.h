/* The blocks that are allocated now, by heap and address. The cost of each call does not depend on
 * their number, and memory on the greatest number at one time. Id 0 is none. */
#ifndef WK_MODEL_HEAP_BLOCKS_H
#define WK_MODEL_HEAP_BLOCKS_H

#include "base/map.h"
#include "model/model.h"

struct wk_heap_block {
	uint64_t address, weight;
	uint64_t times;   /* how many blocks it stands for: more than one if it was sampled */
	uint64_t time_ns; /* that it was allocated at */
	wk_heap_id heap;
	uint32_t row;            /* of wk_heap_rows */
	bool is_sampled;         /* not all blocks between it and others are known */
	uint32_t next, previous; /* of the heap's blocks; 0: none */
};

/* All zero is empty. */
struct wk_heap_blocks {
	struct wk_heap_block *at; /* row 0 is none */
	size_t cap;
	uint32_t count;
	uint32_t free; /* the first of a list of unused rows; 0: none */
	struct wk_index index;
};

void wk_heap_blocks_fini(struct wk_heap_blocks *blocks);

uint32_t wk_heap_blocks_find(const struct wk_heap_blocks *blocks, wk_heap_id heap,
			     uint64_t address);

/* There must be none at its address. `first` is the first of the heap's blocks, as for the next
 * call. `next` and `previous` of the new one are set here. */
uint32_t wk_heap_blocks_add(struct wk_heap_blocks *blocks, const struct wk_heap_block *block,
			    uint32_t *first);
void wk_heap_blocks_remove(struct wk_heap_blocks *blocks, uint32_t id, uint32_t *first);

#endif
