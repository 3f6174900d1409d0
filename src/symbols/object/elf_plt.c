#include "symbols/object/object_symbols.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"

/* A PLT slot jumps to the address that the dynamic linker put into a word of the global offset
 * table, and the relocation of that word names the function. How slots look differs by linker
 * and by options (lazy or not, with or without branch tracking), so slots are known by their
 * jump instruction: the word it reads is looked up among the relocations. */

#define ARM64_BTI_C  0xd503245fu
#define ARM64_BR_X17 0xd61f0220u

struct slot {
	uint64_t vaddr, got;
	uint64_t resolver; /* of an indirect function without a symbol in the relocation */
	uint32_t size_bytes;
	uint32_t name;
	uint8_t table;
	uint8_t binding; /* of the symbol that names an indirect function */
	bool is_named;
};

struct plt {
	const struct wk_obj *elf;
	const struct wk_obj_tables *tables;
	struct slot *slots;
	size_t count, cap;
	struct wk_map by_got; /* address of a word -> slot number + 1 */
	size_t unnamed, indirect;
	uint64_t budget; /* bytes still to be read: damaged sections may all claim the same ones */
};

static struct wk_bytes read_within_budget(struct plt *p, const struct wk_obj_section *section)
{
	struct wk_bytes bytes = wk_obj_bytes(p->elf, section);

	if (wk_bytes_left(&bytes) > p->budget)
		return wk_obj_bytes(p->elf, NULL);
	p->budget -= wk_bytes_left(&bytes);
	return bytes;
}

static void add_slot(struct plt *p, uint64_t vaddr, uint64_t size_bytes, uint64_t got)
{
	uint32_t *id = wk_map_at(&p->by_got, got);

	if (*id)
		return;
	*id = (uint32_t)p->count + 1;
	*WK_APPEND(p->slots, p->count, p->cap) = (struct slot){
		.vaddr = vaddr,
		.got = got,
		.size_bytes = (uint32_t)size_bytes,
	};
	p->unnamed++;
}

/* Where position-independent i386 code finds the table: ebx points here. */
static uint64_t got_base(const struct wk_obj *elf)
{
	const struct wk_obj_section *s = wk_obj_section(elf, ".got.plt");

	if (!s)
		s = wk_obj_section(elf, ".got");
	return s ? s->vaddr : 0;
}

/* The first slot pushes a word of the table and jumps through the next: the way to the dynamic
 * linker itself, which no relocation names. */
static bool is_x86_header(const uint8_t *slot)
{
	return slot[0] == 0xff && (slot[1] == 0x35 || slot[1] == 0xb3);
}

static void scan_x86(struct plt *p, const struct wk_obj_section *section)
{
	bool is_64 = p->elf->machine_code == WK_EM_X86_64;
	uint64_t step = section->entry_size, base = is_64 ? 0 : got_base(p->elf);
	struct wk_bytes code = read_within_budget(p, section);
	uint64_t size = wk_bytes_left(&code);

	if (step < 8 || step > 64)
		step = 16;
	for (uint64_t at = 0; at + step <= size; at += step) {
		if (is_x86_header(code.start + at))
			continue;
		for (uint64_t i = at; i + 6 <= at + step; i++) {
			uint8_t mode = code.start[i + 1];
			struct wk_bytes in = wk_bytes_at(&code, i + 2, 4);
			uint32_t where;

			if (code.start[i] != 0xff || (mode != 0x25 && (is_64 || mode != 0xa3)))
				continue;
			where = wk_u32(&in);
			if (is_64)
				add_slot(p, section->vaddr + at, step,
					 section->vaddr + i + 6 +
						 (uint64_t)(int64_t)(int32_t)where);
			else
				add_slot(p, section->vaddr + at, step,
					 mode == 0xa3 ? (uint32_t)(base + where) : where);
			break;
		}
	}
}

/* adrp x16, page; ldr x17, [x16, #offset]: the address of the word, or 0. */
static uint64_t arm64_word(uint32_t adrp, uint32_t ldr, uint64_t pc)
{
	uint64_t page;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	page = (uint64_t)(adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2;
	if (page & 1 << 20)
		page |= ~(uint64_t)0 << 21;
	return (pc & ~0xfffull) + (page << 12) + (uint64_t)(ldr >> 10 & 0xfff) * 8;
}

/* The slot ends behind its branch: br x17, within the next few instructions. */
static uint64_t arm64_end(const struct wk_bytes *code, uint64_t at)
{
	for (uint64_t end = at + 8; end < at + 24; end += 4) {
		struct wk_bytes in = wk_bytes_at(code, end, 4);

		if (wk_u32le(&in) == ARM64_BR_X17)
			return end + 4;
	}
	return at + 16;
}

static void scan_arm64(struct plt *p, const struct wk_obj_section *section)
{
	struct wk_bytes code = read_within_budget(p, section), in = code;
	uint32_t before = 0, adrp = 0;

	for (uint64_t at = 0; wk_bytes_left(&in) >= 4; at += 4) {
		uint32_t ldr = wk_u32le(&in);
		uint64_t got = at < 4 ? 0 : arm64_word(adrp, ldr, section->vaddr + at - 4);

		if (got != 0) {
			uint64_t start = before == ARM64_BTI_C ? at - 8 : at - 4;

			add_slot(p, section->vaddr + start, arm64_end(&code, at - 4) - start, got);
		}
		before = adrp;
		adrp = ldr;
	}
}

static void scan_code(struct plt *p)
{
	for (uint32_t i = 0; i < p->elf->section_count; i++) {
		const struct wk_obj_section *s = &p->elf->sections[i];

		if (!(s->flags & WK_SHF_EXECINSTR) ||
		    !(wk_str_starts(s->name, ".plt") || wk_str_is(s->name, ".iplt")))
			continue;
		if (p->elf->machine == WK_MACHINE_X86_64 || p->elf->machine == WK_MACHINE_X86)
			scan_x86(p, s);
		else if (p->elf->machine == WK_MACHINE_AARCH64)
			scan_arm64(p, s);
	}
}

static bool is_indirect(const struct wk_obj *elf, uint64_t type)
{
	static const uint32_t irelative[] = {
		/* R_*_IRELATIVE; 0: none */
		[WK_MACHINE_X86_64] = 37,
		[WK_MACHINE_X86] = 42,
		[WK_MACHINE_AARCH64] = 1032,
		[WK_MACHINE_ARM] = 0,
	};

	return type != 0 && type == irelative[elf->machine];
}

/* REL relocations store their addend at the place they relocate. */
static uint64_t addend_in_place(const struct wk_obj *elf, uint64_t vaddr)
{
	struct wk_bytes file = wk_bytes_of(elf->at, elf->size_bytes), in;
	uint64_t offset;

	if (!wk_obj_offset_of(elf, vaddr, &offset))
		return 0;
	in = wk_bytes_at(&file, offset, elf->is_64 ? 8 : 4);
	return wk_obj_word(elf, &in);
}

static void name_slot(struct plt *p, struct slot *slot, uint64_t symbol)
{
	struct wk_obj_raw raw;

	if (!wk_obj_raw_at(p->elf, p->tables, WK_OBJ_DYNSYM, symbol, &raw) || raw.name == 0)
		return;
	slot->table = WK_OBJ_DYNSYM;
	slot->name = raw.name;
	slot->is_named = true;
	p->unnamed--;
}

static void read_relocations(struct plt *p, const struct wk_obj_section *section)
{
	const struct wk_obj *elf = p->elf;
	struct wk_bytes in = read_within_budget(p, section);
	bool has_addend = section->type == WK_SHT_RELA;
	size_t entry = (elf->is_64 ? 8u : 4u) * (has_addend ? 3 : 2);

	while (wk_bytes_left(&in) >= entry && p->unnamed > 0) {
		uint64_t where = wk_obj_word(elf, &in), info = wk_obj_word(elf, &in);
		uint64_t addend = has_addend ? wk_obj_word(elf, &in) : 0;
		uint64_t symbol = elf->is_64 ? info >> 32 : info >> 8;
		uint64_t type = elf->is_64 ? info & UINT32_MAX : info & 0xff;
		uint32_t id;
		struct slot *slot;

		if (symbol == 0 && !is_indirect(elf, type))
			continue;
		id = wk_map_find(&p->by_got, where);
		slot = id ? &p->slots[id - 1] : NULL;
		if (!slot || slot->is_named || slot->resolver != 0)
			continue;
		if (symbol != 0) {
			name_slot(p, slot, symbol);
		} else {
			slot->resolver = has_addend ? addend : addend_in_place(elf, where);
			p->indirect++;
		}
	}
}

/* .rela.plt names nearly all; the large .rela.dyn is read only if slots are left over. */
static void read_all_relocations(struct plt *p)
{
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->elf->section_count; i++) {
			const struct wk_obj_section *s = &p->elf->sections[i];

			if ((s->type == WK_SHT_RELA || s->type == WK_SHT_REL) &&
			    s->flags & WK_SHF_ALLOC && wk_str_ends(s->name, "plt") == (pass == 0) &&
			    p->unnamed > p->indirect)
				read_relocations(p, s);
		}
	}
}

static void read_resolver(struct slot *slot, const struct wk_obj_raw *raw)
{
	/* memcmp rather than its weak other name, bcmp. */
	if (slot->is_named && !(slot->binding == WK_STB_WEAK && raw->binding == WK_STB_GLOBAL))
		return;
	slot->table = raw->table;
	slot->name = raw->name;
	slot->binding = raw->binding;
	slot->is_named = true;
}

/* Calls inside libc to its own memcpy use slots whose relocation has no symbol, only the address of
 * the resolver; the symbol of the indirect function is at that address. */
static void name_indirect(struct plt *p)
{
	struct wk_map by_resolver = { 0 };
	struct wk_obj_raw raw;

	for (size_t i = 0; i < p->count; i++)
		if (p->slots[i].resolver != 0)
			wk_map_set(&by_resolver, p->slots[i].resolver, (uint32_t)i + 1);
	for (int t = WK_OBJ_TABLES; t-- > 0;) {
		for (uint64_t i = 1; wk_obj_raw_at(p->elf, p->tables, t, i, &raw); i++) {
			uint32_t id = 0;

			if (raw.type == WK_STT_GNU_IFUNC && raw.section != 0)
				id = wk_map_find(&by_resolver, raw.vaddr);
			if (id != 0)
				read_resolver(&p->slots[id - 1], &raw);
		}
	}
	/* Several slots may share a resolver; the map has the last of them. */
	for (size_t i = 0; i < p->count; i++) {
		uint32_t id = wk_map_find(&by_resolver, p->slots[i].resolver);

		if (p->slots[i].resolver == 0 || id == 0)
			continue;
		p->slots[i].table = p->slots[id - 1].table;
		p->slots[i].name = p->slots[id - 1].name;
		p->slots[i].is_named = p->slots[id - 1].is_named;
	}
	wk_map_fini(&by_resolver);
}

void wk_elf_each_plt(const struct wk_obj *elf, const struct wk_obj_tables *tables,
		     wk_obj_add_raw take, void *context)
{
	struct plt p = { .elf = elf, .tables = tables, .budget = elf->size_bytes };
	bool go_on = true;

	scan_code(&p);
	if (p.count > 0)
		read_all_relocations(&p);
	if (p.indirect > 0)
		name_indirect(&p);
	for (size_t i = 0; i < p.count && go_on; i++) {
		struct wk_obj_raw raw = {
			.vaddr = p.slots[i].vaddr,
			.size_bytes = p.slots[i].size_bytes,
			.name = p.slots[i].name,
			.table = p.slots[i].table,
			.binding = WK_STB_LOCAL,
			.type = WK_STT_FUNC,
			.is_plt = true,
		};

		if (p.slots[i].is_named)
			go_on = take(context, &raw);
	}
	wk_map_fini(&p.by_got);
	wk_free(p.slots);
}
