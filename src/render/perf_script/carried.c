/* Names that came with a recording: of code that is gone, of kernels elsewhere, of what the kernel
 * compiled itself. They are asked where the files on this machine know nothing. */
#include <stdlib.h>

#include "base/mem.h"
#include "render/perf_script/internal.h"

void wk_script_add_embedded(struct wk_perf_script *script, const struct wk_event_symbol *symbol)
{
	struct wk_script_embedded row = {
		.path = wk_strtab_add_str(script->comms, symbol->image_path),
		.start = symbol->start,
		.size_bytes = symbol->size_bytes,
		.name = wk_arena_copy(&script->arena, symbol->name),
		.build_id = symbol->build_id,
	};

	script->embedded = wk_grow(script->embedded, &script->embedded_cap,
				   script->embedded_count + 1, sizeof(row));
	script->embedded[script->embedded_count++] = row;
	script->is_embedded_sorted = false;
}

static int by_path_and_start(const void *a, const void *b)
{
	const struct wk_script_embedded *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	return (left->start > right->start) - (left->start < right->start);
}

/* The last row of `path` that begins at or before `address`. */
static const struct wk_script_embedded *row_before(const struct wk_perf_script *script,
						   uint32_t path, uint64_t address)
{
	const struct wk_script_embedded key = { .path = path, .start = address };
	size_t low = 0, high = script->embedded_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_path_and_start(&script->embedded[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && script->embedded[low - 1].path == path ? &script->embedded[low - 1]
								 : NULL;
}

static bool find_under(const struct wk_perf_script *script, const struct wk_script_place *place,
		       uint32_t path, struct wk_symbol *symbol)
{
	const struct wk_script_embedded *row = row_before(script, path, place->address);

	if (!row || place->address - row->start >= row->size_bytes ||
	    (row->build_id.size && place->image->key.build_id.size &&
	     !wk_build_id_eq(&row->build_id, &place->image->key.build_id)))
		return false;
	*symbol = (struct wk_symbol){ .name = row->name, .start = row->start,
				      .size_bytes = row->size_bytes };
	return true;
}

bool wk_script_find_embedded(struct wk_perf_script *script, const struct wk_script_place *place,
			     struct wk_symbol *symbol)
{
	uint32_t path = wk_strtab_find(script->comms, place->image->key.path);

	if (script->embedded_count == 0)
		return false;
	if (!script->is_embedded_sorted)
		qsort(script->embedded, script->embedded_count, sizeof(*script->embedded),
		      by_path_and_start);
	script->is_embedded_sorted = true;
	return (path && find_under(script, place, path, symbol)) ||
	       (place->image->is_kernel && find_under(script, place, 0, symbol));
}
