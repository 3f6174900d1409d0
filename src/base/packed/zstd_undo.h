/* A stream of zstd, which allocates by itself: freed as well if memory runs out meanwhile. */
#ifndef WK_BASE_PACKED_ZSTD_UNDO_H
#define WK_BASE_PACKED_ZSTD_UNDO_H

#include <zstd.h>

#include "base/heap.h"

static inline void wk_zstd_undone(struct wk_undo *undo)
{
	ZSTD_freeDStream(undo->at);
}

static inline ZSTD_DStream *wk_zstd_open(struct wk_undo **undo)
{
	ZSTD_DStream *stream;

	*undo = wk_undo_new();
	stream = ZSTD_createDStream();
	if (!stream)
		wk_heap_raise();
	wk_undo_arm(*undo, wk_zstd_undone, stream, 0);
	return stream;
}

static inline void wk_zstd_close(ZSTD_DStream *stream, struct wk_undo *undo)
{
	ZSTD_freeDStream(stream);
	wk_undo_free(undo);
}

#endif
