/* Which code is of which unit. A module is one; a large one is cut by the addresses of its code, so
 * that a question costs the piece that it is about. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb/internal.h"

/* How many times a function that spans all parts of its module may be read. */
#define MOST_PIECES 32

/* State of a module while its code is assigned to units. */
struct cut {
	uint64_t code_bytes;        /* of the module */
	uint64_t piece_bytes, left; /* piece_bytes 0: it is not cut */
	uint32_t unit;
};

struct making {
	struct wk_pdb *pdb;
	struct cut *cuts;
};

static void add_range(struct wk_pdb *pdb, uint32_t start, uint32_t end, uint32_t unit)
{
	struct wk_code_range *last = pdb->range_count ? &pdb->ranges[pdb->range_count - 1] : NULL;

	if (last && last->unit == unit && last->end == start) {
		last->end = end;
		return;
	}
	*WK_APPEND(pdb->ranges, pdb->range_count, pdb->range_cap) =
		(struct wk_code_range){ start, end, unit };
}

static uint32_t add_unit(struct wk_pdb *pdb, struct wk_pdb_unit unit)
{
	*WK_APPEND(pdb->units, pdb->unit_count, pdb->unit_cap) = unit;
	return (uint32_t)pdb->unit_count - 1;
}

/* A module that claims nothing is included as well. */
static bool is_code(const struct wk_pdb *pdb, const struct wk_pdb_contribution *row,
		    uint32_t *start)
{
	return (row->flags == 0 || row->flags & (WK_PDB_CODE | WK_PDB_EXECUTABLE)) &&
	       row->module < pdb->module_count && row->size_bytes > 0 &&
	       row->size_bytes <= INT32_MAX &&
	       wk_pdb_source_rva(pdb, row->section, row->offset, start) &&
	       row->size_bytes <= UINT32_MAX - *start;
}

static void count_code(struct making *making, const struct wk_pdb_contribution *row)
{
	uint32_t start;

	if (is_code(making->pdb, row, &start))
		making->cuts[row->module].code_bytes += row->size_bytes;
}

static void add_moved(struct wk_pdb *pdb, uint32_t start, uint32_t size_bytes, uint32_t unit)
{
	struct wk_pdb_part part = wk_pdb_parts(pdb, start, start + size_bytes);

	while (wk_pdb_next_part(pdb, &part))
		add_range(pdb, part.start, part.end, unit);
}

/* The unit that the next code of the module is for. */
static uint32_t next_unit(struct making *making, uint32_t module)
{
	struct cut *cut = &making->cuts[module];

	if (cut->left == 0) {
		cut->left = cut->piece_bytes;
		cut->unit = add_unit(making->pdb, (struct wk_pdb_unit){ module, UINT32_MAX, 0 });
	}
	return cut->unit;
}

static void add_cut(struct making *making, uint32_t start, uint64_t end, uint32_t module)
{
	struct cut *cut = &making->cuts[module];

	while (start < end) {
		uint32_t number = next_unit(making, module);
		struct wk_pdb_unit *unit = &making->pdb->units[number];
		uint64_t size_bytes = end - start < cut->left ? end - start : cut->left;

		add_range(making->pdb, start, (uint32_t)(start + size_bytes), number);
		unit->low = start < unit->low ? start : unit->low;
		start += (uint32_t)size_bytes;
		unit->high = start > unit->high ? start : unit->high;
		cut->left -= size_bytes;
	}
}

static void add_contribution(struct making *making, const struct wk_pdb_contribution *row)
{
	uint32_t start;

	if (!is_code(making->pdb, row, &start))
		return;
	if (wk_pdb_is_cut(making->pdb, row->module))
		add_cut(making, start, (uint64_t)start + row->size_bytes, row->module);
	else
		add_moved(making->pdb, start, row->size_bytes, row->module);
}

static void each_contribution(struct making *making,
			      void (*take)(struct making *making,
					   const struct wk_pdb_contribution *row))
{
	struct wk_pdb *pdb = making->pdb;
	struct wk_bytes rows = pdb->contributions;

	while (pdb->contribution_bytes && wk_bytes_left(&rows) >= pdb->contribution_bytes) {
		struct wk_bytes row = wk_bytes_slice(&rows, pdb->contribution_bytes);
		struct wk_pdb_contribution contribution = wk_pdb_read_contribution(&row);

		take(making, &contribution);
	}
	for (size_t i = 0; pdb->contribution_bytes == 0 && i < pdb->module_count; i++) {
		pdb->modules[i].first.module = (uint32_t)i;
		take(making, &pdb->modules[i].first);
	}
}

/* By what there is to read in it. Code that was moved is not cut: a piece is a stretch of addresses
 * from before. */
static bool is_large(const struct wk_pdb *pdb, const struct wk_pdb_module *module)
{
	return pdb->moved_count == 0 &&
	       wk_msf_stream_bytes(&pdb->msf, module->stream) > 2 * (uint64_t)pdb->piece_bytes;
}

/* The first units are the modules. Of one that is cut the first piece is that. */
static void begin_cuts(struct making *making)
{
	struct wk_pdb *pdb = making->pdb;

	for (uint32_t i = 0; i < pdb->module_count; i++) {
		struct cut *cut = &making->cuts[i];
		uint64_t least = cut->code_bytes / MOST_PIECES + 1;

		add_unit(pdb, (struct wk_pdb_unit){ i, 0, WK_PDB_HIGHEST });
		if (cut->code_bytes <= pdb->piece_bytes || !is_large(pdb, &pdb->modules[i]))
			continue;
		pdb->units[i] = (struct wk_pdb_unit){ i, UINT32_MAX, 0 };
		cut->unit = i;
		cut->piece_bytes = cut->left = least > pdb->piece_bytes ? least : pdb->piece_bytes;
	}
}

bool wk_pdb_is_cut(const struct wk_pdb *pdb, uint32_t module)
{
	return pdb->units[module].high != WK_PDB_HIGHEST;
}

void wk_pdb_make_units(struct wk_pdb *pdb)
{
	struct making making = { .pdb = pdb };

	if (pdb->has_units)
		return;
	pdb->has_units = true;
	making.cuts = wk_alloc_zeroed(pdb->module_count + 1, sizeof(*making.cuts));
	each_contribution(&making, count_code);
	begin_cuts(&making);
	each_contribution(&making, add_contribution);
	wk_free(making.cuts);
}

void wk_pdb_fill(struct wk_pdb *pdb, struct wk_code_index *index)
{
	wk_pdb_make_units(pdb);
	wk_code_index_set_ranges(index, pdb->ranges, pdb->range_count);
}
