/* Finds the PDB of an image, of the same build, and the file of a missing image: both along the
 * symbol path. */
#include "symbols/image/image.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/file_name.h"
#include "base/text/printf.h"
#include "os/os.h"
#include "symbols/object/pe.h"

#define MOST_PATH 4096 /* bytes; longer ones are not looked for */

struct wk_str wk_image_pdb_name(struct wk_str path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '/' || path.at[i - 1] == '\\')
			return wk_str_skip(path, i);
	return path;
}

static struct wk_str suffix_of(struct wk_str name)
{
	for (size_t i = name.len; i > 0; i--)
		if (name.at[i - 1] == '.')
			return wk_str_skip(name, i);
	return wk_str_c("");
}

struct wk_pdb_id wk_image_pdb_id(const struct wk_image_symbols *image, struct wk_str *path)
{
	const struct wk_pe *pe = image->file.obj ? image->file.obj->pe : NULL;

	if (pe && !wk_pdb_id_is_none(&pe->pdb)) {
		*path = pe->pdb_path;
		return pe->pdb;
	}
	*path = image->key.pdb_path;
	return path->len ? wk_pdb_id_of_build_id(&image->key.build_id) : (struct wk_pdb_id){ 0 };
}

static bool has_pdb(const struct wk_image_debug *places)
{
	return places->pdb || places->breakpad;
}

static void use(struct wk_image_symbols *image, const struct wk_fetch_found *found)
{
	struct wk_image_debug *places = &image->places;

	places->pdb = found->pdb;
	places->breakpad = found->breakpad;
	places->pdb_file = found->file;
}

/* Opens the file at the path that `format` gives, if it is the image's. */
__attribute__((format(WK_PRINTF, 3, 4))) static bool try_path(struct wk_image_symbols *image,
							      const struct wk_fetch_want *want,
							      const char *format, ...)
{
	struct wk_buf *why = &image->places.pdb_why;
	struct wk_fetch_found found = { 0 };
	struct wk_err err = { 0 };
	char path[MOST_PATH];
	va_list values;
	int len;

	va_start(values, format);
	len = vsnprintf(path, sizeof(path), format, values);
	va_end(values);
	if (len >= MOST_PATH || !wk_os_is_there(path) || wk_os_is_folder(path))
		return false;
	if (!wk_fetch_found_open_path(&found, want, path, &err)) {
		wk_buf_add_fmt(why, "%s%s: %s", why->len ? "; " : "", path, err.text);
		image->places.has_unfit_pdb = true;
		return false;
	}
	use(image, &found);
	return true;
}

bool wk_image_is_in_view(const struct wk_image_symbols *image)
{
	return !image->owner->is_narrowed || image->is_in_view;
}

/* Searches the symbol path; `pdb_why` gets the answers of its sources. */
static bool ask_path(struct wk_image_symbols *image, const struct wk_fetch_want *want,
		     struct wk_fetch_found *found)
{
	struct wk_buf *why = &image->places.pdb_why, said = { 0 };
	bool is_found =
		!image->owner->is_live && wk_fetcher_get(image->owner->fetcher, want, found, &said);

	if (!is_found && said.len) {
		wk_buf_add_fmt(why, "%s%.*s ", why->len ? "; " : "", WK_STR_ARG(want->name));
		wk_fetch_want_key(want, why);
		wk_buf_add_fmt(why, " was looked for: %s", wk_buf_text(&said));
		image->places.has_unfit_pdb = true;
	}
	wk_buf_fini(&said);
	return is_found;
}

/* A recording may contain names that are devices on Windows or lead to other folders: these are not
 * searched for, neither there nor in a store that a Windows machine may share. */
static void say_no_name(struct wk_image_symbols *image, struct wk_str name)
{
	struct wk_buf *why = &image->places.pdb_why;

	if (name.len == 0 || wk_file_name_is_windows(name))
		return;
	wk_buf_add_fmt(why, "%s%.*s was not looked for: no file of Windows can be called so",
		       why->len ? "; " : "", (int)(name.len < 300 ? name.len : 300), name.at);
	image->places.has_unfit_pdb = true;
}

/* The image's PDB as a query; false if it has none that can be searched for. */
static bool want_pdb(const struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	struct wk_str linked_as;

	*want = (struct wk_fetch_want){ .kind = WK_FETCH_PDB,
					.pdb = wk_image_pdb_id(image, &linked_as) };
	want->name = wk_image_pdb_name(linked_as);
	want->suffix = suffix_of(wk_image_pdb_name(image->key.path));
	want->asks_no_server = !wk_image_is_in_view(image);
	return !wk_pdb_id_is_none(&want->pdb) && wk_file_name_is_windows(want->name);
}

/* Searches the folders of this machine that are not in the symbol path: plain ones, or with the
 * layout of symbol stores. An image may be known only by its PDB. */
static bool find_here(struct wk_image_symbols *image, const struct wk_fetch_want *want)
{
	const char *const *folder = image->owner->debug_dirs;
	struct wk_str path = image->key.path, beside = wk_str_c(image->file.path);
	struct wk_str name = want->name;
	struct wk_buf key = { 0 };
	bool is_open;

	wk_fetch_want_key(want, &key);
	beside.len -= wk_str_basename(beside).len;
	is_open = (wk_str_eq(path, image->key.pdb_path) &&
		   try_path(image, want, "%.*s", WK_STR_ARG(path))) ||
		  (image->file.obj &&
		   try_path(image, want, "%.*s%.*s", WK_STR_ARG(beside), WK_STR_ARG(name)));
	for (; !is_open && *folder; folder++)
		is_open = try_path(image, want, "%s/%.*s", *folder, WK_STR_ARG(name)) ||
			  try_path(image, want, "%s/%.*s/%s/%.*s", *folder, WK_STR_ARG(name),
				   wk_buf_text(&key), WK_STR_ARG(name));
	wk_buf_fini(&key);
	return is_open;
}

/* A PDB of another build is reported once. */
static bool look_here(struct wk_image_symbols *image, const struct wk_fetch_want *want)
{
	struct wk_image_debug *places = &image->places;

	if (has_pdb(places))
		return true;
	if (wk_pdb_id_eq(&places->looked_here_for, &want->pdb))
		return false;
	places->looked_here_for = want->pdb;
	return find_here(image, want);
}

static bool find_pdb(struct wk_image_symbols *image)
{
	struct wk_fetch_found found = { 0 };
	struct wk_fetch_want want;

	if (!want_pdb(image, &want)) {
		if (!wk_pdb_id_is_none(&want.pdb))
			say_no_name(image, want.name);
		return false;
	}
	if (look_here(image, &want))
		return true;
	if (!ask_path(image, &want, &found))
		return false;
	use(image, &found);
	return true;
}

/* The image's file, which may contain names, or the id of its PDB. If that id is known, servers are
 * not queried: one without the PDB has a few exported names at best. */
static bool want_file(const struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	struct wk_str path;
	struct wk_pdb_id id = wk_image_pdb_id(image, &path);

	*want = (struct wk_fetch_want){
		.kind = WK_FETCH_PE,
		.name = wk_image_pdb_name(image->key.path),
		.time_stamp = image->key.time_stamp,
		.image_bytes = image->key.image_bytes,
		.asks_no_server = !wk_image_is_in_view(image) || !wk_pdb_id_is_none(&id),
	};
	return !image->file.obj && want->time_stamp && want->image_bytes;
}

bool wk_image_find_file(struct wk_image_symbols *image)
{
	struct wk_fetch_found found = { 0 };
	struct wk_fetch_want want;

	if (image->places.file_was_searched || !want_file(image, &want))
		return false;
	image->places.file_was_searched = !image->owner->is_live;
	say_no_name(image, want.name);
	if (!wk_file_name_is_windows(want.name) || !ask_path(image, &want, &found))
		return false;
	image->file = found.file;
	image->state = WK_IMAGE_NAMED;
	return true;
}

bool wk_image_want(struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	if (has_pdb(&image->places) || image->places.pdb_was_searched)
		return false;
	if (want_pdb(image, want))
		return !look_here(image, want);
	return want_file(image, want) && !want->asks_no_server &&
	       wk_file_name_is_windows(want->name);
}

bool wk_image_open_pdb(struct wk_image_symbols *image)
{
	struct wk_image_debug *places = &image->places;
	struct wk_str path;
	struct wk_pdb_id known;

	if (places->pdb_was_searched || has_pdb(places))
		return has_pdb(places);
	places->pdb_was_searched = !(image->owner->is_live && image->owner->fetcher);
	known = wk_image_pdb_id(image, &path);
	if (!find_pdb(image) && wk_image_find_file(image) && wk_pdb_id_is_none(&known))
		find_pdb(image);
	return has_pdb(places);
}

bool wk_image_key_of_pdb(const char *path, struct wk_image_key *key, struct wk_err *err)
{
	struct wk_os_file file;
	struct wk_pdb *pdb = NULL;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	if (wk_pdb_is(wk_bytes_of(file.at, file.size_bytes)))
		pdb = wk_pdb_open(file.at, file.size_bytes, err);
	if (pdb)
		*key = (struct wk_image_key){
			.path = wk_str_c(path),
			.pdb_path = wk_str_c(path),
			.build_id = wk_pdb_id_as_build_id(wk_pdb_id(pdb)),
		};
	wk_pdb_free(pdb);
	wk_os_close(&file);
	return pdb != NULL;
}

void wk_image_pdb(struct wk_image_symbols *image, struct wk_image_pdb *pdb)
{
	const struct wk_image_debug *places = &image->places;
	bool is_found = wk_image_open_pdb(image);

	*pdb = (struct wk_image_pdb){ .path = is_found ? places->pdb_file.path : NULL };
	pdb->id = wk_image_pdb_id(image, &pdb->linked_as);
	if (places->pdb && wk_pdb_is_stripped(places->pdb))
		pdb->stripped = wk_pdb_why_stripped(places->pdb);
}

struct public_taker {
	bool (*take)(void *context, const struct wk_obj_symbol *symbol);
	void *context;
};

static bool read_public(void *context, const struct wk_pdb_public *symbol)
{
	const struct public_taker *taker = context;

	return taker->take(taker->context, &(struct wk_obj_symbol){ .name = symbol->name,
								    .vaddr = symbol->rva });
}

void wk_image_each_public(struct wk_image_symbols *image,
			  bool (*take)(void *context, const struct wk_obj_symbol *symbol),
			  void *context)
{
	struct public_taker taker = { take, context };

	if (wk_image_open_pdb(image) && image->places.pdb)
		wk_pdb_each_public(image->places.pdb, read_public, &taker);
}

bool wk_image_pdb_covers(struct wk_image_symbols *image, uint64_t rva)
{
	if (!wk_image_open_pdb(image) || !image->places.pdb)
		return false;
	return wk_pdb_section_end(image->places.pdb, rva) != 0;
}
