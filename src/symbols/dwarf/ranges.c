/* Code ranges: .debug_ranges, .debug_rnglists, and which addresses cannot be code. */
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* How many times all lists of a file may be read. Units and functions mostly have a list each; gcc,
 * clang and rustc reach 1.7 times at most, because some inlined calls share lists. */
#define MOST_ROUNDS  8
#define SMALL_BUDGET (64 * 1024)

/* Code is in executable sections (or, if a file has none, segments). Code dropped by a linker keeps
 * addresses outside: 0, 1, -1, -2. */
void wk_dwarf_find_code(struct wk_dwarf *dwarf)
{
	const struct wk_obj *obj = dwarf->input.obj;
	uint64_t lowest = UINT64_MAX, highest = 0;

	for (uint32_t i = 0; i < obj->section_count; i++) {
		const struct wk_obj_section *s = &obj->sections[i];

		if (!(s->flags & WK_SHF_EXECINSTR) || s->size_bytes > UINT64_MAX - s->vaddr)
			continue;
		if (s->vaddr < lowest)
			lowest = s->vaddr;
		if (s->vaddr + s->size_bytes > highest)
			highest = s->vaddr + s->size_bytes;
	}
	for (uint32_t i = 0; highest == 0 && i < obj->segment_count; i++) {
		const struct wk_obj_segment *s = &obj->segments[i];

		if (s->type != WK_PT_LOAD || !(s->flags & WK_PF_X) || s->vaddr > lowest)
			continue;
		lowest = s->vaddr;
	}
	dwarf->lowest = (lowest != UINT64_MAX ? lowest : 0) + obj->image_base;
	dwarf->highest = highest ? highest + obj->image_base : UINT64_MAX - 1;
}

struct list {
	struct wk_dwarf_unit *unit;
	const struct wk_dwarf *dwarf;
	struct wk_dwarf_ranges *ranges;
	uint64_t base, most; /* most: the largest address */
	uint64_t *budget;    /* of the file that contains the list */
	bool has_dead_base;
};

static inline void add_code(const struct wk_dwarf *dwarf, uint64_t most, uint64_t start,
			    uint64_t end, struct wk_dwarf_ranges *ranges)
{
	if (wk_dwarf_cut_to_code(dwarf, most, &start, &end))
		wk_dwarf_ranges_add(ranges, start, end);
}

static inline void add(struct list *list, uint64_t start, uint64_t end)
{
	add_code(list->dwarf, list->most, start, end, list->ranges);
}

static void set_base(struct list *list, uint64_t base)
{
	list->base = base;
	list->has_dead_base = base >= list->most - 1;
}

/* The limit for all lists of a file: many units or functions may share a long one. */
static uint64_t *budget_of(struct wk_dwarf_file *file)
{
	uint64_t weight;

	if (file->range_budget == 0) {
		weight = wk_dwarf_section_weight(&file->sections, WK_DWARF_RANGES) +
			 wk_dwarf_section_weight(&file->sections, WK_DWARF_RNGLISTS);
		file->range_budget = SMALL_BUDGET + MOST_ROUNDS * weight;
	}
	return &file->range_budget;
}

/* False when the budget is spent: the rest of the list, and all lists to come, are left out. */
static inline bool charge(struct list *list, uint64_t bytes)
{
	if (wk_dwarf_charge(list->budget, bytes))
		return true;
	wk_dwarf_misses(list->unit->file->dwarf, &list->unit->file->dwarf->misses_ranges);
	return false;
}

static uint64_t plain_address(struct wk_bytes *in, uint8_t size)
{
	return size == 8 ? wk_u64(in) : size == 4 ? wk_u32(in) : wk_u16(in);
}

/* The largest address as a start sets the base. */
static inline void read_pair(struct list *list, uint64_t start, uint64_t end)
{
	if (start == list->most)
		set_base(list, end);
	/* A linker's -2 must not become code by adding the base to it. */
	else if (!list->has_dead_base && start != list->most - 1)
		add(list, list->base + start, list->base + end);
}

/* Up to a pair of zeros. */
static void read_old(struct list *list, struct wk_bytes in, uint8_t size)
{
	while (charge(list, 2 * size)) {
		uint64_t start = plain_address(&in, size);
		uint64_t end = plain_address(&in, size);

		if (in.bad || (start == 0 && end == 0))
			return;
		read_pair(list, start, end);
	}
}

/* The same of addresses that are as in nearly all files. */
static void read_old_words(struct list *list, struct wk_bytes in)
{
	size_t left = wk_bytes_left(&in), most = left < *list->budget ? left : *list->budget - 1;
	const uint8_t *at = in.at, *end = in.at + most;

	for (; end - at >= 2 * WORD_BYTES; at += 2 * WORD_BYTES) {
		uint64_t first = wk_dwarf_first_bytes(at, WORD_BYTES);
		uint64_t second = wk_dwarf_first_bytes(at + WORD_BYTES, WORD_BYTES);

		if (first == 0 && second == 0)
			break;
		read_pair(list, first, second);
	}
	charge(list, (uint64_t)(at - in.at) + 2 * WORD_BYTES);
}

static uint64_t indexed_address(struct list *list, struct wk_bytes *in)
{
	uint64_t address;

	/* If it is not found it is not code. */
	return wk_dwarf_address_at(list->unit, wk_uleb(in), &address) ? address : list->most;
}

/* One entry of .debug_rnglists; false at the list's end. */
static bool read_entry(struct list *list, struct wk_bytes *in, uint8_t size)
{
	uint64_t start, end;

	switch (wk_u8(in)) {
	case DW_RLE_base_addressx:
		set_base(list, indexed_address(list, in));
		return !in->bad;
	case DW_RLE_base_address:
		set_base(list, plain_address(in, size));
		return !in->bad;
	case DW_RLE_startx_endx:
		start = indexed_address(list, in);
		end = indexed_address(list, in);
		break;
	case DW_RLE_startx_length:
		start = indexed_address(list, in);
		end = start + wk_uleb(in);
		break;
	case DW_RLE_offset_pair:
		start = list->base + wk_uleb(in);
		end = list->base + wk_uleb(in);
		if (list->has_dead_base)
			return !in->bad;
		break;
	case DW_RLE_start_end:
		start = plain_address(in, size);
		end = plain_address(in, size);
		break;
	case DW_RLE_start_length:
		start = plain_address(in, size);
		end = start + wk_uleb(in);
		break;
	default:
		return false;
	}
	if (!in->bad)
		add(list, start, end);
	return !in->bad;
}

static void read_new(struct list *list, struct wk_bytes in, uint8_t size)
{
	const uint8_t *from = in.at;

	while (*list->budget > 1 && read_entry(list, &in, size) &&
	       charge(list, (uint64_t)(in.at - from)))
		from = in.at;
}

static inline struct wk_bytes from_offset(struct wk_dwarf_file *file, enum wk_dwarf_section which,
					  uint64_t offset)
{
	struct wk_bytes section = wk_dwarf_section(&file->sections, which);
	uint64_t size = (uint64_t)(section.end - section.start);

	return wk_bytes_at(&section, offset, offset <= size ? size - offset : 1);
}

static void read_list(struct list *list, struct wk_dwarf_value ranges)
{
	struct wk_dwarf_unit *unit = list->unit;
	struct wk_dwarf_unit *holder = unit->skeleton ? unit->skeleton : unit;
	uint64_t offset = ranges.value;
	struct wk_bytes in;

	if (unit->shape.version < 5) {
		/* A split unit's lists stay behind with its skeleton. */
		if (unit->skeleton)
			offset += holder->gnu_ranges_base;
		list->budget = budget_of(holder->file);
		in = from_offset(holder->file, WK_DWARF_RANGES, offset);
		if (unit->shape.address_size == WORD_BYTES && !in.big_endian)
			read_old_words(list, in);
		else
			read_old(list, in, unit->shape.address_size);
		return;
	}
	if (ranges.form == DW_FORM_rnglistx) {
		if (!wk_dwarf_offset_at(unit, WK_DWARF_RNGLISTS, unit->rnglists_base, ranges.value,
					&offset))
			return;
		offset += unit->rnglists_base;
	}
	list->budget = budget_of(unit->file);
	read_new(list, from_offset(unit->file, WK_DWARF_RNGLISTS, offset),
		 unit->shape.address_size);
}

/* One range, as nearly all functions and most calls have. */
void wk_dwarf_add_single(const struct wk_dwarf_unit *unit, struct wk_dwarf_value low,
			 struct wk_dwarf_value high, struct wk_dwarf_ranges *ranges)
{
	uint64_t start, end;

	start = low.value;
	if (!high.form || (low.form != DW_FORM_addr && !wk_dwarf_address(unit, low, &start)))
		return;
	/* Since DWARF 4 a number that is not an address is relative to low_pc. */
	if (high.form == DW_FORM_data4 || !wk_dwarf_address(unit, high, &end))
		end = high.value <= UINT64_MAX - start ? start + high.value : start;
	add_code(unit->file->dwarf, wk_dwarf_most_address(unit), start, end, ranges);
}

void wk_dwarf_add_list(struct wk_dwarf_unit *unit, struct wk_dwarf_value list_at,
		       struct wk_dwarf_ranges *ranges)
{
	struct list list;

	list.unit = unit;
	list.dwarf = unit->file->dwarf;
	list.ranges = ranges;
	list.most = wk_dwarf_most_address(unit);
	set_base(&list, unit->low_pc);
	read_list(&list, list_at);
}

bool wk_dwarf_unit_ranges(struct wk_dwarf_unit *unit, struct wk_dwarf_ranges *ranges)
{
	if (unit->ranges.form)
		wk_dwarf_add_list(unit, unit->ranges, ranges);
	else
		wk_dwarf_add_single(unit, unit->low, unit->high, ranges);
	return unit->ranges.form || unit->high.form;
}
