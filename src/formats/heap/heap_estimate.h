/* What a sampled block stands for. */
#ifndef WK_FORMATS_HEAP_HEAP_ESTIMATE_H
#define WK_FORMATS_HEAP_HEAP_ESTIMATE_H

#include "event/event.h"
#include "formats/heap/heap_thread.h"

/* Of a block that was chosen with the probability p = 1 - exp(-size / sample_bytes): on average
 * 1 / p blocks and size / p bytes. */
void wk_heap_estimate(const struct wk_heap_record_read *record, uint64_t sample_bytes,
		      struct wk_block_estimate *estimate);

#endif
