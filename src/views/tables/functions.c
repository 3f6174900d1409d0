/* The tables of what samples were in: functions and images. */
#include "views/tables/internal.h"

#include "base/mem.h"
#include "views/compare/alike_images.h"
#include "views/image_words.h"
#include "views/kind.h"
#include "views/own_code.h"
#include "views/tree/flat.h"

#define NOTABLE_PERCENT 1.0

/* Scripts have no images, but their functions have files. */
static struct wk_str origin_name(const struct wk_model *model, const struct wk_function *function)
{
	if (!function->image && function->file)
		return wk_str_basename(wk_model_str(model, function->file));
	return wk_image_name_of(model, function->image);
}

/* What both tables are filled from, and the rows left out. */
struct code {
	struct wk_table *table;
	const struct wk_model *model;
	const struct wk_filter *filter;
	const struct wk_table_options *options;
	struct wk_alike_images alike;
	struct wk_flat flat;
	uint32_t *hottest; /* wk_tables_hottest_lines; of functions only */
	uint8_t *own;      /* by row: it is or has own code; NULL: other code without weight of its
			    * own is not left out */
	uint64_t hidden_rows, hidden_weight;
};

static void begin(struct code *c, enum wk_flat_by by)
{
	wk_alike_images_init(&c->alike, c->model);
	wk_flat_init(&c->flat, c->model, c->filter, by, &c->options->tree);
	if (c->options->by_total)
		wk_flat_sort_by_total(&c->flat);
}

static void end(struct code *c, const char *one, const char *many)
{
	wk_tables_note_hidden(c->table, c->hidden_rows == 1 ? one : many, "self %", c->hidden_rows,
			      c->hidden_weight, c->flat.whole);
	wk_flat_fini(&c->flat);
	WK_FREE_ALL(c->hottest, c->own);
	wk_alike_images_fini(&c->alike);
}

static bool is_hidden(struct code *c, const struct wk_flat_row *row)
{
	if (!(c->own && !row->self && !c->own[row->id]) &&
	    !wk_tables_is_full(c->table, c->options) &&
	    !wk_tables_is_small(row->total, c->flat.whole, c->options->min_percent))
		return false;
	c->hidden_rows++;
	c->hidden_weight += row->self;
	return true;
}

static void shares(struct code *c, const struct wk_flat_row *row)
{
	wk_column_share(c->table, "self_percent", "self %", row->self, c->flat.whole);
	wk_column_share(c->table, "total_percent", "total %", row->total, c->flat.whole);
}

static void samples(struct code *c, const char *key, unsigned how, uint64_t weight,
		    uint64_t samples)
{
	wk_tables_samples(c->table, key, how, c->model, c->filter, c->flat.unit, weight, samples);
}

static void function_row(struct code *c, const struct wk_flat_row *row)
{
	const struct wk_model *model = c->model;
	const struct wk_function *function = &model->functions[row->id];
	const char *kind = wk_code_kind_name(model, wk_code_kind_of(model, row->id));
	struct wk_table *table = c->table;

	shares(c, row);
	wk_tables_weight_detail(table, "self", c->flat.unit, row->self);
	wk_tables_weight_detail(table, "total", c->flat.unit, row->total);
	samples(c, "self_samples", 1, row->self, row->self_samples);
	samples(c, "total_samples", WK_DETAIL, row->total, row->total_samples);
	wk_column_text(table, "kind", "kind of code", WK_DETAIL, wk_str_c(kind));
	wk_column_text_if(table, "linked_name", "linked name", WK_DETAIL, function->linked,
			  wk_model_str(model, function->linked));
	wk_tables_source(table, model, WK_DETAIL, c->hottest[row->id], 0);
	wk_column_text(table, "image", "image", 0, origin_name(model, function));
	wk_table_brief(table, c->alike.shown[function->image]);
	wk_tables_name(table, "function", "function", model, function->name);
}

/* Even if it is charged to the callers. */
static uint64_t heap_library_weight(const struct wk_flat *flat, const struct wk_model *model)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < flat->count; i++)
		if (wk_is_heap_library(model, flat->rows[i].id))
			weight += flat->rows[i].self;
	return weight;
}

void wk_tables_note_heap_library(struct wk_table *table, const struct wk_model *model,
				 const struct wk_filter *filter)
{
	static const struct wk_tree_options uncharged;
	struct wk_flat flat;
	uint64_t weight;

	if (!model->sources[filter->source].is_cpu_time || !wk_has_heap_library(model))
		return;
	wk_flat_init(&flat, model, filter, WK_FLAT_FUNCTIONS, &uncharged);
	weight = heap_library_weight(&flat, model);
	if (!wk_tables_is_small(weight, flat.whole, NOTABLE_PERCENT))
		wk_tables_note_share(table,
				     "of the CPU time is in wick's own heap library: what "
				     "recording the heap cost",
				     weight, flat.whole);
	wk_flat_fini(&flat);
}

void wk_tables_fill_functions(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct code c = { .table = table, .model = model, .filter = filter, .options = options };

	begin(&c, WK_FLAT_FUNCTIONS);
	c.hottest = wk_tables_hottest_lines(model, filter, options);
	c.own = options->hides_callers ? wk_own_code(model) : NULL;
	table->names_functions = true;
	function_row(&c, &(struct wk_flat_row){ 0 });
	for (uint32_t i = 0; i < c.flat.count; i++) {
		if (is_hidden(&c, &c.flat.rows[i]))
			continue;
		wk_table_row(table);
		function_row(&c, &c.flat.rows[i]);
	}
	end(&c, "function is", "functions are");
	wk_tables_note_heap_library(table, model, filter);
}

static void image_row(struct code *c, const struct wk_flat_row *row)
{
	const struct wk_model *model = c->model;
	const struct wk_image *image = &model->images[row->id];
	struct wk_table *table = c->table;

	shares(c, row);
	wk_tables_weight(table, "self", c->flat.unit, true, row->self);
	wk_tables_weight_detail(table, "total", c->flat.unit, row->total);
	samples(c, "samples", 0, row->total, row->total_samples);
	wk_column_text(table, "kind", "kind", WK_DETAIL, wk_str_c(wk_image_kind_name(image->kind)));
	wk_column_text(table, "build_id", "build id", WK_DETAIL,
		       wk_image_build_id_text(table, image));
	wk_column_text(table, "named", "named", WK_DETAIL,
		       wk_str_c(image->has_names ? "yes" : "no"));
	wk_column_text(table, "path", "path", WK_DETAIL, wk_image_path_of(model, row->id));
	wk_column_text(table, "image", "image", 0, wk_image_name_of(model, row->id));
	wk_table_brief(table, c->alike.shown[row->id]);
	wk_column_text(table, "names_from", "names from", 0, wk_image_names_from(model, image));
}

static void add_image(struct code *c, const struct wk_flat_row *row)
{
	wk_table_row(c->table);
	image_row(c, row);
}

/* wk_own_code by image. */
static uint8_t *own_images(const struct wk_model *model)
{
	uint8_t *own = wk_alloc_zeroed(model->image_count, 1), *code = wk_own_code(model);

	for (wk_function_id id = 1; code && id < model->function_count; id++)
		own[model->functions[id].image] |= code[id];
	wk_free(code);
	return own;
}

void wk_tables_fill_images(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct code c = { .table = table, .model = model, .filter = filter, .options = options };
	uint8_t *is_met = wk_alloc_zeroed(model->image_count, 1);
	uint32_t without = 0;

	begin(&c, WK_FLAT_IMAGES);
	c.own = options->hides_callers ? own_images(model) : NULL;
	image_row(&c, &(struct wk_flat_row){ 0 });
	for (uint32_t i = 0; i < c.flat.count; i++) {
		is_met[c.flat.rows[i].id] = 1;
		if (!is_hidden(&c, &c.flat.rows[i]))
			add_image(&c, &c.flat.rows[i]);
	}
	for (wk_image_id i = 1; i < model->image_count; i++) {
		if (is_met[i])
			continue;
		if (filter->is_narrowed)
			without++;
		else if (c.own || wk_tables_is_full(table, options) || options->min_percent > 0)
			c.hidden_rows++;
		else
			add_image(&c, &(struct wk_flat_row){ .id = i });
	}
	end(&c, "image is", "images are");
	wk_tables_note_without_samples(table, "image", "images", without);
	wk_free(is_met);
}
