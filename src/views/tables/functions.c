/* The tables of what samples were in: functions and images. */
#include "views/tables/internal.h"

#include "base/mem.h"
#include "views/compare/alike_images.h"
#include "views/image_words.h"
#include "views/kind.h"
#include "views/tree/flat.h"

/* Scripts have no images, but their functions have files. */
static struct wk_str origin_name(const struct wk_model *model, const struct wk_function *function)
{
	if (!function->image && function->file)
		return wk_str_basename(wk_model_str(model, function->file));
	return wk_image_name_of(model, function->image);
}

static void origin_cell(struct wk_table *table, const struct wk_alike_images *alike,
			const struct wk_function *function)
{
	wk_table_text(table, origin_name(alike->model, function));
	wk_table_brief(table, alike->shown[function->image]);
}

/* What a table has left out, of either kind. */
struct hidden {
	uint64_t rows, weight;
};

static bool is_hidden(const struct wk_table *table, const struct wk_table_options *options,
		      const struct wk_flat *flat, const struct wk_flat_row *row,
		      struct hidden *hidden)
{
	if (!wk_tables_is_full(table, options) &&
	    !wk_tables_is_small(row->total, flat->whole, options->min_percent))
		return false;
	hidden->rows++;
	hidden->weight += row->self;
	return true;
}

static void function_columns(struct wk_table *table, struct wk_str unit,
			     const struct wk_model *model, const struct wk_filter *filter)
{
	wk_table_column(table, WK_CELL_SHARE, "self_percent", "self %");
	wk_table_column(table, WK_CELL_SHARE, "total_percent", "total %");
	wk_tables_weight_detail(table, "self", unit);
	wk_tables_weight_detail(table, "total", unit);
	wk_tables_samples_column(table, "self_samples", model, filter);
	wk_table_spare(table, 1);
	wk_tables_samples_column(table, "total_samples", model, filter);
	wk_table_detail(table);
	wk_table_detail_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail_column(table, WK_CELL_TEXT, "linked_name", "linked name");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "function", "function");
	table->names_functions = true;
}

static void function_row(struct wk_table *table, const struct wk_alike_images *alike,
			 const struct wk_flat *flat, const struct wk_flat_row *row)
{
	const struct wk_model *model = alike->model;
	const struct wk_function *function = &model->functions[row->id];

	wk_table_row(table);
	wk_table_share(table, row->self, flat->whole);
	wk_table_share(table, row->total, flat->whole);
	wk_tables_weight_cell(table, flat->unit, row->self);
	wk_tables_weight_cell(table, flat->unit, row->total);
	wk_tables_samples_cell(table, flat->unit, row->self, row->self_samples);
	wk_tables_samples_cell(table, flat->unit, row->total, row->total_samples);
	wk_table_text(table, wk_str_c(wk_code_kind_name(model, wk_code_kind_of(model, row->id))));
	if (function->linked)
		wk_table_text(table, wk_model_str(model, function->linked));
	else
		wk_table_none(table);
	origin_cell(table, alike, function);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, function->name), "(unknown)"));
}

void wk_tables_fill_functions(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct hidden hidden = { 0 };
	struct wk_alike_images alike;
	struct wk_flat flat;

	wk_alike_images_init(&alike, model);
	wk_flat_init(&flat, model, filter, WK_FLAT_FUNCTIONS);
	if (options->by_total)
		wk_flat_sort_by_total(&flat);
	function_columns(table, flat.unit, model, filter);
	for (uint32_t i = 0; i < flat.count; i++)
		if (!is_hidden(table, options, &flat, &flat.rows[i], &hidden))
			function_row(table, &alike, &flat, &flat.rows[i]);
	wk_tables_note_hidden(table, hidden.rows == 1 ? "function is" : "functions are", "self %",
			      hidden.rows, hidden.weight, flat.whole);
	wk_flat_fini(&flat);
	wk_alike_images_fini(&alike);
}

static void image_row(struct wk_table *table, const struct wk_alike_images *alike,
		      const struct wk_flat *flat, const struct wk_flat_row *row)
{
	const struct wk_model *model = alike->model;
	const struct wk_image *image = &model->images[row->id];

	wk_table_row(table);
	wk_table_share(table, row->self, flat->whole);
	wk_table_share(table, row->total, flat->whole);
	wk_table_number(table, row->self);
	wk_tables_weight_cell(table, flat->unit, row->total);
	wk_tables_samples_cell(table, flat->unit, row->total, row->total_samples);
	wk_table_text(table, wk_str_c(wk_image_kind_name(image->kind)));
	wk_table_text(table, wk_image_build_id_text(table, image));
	wk_table_text(table, wk_str_c(image->has_names ? "yes" : "no"));
	wk_table_text(table, wk_image_path_of(model, row->id));
	wk_table_text(table, wk_image_name_of(model, row->id));
	wk_table_brief(table, alike->shown[row->id]);
	wk_table_text(table, wk_image_names_from(model, image));
}

static void image_columns(struct wk_table *table, struct wk_str unit, const struct wk_model *model,
			  const struct wk_filter *filter)
{
	wk_table_column(table, WK_CELL_SHARE, "self_percent", "self %");
	wk_table_column(table, WK_CELL_SHARE, "total_percent", "total %");
	wk_table_weight_column(table, "self", unit);
	wk_table_detail(table);
	wk_tables_weight_detail(table, "total", unit);
	wk_tables_samples_column(table, "samples", model, filter);
	wk_table_detail_column(table, WK_CELL_TEXT, "kind", "kind");
	wk_table_detail_column(table, WK_CELL_TEXT, "build_id", "build id");
	wk_table_detail_column(table, WK_CELL_TEXT, "named", "named");
	wk_table_detail_column(table, WK_CELL_TEXT, "path", "path");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	wk_table_column(table, WK_CELL_TEXT, "names_from", "names from");
}

void wk_tables_fill_images(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint8_t *is_met = wk_alloc_zeroed(model->image_count, 1);
	struct hidden hidden = { 0 };
	uint32_t without = 0;
	struct wk_alike_images alike;
	struct wk_flat flat;

	wk_alike_images_init(&alike, model);
	wk_flat_init(&flat, model, filter, WK_FLAT_IMAGES);
	if (options->by_total)
		wk_flat_sort_by_total(&flat);
	image_columns(table, flat.unit, model, filter);
	for (uint32_t i = 0; i < flat.count; i++) {
		is_met[flat.rows[i].id] = 1;
		if (!is_hidden(table, options, &flat, &flat.rows[i], &hidden))
			image_row(table, &alike, &flat, &flat.rows[i]);
	}
	for (wk_image_id i = 1; i < model->image_count; i++) {
		if (is_met[i])
			continue;
		if (filter->is_narrowed)
			without++;
		else if (wk_tables_is_full(table, options) || options->min_percent > 0)
			hidden.rows++;
		else
			image_row(table, &alike, &flat, &(struct wk_flat_row){ .id = i });
	}
	wk_tables_note_hidden(table, hidden.rows == 1 ? "image is" : "images are", "self %",
			      hidden.rows, hidden.weight, flat.whole);
	wk_tables_note_without_samples(table, "image", "images", without);
	wk_flat_fini(&flat);
	wk_alike_images_fini(&alike);
	wk_free(is_met);
}
