#include <sys/mman.h>

#include "base/heap_internal.h"

size_t wk_large_page_bytes(void)
{
	return (size_t)2 << 20;
}

void wk_prefer_large_pages(void *at, size_t size_bytes)
{
	madvise(at, size_bytes, MADV_HUGEPAGE); /* a wish: nothing is wrong where it is not met */
}
