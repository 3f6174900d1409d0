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
	uint64_t page;          /* after the highest address */
	_Atomic uint64_t known; /* tid and page, once they are believed; or 0 */
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

void wk_stack_ends_learn(struct wk_stack_ends *ends, uint32_t tid, uint64_t highest)
{
	struct end *end = &ends->ends[tid % THREADS];
	uint64_t page = (highest >> PAGE_SHIFT) + 1;

	if (end->tid != tid || !end->times) {
		atomic_store(&end->known, 0);
		end->tid = tid;
		end->page = page;
		end->times = 0;
		end->is_doubtful = false;
	}
	if (end->page != page)
		wk_stack_ends_doubt(ends, tid);
	if (end->times < BELIEVED && ++end->times == BELIEVED && !end->is_doubtful &&
	    fits(tid, page))
		atomic_store(&end->known, pack(tid, page));
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

uint64_t wk_stack_ends_find(const struct wk_stack_ends *ends, uint32_t tid)
{
	uint64_t known = atomic_load(&ends->ends[tid % THREADS].known);

	if (known == 0 || known >> PAGE_BITS != tid)
		return UINT64_MAX;
	return (known & ((UINT64_C(1) << PAGE_BITS) - 1)) << PAGE_SHIFT;
}
