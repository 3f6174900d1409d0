/* Many blocks of heaps as one event: one call for all of them, and no chain for each. */
#ifndef WK_EVENT_BLOCKS_H
#define WK_EVENT_BLOCKS_H

#include "event/sink.h"

#define WK_BLOCK_MOST_FRAMES 1024

/* Emits a BLOCKS event, or the HEAP events that it stands for. */
bool wk_blocks_emit(const struct wk_sink *sink, const struct wk_event *event, struct wk_err *err);

#endif
