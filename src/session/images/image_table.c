#include "session/images/image_table.h"

#include "views/compare/alike_images.h"
#include "views/image_words.h"

/* Only Windows images have them. */
static bool has_store_keys(const struct wk_model *model)
{
	for (uint32_t i = 1; i < model->image_count; i++)
		if (model->images[i].pdb_path || model->images[i].time_stamp)
			return true;
	return false;
}

/* Text in a buffer, which is freed, as a cell. */
static void column(struct wk_table *table, const char *key, const char *title, unsigned how,
		   struct wk_buf *text)
{
	wk_column_text(table, key, title, how, wk_table_keep(table, wk_buf_str(text)));
	wk_buf_fini(text);
}

/* As in a symbol store: "app.pdb/KEY/app.pdb". */
static void store_key(struct wk_table *table, const struct wk_model *model, wk_image_id image)
{
	struct wk_buf path = { 0 }, key = { 0 };
	struct wk_str name;

	if (wk_image_store_key(model, image, &name, &key))
		wk_buf_add_fmt(&path, "%.*s/%s/%.*s", WK_STR_ARG(name), wk_buf_text(&key),
			       WK_STR_ARG(name));
	column(table, "store_key", "store key", WK_DETAIL, &path);
	wk_buf_fini(&key);
}

/* Where names or lines came from, and whether only the cache has them now. */
static void source(struct wk_table *table, const char *key, const char *title, struct wk_str source,
		   bool is_cached)
{
	struct wk_buf words = { 0 };

	wk_buf_add_str(&words, source);
	wk_buf_add_text(&words, is_cached ? ", from the symbol cache" : "");
	column(table, key, title, WK_DETAIL, &words);
}

/* Text prints fixes below the table, where their lines can be copied. */
static void row(struct wk_table *table, const struct wk_model *model,
		const struct wk_images_facts *all, const struct wk_image_facts *facts,
		struct wk_str brief, bool has_keys, bool has_fix)
{
	const struct wk_image *image = &model->images[facts->id];
	struct wk_buf lacks = { 0 };

	wk_column_share(table, "percent", "%", facts->samples, all->whole_samples);
	wk_column_number(table, WK_CELL_COUNT, "samples", "samples", 0, facts->samples);
	wk_column_text(table, "kind", "kind", WK_DETAIL, wk_str_c(wk_image_kind_name(image->kind)));
	wk_column_text(table, "build_id", "build id", WK_DETAIL,
		       wk_image_build_id_text(table, image));
	if (has_keys)
		store_key(table, model, facts->id);
	wk_column_text(table, "path", "path", WK_DETAIL, wk_image_path_of(model, facts->id));
	wk_column_text(table, "image", "image", 0, wk_image_name_of(model, facts->id));
	wk_table_brief(table, brief);
	wk_column_text(table, "names", "names", 0, wk_extent_word(facts->names));
	wk_column_text(table, "lines", "lines", 0, wk_extent_word(facts->lines));
	wk_column_text(table, "unwind", "unwind", 0, wk_str_c(facts->unwind));
	source(table, "names_from", "names from", wk_image_names_from(model, image),
	       facts->names_are_cached);
	source(table, "lines_from", "lines from", wk_image_lines_source(facts),
	       facts->lines_are_cached);
	if (has_fix)
		wk_column_text(table, "fix", "fix", WK_DETAIL, wk_buf_str(&facts->fix));
	wk_image_lacks_words(facts->lacks, &lacks);
	column(table, "lacks", "lacks", 0, &lacks);
}

void wk_image_table_fill(struct wk_table *table, const struct wk_model *model,
			 const struct wk_images_facts *facts, bool has_fix)
{
	bool has_keys = has_store_keys(model);
	struct wk_alike_images alike;

	wk_alike_images_init(&alike, model);
	row(table, model, facts, &(struct wk_image_facts){ 0 }, (struct wk_str){ 0 }, has_keys,
	    has_fix);
	table->names_functions = true; /* it is about what names them */
	for (size_t i = 0; i < facts->count; i++) {
		wk_table_row(table);
		row(table, model, facts, &facts->at[i], alike.shown[facts->at[i].id], has_keys,
		    has_fix);
	}
	wk_alike_images_fini(&alike);
	if (model->samples.count == 0)
		wk_table_note(table, "no samples, so no names were needed and no file was searched "
				     "for");
	else if (model->came_named)
		wk_table_note(table, "all names came with the recording, so no file was searched "
				     "for");
}
