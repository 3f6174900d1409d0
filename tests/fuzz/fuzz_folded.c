/* Any bytes as folded stacks, then every shape of tree of them: no weight may be lost on the way
 * from the samples to the nodes. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/reader.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "views/tree/tree.h"

static void demand(bool promise, const char *what)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", what);
		abort();
	}
}

static void check_tree(const struct wk_model *model, const struct wk_filter *filter,
		       struct wk_tree_options options)
{
	struct wk_tree tree;
	uint64_t self = 0;

	wk_tree_init(&tree, model, filter, &options);
	for (uint32_t i = 0; i < tree.count; i++) {
		self += tree.self[i];
		demand(i == 0 || tree.parent[i] < i, "a parent comes first");
		demand(tree.end[i] > i && tree.end[i] <= tree.count, "a subtree ends");
	}
	demand(self == tree.total[0], "no weight is lost");
	demand(!options.most_nodes || tree.count <= options.most_nodes + 1, "the limit holds");
	wk_tree_fini(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_input input = { .bytes = wk_bytes_of(data, size), .name = "fuzz" };
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_filter filter;
	struct wk_err err = { 0 };

	wk_reader_folded.read(&input, &sink, &err);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	demand(model_check(model, &err), err.text);
	demand(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, &err), err.text);
	check_tree(model, &filter, (struct wk_tree_options){ .order = WK_TREE_BY_TEXT });
	check_tree(model, &filter, (struct wk_tree_options){ .inverted = true });
	check_tree(model, &filter, (struct wk_tree_options){ .is_chart = true });
	check_tree(model, &filter, (struct wk_tree_options){ .collapses_recursion = true,
							     .side = WK_TREE_LARGER });
	check_tree(model, &filter, (struct wk_tree_options){ .most_nodes = 3 });
	wk_filter_fini(&filter);
	wk_model_free(model);
	return 0;
}
