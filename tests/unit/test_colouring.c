#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/colours/named_palettes.h"

static struct wk_str s(const char *text)
{
	return wk_str_c(text);
}

/* all (10): a (6, of which b 4), c (4) */
static uint32_t parents[] = { 0, 0, 1, 0 }, ends[] = { 4, 3, 3, 4 }, depths[] = { 0, 1, 2, 1 };
static uint8_t kinds[] = { WK_NODE_WHOLE, WK_NODE_FUNCTION, WK_NODE_FUNCTION, WK_NODE_FUNCTION };
static struct wk_str node_names[] = { { "all", 3 }, { "a", 1 }, { "b", 1 }, { "c", 1 } };
static uint64_t totals[] = { 10, 6, 4, 4 };
static uint64_t before[] = { 0, 1, 4, 0 }, after[] = { 0, 2, 0, 4 };
static uint64_t all_before[] = { 5, 5, 4, 0 }, all_after[] = { 10, 2, 0, 4 };

static const struct wk_tree tree = {
	.count = 4, .depth_max = 2, .parent = parents, .end = ends, .depth = depths,
	.kind = kinds, .name = node_names, .total = totals,
	.self_before = before, .self_after = after,
	.total_before = all_before, .total_after = all_after,
};

static uint32_t colour(const struct wk_colouring_options *options, uint32_t node)
{
	struct wk_colouring *colouring = wk_colouring_new(options);
	uint32_t result = wk_colouring_of(colouring, &tree, node);

	wk_colouring_free(colouring);
	return result;
}

static void every_palette_is_found_by_its_name(void **state)
{
	enum wk_palette palette;

	(void)state;
	for (size_t i = 0; wk_palette_names[i]; i++) {
		assert_true(wk_palette_find(s(wk_palette_names[i]), &palette));
		assert_int_equal(palette, i);
	}
	assert_false(wk_palette_find(s("mauve"), &palette));
}

static void plain_palettes_begin_and_end_where_they_should(void **state)
{
	struct wk_colour_place low = { 0, 0, 0 }, high = { 1, 1, 1 };

	(void)state;
	assert_int_equal(wk_palette_colour(WK_PALETTE_HOT, low), 0xcd0000);
	assert_int_equal(wk_palette_colour(WK_PALETTE_HOT, high), 0xffe637);
	assert_int_equal(wk_palette_colour(WK_PALETTE_ORANGE, high), 0xff9b00);
	assert_int_equal(wk_palette_colour(WK_PALETTE_MEM, low), 0x00be00);
}

static void assert_hue(enum wk_palette palette, enum wk_colour_dialect dialect, const char *name,
		       enum wk_palette hue)
{
	assert_int_equal(wk_palette_hue(palette, dialect, s(name)), hue);
}

static void marks_decide_before_names_do(void **state)
{
	(void)state;
	for (int dialect = WK_COLOUR_WICK; dialect <= WK_COLOUR_INFERNO; dialect++) {
		assert_hue(WK_PALETTE_JAVA, dialect, "java/lang/A_[j]", WK_PALETTE_GREEN);
		assert_hue(WK_PALETTE_JAVA, dialect, "x_[i]", WK_PALETTE_AQUA);
		assert_hue(WK_PALETTE_JAVA, dialect, "vfs_read_[k]", WK_PALETTE_ORANGE);
		assert_hue(WK_PALETTE_JS, dialect, "f_[j]", WK_PALETTE_AQUA);
		assert_hue(WK_PALETTE_CHAIN, dialect, "f_[w]", WK_PALETTE_AQUA);
	}
}

static void the_tools_differ_in_what_is_java(void **state)
{
	(void)state;
	assert_hue(WK_PALETTE_JAVA, WK_COLOUR_PERL, "Compile", WK_PALETTE_RED);
	assert_hue(WK_PALETTE_JAVA, WK_COLOUR_INFERNO, "Compile", WK_PALETTE_GREEN);
	assert_hue(WK_PALETTE_JAVA, WK_COLOUR_PERL, "Lorg/x/Y", WK_PALETTE_GREEN);
	assert_hue(WK_PALETTE_JAVA, WK_COLOUR_INFERNO, "[a.event]", WK_PALETTE_RED);
}

static void rust_and_python_know_their_standard_libraries(void **state)
{
	(void)state;
	assert_hue(WK_PALETTE_RUST, WK_COLOUR_WICK, "<alloc::vec::Vec<T>>", WK_PALETTE_ORANGE);
	assert_hue(WK_PALETTE_RUST, WK_COLOUR_WICK, "shop::main", WK_PALETTE_AQUA);
	assert_hue(WK_PALETTE_PYTHON, WK_COLOUR_WICK, "lib/python3.9/site-packages/x.py",
		   WK_PALETTE_AQUA);
	assert_hue(WK_PALETTE_PYTHON, WK_COLOUR_WICK, "lib/python3.9/x.py", WK_PALETTE_YELLOW);
	assert_hue(WK_PALETTE_PYTHON, WK_COLOUR_WICK, "pythonic/x.py", WK_PALETTE_RED);
}

static void a_module_in_front_does_not_count_in_a_hash(void **state)
{
	struct wk_colour_place with, without;

	(void)state;
	with = wk_colour_hashed(WK_COLOUR_PERL, s("unix`idle"));
	without = wk_colour_hashed(WK_COLOUR_PERL, s("idle"));
	assert_true(with.v1 == without.v1);
	assert_true(wk_colour_hashed(WK_COLOUR_PERL, s("")).v1 == 1);
}

/* perl -e 'srand(197); print rand(1)' says 0.7188828432: "ad" sums to 197. */
static void the_scripts_colour_by_the_sum_of_a_names_bytes(void **state)
{
	struct wk_colour_place place = wk_colour_named(WK_COLOUR_PERL, s("ad"));

	(void)state;
	assert_true(place.v1 == wk_colour_named(WK_COLOUR_PERL, s("da")).v1);
	assert_true(place.v1 == place.v2 && place.v2 == place.v3);
	assert_true(place.v1 > 0.71888284 && place.v1 < 0.71888285);
}

static void chance_follows_the_order_of_drawing_not_of_asking(void **state)
{
	struct wk_colouring_options options = { .palette = WK_PALETTE_HOT,
						.dialect = WK_COLOUR_INFERNO };
	uint64_t sequence = 0;
	uint32_t first =
		wk_palette_colour(WK_PALETTE_HOT, wk_colour_next(WK_COLOUR_INFERNO, &sequence));
	uint32_t second =
		wk_palette_colour(WK_PALETTE_HOT, wk_colour_next(WK_COLOUR_INFERNO, &sequence));

	(void)state;
	/* a and b end together, a being the outer one; the whole ends with c, and before it. */
	assert_int_equal(colour(&options, 1), first);
	assert_int_equal(colour(&options, 2), second);
	assert_true(colour(&options, 0) != colour(&options, 3));
}

static void what_is_not_drawn_takes_no_number(void **state)
{
	struct wk_colouring_options options = { .palette = WK_PALETTE_HOT,
						.dialect = WK_COLOUR_INFERNO, .min_share = 0.5 };
	struct wk_colouring_options all = options;

	(void)state;
	all.min_share = 0;
	assert_int_equal(colour(&options, 0), colour(&all, 2));
}

static void a_change_is_white_red_or_blue(void **state)
{
	struct wk_colouring_options options = { .is_comparison = true,
						.dialect = WK_COLOUR_INFERNO };

	(void)state;
	assert_int_equal(colour(&options, 0), 0xfafafa);
	assert_int_equal(colour(&options, 3), 0xff6464); /* the largest change of all */
	assert_int_equal(colour(&options, 2), 0x6464ff);
	options.negates = true;
	assert_int_equal(colour(&options, 3), 0x6464ff);
	options = (struct wk_colouring_options){ .is_comparison = true,
						 .dialect = WK_COLOUR_PERL };
	assert_int_equal(colour(&options, 3), 0xff0000);
	assert_int_equal(colour(&options, 0), 0xffffff);
}

/* all: off-CPU, --, waker */
static void behind_a_separator_wakers_have_their_own_hue(void **state)
{
	static struct wk_str chain[] = { { "all", 3 }, { "wait", 4 }, { "--", 2 }, { "wake", 4 } };
	static uint32_t line_parents[] = { 0, 0, 1, 2 }, line_ends[] = { 4, 4, 4, 4 };
	static uint32_t line_depths[] = { 0, 1, 2, 3 };
	static uint64_t line_totals[] = { 5, 5, 5, 5 };
	struct wk_tree line = tree;
	struct wk_colouring_options options = { .palette = WK_PALETTE_CHAIN,
						.choice = WK_COLOUR_BY_HASH,
						.dialect = WK_COLOUR_PERL };
	struct wk_colouring *colouring = wk_colouring_new(&options);
	uint32_t wait, wake;

	(void)state;
	line.name = chain;
	line.parent = line_parents;
	line.end = line_ends;
	line.depth = line_depths;
	line.depth_max = 3;
	line.total = line_totals;
	wait = wk_colouring_of(colouring, &line, 1);
	wake = wk_colouring_of(colouring, &line, 3);
	assert_true((wait & 0xff) >= 205 && (wait >> 8 & 0xff) <= 140); /* blue */
	assert_true((wake >> 16) <= 110 && (wake >> 8 & 0xff) >= 165);  /* aqua */
	assert_int_equal(wk_colouring_of(colouring, &line, 2), 0xa0a0a0);
	wk_colouring_free(colouring);
}

/* An inner frame has a change of its own, too: that of all it calls. */
static void wick_colours_inner_frames_by_their_own_change(void **state)
{
	struct wk_colouring_options options = { .is_comparison = true };

	(void)state;
	assert_int_equal(colour(&options, 1) & 0xff, 0xff); /* 5 to 2: less */
	assert_true(colour(&options, 1) != 0x6464ff);
	assert_int_equal(colour(&options, 2), 0x6464ff); /* 4 to 0: gone */
	assert_int_equal(colour(&options, 3), 0xff6464); /* new */
}

static void a_map_keeps_colours_and_learns_new_ones(void **state)
{
	struct wk_colouring_options options = { .palette = WK_PALETTE_HOT,
						.choice = WK_COLOUR_BY_HASH,
						.dialect = WK_COLOUR_INFERNO };
	struct wk_colouring *colouring = wk_colouring_new(&options);
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_bad_lines bad = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	assert_true(wk_colouring_read_map(
		colouring, s("z->rgb(7,7,7)->rgb(1,2,3)\na->rgb( 9, 8,7)\n"), &bad, &err));
	assert_int_equal(bad.count, 0);
	assert_int_equal(wk_colouring_of(colouring, &tree, 1), 0x090807);
	wk_colouring_write_map(colouring, &out);
	wk_out_end(&out);
	assert_non_null(strstr(wk_buf_text(&text), "\na->rgb(9,8,7)\nb->rgb("));
	assert_non_null(strstr(wk_buf_text(&text), "\nz->rgb(7,7,7)->rgb(1,2,3)\n"));
	wk_buf_fini(&text);
	wk_colouring_free(colouring);
}

static void a_name_of_two_lines_is_one_line_of_a_map(void **state)
{
	struct wk_colouring_options options = { .palette = WK_PALETTE_HOT };
	struct wk_colouring *colouring = wk_colouring_new(&options), *next;
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_bad_lines bad = { 0 };
	struct wk_err err = { 0 };
	uint32_t first;

	(void)state;
	node_names[1] = s("a\nb\r");
	assert_true(wk_colouring_read_map(colouring, s(""), &bad, &err));
	first = wk_colouring_of(colouring, &tree, 1);
	wk_colouring_write_map(colouring, &out);
	wk_out_end(&out);
	assert_non_null(strstr(wk_buf_text(&text), "a\\x0ab\\x0d->rgb("));

	options.palette = WK_PALETTE_BLUE; /* would make it another */
	next = wk_colouring_new(&options);
	assert_true(wk_colouring_read_map(next, wk_buf_str(&text), &bad, &err));
	assert_int_equal(wk_colouring_of(next, &tree, 1), first);
	node_names[1] = s("a");
	wk_buf_fini(&text);
	wk_colouring_free(colouring);
	wk_colouring_free(next);
}

static void bad_lines_of_a_map_are_skipped(void **state)
{
	static const char *const wrong[] = { "a\n", "a->red\n", "a->rgb(1,2)\n",
					     "a->rgb(1,2,256)\n", "a->rgb(1,2,3,4)\n" };
	struct wk_colouring_options options = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wk_colouring *colouring = wk_colouring_new(&options);
		bool is_map = strstr(wrong[i], "->") != NULL;
		struct wk_bad_lines bad = { 0 };
		struct wk_err err = { 0 };

		assert_int_equal(wk_colouring_read_map(colouring, s(wrong[i]), &bad, &err), is_map);
		assert_int_equal(bad.count, 1);
		assert_int_equal(bad.first_number, 1);
		wk_colouring_free(colouring);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_palette_is_found_by_its_name),
		cmocka_unit_test(plain_palettes_begin_and_end_where_they_should),
		cmocka_unit_test(marks_decide_before_names_do),
		cmocka_unit_test(the_tools_differ_in_what_is_java),
		cmocka_unit_test(rust_and_python_know_their_standard_libraries),
		cmocka_unit_test(a_module_in_front_does_not_count_in_a_hash),
		cmocka_unit_test(the_scripts_colour_by_the_sum_of_a_names_bytes),
		cmocka_unit_test(chance_follows_the_order_of_drawing_not_of_asking),
		cmocka_unit_test(what_is_not_drawn_takes_no_number),
		cmocka_unit_test(a_change_is_white_red_or_blue),
		cmocka_unit_test(behind_a_separator_wakers_have_their_own_hue),
		cmocka_unit_test(wick_colours_inner_frames_by_their_own_change),
		cmocka_unit_test(a_map_keeps_colours_and_learns_new_ones),
		cmocka_unit_test(a_name_of_two_lines_is_one_line_of_a_map),
		cmocka_unit_test(bad_lines_of_a_map_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
