/* The walk over a unit's entries: functions and inlined calls to nodes, their code to
 * intervals. */
#include "base/mem.h"
#include "symbols/dwarf_constants.h"
#include "symbols/dwarf_internal.h"

/* A unit's code lies closer together. */
#define REACH ((uint64_t)1 << 31)

struct walk {
	struct wk_dwarf_unit *unit;
	const struct wk_dwarf_abbrevs *table;
	struct wk_dwarf_block *block;
	struct wk_bytes in;
	size_t depth;  /* of open DIEs; block->levels has their nodes */
	struct wk_dwarf_level now; /* the innermost node and scope */
	bool wants_names;
	bool notes_scopes;         /* and so does not jump */
};

static void take_range(void *context, uint64_t start, uint64_t end)
{
	struct wk_dwarf_block *b = context;

	if (b->interval_count == 0)
		b->origin = start > REACH ? start - REACH : 0;
	if (start < b->origin || start - b->origin > UINT32_MAX || end - start > UINT32_MAX)
		return;
	b->intervals = wk_grow(b->intervals, &b->interval_cap, b->interval_count + 1,
			       sizeof(*b->intervals));
	b->intervals[b->interval_count++] = (struct wk_sort_key){
		.key = (start - b->origin) << 32 | (end - start),
		.row = (uint32_t)b->node_count,
	};
}

static uint32_t number_of(const struct wk_dwarf_die *die, enum wk_dwarf_what what)
{
	uint64_t value = wk_dwarf_has(die, what) ? die->values[what].value : 0;

	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static struct wk_dwarf_value value_of(const struct wk_dwarf_die *die, enum wk_dwarf_what what)
{
	return wk_dwarf_has(die, what) ? die->values[what] : (struct wk_dwarf_value){ 0 };
}

static uint32_t file_of(const struct walk *w, const struct wk_dwarf_die *die)
{
	const struct wk_dwarf_lines *lines = &w->unit->file->dwarf->lines;
	uint32_t file = number_of(die, WHAT_CALL_FILE);

	return wk_dwarf_has(die, WHAT_CALL_FILE) && file < lines->file_count ? lines->files[file]
									      : 0;
}

/* At once, if it can be told before all scopes are known. */
static uint32_t name_of(struct walk *w, uint64_t offset, const struct wk_dwarf_die *die)
{
	struct wk_dwarf_block *b = w->block;
	struct wk_dwarf_later later = { .offset = offset, .node = (uint32_t)b->node_count };
	uint32_t name = wk_dwarf_linkage_name(w->unit, die);

	if (name)
		return name;
	later.unit = wk_dwarf_name_place(w->unit, &later.offset, die);
	if (wk_dwarf_name_at(later.unit, later.offset, !w->notes_scopes, &name))
		return name;
	b->later = wk_grow(b->later, &b->later_cap, b->later_count + 1, sizeof(*b->later));
	b->later[b->later_count++] = later;
	return 0;
}

static void add_names(struct wk_dwarf_block *b)
{
	for (size_t i = 0; i < b->later_count; i++)
		wk_dwarf_name_at(b->later[i].unit, b->later[i].offset, true,
				 &b->nodes[b->later[i].node].function);
}

static void add_node(struct walk *w, uint64_t offset, const struct wk_dwarf_die *die)
{
	struct wk_dwarf_block *b = w->block;
	struct wk_code_node node = { 0 };

	if (w->wants_names)
		node.function = name_of(w, offset, die);
	if (die->abbrev->role == ROLE_INLINED) {
		node.parent = w->now.node;
		node.call_file = file_of(w, die);
		node.call_line = number_of(die, WHAT_CALL_LINE);
		node.call_column = number_of(die, WHAT_CALL_COLUMN);
	}
	b->nodes = wk_grow(b->nodes, &b->node_cap, b->node_count + 1, sizeof(*b->nodes));
	b->nodes[b->node_count++] = node;
}

/* A function or a call: a node if it has code. Gives the node that its children lie in. */
static bool read_code(struct walk *w, uint64_t offset, const struct wk_dwarf_abbrev *abbrev,
		      uint32_t *node)
{
	size_t intervals = w->block->interval_count;
	struct wk_dwarf_die die;

	if (!wk_dwarf_read_die(w->unit->shape, w->table, abbrev, &w->in, &die))
		return false;
	*node = abbrev->role == ROLE_INLINED ? w->now.node : 0;
	wk_dwarf_each_range(w->unit, value_of(&die, WHAT_LOW_PC), value_of(&die, WHAT_HIGH_PC),
			    value_of(&die, WHAT_RANGES), take_range, w->block);
	if (w->block->interval_count == intervals)
		return true;
	*node = (uint32_t)w->block->node_count;
	add_node(w, offset, &die);
	return true;
}

static void open_die(struct walk *w, uint64_t offset, const struct wk_dwarf_abbrev *abbrev,
		     uint32_t node)
{
	struct wk_dwarf_block *b = w->block;

	if (w->depth == b->level_cap)
		b->levels = wk_grow(b->levels, &b->level_cap, w->depth + 1, sizeof(*b->levels));
	b->levels[w->depth++] = w->now;
	w->now.node = node;
	if (abbrev->is_scope && w->notes_scopes)
		w->now.scope = wk_dwarf_open_scope(w->unit, offset, w->now.scope);
}

static void close_die(struct walk *w, uint64_t offset)
{
	struct wk_dwarf_level around = w->block->levels[--w->depth];

	if (around.scope != w->now.scope && w->notes_scopes)
		wk_dwarf_close_scope(w->unit, w->now.scope, offset);
	w->now = around;
}

/* Goes to the sibling if that is ahead, over all children. */
static bool jump(struct walk *w, uint64_t sibling)
{
	if (sibling <= wk_bytes_offset(&w->in) || sibling >= w->unit->end)
		return false;
	w->in.at = w->in.start + sibling;
	return true;
}

/* One DIE, the code of its abbreviation read. */
static bool step(struct walk *w, uint64_t offset, uint64_t code)
{
	const struct wk_dwarf_abbrev *abbrev = wk_dwarf_abbrev(w->table, code);
	uint32_t node = w->now.node;
	uint64_t sibling = 0;

	if (abbrev->role == ROLE_FUNCTION || abbrev->role == ROLE_INLINED) {
		if (!read_code(w, offset, abbrev, &node))
			return false;
	} else if (!wk_dwarf_pass_die(w->unit, w->table, abbrev, &w->in, &sibling)) {
		return false;
	}
	if (abbrev->has_children &&
	    !(abbrev->role == ROLE_TYPE && !w->notes_scopes && jump(w, sibling)))
		open_die(w, offset, abbrev, node);
	return true;
}

static bool run(struct walk *w)
{
	do {
		uint64_t offset, code;

		if (w->depth > 0)
			wk_dwarf_pass_leaves(w->table, &w->in);
		offset = wk_bytes_offset(&w->in);
		code = wk_dwarf_code(&w->in);
		if (w->in.bad)
			return false;
		if (code != 0) {
			if (!step(w, offset, code))
				return false;
		} else if (w->depth > 0) {
			close_die(w, offset);
		}
	} while (w->depth > 0);
	return true;
}

bool wk_dwarf_walk(struct wk_dwarf_unit *unit, struct wk_dwarf_block *block, bool wants_names,
		   struct wk_err *err)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	struct walk w = {
		.unit = unit,
		.table = wk_dwarf_abbrevs_of(unit),
		.block = block,
		.in = wk_bytes_at(&section, unit->die, unit->end - unit->die),
		.wants_names = wants_names,
		.notes_scopes = wants_names && wk_dwarf_has_scopes(unit->language) &&
				unit->end - unit->offset <= UINT32_MAX,
	};

	block->interval_count = block->later_count = 0;
	block->nodes = wk_grow(block->nodes, &block->node_cap, 1, sizeof(*block->nodes));
	block->nodes[0] = (struct wk_code_node){ 0 };
	block->node_count = 1;
	if (!w.table)
		return wk_fail(err, WK_ECORRUPT, unit->offset,
			       "the abbreviations of the unit cannot be read");
	if (w.notes_scopes)
		wk_dwarf_begin_scopes(unit);
	if (!run(&w))
		wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&w.in), "an entry cannot be read");
	if (w.notes_scopes)
		unit->knows_scopes = true;
	add_names(block);
	if (w.notes_scopes)
		wk_dwarf_forget_scopes(unit);
	return err == NULL || err->code == WK_OK || block->node_count > 1;
}
