/* Numbers of stacks: one for each pair of a caller's stack and an address.
 *
 * The table is of fixed size. What it forgets gets a new number when it comes again, so that two
 * numbers may be one stack. Reading takes no lock: an entry that is being replaced does not match,
 * since its address is taken away first.
 *
 * Only a part of it is used while there are few stacks: entries are anywhere in that, and each page
 * that is touched for the first time takes longer than all else. */
#include <string.h>

#include "preload/internal.h"

#define SETS                  65536u
#define FEW_SETS              8192u /* of which not all are in use */
#define WAYS                  2u
#define MOST_DEFINITION_BYTES 24

struct entry {
	_Atomic uint64_t pc;
	_Atomic uint64_t parent_and_id;
};

static struct entry *entries;
static _Atomic uint32_t used_sets;
static _Atomic uint32_t lock;
static uint32_t last_id;
static uint64_t defs_head, last_pc; /* under the lock */

bool wk_heap_nodes_begin(bool is_again)
{
	size_t bytes = SETS * WAYS * sizeof(*entries);

	if (!is_again)
		atomic_store(&lock, 0);
	wk_heap_lock(&lock);
	if (!entries)
		entries = wk_heap_pages(bytes);
	else
		wk_heap_clear_pages(entries, bytes);
	atomic_store(&used_sets, FEW_SETS);
	last_id = 0;
	defs_head = last_pc = 0;
	wk_heap_unlock(&lock);
	return entries;
}

void wk_heap_forget_nodes(void)
{
	wk_heap_lock(&lock);
	for (size_t i = 0; entries && i < (size_t)atomic_load(&used_sets) * WAYS; i++)
		if (entries[i].pc)
			entries[i].pc = 0;
	wk_heap_unlock(&lock);
}

static inline struct entry *set_of(uint32_t parent, uintptr_t pc)
{
	uint64_t hash = (pc ^ (uint64_t)parent << 40 ^ parent) * UINT64_C(0x9e3779b97f4a7c15);

	return entries +
	       ((hash >> 48) & (atomic_load_explicit(&used_sets, memory_order_relaxed) - 1)) * WAYS;
}

static inline uint32_t find(struct entry *set, uint32_t parent, uintptr_t pc)
{
	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t both;

		if (atomic_load_explicit(&set[i].pc, memory_order_acquire) != pc)
			continue;
		both = atomic_load_explicit(&set[i].parent_and_id, memory_order_acquire);
		if (both >> 32 == parent &&
		    atomic_load_explicit(&set[i].pc, memory_order_relaxed) == pc)
			return (uint32_t)both;
	}
	return 0;
}

/* The place of the next definition; NULL if they are not read any more. */
static uint8_t *room(uint8_t *ring)
{
	struct wk_channel_ring *defs = &wk_heap_head->defs;
	uint64_t used = defs_head % WK_HEAP_BLOCK_BYTES;
	uint64_t next = defs_head + (used ? WK_HEAP_BLOCK_BYTES - used : 0);
	uint64_t most = WK_CHANNEL_DEFS_BYTES - WK_HEAP_BLOCK_BYTES;
	uint32_t id = last_id + 1;
	uint8_t *at = ring + next % WK_CHANNEL_DEFS_BYTES;

	if (used && used + MOST_DEFINITION_BYTES <= WK_HEAP_BLOCK_BYTES)
		return ring + defs_head % WK_CHANNEL_DEFS_BYTES;
	if (next > most && !wk_heap_wait(defs, next - most))
		return NULL;
	if (used)
		ring[defs_head % WK_CHANNEL_DEFS_BYTES] = WK_HEAP_RECORD_END;
	last_pc = 0;
	memcpy(at, &id, sizeof(id));
	memcpy(at + sizeof(id), &last_pc, sizeof(last_pc));
	defs_head = next + sizeof(id) + sizeof(last_pc);
	return at + sizeof(id) + sizeof(last_pc);
}

static uint32_t define(uint32_t parent, uintptr_t pc)
{
	uint8_t *ring = (uint8_t *)wk_heap_head + WK_CHANNEL_HEAD_BYTES, *from = room(ring), *at;

	if (!from)
		return 0;
	at = from;
	*at++ = WK_HEAP_DEFINED_STACK;
	at = wk_heap_put(at, ++last_id - parent);
	at = wk_heap_put(at, wk_heap_fold((int64_t)(pc - last_pc)));
	if (last_id == FEW_SETS * WAYS / 2)
		atomic_store(&used_sets, SETS);
	last_pc = pc;
	defs_head += (uint64_t)(at - from);
	atomic_store_explicit(&wk_heap_head->defs.head, defs_head, memory_order_release);
	return last_id;
}

static __attribute__((noinline)) uint32_t add(struct entry *set, uint32_t parent, uintptr_t pc)
{
	uint32_t id;

	wk_heap_lock(&lock);
	id = find(set, parent, pc);
	if (!id && (id = define(parent, pc)) != 0) {
		/* The older one of two goes. */
		atomic_store_explicit(&set[1].pc, 0, memory_order_release);
		atomic_store_explicit(&set[1].parent_and_id, atomic_load(&set[0].parent_and_id),
				      memory_order_release);
		atomic_store_explicit(&set[1].pc, atomic_load(&set[0].pc), memory_order_release);
		atomic_store_explicit(&set[0].pc, 0, memory_order_release);
		atomic_store_explicit(&set[0].parent_and_id, (uint64_t)parent << 32 | id,
				      memory_order_release);
		atomic_store_explicit(&set[0].pc, pc, memory_order_release);
	}
	wk_heap_unlock(&lock);
	return id;
}

uint32_t wk_heap_node(uint32_t parent, uintptr_t pc)
{
	struct entry *set = set_of(parent, pc);
	uint32_t id = find(set, parent, pc);

	return WK_LIKELY(id) ? id : add(set, parent, pc);
}
