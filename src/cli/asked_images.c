#include "cli/asked_images.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/terminal.h"
#include "symbols/elf.h"

void wk_asked_images_init(struct wk_asked_images *images, struct wk_symbols *symbols)
{
	*images = (struct wk_asked_images){ symbols, wk_strtab_new(), NULL, 1, 0 };
	images->rows = wk_grow(NULL, &images->cap, 1, sizeof(struct wk_image_symbols *));
	images->rows[0] = NULL;
}

void wk_asked_images_fini(struct wk_asked_images *images)
{
	wk_strtab_free(images->paths);
	free(images->rows);
}

/* Files whose addresses are not yet, or not at all, those of a program. */
static void tell_unfit(const char *path, const struct wk_elf *elf)
{
	bool is_split = wk_elf_section(elf, ".debug_info.dwo") != NULL;
	struct wk_buf text = { 0 };

	if (is_split && !wk_elf_section(elf, ".debug_info"))
		wk_buf_add_fmt(&text, "%s is a piece of a program's debug information and knows no "
			       "addresses; give -e the program, from which it is found", path);
	else if (elf->type == WK_ET_REL)
		wk_buf_add_fmt(&text, "%s is not linked: its addresses are not final, and wick "
			       "reads no lines of it; ask of what it is linked into", path);
	if (text.len)
		wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

static const struct wk_image_symbols *open_image(struct wk_asked_images *images, const char *path,
						 struct wk_err *err)
{
	struct wk_image_key key = { 0 };
	struct wk_image_symbols *image;
	char *whole = realpath(path, NULL);

	if (!whole) {
		wk_fail_os(err, errno, "cannot open %s", path);
		return NULL;
	}
	key.path = wk_str_c(whole);
	image = wk_symbols_image(images->symbols, &key);
	if (!wk_image_elf(image)) {
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s", wk_image_reason(image));
		image = NULL;
	} else {
		tell_unfit(path, wk_image_elf(image));
	}
	free(whole);
	return image;
}

/* `err` is filled the first time only. */
static const struct wk_image_symbols *get(struct wk_asked_images *images, struct wk_str path,
					  struct wk_err *err)
{
	uint32_t id = wk_strtab_add_str(images->paths, path);

	if (id >= images->count) {
		images->rows = wk_grow(images->rows, &images->cap, id + 1u,
				       sizeof(struct wk_image_symbols *));
		images->rows[id] = open_image(images, wk_strtab_get(images->paths, id), err);
		images->count = id + 1u;
	}
	return images->rows[id];
}

const struct wk_image_symbols *wk_asked_image(struct wk_asked_images *images, struct wk_str path)
{
	struct wk_err err = { 0 };
	const struct wk_image_symbols *image = get(images, path, &err);

	if (err.text[0])
		wk_say(err.text);
	return image;
}

const struct wk_image_symbols *wk_asked_image_or_fail(struct wk_asked_images *images,
						      const char *path, struct wk_err *err)
{
	return get(images, wk_str_c(path), err);
}

static void tell_unnamed(const char *path, const struct wk_image_symbols *image)
{
	struct wk_buf text = { 0 };

	if (!image || wk_image_places_state(image) == WK_PLACES_ALL)
		return;
	wk_buf_add_fmt(&text, "%s: %s; %s", path, wk_image_places_reason(image),
		       wk_image_reason(image));
	wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

void wk_asked_images_tell_unnamed(const struct wk_asked_images *images)
{
	for (size_t i = 1; i < images->count; i++)
		tell_unnamed(wk_strtab_get(images->paths, (uint32_t)i), images->rows[i]);
}
