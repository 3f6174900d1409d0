/* The file of an image and its debug file: from this machine, or fetched from a server. */
#include "symbols/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/os.h"

#define MOST_VDSO_BYTES (64u << 10)

/* That of 32-bit programs is only in their memory. */
static bool read_vdso32(struct wk_image_symbols *image, const uint8_t **at, size_t *size_bytes)
{
	const struct wk_image_key *key = &image->key;
	uint8_t *copy;

	if (!image->owner->is_live || key->vdso32_bytes > MOST_VDSO_BYTES)
		return false;
	*size_bytes = (size_t)key->vdso32_bytes;
	*at = copy = wk_arena_alloc(&image->owner->arena, *size_bytes);
	return wk_os_read_process(key->pid, key->vdso32_start, copy, *size_bytes) == *size_bytes;
}

/* The vDSO is not a file but a part of the kernel: all processes of one boot have the same. */
static enum wk_image_state open_vdso(struct wk_image_symbols *image)
{
	struct wk_buf *why = &image->reason;
	struct wk_err err = { 0 };
	struct wk_obj *obj;
	const uint8_t *at;
	size_t size_bytes;

	if (image->key.vdso32_start ? !read_vdso32(image, &at, &size_bytes)
				    : !wk_os_vdso(&at, &size_bytes)) {
		wk_buf_add_text(why, image->key.vdso32_start
					     ? "the vDSO of 32-bit programs is only in their memory"
					     : "the kernel gave this process no vDSO to read the "
					       "names from");
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

/* Fetches a copy of the file from a server; `why` gets the answers otherwise. */
static bool fetch(struct wk_image_symbols *image, enum wk_fetch_kind kind,
		  const struct wk_build_id *id, struct wk_store_file *file, struct wk_buf *why)
{
	const struct wk_fetch_want want = {
		.kind = kind,
		.id = *id,
		.name = wk_str_basename(image->key.path),
		.path = image->key.path,
	};
	struct wk_fetch_found found;
	struct wk_buf said = { 0 };
	bool is_found;

	if (id->size == 0 || wk_image_is_vdso(image))
		return false;
	is_found = wk_fetcher_get(image->owner->fetcher, &want, &found, &said);
	if (is_found)
		*file = found.file;
	else if (said.len)
		wk_buf_add_fmt(why, "%s%s", why->len ? "; " : "", wk_buf_text(&said));
	wk_buf_fini(&said);
	return is_found;
}

bool wk_image_is_unproven(const struct wk_image_symbols *image)
{
	return image->file.is_unproven;
}

/* E8 rel32, or FF /2 with any operand. */
static bool is_x86_call(const uint8_t *end)
{
	if (end[-5] == 0xe8)
		return true;
	for (int len = 2; len <= 7; len++)
		if (end[-len] == 0xff && (end[1 - len] >> 3 & 7) == 2)
			return true;
	return false;
}

/* BL or BLR. */
static bool is_aarch64_call(const uint8_t *end)
{
	uint32_t word = end[-4] | end[-3] << 8 | end[-2] << 16 | (uint32_t)end[-1] << 24;

	return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000;
}

bool wk_image_calls_before(const struct wk_image_symbols *image, uint64_t address)
{
	const struct wk_obj *obj = image->file.obj;

	if (!obj || address < 8 || address > obj->size_bytes)
		return false;
	if (obj->machine == WK_MACHINE_X86_64)
		return is_x86_call(obj->at + address);
	return obj->machine == WK_MACHINE_AARCH64 && is_aarch64_call(obj->at + address);
}

void wk_image_decide(struct wk_image_symbols *image, bool is_recorded)
{
	image->file.is_unproven = false;
	if (is_recorded)
		return;
	wk_buf_reset(&image->reason);
	wk_buf_add_fmt(
		&image->reason,
		"%s is another build than the one recorded, by the calls in it (the recording "
		"has no build id to compare); --any-build uses it all the same",
		image->file.path);
	wk_unwind_table_free(image->unwind);
	image->unwind = NULL;
	wk_store_close(&image->file);
	image->state = WK_IMAGE_DIFFERS;
	image->was_asked = true;
}

/* Without a build id only folders can be searched: they store files by path as well. */
static void look_for_copy(struct wk_image_symbols *image)
{
	struct wk_buf why = { 0 };
	struct wk_fetch_source source;

	for (size_t i = 0; image->state != WK_IMAGE_NAMED &&
			   wk_fetcher_source(image->owner->fetcher, WK_FETCH_FOR_ELF, i, &source);
	     i++) {
		enum wk_image_state state = WK_IMAGE_MISSING;

		wk_buf_reset(&why);
		if (source.is_folder)
			state = wk_store_copy(&image->key, source.shown, &image->file, &why);
		if (state == WK_IMAGE_NAMED || image->state == WK_IMAGE_MISSING)
			image->state = state;
		if (source.is_folder && why.len == 0)
			wk_buf_add_text(&why, "it has no such file");
		else if (!source.is_folder)
			wk_buf_add_text(&why,
					"not asked, since the recording has no build id of it");
		wk_buf_add_fmt(&image->reason, "; %s: %s", source.shown, wk_buf_text(&why));
	}
	wk_buf_fini(&why);
}

bool wk_image_vaddr_of(struct wk_image_symbols *image, uint64_t address, uint64_t *vaddr)
{
	struct wk_obj layout = { .kind = WK_OBJ_ELF };

	*vaddr = address;
	if (image->file.obj)
		return wk_obj_vaddr_of(image->file.obj, address, vaddr);
	if (wk_image_has_rvas(image))
		return true;
	layout.segment_count = wk_image_cached(image)->load_count;
	layout.segments = image->cached.loads;
	return wk_obj_vaddr_of(&layout, address, vaddr);
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

/* Should servers be queried for its file? pdb.c does that for Windows images. */
static bool lacks_file(const struct wk_image_symbols *image)
{
	return !image->file.obj && image->state != WK_IMAGE_NO_FILE && !image->was_asked &&
	       !image->key.is_kernel && !image->owner->is_live && !wk_image_has_rvas(image) &&
	       wk_image_is_in_view(image);
}

void wk_image_fetch(struct wk_image_symbols *image)
{

	if (!lacks_file(image))
		return;
	image->was_asked = true;
	if (image->key.build_id.size == 0)
		look_for_copy(image);
	else if (fetch(image, WK_FETCH_IMAGE, &image->key.build_id, &image->file, &image->reason))
		image->state = WK_IMAGE_NAMED;
	if (image->file.obj)
		wk_buf_reset(&image->reason); /* that it is missing */
}

/* Names and lines are in the file itself, or no debug file has more: the build id of a Windows
 * program is that of its PDB (pdb.c). */
static bool is_complete(const struct wk_obj *obj)
{
	return obj->pe || (wk_image_has_all_names(obj) && wk_obj_section(obj, ".debug_info"));
}

/* Finds its debug file on this machine. */
static void find_debug(struct wk_image_symbols *image)
{
	if (!image->file.obj || image->debug_done)
		return;
	image->debug_done = true;
	wk_store_debug(&image->file, image->owner->debug_dirs, &image->debug, &image->debug_reason);
}

/* May servers be queried for it? */
static bool lacks_debug(const struct wk_image_symbols *image)
{
	return image->file.obj && !image->debug.obj && !image->debug_asked &&
	       !image->owner->is_live && wk_image_is_in_view(image);
}

const struct wk_obj *wk_image_debug_obj(struct wk_image_symbols *image)
{

	find_debug(image);
	if (lacks_debug(image)) {
		image->debug_asked = true;
		if (!is_complete(image->file.obj))
			fetch(image, WK_FETCH_DEBUG, &image->file.obj->build_id, &image->debug,
			      &image->debug_reason);
	}
	return image->debug.obj;
}

static bool want_debug(struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	if (!image->file.obj || is_complete(image->file.obj) || wk_image_is_all_cached(image))
		return false;
	find_debug(image);
	want->kind = WK_FETCH_DEBUG;
	want->id = image->file.obj->build_id;
	return lacks_debug(image);
}

bool wk_image_want_remote(struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	*want = (struct wk_fetch_want){
		.kind = WK_FETCH_IMAGE,
		.id = image->key.build_id,
		.name = wk_str_basename(image->key.path),
		.path = image->key.path,
	};
	return !wk_image_is_vdso(image) && (lacks_file(image) || want_debug(image, want)) &&
	       want->id.size > 0;
}
