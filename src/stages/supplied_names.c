#include "stages/supplied_names.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"

void wk_supplied_names_add(struct wk_supplied_names *names, const struct wk_event_symbol *symbol)
{
	if (symbol->image_path.len == 0 || symbol->name.len == 0)
		return;
	if (!names->paths)
		names->paths = wk_strtab_new();
	*WK_APPEND(names->rows, names->count, names->cap) = (struct wk_supplied_name){
		.start = symbol->start,
		.size_bytes = symbol->size_bytes,
		.path = wk_strtab_add_str(names->paths, symbol->image_path),
		.build_id = symbol->build_id,
	};
}

static int by_path_and_start(const void *left, const void *right)
{
	const struct wk_supplied_name *a = left, *b = right;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

void wk_supplied_names_sort(struct wk_supplied_names *names)
{
	if (names->count)
		qsort(names->rows, names->count, sizeof(*names->rows), by_path_and_start);
}

/* How many rows begin at the key or before. */
static size_t count_up_to(const struct wk_supplied_names *names, const struct wk_supplied_name *key)
{
	size_t low = 0, high = names->count;

	WK_BISECT(low, high, by_path_and_start(&names->rows[middle], key) <= 0);
	return low;
}

bool wk_supplied_names_has(const struct wk_supplied_names *names, struct wk_str path,
			   const struct wk_build_id *build_id, uint64_t address)
{
	struct wk_supplied_name key = { .start = address };
	const struct wk_supplied_name *row;
	size_t count;

	key.path = names->paths ? wk_strtab_find(names->paths, path) : 0;
	count = key.path ? count_up_to(names, &key) : 0;
	if (count == 0)
		return false;
	row = &names->rows[count - 1];
	return row->path == key.path && address - row->start < row->size_bytes &&
	       (!row->build_id.size || !build_id->size || wk_build_id_eq(&row->build_id, build_id));
}

void wk_supplied_names_fini(struct wk_supplied_names *names)
{
	wk_strtab_free(names->paths);
	wk_free(names->rows);
	*names = (struct wk_supplied_names){ 0 };
}
