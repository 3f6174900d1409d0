/* Debug information by hand, of any version, word size and byte order.
 *
 * Order of calls: maker_init, die_kind for each abbreviation, unit_begin, entries and values,
 * unit_end, ..., maker_open, questions, maker_fini. Values are put as the forms of their
 * abbreviation say, one after the other, by put_*. */
#ifndef WK_TESTS_DWARF_MAKER_H
#define WK_TESTS_DWARF_MAKER_H

#include <stdarg.h>
#include <stdlib.h>

#include "elf_writer.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

#define CODE_AT    0x10000
#define CODE_BYTES 0x10000

/* Sections that a test may fill. */
enum {
	S_INFO,
	S_ABBREV,
	S_STR,
	S_RANGES,
	S_RNGLISTS,
	S_ADDR,
	S_STR_OFFSETS,
	S_ARANGES,
	S_INDEX,
	S_LINE,
	S_COUNT
};

struct maker {
	struct elf_spec spec;
	struct wk_buf sections[S_COUNT], file;
	uint8_t version, address_size, offset_size;
	bool is_split;
	size_t unit_at;
	struct wk_obj *obj;
	struct wk_dwarf_input input;
	struct wk_dwarf *dwarf;
	struct wk_code_index *index;
	struct wk_err err;
	struct wk_buf answer;
};

static inline void maker_init(struct maker *m, uint8_t version)
{
	memset(m, 0, sizeof(*m));
	m->version = version;
	m->address_size = 8;
	m->offset_size = 4;
	elf_put(&m->sections[S_STR], false, 0, 1);
}

static inline void put(struct maker *m, int section, uint64_t value, unsigned bytes)
{
	elf_put(&m->sections[section], m->spec.big_endian, value, bytes);
}

static inline void put_uleb(struct maker *m, int section, uint64_t value)
{
	do {
		put(m, section, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

static inline void put_text(struct maker *m, int section, const char *text)
{
	wk_buf_add(&m->sections[section], text, strlen(text) + 1);
}

static inline void put_address(struct maker *m, int section, uint64_t address)
{
	put(m, section, address, m->address_size);
}

static inline void put_offset(struct maker *m, int section, uint64_t offset)
{
	put(m, section, offset, m->offset_size);
}

/* An offset in .debug_str. */
static inline uint64_t str(struct maker *m, const char *text)
{
	uint64_t at = m->sections[S_STR].len;

	put_text(m, S_STR, text);
	return at;
}

/* An abbreviation: pairs of attribute and form, ended by 0. implicit_const has its number
 * behind it. Code 0 ends the table. */
static inline void die_kind(struct maker *m, unsigned code, unsigned tag, int has_children, ...)
{
	va_list args;
	unsigned attribute;

	put_uleb(m, S_ABBREV, code);
	put_uleb(m, S_ABBREV, tag);
	put(m, S_ABBREV, (uint64_t)has_children, 1);
	va_start(args, has_children);
	while ((attribute = va_arg(args, unsigned)) != 0) {
		unsigned form = va_arg(args, unsigned);

		put_uleb(m, S_ABBREV, attribute);
		put_uleb(m, S_ABBREV, form);
		if (form == DW_FORM_implicit_const)
			put_uleb(m, S_ABBREV, va_arg(args, unsigned));
	}
	va_end(args);
	put(m, S_ABBREV, 0, 2);
}

/* Gives the unit's offset. `id` is written for units that have one. */
static inline uint64_t unit_begin(struct maker *m, uint8_t type, uint64_t abbrevs, uint64_t id)
{
	m->unit_at = m->sections[S_INFO].len;
	if (m->offset_size == 8)
		put(m, S_INFO, 0xffffffff, 4);
	put_offset(m, S_INFO, 0);
	put(m, S_INFO, m->version, 2);
	if (m->version >= 5) {
		put(m, S_INFO, type, 1);
		put(m, S_INFO, m->address_size, 1);
		put_offset(m, S_INFO, abbrevs);
		if (type == DW_UT_skeleton || type == DW_UT_split_compile)
			put(m, S_INFO, id, 8);
	} else {
		put_offset(m, S_INFO, abbrevs);
		put(m, S_INFO, m->address_size, 1);
	}
	return m->unit_at;
}

/* Where the next entry will be, counted from its unit's begin. */
static inline uint64_t here(const struct maker *m)
{
	return m->sections[S_INFO].len - m->unit_at;
}

/* Writes a number over what stands at `at` of a section. */
static inline void overwrite(struct maker *m, int section, size_t at, uint64_t value,
			     unsigned bytes)
{
	struct wk_buf number = { 0 };

	elf_put(&number, m->spec.big_endian, value, bytes);
	memcpy(m->sections[section].at + at, number.at, bytes);
	wk_buf_fini(&number);
}

static inline void unit_end(struct maker *m)
{
	size_t head = m->offset_size == 8 ? 12 : 4;

	overwrite(m, S_INFO, m->unit_at + head - m->offset_size,
		  m->sections[S_INFO].len - m->unit_at - head, m->offset_size);
}

/* The file alone, as another's split file, package or alternate. */
static inline struct wk_obj *maker_file(struct maker *m)
{
	static const char *const names[S_COUNT] = {
		".debug_info", ".debug_abbrev", ".debug_str", ".debug_ranges", ".debug_rnglists",
		".debug_addr", ".debug_str_offsets", ".debug_aranges", ".debug_cu_index",
		".debug_line" };
	static const char *const split_names[S_COUNT] = {
		".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str.dwo", ".debug_ranges.dwo",
		".debug_rnglists.dwo", ".debug_addr.dwo", ".debug_str_offsets.dwo",
		".debug_aranges.dwo", ".debug_cu_index", ".debug_line.dwo" };
	struct elf_section_spec *text;

	m->spec.is_32 = m->address_size == 4;
	m->spec.type = WK_ET_DYN;
	m->spec.machine = m->spec.is_32 ? WK_EM_386 : WK_EM_X86_64;
	for (int i = 0; i < S_COUNT; i++)
		elf_section(&m->spec, (unsigned)i + 1, m->is_split ? split_names[i] : names[i],
			    WK_SHT_PROGBITS, 0, 0, wk_buf_str(&m->sections[i]));
	text = elf_section(&m->spec, S_COUNT + 1, ".text", WK_SHT_NOBITS,
			   WK_SHF_ALLOC | WK_SHF_EXECINSTR, CODE_AT, wk_str_of(NULL, CODE_BYTES));
	text->is_empty_in_file = true;
	elf_write(&m->spec, &m->file);
	m->obj = wk_obj_parse(m->file.at, m->file.len, &m->err);
	return m->obj;
}

static inline bool maker_open(struct maker *m)
{
	m->input.obj = maker_file(m);
	m->index = wk_code_index_new();
	m->dwarf = wk_dwarf_new(&m->input, &m->err);
	if (m->dwarf)
		wk_dwarf_fill(m->dwarf, m->index);
	return m->dwarf != NULL;
}

static inline void maker_fini(struct maker *m)
{
	wk_dwarf_free(m->dwarf);
	wk_code_index_free(m->index);
	wk_obj_free(m->obj);
	for (int i = 0; i < S_COUNT; i++)
		wk_buf_fini(&m->sections[i]);
	wk_buf_fini(&m->file);
	wk_buf_fini(&m->answer);
}

/* The chain at an address, innermost first: "leaf mid:7 top:9:2", each with where it is called
 * in it; "-" where nothing is known. */
static inline const char *chain_at(struct maker *m, uint64_t address)
{
	uint32_t unit = wk_code_index_unit_at(m->index, address);
	struct wk_place places[WK_MOST_PLACES];
	size_t count = 0;

	wk_buf_reset(&m->answer);
	if (unit != WK_NO_UNIT && !wk_code_index_has(m->index, unit))
		wk_dwarf_load(m->dwarf, unit, m->index, NULL);
	if (unit != WK_NO_UNIT)
		count = wk_code_index_places(m->index, address, places, WK_MOST_PLACES);
	for (size_t i = 0; i < count; i++) {
		wk_buf_add_fmt(&m->answer, "%s%.*s", i ? " " : "", WK_STR_ARG(places[i].function));
		if (places[i].line)
			wk_buf_add_fmt(&m->answer, ":%u", places[i].line);
		if (places[i].column)
			wk_buf_add_fmt(&m->answer, ":%u", places[i].column);
	}
	return count ? wk_buf_text(&m->answer) : "-";
}

/* Size of the index when saved: what was kept of the units that were loaded. */
static inline size_t maker_saved_bytes(struct maker *m)
{
	struct wk_buf saved = { 0 };
	size_t size_bytes;

	wk_code_index_save(m->index, &saved);
	size_bytes = saved.len;
	wk_buf_fini(&saved);
	return size_bytes;
}

#endif
