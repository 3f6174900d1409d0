#include "session/symbolize/image_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "os/os.h"
#include "session/symbolizer.h"
#include "symbols/object/elf_unlinked.h"

void wk_image_list_init(struct wk_image_list *images, struct wk_symbols *symbols,
			const struct wk_messages *messages)
{
	*images = (struct wk_image_list){ .symbols = symbols,
					  .messages = messages,
					  .paths = wk_strtab_new() };
	images->rows = wk_grow(NULL, &images->cap, 1, sizeof(*images->rows));
	images->rows[images->count++] = (struct wk_listed_image){ 0 };
}

void wk_image_list_fini(struct wk_image_list *images)
{
	wk_strtab_free(images->paths);
	wk_arena_fini(&images->texts);
	wk_free(images->rows);
}

/* Files whose addresses are not those of a program. */
static void report_unfit(const struct wk_image_list *images, const char *path,
			 const struct wk_obj *obj)
{
	bool is_split = wk_obj_section(obj, ".debug_info.dwo") != NULL;

	if (is_split && !wk_obj_section(obj, ".debug_info"))
		wk_warn_fmt(images->messages,
			    "%s is a piece of a program's debug information and knows no "
			    "addresses; give -e the program, from which it is found",
			    path);
	else if (wk_elf_is_unlinked(obj) && !wk_elf_can_relocate(obj))
		wk_warn_fmt(images->messages,
			    "%s is not linked, and of such files wick reads lines and inlined "
			    "calls for 64-bit x86 and ARM only; ask of what it is linked into",
			    path);
}

static struct wk_image_symbols *open_image(struct wk_image_list *images, const char *path,
					   struct wk_err *err)
{
	struct wk_image_symbols *image = NULL;
	char *whole = wk_os_real_path(path);

	if (whole)
		image = wk_symbolizer_file(images->symbols, path, whole, err);
	else
		wk_fail_os(err, errno, "cannot open %s", path);
	if (image && wk_image_obj(image))
		report_unfit(images, path, wk_image_obj(image));
	wk_free(whole);
	return image;
}

/* `err` is filled the first time only. */
static struct wk_listed_image get(struct wk_image_list *images, struct wk_str path,
				  struct wk_err *err)
{
	uint32_t id = wk_strtab_add_str(images->paths, path);

	if (id >= images->count) {
		struct wk_listed_image row = {
			.symbols = open_image(images, wk_strtab_get(images->paths, id), err) };

		if (!row.symbols)
			row.why = wk_arena_copy(&images->texts, wk_str_c(err->text));
		WK_RESERVE(images->rows, images->cap, id + 1u);
		images->rows[id] = row;
		images->count = id + 1u;
	}
	return images->rows[id];
}

struct wk_listed_image wk_listed_image(struct wk_image_list *images, struct wk_str path)
{
	struct wk_err err = { 0 };
	struct wk_listed_image image = get(images, path, &err);

	if (err.text[0] && !images->is_quiet)
		wk_warn(images->messages, err.text);
	return image;
}

struct wk_image_symbols *wk_image_list_require(struct wk_image_list *images, const char *path,
					       struct wk_err *err)
{
	return get(images, wk_str_c(path), err).symbols;
}

void wk_image_list_report_unnamed(const struct wk_image_list *images)
{
	for (size_t i = 1; i < images->count; i++) {
		struct wk_image_symbols *image = images->rows[i].symbols;

		if (image && wk_image_places_state(image) != WK_PLACES_ALL)
			wk_warn_fmt(images->messages, "%s: %s; %s",
				    wk_strtab_get(images->paths, (uint32_t)i),
				    wk_image_places_reason(image), wk_image_reason(image));
	}
}

static bool lacks_names(struct wk_image_symbols *image, const struct wk_answers *answers)
{
	struct wk_image_used used;

	if (wk_image_obj(image)->type == WK_ET_REL ||
	    wk_image_places_state(image) != WK_PLACES_NONE)
		return false;
	wk_image_used(image, &used);
	return wk_image_state(image) == WK_IMAGE_STRIPPED ||
	       (!used.has_all_names && wk_answers_lack(answers, image));
}

/* Exports and public names would hide that the PDB could not be used. */
static void report_pdb_trouble(const struct wk_image_list *images, struct wk_image_symbols *image)
{
	struct wk_image_used used;

	wk_image_used(image, &used);
	if (used.pdb_trouble.len)
		wk_warn(images->messages, used.pdb_trouble.at);
}

void wk_image_list_report_stripped(const struct wk_image_list *images,
				   const struct wk_answers *answers)
{
	for (size_t i = 1; i < images->count; i++) {
		struct wk_image_symbols *image = images->rows[i].symbols;

		if (!image || !wk_image_obj(image))
			continue;
		if (!lacks_names(image, answers))
			report_pdb_trouble(images, image);
		else if (!images->is_quiet)
			wk_warn(images->messages, wk_image_reason(image));
	}
}
