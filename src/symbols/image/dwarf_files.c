#include "symbols/image/dwarf_files.h"

#include "base/mem.h"

struct wk_dwarf_files {
	const struct wk_store_file *image, *info;
	const char *const *debug_dirs;
	struct wk_store_file alternate, package;
	struct wk_store_file *split;
	size_t split_count, split_cap;
	struct wk_buf why;
};

struct wk_dwarf_files *wk_dwarf_files_new(const struct wk_store_file *image,
					  const struct wk_store_file *info,
					  const char *const *debug_dirs)
{
	struct wk_dwarf_files *files = wk_alloc_zeroed(1, sizeof(*files));

	files->image = image;
	files->info = info;
	files->debug_dirs = debug_dirs;
	return files;
}

void wk_dwarf_files_free(struct wk_dwarf_files *files)
{
	if (!files)
		return;
	wk_store_close(&files->alternate);
	wk_store_close(&files->package);
	for (size_t i = 0; i < files->split_count; i++)
		wk_store_close(&files->split[i]);
	wk_free(files->split);
	wk_buf_fini(&files->why);
	wk_free(files);
}

/* Only the first sentence is used. */
static void report(struct wk_dwarf_files *files, const struct wk_buf *why)
{
	if (files->why.len == 0)
		wk_buf_add_str(&files->why, wk_buf_str(why));
}

/* The parsed file does not move when the list grows. */
static const struct wk_obj *open_split(void *context, struct wk_str directory, struct wk_str name,
				       uint64_t id)
{
	struct wk_dwarf_files *files = context;
	struct wk_store_file file;
	struct wk_buf why = { 0 };
	bool found = wk_store_split(files->image, files->debug_dirs, directory, name, &file, &why);

	(void)id;
	report(files, &why);
	wk_buf_fini(&why);
	if (!found)
		return NULL;
	*WK_APPEND(files->split, files->split_count, files->split_cap) = file;
	return file.obj;
}

void wk_dwarf_files_fill(struct wk_dwarf_files *files, struct wk_dwarf_input *input)
{
	const struct wk_store_file *debug = files->info != files->image ? files->info : NULL;
	struct wk_buf why = { 0 };

	wk_store_alternate(files->info, files->debug_dirs, &files->alternate, &why);
	report(files, &why);
	wk_store_package(files->image, debug, files->debug_dirs, &files->package, &why);
	report(files, &why);
	wk_buf_fini(&why);
	*input = (struct wk_dwarf_input){
		.obj = files->info->obj,
		.alternate = files->alternate.obj,
		.package = files->package.obj,
		.open_split = open_split,
		.context = files,
	};
}

struct wk_str wk_dwarf_files_why(const struct wk_dwarf_files *files)
{
	return wk_buf_str(&files->why);
}
