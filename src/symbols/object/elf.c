#include <inttypes.h>

#include "base/mem.h"
#include "symbols/object/elf_unlinked.h"
#include "symbols/object/object_kinds.h"

/* e_phnum, e_shnum and e_shstrndx values too large for 16 bits are stored in section 0; the header
 * then contains these markers. */
#define PHNUM_IN_SECTION_0    0xffff
#define SHSTRNDX_IN_SECTION_0 0xffff

/* Programs have a dozen segments, and each address is looked for among them one by one. Linux
 * loads no program with more than 64 KiB of program headers. */
#define MAX_SEGMENTS 1170

/* Sections may share the bytes of one endless name: bound what is read of each. */
#define MAX_SECTION_NAME 256

#define NOTE_GNU_BUILD_ID 3

struct header {
	uint64_t segments_at, sections_at;
	uint32_t segment_size, section_size; /* bytes an entry */
	uint64_t segment_count, section_count;
	uint32_t names_section;
};

enum wk_machine wk_elf_machine(uint16_t code)
{
	switch (code) {
	case WK_EM_X86_64:
		return WK_MACHINE_X86_64;
	case WK_EM_AARCH64:
		return WK_MACHINE_AARCH64;
	case WK_EM_386:
		return WK_MACHINE_X86;
	case WK_EM_ARM:
		return WK_MACHINE_ARM;
	default:
		return WK_MACHINE_UNKNOWN;
	}
}

static bool read_ident(struct wk_obj *elf, struct wk_bytes *in, struct wk_err *err)
{
	uint32_t magic = wk_u32le(in);
	uint8_t class = wk_u8(in), order = wk_u8(in);

	if (in->bad || magic != 0x464c457f)
		return wk_fail(err, WK_EFORMAT, 0,
			       "not an ELF file, nor one of Windows (PE, PDB): it begins as "
			       "none of them");
	if (class != 1 && class != 2)
		return wk_fail(err, WK_ECORRUPT, 4, "ELF class is %u, expected 1 or 2", class);
	if (order != 1 && order != 2)
		return wk_fail(err, WK_ECORRUPT, 5, "ELF byte order is %u, expected 1 or 2", order);
	elf->is_64 = class == 2;
	elf->big_endian = in->big_endian = order == 2;
	wk_bytes_skip(in, 10);
	return true;
}

static bool read_header(struct wk_obj *elf, struct header *head, struct wk_err *err)
{
	struct wk_bytes in = wk_obj_whole(elf);

	if (!read_ident(elf, &in, err))
		return false;
	elf->type = wk_u16(&in);
	elf->machine_code = wk_u16(&in);
	if (!elf->big_endian)
		elf->machine = wk_elf_machine(elf->machine_code);
	wk_u32(&in); /* e_version */
	elf->entry = wk_obj_word(elf, &in);
	head->segments_at = wk_obj_word(elf, &in);
	head->sections_at = wk_obj_word(elf, &in);
	wk_u32(&in); /* e_flags */
	wk_u16(&in); /* e_ehsize */
	head->segment_size = wk_u16(&in);
	head->segment_count = wk_u16(&in);
	head->section_size = wk_u16(&in);
	head->section_count = wk_u16(&in);
	head->names_section = wk_u16(&in);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, elf->size_bytes,
			       "the file ends inside its ELF header, at %zu bytes",
			       elf->size_bytes);
	return true;
}

static struct wk_obj_section read_section(const struct wk_obj *elf, struct wk_bytes in,
					  uint32_t *name)
{
	struct wk_obj_section s = { 0 };

	*name = wk_u32(&in);
	s.type = wk_u32(&in);
	s.flags = wk_obj_word(elf, &in);
	s.vaddr = wk_obj_word(elf, &in);
	s.offset = wk_obj_word(elf, &in);
	s.size_bytes = wk_obj_word(elf, &in);
	s.link = wk_u32(&in);
	s.info = wk_u32(&in);
	wk_obj_word(elf, &in); /* sh_addralign */
	s.entry_size = wk_obj_word(elf, &in);
	return s;
}

/* Numbers that did not fit the header. A file without a section 0 has no such numbers. */
static void read_large_counts(const struct wk_obj *elf, struct header *head)
{
	struct wk_bytes file = wk_obj_whole(elf);
	struct wk_bytes first = wk_bytes_at(&file, head->sections_at, elf->is_64 ? 64 : 40);
	struct wk_obj_section zero;
	uint32_t name;

	if (head->sections_at == 0 || first.bad)
		return;
	zero = read_section(elf, first, &name);
	if (head->section_count == 0)
		head->section_count = zero.size_bytes;
	if (head->segment_count == PHNUM_IN_SECTION_0 && zero.info > 0)
		head->segment_count = zero.info;
	if (head->names_section == SHSTRNDX_IN_SECTION_0)
		head->names_section = zero.link;
}

static bool table_fits(const struct wk_obj *elf, uint64_t at, uint64_t count, uint32_t entry_size)
{
	return at <= elf->size_bytes && count <= (elf->size_bytes - at) / entry_size;
}

static struct wk_obj_segment read_segment(const struct wk_obj *elf, struct wk_bytes in)
{
	struct wk_obj_segment s = { .type = wk_u32(&in) };

	if (elf->is_64)
		s.flags = wk_u32(&in);
	s.offset = wk_obj_word(elf, &in);
	s.vaddr = wk_obj_word(elf, &in);
	wk_obj_word(elf, &in); /* p_paddr */
	s.file_size = wk_obj_word(elf, &in);
	s.memory_size = wk_obj_word(elf, &in);
	if (!elf->is_64)
		s.flags = wk_u32(&in);
	return s;
}

static bool read_segments(struct wk_obj *elf, const struct header *head, struct wk_err *err)
{
	struct wk_bytes file = wk_obj_whole(elf);

	if (head->segment_count == 0)
		return true;
	if (head->segment_size < (elf->is_64 ? 56 : 32))
		return wk_fail(err, WK_ECORRUPT, 0, "program headers of %u bytes are too short",
			       head->segment_size);
	if (head->segment_count > MAX_SEGMENTS ||
	    !table_fits(elf, head->segments_at, head->segment_count, head->segment_size))
		return wk_fail(err, WK_ECORRUPT, head->segments_at,
			       "%" PRIu64 " program headers do not fit into a file of %zu bytes",
			       head->segment_count, elf->size_bytes);
	elf->segment_count = (uint32_t)head->segment_count;
	elf->segments = wk_alloc_zeroed(elf->segment_count, sizeof(*elf->segments));
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		uint64_t at = head->segments_at + (uint64_t)i * head->segment_size;

		elf->segments[i] = read_segment(elf, wk_bytes_at(&file, at, head->segment_size));
	}
	return true;
}

/* A program runs without section headers, so broken ones only mean that there are none. */
static void read_sections(struct wk_obj *elf, const struct header *head)
{
	struct wk_bytes file = wk_obj_whole(elf), names;
	uint32_t *name_at;

	if (head->sections_at == 0 || head->section_count == 0 ||
	    head->section_size < (elf->is_64 ? 64 : 40) || head->section_count > UINT32_MAX ||
	    !table_fits(elf, head->sections_at, head->section_count, head->section_size))
		return;
	elf->section_count = (uint32_t)head->section_count;
	elf->sections = wk_alloc_zeroed(elf->section_count, sizeof(*elf->sections));
	name_at = wk_alloc_zeroed(elf->section_count, sizeof(*name_at));
	for (uint32_t i = 0; i < elf->section_count; i++) {
		uint64_t at = head->sections_at + (uint64_t)i * head->section_size;

		elf->sections[i] =
			read_section(elf, wk_bytes_at(&file, at, head->section_size), &name_at[i]);
	}
	if (head->names_section < elf->section_count) {
		names = wk_obj_bytes(elf, &elf->sections[head->names_section]);
		for (uint32_t i = 0; i < elf->section_count; i++)
			elf->sections[i].name = wk_obj_text(&names, name_at[i], MAX_SECTION_NAME);
	}
	wk_free(name_at);
}

/* Notes are name size, description size, type, name, description; both padded to four. */
static bool find_build_id(struct wk_bytes notes, struct wk_build_id *id)
{
	while (wk_bytes_left(&notes) >= 12) {
		uint32_t name_size = wk_u32(&notes), size = wk_u32(&notes), type = wk_u32(&notes);
		struct wk_bytes name = wk_bytes_slice(&notes, ((uint64_t)name_size + 3) & ~3ull);
		struct wk_bytes text = wk_bytes_slice(&notes, size);

		if (text.bad || name.bad)
			return false;
		if (type == NOTE_GNU_BUILD_ID && name_size == 4 && memcmp(name.at, "GNU", 4) == 0 &&
		    size > 0) {
			id->size = size < sizeof(id->bytes) ? (uint8_t)size : sizeof(id->bytes);
			memcpy(id->bytes, text.at, id->size);
			return true;
		}
		wk_bytes_skip(&notes, -size & 3);
	}
	return false;
}

/* Program headers first: the kernel and perf get their ids from there. Damaged sections may all
 * claim the same bytes, so no more is read than the file has. */
static void read_build_id(struct wk_obj *elf)
{
	uint64_t budget = elf->size_bytes;

	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == WK_PT_NOTE &&
		    find_build_id(wk_obj_segment_bytes(elf, &elf->segments[i]), &elf->build_id))
			return;
	for (uint32_t i = 0; i < elf->section_count; i++) {
		const struct wk_obj_section *s = &elf->sections[i];

		if (s->type != WK_SHT_NOTE || s->size_bytes > budget)
			continue;
		budget -= s->size_bytes;
		if (find_build_id(wk_obj_bytes(elf, s), &elf->build_id))
			return;
	}
}

bool wk_elf_read(struct wk_obj *elf, struct wk_err *err)
{
	struct header head = { 0 };

	if (!read_header(elf, &head, err))
		return false;
	read_large_counts(elf, &head);
	if (!read_segments(elf, &head, err))
		return false;
	read_sections(elf, &head);
	if (wk_elf_is_unlinked(elf))
		wk_elf_lay_out(elf);
	read_build_id(elf);
	return true;
}
