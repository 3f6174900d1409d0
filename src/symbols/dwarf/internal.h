/* Shared by the readers of DWARF; other code uses symbols/dwarf/dwarf.h.
 *
 * A wk_dwarf_file is the debug sections of one ELF file with its units sorted by offset. A
 * wk_dwarf_unit is the header of one unit and the attributes of its root. Each abbreviation table
 * is compiled once into short programs (abbrev.c) that read or skip an entry (DIE).
 *
 * Much in DWARF refers to arbitrary places, so reading in proportion to the size of the file does
 * not come for free: tables may overlap, and thousands of entries may share the tail of a list or
 * text. Each such read is charged to a budget of bytes that real files do not come near. */
#ifndef WK_SYMBOLS_DWARF_INTERNAL_H
#define WK_SYMBOLS_DWARF_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "symbols/code_index/block.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/line.h"
#include "symbols/dwarf/memo.h"
#include "symbols/dwarf/sections.h"

/* The attributes that matter; all others are skipped. */
enum wk_dwarf_what {
	WHAT_NOTHING,
	WHAT_SIBLING,
	WHAT_NAME,
	WHAT_LINKAGE_NAME,
	WHAT_LOW_PC,
	WHAT_HIGH_PC,
	WHAT_RANGES,
	WHAT_ORIGIN,
	WHAT_SPECIFICATION,
	WHAT_CALL_FILE,
	WHAT_CALL_LINE,
	WHAT_CALL_COLUMN,
	WHAT_STMT_LIST, /* this and those that follow: of roots alone */
	WHAT_LANGUAGE,
	WHAT_DIRECTORY,
	WHAT_STR_OFFSETS_BASE,
	WHAT_ADDR_BASE,
	WHAT_RNGLISTS_BASE,
	WHAT_GNU_RANGES_BASE,
	WHAT_SPLIT_NAME,
	WHAT_SPLIT_ID,
	WHAT_DECL_LINE, /* of types */
	WHAT_COUNT
};

/* How a value that varies in size is passed over; smaller numbers are bytes. */
enum {
	SIZE_ULEB = 0xf0, /* a variable-length number */
	SIZE_BLOCK,       /* one, and as many bytes */
	SIZE_TEXT,        /* up to a NUL */
	SIZE_OTHER,
};

/* Skips `before` bytes, then reads (or skips) one value. */
struct wk_dwarf_op {
	uint16_t before;
	uint8_t form, what; /* form: the short number, see wk_dwarf_short_form */
	uint8_t size;       /* bytes, or SIZE_* */
	int32_t constant;   /* of DW_FORM_implicit_const */
};

/* The attributes of an entry of a function or call, if all values have known sizes: each is then at
 * the same offset in every such entry. */
struct wk_dwarf_field {
	uint8_t at, size, form; /* size and form 0: it is not there */
};

#define FIELDS (WHAT_CALL_COLUMN + 1)

struct wk_dwarf_fields {
	struct wk_dwarf_field of[FIELDS];
	bool is_single;     /* one range: an address, and a number to be added to it */
	bool refers_nearby; /* its name is that of the entry it refers to, in its unit */
};

/* Meaning of the first byte of an entry whose size is known and small. */
enum wk_dwarf_first {
	FIRST_NOTHING = 0,
	MOST_LEAF = 0xf0, /* up to here: bytes */
	FIRST_END,        /* the end of a list of children */
	FIRST_INNER,      /* of no interest itself, but with children */
	FIRST_CODE,       /* a function or call with fields */
};

/* The most bytes of such an entry, and of the word that its last value may be read with. */
#define PLAIN_BYTES (MOST_LEAF + WORD_BYTES)

enum wk_dwarf_role {
	ROLE_UNKNOWN,  /* no such abbreviation, or an unknown form */
	ROLE_PASS,     /* of no interest; its children may be */
	ROLE_TYPE,     /* of no interest, nor are its children */
	ROLE_FUNCTION, /* a subprogram that may have code */
	ROLE_INLINED,  /* a call of one that was inlined */
};

#define VARYING UINT32_MAX

/* Entries with only values of up to eight bytes, and variable-length numbers, are read in words
 * after a single bounds check. Numbers padded to more bytes are not. */
#define WORD_BYTES   8
#define NUMBER_BYTES 10

struct wk_dwarf_abbrev {
	uint16_t tag;
	uint8_t role;
	/* The offset after the first byte, if the meaning is known, of a 4-byte offset into
	 * .debug_str that is a function's linkage name; otherwise 0. */
	uint8_t linkage_at;
	bool has_children, is_scope;
	uint32_t fixed;      /* bytes of all attributes, or VARYING */
	uint32_t sibling_at; /* the offset of a 4-byte DW_AT_sibling in them, or VARYING */
	uint32_t tail;       /* bytes behind the last op */
	uint32_t most;       /* bytes needed to read it in words, or VARYING */
	uint32_t first_op, op_count;
	uint32_t has;    /* bits by enum wk_dwarf_what */
	uint32_t fields; /* number in the table's `fields` + 1, or 0 */
};

struct wk_dwarf_abbrevs {
	struct wk_dwarf_abbrev *rows; /* by code if those are 1, 2, 3 ...; 0 is unknown */
	size_t row_count, row_cap;
	struct wk_dwarf_op *ops;
	size_t op_count, op_cap;
	struct wk_dwarf_fields *fields;
	size_t field_count, field_cap;
	struct wk_map by_code; /* of tables whose codes are not */
	/* By the first byte of an entry that can be read without further checks: enum
	 * wk_dwarf_first, or its number of bytes if it does not matter and has no children. Most
	 * entries are skipped by this alone. 0 for all others. */
	uint8_t first[256];
	bool is_sparse;
	bool has_code; /* some entry has code ranges */
	bool has_types;
};

/* What the size of a form depends on. */
struct wk_dwarf_shape {
	uint8_t version, address_size, offset_size;
};

struct wk_dwarf_value {
	uint64_t value; /* DW_FORM_string: the offset in .debug_info */
	uint8_t form;   /* the short number; 0: the attribute is not there */
};

/* The position of a text; no file if there is none. */
struct wk_dwarf_text {
	struct wk_dwarf_file *file;
	enum wk_dwarf_section section;
	uint64_t offset;
};

struct wk_dwarf_die {
	const struct wk_dwarf_abbrev *abbrev;
	uint32_t has; /* bits by enum wk_dwarf_what */
	struct wk_dwarf_value values[WHAT_COUNT];
};

struct wk_dwarf_scope {
	uint32_t start, end; /* from the unit's offset; end 0 while it is open */
	uint32_t around;     /* the enclosing scope, 0 for none */
	uint32_t name;       /* the number of its name + 1; 0: not looked up yet */
};

/* The parts of a scoped name: a scope's own name, and where to find the next outer one. If the name
 * comes from a declaration, the outer scopes are those of the declaration. */
struct wk_dwarf_scope_name {
	struct wk_str name;
	uint32_t line; /* of a type without a name, where it begins; 0: unknown */
	struct wk_dwarf_unit *unit;
	uint64_t offset;
	uint32_t around; /* the scope there, if `unit` is the unit that owns this row */
};

struct wk_dwarf_unit {
	struct wk_dwarf_file *file;
	uint64_t offset, die, end; /* in .debug_info: the header, the root, the end */
	uint64_t abbrev_offset;
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;
	uint64_t line_offset, id, low_pc;
	struct wk_dwarf_value name, directory, split_name;
	struct wk_dwarf_value low, high, ranges;
	struct wk_dwarf_shape shape;
	uint8_t type; /* DW_UT_*, derived before DWARF 5 */
	uint16_t tag, language;
	bool is_read, is_broken, has_lines, has_id;
	bool is_split_tried, has_part; /* has_part: its offsets are those of its package */
	struct wk_dwarf_abbrevs *abbrevs;
	struct wk_dwarf_unit *skeleton; /* of a split unit */
	struct wk_dwarf_unit *split;    /* of a skeleton */
	struct wk_dwarf_scope *scopes;  /* row 0 is unused */
	struct wk_dwarf_scope_name *scope_names;
	size_t scope_cap, scope_name_cap;
	uint32_t scope_count, scope_name_count;
	bool knows_scopes;
};

struct wk_dwarf_file {
	struct wk_dwarf *dwarf;
	struct wk_dwarf_sections sections;
	struct wk_dwarf_unit *units;
	size_t unit_count, unit_cap;
	struct wk_dwarf_abbrevs **tables;
	size_t table_count, table_cap;
	struct wk_map table_at; /* offset and shape to its number in `tables` + 1 */
	uint64_t last_scanned;  /* the table in which a root was looked for last, + 1 */
	uint64_t abbrev_budget, text_budget, range_budget; /* 1 is spent; 0 was never set */
	struct wk_dwarf_memo name_of;                      /* offset of a DIE to text id */
	struct wk_bytes str;                               /* .debug_str, lent to the index */
	uint32_t str_id;          /* the id of its start, or 0 if it could not be borrowed */
	bool is_lent;             /* that was tried */
	struct wk_map unit_by_id; /* of a split file: to the number of the unit + 1 */
	bool has_ids;
	struct wk_dwarf_file *alternate;
};

/* For an open DIE of a walk: the innermost node and scope around it. */
struct wk_dwarf_level {
	uint32_t node, scope;
};

/* Names that are looked up together, so that the memory of all answers is fetched at once. */
#define WK_DWARF_BATCH 64

/* A node whose name is that of the function at `offset`. Some wait to the end of the walk, when all
 * scopes are known. Few do: linkage names need none. */
struct wk_dwarf_later {
	struct wk_dwarf_unit *unit;
	uint64_t offset;
	uint32_t node;
	uint32_t start; /* start of its code, relative to the block's origin */
};

/* Addresses of code, in no order. */
struct wk_dwarf_range {
	uint64_t start, end;
};

struct wk_dwarf_ranges {
	struct wk_dwarf_range *rows;
	size_t count, cap;
};

/* A stretch of addresses without gaps, and its spans. Starts count from the block's origin. */
struct wk_dwarf_stretch {
	uint32_t start, end;
	uint32_t first, count;
};

/* The result of one unit; reused for the next. */
struct wk_dwarf_block {
	struct wk_code_maker maker;
	uint32_t *file_numbers; /* by the line program's number: the block's + 1; 0: not looked
				 * up */
	size_t file_number_cap;
	uint64_t least;  /* no code is below: the image's base */
	uint64_t origin; /* below all intervals */
	bool has_origin;
	struct wk_dwarf_ranges ranges; /* of one entry */
	/* The intervals of one function and everything nested in it. Key: start - origin, then the
	 * size, 32 bits each. */
	struct wk_sort_key *intervals;
	size_t interval_count, interval_cap;
	struct wk_dwarf_stretch *stretches;
	size_t stretch_count, stretch_cap;
	bool is_sorted; /* the stretches, of which none begins before another's end */
	struct wk_code_span *spans;
	size_t span_count, span_cap;
	const struct wk_code_span *ordered; /* all of them: those, or in the builder's space */
	struct wk_code_line *lines;         /* in the builder's space */
	size_t line_count;
	uint64_t *covers; /* intervals that have begun: node and end, 32 bits each */
	size_t cover_cap;
	struct wk_dwarf_later *later;
	size_t later_count, later_cap;
	struct wk_dwarf_level *levels;
	size_t level_cap;
};

/* Both have 32 bits; the code is faster without truncation. */
static inline void wk_dwarf_add_interval(struct wk_dwarf_block *b, uint64_t start, uint64_t end,
					 uint32_t node)
{
	if (b->interval_count == b->interval_cap)
		b->intervals = wk_grow_now(b->intervals, &b->interval_cap, b->interval_count + 1,
					   sizeof(*b->intervals));
	b->intervals[b->interval_count++] = (struct wk_sort_key){
		.key = start << 32 | (end - start), .row = node };
}

static inline uint32_t wk_dwarf_start_of(const struct wk_sort_key *interval)
{
	return (uint32_t)(interval->key >> 32);
}

static inline uint32_t wk_dwarf_end_of(const struct wk_sort_key *interval)
{
	return wk_dwarf_start_of(interval) + (uint32_t)interval->key;
}

struct wk_dwarf {
	struct wk_dwarf_input input;
	struct wk_dwarf_file *main, *alternate, *package;
	struct wk_dwarf_file **split;
	size_t split_count, split_cap;
	struct wk_map split_of;      /* a split file's wk_obj to its number in `split` + 1 */
	uint64_t lowest, highest;    /* possible addresses of code */
	struct wk_code_index *index; /* the one that the ids in the caches are of */
	struct wk_dwarf_block block;
	struct wk_dwarf_lines lines;
	struct wk_dwarf_line_input last_lines; /* what `lines` was read from */
	struct wk_dwarf_lines shared_lines;    /* its rows, if several units share them */
	bool has_last_lines, shares_lines;
	uint64_t line_budget;                 /* 0 was never set */
	struct wk_buf first_missing, missing; /* the first split file; the sentence */
	size_t missing_count;
	bool misses_alternate, misses_ranges, misses_lines;
	bool has_fault; /* a unit or its lines ended early */
};

/* Takes `bytes` from a budget; false if fewer are left. A budget of 1 is spent. */
static inline bool wk_dwarf_charge(uint64_t *budget, uint64_t bytes)
{
	bool is_enough = *budget > bytes;

	*budget = is_enough ? *budget - bytes : 1;
	return is_enough;
}

/* form.c */
/* A number of this many bytes; 0 if there is no number of that size. */
uint64_t wk_dwarf_read_fixed(struct wk_bytes *in, uint32_t bytes);
/* The length at the start of a unit or table, which shows the size of its offsets. */
static inline uint64_t wk_dwarf_read_length(struct wk_bytes *in, uint8_t *offset_size)
{
	uint64_t length = wk_u32(in);

	*offset_size = length == UINT32_MAX ? 8 : 4;
	return length == UINT32_MAX ? wk_u64(in) : length;
}
uint8_t wk_dwarf_short_form(uint64_t form);
/* Bytes, or SIZE_* if that depends on the value, and for unknown forms. */
uint8_t wk_dwarf_form_size(uint8_t form, struct wk_dwarf_shape shape);
/* Is the value the number of a text in .debug_str_offsets? */
bool wk_dwarf_is_text_index(uint8_t form);
/* False for an unknown form. Reading past the end leaves `in` bad. */
bool wk_dwarf_read_value(struct wk_bytes *in, struct wk_dwarf_shape shape, uint8_t form,
			 struct wk_dwarf_value *value);
struct wk_dwarf_text wk_dwarf_text_of(struct wk_dwarf_unit *unit, struct wk_dwarf_value value);
/* Empty if it does not end within `limit` bytes. */
struct wk_str wk_dwarf_text_read(struct wk_dwarf_text text, size_t limit);
/* False if the value is not an address. */
bool wk_dwarf_address(const struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
		      uint64_t *address);
bool wk_dwarf_address_at(const struct wk_dwarf_unit *unit, uint64_t index, uint64_t *address);
/* An offset in the unit's section table `which`, read there in the unit's offset size. */
bool wk_dwarf_offset_at(const struct wk_dwarf_unit *unit, enum wk_dwarf_section which,
			uint64_t base, uint64_t index, uint64_t *offset);
/* What the value refers to: a unit and an offset in its .debug_info; NULL if nothing. */
struct wk_dwarf_unit *wk_dwarf_referred(struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
					uint64_t *offset);
/* The same for a value that counts from the unit's header. */
static inline struct wk_dwarf_unit *wk_dwarf_referred_here(struct wk_dwarf_unit *unit,
							   uint64_t value, uint64_t *offset)
{
	if (value >= unit->end - unit->offset || unit->offset + value < unit->die)
		return NULL;
	*offset = unit->offset + value;
	return unit;
}

/* abbrev.c */
/* The unit's table, decoded once; NULL if it is broken. */
const struct wk_dwarf_abbrevs *wk_dwarf_abbrevs_of(struct wk_dwarf_unit *unit);
void wk_dwarf_abbrevs_fini(struct wk_dwarf_abbrevs *table);
/* Of one code only, without decoding the whole table: for roots. */
bool wk_dwarf_scan_abbrev(struct wk_dwarf_unit *unit, uint64_t code,
			  struct wk_dwarf_abbrevs *table);

/* die.c */
/* `in` is after the code. False if it cannot be read. */
bool wk_dwarf_read_die(struct wk_dwarf_shape shape, const struct wk_dwarf_abbrevs *table,
		       const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
		       struct wk_dwarf_die *die);
/* For attributes of which some vary in size. */
bool wk_dwarf_pass_varying(const struct wk_dwarf_unit *unit, const struct wk_dwarf_abbrevs *table,
			   const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
			   uint64_t *sibling);
/* The abbreviation of the DIE at an offset of .debug_info in the unit, and the bytes after its
 * code; NULL if there is none. */
const struct wk_dwarf_abbrev *wk_dwarf_abbrev_at(struct wk_dwarf_unit *unit, uint64_t offset,
						 struct wk_bytes *in);
/* That DIE. */
bool wk_dwarf_die_at(struct wk_dwarf_unit *unit, uint64_t offset, struct wk_dwarf_die *die);
static inline bool wk_dwarf_has(const struct wk_dwarf_die *die, enum wk_dwarf_what what)
{
	return die->has >> what & 1;
}

/* The code of the next DIE's abbreviation; nearly all have one byte. */
static inline uint64_t wk_dwarf_code(struct wk_bytes *in)
{
	return in->at < in->end && *in->at < 0x80 ? *in->at++ : wk_uleb(in);
}

static inline const struct wk_dwarf_abbrev *wk_dwarf_abbrev(const struct wk_dwarf_abbrevs *table,
							    uint64_t code)
{
	if (table->is_sparse)
		code = wk_map_find(&table->by_code, code);
	return &table->rows[code < table->row_count ? code : 0];
}

/* Passes over entries as long as they are such that nothing has to be known of them. */
static inline void wk_dwarf_pass_leaves(const struct wk_dwarf_abbrevs *table, struct wk_bytes *in)
{
	const uint8_t *at = in->at;

	while (in->end - at > MOST_LEAF && table->first[*at] - 1u < MOST_LEAF)
		at += table->first[*at];
	in->at = at;
}

/* Skips the attributes. If DW_AT_sibling is an offset of .debug_info, stores it in `sibling`. */
static inline bool wk_dwarf_pass_die(const struct wk_dwarf_unit *unit,
				     const struct wk_dwarf_abbrevs *table,
				     const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
				     uint64_t *sibling)
{
	struct wk_bytes at = *in;

	if (abbrev->role == ROLE_UNKNOWN)
		return false;
	if (abbrev->fixed == VARYING)
		return wk_dwarf_pass_varying(unit, table, abbrev, in, sibling);
	if ((size_t)(in->end - in->at) < abbrev->fixed)
		return false;
	in->at += abbrev->fixed;
	if (abbrev->sibling_at != VARYING) {
		at.at += abbrev->sibling_at;
		*sibling = unit->offset + wk_u32(&at);
	}
	return true;
}

/* The fields of an entry followed by at least WORD_BYTES bytes, in a little-endian file; NULL if
 * they are not known. */
static inline const struct wk_dwarf_fields *wk_dwarf_fields_of(const struct wk_dwarf_abbrevs *table,
							       const struct wk_dwarf_abbrev *abbrev,
							       const struct wk_bytes *in)
{
	if (!abbrev->fields || in->big_endian || in->end - in->at < abbrev->fixed + WORD_BYTES)
		return NULL;
	return &table->fields[abbrev->fields - 1];
}

/* Up to 8. */
static inline uint64_t wk_dwarf_first_bytes(const uint8_t *at, uint8_t bytes)
{
	static const uint64_t masks[] = {
		0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff,
		0xffffffffffffff, UINT64_MAX,
	};
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return WK_FROM_LE(64, word) & masks[bytes];
}

/* 0 if it is missing. */
static inline uint64_t wk_dwarf_field(const struct wk_dwarf_fields *fields, const uint8_t *at,
				      enum wk_dwarf_what what)
{
	const struct wk_dwarf_field *field = &fields->of[what];

	return wk_dwarf_first_bytes(at + field->at, field->size);
}

static inline struct wk_dwarf_value wk_dwarf_field_value(const struct wk_dwarf_fields *fields,
							 const uint8_t *at, enum wk_dwarf_what what)
{
	return (struct wk_dwarf_value){ wk_dwarf_field(fields, at, what), fields->of[what].form };
}

/* unit.c */
struct wk_dwarf_file *wk_dwarf_file_new(struct wk_dwarf *dwarf, const struct wk_obj *obj,
					bool is_split);
void wk_dwarf_file_free(struct wk_dwarf_file *file);
void wk_dwarf_file_list_units(struct wk_dwarf_file *file);
/* The unit that contains the offset, unread; NULL if there is none. */
struct wk_dwarf_unit *wk_dwarf_unit_around(struct wk_dwarf_file *file, uint64_t offset);
/* The unit whose DIEs hold the offset, its root read; NULL if there is none. */
struct wk_dwarf_unit *wk_dwarf_unit_of(struct wk_dwarf_file *file, uint64_t offset);
bool wk_dwarf_unit_read(struct wk_dwarf_unit *unit);

/* ranges.c */
/* Adds the range of low_pc and high_pc, or the list at DW_AT_ranges; ranges that cannot contain
 * code are left out. */
void wk_dwarf_add_single(const struct wk_dwarf_unit *unit, struct wk_dwarf_value low,
			 struct wk_dwarf_value high, struct wk_dwarf_ranges *ranges);
void wk_dwarf_add_list(struct wk_dwarf_unit *unit, struct wk_dwarf_value list_at,
		       struct wk_dwarf_ranges *ranges);
/* The ranges of a whole unit, from its root; false if that has none. */
bool wk_dwarf_unit_ranges(struct wk_dwarf_unit *unit, struct wk_dwarf_ranges *ranges);
static inline void wk_dwarf_ranges_add(struct wk_dwarf_ranges *ranges, uint64_t start, uint64_t end)
{
	*WK_APPEND(ranges->rows, ranges->count, ranges->cap) =
		(struct wk_dwarf_range){ start, end };
}

void wk_dwarf_find_code(struct wk_dwarf *dwarf);
static inline bool wk_dwarf_is_code(const struct wk_dwarf *dwarf, uint64_t start)
{
	return start >= dwarf->lowest && start < dwarf->highest;
}

/* False if it cannot contain code. `most` is the largest address of the unit. */
static inline bool wk_dwarf_cut_to_code(const struct wk_dwarf *dwarf, uint64_t most,
					uint64_t *start, uint64_t *end)
{
	*start &= most;
	*end &= most;
	if (*start >= *end || *start >= most - 1 || !wk_dwarf_is_code(dwarf, *start))
		return false;
	if (*end > dwarf->highest)
		*end = dwarf->highest;
	return true;
}

static inline uint64_t wk_dwarf_most_address(const struct wk_dwarf_unit *unit)
{
	uint8_t size = unit->shape.address_size;

	return size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
}

/* aranges.c */
/* The ranges of `unit` by .debug_aranges; `unit` as an index of file->units. */
void wk_dwarf_each_arange(struct wk_dwarf_file *file,
			  void (*take)(void *context, size_t unit, uint64_t start, uint64_t end),
			  void *context);

/* name.c */
/* What an entry contains about its name. */
struct wk_dwarf_naming {
	struct wk_dwarf_value linkage, name;
	struct wk_dwarf_value reference; /* the origin, or else the specification */
};

static inline struct wk_dwarf_value wk_dwarf_value_of(const struct wk_dwarf_die *die,
						      enum wk_dwarf_what what)
{
	return wk_dwarf_has(die, what) ? die->values[what] : (struct wk_dwarf_value){ 0 };
}

static inline struct wk_dwarf_naming wk_dwarf_naming_of(const struct wk_dwarf_die *die)
{
	return (struct wk_dwarf_naming){
		.linkage = wk_dwarf_value_of(die, WHAT_LINKAGE_NAME),
		.name = wk_dwarf_value_of(die, WHAT_NAME),
		.reference = wk_dwarf_value_of(die, wk_dwarf_has(die, WHAT_ORIGIN)
							    ? WHAT_ORIGIN : WHAT_SPECIFICATION),
	};
}

/* The same of fields, at their entry's first byte behind the code. */
static inline struct wk_dwarf_naming wk_dwarf_naming_in(const struct wk_dwarf_fields *fields,
							const uint8_t *at)
{
	return (struct wk_dwarf_naming){
		.linkage = wk_dwarf_field_value(fields, at, WHAT_LINKAGE_NAME),
		.name = wk_dwarf_field_value(fields, at, WHAT_NAME),
		.reference = wk_dwarf_field_value(fields, at, fields->of[WHAT_ORIGIN].form
								      ? WHAT_ORIGIN
								      : WHAT_SPECIFICATION),
	};
}

/* The text id of a linkage name, or 0. */
uint32_t wk_dwarf_linkage_name(struct wk_dwarf_unit *unit, struct wk_dwarf_value linkage);
/* The DIE to look up the name of a DIE without one: the one it refers to, so that all calls of a
 * function share the answer. Replaces `offset` by that DIE's. */
struct wk_dwarf_unit *wk_dwarf_name_place(struct wk_dwarf_unit *unit, uint64_t *offset,
					  const struct wk_dwarf_naming *naming);
/* Sets the names that entries contain, and those found before. Leaves the others in `names`, at
 * most one batch; returns their number. */
size_t wk_dwarf_known_names(struct wk_dwarf_later *names, size_t count,
			    struct wk_code_packed_node *nodes);
/* The text id of the function at an offset; 0 if it has no name. False if scopes are part of the
 * name and `knows_scopes` says that a walk has not recorded them yet. */
bool wk_dwarf_name_at(struct wk_dwarf_unit *unit, uint64_t offset, bool knows_scopes,
		      uint32_t *name);

/* The id of the same name for calls of a function that also has a copy at `copy_at`. */
uint32_t wk_dwarf_copied_name(struct wk_dwarf_file *file, uint32_t name, uint64_t copy_at);

/* scope.c */
/* Is a name in this language written with the scopes that it is in? */
bool wk_dwarf_has_scopes(uint16_t language);
/* A walk records the scopes that it meets, which saves a walk for them alone. */
void wk_dwarf_begin_scopes(struct wk_dwarf_unit *unit);
uint32_t wk_dwarf_open_scope(struct wk_dwarf_unit *unit, uint64_t offset, uint32_t around);
void wk_dwarf_close_scope(struct wk_dwarf_unit *unit, uint32_t scope, uint64_t offset);
void wk_dwarf_forget_scopes(struct wk_dwarf_unit *unit);
/* The scopes around the DIE at `offset`, as they are put before its name: "a::b::". is_call: it
 * is an operator(), which makes a struct without a name a lambda, "{lambda:31}". */
void wk_dwarf_add_scopes(struct wk_dwarf_unit *unit, uint64_t offset, bool is_call,
			 struct wk_buf *out);

/* walk.c */
/* What one unit has into the block, which is emptied first. wants_names false: its intervals only,
 * all of them and as they come. */
bool wk_dwarf_walk(struct wk_dwarf_unit *unit, struct wk_dwarf_block *block, bool wants_names,
		   struct wk_err *err);

/* spans.c */
/* All intervals so far belong to one function and what is nested in it: turns them into spans, and
 * drops them. If several cover an address, the one with the highest node (the innermost) wins. */
void wk_dwarf_end_function(struct wk_dwarf_block *block);
/* After the last function: the spans in order, each interval that ends followed by one of node 0.
 * They are relative to the block's origin. At most this number of lines will follow. */
void wk_dwarf_order_spans(struct wk_dwarf_block *block, size_t line_count);

/* split.c */
/* The split unit of a skeleton, or NULL; records what is missing. */
struct wk_dwarf_unit *wk_dwarf_split_unit(struct wk_dwarf_unit *skeleton);

/* missing.c */
void wk_dwarf_misses_split(struct wk_dwarf *dwarf, struct wk_str directory, struct wk_str name);
/* `is_missing` is one of its misses_... */
void wk_dwarf_misses(struct wk_dwarf *dwarf, bool *is_missing);

/* rows.c */
/* Reads the unit's line program into dwarf->lines: files, and rows of code only. */
void wk_dwarf_read_lines(struct wk_dwarf_unit *unit);
/* Sets the block's lines from dwarf->lines. */
void wk_dwarf_make_lines(const struct wk_dwarf *dwarf, struct wk_dwarf_block *block, uint64_t base);
/* Charges this number of bytes of programs, or rows. False, and recorded as missing, beyond the
 * limit of a file. */
bool wk_dwarf_charge_lines(struct wk_dwarf *dwarf, uint64_t bytes);

/* shared_rows.c */
/* Makes dwarf->lines those of the unit, whose program was the last to be run. */
void wk_dwarf_share_lines(struct wk_dwarf_unit *unit);

#endif
