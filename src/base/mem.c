#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FEWEST_TABLE_BYTES ((size_t)3 << 19) /* below, moving costs more than it gives */

static void *check(void *at)
{
	if (!at) {
		fputs("wick: out of memory\n", stderr);
		exit(1);
	}
	return at;
}

void *wk_alloc(size_t size_bytes)
{
	return check(malloc(size_bytes ? size_bytes : 1));
}

void *wk_alloc_zeroed(size_t count, size_t size_bytes)
{
	return check(calloc(count ? count : 1, size_bytes ? size_bytes : 1));
}

void *wk_realloc(void *at, size_t size_bytes)
{
	return check(realloc(at, size_bytes ? size_bytes : 1));
}

void *wk_alloc_table_zeroed(size_t count, size_t size_bytes)
{
	void *at;

	if (size_bytes && count > SIZE_MAX / size_bytes)
		check(NULL);
	at = wk_alloc_table(count * size_bytes);
	memset(at, 0, count * size_bytes);
	return at;
}

void *wk_grow_table(void *at, size_t count, size_t room, size_t size_bytes)
{
	void *larger;

	if (room > SIZE_MAX / size_bytes)
		check(NULL);
	if (room * size_bytes < FEWEST_TABLE_BYTES)
		return wk_realloc(at, room * size_bytes);
	larger = wk_alloc_table(room * size_bytes);
	if (count)
		memcpy(larger, at, count * size_bytes);
	wk_free(at);
	return larger;
}

void wk_free(void *at)
{
	free(at);
}

char *wk_strdup(const char *text)
{
	return wk_strndup(text, strlen(text));
}

char *wk_strndup(const char *text, size_t len)
{
	char *copy = wk_alloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

void *wk_grow_now(void *at, size_t *cap, size_t need, size_t size_bytes)
{
	size_t room = *cap ? *cap : 16;

	while (room < need)
		room = room > SIZE_MAX / 2 ? need : room * 2;
	if (room > SIZE_MAX / size_bytes)
		check(NULL);
	at = wk_realloc(at, room * size_bytes);
	*cap = room;
	return at;
}
