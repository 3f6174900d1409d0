/* Memory from the heap, for sizes that are already known to be sane.
 *
 * These never return NULL: when the system has no memory left they print one line and
 * end the program with exit code 1. That is the one exception to "library code never
 * exits", and it is why a number that comes from a file must be bounded by the file's
 * own length before it sizes an allocation. All are freed with wk_free(). */
#ifndef WK_BASE_MEM_H
#define WK_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

void *wk_alloc(size_t size_bytes);
void *wk_alloc_zeroed(size_t count, size_t size_bytes);
void *wk_realloc(void *at, size_t size_bytes);
char *wk_strdup(const char *text);
char *wk_strndup(const char *text, size_t len);

/* NULL is allowed. Memory that a library allocated by itself is that library's to free. */
void wk_free(void *at);

/* For a large table that is looked at all over: where the system can, in large pages, so that
 * a look costs less. The contents are unset. */
void *wk_alloc_table(size_t size_bytes);
void *wk_alloc_table_zeroed(size_t count, size_t size_bytes);

/* The same array with room for `room` elements of which the first `count` are kept. */
void *wk_grow_table(void *at, size_t count, size_t room, size_t size_bytes);

void *wk_grow_now(void *at, size_t *cap, size_t need, size_t size_bytes); /* need > *cap */

/* Makes room for at least `need` elements in a growing array and returns it, moved perhaps.
 * `*cap` is the room in elements and is doubled, so n additions cost O(n):
 *
 *	rows = wk_grow(rows, &cap, count + 1, sizeof(*rows));
 *	rows[count++] = row; */
static inline void *wk_grow(void *at, size_t *cap, size_t need, size_t size_bytes)
{
	return need <= *cap ? at : wk_grow_now(at, cap, need, size_bytes);
}

#endif
