#include "render/svg_data.h"

#include <inttypes.h>

#include "base/mem.h"
#include "render/palette.h"

static uint32_t add_entry(struct wk_svg_names *names, const struct wk_model *model,
			  const struct wk_tree *tree, uint32_t node)
{
	names->entries = wk_grow(names->entries, &names->cap, (size_t)names->count + 1,
				 sizeof(*names->entries));
	names->entries[names->count] = (struct wk_svg_name){
		.name = tree->name[node],
		.look = wk_palette_look(model, tree, node),
		.image = model->functions[tree->function[node]].image,
	};
	return names->count++;
}

void wk_svg_names_init(struct wk_svg_names *names, const struct wk_model *model,
		       const struct wk_tree *tree)
{
	/* Entry number + 1 of each function that was met. */
	uint32_t *of_function = wk_alloc_zeroed(model->function_count, sizeof(*of_function));

	*names = (struct wk_svg_names){ 0 };
	names->of_node = wk_alloc((size_t)tree->count * sizeof(*names->of_node));
	for (uint32_t node = 0; node < tree->count; node++) {
		uint32_t *known = &of_function[tree->function[node]];

		if (tree->kind[node] != WK_NODE_FUNCTION) {
			names->of_node[node] = add_entry(names, model, tree, node);
			continue;
		}
		if (!*known)
			*known = add_entry(names, model, tree, node) + 1;
		names->of_node[node] = *known - 1;
	}
	free(of_function);
}

void wk_svg_names_fini(struct wk_svg_names *names)
{
	free(names->of_node);
	free(names->entries);
	*names = (struct wk_svg_names){ 0 };
}

static void quoted(struct wk_out *out, struct wk_str text)
{
	struct wk_buf clean = { 0 };
	struct wk_out to_clean = wk_out_to_buf(&clean);

	wk_out_term(&to_clean, text);
	wk_out_end(&to_clean);
	wk_out_char(out, '"');
	wk_out_json(out, wk_buf_str(&clean));
	wk_out_char(out, '"');
	wk_buf_fini(&clean);
}

/* A comma before all but the first, and a line break now and then for those who look. */
static void separate(struct wk_out *out, uint32_t index)
{
	if (index)
		wk_out_text(out, index % 64 ? "," : ",\n");
}

static void name_columns(struct wk_out *out, const struct wk_model *model,
			 const struct wk_svg_names *names)
{
	/* Number of each image met, in order of their first name; 0 is none. */
	uint32_t *image_numbers = wk_alloc_zeroed(model->image_count, sizeof(*image_numbers));
	uint32_t images = 1;

	wk_out_text(out, "\"names\":[");
	for (uint32_t i = 0; i < names->count; i++) {
		separate(out, i);
		quoted(out, names->entries[i].name);
	}
	wk_out_text(out, "],\n\"look\":[");
	for (uint32_t i = 0; i < names->count; i++) {
		separate(out, i);
		wk_out_fmt(out, "%u", names->entries[i].look);
	}
	wk_out_text(out, "],\n\"images\":[\"\"");
	for (uint32_t i = 0; i < names->count; i++) {
		wk_image_id image = names->entries[i].image;

		if (image == 0 || image_numbers[image])
			continue;
		image_numbers[image] = images++;
		wk_out_char(out, ',');
		quoted(out, wk_model_str(model, model->images[image].name));
	}
	wk_out_text(out, "],\n\"image\":[");
	for (uint32_t i = 0; i < names->count; i++) {
		separate(out, i);
		wk_out_fmt(out, "%" PRIu32, image_numbers[names->entries[i].image]);
	}
	wk_out_text(out, "],\n");
	free(image_numbers);
}

static void column_u32(struct wk_out *out, const char *key, const uint32_t *values, uint32_t count)
{
	wk_out_fmt(out, "\"%s\":[", key);
	for (uint32_t i = 0; i < count; i++) {
		separate(out, i);
		wk_out_fmt(out, "%" PRIu32, values[i]);
	}
	wk_out_text(out, "],\n");
}

static void node_columns(struct wk_out *out, const struct wk_tree *tree,
			 const struct wk_svg_names *names)
{
	uint32_t inlined = 0;

	column_u32(out, "name", names->of_node, tree->count);
	column_u32(out, "depth", tree->depth, tree->count);
	if (!wk_str_is(tree->unit, "samples"))
		column_u32(out, "samples", tree->self_samples, tree->count);
	wk_out_text(out, "\"self\":[");
	for (uint32_t i = 0; i < tree->count; i++) {
		separate(out, i);
		wk_out_fmt(out, "%" PRIu64, tree->self[i]);
	}
	wk_out_text(out, "],\n\"inlined\":[");
	for (uint32_t i = 0; i < tree->count; i++) {
		if (!tree->is_inlined[i])
			continue;
		separate(out, inlined++);
		wk_out_fmt(out, "%" PRIu32, i);
	}
	wk_out_char(out, ']');
}

void wk_svg_data(struct wk_out *out, const struct wk_model *model, const struct wk_tree *tree,
		 const struct wk_svg_names *names)
{
	wk_out_text(out, "\"unit\":");
	quoted(out, tree->unit);
	wk_out_fmt(out, ",\n\"shades\":%d,\n\"kinds\":[", WK_SHADES);
	for (unsigned i = 0; i < WK_LOOK_KINDS; i++) {
		wk_out_text(out, i ? "," : "");
		quoted(out, wk_str_c(wk_palette_kind_name(i)));
	}
	wk_out_text(out, "],\n\"unknown\":[");
	for (unsigned i = 0, met = 0; i < WK_LOOK_KINDS; i++)
		if (wk_palette_is_unknown(i))
			wk_out_fmt(out, "%s%u", met++ ? "," : "", i);
	wk_out_text(out, "],\n");
	name_columns(out, model, names);
	node_columns(out, tree, names);
}
