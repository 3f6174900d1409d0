#include "session/symbolize/address_query.h"

#include "names/function_name.h"
#include "symbols/object/elf_unlinked.h"

#define PAGE_BYTES 4096

/* A function's address by its linked name or, if there is none, by the name that wick prints: "hot"
 * for "hot.constprop.0". */
struct named {
	struct wk_str name;
	bool without_clones;
	uint64_t vaddr;
	struct wk_str found, other; /* the first, and one at another address; empty: none */
};

/* The cold part of a function is not its start. */
static bool is_named(const struct named *named, struct wk_str linked)
{
	if (!named->without_clones)
		return wk_str_eq(linked, named->name);
	return !wk_str_ends(linked, ".cold") &&
	       wk_str_eq(wk_name_without_clones(linked), named->name);
}

static bool read_named(void *context, const struct wk_obj_symbol *symbol)
{
	struct named *named = context;

	if (symbol->is_plt || !is_named(named, symbol->name))
		return true;
	if (!named->found.len) {
		named->found = symbol->name;
		named->vaddr = symbol->vaddr;
	} else if (symbol->vaddr != named->vaddr) {
		named->other = symbol->name;
	}
	return named->without_clones && !named->other.len;
}

static void find_in_tables(struct wk_image_symbols *image, struct named *named)
{
	if (wk_image_obj(image))
		wk_obj_each_symbol(wk_image_obj(image), read_named, named);
	if (!named->found.len && wk_image_debug_obj(image))
		wk_obj_each_symbol(wk_image_debug_obj(image), read_named, named);
	if (!named->found.len)
		wk_image_each_public(image, read_named, named);
}

static bool find_named(struct wk_image_symbols *image, struct wk_str name, uint64_t *vaddr,
		       struct wk_address_query *place)
{
	struct named named = { .name = name };

	if (!image)
		return false;
	find_in_tables(image, &named);
	if (!named.found.len) {
		named.without_clones = true;
		find_in_tables(image, &named);
	}
	if (named.other.len) {
		place->one = named.found;
		place->other = named.other;
	}
	*vaddr = named.vaddr;
	return named.found.len && !named.other.len;
}

/* Whole pages are mapped. */
static bool is_mapped(const struct wk_obj *obj, uint64_t vaddr)
{
	bool has_segments = false;

	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *segment = &obj->segments[i];

		if (segment->type != WK_PT_LOAD)
			continue;
		has_segments = true;
		if (vaddr >= segment->vaddr &&
		    (vaddr - segment->vaddr) / PAGE_BYTES <= segment->memory_size / PAGE_BYTES)
			return true;
	}
	return !has_segments;
}

/* Windows tools print addresses as if the image were loaded at its preferred base. Addresses inside
 * the image without it are used as they are. */
static void read_base(const struct wk_obj *obj, struct wk_address_query *place)
{
	uint64_t vaddr;

	if (obj->image_base && place->vaddr >= obj->image_base &&
	    !wk_obj_vaddr_of(obj, place->vaddr, &vaddr))
		place->vaddr -= obj->image_base;
}

static void place_in_file(const struct wk_obj *obj, struct wk_address_query *place)
{
	read_base(obj, place);
	if (!is_mapped(obj, place->vaddr))
		place->outside = "outside of this file; take away where it was loaded";
}

/* The place is shown as an offset in its section. */
static void place_in_section(const struct wk_obj *obj, const struct wk_obj_section *section,
			     struct wk_address_query *place)
{
	if (!section)
		section = wk_elf_code_at(obj, place->vaddr);
	place->shown = place->vaddr - (section ? section->vaddr : 0);
	place->section = section ? section->name : wk_str_c("");
	if (section && place->shown < section->size_bytes)
		return;
	place->vaddr = 0; /* not an address of another section */
	if (wk_elf_code_with(obj, 0))
		place->outside = "outside of this file, which is not linked";
}

bool wk_address_query(struct wk_image_symbols *image, const char *section,
		      const struct wk_typed_address *typed, struct wk_address_query *place)
{
	const struct wk_obj *obj = image ? wk_image_obj(image) : NULL;
	const struct wk_obj_section *from = NULL;
	uint64_t begin = 0;

	*place = (struct wk_address_query){ 0 };
	if (typed->function.len && !find_named(image, typed->function, &begin, place))
		return false;
	if (obj && !typed->function.len && section) {
		from = wk_obj_section(obj, section);
		if (!from)
			return false;
	} else if (obj && !typed->function.len && wk_elf_is_unlinked(obj)) {
		from = wk_elf_code_with(obj, typed->offset);
		place->is_first_section = from != NULL;
	}
	place->vaddr = begin + typed->offset + (from ? from->vaddr : 0);
	place->shown = place->vaddr;
	if (obj && wk_elf_is_unlinked(obj))
		place_in_section(obj, from, place);
	else if (obj)
		place_in_file(obj, place);
	else if (image && !wk_image_pdb_covers(image, place->vaddr))
		place->outside = "outside of the program that this PDB is of: addresses count from "
				 "where that is loaded (RVA)";
	return true;
}
