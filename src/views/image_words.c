#include "views/image_words.h"

#include "base/buf.h"
#include "event/pdb_id.h"

static struct wk_str or_none(struct wk_str text)
{
	return text.len ? text : wk_str_c("(none)");
}

const char *wk_image_kind_name(enum wk_image_kind kind)
{
	static const char *const kinds[] = {
		[WK_IMAGE_FILE] = "file", [WK_IMAGE_VDSO] = "vdso", [WK_IMAGE_KERNEL] = "kernel",
		[WK_IMAGE_ANONYMOUS] = "anonymous", [WK_IMAGE_UNKNOWN] = "unknown",
	};

	return kinds[kind];
}

struct wk_str wk_image_name_of(const struct wk_model *model, wk_image_id image)
{
	return or_none(wk_model_str(model, model->images[image].name));
}

struct wk_str wk_image_path_of(const struct wk_model *model, wk_image_id image)
{
	return or_none(wk_model_str(model, model->images[image].path));
}

struct wk_str wk_image_build_id_text(struct wk_table *table, const struct wk_image *image)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_build_id_add(&text, &image->build_id, image->pdb_path != 0);
	kept = wk_table_keep(table, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

struct wk_str wk_image_names_from(const struct wk_model *model, const struct wk_image *image)
{
	return wk_model_str(model, image->names_source ? image->names_source : image->reason);
}
