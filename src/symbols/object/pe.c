#include "symbols/object/pe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "symbols/object/object_kinds.h"

/* Windows loads no image with more than 96 sections. */
#define MAX_SECTIONS 2048

/* Sections may share the bytes of one endless name: bound what is read of each. */
#define MAX_SECTION_NAME 256

#define MAX_PATH_BYTES 4096

#define SYMBOL_BYTES 18

static const struct {
	uint16_t pe, elf;
} machines[] = {
	{ 0x8664, WK_EM_X86_64 },
	{ 0xaa64, WK_EM_AARCH64 },
	{ 0x14c, WK_EM_386 },
	{ 0x1c4, WK_EM_ARM },
};

enum {
	IS_DLL = 0x2000,

	HAS_CODE = 0x20,
	MAY_EXECUTE = 0x20000000,
	MAY_READ = 0x40000000,
	MAY_WRITE = 0x80000000,

	DEBUG_CODEVIEW = 2,
};

struct header {
	uint32_t section_count, symbols_at, symbol_count, head_bytes;
	uint16_t flags;
	uint64_t sections_at;
};

static void set_machine(struct wk_obj *pe, uint16_t code)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].pe == code)
			pe->machine_code = machines[i].elf;
	pe->machine = wk_elf_machine(pe->machine_code);
}

static void read_directories(struct wk_pe *pe, struct wk_bytes *in)
{
	uint32_t count = wk_u32le(in);

	for (uint32_t i = 0; i < count && i < WK_PE_DIRECTORIES; i++) {
		uint32_t rva = wk_u32le(in), size_bytes = wk_u32le(in);

		if (!in->bad)
			pe->directories[i] = (struct wk_pe_range){ rva, size_bytes };
	}
}

static bool read_optional(struct wk_obj *pe, struct wk_bytes in, struct header *head,
			  struct wk_err *err)
{
	uint64_t at = wk_bytes_offset(&in);
	uint16_t magic = wk_u16le(&in);

	if (magic != 0x10b && magic != 0x20b)
		return wk_fail(err, WK_EUNSUPPORTED, at,
			       "the optional header's magic is 0x%x, expected 0x10b (32 bits) or "
			       "0x20b (64 bits)",
			       magic);
	pe->is_64 = magic == 0x20b;
	pe->pe->linker_version = wk_u8(&in);
	wk_bytes_skip(&in, 13); /* the version's second number, sizes */
	pe->entry = wk_u32le(&in);
	wk_u32le(&in); /* BaseOfCode */
	if (!pe->is_64)
		wk_u32le(&in); /* BaseOfData */
	pe->image_base = wk_obj_word(pe, &in);
	wk_bytes_skip(&in, 24); /* alignments, versions, a reserved word */
	pe->pe->image_bytes = wk_u32le(&in);
	head->head_bytes = wk_u32le(&in);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, at,
			       "the optional header ends before it tells the image's size");
	wk_bytes_skip(&in, pe->is_64 ? 44 : 28); /* sums, flags, sizes of stack and heap */
	read_directories(pe->pe, &in);
	return true;
}

static bool read_header(struct wk_obj *pe, struct header *head, struct wk_err *err)
{
	struct wk_bytes file = wk_obj_whole(pe), in = wk_bytes_at(&file, 0x3c, 4);
	uint32_t at = wk_u32le(&in);
	uint16_t optional_bytes;

	in = wk_bytes_at(&file, at, 24);
	if (wk_u32le(&in) != 0x4550 || in.bad)
		return wk_fail(err, WK_EFORMAT, at,
			       "a program for DOS and not for Windows: it begins with MZ and has "
			       "no PE header");
	set_machine(pe, wk_u16le(&in));
	head->section_count = wk_u16le(&in);
	pe->pe->time_stamp = wk_u32le(&in);
	head->symbols_at = wk_u32le(&in);
	head->symbol_count = wk_u32le(&in);
	optional_bytes = wk_u16le(&in);
	head->flags = wk_u16le(&in);
	pe->type = head->flags & IS_DLL ? WK_ET_DYN : WK_ET_EXEC;
	head->sections_at = (uint64_t)at + 24 + optional_bytes;
	in = wk_bytes_at(&file, (uint64_t)at + 24, optional_bytes);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, pe->size_bytes,
			       "the file ends inside its PE headers, at %zu bytes", pe->size_bytes);
	return read_optional(pe, in, head, err);
}

/* The strings follow the symbols and begin with their size. Either may be cut off. */
static void find_symbols(struct wk_obj *pe, const struct header *head)
{
	struct wk_bytes file = wk_obj_whole(pe), none = wk_bytes_at(&file, 0, 0), size;
	uint64_t symbol_bytes = (uint64_t)head->symbol_count * SYMBOL_BYTES, at = head->symbols_at;
	uint64_t left = at < pe->size_bytes ? pe->size_bytes - at : 0, all;

	pe->pe->symbols = pe->pe->names = none;
	if (at == 0 || left == 0)
		return;
	if (symbol_bytes > left)
		symbol_bytes = left / SYMBOL_BYTES * SYMBOL_BYTES;
	size = wk_bytes_at(&file, at + symbol_bytes, 4);
	all = symbol_bytes + wk_u32le(&size);
	if (all > left)
		all = left;
	if (all > UINT32_MAX)
		all = UINT32_MAX;
	pe->pe->symbols = wk_bytes_at(&file, at, symbol_bytes);
	pe->pe->names = wk_bytes_at(&file, at, all);
	pe->pe->symbols.start = pe->pe->symbols.at;
	pe->pe->names.start = pe->pe->names.at;
}

/* "//AAAAAB": an offset that has more than seven decimal digits. */
static bool read_base64(struct wk_str text, uint64_t *offset)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	*offset = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char *digit = memchr(digits, text.at[i], sizeof(digits) - 1);

		if (!digit)
			return false;
		*offset = *offset << 6 | (uint64_t)(digit - digits);
	}
	return text.len > 0;
}

/* Eight bytes, or "/12": an offset in the string table. Without a string table it stays as it
 * is. */
static struct wk_str section_name(const struct wk_pe *pe, struct wk_bytes in)
{
	const char *at = (const char *)in.at;
	struct wk_str name = wk_str_of(at, strnlen(at, 8)), full = { "", 0 };
	uint64_t offset, symbol_bytes = wk_bytes_left(&pe->symbols);
	bool is_far = wk_str_starts(name, "//") ? read_base64(wk_str_skip(name, 2), &offset)
						: wk_str_starts(name, "/") &&
							  wk_num_u64(wk_str_skip(name, 1), &offset);

	if (is_far && offset >= 4 && offset < UINT32_MAX)
		full = wk_obj_text(&pe->names, symbol_bytes + offset, MAX_SECTION_NAME);
	return full.len ? full : name;
}

/* Sections are filled up to a multiple of some size in the file, and with zeros in memory. */
static struct wk_obj_section read_section(const struct wk_pe *pe, struct wk_bytes in,
					  struct wk_obj_segment *segment)
{
	struct wk_obj_section s = { .type = WK_SHT_PROGBITS, .flags = WK_SHF_ALLOC };
	uint32_t memory_bytes, file_bytes, flags;

	s.name = section_name(pe, in);
	wk_bytes_skip(&in, 8);
	memory_bytes = wk_u32le(&in);
	s.vaddr = wk_u32le(&in);
	file_bytes = wk_u32le(&in);
	s.offset = wk_u32le(&in);
	wk_bytes_skip(&in, 12); /* relocations, line numbers */
	flags = wk_u32le(&in);
	if (memory_bytes == 0)
		memory_bytes = file_bytes;
	s.size_bytes = file_bytes && file_bytes < memory_bytes ? file_bytes : memory_bytes;
	if (file_bytes == 0)
		s.type = WK_SHT_NOBITS;
	s.flags |= flags & MAY_WRITE ? 1 : 0;
	s.flags |= flags & (MAY_EXECUTE | HAS_CODE) ? WK_SHF_EXECINSTR : 0;
	*segment = (struct wk_obj_segment){
		.type = WK_PT_LOAD,
		.flags = (flags & MAY_EXECUTE ? WK_PF_X : 0) | (flags & MAY_WRITE ? WK_PF_W : 0) |
			 (flags & MAY_READ ? WK_PF_R : 0),
		.offset = s.offset,
		.vaddr = s.vaddr,
		.file_size = file_bytes,
		.memory_size = memory_bytes > file_bytes ? memory_bytes : file_bytes,
	};
	return s;
}

static bool read_sections(struct wk_obj *pe, const struct header *head, struct wk_err *err)
{
	struct wk_bytes file = wk_obj_whole(pe);
	uint32_t count = head->section_count;

	if (count > MAX_SECTIONS)
		return wk_fail(err, WK_ECORRUPT, head->sections_at,
			       "%" PRIu32 " sections, more than any image has", count);
	if (wk_bytes_at(&file, head->sections_at, (uint64_t)count * 40).bad)
		return wk_fail(err, WK_ECORRUPT, head->sections_at,
			       "%" PRIu32 " section headers do not fit into a file of %zu bytes",
			       count, pe->size_bytes);
	pe->section_count = pe->segment_count = count + 1;
	pe->sections = wk_alloc_zeroed(pe->section_count, sizeof(*pe->sections));
	pe->segments = wk_alloc_zeroed(pe->segment_count, sizeof(*pe->segments));
	pe->sections[0].name = wk_str_c("");
	pe->segments[0] = (struct wk_obj_segment){
		.type = WK_PT_LOAD,
		.flags = WK_PF_R,
		.file_size = head->head_bytes,
		.memory_size = head->head_bytes,
	};
	for (uint32_t i = 1; i <= count; i++)
		pe->sections[i] = read_section(
			pe->pe, wk_bytes_at(&file, head->sections_at + (i - 1) * 40ull, 40),
			&pe->segments[i]);
	return true;
}

/* Removes the part of a segment that the file does not have. */
static void sort_segments(struct wk_obj *pe)
{
	struct wk_pe *own = pe->pe;

	own->by_rva = wk_alloc_zeroed(pe->segment_count, sizeof(*own->by_rva));
	for (uint32_t i = 0; i < pe->segment_count; i++) {
		struct wk_obj_segment *s = &pe->segments[i];

		if (s->offset >= pe->size_bytes)
			s->file_size = 0;
		else if (s->file_size > pe->size_bytes - s->offset)
			s->file_size = pe->size_bytes - s->offset;
		if (s->file_size > 0)
			own->by_rva[own->by_rva_count++] = (struct wk_sort_key){ s->vaddr, i };
	}
	wk_sort_keys(own->by_rva, own->by_rva_count);
}

/* The number of the last segment that begins at or before an RVA; false if there is none. Windows
 * loads no image whose sections overlap. */
static bool segment_up_to(const struct wk_pe *pe, uint64_t rva, uint32_t *number)
{
	size_t count = wk_sorted_up_to(pe->by_rva, pe->by_rva_count, sizeof(*pe->by_rva),
				       offsetof(struct wk_sort_key, key), rva);

	if (count == 0)
		return false;
	*number = pe->by_rva[count - 1].row;
	return true;
}

struct wk_bytes wk_pe_at(const struct wk_obj *pe, uint64_t rva)
{
	struct wk_bytes in = wk_obj_bytes(pe, NULL);
	uint32_t number;

	if (!segment_up_to(pe->pe, rva, &number))
		return in;
	in = wk_obj_segment_bytes(pe, &pe->segments[number]);
	wk_bytes_skip(&in, rva - pe->segments[number].vaddr);
	in.start = in.at;
	in.bad = false;
	return in;
}

/* A segment and its section have the same number. */
const struct wk_obj_section *wk_pe_code_at(const struct wk_obj *pe, uint64_t rva)
{
	const struct wk_obj_section *section;
	uint32_t number;

	if (!segment_up_to(pe->pe, rva, &number))
		return NULL;
	section = &pe->sections[number];
	return section->flags & WK_SHF_EXECINSTR && rva - section->vaddr < section->size_bytes
		       ? section
		       : NULL;
}

bool wk_pe_has_symbols(const struct wk_obj *pe)
{
	return wk_bytes_left(&pe->pe->symbols) > 0;
}

/* "RSDS", GUID, age, path; or, before 2000, "NB10", an offset, the time, age, path. */
static bool read_codeview(struct wk_pe *pe, struct wk_bytes in)
{
	struct wk_bytes magic = wk_bytes_slice(&in, 4), guid;
	size_t most;

	if (magic.bad)
		return false;
	if (memcmp(magic.at, "RSDS", 4) == 0) {
		guid = wk_bytes_slice(&in, sizeof(pe->pdb.guid));
		if (!guid.bad)
			memcpy(pe->pdb.guid, guid.at, sizeof(pe->pdb.guid));
	} else if (memcmp(magic.at, "NB10", 4) == 0) {
		wk_u32le(&in);
		pe->pdb.signature = wk_u32le(&in);
	} else {
		return false;
	}
	pe->pdb.age = wk_u32le(&in);
	if (in.bad) {
		pe->pdb = (struct wk_pdb_id){ 0 };
		return false;
	}
	most = wk_bytes_left(&in) < MAX_PATH_BYTES ? wk_bytes_left(&in) : MAX_PATH_BYTES;
	pe->pdb_path.at = (const char *)in.at;
	pe->pdb_path.len = most ? strnlen(pe->pdb_path.at, most) : 0;
	return true;
}

/* By file offset or, if there are no bytes, as in a file stripped of its code, by address. */
static bool read_entry(struct wk_obj *pe, struct wk_bytes *in)
{
	struct wk_bytes file = wk_obj_whole(pe), record;
	uint32_t type, size_bytes, rva, offset;

	wk_bytes_skip(in, 12); /* flags, time, version */
	type = wk_u32le(in);
	size_bytes = wk_u32le(in);
	rva = wk_u32le(in);
	offset = wk_u32le(in);
	if (in->bad || type != DEBUG_CODEVIEW)
		return false;
	if (offset != 0 && read_codeview(pe->pe, wk_bytes_at(&file, offset, size_bytes)))
		return true;
	record = wk_pe_at(pe, rva);
	if (size_bytes < wk_bytes_left(&record))
		record.end = record.at + size_bytes;
	return read_codeview(pe->pe, record);
}

/* The first entry that describes a PDB: images have others, about how they were built. */
static void read_identity(struct wk_obj *pe)
{
	const struct wk_pe_range *range = &pe->pe->directories[WK_PE_DEBUG];
	struct wk_bytes in = wk_pe_at(pe, range->rva);

	if (range->size_bytes < wk_bytes_left(&in))
		in.end = in.at + range->size_bytes;
	while (wk_bytes_left(&in) >= 28)
		if (read_entry(pe, &in))
			break;
	pe->build_id = wk_pdb_id_as_build_id(&pe->pe->pdb);
}

bool wk_pe_read(struct wk_obj *pe, struct wk_err *err)
{
	struct header head = { 0 };

	pe->kind = WK_OBJ_PE;
	pe->pe = wk_alloc_zeroed(1, sizeof(*pe->pe));
	pe->pe->pdb_path = wk_str_c("");
	if (!read_header(pe, &head, err))
		return false;
	find_symbols(pe, &head);
	if (!read_sections(pe, &head, err))
		return false;
	sort_segments(pe);
	read_identity(pe);
	wk_pe_read_exports(pe);
	return true;
}

void wk_pe_free(struct wk_pe *pe)
{
	if (!pe)
		return;
	WK_FREE_ALL(pe->exports, pe->by_rva);
	wk_buf_fini(&pe->made);
	wk_free(pe);
}
