/* Any bytes as the sections of debug information: all units are loaded and asked for places.
 *
 * The first byte has switches; then come the sizes of the sections, two bytes each, and their
 * contents. The same bytes serve as the file itself, as the file that it shares with others,
 * as a split file and as a package. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/dwarf/internal.h"

enum {
	FLAG_BIG_ENDIAN = 1,
	FLAG_32 = 2,
	FLAG_CODE = 4, /* code lies in one section, as in real files */
	FLAG_ALTERNATE = 8,
	FLAG_PACKAGE = 16,
	FLAG_SPLIT = 32,
};

#define KINDS    11
#define SECTIONS (2 * KINDS + 1)

static const struct wk_str names[2 * KINDS] = {
	WK_STR(".debug_info"),         WK_STR(".debug_abbrev"),
	WK_STR(".debug_str"),          WK_STR(".debug_line"),
	WK_STR(".debug_line_str"),     WK_STR(".debug_ranges"),
	WK_STR(".debug_rnglists"),     WK_STR(".debug_addr"),
	WK_STR(".debug_str_offsets"),  WK_STR(".debug_aranges"),
	WK_STR(".debug_cu_index"),
	WK_STR(".debug_info.dwo"),     WK_STR(".debug_abbrev.dwo"),
	WK_STR(".debug_str.dwo"),      WK_STR(".debug_line.dwo"),
	WK_STR(".debug_line_str.dwo"), WK_STR(".debug_ranges.dwo"),
	WK_STR(".debug_rnglists.dwo"), WK_STR(".debug_addr.dwo"),
	WK_STR(".debug_str_offsets.dwo"), WK_STR(".debug_aranges.dwo"),
	WK_STR(".debug_cu_index.dwo"),
};

static void cut(struct wk_obj *obj, struct wk_bytes in)
{
	struct wk_bytes sizes = wk_bytes_slice(&in, KINDS * 2);

	for (int i = 0; i < KINDS; i++) {
		uint64_t size = wk_u16le(&sizes), left = wk_bytes_left(&in);
		struct wk_obj_section *section = &obj->sections[i];

		if (size > left)
			size = left;
		*section = (struct wk_obj_section){
			.name = names[i],
			.type = WK_SHT_PROGBITS,
			.offset = wk_bytes_offset(&in),
			.size_bytes = size,
		};
		obj->sections[KINDS + i] = *section;
		obj->sections[KINDS + i].name = names[KINDS + i];
		wk_bytes_skip(&in, size);
	}
}

static const struct wk_obj *open_split(void *context, struct wk_str directory, struct wk_str name,
				       uint64_t id)
{
	assert(directory.at && name.at);
	return id % 3 ? context : NULL;
}

static void ask(struct wk_code_index *index, struct wk_bytes addresses)
{
	struct wk_place places[4];

	for (int i = 0; i < 64 && wk_bytes_left(&addresses) >= 8; i++) {
		uint64_t address = wk_u64le(&addresses);
		size_t count =
			wk_code_index_places(index, i % 2 ? address & 0xffff : address, places, 4);

		assert(count <= 4);
	}
}

/* What comes back is to be safe too: names that were borrowed are copied. */
static void save_and_ask(struct wk_code_index *index, struct wk_bytes addresses)
{
	struct wk_code_index *loaded;
	struct wk_buf saved = { 0 };

	wk_code_index_save(index, &saved);
	loaded = wk_code_index_load(wk_bytes_of(saved.at, saved.len), NULL);
	assert(loaded);
	ask(loaded, addresses);
	wk_code_index_free(loaded);
	wk_buf_fini(&saved);
}

static void read_all(const struct wk_dwarf_input *input, struct wk_bytes bytes)
{
	struct wk_err err = { 0 };
	struct wk_code_index *index = wk_code_index_new();
	struct wk_dwarf *dwarf = wk_dwarf_new(input, &err);

	assert(dwarf || err.code != WK_OK);
	if (dwarf) {
		wk_dwarf_fill(dwarf, index);
		for (uint32_t i = 0; i < dwarf->main->unit_count; i++) {
			struct wk_err fault = { 0 };
			bool ok = wk_dwarf_load(dwarf, i, index, &fault);

			assert(ok || fault.code != WK_OK);
			assert(wk_code_index_has(index, i));
		}
		assert(wk_dwarf_missing(dwarf).at);
	}
	ask(index, bytes);
	save_and_ask(index, bytes);
	wk_dwarf_free(dwarf);
	wk_code_index_free(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_obj_section sections[SECTIONS] = { 0 };
	struct wk_bytes in = wk_bytes_of(data, size);
	uint8_t flags = wk_u8(&in);
	struct wk_obj obj = {
		.at = data,
		.size_bytes = size,
		.is_64 = !(flags & FLAG_32),
		.big_endian = flags & FLAG_BIG_ENDIAN,
		.sections = sections,
		.section_count = flags & FLAG_CODE ? SECTIONS : SECTIONS - 1,
	};
	struct wk_dwarf_input input = {
		.obj = &obj,
		.alternate = flags & FLAG_ALTERNATE ? &obj : NULL,
		.package = flags & FLAG_PACKAGE ? &obj : NULL,
		.open_split = flags & FLAG_SPLIT ? open_split : NULL,
		.context = &obj,
	};

	sections[SECTIONS - 1] = (struct wk_obj_section){
		.name = WK_STR(".text"),
		.flags = WK_SHF_EXECINSTR | WK_SHF_ALLOC,
		.vaddr = 0x1000,
		.size_bytes = 0x100000,
	};
	cut(&obj, in);
	read_all(&input, in);
	return 0;
}
