#include "symbols/object/symtab.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/symtab_packed.h"
#include "symbols/pdb/pdb.h"

#define SOURCES  3 /* the image's file, its debug file, its PDB */
#define FROM_PDB 2

/* Nested symbols are two or three deep. */
#define MAX_NESTED 64

struct row {
	uint64_t vaddr;
	uint32_t size_bytes; /* 0 only while building */
	uint32_t name;
	uint32_t around; /* the enclosing row, + 1; 0 for none */
	uint8_t source : 2, table : 1, is_plt : 1, is_old : 1;
	uint8_t binding, type;
};

struct wk_symtab {
	struct wk_obj_tables tables[SOURCES];
	struct row *rows; /* NULL in a table that was loaded */
	size_t count, cap;
	struct wk_symtab_packed packed;
	struct wk_buf made; /* the memory of `packed`, if it belongs to the table */
	bool as_perf;
};

struct builder {
	struct wk_symtab *tab;
	unsigned source;
	uint64_t name_budget; /* bytes of names still to be compared */
};

static uint32_t as_size(uint64_t size_bytes)
{
	return size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX;
}

static bool add_row(void *context, const struct wk_obj_raw *raw)
{
	struct builder *b = context;
	struct wk_symtab *tab = b->tab;

	if (tab->count == UINT32_MAX - 1)
		return false;
	*WK_APPEND(tab->rows, tab->count, tab->cap) = (struct row){
		.vaddr = raw->vaddr,
		.size_bytes = as_size(raw->size_bytes),
		.name = raw->name,
		.source = b->source & 3,
		.table = raw->table & 1,
		.is_plt = raw->is_plt,
		.is_old = raw->is_old,
		.binding = raw->binding,
		.type = raw->type,
	};
	return true;
}

static void add_source(struct builder *b, const struct wk_obj *obj)
{
	struct wk_symtab *tab = b->tab;
	struct wk_obj_tables *tables = &tab->tables[b->source];
	uint64_t most = tab->count;

	b->name_budget += obj->size_bytes;
	*tables = wk_obj_tables(obj);
	for (enum wk_obj_table table = 0; table < WK_OBJ_TABLES; table++)
		most += wk_obj_raw_count(obj, tables, table);
	WK_RESERVE(tab->rows, tab->cap, most);
	wk_obj_each_raw(obj, tables, add_row, b);
}

static bool add_public(void *context, const struct wk_pdb_public *public)
{
	struct builder *b = context;
	const char *names = (const char *)b->tab->tables[FROM_PDB].names[WK_OBJ_SYMTAB].start;

	return add_row(b, &(struct wk_obj_raw){
		.vaddr = public->rva,
		.name = (uint32_t)(public->name.at - names),
		.table = WK_OBJ_SYMTAB,
		.binding = WK_STB_GLOBAL,
		.type = public->is_function ? WK_STT_FUNC : WK_STT_NOTYPE,
	});
}

/* Of several symbols at one address debuggers show the last; this takes the first. */
static void turn_round(struct row *rows, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct row row = rows[i];

		rows[i] = rows[count - 1 - i];
		rows[count - 1 - i] = row;
	}
}

static void add_pdb(struct builder *b, struct wk_pdb *pdb)
{
	struct wk_bytes names = wk_pdb_public_names(pdb);
	size_t first = b->tab->count;

	b->source = FROM_PDB;
	b->name_budget += wk_bytes_left(&names);
	b->tab->tables[FROM_PDB] = (struct wk_obj_tables){
		.names = { names, wk_bytes_of("", 0) },
		.has_no_versions = true,
		.is_x86_windows = wk_pdb_is_x86(pdb),
	};
	wk_pdb_each_public(pdb, add_public, b);
	turn_round(b->tab->rows + first, b->tab->count - first);
}

static struct wk_str name_of(const struct wk_symtab *tab, const struct row *row)
{
	const struct wk_obj_tables *tables = &tab->tables[row->source];

	return tab->as_perf ? wk_obj_versioned_name(tables, row->table, row->name)
			    : wk_obj_raw_name(tables, row->table, row->name);
}

/* True for an address below the end; written so that no end overflows the last address. */
static bool covers(const struct row *row, uint64_t vaddr)
{
	return vaddr - row->vaddr < row->size_bytes;
}

static void sort_rows(struct wk_symtab *tab)
{
	tab->rows = wk_sort_rows(tab->rows, tab->count, sizeof(*tab->rows),
				 offsetof(struct row, vaddr));
	tab->cap = tab->count;
}

/* What the symbol itself says for it. */
static uint64_t value_of(const struct row *row, bool is_new, bool as_perf)
{
	bool has_size = row->size_bytes != 0, is_typed = row->type != WK_STT_NOTYPE || as_perf;
	uint64_t bound = 2;

	if (row->binding == WK_STB_LOCAL)
		bound = as_perf;
	else if (row->binding == WK_STB_WEAK)
		bound = !as_perf;
	return (uint64_t)has_size << 4 | (uint64_t)is_new << 3 | bound << 1 | is_typed;
}

/* Of an older version only: glibc's free is also "cfree@GLIBC_2.2.5", which no new program calls.
 */
static bool is_old(const struct wk_symtab *tab, const struct row *row)
{
	const struct wk_obj_tables *tables = &tab->tables[row->source];
	struct wk_str name;
	const char *version;

	if (row->is_old || tables->has_no_versions)
		return row->is_old;
	name = wk_obj_versioned_name(tables, row->table, row->name);
	version = name.len > 1 ? memchr(name.at + 1, '@', name.len - 1) : NULL;
	return version && !(version + 1 < name.at + name.len && version[1] == '@');
}

/* How good a name for its address this is; more is better. What the symbols themselves say
 * weighs more than how their names look. */
static uint64_t merit(struct builder *b, const struct row *row)
{
	struct wk_str name = { "", 0 };
	uint64_t underscores = 0, value;
	bool is_new = false;

	if (b->name_budget > 0) {
		name = name_of(b->tab, row);
		is_new = !b->tab->as_perf && !is_old(b->tab, row);
	}
	value = value_of(row, is_new, b->tab->as_perf);
	b->name_budget -= name.len < b->name_budget ? name.len : b->name_budget;
	while (underscores < name.len && underscores < 255 && name.at[underscores] == '_')
		underscores++;
	return value << 32 | (255 - underscores) << 24 | (name.len & 0xffffff);
}

static int best_first(const void *left, const void *right)
{
	const struct wk_sort_key *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Of several rows at one address keeps the best, and worse ones that reach further than all better
 * ones: they name the code after the better one's end. Furthest first. */
static size_t keep_best(struct builder *b, struct row *group, size_t count)
{
	struct wk_sort_key *keys = wk_alloc(count * sizeof(*keys));
	struct row *kept = wk_alloc(count * sizeof(*kept));
	size_t kept_count = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct wk_sort_key){ .key = merit(b, &group[i]), .row = (uint32_t)i };
	qsort(keys, count, sizeof(*keys), best_first);
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &group[keys[i].row];

		if (kept_count == 0 || row->size_bytes > kept[kept_count - 1].size_bytes)
			kept[kept_count++] = *row;
	}
	for (size_t i = 0; i < kept_count; i++)
		group[i] = kept[kept_count - 1 - i];
	WK_FREE_ALL(kept, keys);
	return kept_count;
}

static void drop_aliases(struct builder *b)
{
	struct wk_symtab *tab = b->tab;
	size_t to = 0;

	for (size_t from = 0, end; from < tab->count; from = end) {
		size_t kept = 1;

		for (end = from + 1; end < tab->count; end++)
			if (tab->rows[end].vaddr != tab->rows[from].vaddr)
				break;
		if (end - from > 1)
			kept = keep_best(b, &tab->rows[from], end - from);
		memmove(&tab->rows[to], &tab->rows[from], kept * sizeof(*tab->rows));
		to += kept;
	}
	tab->count = to;
}

/* Function ends from other tables, for symbols without a size. */
struct bounds {
	struct wk_obj_bound *at;
	size_t count, next;
};

/* The first that ends after `vaddr`; NULL if there is none. Queried in ascending order. */
static const struct wk_obj_bound *bound_behind(struct bounds *bounds, uint64_t vaddr)
{
	while (bounds->next < bounds->count && bounds->at[bounds->next].end <= vaddr)
		bounds->next++;
	return bounds->next < bounds->count ? &bounds->at[bounds->next] : NULL;
}

/* Bytes to the end of the function that contains `vaddr`, or to the start of the next one. */
static uint64_t bound_left(struct bounds *bounds, uint64_t vaddr)
{
	const struct wk_obj_bound *bound = bound_behind(bounds, vaddr);

	if (!bound)
		return UINT64_MAX;
	return (bound->start <= vaddr ? bound->end : bound->start) - vaddr;
}

/* A label inside a function does not start another one. */
static void size_by_bounds(struct wk_symtab *tab, struct bounds bounds)
{
	for (size_t i = 0; i < tab->count && bounds.count; i++) {
		struct row *row = &tab->rows[i];
		const struct wk_obj_bound *bound = bound_behind(&bounds, row->vaddr);

		if (row->size_bytes == 0 && bound && bound->start <= row->vaddr &&
		    (bound->start == row->vaddr || row->type == WK_STT_FUNC))
			row->size_bytes = as_size(bound->end - row->vaddr);
	}
}

/* How many rows begin at `vaddr` or below. */
static size_t rows_up_to(const struct wk_symtab *tab, uint64_t vaddr)
{
	return wk_sorted_up_to(tab->rows, tab->count, sizeof(*tab->rows),
			       offsetof(struct row, vaddr), vaddr);
}

static bool has_row_at(const struct wk_symtab *tab, uint64_t vaddr, struct row *row)
{
	size_t behind = rows_up_to(tab, vaddr);

	if (behind > 0)
		*row = tab->rows[behind - 1];
	return behind > 0 && row->vaddr == vaddr;
}

/* Parts of a function placed elsewhere have the function's name. */
static void name_parts(struct wk_symtab *tab, const struct bounds *bounds)
{
	struct row *parts = NULL, row;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < bounds->count; i++) {
		const struct wk_obj_bound *bound = &bounds->at[i];

		if (bound->function == bound->start || has_row_at(tab, bound->start, &row) ||
		    !has_row_at(tab, bound->function, &row))
			continue;
		row.vaddr = bound->start;
		row.size_bytes = as_size(bound->end - bound->start);
		*WK_APPEND(parts, count, cap) = row;
	}
	if (count > 0 && count < UINT32_MAX - tab->count) {
		WK_RESERVE(tab->rows, tab->cap, tab->count + count);
		memcpy(tab->rows + tab->count, parts, count * sizeof(*parts));
		tab->count += count;
		sort_rows(tab);
	}
	wk_free(parts);
}

/* Address ranges of code, sorted: the latest possible end of symbols without a size. */
struct ranges {
	struct wk_sort_key *starts; /* .row is the place in `sizes` */
	uint64_t *sizes;
	size_t count, next;
};

static void add_range(struct ranges *r, uint64_t start, uint64_t size_bytes)
{
	if (size_bytes == 0)
		return;
	r->starts[r->count] = (struct wk_sort_key){ start, (uint32_t)r->count };
	r->sizes[r->count++] = size_bytes;
}

static void add_ranges_of_obj(struct ranges *r, const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].flags & WK_SHF_EXECINSTR)
			add_range(r, obj->sections[i].vaddr, obj->sections[i].size_bytes);
	for (uint32_t i = 0; i < obj->segment_count && obj->section_count == 0; i++)
		if (obj->segments[i].type == WK_PT_LOAD && obj->segments[i].flags & WK_PF_X)
			add_range(r, obj->segments[i].vaddr, obj->segments[i].file_size);
}

static size_t most_ranges(const struct wk_obj *obj, const struct wk_pdb *pdb)
{
	if (!obj)
		return wk_pdb_section_count(pdb);
	return obj->section_count > 0 ? obj->section_count : obj->segment_count;
}

static struct ranges code_ranges(const struct wk_obj *obj, const struct wk_pdb *pdb)
{
	size_t most = most_ranges(obj, pdb);
	struct ranges r = {
		.starts = wk_alloc_zeroed(most + 1, sizeof(*r.starts)),
		.sizes = wk_alloc_zeroed(most + 1, sizeof(*r.sizes)),
	};

	if (obj)
		add_ranges_of_obj(&r, obj);
	for (size_t i = 0; !obj && i < most; i++) {
		struct wk_pdb_section section = wk_pdb_section_at(pdb, i);

		if (section.is_code)
			add_range(&r, section.rva, section.size_bytes);
	}
	wk_sort_keys(r.starts, r.count);
	return r;
}

/* Bytes of code from `vaddr` to the end of its range; 0 if it is in none. Queried in ascending
 * order. */
static uint64_t code_left(struct ranges *r, uint64_t vaddr)
{
	uint64_t into, size_bytes;

	while (r->next < r->count && r->starts[r->next].key <= vaddr)
		r->next++;
	if (r->next == 0)
		return 0;
	into = vaddr - r->starts[r->next - 1].key;
	size_bytes = r->sizes[r->starts[r->next - 1].row];
	return into < size_bytes ? size_bytes - into : 0;
}

static void end_unsized(struct row *row, uint64_t most, uint64_t next_vaddr)
{
	uint64_t size = next_vaddr - row->vaddr;

	row->size_bytes = as_size(size < most ? size : most);
}

/* Gives rows without a size their end, drops those that a sized row covers, and links each row to
 * the enclosing one. One pass: a row that has ended is never looked at again. */
static void nest(struct wk_symtab *tab, struct ranges ranges, struct bounds bounds)
{
	uint64_t room = 0;
	struct row *open = NULL; /* without an end yet: the last row kept */
	uint32_t around = 0;
	size_t to = 0;

	for (size_t i = 0; i < tab->count; i++) {
		struct row row = tab->rows[i];

		while (around && !covers(&tab->rows[around - 1], row.vaddr))
			around = tab->rows[around - 1].around;
		if (row.size_bytes == 0) {
			uint64_t left = code_left(&ranges, row.vaddr);
			uint64_t told = bound_left(&bounds, row.vaddr);

			left = told < left ? told : left;
			if (around || left == 0)
				continue;
			if (open)
				end_unsized(open, room, row.vaddr);
			room = left;
		} else if (open) {
			end_unsized(open, room, row.vaddr);
		}
		row.around = around;
		tab->rows[to] = row;
		open = row.size_bytes == 0 ? &tab->rows[to] : NULL;
		to++;
		if (row.size_bytes != 0)
			around = (uint32_t)to;
	}
	if (open)
		end_unsized(open, room, open->vaddr + room);
	tab->count = to;
}

static struct wk_symtab *make(const struct wk_obj *obj, const struct wk_obj *debug,
			      struct wk_pdb *pdb, bool as_perf)
{
	struct wk_symtab *tab = wk_alloc_zeroed(1, sizeof(*tab));
	const struct wk_obj *files[FROM_PDB] = { obj, debug };
	struct builder b = { .tab = tab, .name_budget = 4096 };
	struct ranges ranges = code_ranges(obj, pdb);
	struct bounds bounds = { 0 };

	tab->as_perf = as_perf;
	for (b.source = 0; b.source < FROM_PDB; b.source++)
		if (files[b.source])
			add_source(&b, files[b.source]);
	if (pdb)
		add_pdb(&b, pdb);
	sort_rows(tab);
	if (obj)
		bounds.count = wk_obj_bounds(obj, &bounds.at);
	size_by_bounds(tab, bounds);
	drop_aliases(&b);
	name_parts(tab, &bounds);
	nest(tab, ranges, bounds);
	WK_FREE_ALL(bounds.at, ranges.starts, ranges.sizes);
	tab->cap = tab->count;
	tab->rows = wk_realloc(tab->rows, (tab->count + 1) * sizeof(*tab->rows));
	return tab;
}

struct wk_symtab *wk_symtab_new(const struct wk_obj *obj, const struct wk_obj *debug)
{
	return make(obj, debug, NULL, false);
}

struct wk_symtab *wk_symtab_new_with_pdb(const struct wk_obj *obj, const struct wk_obj *debug,
					 struct wk_pdb *pdb)
{
	return make(obj, debug, pdb, false);
}

struct wk_symtab *wk_symtab_new_as_perf(const struct wk_obj *obj, const struct wk_obj *debug)
{
	return make(obj, debug, NULL, true);
}

struct wk_symtab *wk_symtab_new_of(const struct wk_obj_symbol *symbols, uint32_t count)
{
	struct wk_symtab *tab = wk_alloc_zeroed(1, sizeof(*tab));
	struct wk_symtab_packer packer;

	wk_symtab_packer_begin(&packer, count ? symbols[0].vaddr : 0, count, &tab->made);
	for (uint32_t i = 0; i < count; i++)
		wk_symtab_packer_add(&packer, &symbols[i], 0);
	if (!wk_symtab_packer_end(&packer) ||
	    !wk_symtab_packed_open(&tab->packed, wk_bytes_of(tab->made.at, tab->made.len), NULL)) {
		wk_symtab_free(tab);
		return NULL;
	}
	tab->count = count;
	return tab;
}

void wk_symtab_free(struct wk_symtab *tab)
{
	if (!tab)
		return;
	wk_buf_fini(&tab->made);
	WK_FREE_ALL(tab->rows, tab);
}

uint32_t wk_symtab_count(const struct wk_symtab *tab)
{
	return (uint32_t)tab->count;
}

struct wk_obj_symbol wk_symtab_at(const struct wk_symtab *tab, uint32_t index)
{
	const struct row *row;

	if (!tab->rows)
		return wk_symtab_packed_at(&tab->packed, index);
	row = &tab->rows[index];
	return (struct wk_obj_symbol){
		.name = name_of(tab, row),
		.vaddr = row->vaddr,
		.size_bytes = row->size_bytes,
		.binding = row->binding,
		.type = row->type,
		.is_plt = row->is_plt,
	};
}

bool wk_symtab_find(const struct wk_symtab *tab, uint64_t vaddr, struct wk_obj_symbol *symbol)
{
	size_t row;

	if (!tab->rows)
		return wk_symtab_packed_find(&tab->packed, vaddr, MAX_NESTED, symbol);
	row = rows_up_to(tab, vaddr);
	for (int depth = 0; row > 0 && depth < MAX_NESTED; depth++) {
		if (covers(&tab->rows[row - 1], vaddr)) {
			*symbol = wk_symtab_at(tab, (uint32_t)row - 1);
			return symbol->name.len > 0;
		}
		row = tab->rows[row - 1].around;
	}
	return false;
}

bool wk_symtab_save(const struct wk_symtab *tab, struct wk_buf *out)
{
	struct wk_symtab_packer packer;

	wk_buf_add_str(out, wk_buf_str(&tab->made));
	if (!tab->rows) /* a loaded table is in the cache already */
		return tab->made.len > 0;
	wk_symtab_packer_begin(&packer, tab->count ? tab->rows[0].vaddr : 0, (uint32_t)tab->count,
			       out);
	for (uint32_t i = 0; i < tab->count; i++) {
		struct wk_obj_symbol symbol = wk_symtab_at(tab, i);

		wk_symtab_packer_add(&packer, &symbol, tab->rows[i].around);
	}
	return wk_symtab_packer_end(&packer);
}

struct wk_symtab *wk_symtab_load(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_symtab *tab = wk_alloc_zeroed(1, sizeof(*tab));

	if (!wk_symtab_packed_open(&tab->packed, bytes, err)) {
		wk_free(tab);
		return NULL;
	}
	tab->count = tab->packed.count;
	return tab;
}
