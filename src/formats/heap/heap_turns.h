/* Whose turn it is: threads by the time of their next event, the earliest first, as a binary heap.
 */
#ifndef WK_FORMATS_HEAP_HEAP_TURNS_H
#define WK_FORMATS_HEAP_HEAP_TURNS_H

#include <stddef.h>
#include <stdint.h>

struct wk_heap_turn {
	uint64_t ticks;
	uint32_t thread;
};

/* Zero-initialised is empty. */
struct wk_heap_turns {
	struct wk_heap_turn *at; /* at[0] is the earliest */
	size_t count, cap;
};

void wk_heap_turns_add(struct wk_heap_turns *turns, struct wk_heap_turn turn);

/* The turn at a place is at a later time now; or over. */
void wk_heap_turns_delay(struct wk_heap_turns *turns, size_t place, uint64_t ticks);
void wk_heap_turns_remove(struct wk_heap_turns *turns, size_t place);

/* The place of the one that comes after the earliest; 0: there is none. */
size_t wk_heap_turns_second(const struct wk_heap_turns *turns);

/* The time of the earliest of all but the first one; or but that and `second`, if it is not 0. */
uint64_t wk_heap_turns_next(const struct wk_heap_turns *turns, size_t second);

void wk_heap_turns_fini(struct wk_heap_turns *turns);

#endif
