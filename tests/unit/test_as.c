#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/heap.h"
#include "cli/as/tool.h"
#include "formats/reader.h"
#include "session/fold/restack.h"
#include "session/fold/stack_counts.h"
#include "session/fold/tally.h"

/* Lines of folded text, told as events; what comes out as lines again is compared. */
static void tell(const struct wk_sink *sink, const char *text)
{
	struct wk_input input = { .bytes = wk_bytes_of(text, strlen(text)), .name = "test" };
	struct wk_err err = { 0 };

	assert_true(wk_reader_folded.read(&input, sink, &err));
}

static void comes_as(struct wk_tally *tally, const char *expected)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	wk_tally_write(tally, &out);
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_tally_fini(tally);
}

static void lines_are_sorted_by_their_text(void **state)
{
	struct wk_tally tally;
	struct wk_sink sink;

	(void)state;
	wk_tally_init(&tally);
	sink = wk_tally_sink(&tally);
	tell(&sink, "b 1\na;z 2\na.x;c 3\na 4\nab 5\na;b;c 6\na;b 7\na+ 8\n");
	comes_as(&tally, "a 4\na+ 8\na.x;c 3\na;b 7\na;b;c 6\na;z 2\nab 5\nb 1\n");
}

static size_t most_grown;

static void *allocate(void *context, size_t size_bytes)
{
	(void)context;
	return malloc(size_bytes);
}

static void *grow(void *context, void *at, size_t size_bytes)
{
	(void)context;
	if (size_bytes > most_grown)
		most_grown = size_bytes;
	return realloc(at, size_bytes);
}

static void release(void *context, void *at)
{
	(void)context;
	free(at);
}

/* One frame below the other, and no branch. */
static void write_deep_stack(void *context)
{
	size_t frames = *(size_t *)context;
	struct wk_buf line = { 0 }, expected = { 0 };
	struct wk_tally tally;
	struct wk_sink sink;

	for (size_t i = 0; i < frames; i++)
		wk_buf_add_text(&line, i ? ";a" : "a");
	wk_buf_add_text(&line, " 1\n");
	wk_buf_add_str(&expected, wk_buf_str(&line));
	wk_tally_init(&tally);
	sink = wk_tally_sink(&tally);
	tell(&sink, wk_buf_text(&line));
	most_grown = 0;
	comes_as(&tally, wk_buf_text(&expected));
	WK_BUF_FINI_ALL(&line, &expected);
}

static void a_deep_stack_needs_little_more_than_its_text(void **state)
{
	struct wk_allocator counting = { .alloc = allocate, .realloc = grow, .free = release };
	struct wk_heap *heap = wk_heap_new(&counting);
	size_t frames = 200000;

	(void)state;
	assert_true(wk_heap_run(heap, write_deep_stack, &frames));
	wk_heap_free(heap);
	assert_in_range(most_grown, 1, 4 * frames);
}

static void stacks_of_one_text_are_one_line(void **state)
{
	struct wk_tally tally;
	struct wk_sink sink;

	(void)state;
	wk_tally_init(&tally);
	sink = wk_tally_sink(&tally);
	tell(&sink, "a;b 1\na;c 1\na;b 2\n");
	tell(&sink, "a;b 4\nd 0\n"); /* another input numbers its stacks anew */
	comes_as(&tally, "a;b 7\na;c 1\nd 0\n");
}

static void direct_recursion_is_one_frame_if_asked(void **state)
{
	struct wk_tally tally;
	struct wk_sink sink;

	(void)state;
	wk_tally_init(&tally);
	tally.collapses_recursion = true;
	sink = wk_tally_sink(&tally);
	tell(&sink, "m;r;r;r;h 1\nm;r;h 2\nm;r;h;r;r 3\n");
	comes_as(&tally, "m;r;h 3\nm;r;h;r 3\n");
}

static void weights_stop_at_the_largest_number(void **state)
{
	struct wk_tally tally;
	struct wk_sink sink;

	(void)state;
	wk_tally_init(&tally);
	sink = wk_tally_sink(&tally);
	tell(&sink, "a 18446744073709551615\na 5\n");
	comes_as(&tally, "a 18446744073709551615\n");
}

static void restacked_is(struct wk_restack restack, const char *text, const char *expected)
{
	struct wk_tally tally;
	struct wk_sink last, sink;
	struct wk_err err = { 0 };

	wk_tally_init(&tally);
	last = wk_tally_sink(&tally);
	wk_restack_begin(&restack, &last);
	sink = wk_restack_sink(&restack);
	tell(&sink, text);
	assert_true(wk_restack_end(&restack, &err));
	comes_as(&tally, expected);
}

static void stacks_begin_at_their_innermost_base(void **state)
{
	static const char *const base[] = { "f", "g", NULL };

	(void)state;
	restacked_is((struct wk_restack){ .base = base }, "a;f;b;g;c 1\na;f;b 2\na;b 4\n",
		     "f;b 2\ng;c 1\n");
	/* The last frame is no base, as inferno has it. */
	restacked_is((struct wk_restack){ .base = base }, "a;f;b;g 1\na;g 2\n", "f;b;g 1\n");
}

static void stacks_can_be_turned_round(void **state)
{
	(void)state;
	restacked_is((struct wk_restack){ .reverses = true }, "a;b;c 1\na;c 2\na;b;c 4\n",
		     "c;a 2\nc;b;a 5\n");
	restacked_is((struct wk_restack){ 0 }, "a;b 1\n", "a;b 1\n");
}

/* ---- difffolded */

static unsigned bad_lines, fractions;

static void count_bad(void *context, struct wk_str line)
{
	(void)context;
	(void)line;
	bad_lines++;
}

static void count_fraction(void *context, struct wk_str line)
{
	(void)context;
	(void)line;
	fractions++;
}

static void side_by_side(struct wk_stack_counts counts, bool normalises, const char *before,
			 const char *after, const char *expected)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	bad_lines = fractions = 0;
	counts.bad_line = count_bad;
	counts.fraction = count_fraction;
	wk_stack_counts_read(&counts, wk_bytes_of(before, strlen(before)), 0);
	wk_stack_counts_read(&counts, wk_bytes_of(after, strlen(after)), 1);
	if (normalises)
		wk_stack_counts_normalise(&counts);
	wk_stack_counts_write(&counts, &out);
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_stack_counts_fini(&counts);
}

static void both_files_counts_stand_side_by_side(void **state)
{
	(void)state;
	side_by_side((struct wk_stack_counts){ 0 }, false, "a;b 1\nc d 2\na;b 3\n", "x 5\na;b 7",
		     "a;b 4 7\nc d 2 0\nx 0 5\n");
}

static void normalised_counts_add_up_to_those_after(void **state)
{
	(void)state;
	side_by_side((struct wk_stack_counts){ 0 }, true, "a 1\nb 3\n", "a 8\n", "a 2 8\nb 6 0\n");
	side_by_side((struct wk_stack_counts){ 0 }, true, "", "a 8\n", "a 0 8\n");
}

static void addresses_are_the_same_if_asked(void **state)
{
	(void)state;
	side_by_side((struct wk_stack_counts){ .strips_hex = true }, false,
		     "a;0x7f;b 1\na;0x1;b 2\n0x 3\n", "a;0xffff;b 4\n",
		     "a;0x...;b 3 4\n0x 3 0\n");
}

static void fractions_are_kept_or_dropped_as_the_tool_does(void **state)
{
	(void)state;
	side_by_side((struct wk_stack_counts){ 0 }, false, "a 1.25\na 1.5\n", "a 1\n",
		     "a 2.75 1\n");
	assert_int_equal(fractions, 0);
	side_by_side((struct wk_stack_counts){ .drops_fractions = true }, false,
		     "a 1.25\na 1.5\n", "a 1\n", "a 2 1\n");
	assert_int_equal(fractions, 1);
}

static void lines_without_a_count_are_told_and_left_out(void **state)
{
	(void)state;
	side_by_side((struct wk_stack_counts){ 0 }, false, "a\n\n7\na b\na 1\n", "a -1\n",
		     "a 1 0\n");
	assert_int_equal(bad_lines, 5);
}

/* ---- the tables */

static void every_tool_has_its_reader(void **state)
{
	const struct wk_as_tool *tool;

	(void)state;
	for (size_t i = 0; (tool = wk_as_tool_at(i)); i++) {
		bool found = !tool->reader;

		for (size_t r = 0; wk_readers()[r] && !found; r++)
			found = strcmp(wk_readers()[r]->name, tool->reader) == 0;
		if (!found)
			fail_msg("%s: no reader %s", tool->name, tool->reader);
	}
}

static void no_two_tools_have_one_name(void **state)
{
	const struct wk_as_tool *tool;

	(void)state;
	for (size_t i = 0; (tool = wk_as_tool_at(i)); i++)
		assert_ptr_equal(wk_as_tool_find(wk_str_c(tool->name)), tool);
	assert_null(wk_as_tool_find(wk_str_c("wick")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_sorted_by_their_text),
		cmocka_unit_test(a_deep_stack_needs_little_more_than_its_text),
		cmocka_unit_test(stacks_of_one_text_are_one_line),
		cmocka_unit_test(direct_recursion_is_one_frame_if_asked),
		cmocka_unit_test(weights_stop_at_the_largest_number),
		cmocka_unit_test(stacks_begin_at_their_innermost_base),
		cmocka_unit_test(stacks_can_be_turned_round),
		cmocka_unit_test(both_files_counts_stand_side_by_side),
		cmocka_unit_test(normalised_counts_add_up_to_those_after),
		cmocka_unit_test(addresses_are_the_same_if_asked),
		cmocka_unit_test(fractions_are_kept_or_dropped_as_the_tool_does),
		cmocka_unit_test(lines_without_a_count_are_told_and_left_out),
		cmocka_unit_test(every_tool_has_its_reader),
		cmocka_unit_test(no_two_tools_have_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
