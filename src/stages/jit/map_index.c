#include "stages/jit/map_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

#define BLOCK_ROWS 64

struct wk_jit_map_index {
	struct wk_jit_identity of; /* the state of the map at the last use */
	struct wk_sort_key *rows;  /* by start; `row` is the line's offset in the file */
	size_t count, cap;
	uint64_t *block_ends; /* of each block of rows the last address */
	bool was_asked, is_made;
};

struct wk_jit_map_index *wk_jit_map_index_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_jit_map_index));
}

/* Its memory may be reused. */
static void forget(struct wk_jit_map_index *index, uint64_t *rows_left)
{
	*rows_left += index->count;
	WK_FREE_ALL(index->rows, index->block_ends);
	*index = (struct wk_jit_map_index){ 0 };
}

void wk_jit_map_index_free(struct wk_jit_map_index *index)
{
	uint64_t rows_left = 0;

	if (!index)
		return;
	forget(index, &rows_left);
	wk_free(index);
}

static bool is_same(const struct wk_jit_identity *a, const struct wk_jit_identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->size_bytes == b->size_bytes &&
	       a->modified_ns == b->modified_ns;
}

/* The offset of the line that has `name`. */
static uint32_t line_at(const struct wk_jit_names *names, const char *name)
{
	const char *base = (const char *)names->file.at, *at = name;

	while (at > base && at[-1] != '\n')
		at--;
	return (uint32_t)(at - base);
}

static bool read_rows(struct wk_jit_map_index *index, const struct wk_jit_names *names,
		      uint64_t most)
{
	struct wk_perf_map map = names->map;
	struct wk_perf_map_row row;

	while (wk_perf_map_next(&map, &row)) {
		if (index->count == most)
			return false;
		*WK_APPEND(index->rows, index->count, index->cap) = (struct wk_sort_key){
			.key = row.start, .row = line_at(names, row.name.at) };
	}
	return true;
}

/* False if the line is no longer the same. */
static bool read_line(const struct wk_jit_names *names, uint32_t at, struct wk_perf_map_row *row)
{
	struct wk_perf_map map = names->map;

	map.at = (const char *)names->file.at + at;
	return wk_perf_map_next(&map, row);
}

static void set_block_ends(struct wk_jit_map_index *index, const struct wk_jit_names *names)
{
	struct wk_perf_map_row row;

	index->block_ends =
		wk_alloc_zeroed(index->count / BLOCK_ROWS + 1, sizeof(*index->block_ends));
	for (size_t i = 0; i < index->count; i++) {
		uint64_t *end = &index->block_ends[i / BLOCK_ROWS];

		if (read_line(names, index->rows[i].row, &row) && row.start + row.size_bytes > *end)
			*end = row.start + row.size_bytes;
	}
}

static bool make(struct wk_jit_map_index *index, const struct wk_jit_names *names,
		 uint64_t *rows_left)
{
	if (names->file.size_bytes > UINT32_MAX || !read_rows(index, names, *rows_left)) {
		wk_free(index->rows);
		index->rows = NULL;
		index->count = index->cap = 0;
		return false;
	}
	*rows_left -= index->count;
	wk_sort_keys(index->rows, index->count);
	set_block_ends(index, names);
	return true;
}

static size_t block_count(const struct wk_jit_map_index *index)
{
	return (index->count + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* The lines of the blocks that may contain a hit, in file order. */
static void pick(const struct wk_jit_map_index *index, const struct wk_jit_hits *hits,
		 struct wk_jit_names *names)
{
	size_t cap = 0;

	names->is_picked = true;
	for (size_t block = 0; block < block_count(index); block++) {
		size_t first = block * BLOCK_ROWS, left = index->count - first;
		size_t count = left < BLOCK_ROWS ? left : BLOCK_ROWS;

		if (!wk_jit_is_hit(hits, index->rows[first].key, index->block_ends[block]))
			continue;
		WK_RESERVE(names->picked, cap, names->picked_count + count);
		for (size_t i = first; i < first + count; i++)
			names->picked[names->picked_count++] =
				(struct wk_sort_key){ .key = index->rows[i].row };
	}
	wk_sort_keys(names->picked, names->picked_count);
}

void wk_jit_map_index_pick(struct wk_jit_map_index *index, const struct wk_jit_hits *hits,
			   uint64_t *rows_left, struct wk_jit_names *names)
{
	bool is_known = index->was_asked && is_same(&index->of, &names->identity);

	if (!is_known) {
		forget(index, rows_left);
		index->of = names->identity;
		index->was_asked = true;
		return;
	}
	if (!index->is_made)
		index->is_made = make(index, names, rows_left);
	if (index->is_made)
		pick(index, hits, names);
}
