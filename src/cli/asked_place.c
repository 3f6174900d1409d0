#include "cli/asked_place.h"

#include "symbols/elf_unlinked.h"

#define PAGE_BYTES 4096

/* A function's address by its name as linked. */
struct named {
	struct wk_str name;
	uint64_t vaddr;
	bool is_found;
};

static bool take_named(void *context, const struct wk_elf_symbol *symbol)
{
	struct named *named = context;

	if (symbol->is_plt || !wk_str_eq(symbol->name, named->name))
		return true;
	named->vaddr = symbol->vaddr;
	named->is_found = true;
	return false;
}

static bool find_named(const struct wk_image_symbols *image, struct wk_str name, uint64_t *vaddr)
{
	struct named named = { .name = name };

	if (image)
		wk_elf_each_symbol(wk_image_elf(image), take_named, &named);
	if (image && !named.is_found && wk_image_debug_elf(image))
		wk_elf_each_symbol(wk_image_debug_elf(image), take_named, &named);
	*vaddr = named.vaddr;
	return named.is_found;
}

/* Whole pages are mapped, whatever of the last is used. */
static bool is_mapped(const struct wk_elf *elf, uint64_t vaddr)
{
	bool has_segments = false;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct wk_elf_segment *segment = &elf->segments[i];

		if (segment->type != WK_PT_LOAD)
			continue;
		has_segments = true;
		if (vaddr >= segment->vaddr && (vaddr - segment->vaddr) / PAGE_BYTES <=
						       segment->memory_size / PAGE_BYTES)
			return true;
	}
	return !has_segments;
}

static void place_in_file(const struct wk_elf *elf, struct wk_asked_place *place)
{
	if (!is_mapped(elf, place->vaddr))
		place->outside = "outside of this file; take away where it was loaded";
}

/* Somebody else would call the place by its section and the offset there. */
static void place_in_section(const struct wk_elf *elf, const struct wk_elf_section *section,
			     struct wk_asked_place *place)
{
	if (!section)
		section = wk_elf_code_at(elf, place->vaddr);
	place->shown = place->vaddr - (section ? section->vaddr : 0);
	place->section = section ? section->name : wk_str_c("");
	if (section && place->shown < section->size_bytes)
		return;
	place->vaddr = 0; /* it must not be another section's */
	if (wk_elf_code_with(elf, 0))
		place->outside = "outside of this file, which is not linked";
}

bool wk_asked_place(const struct wk_image_symbols *image, const char *section,
		    const struct wk_typed_address *typed, struct wk_asked_place *place)
{
	const struct wk_elf *elf = image ? wk_image_elf(image) : NULL;
	const struct wk_elf_section *from = NULL;
	uint64_t begin = 0;

	*place = (struct wk_asked_place){ 0 };
	if (typed->function.len && !find_named(image, typed->function, &begin))
		return false;
	if (elf && !typed->function.len && section) {
		from = wk_elf_section(elf, section);
		if (!from)
			return false;
	} else if (elf && !typed->function.len && wk_elf_is_unlinked(elf)) {
		from = wk_elf_code_with(elf, typed->offset);
	}
	place->vaddr = begin + typed->offset + (from ? from->vaddr : 0);
	place->shown = place->vaddr;
	if (elf && wk_elf_is_unlinked(elf))
		place_in_section(elf, from, place);
	else if (elf)
		place_in_file(elf, place);
	return true;
}
