#include "base/mem.h"

#include <stdint.h>
#include <string.h>

#include "base/heap_internal.h"

#define FEWEST_TABLE_BYTES ((size_t)3 << 19) /* below, moving costs more than it gives */
#define MOST_BYTES         (WK_BLOCK_ALIGNED - ((size_t)8 << 20))

static void link_block(struct wk_heap *owner, struct wk_block *block)
{
	wk_lock_acquire(&owner->lock);
	block->prev = &owner->blocks;
	block->next = owner->blocks.next;
	block->next->prev = owner->blocks.next = block;
	wk_lock_release(&owner->lock);
}

static void unlink_block(const struct wk_block *block)
{
	struct wk_heap *owner = block->owner;

	wk_lock_acquire(&owner->lock);
	block->prev->next = block->next;
	block->next->prev = block->prev;
	wk_lock_release(&owner->lock);
}

static void *owned_bytes(const struct wk_heap *owner, size_t size_bytes, bool is_zeroed)
{
	const struct wk_allocator *from = &owner->allocator;
	void *at;

	if (is_zeroed && from->alloc_zeroed)
		return from->alloc_zeroed(from->context, size_bytes);
	at = from->alloc(from->context, size_bytes);
	if (at && is_zeroed)
		memset(at, 0, size_bytes);
	return at;
}

static void *plain_bytes(const struct wk_heap *owner, size_t size_bytes, bool is_zeroed)
{
	if (owner)
		return owned_bytes(owner, size_bytes, is_zeroed);
	return is_zeroed ? calloc(1, size_bytes) : malloc(size_bytes);
}

/* NULL without memory, also from a heap that has failed. */
static void *try_alloc(size_t size_bytes, bool is_zeroed)
{
	struct wk_heap *owner = wk_running.owner;
	struct wk_block *block;

	if (size_bytes > MOST_BYTES || wk_heap_is_failed(wk_running.heap))
		return NULL;
	block = plain_bytes(owner, sizeof(*block) + size_bytes, is_zeroed);
	if (!block)
		return NULL;
	block->owner = owner;
	block->size_bytes = size_bytes;
	if (owner)
		link_block(owner, block);
	return block + 1;
}

static void *check(void *at)
{
	if (!at)
		wk_heap_raise();
	return at;
}

/* The common case first: memory of the process, and enough of it. */
void *wk_alloc(size_t size_bytes)
{
	struct wk_block *block = NULL;

	if (!wk_running.owner && size_bytes <= MOST_BYTES && !wk_heap_is_failed(wk_running.heap))
		block = malloc(sizeof(*block) + size_bytes);
	if (!block)
		return check(try_alloc(size_bytes, false));
	block->owner = NULL;
	block->size_bytes = size_bytes;
	return block + 1;
}

void *wk_alloc_zeroed(size_t count, size_t size_bytes)
{
	if (size_bytes && count > SIZE_MAX / size_bytes)
		wk_heap_raise();
	return check(try_alloc(count * size_bytes, true));
}

/* The library reports some error of its own; the heap remembers the cause. */
static void *note_failure(void *at)
{
	if (!at && wk_running.heap)
		wk_running.heap->has_failed = true;
	return at;
}

void *wk_try_alloc(size_t size_bytes)
{
	return note_failure(try_alloc(size_bytes, false));
}

static struct wk_block *block_of(void *at)
{
	return (struct wk_block *)at - 1;
}

static bool is_aligned(const struct wk_block *block)
{
	return (block->size_bytes & WK_BLOCK_ALIGNED) != 0;
}

static void *whole_of(struct wk_block *block)
{
	return is_aligned(block) ? ((void **)block)[-1] : block;
}

static void *move(void *at, size_t size_bytes)
{
	size_t before = block_of(at)->size_bytes & ~WK_BLOCK_ALIGNED;
	void *moved = try_alloc(size_bytes, false);

	if (!moved)
		return NULL;
	memcpy(moved, at, before < size_bytes ? before : size_bytes);
	wk_free(at);
	return moved;
}

/* A table that shrinks stays in its large pages; of its end, whole ones are given back. */
static bool stays(struct wk_block *block, size_t size_bytes)
{
	size_t before = block->size_bytes & ~WK_BLOCK_ALIGNED, page = wk_large_page_bytes();
	size_t kept = (size_bytes + page - 1) / page * page;

	if (size_bytes > before || size_bytes < page)
		return false;
	if (kept < before)
		wk_discard_pages((char *)(block + 1) + kept, before - kept);
	block->size_bytes = size_bytes | WK_BLOCK_ALIGNED;
	return true;
}

static struct wk_block *moved_in(struct wk_heap *owner, struct wk_block *block, size_t size_bytes)
{
	struct wk_block *moved;

	unlink_block(block);
	moved = owner->allocator.realloc(owner->allocator.context, block, size_bytes);
	link_block(owner, moved ? moved : block);
	return moved;
}

/* In the heap of the block, which may not be the calling thread's. */
static void *try_realloc(void *at, size_t size_bytes)
{
	struct wk_block *block, *moved;
	struct wk_heap *owner;

	if (!at)
		return try_alloc(size_bytes, false);
	block = block_of(at);
	owner = block->owner;
	if (size_bytes > MOST_BYTES || wk_heap_is_failed(owner ? owner : wk_running.heap))
		return NULL;
	if (is_aligned(block) && stays(block, size_bytes))
		return at;
	if (is_aligned(block))
		return move(at, size_bytes);
	moved = owner ? moved_in(owner, block, sizeof(*block) + size_bytes)
		      : realloc(block, sizeof(*block) + size_bytes);
	if (!moved)
		return NULL;
	moved->size_bytes = size_bytes;
	return moved + 1;
}

void *wk_try_realloc(void *at, size_t size_bytes)
{
	return note_failure(try_realloc(at, size_bytes));
}

void *wk_realloc(void *at, size_t size_bytes)
{
	return check(try_realloc(at, size_bytes));
}

__attribute__((noinline)) static void free_owned(struct wk_block *block)
{
	const struct wk_allocator *from = &block->owner->allocator;

	unlink_block(block);
	from->free(from->context, whole_of(block));
}

void wk_free(void *at)
{
	if (!at)
		return;
	if (block_of(at)->owner)
		free_owned(block_of(at));
	else
		free(whole_of(block_of(at)));
}

void wk_free_each(void *const *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wk_free(blocks[i]);
}

/* A large page that would be mostly unused wastes more memory than it saves time. */
static size_t in_large_pages(size_t size_bytes, size_t page)
{
	return page ? (size_bytes + page / 4) / page * page : 0;
}

/* The table begins at a large page; its header and a pointer to the whole lie in front of it. */
static void *alloc_aligned(size_t size_bytes, size_t page)
{
	struct wk_heap *owner = wk_running.owner;
	size_t front = sizeof(void *) + sizeof(struct wk_block);
	struct wk_block *block;
	char *whole;

	if (size_bytes > MOST_BYTES || wk_heap_is_failed(wk_running.heap))
		return NULL;
	whole = plain_bytes(owner, front + page + size_bytes, false);
	if (!whole)
		return NULL;
	block = (struct wk_block *)(((uintptr_t)whole + front + page - 1) &
				    ~(uintptr_t)(page - 1)) -
		1;
	((void **)block)[-1] = whole;
	block->owner = owner;
	block->size_bytes = size_bytes | WK_BLOCK_ALIGNED;
	if (owner)
		link_block(owner, block);
	return block + 1;
}

void *wk_alloc_table(size_t size_bytes)
{
	size_t page = wk_large_page_bytes(), large = in_large_pages(size_bytes, page);
	void *at;

	if (!large)
		return wk_alloc(size_bytes);
	if (!wk_running.owner && wk_fits_large_heap(size_bytes)) {
		at = wk_alloc(size_bytes);
		if (wk_is_in_large_heap(at, size_bytes))
			return at;
		wk_free(at);
	}
	at = check(alloc_aligned(large > size_bytes ? large : size_bytes, page));
	wk_prefer_large_pages(at, large);
	return at;
}

void *wk_alloc_table_zeroed(size_t count, size_t size_bytes)
{
	void *at;

	if (size_bytes && count > SIZE_MAX / size_bytes)
		wk_heap_raise();
	at = wk_alloc_table(count * size_bytes);
	memset(at, 0, count * size_bytes);
	return at;
}

/* There it can grow in place. */
static bool stays_in_heap(const void *at, size_t size_bytes)
{
	return at && wk_fits_large_heap(size_bytes) && wk_is_in_large_heap(at, 1);
}

void *wk_grow_table(void *at, size_t count, size_t room, size_t size_bytes)
{
	void *larger;

	if (room > SIZE_MAX / size_bytes)
		wk_heap_raise();
	if (room * size_bytes < FEWEST_TABLE_BYTES || stays_in_heap(at, room * size_bytes))
		return wk_realloc(at, room * size_bytes);
	larger = wk_alloc_table(room * size_bytes);
	if (count)
		memcpy(larger, at, count * size_bytes);
	wk_free(at);
	return larger;
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
		wk_heap_raise();
	at = wk_realloc(at, room * size_bytes);
	*cap = room;
	return at;
}

void *wk_grow_zeroed(void *at, size_t *cap, size_t need, size_t size_bytes)
{
	size_t old = *cap;

	at = wk_grow(at, cap, need, size_bytes);
	memset((char *)at + old * size_bytes, 0, (*cap - old) * size_bytes);
	return at;
}
