#include "formats/heap/heap_turns.h"

#include "base/mem.h"

void wk_heap_turns_add(struct wk_heap_turns *turns, struct wk_heap_turn turn)
{
	size_t at = turns->count;

	WK_RESERVE(turns->at, turns->cap, at + 1);
	turns->count++;
	while (at && turns->at[(at - 1) / 2].ticks > turn.ticks) {
		turns->at[at] = turns->at[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	turns->at[at] = turn;
}

static void sift_down(struct wk_heap_turns *turns, size_t place)
{
	struct wk_heap_turn *at = turns->at, moved = at[place];

	for (;;) {
		size_t child = 2 * place + 1;

		if (child >= turns->count)
			break;
		if (child + 1 < turns->count && at[child + 1].ticks < at[child].ticks)
			child++;
		if (at[child].ticks >= moved.ticks)
			break;
		at[place] = at[child];
		place = child;
	}
	at[place] = moved;
}

void wk_heap_turns_delay(struct wk_heap_turns *turns, size_t place, uint64_t ticks)
{
	turns->at[place].ticks = ticks;
	sift_down(turns, place);
}

/* What takes its place comes from below all others, but may be of another branch. */
void wk_heap_turns_remove(struct wk_heap_turns *turns, size_t place)
{
	struct wk_heap_turn last = turns->at[--turns->count];

	if (place == turns->count)
		return;
	while (place && turns->at[(place - 1) / 2].ticks > last.ticks) {
		turns->at[place] = turns->at[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	turns->at[place] = last;
	sift_down(turns, place);
}

size_t wk_heap_turns_second(const struct wk_heap_turns *turns)
{
	if (turns->count < 3)
		return turns->count - 1;
	return turns->at[2].ticks < turns->at[1].ticks ? 2 : 1;
}

/* It is among the children of the first one and of the second. */
uint64_t wk_heap_turns_next(const struct wk_heap_turns *turns, size_t second)
{
	size_t last = 2 * second + 2;
	uint64_t next = UINT64_MAX;

	for (size_t i = 1; i <= last && i < turns->count; i++)
		if (i != second && turns->at[i].ticks < next)
			next = turns->at[i].ticks;
	return next;
}

void wk_heap_turns_fini(struct wk_heap_turns *turns)
{
	wk_free(turns->at);
}
