#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text/utf8.h"
#include "names/label.h"
#include "render/renderers.h"
#include "small_model.h"

static struct wk_buf drawn(const struct wk_model *model, const struct wk_renderer *renderer,
			   struct wk_drawing drawing, bool by_weight)
{
	struct wk_tree_options options = {
		.by_process = true,
		.merge_images = renderer == &wk_renderer_folded,
		.is_chart = drawing.is_chart,
		.order = renderer == &wk_renderer_folded ? WK_TREE_BY_NAME : WK_TREE_BY_WEIGHT,
	};
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_quality quality;
	struct wk_filter filter;
	struct wk_tree tree;

	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	quality = wk_quality_of(model, &filter);
	wk_tree_init(&tree, model, &filter, &options);
	assert_true(renderer->render(&(struct wk_view){ .model = model,
							.quality = &quality,
							.tree = &tree,
							.drawing = drawing,
							.by_weight = by_weight },
				     &out, NULL));
	assert_true(wk_out_end(&out));
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
	return text;
}

static struct wk_buf svg_of(const char *const *lines, struct wk_drawing drawing)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf text = drawn(model, &wk_renderer_svg, drawing, false);

	wk_model_free(model);
	return text;
}

static size_t count_of(const struct wk_buf *text, const char *part)
{
	size_t count = 0;

	for (const char *at = wk_buf_text(text); (at = strstr(at, part)); at += strlen(part))
		count++;
	return count;
}

/* Rectangles of the picture for viewers without script. */
static size_t rectangles_of(const struct wk_buf *text)
{
	return count_of(text, "<g><title>");
}

/* Elements close in the order they opened, and every character is one that XML may hold. */
static void assert_well_formed(const struct wk_buf *svg)
{
	struct wk_str rest = wk_buf_str(svg);
	const char *at = wk_buf_text(svg);
	struct wk_str open[32];
	int depth = 0;

	while (rest.len) {
		uint32_t c = wk_utf8_next(&rest);

		assert_int_not_equal(c, WK_UTF8_BROKEN);
		assert_true(c >= 0x20 || c == '\n' || c == '\t');
		assert_true(c != 0xfffe && c != 0xffff);
	}
	while ((at = strchr(at, '<'))) {
		const char *end;
		struct wk_str name;

		if (strncmp(at, "<![CDATA[", 9) == 0) {
			at = strstr(at, "]]>");
			assert_non_null(at);
			continue;
		}
		end = strchr(at, '>');
		assert_non_null(end);
		name = wk_str_of(at + 1, strcspn(at + 1, " />\n"));
		if (at[1] == '/') {
			name = wk_str_of(at + 2, (size_t)(end - at) - 2);
			assert_true(depth > 0);
			assert_true(wk_str_eq(name, open[--depth]));
		} else if (at[1] != '?' && end[-1] != '/') {
			assert_true(depth < 32);
			open[depth++] = name;
		}
		at = end;
	}
	assert_int_equal(depth, 0);
}

static const char *const lines[] = { "demo;main;alpha 60", "demo;main;beta_[i] 30",
				     "demo;main;do_read_[k] 10", NULL };

static void a_picture_has_a_rectangle_for_each_node(void **state)
{
	struct wk_buf svg =
		svg_of(lines, (struct wk_drawing){ .title = "A & B", .subtitle = "997 Hz" });

	(void)state;
	assert_well_formed(&svg);
	assert_int_equal(rectangles_of(&svg), 6);
	assert_non_null(strstr(wk_buf_text(&svg), "<title>A &amp; B</title>"));
	assert_non_null(strstr(wk_buf_text(&svg), ">997 Hz \u00b7 100 samples, none lost"));
	assert_non_null(strstr(wk_buf_text(&svg), "<g><title>alpha (60.0 ms, 60.00%)</title>"));
	assert_non_null(strstr(wk_buf_text(&svg), ">beta [inlined]</text>"));
	assert_non_null(strstr(wk_buf_text(&svg), "</tspan> kernel 10.0 %"));
	wk_buf_fini(&svg);
}

/* A step between ticks is less than what tells such moments apart. */
static void the_axis_of_a_chart_ends_at_any_time(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf svg;

	(void)state;
	model->traits = &wk_traits_windows;
	for (uint32_t i = 0; i < model->samples.count; i++)
		model->samples.time_ns[i] = UINT64_MAX - 1000 + i;
	model->first_ns = model->samples.time_ns[0];
	svg = drawn(model, &wk_renderer_svg, (struct wk_drawing){ .is_chart = true }, false);
	assert_well_formed(&svg);
	assert_true(count_of(&svg, "class=\"tick\"") <= 13);
	wk_buf_fini(&svg);
	wk_model_free(model);
}

static double attribute(const struct wk_buf *svg, const char *title, const char *name)
{
	const char *at = strstr(wk_buf_text(svg), title);
	struct wk_buf key = { 0 };
	double value;

	assert_non_null(at);
	wk_buf_add_fmt(&key, " %s=\"", name);
	at = strstr(at, wk_buf_text(&key));
	assert_non_null(at);
	value = strtod(at + key.len, NULL);
	wk_buf_fini(&key);
	return value;
}

static void width_is_weight_and_children_stand_side_by_side(void **state)
{
	struct wk_buf svg = svg_of(lines, (struct wk_drawing){ .width = 1020 });

	(void)state; /* 1,000 pixels between margins of 10, less the gap of 1 */
	assert_float_equal(attribute(&svg, "<title>main (", "width"), 999, 0.01);
	assert_float_equal(attribute(&svg, "<title>alpha (", "x"), 10, 0.01);
	assert_float_equal(attribute(&svg, "<title>alpha (", "width"), 599, 0.01);
	assert_float_equal(attribute(&svg, "<title>beta (", "x"), 610, 0.01);
	assert_float_equal(attribute(&svg, "<title>do_read (", "x"), 910, 0.01);
	assert_float_equal(attribute(&svg, "<title>do_read (", "width"), 99, 0.01);
	wk_buf_fini(&svg);
}

static void flames_grow_up_and_icicles_grow_down(void **state)
{
	struct wk_buf flame = svg_of(lines, (struct wk_drawing){ 0 });
	struct wk_buf icicle = svg_of(lines, (struct wk_drawing){ .is_icicle = true });

	(void)state;
	assert_true(attribute(&flame, "<title>alpha (", "y") <
		    attribute(&flame, "<title>main (", "y"));
	assert_true(attribute(&icicle, "<title>alpha (", "y") >
		    attribute(&icicle, "<title>main (", "y"));
	assert_float_equal(attribute(&flame, "<svg", "height"),
			   attribute(&icicle, "<svg", "height"), 0);
	wk_buf_fini(&flame);
	wk_buf_fini(&icicle);
}

static void the_same_model_gives_the_same_bytes(void **state)
{
	struct wk_buf first = svg_of(lines, (struct wk_drawing){ 0 });
	struct wk_buf second = svg_of(lines, (struct wk_drawing){ 0 });

	(void)state;
	assert_true(wk_str_eq(wk_buf_str(&first), wk_buf_str(&second)));
	wk_buf_fini(&first);
	wk_buf_fini(&second);
}

static void frames_too_narrow_are_left_out_counted_and_still_in_the_data(void **state)
{
	struct wk_buf svg =
		svg_of((const char *[]){ "p;wide 99998", "p;thin;thinner 1", "p;slim 1", NULL },
		       (struct wk_drawing){ 0 });

	(void)state;
	assert_well_formed(&svg);
	assert_int_equal(rectangles_of(&svg), 3);
	assert_non_null(strstr(wk_buf_text(&svg),
			       "3 frames are narrower than 0.1 pixel and not drawn here"
			       " (&lt;0.1 % of the whole)"));
	/* "thin" has nothing of the name before it, "thinner" four letters */
	assert_non_null(strstr(wk_buf_text(&svg), "Athin\\nEner\\n"));
	wk_buf_fini(&svg);
}

static void hostile_names_are_only_ever_text(void **state)
{
	struct wk_buf svg = svg_of(
		(const char *[]){
			"</script><script>alert(1)</script>;]]><script>alert(2)</script> 3",
			"p;\"onload=\"alert(3) 3", "p;a\x01\x1b[2Jb 3", "p;\xff\xc0 broken 3",
			"p;<!--<![CDATA[ 3", "p;\xef\xbf\xbf no character 3",
			"p;\xe2\x80\xae"
			"desrever 3",
			"p;&amp;&#0; 3", NULL },
		(struct wk_drawing){ .title = "</title><script>alert(4)</script>",
				     .subtitle = "\x02<b>" });

	(void)state;
	assert_well_formed(&svg);
	assert_int_equal(count_of(&svg, "<script"), 4);
	assert_int_equal(count_of(&svg, "</script"), 4);
	assert_int_equal(count_of(&svg, "]]>"), 1);
	assert_int_equal(count_of(&svg, "onload=\"alert"), 0);
	assert_int_equal(count_of(&svg, "\xe2\x80\xae"), 0);
	assert_non_null(strstr(wk_buf_text(&svg), "a\\x01\\x1b[2Jb"));
	wk_buf_fini(&svg);
}

static void no_samples_make_no_picture(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_err err = { 0 };
	struct wk_filter filter;
	struct wk_tree tree;

	(void)state;
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_tree_init(&tree, model, &filter, &(struct wk_tree_options){ 0 });
	assert_false(wk_renderer_svg.render(&(struct wk_view){ .model = model, .tree = &tree },
					    &out, &err));
	assert_int_equal(err.code, WK_EEMPTY);
	assert_true(wk_out_end(&out));
	assert_int_equal(text.len, 0);
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void a_stack_of_ten_thousand_frames_is_drawn(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;f 1", NULL });
	wk_stack_id stack = 1;
	struct wk_buf svg;

	(void)state;
	for (int i = 0; i < 9999; i++)
		stack = wk_model_add_named(model, stack, model->named.entries[1].label);
	small_samples(model, 1, stack, 3, 1, SMALL_WEIGHT);
	small_resolved(model);
	svg = drawn(model, &wk_renderer_svg, (struct wk_drawing){ .has_no_script = true }, false);
	assert_well_formed(&svg);
	assert_int_equal(rectangles_of(&svg), 10002);
	wk_buf_fini(&svg);
	/* Where the script draws them anyway, not as many stand in the file twice. */
	svg = drawn(model, &wk_renderer_svg, (struct wk_drawing){ 0 }, false);
	assert_well_formed(&svg);
	assert_int_equal(rectangles_of(&svg), 2500);
	assert_non_null(strstr(wk_buf_text(&svg), "or deeper than 2499 and not drawn here"));
	wk_buf_fini(&svg);
	wk_model_free(model);
}

static void assert_folded(const char *const *stacks, bool by_weight, const char *expected)
{
	struct wk_model *model = small_model(stacks);
	struct wk_buf text = drawn(model, &wk_renderer_folded, (struct wk_drawing){ 0 }, by_weight);

	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void folded_stacks_stand_sorted_with_their_process_first(void **state)
{
	static const char *const stacks[] = { "q;main;b 2", "p;main;b 1", "p;main 4", "p;main;a 3",
					      NULL };

	(void)state;
	assert_folded(stacks, false, "p;main 4\np;main;a 3\np;main;b 1\nq;main;b 2\n");
	assert_folded(stacks, true,
		      "p;main 4000000\np;main;a 3000000\np;main;b 1000000\n"
		      "q;main;b 2000000\n");
}

static void folded_names_hold_neither_separators_nor_line_breaks(void **state)
{
	struct wk_model *model = small_empty_model();
	wk_thread_id thread = small_thread(model, wk_str_c("p;q"));
	uint32_t frame = small_frame(model, wk_str_c("f::<[u8; 4]>\nx"));
	struct wk_buf text;

	(void)state;
	small_samples(model, thread, wk_model_add_named(model, 0, frame), 2, 1, SMALL_WEIGHT);
	small_resolved(model);
	text = drawn(model, &wk_renderer_folded, (struct wk_drawing){ 0 }, false);
	assert_string_equal(wk_buf_text(&text), "p:q;f::<[u8: 4]>\\x0ax 2\n");
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void one_stack_of_two_images_is_one_folded_line(void **state)
{
	(void)state;
	assert_folded((const char *[]){ "p;/a!main 1", "p;/b!main 2", NULL }, false, "p;main 3\n");
}

static void assert_label(const char *name, size_t room, const char *expected)
{
	struct wk_buf label = { 0 };

	wk_buf_add_text(&label, name);
	wk_label_fit(&label, room);
	assert_string_equal(wk_buf_text(&label), expected);
	wk_buf_fini(&label);
}

static void a_label_keeps_what_tells_most(void **state)
{
	(void)state;
	assert_label("main", 4, "main");
	assert_label("main", 3, "");
	assert_label("mainly", 4, "mai…");
	assert_label("alloc::vec::Vec::push", 22, "alloc::vec::Vec::push");
	assert_label("alloc::vec::Vec::push", 16, "…vec::Vec::push");
	assert_label("alloc::vec::Vec::push", 8, "…c::push");
	assert_label("alloc::vec::Vec::push", 6, "…push");
	assert_label("alloc::vec::Vec::push", 4, "push");
	assert_label("alloc::vec::Vec::push_within", 6, "push_…");
	assert_label("f::{closure}::g", 12, "…closure}::g");
	assert_label("f(a::B)", 6, "f(a::…");
	assert_label("ns::(anonymous namespace)::work", 30, "…(anonymous namespace)::work");
	assert_label("unclosed(int", 9, "unclosed…");
	assert_label("a < b", 4, "a <…");
	assert_label("operator<<", 9, "operator…");
	assert_label("über_größe", 6, "über_…");
	assert_label("broken<<<", 5, "brok…");
	assert_label("::", 4, "::");
	assert_label("a::::b::cdefgh", 5, "cdef…");
	assert_label("a::::::b", 5, "…b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_picture_has_a_rectangle_for_each_node),
		cmocka_unit_test(the_axis_of_a_chart_ends_at_any_time),
		cmocka_unit_test(width_is_weight_and_children_stand_side_by_side),
		cmocka_unit_test(flames_grow_up_and_icicles_grow_down),
		cmocka_unit_test(the_same_model_gives_the_same_bytes),
		cmocka_unit_test(frames_too_narrow_are_left_out_counted_and_still_in_the_data),
		cmocka_unit_test(hostile_names_are_only_ever_text),
		cmocka_unit_test(no_samples_make_no_picture),
		cmocka_unit_test(a_stack_of_ten_thousand_frames_is_drawn),
		cmocka_unit_test(folded_stacks_stand_sorted_with_their_process_first),
		cmocka_unit_test(folded_names_hold_neither_separators_nor_line_breaks),
		cmocka_unit_test(one_stack_of_two_images_is_one_folded_line),
		cmocka_unit_test(a_label_keeps_what_tells_most),
	};

	return cmocka_run_group_tests_name("svg", tests, NULL, NULL);
}
