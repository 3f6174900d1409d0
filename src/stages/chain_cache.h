/* The last call chain of a thread and its stacks: most chains share their outer part with the
 * previous one, which need not be looked up again. */
#ifndef WK_STAGES_CHAIN_CACHE_H
#define WK_STAGES_CHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What must be the same for the same addresses to be the same stacks. */
struct wk_chain_place {
	uint64_t version; /* of the mappings that contain the addresses */
	uint32_t base;    /* the stack below the chain */
	bool is_exact;
};

/* All zero is empty. Rows go from the outermost entry to the innermost. */
struct wk_chain_cache {
	struct wk_chain_place place;
	uint64_t *address;
	uint32_t *stack; /* that ends in this entry */
	size_t count, address_cap, stack_cap;
};

void wk_chain_cache_fini(struct wk_chain_cache *cache);

/* How many of the outermost entries of `chain` (innermost first) have cached stacks; makes space
 * for the others, which the caller fills with wk_chain_cache_set. */
size_t wk_chain_cache_begin(struct wk_chain_cache *cache, const struct wk_chain_place *place,
			    const uint64_t *chain, size_t count);

static inline void wk_chain_cache_set(struct wk_chain_cache *cache, size_t row, uint64_t address,
				      uint32_t stack)
{
	cache->address[row] = address;
	cache->stack[row] = stack;
}

#endif
