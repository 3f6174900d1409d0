#include "symbols/code_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/code_block.h"
#include "symbols/code_ranges.h"
#include "symbols/code_texts.h"

/* Deeper chains are not followed to their end: only damaged files have them. */
#define MOST_STEPS 65536

struct unit {
	void *bytes; /* NULL: not added */
	size_t size_bytes;
};

struct wk_code_index {
	struct wk_code_texts texts;
	struct wk_buf range_bytes;
	struct wk_code_ranges ranges;
	struct unit *units;
	size_t unit_count, unit_cap;
	bool is_changed;
};

struct wk_code_index *wk_code_index_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_code_index));
}

void wk_code_index_free(struct wk_code_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->unit_count; i++)
		free(index->units[i].bytes);
	free(index->units);
	wk_buf_fini(&index->range_bytes);
	wk_code_texts_fini(&index->texts);
	free(index);
}

uint32_t wk_code_index_text(struct wk_code_index *index, struct wk_str text)
{
	return wk_code_texts_add(&index->texts, text);
}

struct wk_str wk_code_index_str(const struct wk_code_index *index, uint32_t id)
{
	return wk_code_texts_get(&index->texts, id);
}

void wk_code_index_set_ranges(struct wk_code_index *index, const struct wk_code_range *ranges,
			      size_t count)
{
	wk_buf_reset(&index->range_bytes);
	wk_code_ranges_make(ranges, count, &index->range_bytes);
	wk_code_ranges_open(&index->ranges, index->range_bytes.at, index->range_bytes.len);
	index->is_changed = true;
}

uint32_t wk_code_index_unit_at(const struct wk_code_index *index, uint64_t vaddr)
{
	return wk_code_ranges_find(&index->ranges, vaddr);
}

bool wk_code_index_has(const struct wk_code_index *index, uint32_t unit)
{
	return unit < index->unit_count && index->units[unit].bytes;
}

void wk_code_index_add(struct wk_code_index *index, uint32_t unit,
		       const struct wk_code_block *block)
{
	if (unit == WK_NO_UNIT || wk_code_index_has(index, unit))
		return;
	index->units = wk_grow(index->units, &index->unit_cap, (size_t)unit + 1,
			       sizeof(*index->units));
	for (; index->unit_count <= unit; index->unit_count++)
		index->units[index->unit_count] = (struct unit){ 0 };
	index->units[unit].bytes = wk_code_block_pack(block, &index->units[unit].size_bytes);
	index->is_changed = true;
}

static bool open_unit(const struct wk_code_index *index, uint32_t unit,
		      struct wk_code_packed *packed)
{
	if (!wk_code_index_has(index, unit))
		return false;
	return wk_code_block_open(packed, index->units[unit].bytes,
				  index->units[unit].size_bytes);
}

static uint32_t parent_of(const struct wk_code_packed *packed, uint32_t node)
{
	uint32_t parent = packed->nodes[node].parent;

	return parent < node ? parent : 0;
}

static uint32_t depth_of(const struct wk_code_packed *packed, uint32_t node)
{
	uint32_t depth = 0;

	for (; node && depth < MOST_STEPS; node = parent_of(packed, node))
		depth++;
	return depth;
}

struct source {
	uint32_t file, line, column; /* file: the unit's number */
};

static struct wk_place place_of(const struct wk_code_index *index,
				const struct wk_code_packed *packed, uint32_t function,
				const struct source *source)
{
	struct wk_place place = { .line = source->line, .column = source->column };
	uint32_t file = source->file < packed->file_count ? packed->files[source->file] : 0;

	place.function = wk_code_texts_get(&index->texts, function);
	place.file = wk_code_texts_get(&index->texts, file);
	return place;
}

/* From `node` outwards, all but the first `skip`. `rest` is the node that did not fit. */
static size_t chain(const struct wk_code_index *index, const struct wk_code_packed *packed,
		    uint32_t node, uint32_t skip, struct source source, struct wk_place *places,
		    size_t cap, uint32_t *rest)
{
	size_t count = 0;

	for (; node && count < cap; node = parent_of(packed, node)) {
		const struct wk_code_packed_node *here = &packed->nodes[node];

		if (skip > 0)
			skip--;
		else
			places[count++] = place_of(index, packed, here->function, &source);
		source = (struct source){ here->call_file, here->call_line, here->call_column };
	}
	*rest = node;
	return count;
}

size_t wk_code_index_places(const struct wk_code_index *index, uint64_t vaddr,
			    struct wk_place *places, size_t cap)
{
	const struct wk_code_packed_line *line;
	struct wk_code_packed packed;
	struct source source = { 0 };
	uint32_t node, rest;
	size_t count;

	if (cap == 0 || !open_unit(index, wk_code_index_unit_at(index, vaddr), &packed))
		return 0;
	wk_code_block_find(&packed, vaddr, &node, &line);
	if (line)
		source = (struct source){ line->file, line->line, line->column };
	if (node) {
		count = chain(index, &packed, node, 0, source, places, cap, &rest);
		return rest ? chain(index, &packed, node, depth_of(&packed, rest), source, places,
				    cap, &rest) : count;
	}
	if (!line)
		return 0;
	places[0] = place_of(index, &packed, 0, &source);
	return 1;
}

bool wk_code_index_is_changed(const struct wk_code_index *index)
{
	return index->is_changed;
}

size_t wk_code_index_bytes(const struct wk_code_index *index)
{
	size_t bytes = sizeof(*index) + index->range_bytes.cap;

	bytes += wk_code_texts_bytes(&index->texts);
	bytes += index->unit_cap * sizeof(*index->units);
	for (size_t i = 0; i < index->unit_count; i++)
		bytes += index->units[i].size_bytes;
	return bytes;
}
