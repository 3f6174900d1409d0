#include "formats/etl/stacks.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/trie.h"

/* Windows records 192 frames, or 256; longer stacks are not valid, and each event has its own. */
#define MOST_FRAMES 1024

/* Entries of one time that are searched: as many as processors can create at once. */
#define MOST_AT_ONCE 256

/* Half of a stack: two leaves of the trie of addresses. */
struct half {
	uint32_t kernel, user;
};

struct definition {
	uint64_t key, time;
	struct half half;
};

struct definitions {
	struct definition *at;
	size_t count, cap;
};

struct entry {
	struct wk_etl_stack_owner owner;
	struct half half;
};

/* An entry whose stack is not resolved yet. */
struct waiting {
	uint64_t key, time;
	size_t entry;
};

/* Addresses of one chain. */
struct row {
	uint64_t *at;
	size_t count, cap;
};

struct wk_etl_stacks {
	uint64_t *addresses; /* by number - 1 */
	size_t address_count, address_cap;
	struct wk_map number_of; /* of an address */
	struct wk_trie trie;     /* labels are such numbers; outermost first */
	struct entry *entries;   /* after settling: in order of time and thread */
	size_t entry_count, entry_cap;
	struct definitions ended, begun; /* ends and starts of keys */
	struct waiting *waiting;
	size_t waiting_count, waiting_cap;
	struct row kernel, user;
	struct half *halves; /* all, by number - 1 */
	size_t half_count, half_cap;
	struct wk_map half_of; /* by the hash of addresses */
	size_t last;           /* the index of the last lookup */
};

struct wk_etl_stacks *wk_etl_stacks_new(void)
{
	struct wk_etl_stacks *stacks = wk_alloc_zeroed(1, sizeof(*stacks));

	wk_trie_init(&stacks->trie);
	return stacks;
}

void wk_etl_stacks_free(struct wk_etl_stacks *stacks)
{
	wk_map_fini(&stacks->number_of);
	wk_map_fini(&stacks->half_of);
	wk_trie_fini(&stacks->trie);
	WK_FREE_ALL(stacks->halves, stacks->addresses, stacks->entries, stacks->ended.at,
		    stacks->begun.at, stacks->waiting, stacks->kernel.at, stacks->user.at, stacks);
}

static void push(struct row *row, uint64_t address)
{
	*WK_APPEND(row->at, row->count, row->cap) = address;
}

static uint32_t number_of(struct wk_etl_stacks *stacks, uint64_t address)
{
	uint32_t *number = wk_map_at(&stacks->number_of, address);

	if (!*number) {
		*WK_APPEND(stacks->addresses, stacks->address_count, stacks->address_cap) = address;
		*number = (uint32_t)stacks->address_count;
	}
	return *number;
}

static uint32_t leaf_of(struct wk_etl_stacks *stacks, const struct row *row)
{
	uint32_t leaf = 0;

	for (size_t i = row->count; i-- > 0;)
		leaf = wk_trie_add(&stacks->trie, leaf, number_of(stacks, row->at[i]));
	return leaf;
}

/* The kernel has the upper half of all addresses. */
static bool is_kernel(uint64_t address, unsigned pointer_bytes)
{
	return address >> (pointer_bytes * 8 - 1);
}

static struct half new_half(struct wk_etl_stacks *stacks, struct wk_bytes addresses,
			    unsigned pointer_bytes)
{
	stacks->kernel.count = stacks->user.count = 0;
	while (wk_bytes_left(&addresses)) {
		uint64_t address = pointer_bytes == 4 ? wk_u32le(&addresses) : wk_u64le(&addresses);

		if (address)
			push(is_kernel(address, pointer_bytes) ? &stacks->kernel : &stacks->user,
			     address);
	}
	return (struct half){ leaf_of(stacks, &stacks->kernel), leaf_of(stacks, &stacks->user) };
}

/* Most stacks are repeated: they are found by the hash of all of their addresses at once. */
static struct half half_of(struct wk_etl_stacks *stacks, struct wk_bytes addresses,
			   unsigned pointer_bytes)
{
	size_t bytes = wk_bytes_left(&addresses) / pointer_bytes * pointer_bytes;
	uint32_t *known;

	if (bytes > MOST_FRAMES * pointer_bytes)
		bytes = MOST_FRAMES * pointer_bytes;
	addresses.end = addresses.at + bytes;
	known = wk_map_at(&stacks->half_of,
			  wk_hash_bytes(addresses.at, bytes) + (pointer_bytes == 4));
	if (!*known) {
		*WK_APPEND(stacks->halves, stacks->half_count, stacks->half_cap) =
			new_half(stacks, addresses, pointer_bytes);
		*known = (uint32_t)stacks->half_count;
	}
	return stacks->halves[*known - 1];
}

static size_t add_entry(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			struct half half)
{
	WK_RESERVE(stacks->entries, stacks->entry_cap, stacks->entry_count + 1);
	stacks->entries[stacks->entry_count] = (struct entry){ owner, half };
	return stacks->entry_count++;
}

void wk_etl_stacks_add(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
		       struct wk_bytes addresses, unsigned pointer_bytes)
{
	add_entry(stacks, owner, half_of(stacks, addresses, pointer_bytes));
}

void wk_etl_stacks_add_key(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			   uint64_t key, uint64_t record_time)
{
	*WK_APPEND(stacks->waiting, stacks->waiting_count, stacks->waiting_cap) = (struct waiting){
		key, record_time, add_entry(stacks, owner, (struct half){ 0 }) };
}

void wk_etl_stacks_define(struct wk_etl_stacks *stacks, bool is_start, uint64_t key,
			  uint64_t record_time, struct wk_bytes addresses, unsigned pointer_bytes)
{
	struct definitions *to = is_start ? &stacks->begun : &stacks->ended;

	*WK_APPEND(to->at, to->count, to->cap) = (struct definition){
		key, record_time, half_of(stacks, addresses, pointer_bytes) };
}

/* ---- settling */

/* The number of rows with a lower key, or with this key and an older time. */
static size_t count_before(const struct definitions *definitions, uint64_t key, uint64_t time)
{
	const struct definition *at = definitions->at;
	size_t low = 0, high = definitions->count;

	WK_BISECT(low, high,
		  at[middle].key < key || (at[middle].key == key && at[middle].time < time));
	return low;
}

/* The first end of the key that is not older, or else the last start that is not newer: a truncated
 * trace lacks the ends. NULL if there is neither. */
static const struct definition *definition_of(const struct wk_etl_stacks *stacks,
					      const struct waiting *waiting)
{
	const struct definitions *ended = &stacks->ended, *begun = &stacks->begun;
	size_t at = count_before(ended, waiting->key, waiting->time);

	if (at < ended->count && ended->at[at].key == waiting->key)
		return &ended->at[at];
	at = count_before(begun, waiting->key, waiting->time + 1);
	return at > 0 && begun->at[at - 1].key == waiting->key ? &begun->at[at - 1] : NULL;
}

/* By key and time; equal ones stay in the order of their records. */
static void sort_definitions(struct definitions *definitions)
{
	definitions->at = wk_sort_rows(definitions->at, definitions->count,
				       sizeof(*definitions->at), offsetof(struct definition, time));
	definitions->at = wk_sort_rows(definitions->at, definitions->count,
				       sizeof(*definitions->at), offsetof(struct definition, key));
}

static void drop_definitions(struct definitions *definitions)
{
	wk_free(definitions->at);
	*definitions = (struct definitions){ 0 };
}

static uint64_t settle_keys(struct wk_etl_stacks *stacks)
{
	uint64_t unknown = 0;

	sort_definitions(&stacks->ended);
	sort_definitions(&stacks->begun);
	for (size_t i = 0; i < stacks->waiting_count; i++) {
		const struct definition *found = definition_of(stacks, &stacks->waiting[i]);

		if (found)
			stacks->entries[stacks->waiting[i].entry].half = found->half;
		else
			unknown++;
	}
	drop_definitions(&stacks->ended);
	drop_definitions(&stacks->begun);
	wk_free(stacks->waiting);
	stacks->waiting = NULL;
	stacks->waiting_count = 0;
	return unknown;
}

/* Every processor has an idle thread, and all of them have number 0. */
static int by_owner(const struct wk_etl_stack_owner *a, const struct wk_etl_stack_owner *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->tid == 0 ? (a->cpu > b->cpu) - (a->cpu < b->cpu) : 0;
}

/* An index in the order of by_owner's threads. */
static uint64_t thread_key(const struct wk_etl_stack_owner *owner)
{
	return owner->tid ? (uint64_t)owner->tid << 32 : owner->cpu;
}

/* By time and thread; those of one event stay in the order of their records. */
static void sort_entries(struct wk_etl_stacks *stacks)
{
	size_t count = stacks->entry_count;
	struct wk_sort_key *keys = wk_alloc(count * sizeof(*keys));
	struct entry *sorted = wk_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ thread_key(&stacks->entries[i].owner),
						(uint32_t)i };
	wk_sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i].key = stacks->entries[keys[i].row].owner.time;
	wk_sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = stacks->entries[keys[i].row];
	WK_FREE_ALL(keys, stacks->entries);
	stacks->entries = sorted;
	stacks->entry_cap = count;
}

static uint32_t *depths_of(const struct wk_trie *trie)
{
	uint32_t *depth = wk_alloc_zeroed(trie->count, sizeof(*depth));

	for (uint32_t i = 1; i < trie->count; i++)
		depth[i] = depth[trie->entries[i].parent] + 1;
	return depth;
}

/* If a half occurs twice, the longer one contains the other. Stacks recorded at once are of the
 * event's own processor. */
static void join_entry(struct entry *to, const struct entry *from, const uint32_t *depth)
{
	if (from->half.kernel && !to->half.kernel)
		to->owner.cpu = from->owner.cpu;
	if (depth[from->half.kernel] > depth[to->half.kernel])
		to->half.kernel = from->half.kernel;
	if (depth[from->half.user] > depth[to->half.user])
		to->half.user = from->half.user;
}

/* Merges the entries of one event. */
static void join_entries(struct wk_etl_stacks *stacks)
{
	uint32_t *depth = depths_of(&stacks->trie);
	size_t last = 0;

	for (size_t i = 1; i < stacks->entry_count; i++) {
		const struct entry *entry = &stacks->entries[i];

		if (by_owner(&stacks->entries[last].owner, &entry->owner) == 0)
			join_entry(&stacks->entries[last], entry, depth);
		else
			stacks->entries[++last] = *entry;
	}
	if (stacks->entry_count)
		stacks->entry_count = last + 1;
	wk_free(depth);
}

uint64_t wk_etl_stacks_settle(struct wk_etl_stacks *stacks)
{
	uint64_t unknown = settle_keys(stacks);

	wk_trie_seal(&stacks->trie);
	wk_map_fini(&stacks->number_of);
	wk_map_fini(&stacks->half_of);
	wk_free(stacks->halves);
	stacks->halves = NULL;
	if (stacks->entry_count)
		sort_entries(stacks);
	join_entries(stacks);
	return unknown;
}

/* ---- lookups */

static bool is_before(const struct wk_etl_stacks *stacks, size_t entry,
		      const struct wk_etl_stack_owner *owner)
{
	return by_owner(&stacks->entries[entry].owner, owner) < 0;
}

/* Lookups are in order of time, so the result is near the last one: the first entry that is not
 * before `owner` is between `low` and `high`. */
static void close_in(const struct wk_etl_stacks *stacks, const struct wk_etl_stack_owner *owner,
		     size_t *low, size_t *high)
{
	size_t at = stacks->last, step = 1;

	if (at < stacks->entry_count && is_before(stacks, at, owner)) {
		for (*low = at + 1;
		     step < stacks->entry_count - *low && is_before(stacks, *low + step, owner);
		     step *= 2)
			*low += step;
		if (step < stacks->entry_count - *low)
			*high = *low + step;
		return;
	}
	for (*high = at; step < *high && !is_before(stacks, *high - step, owner); step *= 2)
		*high -= step;
	if (step < *high)
		*low = *high - step;
}

/* The first entry that is not before `owner`, or entry_count. */
static size_t lower_bound(struct wk_etl_stacks *stacks, const struct wk_etl_stack_owner *owner)
{
	size_t low = 0, high = stacks->entry_count;

	close_in(stacks, owner, &low, &high);
	WK_BISECT(low, high, is_before(stacks, middle, owner));
	stacks->last = low;
	return low;
}

static void climb(const struct wk_etl_stacks *stacks, struct row *row, uint32_t leaf)
{
	row->count = 0;
	for (uint32_t at = leaf; at; at = stacks->trie.entries[at].parent)
		push(row, stacks->addresses[stacks->trie.entries[at].label - 1]);
}

static bool chain_of(struct wk_etl_stacks *stacks, const struct entry *entry,
		     struct wk_etl_chain *chain)
{
	climb(stacks, &stacks->kernel, entry->half.kernel);
	climb(stacks, &stacks->user, entry->half.user);
	*chain = (struct wk_etl_chain){ stacks->kernel.at, stacks->user.at, stacks->kernel.count,
					stacks->user.count };
	return chain->kernel_count + chain->user_count > 0;
}

bool wk_etl_stacks_find(struct wk_etl_stacks *stacks, struct wk_etl_stack_owner owner,
			struct wk_etl_chain *chain)
{
	size_t i = lower_bound(stacks, &owner);

	*chain = (struct wk_etl_chain){ 0 };
	return i < stacks->entry_count && by_owner(&stacks->entries[i].owner, &owner) == 0 &&
	       chain_of(stacks, &stacks->entries[i], chain);
}

bool wk_etl_stacks_find_on(struct wk_etl_stacks *stacks, uint64_t time, uint32_t cpu, uint32_t *tid,
			   struct wk_etl_chain *chain)
{
	size_t i = lower_bound(stacks, &(struct wk_etl_stack_owner){ .time = time });
	size_t end =
		stacks->entry_count - i > MOST_AT_ONCE ? i + MOST_AT_ONCE : stacks->entry_count;

	*chain = (struct wk_etl_chain){ 0 };
	for (; i < end && stacks->entries[i].owner.time == time; i++)
		if (stacks->entries[i].owner.cpu == cpu) {
			*tid = stacks->entries[i].owner.tid;
			return chain_of(stacks, &stacks->entries[i], chain);
		}
	return false;
}
