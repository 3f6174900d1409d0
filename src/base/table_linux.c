#include <sys/mman.h>

#include "base/heap_internal.h"

#define LARGEST_SMALL_PAGE ((size_t)64 << 10) /* of any machine */

size_t wk_large_page_bytes(void)
{
	return (size_t)2 << 20;
}

void wk_prefer_large_pages(void *at, size_t size_bytes)
{
	madvise(at, size_bytes, MADV_HUGEPAGE); /* a wish: nothing is wrong where it is not met */
}

void wk_discard_pages(void *at, size_t size_bytes)
{
	size_t whole = size_bytes / LARGEST_SMALL_PAGE *
		       LARGEST_SMALL_PAGE; /* the allocator's own data may follow */

	if (whole)
		madvise(at, whole, MADV_DONTNEED);
}
