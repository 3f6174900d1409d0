/* A model out of folded lines, as the reader and the builder make it, and a tree in words. */
#ifndef WK_TESTS_FOLDED_MODEL_H
#define WK_TESTS_FOLDED_MODEL_H

#include <string.h>

#include "formats/reader.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "tree_of.h"

/* `stacks`: what is known from input to input, or NULL. */
static inline struct wk_model *folded_model_with(struct wk_stack_store *stacks,
						 const char *const *inputs, size_t count)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_err err = { 0 };

	sink.stacks = stacks;
	for (size_t i = 0; i < count; i++) {
		struct wk_input input = {
			.bytes = wk_bytes_of(inputs[i], strlen(inputs[i])), .name = "test" };

		if (i)
			wk_builder_next_input(builder);
		if (!wk_reader_folded.read(&input, &sink, &err))
			fail_msg("%s", err.text);
	}
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	if (!model_check(model, &err))
		fail_msg("%s", err.text);
	return model;
}

static inline struct wk_model *folded_model(const char *const *inputs, size_t count)
{
	return folded_model_with(NULL, inputs, count);
}

/* "name total self", and of a comparison " before>after", a line a node, indented by depth. */
static inline void tree_words(const struct wk_tree *tree, struct wk_buf *words)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		wk_buf_add_fmt(words, "%*s%.*s %u %u", (int)tree->depth[i], "",
			       WK_STR_ARG(tree->name[i]), (unsigned)tree->total[i],
			       (unsigned)tree->self[i]);
		if (tree->total_before)
			wk_buf_add_fmt(words, " %u>%u", (unsigned)tree->total_before[i],
				       (unsigned)tree->total_after[i]);
		wk_buf_add_char(words, '\n');
	}
}

static inline void assert_tree_of(const char *input, struct wk_tree_options options,
				  const char *expected)
{
	struct wk_model *model = folded_model(&input, 1);
	struct wk_tree tree = tree_of(model, options);
	struct wk_buf words = { 0 };

	tree_words(&tree, &words);
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

#endif
