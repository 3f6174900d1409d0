/* Call trees of text formats, the Rust names in them, and what Windows' tools call a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "formats/reports/call_tree.h"
#include "formats/reports/windows_names.h"
#include "names/rust_escapes.h"

/* What was told: "STACK:WEIGHT " a sample. */
static bool note_sample(void *context, const struct wk_event *event, struct wk_err *err)
{
	(void)err;
	if (event->kind == WK_EVENT_SAMPLE)
		wk_buf_add_fmt(context, "%u:%u ", event->sample.named_stack,
			       (unsigned)event->sample.weight);
	return true;
}

static void add(struct wk_call_tree *tree, uint32_t depth, const char *name, uint64_t weight)
{
	struct wk_event_frame frame = { .name = wk_str_c(name) };

	wk_call_tree_add(tree, depth, name ? &frame : NULL, weight);
}

/* main 10 (a 6 (b 6), a 0), other 0 */
static void assert_told(struct wk_call_tree tree, const char *expected)
{
	struct wk_buf told = { 0 };
	struct wk_sink sink = { .take = note_sample, .context = &told };

	tree.writer = wk_stack_writer_new(&sink);
	add(&tree, 0, "main", 10);
	add(&tree, 1, "a", 6);
	add(&tree, 2, "b", 6);
	add(&tree, 1, "a", 0);
	add(&tree, 0, "other", 0);
	wk_call_tree_fini(&tree);
	assert_string_equal(wk_buf_text(&told), expected);
	assert_true(wk_stack_writer_end(tree.writer, NULL));
	wk_buf_fini(&told);
}

static void a_line_weighs_what_its_callees_do_not(void **state)
{
	(void)state;
	assert_told((struct wk_call_tree){ .with_callees = true }, "3:6 1:4 ");
}

static void weights_without_callees_stand_as_they_are(void **state)
{
	(void)state;
	assert_told((struct wk_call_tree){ 0 }, "3:6 2:6 1:10 ");
}

static void zeros_are_told_on_demand(void **state)
{
	(void)state;
	assert_told((struct wk_call_tree){ .with_callees = true, .keeps_zero = true },
		    "3:6 2:0 2:0 1:4 4:0 ");
}

static void leaves_can_be_all_that_counts(void **state)
{
	(void)state;
	assert_told((struct wk_call_tree){ .leaves_only = true }, "3:6 ");
}

static void a_stack_met_again_can_replace_the_first(void **state)
{
	(void)state;
	assert_told((struct wk_call_tree){ .keeps_last = true, .keeps_zero = true }, "1:10 3:6 ");
}

static void a_level_that_is_left_out_is_bridged(void **state)
{
	struct wk_buf told = { 0 };
	struct wk_sink sink = { .take = note_sample, .context = &told };
	struct wk_call_tree tree = { .writer = wk_stack_writer_new(&sink), .with_callees = true };

	(void)state;
	add(&tree, 0, "main", 10);
	assert_int_equal(wk_call_tree_deepest(&tree), 1);
	add(&tree, 5, "deep", 4);
	assert_int_equal(wk_call_tree_deepest(&tree), 6);
	add(&tree, 3, "beside", 1);
	wk_call_tree_fini(&tree);
	assert_string_equal(wk_buf_text(&told), "2:4 3:1 1:5 ");
	wk_stack_writer_end(tree.writer, NULL);
	wk_buf_fini(&told);
}

static void stacks_begin_anew_below_what_is_no_function(void **state)
{
	struct wk_buf told = { 0 };
	struct wk_sink sink = { .take = note_sample, .context = &told };
	struct wk_call_tree tree = { .writer = wk_stack_writer_new(&sink), .with_callees = true };

	(void)state;
	add(&tree, 0, NULL, 10);
	add(&tree, 1, "main", 7);
	wk_call_tree_fini(&tree);
	assert_string_equal(wk_buf_text(&told), "1:7 0:3 ");
	wk_stack_writer_end(tree.writer, NULL);
	wk_buf_fini(&told);
}

static void assert_rust(const char *name, const char *expected)
{
	struct wk_buf buf = { 0 };
	struct wk_str readable = wk_rust_name(wk_str_c(name), &buf);

	assert_int_equal(readable.len, strlen(expected));
	assert_memory_equal(readable.at, expected, readable.len);
	wk_buf_fini(&buf);
}

static void half_demangled_rust_names_become_readable(void **state)
{
	(void)state;
	assert_rust("_$LT$a..B$LT$$u27$s$C$$u20$M$GT$$GT$::run::h0123456789abcdef",
		    "<a::B<'s, M>>::run");
	assert_rust("f::_$u7b$$u7b$closure$u7d$$u7d$::h0123456789ABCDEF", "f::_{{closure}}");
	assert_rust("a.b$what$c::h0123456789abcdef", "a.b$what$c");
}

static void other_names_stay(void **state)
{
	(void)state;
	assert_rust("std::sort<int>(int*)", "std::sort<int>(int*)");
	assert_rust("f::h0123456789abcde", "f::h0123456789abcde");
	assert_rust("f_h0123456789abcdef", "f_h0123456789abcdef");
	assert_rust("::h0123456789abcdef", "::h0123456789abcdef");
	assert_rust("", "");
}

static void assert_windows(const char *text, const char *image, const char *name, bool is_unnamed)
{
	struct wk_event_frame frame = wk_windows_frame(wk_str_c(text));

	assert_true(wk_str_is(frame.image, image));
	assert_true(wk_str_is(frame.name, name));
	assert_int_equal(frame.is_unnamed, is_unnamed);
}

static void frames_of_windows_are_image_and_function(void **state)
{
	(void)state;
	assert_windows("ntdll.dll!LdrInit", "ntdll.dll", "LdrInit", false);
	assert_windows("a.exe!Foo::operator!=", "a.exe", "Foo::operator!=", false);
	assert_windows("ntdll.dll!0x7f", "ntdll.dll", "0x7f", true);
	assert_windows("\"Unknown\"!0x7f", "", "0x7f", true);
	assert_windows("a.dll!<PDB not found>", "a.dll", "<PDB not found>", true);
	assert_windows("?!?", "", "?", true);
	assert_windows("[Idle]", "", "[Idle]", false);
	assert_int_equal(wk_windows_frame(wk_str_c("fs.sys!Read")).kind, WK_FRAME_KERNEL);
	assert_int_equal(wk_windows_frame(wk_str_c("ntoskrnl.exe!Ki")).kind, WK_FRAME_KERNEL);
	assert_int_equal(wk_windows_frame(wk_str_c("app.exe!main")).kind, WK_FRAME_USER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_weighs_what_its_callees_do_not),
		cmocka_unit_test(weights_without_callees_stand_as_they_are),
		cmocka_unit_test(zeros_are_told_on_demand),
		cmocka_unit_test(leaves_can_be_all_that_counts),
		cmocka_unit_test(a_stack_met_again_can_replace_the_first),
		cmocka_unit_test(a_level_that_is_left_out_is_bridged),
		cmocka_unit_test(stacks_begin_anew_below_what_is_no_function),
		cmocka_unit_test(half_demangled_rust_names_become_readable),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(frames_of_windows_are_image_and_function),
	};

	return cmocka_run_group_tests_name("call_tree", tests, NULL, NULL);
}
