/* What the files of the library share: the context, and calls that may run out of memory.
 *
 * Each public function that allocates runs its work in a heap (base/heap.h). An object that lasts
 * owns a heap; a question to a profile has one of its own, so that the profile never changes. */
#ifndef WK_LIBRARY_LIBRARY_H
#define WK_LIBRARY_LIBRARY_H

#include "base/err.h"
#include "base/heap.h"
#include "session/symbolizer.h"
#include <wick/wick.h>

/* The texts belong to the heap. */
struct wick_context {
	struct wk_heap *heap;
	struct wk_allocator allocator;
	bool has_allocator;
	struct wk_naming_options naming;
};

/* A heap with the context's allocator; NULL without memory. */
struct wk_heap *wk_library_heap(const struct wick_context *context);

/* Runs `work(call)` in `heap` (NULL: there was no memory for it) with the numbers of the C locale.
 * `err` is what `work` fills; it becomes `error`, as does running out of memory. False after an
 * error. */
bool wk_library_run(struct wk_heap *heap, void (*work)(void *call), void *call, struct wk_err *err,
		    struct wick_error *error);

/* The same in a heap that is gone afterwards. */
bool wk_library_run_once(const struct wick_context *context, void (*work)(void *call), void *call,
			 struct wk_err *err, struct wick_error *error);

/* The caller's options as this library knows them: what `from` does not have is zero. False, with
 * an error, if its size makes no sense. `from` may be NULL. */
bool wk_library_options(void *to, size_t to_size, const void *from, struct wick_error *error);

/* The other direction: fills the caller's struct, which begins with its size, as far as it goes. */
void wk_library_fill(void *to, const void *from, size_t from_size);

/* Fails as a callback does that returned false. */
bool wk_library_stop(struct wk_err *err);

#endif
