#include "formats/nettrace/losses.h"

#include "base/mem.h"

void wk_nettrace_losses_fini(struct wk_nettrace_losses *losses)
{
	wk_map_fini(&losses->last_of);
	wk_free(losses->last);
}

void wk_nettrace_losses_forget(struct wk_nettrace_losses *losses)
{
	wk_map_fini(&losses->last_of);
	losses->last_of = (struct wk_map){ 0 };
	losses->count = 0;
}

/* Numbers wrap around; a step back is not a gap. */
static uint32_t gap(uint32_t from, uint32_t to)
{
	uint32_t step = to - from;

	return step <= INT32_MAX ? step : 0;
}

static uint32_t *last_of(struct wk_nettrace_losses *losses, uint64_t thread)
{
	uint32_t *row = wk_map_at(&losses->last_of, thread);

	if (!*row) {
		*WK_APPEND(losses->last, losses->count, losses->cap) = 0;
		*row = (uint32_t)losses->count;
	}
	return &losses->last[*row - 1];
}

void wk_nettrace_losses_add(struct wk_nettrace_losses *losses, uint64_t thread, uint32_t sequence)
{
	uint32_t *last = last_of(losses, thread);

	if (sequence != 1)
		losses->lost += gap(*last + 1, sequence);
	*last = sequence;
}

void wk_nettrace_losses_reach(struct wk_nettrace_losses *losses, uint64_t thread, uint32_t sequence)
{
	uint32_t *last = last_of(losses, thread);
	uint32_t missing = gap(*last, sequence);

	losses->lost += missing;
	if (missing)
		*last = sequence;
}
