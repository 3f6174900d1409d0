#include "symbols/object/object_symbols.h"

#include "symbols/object/elf_unlinked.h"

/* Section numbers from here on do not name sections, except this one: the number did not fit and is
 * stored elsewhere, which only relocatable files need. */
#define SHN_LORESERVE 0xff00
#define SHN_XINDEX    0xffff

/* In a symbol's version: not for programs that are linked now. */
#define VERSION_HIDDEN 0x8000

/* Tags of the dynamic table. */
#define DT_NEEDED   1
#define DT_HASH     4
#define DT_STRTAB   5
#define DT_SYMTAB   6
#define DT_STRSZ    10
#define DT_GNU_HASH 0x6ffffef5
#define DT_VERSYM   0x6ffffff0

static uint64_t symbol_bytes(const struct wk_obj *elf)
{
	return elf->is_64 ? 24 : 16;
}

uint64_t wk_elf_raw_count(const struct wk_obj *elf, const struct wk_obj_tables *tables,
			  enum wk_obj_table table)
{
	return wk_bytes_left(&tables->symbols[table]) / symbol_bytes(elf);
}

bool wk_obj_raw_at(const struct wk_obj *elf, const struct wk_obj_tables *tables,
		   enum wk_obj_table table, uint64_t index, struct wk_obj_raw *raw)
{
	const struct wk_bytes *symbols = &tables->symbols[table];
	struct wk_bytes in;
	uint8_t info;

	if (tables->is_pe || index >= wk_elf_raw_count(elf, tables, table))
		return false;
	in = wk_bytes_at(symbols, index * symbol_bytes(elf), symbol_bytes(elf));
	raw->name = wk_u32(&in);
	if (elf->is_64) {
		info = wk_u8(&in);
		wk_u8(&in); /* st_other */
		raw->section = wk_u16(&in);
		raw->vaddr = wk_u64(&in);
		raw->size_bytes = wk_u64(&in);
	} else {
		raw->vaddr = wk_u32(&in);
		raw->size_bytes = wk_u32(&in);
		info = wk_u8(&in);
		wk_u8(&in);
		raw->section = wk_u16(&in);
	}
	if (wk_elf_is_unlinked(elf) && raw->section < elf->section_count &&
	    raw->section < SHN_LORESERVE)
		raw->vaddr += elf->sections[raw->section].vaddr;
	raw->table = (uint8_t)table;
	raw->binding = info >> 4;
	raw->type = info & 0xf;
	raw->is_plt = raw->is_old = false;
	if (table == WK_OBJ_DYNSYM) {
		in = wk_bytes_at(&tables->versions, index * 2, 2);
		raw->is_old = wk_u16(&in) & VERSION_HIDDEN;
	}
	return true;
}

static bool in_code(const struct wk_obj *elf, const struct wk_obj_raw *raw)
{
	if (elf->section_count > 0) {
		const struct wk_obj_section *s;

		if (raw->section >= elf->section_count)
			return false;
		s = &elf->sections[raw->section];
		return s->flags & WK_SHF_EXECINSTR && raw->vaddr - s->vaddr < s->size_bytes;
	}
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct wk_obj_segment *s = &elf->segments[i];

		if (s->type == WK_PT_LOAD && s->flags & WK_PF_X &&
		    raw->vaddr - s->vaddr < s->file_size)
			return true;
	}
	return false;
}

/* ARM assemblers mark the start of code and data ($a, $d, $x), and GCC's annobin plugin marks every
 * file (.annobin_...): these labels are not functions. */
static bool is_marker(const struct wk_obj_tables *tables, const struct wk_obj_raw *raw)
{
	struct wk_bytes at = wk_bytes_at(&tables->names[raw->table], raw->name, 1);
	uint8_t first = wk_u8(&at);

	return first == 0 || first == '$' || first == '.';
}

static bool is_function(const struct wk_obj *elf, const struct wk_obj_tables *tables,
			const struct wk_obj_raw *raw)
{
	if (raw->section == 0 || raw->name == 0)
		return false;
	if (raw->section >= SHN_LORESERVE && raw->section != SHN_XINDEX)
		return false;
	if (raw->type == WK_STT_FUNC || raw->type == WK_STT_GNU_IFUNC)
		return true;
	return raw->type == WK_STT_NOTYPE && in_code(elf, raw) && !is_marker(tables, raw);
}

void wk_elf_each_raw(const struct wk_obj *elf, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context)
{
	for (enum wk_obj_table table = 0; table < WK_OBJ_TABLES; table++) {
		struct wk_obj_raw raw;

		for (uint64_t i = 1; wk_obj_raw_at(elf, tables, table, i, &raw); i++) {
			if (!is_function(elf, tables, &raw))
				continue;
			/* The lowest bit of a function's address means "Thumb code". */
			if (elf->machine_code == WK_EM_ARM && raw.type == WK_STT_FUNC)
				raw.vaddr &= ~1ull;
			if (!take(context, &raw))
				return;
		}
	}
	wk_elf_each_plt(elf, tables, take, context);
}

/* A tag that is missing has the address 0. */
static struct wk_bytes from_vaddr(const struct wk_obj *elf, uint64_t vaddr)
{
	return vaddr ? wk_obj_bytes_from(elf, vaddr) : wk_obj_bytes(elf, NULL);
}

/* DT_HASH: buckets, chains; there is one chain entry a symbol. */
static uint64_t count_by_hash(struct wk_bytes hash)
{
	wk_u32(&hash);
	return wk_u32(&hash);
}

/* DT_GNU_HASH does not store the number of symbols: the last one ends the chain that starts at the
 * highest bucket, and the lowest bit marks that end. */
static uint64_t count_by_gnu_hash(const struct wk_obj *elf, struct wk_bytes hash)
{
	uint32_t buckets = wk_u32(&hash), first = wk_u32(&hash), bloom = wk_u32(&hash);
	uint64_t last = 0;

	wk_u32(&hash); /* bloom shift */
	wk_bytes_skip(&hash, (uint64_t)bloom * (elf->is_64 ? 8 : 4));
	for (uint32_t i = 0; i < buckets && !hash.bad; i++) {
		uint32_t bucket = wk_u32(&hash);

		last = bucket > last ? bucket : last;
	}
	if (hash.bad || last < first)
		return first;
	wk_bytes_skip(&hash, (last - first) * 4);
	while (!hash.bad && !(wk_u32(&hash) & 1))
		last++;
	return last + 1;
}

static const struct wk_obj_segment *dynamic_segment(const struct wk_obj *elf)
{
	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == WK_PT_DYNAMIC)
			return &elf->segments[i];
	return NULL;
}

static void cut(struct wk_bytes *bytes, uint64_t len)
{
	if (len < wk_bytes_left(bytes))
		bytes->end = bytes->at + len;
}

static void tables_by_dynamic(const struct wk_obj *elf, struct wk_obj_tables *tables)
{
	const struct wk_obj_segment *segment = dynamic_segment(elf);
	uint64_t symbols = 0, names = 0, names_size = 0, hash = 0, gnu_hash = 0, versions = 0,
		 count;
	struct wk_bytes in, at;

	if (!segment)
		return;
	in = wk_obj_segment_bytes(elf, segment);
	while (wk_bytes_left(&in) > 0) {
		uint64_t tag = wk_obj_word(elf, &in), value = wk_obj_word(elf, &in);

		if (tag == 0)
			break;
		symbols = tag == DT_SYMTAB ? value : symbols;
		names = tag == DT_STRTAB ? value : names;
		names_size = tag == DT_STRSZ ? value : names_size;
		hash = tag == DT_HASH ? value : hash;
		gnu_hash = tag == DT_GNU_HASH ? value : gnu_hash;
		versions = tag == DT_VERSYM ? value : versions;
	}
	if (hash != 0)
		count = count_by_hash(from_vaddr(elf, hash));
	else
		count = count_by_gnu_hash(elf, from_vaddr(elf, gnu_hash));
	at = from_vaddr(elf, symbols);
	cut(&at, count * symbol_bytes(elf));
	tables->symbols[WK_OBJ_DYNSYM] = at;
	at = from_vaddr(elf, names);
	cut(&at, names_size);
	tables->names[WK_OBJ_DYNSYM] = at;
	at = from_vaddr(elf, versions);
	cut(&at, count * 2);
	tables->versions = at;
}

/* The value of the first entry from `in` on with this tag; 0 if there is none. */
static uint64_t dynamic_value(const struct wk_obj *elf, struct wk_bytes *in, uint64_t wanted)
{
	while (wk_bytes_left(in) > 0) {
		uint64_t tag = wk_obj_word(elf, in), value = wk_obj_word(elf, in);

		if (tag == wanted)
			return value;
		if (tag == 0)
			break;
	}
	return 0;
}

bool wk_elf_needs(const struct wk_obj *elf, const char *library)
{
	const struct wk_obj_segment *segment = dynamic_segment(elf);
	struct wk_bytes entries, names, in;
	size_t len = strlen(library);
	uint64_t name;

	if (!segment)
		return false;
	entries = in = wk_obj_segment_bytes(elf, segment);
	names = from_vaddr(elf, dynamic_value(elf, &in, DT_STRTAB));
	names.start = names.at;
	while ((name = dynamic_value(elf, &entries, DT_NEEDED)) != 0)
		if (wk_str_is(wk_obj_text(&names, name, len), library))
			return true;
	return false;
}

static void table_by_section(const struct wk_obj *elf, uint32_t type, struct wk_bytes *symbols,
			     struct wk_bytes *names)
{
	for (uint32_t i = 0; i < elf->section_count; i++) {
		const struct wk_obj_section *s = &elf->sections[i];

		if (s->type != type)
			continue;
		*symbols = wk_obj_bytes(elf, s);
		if (s->link < elf->section_count)
			*names = wk_obj_bytes(elf, &elf->sections[s->link]);
		return;
	}
}

struct wk_obj_tables wk_elf_tables(const struct wk_obj *elf)
{
	struct wk_bytes none = wk_obj_bytes(elf, NULL);
	struct wk_obj_tables t = {
		.symbols = { none, none }, .names = { none, none }, .versions = none };
	struct wk_bytes ignored;

	table_by_section(elf, WK_SHT_SYMTAB, &t.symbols[WK_OBJ_SYMTAB], &t.names[WK_OBJ_SYMTAB]);
	table_by_section(elf, WK_SHT_DYNSYM, &t.symbols[WK_OBJ_DYNSYM], &t.names[WK_OBJ_DYNSYM]);
	table_by_section(elf, WK_SHT_GNU_VERSYM, &t.versions, &ignored);
	if (elf->section_count == 0)
		tables_by_dynamic(elf, &t);
	return t;
}
