#include "model/heap/order.h"

void wk_heap_order_add(struct wk_heap_waiting_list *list, const struct wk_heap_waiting *waiting)
{
	uint64_t now_ns = waiting->who.time_ns;
	struct wk_heap_waiting *at = &list->at[list->next++ % WK_HEAP_WAITING];

	*at = *waiting;
	at->until_ns =
		now_ns > UINT64_MAX - WK_HEAP_LOOSE_NS ? UINT64_MAX : now_ns + WK_HEAP_LOOSE_NS;
	if (at->until_ns > list->until_ns)
		list->until_ns = at->until_ns;
}

/* The one that came first, since those of one thread are in order. */
const struct wk_heap_waiting *wk_heap_order_find(struct wk_heap_waiting_list *list, wk_heap_id heap,
						 uint64_t address, const struct wk_sample *who,
						 bool from_others)
{
	for (size_t i = 0; i < WK_HEAP_WAITING; i++) {
		struct wk_heap_waiting *at = &list->at[(list->next + i) % WK_HEAP_WAITING];

		if (at->heap != heap || at->address != address || who->time_ns >= at->until_ns ||
		    (from_others && at->who.thread == who->thread))
			continue;
		at->heap = 0;
		return at;
	}
	return NULL;
}
