#include "symbols/dwarf/sections.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/packed/unpack.h"
#include "symbols/object/elf_unlinked.h"

/* ch_type in the header of a compressed section. */
#define COMPRESSED_ZLIB 1
#define COMPRESSED_ZSTD 2

/* The highest ratio of unpacked to packed bytes in an honest file. Range lists, which compress
 * well, reach 12. */
#define HONEST_PACKING 32

/* Plain bytes that a section may have however little it is packed to. */
#define ALWAYS_FREE ((uint64_t)8 << 20)

#define OLD_PREFIX ".zdebug_"
#define OLD_MAGIC  "ZLIB"

static const char *const names[WK_DWARF_SECTIONS] = {
	[WK_DWARF_INFO] = "info",
	[WK_DWARF_ABBREV] = "abbrev",
	[WK_DWARF_STR] = "str",
	[WK_DWARF_LINE] = "line",
	[WK_DWARF_LINE_STR] = "line_str",
	[WK_DWARF_RANGES] = "ranges",
	[WK_DWARF_RNGLISTS] = "rnglists",
	[WK_DWARF_ADDR] = "addr",
	[WK_DWARF_STR_OFFSETS] = "str_offsets",
	[WK_DWARF_ARANGES] = "aranges",
	[WK_DWARF_CU_INDEX] = "cu_index",
};

void wk_dwarf_sections_init(struct wk_dwarf_sections *sections, const struct wk_obj *obj,
			    bool is_split)
{
	*sections = (struct wk_dwarf_sections){ .obj = obj, .is_split = is_split };
}

void wk_dwarf_sections_fini(struct wk_dwarf_sections *sections)
{
	for (int i = 0; i < WK_DWARF_SECTIONS; i++)
		wk_buf_fini(&sections->plain[i]);
	*sections = (struct wk_dwarf_sections){ 0 };
}

/* The packed bytes and their header. */
struct packed {
	enum wk_packing packing; /* WK_NOT_PACKED if the method is unknown */
	uint32_t type;
	uint64_t size_bytes; /* plain */
	struct wk_bytes bytes;
};

/* The header of a SHF_COMPRESSED section: type, size, alignment, in the file's byte order. */
static struct packed read_header(const struct wk_obj *obj, struct wk_bytes in)
{
	struct packed p = { .type = wk_u32(&in) };

	if (obj->is_64)
		wk_u32(&in); /* ch_reserved */
	p.size_bytes = wk_obj_word(obj, &in);
	wk_obj_word(obj, &in); /* ch_addralign */
	p.packing = p.type == COMPRESSED_ZLIB   ? WK_PACKED_ZLIB
		    : p.type == COMPRESSED_ZSTD ? WK_PACKED_ZSTD
						: WK_NOT_PACKED;
	p.bytes = in;
	return p;
}

/* Before SHF_COMPRESSED: "ZLIB" and the size, most significant byte first in any file. */
static bool read_old_header(struct wk_bytes in, struct packed *p)
{
	struct wk_bytes magic = wk_bytes_slice(&in, strlen(OLD_MAGIC));

	if (magic.bad || memcmp(magic.at, OLD_MAGIC, strlen(OLD_MAGIC)) != 0)
		return false;
	in.big_endian = true;
	*p = (struct packed){ .packing = WK_PACKED_ZLIB, .type = COMPRESSED_ZLIB };
	p->size_bytes = wk_u64(&in);
	p->bytes = in;
	return !in.bad;
}

static bool unpack(const struct wk_obj *obj, const struct packed *p, struct wk_buf *plain,
		   struct wk_bytes *bytes, struct wk_err *err)
{
	if (p->bytes.bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends inside its header");
	if (p->packing == WK_NOT_PACKED)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "it is compressed in a way that is not known (type %" PRIu32 ")",
			       p->type);
	if (p->size_bytes > ALWAYS_FREE + HONEST_PACKING * (uint64_t)wk_bytes_left(&p->bytes))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "%" PRIu64 " bytes packed with %s claim to be %" PRIu64
			       " bytes of plain data",
			       (uint64_t)wk_bytes_left(&p->bytes), wk_packing_name(p->packing),
			       p->size_bytes);
	wk_buf_reset(plain);
	if (!wk_unpack_as(p->packing, p->bytes, p->size_bytes, plain, err)) {
		wk_buf_reset(plain);
		return false;
	}
	*bytes = wk_bytes_of(wk_buf_text(plain), plain->len);
	bytes->big_endian = obj->big_endian;
	return true;
}

/* `err` may hold the error of an earlier section, which stays. */
static bool fail_in(const struct wk_obj_section *section, const struct wk_err *fault,
		    struct wk_err *err)
{
	return wk_fail(err, fault->code, WK_NOWHERE, "section %.*s: %s", WK_STR_ARG(section->name),
		       fault->text);
}

bool wk_elf_plain(const struct wk_obj *obj, const struct wk_obj_section *section,
		  struct wk_buf *plain, struct wk_bytes *bytes, struct wk_err *err)
{
	struct wk_err fault = { 0 };
	struct packed packed;

	*bytes = wk_obj_bytes(obj, section);
	if (!section)
		return true;
	if (section->flags & WK_SHF_COMPRESSED)
		packed = read_header(obj, *bytes);
	else if (!wk_str_starts(section->name, OLD_PREFIX) || !read_old_header(*bytes, &packed))
		return true;
	*bytes = wk_obj_bytes(obj, NULL);
	return unpack(obj, &packed, plain, bytes, &fault) || fail_in(section, &fault, err);
}

/* In a package only the index has its usual name. */
static const struct wk_obj_section *find(const struct wk_dwarf_sections *s,
					 enum wk_dwarf_section which)
{
	const char *behind = s->is_split && which != WK_DWARF_CU_INDEX ? ".dwo" : "";
	const struct wk_obj_section *section;
	char name[40];

	snprintf(name, sizeof(name), ".debug_%s%s", names[which], behind);
	section = wk_obj_section(s->obj, name);
	if (section)
		return section;
	snprintf(name, sizeof(name), OLD_PREFIX "%s%s", names[which], behind);
	return wk_obj_section(s->obj, name);
}

uint64_t wk_dwarf_section_weight(struct wk_dwarf_sections *sections, enum wk_dwarf_section which)
{
	const struct wk_obj_section *section = find(sections, which);
	struct wk_bytes stored = wk_obj_bytes(sections->obj, section);
	struct wk_bytes plain = wk_dwarf_section(sections, which);
	uint64_t most = HONEST_PACKING * (uint64_t)wk_bytes_left(&stored);

	return wk_bytes_left(&plain) < most ? wk_bytes_left(&plain) : most;
}

void wk_dwarf_section_open(struct wk_dwarf_sections *sections, enum wk_dwarf_section which)
{
	const struct wk_obj_section *section = find(sections, which);
	struct wk_buf *plain = &sections->plain[which];
	struct wk_bytes *bytes = &sections->bytes[which];

	sections->is_open[which] = true;
	if (wk_elf_plain(sections->obj, section, plain, bytes, &sections->err))
		wk_elf_relocate(sections->obj, section, plain, bytes);
}
