#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/heap_internal.h"

#define LARGEST_SMALL_PAGE ((size_t)64 << 10) /* of any machine */

/* Address space only; what exceeds it is allocated as without it. */
#define RESERVED_BYTES (512 << 20)
#define MOST_IN_HEAP   (32 << 20) /* of one allocation: all that the C library accepts */
#define USUAL_PADDING  (128 << 10)

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

/* Set once by wk_heap_use_large_pages, before there are threads. */
static uintptr_t heap_from, heap_to;

bool wk_fits_large_heap(size_t size_bytes)
{
	return size_bytes < MOST_IN_HEAP && size_bytes < heap_to - heap_from;
}

bool wk_is_in_large_heap(const void *at, size_t size_bytes)
{
	uintptr_t from = (uintptr_t)at;

	return from >= heap_from && from < heap_to && size_bytes <= heap_to - from;
}

#ifdef M_ARENA_MAX

static bool is_limited(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* The C library is made to enlarge its heap by far more than it is asked for, once. All threads
 * allocate from that heap: the others that it would create for them could not be enlarged so. */
void wk_heap_use_large_pages(void)
{
	char *before, *after;
	void *volatile more; /* not optimized away */
	uintptr_t from;

	if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
		return;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MOST_IN_HEAP);
	mallopt(M_TRIM_THRESHOLD, RESERVED_BYTES);
	mallopt(M_TOP_PAD, RESERVED_BYTES);
	before = sbrk(0);
	more = malloc(2 * USUAL_PADDING); /* more than the heap has at the start */
	from = (uintptr_t)more;           /* what was left of it is a part */
	free(more);
	after = sbrk(0);
	mallopt(M_TOP_PAD, USUAL_PADDING);
	if (after > before) {
		wk_prefer_large_pages(before, (size_t)(after - before));
		heap_from = from;
		heap_to = (uintptr_t)after;
	}
}

#else

void wk_heap_use_large_pages(void)
{
}

#endif
