#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

char *wk_strndup(const char *text, size_t len)
{
	char *copy = wk_alloc(len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

void *wk_grow(void *at, size_t *cap, size_t need, size_t size_bytes)
{
	size_t room = *cap ? *cap : 16;

	if (need <= *cap)
		return at;
	while (room < need)
		room = room > SIZE_MAX / 2 ? need : room * 2;
	if (room > SIZE_MAX / size_bytes)
		check(NULL);
	at = wk_realloc(at, room * size_bytes);
	*cap = room;
	return at;
}
