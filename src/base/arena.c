#include "base/arena.h"

#include <stdalign.h>

#include "base/mem.h"

#define CHUNK_BYTES (64 * 1024)

struct wk_arena_chunk {
	struct wk_arena_chunk *next;
	size_t size_bytes;
	alignas(max_align_t) char bytes[];
};

static void add_chunk(struct wk_arena *arena, size_t size_bytes)
{
	struct wk_arena_chunk *chunk = wk_alloc(sizeof(*chunk) + size_bytes);

	chunk->size_bytes = size_bytes;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->at = chunk->bytes;
	arena->end = chunk->bytes + size_bytes;
}

void *wk_arena_alloc(struct wk_arena *arena, size_t size_bytes)
{
	size_t rounded = (size_bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	void *at;

	if (!arena->at || rounded > (size_t)(arena->end - arena->at))
		add_chunk(arena, rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES);
	at = arena->at;
	arena->at += rounded;
	return at;
}

void *wk_arena_alloc_zeroed(struct wk_arena *arena, size_t size_bytes)
{
	return memset(wk_arena_alloc(arena, size_bytes), 0, size_bytes);
}

struct wk_str wk_arena_copy(struct wk_arena *arena, struct wk_str text)
{
	char *copy = wk_arena_alloc(arena, text.len + 1);

	if (text.len)
		memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	return (struct wk_str){ copy, text.len };
}

void *wk_arena_grow_now(struct wk_arena *arena, void *at, size_t count, size_t *cap,
			size_t size_bytes)
{
	void *moved;

	*cap = *cap ? *cap * 2 : 16;
	moved = wk_arena_alloc(arena, *cap * size_bytes);
	if (count)
		memcpy(moved, at, count * size_bytes);
	return moved;
}

void wk_arena_reset(struct wk_arena *arena)
{
	struct wk_arena_chunk *keep = arena->chunks;

	if (!keep)
		return;
	while (keep->next) {
		struct wk_arena_chunk *next = keep->next;

		wk_free(keep);
		keep = next;
	}
	arena->chunks = keep;
	arena->at = keep->bytes;
	arena->end = keep->bytes + keep->size_bytes;
}

void wk_arena_fini(struct wk_arena *arena)
{
	for (struct wk_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		wk_free(chunk);
	}
	*arena = (struct wk_arena){ 0 };
}
