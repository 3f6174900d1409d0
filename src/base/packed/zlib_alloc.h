/* zlib's memory, from the current heap. */
#ifndef WK_BASE_PACKED_ZLIB_ALLOC_H
#define WK_BASE_PACKED_ZLIB_ALLOC_H

#include <zlib.h>

#include "base/mem.h"

static inline void *wk_zlib_alloc(void *context, uInt count, uInt size_bytes)
{
	(void)context;
	return wk_try_alloc((size_t)count * size_bytes);
}

static inline void wk_zlib_free(void *context, void *at)
{
	(void)context;
	wk_free(at);
}

#endif
