#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"

#define LARGE_PAGE ((size_t)2 << 20)

/* A page of which much would not be used takes more memory than it is worth. */
#define MOST_UNUSED (LARGE_PAGE / 4)

void *wk_alloc_table(size_t size_bytes)
{
	size_t large = (size_bytes + MOST_UNUSED) / LARGE_PAGE * LARGE_PAGE;
	void *at;

	if (!large || posix_memalign(&at, LARGE_PAGE, large > size_bytes ? large : size_bytes))
		return wk_alloc(size_bytes);
	madvise(at, large, MADV_HUGEPAGE); /* a wish: nothing is wrong where it is not met */
	return at;
}
