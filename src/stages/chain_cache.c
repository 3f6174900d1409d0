#include "stages/chain_cache.h"

#include "base/mem.h"

void wk_chain_cache_fini(struct wk_chain_cache *memory)
{
	WK_FREE_ALL(memory->address, memory->stack);
}

static bool same_place(const struct wk_chain_place *a, const struct wk_chain_place *b)
{
	return a->version == b->version && a->base == b->base && a->is_exact == b->is_exact;
}

/* The innermost entry is the current address, the others are return addresses: an address that was
 * innermost is another frame as a caller. */
static size_t count_known(const struct wk_chain_cache *memory, const uint64_t *chain, size_t count)
{
	size_t least = count < memory->count ? count : memory->count, known = 0;

	while (known < least && memory->address[known] == chain[count - 1 - known])
		known++;
	if (known == least && known && count != memory->count)
		known--;
	return known;
}

size_t wk_chain_cache_begin(struct wk_chain_cache *memory, const struct wk_chain_place *place,
			    const uint64_t *chain, size_t count)
{
	size_t known = same_place(&memory->place, place) ? count_known(memory, chain, count) : 0;

	memory->place = *place;
	memory->count = count;
	WK_RESERVE(memory->address, memory->address_cap, count + 1);
	WK_RESERVE(memory->stack, memory->stack_cap, count + 1);
	return known;
}
