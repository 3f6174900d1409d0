#include "views/compare/alike_images.h"

#include <stdlib.h>

#include "base/mem.h"

/* Beyond, the whole path is shown. */
#define MOST_COMPARED 32 /* files of one name */
#define MOST_PARTS    6

/* Windows paths ignore case; no two files differ only in that. */
static int compare(struct wk_str a, struct wk_str b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; i < shorter; i++)
		if (wk_lower(a.at[i]) != wk_lower(b.at[i]))
			return (unsigned char)wk_lower(a.at[i]) < (unsigned char)wk_lower(b.at[i])
				       ? -1
				       : 1;
	return (a.len > b.len) - (a.len < b.len);
}

/* An image with its file's name and path. */
struct file {
	struct wk_str name, path;
	wk_image_id id;
};

static int by_name_and_path(const void *left, const void *right)
{
	const struct file *a = left, *b = right;
	int order = compare(a->name, b->name);

	order = order ? order : compare(a->path, b->path);
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

/* The last `parts` parts of the path. */
static struct wk_str end_of(struct wk_str path, uint32_t parts)
{
	for (size_t i = path.len; i > 0; i--)
		if ((path.at[i - 1] == '\\' || path.at[i - 1] == '/') && --parts == 0)
			return wk_str_skip(path, i);
	return path;
}

static bool is_only_one(const struct file *files, size_t count, const struct file *file,
			struct wk_str end, uint32_t parts)
{
	for (size_t i = 0; i < count; i++)
		if (compare(files[i].path, file->path) != 0 &&
		    compare(end_of(files[i].path, parts), end) == 0)
			return false;
	return true;
}

static struct wk_str shortest(const struct file *files, size_t count, const struct file *file)
{
	for (uint32_t parts = 2; count <= MOST_COMPARED && parts <= MOST_PARTS; parts++) {
		struct wk_str end = end_of(file->path, parts);

		if (is_only_one(files, count, file, end, parts))
			return end;
	}
	return file->path;
}

/* Files of one name. */
static void report_apart(struct wk_alike_images *alike, const struct file *files, size_t count)
{
	if (compare(files[0].path, files[count - 1].path) == 0)
		return;
	for (size_t i = 0; i < count; i++)
		alike->shown[files[i].id] = shortest(files, count, &files[i]);
}

void wk_alike_images_init(struct wk_alike_images *alike, const struct wk_model *model)
{
	struct file *files = wk_alloc(model->image_count * sizeof(*files) + 1);
	size_t count = 0, end;

	*alike = (struct wk_alike_images){
		.model = model,
		.shown = wk_alloc_zeroed(model->image_count + 1, sizeof(*alike->shown)),
	};
	for (wk_image_id id = 1; id < model->image_count; id++)
		if (model->images[id].kind == WK_IMAGE_FILE)
			files[count++] = (struct file){
				wk_model_str(model, model->images[id].name),
				wk_model_str(model, model->images[id].path), id };
	qsort(files, count, sizeof(*files), by_name_and_path);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && compare(files[i].name, files[end].name) == 0;)
			end++;
		report_apart(alike, files + i, end - i);
	}
	wk_free(files);
}

void wk_alike_images_fini(struct wk_alike_images *alike)
{
	wk_free(alike->shown);
	alike->shown = NULL;
}
