#include "stages/jit/lifetimes.h"

#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "stages/jit/tail.h"

/* A program maps its dump once; a program that maps thousands of files maps no dumps. */
#define MOST_DUMPS 16

void wk_jit_lifetimes_init(struct wk_jit_lifetimes *lives)
{
	*lives = (struct wk_jit_lifetimes){ .count = 1, .hit_count = 1 };
	lives->rows = wk_grow(NULL, &lives->rows_cap, 1, sizeof(*lives->rows));
	lives->rows[0] = (struct wk_jit_lifetime){ 0 };
	lives->hits = wk_grow(NULL, &lives->hits_cap, 1, sizeof(*lives->hits));
}

void wk_jit_lifetimes_fini(struct wk_jit_lifetimes *lives)
{
	for (uint32_t i = 1; i < lives->count; i++) {
		struct wk_jit_lifetime *life = &lives->rows[i];

		wk_jit_map_index_free(life->map);
		if (life->has_owner)
			wk_os_close_fd(life->owner.folder_fd, life->owner.undo);
		for (struct wk_jit_dump *dump = life->dumps, *next; dump; dump = next) {
			next = dump->next;
			if (dump->is_open)
				wk_jit_names_fini(&dump->names);
			wk_os_close_fd(dump->fd, dump->undo);
			wk_jit_tail_close(dump->tail);
			wk_map_fini(&dump->tables);
			WK_FREE_ALL(dump->places, dump->path, dump);
		}
	}
	WK_FREE_ALL(lives->rows, lives->hits);
	wk_map_fini(&lives->of_pid);
	wk_index_fini(&lives->hit_index);
}

uint32_t wk_jit_lifetime_find(const struct wk_jit_lifetimes *lives, uint32_t pid)
{
	return wk_map_find(&lives->of_pid, pid);
}

uint32_t wk_jit_lifetime_of(struct wk_jit_lifetimes *lives, uint32_t pid)
{
	uint32_t life = wk_jit_lifetime_find(lives, pid);

	return life ? life : wk_jit_lifetime_begin(lives, pid, 0, 0);
}

uint32_t wk_jit_lifetime_begin(struct wk_jit_lifetimes *lives, uint32_t pid, uint32_t parent,
			       uint64_t time_ns)
{
	struct wk_jit_lifetime life = { .pid = pid, .parent = parent, .born_ns = time_ns };

	life.makes_code = lives->rows[parent].makes_code;
	life.is_walked = lives->rows[parent].is_walked;
	WK_RESERVE(lives->rows, lives->rows_cap, (size_t)lives->count + 1);
	lives->rows[lives->count] = life;
	wk_map_set(&lives->of_pid, pid, lives->count);
	return lives->count++;
}

struct wk_jit_dump *wk_jit_lifetime_add_dump(struct wk_jit_lifetimes *lives, uint32_t life,
					     struct wk_str path, uint64_t time_ns)
{
	struct wk_jit_dump **last = &lives->rows[life].dumps;
	unsigned count = 0;

	for (; *last; last = &(*last)->next, count++)
		if (wk_str_is(path, (*last)->path))
			return *last;
	if (count == MOST_DUMPS)
		return NULL;
	*last = wk_alloc_zeroed(1, sizeof(**last));
	(*last)->path = wk_strndup(path.at, path.len);
	(*last)->fd = -1;
	(*last)->mapped_ns = time_ns;
	return *last;
}

static bool same_hit(const void *table, uint32_t id, const void *key)
{
	const struct wk_jit_hit *a = &((const struct wk_jit_lifetimes *)table)->hits[id];
	const struct wk_jit_hit *b = key;

	return a->address == b->address && a->life == b->life;
}

void wk_jit_lifetime_add_hit(struct wk_jit_lifetimes *lives, uint32_t life, uint64_t address)
{
	struct wk_jit_hit hit = { address, life, lives->rows[life].last_hit };
	uint64_t hash = wk_hash_pair(address, life);

	if (wk_index_find(&lives->hit_index, hash, same_hit, lives, &hit) ||
	    lives->hit_count == UINT32_MAX)
		return;
	WK_RESERVE(lives->hits, lives->hits_cap, (size_t)lives->hit_count + 1);
	lives->hits[lives->hit_count] = hit;
	wk_index_add(&lives->hit_index, hash, lives->hit_count);
	lives->rows[life].last_hit = lives->hit_count++;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

uint64_t *wk_jit_lifetime_hits(const struct wk_jit_lifetimes *lives, uint32_t life, size_t *count)
{
	uint64_t *addresses = NULL;
	size_t cap = 0;

	*count = 0;
	for (uint32_t hit = lives->rows[life].last_hit; hit; hit = lives->hits[hit].previous) {
		WK_RESERVE(addresses, cap, *count + 1);
		addresses[(*count)++] = lives->hits[hit].address;
	}
	if (*count)
		qsort(addresses, *count, sizeof(*addresses), by_value);
	return addresses;
}
