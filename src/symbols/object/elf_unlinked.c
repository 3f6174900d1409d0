#include "symbols/object/elf_unlinked.h"

#include "symbols/object/object_symbols.h"

/* No code is larger than the addresses below it. */
#define FIRST_ADDRESS (1ull << 32)

/* Sections are that far apart, so that one that is walked past its end does not reach the next. */
#define GAP_BYTES 4096

/* Sizes are claims: no compiler makes a section of so much code. */
#define MOST_BYTES (1ull << 32)

/* An entry of a RELA section in a 64-bit file: offset, type and symbol, addend. */
#define RELA_BYTES 24

/* The relocations of debug information that say an address or an offset as it is. */
enum {
	R_X86_64_64 = 1,
	R_X86_64_32 = 10,
	R_X86_64_32S = 11,
	R_AARCH64_ABS64 = 257,
	R_AARCH64_ABS32 = 258,
};

static bool is_code(const struct wk_obj_section *section)
{
	return section->flags & WK_SHF_ALLOC && section->flags & WK_SHF_EXECINSTR &&
	       section->size_bytes > 0 && section->size_bytes <= MOST_BYTES;
}

void wk_elf_lay_out(struct wk_obj *elf)
{
	uint64_t at = FIRST_ADDRESS;

	for (uint32_t i = 0; i < elf->section_count; i++) {
		struct wk_obj_section *section = &elf->sections[i];

		section->vaddr = 0;
		if (!is_code(section))
			continue;
		section->vaddr = at;
		at += (section->size_bytes + 2 * GAP_BYTES - 1) / GAP_BYTES * GAP_BYTES;
	}
}

/* Addresses rise with the sections' numbers, but those without code have none. */
const struct wk_obj_section *wk_elf_code_at(const struct wk_obj *elf, uint64_t vaddr)
{
	for (uint32_t i = 0; i < elf->section_count; i++) {
		const struct wk_obj_section *section = &elf->sections[i];

		if (is_code(section) && vaddr - section->vaddr < section->size_bytes)
			return section;
	}
	return NULL;
}

const struct wk_obj_section *wk_elf_code_with(const struct wk_obj *elf, uint64_t offset)
{
	for (uint32_t i = 0; i < elf->section_count; i++)
		if (is_code(&elf->sections[i]) && offset < elf->sections[i].size_bytes)
			return &elf->sections[i];
	return NULL;
}

uint32_t wk_elf_code_count(const struct wk_obj *elf, uint64_t offset)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < elf->section_count; i++)
		count += is_code(&elf->sections[i]) && offset < elf->sections[i].size_bytes;
	return count;
}

bool wk_elf_can_relocate(const struct wk_obj *elf)
{
	return elf->is_64 &&
	       (elf->machine == WK_MACHINE_X86_64 || elf->machine == WK_MACHINE_AARCH64);
}

/* How many bytes a relocation of this type writes; 0 for all other types. */
static unsigned width_of(enum wk_machine machine, uint32_t type)
{
	bool is_x86 = machine == WK_MACHINE_X86_64;

	switch (type) {
	case R_X86_64_64:
		return is_x86 ? 8 : 0;
	case R_X86_64_32:
	case R_X86_64_32S:
		return is_x86 ? 4 : 0;
	case R_AARCH64_ABS64:
		return is_x86 ? 0 : 8;
	case R_AARCH64_ABS32:
		return is_x86 ? 0 : 4;
	default:
		return 0;
	}
}

struct patch {
	const struct wk_obj *elf;
	struct wk_obj_tables tables;
	struct wk_buf *plain;
};

/* A symbol in no section of this file stays 0, and so does one in a section without an address: the
 * start of another section of debug information. */
static void apply(const struct patch *patch, struct wk_bytes *in)
{
	uint64_t offset = wk_u64(in);
	uint32_t type = wk_u32(in), number = wk_u32(in);
	uint64_t value = wk_u64(in);
	unsigned width = width_of(patch->elf->machine, type);
	struct wk_obj_raw symbol;

	if (width == 0 || offset > patch->plain->len || patch->plain->len - offset < width ||
	    !wk_obj_raw_at(patch->elf, &patch->tables, WK_OBJ_SYMTAB, number, &symbol))
		return;
	value += symbol.vaddr;
	for (unsigned i = 0; i < width; i++)
		patch->plain->at[offset + i] = (char)(value >> 8 * i);
}

static bool is_for(const struct wk_obj *elf, const struct wk_obj_section *rela,
		   const struct wk_obj_section *section)
{
	return rela->type == WK_SHT_RELA && rela->info < elf->section_count &&
	       &elf->sections[rela->info] == section && rela->link < elf->section_count &&
	       elf->sections[rela->link].type == WK_SHT_SYMTAB;
}

static void begin(struct patch *patch, const struct wk_bytes *bytes)
{
	if (patch->plain->len == 0)
		wk_buf_add(patch->plain, bytes->at, wk_bytes_left(bytes));
	patch->tables = wk_obj_tables(patch->elf);
}

/* Any number of sections may claim to be for this one and to be the whole file: no more is read
 * than the file has. */
void wk_elf_relocate(const struct wk_obj *elf, const struct wk_obj_section *section,
		     struct wk_buf *plain, struct wk_bytes *bytes)
{
	struct patch patch = { .elf = elf, .plain = plain };
	uint64_t budget = elf->size_bytes;
	bool has_begun = false, big_endian = bytes->big_endian;

	if (!section || !wk_elf_is_unlinked(elf) || !wk_elf_can_relocate(elf))
		return;
	for (uint32_t i = 0; i < elf->section_count; i++) {
		struct wk_bytes in = wk_obj_bytes(elf, &elf->sections[i]);

		if (!is_for(elf, &elf->sections[i], section) || wk_bytes_left(&in) > budget)
			continue;
		budget -= wk_bytes_left(&in);
		if (!has_begun)
			begin(&patch, bytes);
		has_begun = true;
		while (wk_bytes_left(&in) >= RELA_BYTES)
			apply(&patch, &in);
	}
	if (!has_begun)
		return;
	*bytes = wk_bytes_of(wk_buf_text(plain), plain->len);
	bytes->big_endian = big_endian;
}
