/* Releases and allocations of one address whose times are in the wrong order.
 *
 * A recorder may read the time of an event some nanoseconds too early, where reading it exactly
 * would cost more than all else. Of one thread the order is right all the same. But if one thread
 * frees a block and another one gets its address, the allocation may seem to be first: the block
 * that was there waits for its release. And if one thread frees what another one has just
 * allocated, the release may seem to be first: it waits for its block. Both wait here for
 * WK_HEAP_LOOSE_NS, which is longer than a processor looks ahead; what nothing came for by then was
 * not recorded. So the number of blocks is always right. If several events of one address are in
 * the wrong order, a block may be taken for the one after it.
 *
 * At most WK_HEAP_WAITING wait at one time: the oldest ones are forgotten. */
#ifndef WK_MODEL_HEAP_ORDER_H
#define WK_MODEL_HEAP_ORDER_H

#include "model/model.h"

#define WK_HEAP_LOOSE_NS 100000
#define WK_HEAP_WAITING  64u

struct wk_heap_waiting {
	wk_heap_id heap; /* 0: nothing waits here */
	uint64_t address, until_ns;
	struct wk_sample who; /* released it; or allocated the next block at its address */

	/* Of a block without release. */
	uint64_t weight;
	uint32_t row;  /* of wk_heap_rows */
	bool was_last; /* its thread had done nothing since */
};

/* All zero is empty. */
struct wk_heap_order {
	struct wk_heap_waiting_list {
		struct wk_heap_waiting at[WK_HEAP_WAITING];
		size_t next;
		uint64_t until_ns; /* nothing waits from then on */
	} releases, blocks;
};

void wk_heap_order_add(struct wk_heap_waiting_list *list, const struct wk_heap_waiting *waiting);

/* What waits for an event that `who` caused, and does not wait afterwards; NULL if nothing does. Of
 * what the same thread left there, the event is seldom: `from_others` leaves that out. Valid until
 * the next call of wk_heap_order_add. */
const struct wk_heap_waiting *wk_heap_order_find(struct wk_heap_waiting_list *list, wk_heap_id heap,
						 uint64_t address, const struct wk_sample *who,
						 bool from_others);

static inline const struct wk_heap_waiting *wk_heap_order_take(struct wk_heap_waiting_list *list,
							       wk_heap_id heap, uint64_t address,
							       const struct wk_sample *who,
							       bool from_others)
{
	return __builtin_expect(who->time_ns < list->until_ns, 0)
		       ? wk_heap_order_find(list, heap, address, who, from_others)
		       : NULL;
}

#endif
