#include "session/images/image_table.h"

#include "views/compare/alike_images.h"
#include "views/image_words.h"

/* Text prints fixes below the table, where their lines can be copied. */
static void columns(struct wk_table *table, bool has_keys, bool has_fix)
{
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	wk_table_column(table, WK_CELL_COUNT, "samples", "samples");
	wk_table_detail_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail_column(table, WK_CELL_TEXT, "build_id", "build id");
	if (has_keys)
		wk_table_detail_column(table, WK_CELL_TEXT, "store_key", "store key");
	wk_table_detail_column(table, WK_CELL_TEXT, "path", "path");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "names", "names");
	wk_table_column(table, WK_CELL_TEXT, "lines", "lines");
	wk_table_column(table, WK_CELL_TEXT, "unwind", "unwind");
	wk_table_detail_column(table, WK_CELL_TEXT, "names_from", "names from");
	wk_table_detail_column(table, WK_CELL_TEXT, "lines_from", "lines from");
	if (has_fix)
		wk_table_detail_column(table, WK_CELL_TEXT, "fix", "fix");
	wk_table_column(table, WK_CELL_TEXT, "lacks", "lacks");
}

/* Only Windows images have them. */
static bool has_store_keys(const struct wk_model *model)
{
	for (uint32_t i = 1; i < model->image_count; i++)
		if (model->images[i].pdb_path || model->images[i].time_stamp)
			return true;
	return false;
}

/* As a symbol store has it: "app.pdb/KEY/app.pdb". */
static void store_key_cell(struct wk_table *table, const struct wk_model *model, wk_image_id image)
{
	struct wk_buf path = { 0 }, key = { 0 };
	struct wk_str name;

	if (wk_image_store_key(model, image, &name, &key))
		wk_buf_add_fmt(&path, "%.*s/%s/%.*s", WK_STR_ARG(name), wk_buf_text(&key),
			       WK_STR_ARG(name));
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&path)));
	wk_buf_fini(&key);
	wk_buf_fini(&path);
}

static void lacks_cell(struct wk_table *table, unsigned lacks)
{
	struct wk_buf words = { 0 };

	wk_image_lacks_words(lacks, &words);
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&words)));
	wk_buf_fini(&words);
}

/* Where names or lines came from, and whether only the cache has them now. */
static void source_cell(struct wk_table *table, struct wk_str source, bool is_kept)
{
	struct wk_buf words = { 0 };

	wk_buf_add_str(&words, source);
	wk_buf_add_text(&words, is_kept ? ", from the symbol cache" : "");
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&words)));
	wk_buf_fini(&words);
}

static void row(struct wk_table *table, const struct wk_model *model,
		const struct wk_images_facts *all, const struct wk_image_facts *facts,
		struct wk_str brief, bool has_keys, bool has_fix)
{
	const struct wk_image *image = &model->images[facts->id];

	wk_table_row(table);
	wk_table_share(table, facts->samples, all->whole_samples);
	wk_table_number(table, facts->samples);
	wk_table_text(table, wk_str_c(wk_image_kind_name(image->kind)));
	wk_table_text(table, wk_image_build_id_text(table, image));
	if (has_keys)
		store_key_cell(table, model, facts->id);
	wk_table_text(table, wk_image_path_of(model, facts->id));
	wk_table_text(table, wk_image_name_of(model, facts->id));
	wk_table_brief(table, brief);
	wk_table_text(table, wk_extent_word(facts->names));
	wk_table_text(table, wk_extent_word(facts->lines));
	wk_table_text(table, wk_str_c(facts->unwind));
	source_cell(table, wk_image_names_from(model, image), facts->names_are_kept);
	source_cell(table, wk_image_lines_source(facts), facts->lines_are_kept);
	if (has_fix)
		wk_table_text(table, wk_buf_str(&facts->fix));
	lacks_cell(table, facts->lacks);
}

void wk_image_table_fill(struct wk_table *table, const struct wk_model *model,
			 const struct wk_images_facts *facts, bool has_fix)
{
	bool has_keys = has_store_keys(model);
	struct wk_alike_images alike;

	wk_alike_images_init(&alike, model);
	columns(table, has_keys, has_fix);
	table->names_functions = true; /* it is about what names them */
	for (size_t i = 0; i < facts->count; i++)
		row(table, model, facts, &facts->at[i], alike.shown[facts->at[i].id], has_keys,
		    has_fix);
	wk_alike_images_fini(&alike);
	if (model->samples.count == 0)
		wk_table_note(table, "no samples, so no names were needed and no file was searched "
				     "for");
	else if (model->came_named)
		wk_table_note(table, "all names came with the recording, so no file was searched "
				     "for");
}
