#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"

#define LARGE_PAGE ((size_t)2 << 20)

/* Smaller ones would be rounded up by too much. */
#define FEWEST_PAGES 2

void *wk_alloc_table(size_t size_bytes)
{
	size_t rounded = (size_bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *at = size_bytes >= FEWEST_PAGES * LARGE_PAGE ? aligned_alloc(LARGE_PAGE, rounded)
							   : NULL;

	if (!at)
		return wk_alloc(size_bytes);
	madvise(at, rounded, MADV_HUGEPAGE); /* a wish: nothing is wrong where it is not met */
	return at;
}
