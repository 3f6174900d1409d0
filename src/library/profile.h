/* A profile of the library: a model in a heap of its own, which never changes. */
#ifndef WK_LIBRARY_PROFILE_H
#define WK_LIBRARY_PROFILE_H

#include "library/library.h"
#include "model/model.h"

struct wick_profile {
	const struct wick_context *context;
	struct wk_heap *heap;
	const struct wk_model *model; /* of the heap, and freed with it */
};

#endif
