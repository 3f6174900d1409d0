#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_model.h"
#include "views/filter/images_in_view.h"

/* A model whose frames have no names yet: "process;image+1;image+2 count". */
static void add(struct wk_model *model, const char *process, const char *const *images,
		uint64_t count)
{
	wk_thread_id thread = small_thread(model, wk_str_c(process));
	wk_stack_id stack = 0;

	for (; *images; images++) {
		wk_image_id image = 0;

		for (wk_image_id i = 1; i < model->image_count && !image; i++)
			if (wk_str_is(wk_model_str(model, model->images[i].path), *images))
				image = i;
		if (!image)
			image = small_image(model, wk_str_c(*images));
		stack = wk_model_add_stack(model, stack,
					   wk_model_add_frame(model, image, 16 * image));
	}
	small_samples(model, thread, stack, count, 1, SMALL_WEIGHT);
}

static struct wk_model *unnamed_model(void)
{
	struct wk_model *model = small_empty_model();

	add(model, "one", (const char *const[]){ "/a", "/b", "/a", "/c", NULL }, 10);
	add(model, "one", (const char *const[]){ "/a", "/b", NULL }, 5);
	add(model, "two", (const char *const[]){ "/c", "/c", "/d", NULL }, 20);
	add(model, "two", (const char *const[]){ "/d", NULL }, 1);
	add(model, "two", (const char *const[]){ "/e", NULL }, 0);
	return model;
}

static void check(const struct wk_filter_spec *spec, const char *expected)
{
	struct wk_model *model = unnamed_model();
	struct wk_images_in_view images = wk_images_in_view(model, spec, false);
	struct wk_buf text = { 0 };

	for (size_t i = 0; i < images.count; i++)
		wk_buf_add_fmt(&text, "%s %d\n",
			       wk_strtab_get(model->text, model->images[images.at[i].id].path),
			       (int)images.at[i].samples);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_images_in_view_fini(&images);
	wk_model_free(model);
}

static void a_sample_counts_once_for_each_image_on_its_stack(void **state)
{
	(void)state;
	check(&(struct wk_filter_spec){ 0 }, "/c 30\n/d 21\n/a 15\n/b 15\n");
}

static void what_a_filter_leaves_out_is_not_in_view(void **state)
{
	(void)state;
	check(&(struct wk_filter_spec){ .process = "one" }, "/a 15\n/b 15\n/c 10\n");
	check(&(struct wk_filter_spec){ .thread = "two" }, "/d 21\n/c 20\n");
	check(&(struct wk_filter_spec){ .image = "/a" }, "/a 15\n/b 15\n/c 10\n");
	check(&(struct wk_filter_spec){ .image = "/c", .process = "two" }, "/c 20\n/d 20\n");
	check(&(struct wk_filter_spec){ .time = "35ms-" }, "/d 1\n");
}

static void functions_are_not_known_and_leave_nothing_out(void **state)
{
	(void)state;
	check(&(struct wk_filter_spec){ .function = "main", .process = "one" },
	      "/a 15\n/b 15\n/c 10\n");
}

static void what_makes_no_sense_shows_nothing(void **state)
{
	(void)state;
	check(&(struct wk_filter_spec){ .process = "[" }, "");
	check(&(struct wk_filter_spec){ .time = "never" }, "");
	check(&(struct wk_filter_spec){ .source = "nothing" }, "");
}

static void frames_that_came_with_their_names_need_no_others(void **state)
{
	struct wk_model *model = small_empty_model();
	wk_function_id function = wk_model_add_function(model, &(struct wk_function){
		.name = wk_model_text(model, wk_str_c("jitted")),
		.image = small_image(model, wk_str_c("/managed")) });
	wk_frame_id frame = wk_model_add_supplied_frame(
		model, &(struct wk_supplied_frame){ .function = function });
	struct wk_images_in_view images;

	(void)state;
	small_samples(model, small_thread(model, wk_str_c("x")),
		      wk_model_add_stack(model, 0, frame), 3, 1, SMALL_WEIGHT);
	images = wk_images_in_view(model, &(struct wk_filter_spec){ 0 }, true);
	assert_int_equal(images.count, 0);
	wk_images_in_view_fini(&images);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_counts_once_for_each_image_on_its_stack),
		cmocka_unit_test(what_a_filter_leaves_out_is_not_in_view),
		cmocka_unit_test(functions_are_not_known_and_leave_nothing_out),
		cmocka_unit_test(what_makes_no_sense_shows_nothing),
		cmocka_unit_test(frames_that_came_with_their_names_need_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
