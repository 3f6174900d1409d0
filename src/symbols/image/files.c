/* The file of an image, and its debug file: on this machine, or fetched from another. */
#include "symbols/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/remote.h"
#include "os/os.h"

/* The vDSO is no file: it is part of the kernel, and every process of this boot has the same. */
static enum wk_image_state open_vdso(struct wk_image_symbols *image)
{
	struct wk_buf *why = &image->reason;
	struct wk_err err = { 0 };
	struct wk_obj *obj;
	const uint8_t *at;
	size_t size_bytes;

	if (!wk_os_vdso(&at, &size_bytes)) {
		wk_buf_add_text(why, "the kernel gave this process no vDSO to read the names from");
		return WK_IMAGE_MISSING;
	}
	obj = wk_obj_parse(at, size_bytes, &err);
	if (!obj) {
		wk_buf_add_text(why, err.text);
		return WK_IMAGE_UNREADABLE;
	}
	if (image->key.build_id.size > 0 &&
	    !wk_store_same_id(&image->key.build_id, &obj->build_id)) {
		wk_obj_free(obj);
		wk_buf_add_text(why, "the vDSO recorded is of another kernel than the one running");
		return WK_IMAGE_DIFFERS;
	}
	image->file.obj = obj;
	image->file.path = wk_strndup("[vdso]", strlen("[vdso]"));
	image->debug_done = true;
	return WK_IMAGE_NAMED;
}

/* A copy of the wanted file that another machine has; in `why` what was said where none has. */
static bool fetch(struct wk_image_symbols *image, enum wk_remote_file which,
		  const struct wk_build_id *id, struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_remote_copy copy;
	struct wk_err err = { 0 };
	bool found = false;

	if (!image->owner->remote || id->size == 0 || wk_image_is_vdso(image))
		return false;
	if (wk_remote_get(image->owner->remote, which, id, image->key.path, &copy, &err)) {
		found = wk_store_open_if_same(copy.path, id, file, why);
		if (found) {
			wk_free(file->path);
			file->path = wk_strndup(copy.shown, strlen(copy.shown));
		}
	} else if (err.text[0]) {
		wk_buf_add_fmt(why, "%s%s", why->len ? "; " : "", err.text);
	}
	return found;
}

/* Without a build id, only folders can be asked: they keep files by their paths, too. */
static void look_for_copy(struct wk_image_symbols *image)
{
	struct wk_buf why = { 0 };
	const char *server;
	bool is_folder;

	for (size_t i = 0; image->state != WK_IMAGE_NAMED &&
			   (server = wk_remote_server(image->owner->remote, i, &is_folder));
	     i++) {
		enum wk_image_state state = WK_IMAGE_MISSING;

		wk_buf_reset(&why);
		if (is_folder)
			state = wk_store_copy(&image->key, server, &image->file, &why);
		if (state == WK_IMAGE_NAMED || image->state == WK_IMAGE_MISSING)
			image->state = state;
		if (is_folder && why.len == 0)
			wk_buf_add_text(&why, "it has no such file");
		else if (!is_folder)
			wk_buf_add_text(&why,
					"not asked, since the recording has no build id of it");
		wk_buf_add_fmt(&image->reason, "; %s: %s", server, wk_buf_text(&why));
	}
	wk_buf_fini(&why);
}

bool wk_image_vaddr_of(const struct wk_image_symbols *image, uint64_t address, uint64_t *vaddr)
{
	*vaddr = address;
	return image->file.obj ? wk_obj_vaddr_of(image->file.obj, address, vaddr)
			       : wk_image_has_rvas(image);
}

const struct wk_build_id *wk_image_build_id(const struct wk_image_symbols *image)
{
	return image->file.obj ? &image->file.obj->build_id : &image->key.build_id;
}

void wk_image_open(struct wk_image_symbols *image)
{
	if (image->key.is_kernel)
		return;
	if (wk_image_is_vdso(image)) {
		image->state = open_vdso(image);
		return;
	}
	image->state = wk_store_image(&image->key, &image->file, &image->reason);
}

/* Would other machines be asked for its file? Those of Windows are looked for by image_pdb.c. */
static bool lacks_file(const struct wk_image_symbols *image)
{
	return !image->file.obj && image->state != WK_IMAGE_NO_FILE && !image->was_asked &&
	       !image->key.is_kernel && !image->owner->is_live && !wk_image_has_rvas(image) &&
	       wk_image_is_in_view(image);
}

void wk_image_fetch(const struct wk_image_symbols *image)
{
	struct wk_image_symbols *late = wk_image_late(image);

	if (!lacks_file(image))
		return;
	late->was_asked = true;
	if (image->key.build_id.size == 0)
		look_for_copy(late);
	else if (fetch(late, WK_REMOTE_IMAGE, &image->key.build_id, &late->file, &late->reason))
		late->state = WK_IMAGE_NAMED;
	if (image->file.obj)
		wk_buf_reset(&late->reason); /* that it is not here */
}

/* Names and lines are in the file itself, or nobody has more. What a program of Windows has in
 * place of a build id is its PDB's: see image_pdb.c. */
static bool is_complete(const struct wk_obj *obj)
{
	return obj->pe || (wk_image_has_all_names(obj) && wk_obj_section(obj, ".debug_info"));
}

/* Its debug file, if that is on this machine. */
static void find_debug(struct wk_image_symbols *image)
{
	if (!image->file.obj || image->debug_done)
		return;
	image->debug_done = true;
	wk_store_debug(&image->file, image->owner->debug_dirs, &image->debug, &image->debug_reason);
}

/* May other machines be asked for it? */
static bool lacks_debug(const struct wk_image_symbols *image)
{
	return image->file.obj && !image->debug.obj && !image->debug_asked &&
	       !image->owner->is_live && wk_image_is_in_view(image);
}

const struct wk_obj *wk_image_debug_obj(const struct wk_image_symbols *image)
{
	struct wk_image_symbols *late = wk_image_late(image);

	find_debug(late);
	if (lacks_debug(image)) {
		late->debug_asked = true;
		if (!is_complete(image->file.obj))
			fetch(late, WK_REMOTE_DEBUG, &image->file.obj->build_id, &late->debug,
			      &late->debug_reason);
	}
	return image->debug.obj;
}

static bool want_debug(struct wk_image_symbols *image, struct wk_remote_want *want)
{
	if (!image->file.obj || is_complete(image->file.obj) || wk_image_keeps_all(image))
		return false;
	find_debug(image);
	want->which = WK_REMOTE_DEBUG;
	want->id = image->file.obj->build_id;
	return lacks_debug(image);
}

bool wk_image_want_remote(struct wk_image_symbols *image, struct wk_remote_want *want)
{
	*want = (struct wk_remote_want){
		.which = WK_REMOTE_IMAGE,
		.id = image->key.build_id,
		.image_path = image->key.path,
	};
	return !wk_image_is_vdso(image) && (lacks_file(image) || want_debug(image, want)) &&
	       want->id.size > 0;
}
