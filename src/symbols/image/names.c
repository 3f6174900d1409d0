/* The names of an image: its own symbols, or those of its debug file if it is stripped. */
#include "symbols/image/image.h"
#include "symbols/object/pe.h"

bool wk_image_has_all_names(const struct wk_obj *obj)
{
	if (obj->kind == WK_OBJ_PE)
		return wk_pe_has_symbols(obj);
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].type == WK_SHT_SYMTAB && obj->sections[i].size_bytes > 0)
			return true;
	return false;
}

void wk_image_add_why(struct wk_buf *reason, struct wk_str why)
{
	wk_buf_add_text(reason, why.len ? "; " : "");
	wk_buf_add_str(reason, why);
}

/* The names of a Windows program are in its PDB. */
static void add_helper(const struct wk_image_symbols *image, struct wk_buf *reason)
{
	struct wk_str path;
	struct wk_pdb_id id = wk_image_pdb_id(image, &path);

	if (wk_pdb_id_is_none(&id)) {
		wk_buf_add_text(reason, image->file.obj && image->file.obj->pe
						? "a build with debug information"
						: "a debug package or an unstripped build");
		return;
	}
	wk_buf_add_text(reason, "its PDB, ");
	wk_buf_add_str(reason, wk_image_pdb_name(path));
	wk_buf_add_char(reason, ' ');
	wk_pdb_id_add(reason, &id);
	wk_buf_add_char(reason, ',');
}

static void add_what_would_help(struct wk_image_symbols *image)
{
	struct wk_buf *reason = &image->reason;

	wk_image_add_why(reason, wk_buf_str(&image->debug_reason));
	wk_image_add_why(reason, wk_buf_str(&image->places.pdb_why));
	if (wk_image_is_vdso(image))
		return;
	wk_buf_add_text(reason, "; ");
	add_helper(image, reason);
	wk_buf_add_fmt(reason, " would name %s",
		       image->state == WK_IMAGE_STRIPPED ? "it" : "the rest");
}

/* The debug file or, without one, the compressed names inside the image. */
static const struct wk_store_file *find_more_names(struct wk_image_symbols *image)
{
	if (wk_image_debug_obj(image))
		return &image->debug;
	if (wk_store_minidebug(&image->file, &image->packed, &image->debug_reason))
		return &image->packed;
	return NULL;
}

static void make_table_of_pdb(struct wk_image_symbols *image)
{
	const struct wk_image_debug *places = &image->places;

	image->names_from = places->pdb_file.path;
	image->has_all_names = true;
	image->tab = places->pdb ? wk_symtab_new_with_pdb(image->file.obj,
							  wk_image_debug_obj(image), places->pdb)
				 : wk_breakpad_names(places->breakpad);
}

/* A file with a full table needs no debug file, which has the same names. */
static void make_table(struct wk_image_symbols *image)
{
	const struct wk_store_file *file = &image->file, *other = NULL;

	if (wk_image_open_pdb(image)) {
		make_table_of_pdb(image);
		return;
	}
	if (!file->obj)
		return;
	image->has_all_names = wk_image_has_all_names(file->obj);
	if (!image->has_all_names) {
		other = find_more_names(image);
		image->has_all_names = other && wk_image_has_all_names(other->obj);
	}
	if (image->owner->as_perf)
		image->tab = wk_symtab_new_as_perf(file->obj, other ? other->obj : NULL);
	else
		image->tab = wk_symtab_new(file->obj, other ? other->obj : NULL);
	image->names_from = other ? other->path : file->path;
}

static bool read_cached_table(struct wk_image_symbols *image)
{
	struct wk_symtab *cached = wk_image_cached_names(image);

	if (!cached)
		return false;
	wk_symtab_free(image->tab);
	image->tab = cached;
	image->names_are_cached = true;
	image->has_all_names = image->cached.has_all_names;
	return true;
}

/* A cached table has one name per address, not always the one that perf chooses. For perf it is
 * used only if the files at hand do not have all names. */
static void choose_table(struct wk_image_symbols *image)
{
	bool as_perf = image->owner->as_perf;

	if (!as_perf && read_cached_table(image))
		return;
	make_table(image);
	if (as_perf && !image->has_all_names)
		read_cached_table(image);
}

/* The table does not contain the functions of a PDB's modules. */
static bool is_named(const struct wk_image_symbols *image)
{
	const struct wk_image_debug *places = &image->places;

	if (wk_symtab_count(image->tab) > 0)
		return true;
	return places->pdb ? !wk_pdb_is_stripped(places->pdb)
			   : places->breakpad || (wk_image_has_rvas(image) && !image->file.obj);
}

/* The file itself is gone, or another build took its path. */
static bool is_from_cache_alone(const struct wk_image_symbols *image)
{
	return image->names_are_cached && !image->file.obj && !wk_image_has_rvas(image);
}

/* Neither its file nor a replacement was found. */
static void report_missing(struct wk_image_symbols *image)
{
	if (image->state == WK_IMAGE_NAMED)
		image->state = WK_IMAGE_MISSING;
	wk_image_add_why(&image->reason, wk_buf_str(&image->places.pdb_why));
}

void wk_image_build_table(struct wk_image_symbols *image)
{
	struct wk_str from;

	choose_table(image);
	if (!image->tab) {
		report_missing(image);
		return;
	}
	wk_buf_reset(&image->reason);
	image->source_at = 0;
	from = image->names_are_cached ? image->cached.names.path : wk_str_c(image->names_from);
	if (!is_named(image)) {
		image->state = WK_IMAGE_STRIPPED;
		wk_buf_add_fmt(&image->reason, "%.*s is stripped of its names", WK_STR_ARG(from));
	} else {
		image->state = WK_IMAGE_NAMED;
		if (image->has_all_names || wk_image_is_vdso(image)) {
			wk_buf_add_text(&image->reason, "names from ");
			image->source_at = image->reason.len;
		} else {
			wk_buf_add_text(&image->reason, "only exported names from ");
		}
		if (is_from_cache_alone(image))
			wk_buf_add_text(&image->reason, "the symbol cache, read earlier from ");
		wk_buf_add_str(&image->reason, from);
	}
	if (!image->has_all_names)
		add_what_would_help(image);
}
