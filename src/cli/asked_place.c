#include "cli/asked_place.h"

#include "symbols/elf.h"

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

bool wk_asked_place(const struct wk_image_symbols *image, const char *section,
		    const struct wk_typed_address *typed, uint64_t *vaddr)
{
	const struct wk_elf_section *from = NULL;
	uint64_t begin = 0;

	if (typed->function.len && !find_named(image, typed->function, &begin))
		return false;
	if (section && image && !typed->function.len)
		from = wk_elf_section(wk_image_elf(image), section);
	*vaddr = begin + typed->offset + (from ? from->vaddr : 0);
	return true;
}

/* Whole pages are mapped, whatever of the last is used. */
bool wk_asked_place_is_inside(const struct wk_image_symbols *image, uint64_t vaddr)
{
	const struct wk_elf *elf = wk_image_elf(image);
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
