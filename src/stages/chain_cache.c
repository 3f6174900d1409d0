#include "stages/chain_cache.h"

#include "base/mem.h"

void wk_chain_cache_fini(struct wk_chain_cache *cache)
{
	WK_FREE_ALL(cache->address, cache->stack);
}

static bool same_place(const struct wk_chain_place *a, const struct wk_chain_place *b)
{
	return a->version == b->version && a->base == b->base && a->is_exact == b->is_exact;
}

/* The innermost entry is the current address, the others are return addresses: an address that was
 * innermost is another frame as a caller. */
static size_t count_known(const struct wk_chain_cache *cache, const uint64_t *chain, size_t count)
{
	size_t least = count < cache->count ? count : cache->count, known = 0;

	while (known < least && cache->address[known] == chain[count - 1 - known])
		known++;
	if (known == least && known && count != cache->count)
		known--;
	return known;
}

size_t wk_chain_cache_begin(struct wk_chain_cache *cache, const struct wk_chain_place *place,
			    const uint64_t *chain, size_t count)
{
	size_t known = same_place(&cache->place, place) ? count_known(cache, chain, count) : 0;

	cache->place = *place;
	cache->count = count;
	WK_RESERVE(cache->address, cache->address_cap, count + 1);
	WK_RESERVE(cache->stack, cache->stack_cap, count + 1);
	return known;
}
