/* The notes at the end of a heap recording: what is missing, and that blocks were sampled. */
#ifndef WK_FORMATS_HEAP_HEAP_NOTES_H
#define WK_FORMATS_HEAP_HEAP_NOTES_H

#include "event/sink.h"

struct wk_heap_missing {
	bool has_blocks, has_calls; /* the recording has events of blocks, and calls that change
				     * the address space; neither: what it has is unknown */
	uint64_t sample_bytes; /* mean distance of the blocks that were recorded; 0: all were */
	uint64_t damaged;      /* parts of the file */
	uint64_t lost;         /* events, as the recorder did not keep up, */
	uint64_t threadless;   /* of threads that it could not record, */
	uint64_t nested;       /* of signal handlers in the middle of another one, */
	uint64_t early;        /* before the library could begin, */
	uint64_t cut;          /* and those that have only a part of their stack */
};

bool wk_heap_notes_emit(const struct wk_heap_missing *missing, const struct wk_sink *sink,
			struct wk_err *err);

#endif
