/* Any bytes as attributes of names, as a map of colours and as the stacks of a picture, parts
 * with a NUL between them: no name may become an element, and no link may run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "render/colours/colouring.h"
#include "render/renderers.h"
#include "render/svg/name_attributes.h"

static void demand(bool promise, const char *what)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", what);
		abort();
	}
}

static struct wk_str part(struct wk_str *rest)
{
	const char *end = rest->len ? memchr(rest->at, '\0', rest->len) : NULL;
	struct wk_str first = wk_str_of(rest->at, end ? (size_t)(end - rest->at) : rest->len);

	*rest = wk_str_skip(*rest, first.len + 1);
	return first;
}

static size_t count_of(const char *text, const char *piece)
{
	size_t count = 0;

	while ((text = strstr(text, piece))) {
		count++;
		text++;
	}
	return count;
}

static void check_picture(const struct wk_model *model, const struct wk_tree *tree,
			  struct wk_drawing drawing)
{
	struct wk_view view = { .model = model, .tree = tree, .drawing = drawing };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	if (wk_renderer_svg.render(&view, &out, NULL)) {
		demand(wk_out_end(&out), "it is written");
		demand(strlen(wk_buf_text(&text)) == text.len, "no NUL");
		demand(count_of(wk_buf_text(&text), "<script") == (drawing.has_no_script ? 0 : 3),
		       "no script but its own");
		demand(!strstr(wk_buf_text(&text), "href=\"javascript"), "no link runs");
	}
	wk_out_end(&out);
	wk_buf_fini(&text);
}

static void draw(const struct wk_model *model, struct wk_drawing drawing)
{
	struct wk_tree_options options = { .is_chart = drawing.is_chart, .most_nodes = 20 };
	struct wk_filter filter;
	struct wk_tree tree;

	demand(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL), "a filter");
	wk_tree_init(&tree, model, &filter, &options);
	check_picture(model, &tree, drawing);
	drawing.colouring = NULL;
	drawing.has_no_script = true;
	drawing.cuts_left = true;
	check_picture(model, &tree, drawing);
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_str rest = wk_str_of((const char *)data, size);
	struct wk_str attributes_text = part(&rest), map = part(&rest);
	struct wk_input input = { .bytes = wk_bytes_of(rest.at, rest.len), .name = "fuzz" };
	struct wk_colouring *colouring = wk_colouring_new(&(struct wk_colouring_options){
		.palette = WK_PALETTE_JAVA, .choice = WK_COLOUR_BY_NAME });
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_name_attributes attributes;
	struct wk_err err = { 0 };

	wk_name_attributes_init(&attributes, attributes_text, NULL, NULL);
	wk_colouring_read_map(colouring, map, &(struct wk_bad_lines){ 0 }, &err);
	wk_reader_folded.read(&input, &sink, &err);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	draw(model, (struct wk_drawing){ .attributes = &attributes, .colouring = colouring,
					 .is_chart = size & 1 });
	wk_model_free(model);
	wk_colouring_free(colouring);
	wk_name_attributes_fini(&attributes);
	return 0;
}
