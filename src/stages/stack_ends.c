#include "stages/stack_ends.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/mem.h"

#define THREADS    256 /* of equal tid modulo this, the last one learned */
#define PAGE_SHIFT 12
#define PAGE_BITS  36 /* of an address of 48 bits */
#define BELIEVED   3

struct end {
	uint32_t tid;
	unsigned times; /* that it was seen */
	bool is_doubtful;
	struct wk_stack_end seen;
	_Atomic uint64_t known; /* tid and page, once they are believed; or 0 */
	_Atomic uint64_t address, value;
};

struct wk_stack_ends {
	struct end ends[THREADS];
};

struct wk_stack_ends *wk_stack_ends_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_stack_ends));
}

void wk_stack_ends_free(struct wk_stack_ends *ends)
{
	wk_free(ends);
}

static uint64_t pack(uint32_t tid, uint64_t page)
{
	return (uint64_t)tid << PAGE_BITS | page;
}

static bool fits(uint32_t tid, uint64_t page)
{
	return page < UINT64_C(1) << PAGE_BITS && tid < UINT32_C(1) << (64 - PAGE_BITS);
}

static struct wk_stack_end end_of(uint64_t address, uint64_t value)
{
	return (struct wk_stack_end){ ((address >> PAGE_SHIFT) + 1) << PAGE_SHIFT, address, value };
}

/* While it is exchanged, none is known. */
static void believe(struct end *end)
{
	uint64_t page = end->seen.end >> PAGE_SHIFT;

	if (end->is_doubtful || !fits(end->tid, page))
		return;
	atomic_store(&end->address, end->seen.address);
	atomic_store(&end->value, end->seen.value);
	atomic_store(&end->known, pack(end->tid, page));
}

void wk_stack_ends_learn(struct wk_stack_ends *ends, uint32_t tid, uint64_t address, uint64_t value)
{
	struct end *end = &ends->ends[tid % THREADS];
	struct wk_stack_end now = end_of(address, value);

	if (end->tid != tid || !end->times) {
		atomic_store(&end->known, 0);
		end->tid = tid;
		end->seen = now;
		end->times = 0;
		end->is_doubtful = false;
	}
	if (end->seen.end != now.end)
		wk_stack_ends_doubt(ends, tid);
	/* A program has other outermost frames than its loader. */
	if (end->seen.address != address || end->seen.value != value) {
		atomic_store(&end->known, 0);
		end->seen = now;
		end->times = 0;
	}
	if (end->times < BELIEVED && ++end->times == BELIEVED)
		believe(end);
}

void wk_stack_ends_doubt(struct wk_stack_ends *ends, uint32_t tid)
{
	struct end *end = &ends->ends[tid % THREADS];

	if (end->tid != tid)
		return;
	atomic_store(&end->known, 0);
	end->is_doubtful = true;
}

void wk_stack_ends_forget(struct wk_stack_ends *ends, uint32_t tid)
{
	struct end *end = &ends->ends[tid % THREADS];

	if (end->tid != tid)
		return;
	atomic_store(&end->known, 0);
	end->times = 0;
}

bool wk_stack_ends_find(const struct wk_stack_ends *ends, uint32_t tid, struct wk_stack_end *found)
{
	const struct end *end = &ends->ends[tid % THREADS];
	uint64_t known = atomic_load(&end->known);

	if (known == 0 || known >> PAGE_BITS != tid)
		return false;
	found->end = (known & ((UINT64_C(1) << PAGE_BITS) - 1)) << PAGE_SHIFT;
	found->address = atomic_load(&end->address);
	found->value = atomic_load(&end->value);
	return atomic_load(&end->known) == known;
}
