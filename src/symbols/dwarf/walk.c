/* The walk over a unit's entries: functions and inlined calls to nodes, their code to
 * intervals. */
#include "base/mem.h"
#include "symbols/dwarf/internal.h"

/* The code of a real unit is closer together. */
#define REACH ((uint64_t)1 << 31)

#define NO_FUNCTION SIZE_MAX

/* In the index a row of the line program becomes one row, or half a row if another call begins
 * there; an entry of a unit without types becomes a node and a row, which need as many bytes as the
 * entry. The rows of small units fit after the nodes; otherwise more memory would be allocated for
 * them. */
#define LIKELY_ROW_BYTES (sizeof(struct wk_code_packed_row) * 3 / 2)
#define LARGE_UNIT       ((size_t)512 * 1024)

struct walk {
	struct wk_dwarf_unit *unit;
	const struct wk_dwarf *dwarf;
	const struct wk_dwarf_abbrevs *table;
	struct wk_dwarf_block *block;
	struct wk_bytes in;
	size_t file_count;         /* of the line program */
	size_t depth;              /* of open DIEs; block->levels has their nodes */
	uint64_t most;             /* the largest address */
	size_t function_depth;     /* of the enclosing function, if one is open */
	struct wk_dwarf_level now; /* the innermost node and scope */
	bool wants_names;
	bool notes_scopes; /* and so does not jump */
	struct wk_dwarf_later names[WK_DWARF_BATCH];
	size_t name_count;
};

static void set_origin(struct wk_dwarf_block *b, uint64_t start)
{
	b->origin = start - b->least > REACH ? start - REACH : b->least;
	b->has_origin = true;
}

static inline void add_range(struct wk_dwarf_block *b, uint64_t start, uint64_t end)
{
	if (!b->has_origin)
		set_origin(b, start);
	if (start >= b->origin && end - b->origin <= UINT32_MAX)
		wk_dwarf_add_interval(b, start - b->origin, end - b->origin, b->maker.node_count);
}

static void add_ranges(struct wk_dwarf_block *b, const struct wk_dwarf_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++)
		add_range(b, ranges->rows[i].start, ranges->rows[i].end);
}

/* The code ranges of an entry. */
static void add_code(struct walk *w, struct wk_dwarf_value low, struct wk_dwarf_value high,
		     struct wk_dwarf_value list_at)
{
	struct wk_dwarf_ranges *ranges = &w->block->ranges;

	ranges->count = 0;
	if (list_at.form)
		wk_dwarf_add_list(w->unit, list_at, ranges);
	else
		wk_dwarf_add_single(w->unit, low, high, ranges);
	add_ranges(w->block, ranges);
}

/* The block's number of a file of the line program. */
static uint16_t file_of(struct walk *w, uint64_t file)
{
	uint32_t *number;

	if (file >= w->file_count)
		return 0;
	number = &w->block->file_numbers[file];
	if (!*number)
		*number = wk_code_maker_file(&w->block->maker, w->dwarf->lines.files[file]) + 1u;
	return (uint16_t)(*number - 1);
}

/* Names that do not depend on scopes still to be recorded. */
static void find_names(struct walk *w)
{
	struct wk_dwarf_block *b = w->block;
	size_t count = wk_dwarf_known_names(w->names, w->name_count, b->maker.nodes);

	for (size_t i = 0; i < count; i++) {
		const struct wk_dwarf_later *name = &w->names[i];

		if (wk_dwarf_name_at(name->unit, name->offset, !w->notes_scopes,
				     &b->maker.nodes[name->node].function))
			continue;
		*WK_APPEND(b->later, b->later_count, b->later_cap) = *name;
	}
	w->name_count = 0;
}

static void find_late_names(struct wk_dwarf_block *b)
{
	for (size_t i = 0; i < b->later_count; i++)
		wk_dwarf_name_at(b->later[i].unit, b->later[i].offset, true,
				 &b->maker.nodes[b->later[i].node].function);
}

/* For an inlined function without a linkage name, symbols may know the out-of-line copy by a fuller
 * name than the source: each call gets the address of that copy. */
static void find_copies(struct wk_dwarf_unit *unit, struct wk_dwarf_block *b)
{
	struct wk_map copy_of = { 0 }; /* entry to its code's begin */

	for (size_t i = 0; i < b->later_count; i++) {
		const struct wk_dwarf_later *name = &b->later[i];

		if (b->maker.nodes[name->node].parent == 0 && name->unit->file == unit->file &&
		    !wk_map_find(&copy_of, name->offset))
			wk_map_set(&copy_of, name->offset, name->start);
	}
	for (size_t i = 0; i < b->later_count && copy_of.count; i++) {
		const struct wk_dwarf_later *name = &b->later[i];
		struct wk_code_packed_node *node = &b->maker.nodes[name->node];
		uint32_t start = node->parent && name->unit->file == unit->file
					 ? wk_map_find(&copy_of, name->offset)
					 : 0;

		if (start)
			node->function =
				wk_dwarf_copied_name(unit->file, node->function, b->origin + start);
	}
	wk_map_fini(&copy_of);
}

static uint32_t first_start(const struct wk_dwarf_block *b, uint32_t node)
{
	size_t i = b->interval_count;

	while (i > 1 && b->intervals[i - 2].row == node)
		i--;
	return i ? wk_dwarf_start_of(&b->intervals[i - 1]) : 0;
}

/* The last node's name is that of the function at `offset`. */
static inline void name_later(struct walk *w, struct wk_dwarf_unit *unit, uint64_t offset)
{
	uint32_t node = w->block->maker.node_count - 1;
	bool may_be_copy = w->notes_scopes && w->block->maker.nodes[node].parent == 0;

	__builtin_prefetch(unit->file->sections.bytes[WK_DWARF_INFO].start + offset);
	w->names[w->name_count++] = (struct wk_dwarf_later){
		unit, offset, node, may_be_copy ? first_start(w->block, node) : 0 };
	if (w->name_count == WK_DWARF_BATCH)
		find_names(w);
}

static void set_name(struct walk *w, uint64_t offset, struct wk_code_packed_node *node,
		     const struct wk_dwarf_naming *naming)
{
	struct wk_dwarf_unit *unit;

	node->function = wk_dwarf_linkage_name(w->unit, naming->linkage);
	if (node->function)
		return;
	unit = wk_dwarf_name_place(w->unit, &offset, naming);
	name_later(w, unit, offset);
}

/* The same for an entry whose fields are at `at` and after it. */
static inline void set_plain_name(struct walk *w, const uint8_t *at,
				  struct wk_code_packed_node *node,
				  const struct wk_dwarf_fields *fields)
{
	uint64_t offset = wk_dwarf_field(fields, at, WHAT_ORIGIN);
	struct wk_dwarf_naming naming;

	if (fields->refers_nearby && wk_dwarf_referred_here(w->unit, offset, &offset)) {
		name_later(w, w->unit, offset);
	} else {
		naming = wk_dwarf_naming_in(fields, at);
		set_name(w, (uint64_t)(at - w->in.start) - 1, node, &naming);
	}
}

/* The same for an entry whose values have fixed positions. False if it has none. */
static inline bool add_plain_code(struct walk *w, const struct wk_dwarf_fields *fields,
				  const uint8_t *at)
{
	size_t intervals = w->block->interval_count;
	uint64_t start, end;

	if (fields->is_single) {
		start = wk_dwarf_field(fields, at, WHAT_LOW_PC);
		end = start + wk_dwarf_field(fields, at, WHAT_HIGH_PC);
		if (wk_dwarf_cut_to_code(w->dwarf, w->most, &start, &end))
			add_range(w->block, start, end);
	} else {
		add_code(w, wk_dwarf_field_value(fields, at, WHAT_LOW_PC),
			 wk_dwarf_field_value(fields, at, WHAT_HIGH_PC),
			 wk_dwarf_field_value(fields, at, WHAT_RANGES));
	}
	return w->block->interval_count > intervals;
}

static inline void add_plain_node(struct walk *w, const uint8_t *at, enum wk_dwarf_role role,
				  const struct wk_dwarf_fields *fields)
{
	struct wk_code_packed_node *node = wk_code_maker_node(&w->block->maker);

	*node = (struct wk_code_packed_node){ 0 };
	if (role == ROLE_INLINED) {
		node->parent = w->now.node;
		node->call_line = (uint32_t)wk_dwarf_field(fields, at, WHAT_CALL_LINE);
		node->call_column = wk_code_maker_column(
			(uint32_t)wk_dwarf_field(fields, at, WHAT_CALL_COLUMN));
		if (fields->of[WHAT_CALL_FILE].form)
			node->call_file = file_of(w, wk_dwarf_field(fields, at, WHAT_CALL_FILE));
	}
	if (w->wants_names)
		set_plain_name(w, at, node, fields);
}

static uint32_t short_number(const struct wk_dwarf_die *die, enum wk_dwarf_what what)
{
	uint64_t number = wk_dwarf_value_of(die, what).value;

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void add_node(struct walk *w, uint64_t offset, const struct wk_dwarf_die *die)
{
	struct wk_code_packed_node *node = wk_code_maker_node(&w->block->maker);
	struct wk_dwarf_naming naming = wk_dwarf_naming_of(die);

	*node = (struct wk_code_packed_node){ 0 };
	if (die->abbrev->role == ROLE_INLINED) {
		node->parent = w->now.node;
		node->call_line = short_number(die, WHAT_CALL_LINE);
		node->call_column = wk_code_maker_column(short_number(die, WHAT_CALL_COLUMN));
		if (wk_dwarf_has(die, WHAT_CALL_FILE))
			node->call_file = file_of(w, die->values[WHAT_CALL_FILE].value);
	}
	if (w->wants_names)
		set_name(w, offset, node, &naming);
}

/* A function or a call, which is a node if it has code. */
static bool read_code(struct walk *w, uint64_t offset, const struct wk_dwarf_abbrev *abbrev)
{
	size_t intervals = w->block->interval_count;
	struct wk_dwarf_die die;

	if (!wk_dwarf_read_die(w->unit->shape, w->table, abbrev, &w->in, &die))
		return false;
	add_code(w, wk_dwarf_value_of(&die, WHAT_LOW_PC), wk_dwarf_value_of(&die, WHAT_HIGH_PC),
		 wk_dwarf_value_of(&die, WHAT_RANGES));
	if (w->block->interval_count > intervals)
		add_node(w, offset, &die);
	return true;
}

/* The outermost of what had code. */
static void end_function(struct walk *w)
{
	w->function_depth = NO_FUNCTION;
	if (w->wants_names)
		wk_dwarf_end_function(w->block);
}

static void grow_levels(struct wk_dwarf_block *b)
{
	b->levels = wk_grow_now(b->levels, &b->level_cap, b->level_cap + 1, sizeof(*b->levels));
}

static void open_scope(struct walk *w, uint64_t offset)
{
	w->now.scope = wk_dwarf_open_scope(w->unit, offset, w->now.scope);
}

static inline void open_die(struct walk *w, uint64_t offset, const struct wk_dwarf_abbrev *abbrev,
			    uint32_t node)
{
	if (w->depth == w->block->level_cap)
		grow_levels(w->block);
	w->block->levels[w->depth++] = w->now;
	w->now.node = node;
	if (abbrev->is_scope && w->notes_scopes)
		open_scope(w, offset);
}

static inline void close_die(struct walk *w, uint64_t offset)
{
	struct wk_dwarf_level around = w->block->levels[--w->depth];

	if (around.scope != w->now.scope && w->notes_scopes)
		wk_dwarf_close_scope(w->unit, w->now.scope, offset);
	w->now = around;
	if (w->depth == w->function_depth)
		end_function(w);
}

/* Moves to the sibling, if that is ahead, past all children. */
static bool jump(struct walk *w, uint64_t sibling)
{
	if (sibling <= wk_bytes_offset(&w->in) || sibling >= w->unit->end)
		return false;
	w->in.at = w->in.start + sibling;
	return true;
}

/* After a function or a call, which became a node if there are more than `nodes`. */
static inline void enter_code(struct walk *w, uint64_t offset, const struct wk_dwarf_abbrev *abbrev,
			      uint32_t nodes)
{
	uint32_t node = abbrev->role == ROLE_INLINED ? w->now.node : 0;

	if (w->block->maker.node_count > nodes)
		node = nodes;
	if (node && w->function_depth == NO_FUNCTION)
		w->function_depth = w->depth;
	if (abbrev->has_children)
		open_die(w, offset, abbrev, node);
	else if (w->depth == w->function_depth)
		end_function(w);
}

/* A function or a call of which the code of the abbreviation is read. */
static inline void parse_code(struct walk *w, const uint8_t *at,
			      const struct wk_dwarf_abbrev *abbrev)
{
	const struct wk_dwarf_fields *fields = &w->table->fields[abbrev->fields - 1];
	uint32_t nodes = w->block->maker.node_count;

	if (add_plain_code(w, fields, at))
		add_plain_node(w, at, abbrev->role, fields);
	enter_code(w, (uint64_t)(at - w->in.start) - 1, abbrev, nodes);
}

/* Entries that can be read by their first bytes, up to one that can not. */
static void read_plain(struct walk *w)
{
	const struct wk_dwarf_abbrevs *table = w->table;
	const uint8_t *at = w->in.at, *near_end = w->in.end - PLAIN_BYTES;

	while (at < near_end && w->depth > 0) {
		const struct wk_dwarf_abbrev *abbrev;
		uint8_t first = table->first[*at];

		if (first - 1u < MOST_LEAF) {
			at += first;
			continue;
		}
		if (first == FIRST_END) {
			close_die(w, (uint64_t)(at++ - w->in.start));
			continue;
		}
		abbrev = &table->rows[*at];
		if (first == FIRST_CODE && !w->in.big_endian)
			parse_code(w, at + 1, abbrev);
		else if (first == FIRST_INNER)
			open_die(w, (uint64_t)(at - w->in.start), abbrev, w->now.node);
		else
			break;
		at += 1 + abbrev->fixed;
	}
	w->in.at = at;
}

/* One DIE, the code of its abbreviation read. */
static bool step(struct walk *w, uint64_t offset, uint64_t code)
{
	const struct wk_dwarf_abbrev *abbrev = wk_dwarf_abbrev(w->table, code);
	uint32_t nodes = w->block->maker.node_count;
	uint64_t sibling = 0;

	if (abbrev->role == ROLE_FUNCTION || abbrev->role == ROLE_INLINED) {
		if (!read_code(w, offset, abbrev))
			return false;
		enter_code(w, offset, abbrev, nodes);
		return true;
	}
	if (!wk_dwarf_pass_die(w->unit, w->table, abbrev, &w->in, &sibling))
		return false;
	if (abbrev->has_children &&
	    !(abbrev->role == ROLE_TYPE && !w->notes_scopes && jump(w, sibling)))
		open_die(w, offset, abbrev, w->now.node);
	return true;
}

static bool run(struct walk *w)
{
	do {
		uint64_t offset, code;

		if (w->depth > 0 && wk_bytes_left(&w->in) > PLAIN_BYTES) {
			read_plain(w);
			if (w->depth == 0)
				return true;
		}
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

static size_t likely_bytes(const struct walk *w)
{
	size_t bytes = (size_t)(w->unit->end - w->unit->offset);

	if (bytes < LARGE_UNIT)
		return bytes;
	if (w->table && !w->table->has_types)
		bytes *= 2;
	return bytes + w->dwarf->lines.row_count * LIKELY_ROW_BYTES;
}

static void begin_block(struct walk *w)
{
	struct wk_dwarf_block *b = w->block;

	b->interval_count = b->later_count = 0;
	b->span_count = b->stretch_count = 0;
	b->has_origin = false;
	b->is_sorted = true;
	WK_RESERVE(b->file_numbers, b->file_number_cap, w->file_count);
	if (w->file_count)
		memset(b->file_numbers, 0, w->file_count * sizeof(*b->file_numbers));
	wk_code_maker_begin(&b->maker, likely_bytes(w));
}

bool wk_dwarf_walk(struct wk_dwarf_unit *unit, struct wk_dwarf_block *block, bool wants_names,
		   struct wk_err *err)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	struct walk w;

	w.unit = unit;
	w.dwarf = unit->file->dwarf;
	w.file_count = w.dwarf->lines.file_count;
	w.table = wk_dwarf_abbrevs_of(unit);
	w.block = block;
	w.in = wk_bytes_at(&section, unit->die, unit->end - unit->die);
	w.depth = w.name_count = 0;
	w.most = wk_dwarf_most_address(unit);
	w.function_depth = NO_FUNCTION;
	w.now = (struct wk_dwarf_level){ 0 };
	w.wants_names = wants_names;
	w.notes_scopes = wants_names && wk_dwarf_has_scopes(unit->language) &&
			 unit->end - unit->offset <= UINT32_MAX;
	begin_block(&w);
	if (!w.table)
		return wk_fail(err, WK_ECORRUPT, unit->offset,
			       "the abbreviations of the unit cannot be read");
	if (w.notes_scopes)
		wk_dwarf_begin_scopes(unit);
	if (!run(&w))
		wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&w.in), "an entry cannot be read");
	find_names(&w);
	if (w.notes_scopes)
		unit->knows_scopes = true;
	find_late_names(block);
	find_copies(unit, block);
	if (w.notes_scopes)
		wk_dwarf_forget_scopes(unit);
	if (wants_names)
		wk_dwarf_end_function(block);
	return err == NULL || err->code == WK_OK || block->maker.node_count > 1;
}
