/* The files that an image's debug information refers to: the file that dwz shares between several,
 * the package of split units, and split files. One of another build is not used. */
#include "base/mem.h"
#include "symbols/image/image.h"

void wk_image_debug_close_files(struct wk_image_debug *places)
{
	wk_store_close(&places->alternate);
	wk_store_close(&places->package);
	for (size_t i = 0; i < places->split_count; i++)
		wk_store_close(&places->split[i]);
	wk_free(places->split);
	wk_buf_fini(&places->files_why);
}

/* Only the first sentence is used. */
static void report(struct wk_image_debug *places, struct wk_buf *why)
{
	if (places->files_why.len == 0)
		wk_buf_add_str(&places->files_why, wk_buf_str(why));
	wk_buf_fini(why);
}

/* The parsed file does not move when the list grows. */
static const struct wk_obj *open_split(void *context, struct wk_str directory, struct wk_str name,
				       uint64_t id)
{
	struct wk_image_symbols *image = context;
	struct wk_image_debug *places = &image->places;
	struct wk_store_file file;
	struct wk_buf why = { 0 };
	bool found = wk_store_split(&image->file, image->owner->debug_dirs, directory, name, &file,
				    &why);

	(void)id;
	report(places, &why);
	if (!found)
		return NULL;
	*WK_APPEND(places->split, places->split_count, places->split_cap) = file;
	return file.obj;
}

struct wk_dwarf_input wk_image_dwarf_input(struct wk_image_symbols *image,
					   const struct wk_store_file *info)
{
	const struct wk_store_file *debug = info != &image->file ? info : NULL;
	const char *const *debug_dirs = image->owner->debug_dirs;
	struct wk_image_debug *places = &image->places;
	struct wk_buf why = { 0 };

	wk_store_alternate(info, debug_dirs, &places->alternate, &why);
	report(places, &why);
	wk_store_package(&image->file, debug, debug_dirs, &places->package, &why);
	report(places, &why);
	return (struct wk_dwarf_input){
		.obj = info->obj,
		.alternate = places->alternate.obj,
		.package = places->package.obj,
		.open_split = open_split,
		.context = image,
	};
}
