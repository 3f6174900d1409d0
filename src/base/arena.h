/* Memory that is freed all at once.
 *
 * Long-lived objects own one; short-lived work gets a scratch arena that its caller resets.
 * Zero-initialised is empty and ready. Nothing in it is freed separately. */
#ifndef WK_BASE_ARENA_H
#define WK_BASE_ARENA_H

#include <stddef.h>

#include "base/str.h"

struct wk_arena_chunk;

struct wk_arena {
	struct wk_arena_chunk *chunks;
	char *at, *end;
};

/* Aligned for any type; contents unset. Never NULL (see base/mem.h). */
void *wk_arena_alloc(struct wk_arena *arena, size_t size_bytes);
void *wk_arena_alloc_zeroed(struct wk_arena *arena, size_t size_bytes);

/* A copy with a NUL behind it that is not counted. */
struct wk_str wk_arena_copy(struct wk_arena *arena, struct wk_str text);

void *wk_arena_grow_now(struct wk_arena *arena, void *at, size_t count, size_t *cap,
			size_t size_bytes);

/* A growing array with space for one more element, moved perhaps. Outgrown arrays remain in the
 * arena, together no larger than the last. */
static inline void *wk_arena_grow(struct wk_arena *arena, void *at, size_t count, size_t *cap,
				  size_t size_bytes)
{
	return count < *cap ? at : wk_arena_grow_now(arena, at, count, cap, size_bytes);
}

/* Everything in it is gone; one chunk is reused. */
void wk_arena_reset(struct wk_arena *arena);
void wk_arena_fini(struct wk_arena *arena);

#endif
