/* The part of a tree that is shown, as the bytes that a page reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "columns_of.h"
#include "small_model.h"
#include "render/page/page_tree.h"

static uint32_t u32_at(const char *at)
{
	const uint8_t *bytes = (const uint8_t *)at;

	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static struct wk_buf answer_of(struct wk_model *model, const struct wk_tree_options *options,
			       const struct wk_cut_options *shown, bool has_before)
{
	struct wk_tree_weights weights;
	struct wk_buf answer = { 0 };
	struct wk_err err = { 0 };
	struct wk_tree_shape *shape;
	struct wk_event_rows *rows;
	struct wk_filter filter;
	struct wk_tree_cut cut;

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, &err))
		fail_msg("%s", err.text);
	rows = wk_event_rows_new(model, &filter);
	shape = wk_tree_shape_new(rows, options);
	wk_tree_weights_init(&weights, shape);
	wk_tree_weights_set(&weights, &(struct wk_row_selection){ .to_ns = UINT64_MAX });
	wk_tree_cut_init(&cut, &weights, has_before ? &weights : NULL, shown);
	wk_page_tree_write(&(struct wk_page_tree){ .shape = shape, .cut = &cut,
						   .has_before = has_before },
			   &answer);
	wk_tree_cut_fini(&cut);
	wk_tree_weights_fini(&weights);
	wk_tree_shape_free(shape);
	wk_event_rows_free(rows);
	wk_filter_fini(&filter);
	wk_model_free(model);
	return answer;
}

static const char *const lines[] = { "demo;main;work_[i] 60", "demo;main;a<\"b\"> 39",
				     "demo;main;idle 1", NULL };

static void an_answer_has_the_names_of_its_nodes_only(void **state)
{
	struct wk_buf answer =
		answer_of(small_model(lines), &(struct wk_tree_options){ .by_process = true },
			  &(struct wk_cut_options){ .share = 0.1 }, false);
	char *json = wk_strndup(answer.at + 4, u32_at(answer.at));

	(void)state;
	assert_string_equal(
		json,
		"{\"names\":{\"names\":[\"\",\"main\",\"work\",\"a\\u003c\\\"b\\\"\\u003e\"],\n"
		"\"short\":[\"\",\"\",\"\",\"a\"],\n\"image\":[0,1,1,1],\n"
		"\"kind\":[0,0,0,0],\n\"file\":[0,0,0,0],\n\"files\":[\"\"],\n"
		"\"unnamed\":[],\n\"startup\":[]}\n,\"texts\":[\"\",\"all\",\"demo\"],"
		"\"root\":0,\"current\":0,\"nodes\":6,"
		"\"levelsLeftOut\":0,\"cutStacks\":0,\"cutWeight\":0}");
	wk_free(json);
	wk_buf_fini(&answer);
}

/* The names and values of all columns, as "name 1 2 3", one in each line. */
static void add_columns(const struct wk_buf *answer, unsigned count, struct wk_buf *words)
{
	struct wk_buf block = { 0 };
	int64_t values[16];

	wk_buf_add(&block, answer->at + 4 + u32_at(answer->at),
		   answer->len - 4 - u32_at(answer->at));
	for (unsigned i = 0; i < count; i++) {
		struct column column = decode(&block, i, values);

		wk_buf_add_text(words, column.name);
		for (uint32_t row = 0; row < column.rows; row++)
			wk_buf_add_fmt(words, " %lld", (long long)values[row]);
		wk_buf_add_char(words, '\n');
	}
	wk_buf_fini(&block);
}

static void columns_have_a_row_for_each_node(void **state)
{
	struct wk_buf answer =
		answer_of(small_model(lines), &(struct wk_tree_options){ .by_process = true },
			  &(struct wk_cut_options){ .share = 0.1 }, false);
	struct wk_buf words = { 0 };

	(void)state;
	add_columns(&answer, 18, &words);
	assert_string_equal(wk_buf_text(&words),
			    "node 0 1 2 3 4\nparent 0 0 1 2 2\nkind 0 1 6 6 6\n"
			    "level 0 1 12 12 12\nid 0 1 0 0 0\n"
			    "function 0 0 1 2 3\ntext 1 2 0 0 0\ninlined 0 0 0 1 0\n"
			    "recursive 0 0 0 0 0\nfirst 0 0 0 0 60\nfirstTime 0 0 0 0 60000000\n"
			    "total 100000000 100000000 100000000 60000000 39000000\n"
			    "totalTimes 100 100 100 60 39\nself 0 0 0 60000000 39000000\n"
			    "selfTimes 0 0 0 60 39\nleft 0 0 1 0 0\n"
			    "leftWeight 0 0 1000000 0 0\nleftTimes 0 0 1 0 0\n");
	wk_buf_fini(&words);
	wk_buf_fini(&answer);
}

static void a_comparison_has_columns_of_the_other_side(void **state)
{
	struct wk_buf answer = answer_of(small_model(lines), &(struct wk_tree_options){ 0 },
					 &(struct wk_cut_options){ .share = 0.1 }, true);
	const char *block = answer.at + 4 + u32_at(answer.at);
	char *list = wk_strndup(block + 4, u32_at(block));

	(void)state;
	assert_non_null(strstr(list, "\"selfBefore\""));
	assert_non_null(strstr(list, "\"leftBeforeTimes\""));
	wk_free(list);
	wk_buf_fini(&answer);
}

static void a_recording_without_samples_is_the_whole(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_buf answer;

	(void)state;
	small_resolved(model);
	answer = answer_of(model, &(struct wk_tree_options){ 0 }, &(struct wk_cut_options){ 0 },
			   false);
	assert_non_null(strstr(answer.at + 4, "\"texts\":[\"\",\"all\"]"));
	assert_non_null(strstr(answer.at + 8 + u32_at(answer.at), "\"total\",\"rows\":1,"));
	wk_buf_fini(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_has_the_names_of_its_nodes_only),
		cmocka_unit_test(columns_have_a_row_for_each_node),
		cmocka_unit_test(a_comparison_has_columns_of_the_other_side),
		cmocka_unit_test(a_recording_without_samples_is_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
