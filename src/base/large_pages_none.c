#include "base/heap_internal.h"

size_t wk_large_page_bytes(void)
{
	return 0;
}

void wk_prefer_large_pages(void *at, size_t size_bytes)
{
	(void)at, (void)size_bytes;
}

void wk_discard_pages(void *at, size_t size_bytes)
{
	(void)at, (void)size_bytes;
}

void wk_heap_use_large_pages(void)
{
}

bool wk_fits_large_heap(size_t size_bytes)
{
	(void)size_bytes;
	return false;
}

bool wk_is_in_large_heap(const void *at, size_t size_bytes)
{
	(void)at;
	(void)size_bytes;
	return false;
}
