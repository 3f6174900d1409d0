/* Memory for sizes that are already known to be sane: a number from a file must be bounded by the
 * file's own length before it sizes an allocation. All of it is freed with wk_free.
 *
 * None of these returns NULL, so no caller checks. Memory belongs to the heap that is current in
 * the thread (base/heap.h). If there is none left, the allocation does not return: control goes
 * back to the call of wk_heap_run that made the heap current, and the heap later releases all that
 * was allocated, opened or started in it. Two consequences for the code between:
 *  - memory needs no clean-up for that case, but a file, thread or handle of a library needs a
 *    wk_undo, which os/ sets up for its own;
 *  - callbacks of C libraries must not be left by a jump: they call wk_try_alloc, or run their body
 *    in a wk_heap_run of its own and report failure to the library. */
#ifndef WK_BASE_MEM_H
#define WK_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

void *wk_alloc(size_t size_bytes);
void *wk_alloc_zeroed(size_t count, size_t size_bytes);
void *wk_realloc(void *at, size_t size_bytes);
char *wk_strdup(const char *text);
char *wk_strndup(const char *text, size_t len);

/* NULL is allowed. Memory of a library's own allocator is freed by that library. */
void wk_free(void *at);
void wk_free_each(void *const *blocks, size_t count);

/* Frees each of its arguments, which are all evaluated before. */
#define WK_FREE_ALL(...) \
	wk_free_each((void *const[]){ __VA_ARGS__ }, \
		     sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* For the allocator hooks of other libraries: NULL without memory. */
void *wk_try_alloc(size_t size_bytes);
void *wk_try_realloc(void *at, size_t size_bytes);

/* For a large table that is accessed all over: in large pages if the system has them, so that an
 * access costs less. The contents are unset. */
void *wk_alloc_table(size_t size_bytes);
void *wk_alloc_table_zeroed(size_t count, size_t size_bytes);

/* The same array with space for `room` elements; the first `count` are preserved. */
void *wk_grow_table(void *at, size_t count, size_t room, size_t size_bytes);

void *wk_grow_now(void *at, size_t *cap, size_t need, size_t size_bytes); /* need > *cap */

/* Space for at least `need` elements in a growing array, which may move; returns it. `*cap` is
 * the capacity in elements and is doubled, so n additions cost O(n). */
static inline void *wk_grow(void *at, size_t *cap, size_t need, size_t size_bytes)
{
	return need <= *cap ? at : wk_grow_now(at, cap, need, size_bytes);
}

/* The same for the growing array `rows`. */
#define WK_RESERVE(rows, cap, need) ((rows) = wk_grow((rows), &(cap), (need), sizeof(*(rows))))

/* The same, and new elements are zero. */
void *wk_grow_zeroed(void *at, size_t *cap, size_t need, size_t size_bytes);
#define WK_RESERVE_ZEROED(rows, cap, need) \
	((rows) = (need) <= (cap) ? (rows) : wk_grow_zeroed((rows), &(cap), (need), sizeof(*(rows))))

/* The next element of a growing array, not yet initialized: *WK_APPEND(rows, count, cap) = row;
 * The value must not be a call that adds to the same array. */
#define WK_APPEND(rows, count, cap) \
	(WK_RESERVE(rows, cap, (size_t)(count) + 1), &(rows)[(count)++])

#endif
