#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "folded_model.h"
#include "formats/stack_writer.h"
#include "model/stack_lists.h"
#include "views/broken_stacks.h"
#include "views/tree/flat.h"

static bool take_before(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_event marked = *event;

	if (event->kind == WK_EVENT_SUMS)
		marked.sums.is_before = true;
	else if (event->kind == WK_EVENT_LISTS)
		marked.lists.is_before = true;
	return wk_sink_emit(context, &marked, err);
}

static void read_text(const char *text, const struct wk_sink *sink)
{
	struct wk_input input = { .bytes = wk_bytes_of(text, strlen(text)),
				  .name = "test",
				  .options = { .sums_samples = true } };
	struct wk_err err = { 0 };

	if (!wk_reader_folded.read(&input, sink, &err))
		fail_msg("%s", err.text);
}

/* Two texts as a comparison; each side may have lists. */
static struct wk_model *comparison(const char *before, bool lists_before, const char *after,
				   bool lists_after)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder), first;
	struct wk_err err = { 0 };

	sink.stacks = wk_stack_store_new();
	first = (struct wk_sink){ .take = take_before, .context = &sink, .stacks = sink.stacks,
				  .accepts_lists = lists_before };
	read_text(before, &first);
	wk_builder_next_input(builder);
	sink.accepts_lists = lists_after;
	read_text(after, &sink);
	wk_stack_store_free(sink.stacks);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	if (!model_check(model, &err))
		fail_msg("%s", err.text);
	return model;
}

/* "name self_before>self total_before>total" a line, the whole, and how good the stacks are. */
static void describe(const struct wk_model *model, struct wk_buf *words)
{
	struct wk_broken_stacks broken;
	struct wk_filter filter;
	struct wk_pairs pairs;
	struct wk_flat flat;

	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_pairs_init(&pairs, model, &filter, false, false);
	wk_flat_compare(&flat, model, &filter,
			&(struct wk_tree_options){ .pairs = &pairs, .hides_plumbing = true });
	for (uint32_t i = 0; i < flat.count; i++)
		wk_buf_add_fmt(words, "%s %" PRIu64 ">%" PRIu64 " %" PRIu64 ">%" PRIu64 "\n",
			       wk_strtab_get(model->text, model->functions[flat.rows[i].id].name),
			       flat.rows[i].self_before, flat.rows[i].self,
			       flat.rows[i].total_before, flat.rows[i].total);
	broken = wk_broken_stacks_of(model, &filter);
	wk_buf_add_fmt(words, "whole %" PRIu64 ", %u of %u broken%s%s\n", flat.whole,
		       (unsigned)broken.broken, (unsigned)broken.judged,
		       broken.has_callers ? ", with callers" : "",
		       pairs.is_process ? ", processes" : "");
	wk_flat_fini(&flat);
	wk_pairs_fini(&pairs);
	wk_filter_fini(&filter);
}

static void assert_model(struct wk_model *model, bool has_lists, const char *expected)
{
	struct wk_buf words = { 0 };

	assert_int_equal(model->lists.first != NULL, has_lists);
	describe(model, &words);
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_model_free(model);
}

/* The same of lists, of stacks, and of both. */
static void assert_comparison(const char *before, const char *after, const char *expected)
{
	assert_model(comparison(before, false, after, false), false, expected);
	assert_model(comparison(before, true, after, true), true, expected);
	assert_model(comparison(before, true, after, false), false, expected);
	assert_model(comparison(before, false, after, true), false, expected);
}

static void functions_that_are_called_again_count_once(void **state)
{
	(void)state;
	assert_comparison("main;a;b 1\nmain;a 2\nmain;a;b;a 4\n;; 8\n", "main;a;b 3\nmain;a;b 5\n",
			  "b 1>8 5>8\na 6>0 7>8\nmain 0>0 7>8\nwhole 8, 0 of 0 broken\n");
}

static void functions_that_are_shown_as_one_count_once(void **state)
{
	(void)state;
	assert_comparison("main;a;a.isra.0 1\n", "main;a.isra.0;a 3\nmain;a 4\n",
			  "a 1>7 1>7\nmain 0>0 1>7\nwhole 7, 0 of 0 broken\n");
}

/* If the other side has no frames at all. */
static void frames_that_are_processes_are_no_functions(void **state)
{
	const char *before = "app;main;a 1\napp;main 2\napp 4\napp;main;app 8\n";
	const char *expected = "a 1>0 1>0\napp 8>0 8>0\nmain 2>0 11>0\n"
			       "whole 5, 0 of 0 broken, processes\n";

	(void)state;
	assert_model(comparison(before, false, ";; 5\n", false), false, expected);
	assert_model(comparison(before, true, ";; 5\n", true), true, expected);
	assert_model(comparison(before, true, ";; 5\n", false), true, expected);
}

static void plumbing_counts_for_its_callers(void **state)
{
	(void)state;
	assert_comparison(
		"main;a;core::ops::deref_[i];core::mem::swap_[i] 1\n",
		"main;a;core::ops::deref_[i];core::mem::swap_[i];b 3\ncore::mem::swap_[i] 5\n",
		"core::mem::swap_[i] 0>5 0>5\nb 0>3 0>3\na 1>0 1>3\nmain 0>0 1>3\n"
		"whole 8, 0 of 0 broken\n");
}

static void stacks_that_break_off_are_found(void **state)
{
	(void)state;
	assert_comparison("app;[libc.so.6];read;entry_SYSCALL_64;vfs_read 1\n",
			  "app;[libc.so.6];read 3\napp;main;f;do_syscall_64 5\n",
			  "do_syscall_64 0>5 0>5\nread 0>3 1>3\napp 0>0 1>8\nf 0>0 0>5\n"
			  "main 0>0 0>5\n[libc.so.6] 0>0 1>3\nentry_SYSCALL_64 0>0 1>0\n"
			  "vfs_read 1>0 1>0\nwhole 8, 4 of 9 broken, with callers\n");
}

static void weights_have_64_bits(void **state)
{
	(void)state;
	assert_comparison(
		"main;a 65535\nmain;a;b 65536\nmain;b 1\n",
		"main;a 65534\nmain;b 4294967295\nmain 4294967296\n",
		"main 0>4294967296 131072>8590000125\nb 65537>4294967295 65537>4294967295\n"
		"a 65535>65534 131071>65534\nwhole 8590000125, 0 of 0 broken\n");
}

/* More than 16 bits number them. */
static void many_frames_are_told_apart(void **state)
{
	struct wk_buf before = { 0 }, after = { 0 }, of_lists = { 0 }, of_stacks = { 0 };
	struct wk_model *model;

	(void)state;
	for (unsigned i = 0; i < 70000; i++) {
		wk_buf_add_fmt(&before, "main;f%u 1\n", i);
		if (i % 1000 == 0)
			wk_buf_add_fmt(&after, "f%u;main 2\nf%u;f%u 3\n", i, i / 2, i + 1);
	}
	model = comparison(wk_buf_text(&before), true, wk_buf_text(&after), true);
	assert_non_null(model->lists.first);
	describe(model, &of_lists);
	wk_model_free(model);
	model = comparison(wk_buf_text(&before), false, wk_buf_text(&after), false);
	describe(model, &of_stacks);
	wk_model_free(model);
	assert_string_equal(wk_buf_text(&of_lists), wk_buf_text(&of_stacks));
	wk_buf_fini(&before);
	wk_buf_fini(&after);
	wk_buf_fini(&of_lists);
	wk_buf_fini(&of_stacks);
}

static void the_frame_of_a_list_must_be_known(void **state)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_event event = { .kind = WK_EVENT_LISTS };
	struct wk_err err = { 0 };

	(void)state;
	event.lists = (struct wk_event_lists){ .at = &(struct wk_event_list){ 1, 2 },
					       .count = 1,
					       .frames = (uint32_t[]){ 1, 2 } };
	assert_false(wk_sink_emit(&sink, &event, &err));
	assert_string_equal(err.text, "a list has a frame that was not emitted before");
	wk_builder_free(builder);
	wk_model_free(model);
}

static void too_many_frames_become_stacks(void **state)
{
	uint32_t count = 1 << 20, *frames = wk_alloc(count * sizeof(*frames));
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder);
	struct wk_event event = { .kind = WK_EVENT_FRAME,
				  .frame = { .number = 1, .name = WK_STR("f") } };

	(void)state;
	assert_true(wk_sink_emit(&sink, &event, NULL));
	for (uint32_t i = 0; i < count; i++)
		frames[i] = 1;
	event = (struct wk_event){ .kind = WK_EVENT_LISTS };
	event.lists = (struct wk_event_lists){ .at = &(struct wk_event_list){ 1, count },
					       .count = 1, .frames = frames };
	for (size_t i = 0; i < WK_MOST_LISTED_FRAMES / count; i++)
		assert_true(wk_sink_emit(&sink, &event, NULL));
	assert_int_equal(model->lists.frame_count, WK_MOST_LISTED_FRAMES);
	assert_int_equal(model->stacks.count, 1);
	assert_true(wk_sink_emit(&sink, &event, NULL));
	assert_int_equal(model->lists.frame_count, 0);
	assert_int_equal(model->stacks.count, 1 + count);
	assert_int_equal(model->samples.count, WK_MOST_LISTED_FRAMES / count + 1);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_free(model);
	wk_free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_are_called_again_count_once),
		cmocka_unit_test(functions_that_are_shown_as_one_count_once),
		cmocka_unit_test(frames_that_are_processes_are_no_functions),
		cmocka_unit_test(plumbing_counts_for_its_callers),
		cmocka_unit_test(stacks_that_break_off_are_found),
		cmocka_unit_test(weights_have_64_bits),
		cmocka_unit_test(many_frames_are_told_apart),
		cmocka_unit_test(the_frame_of_a_list_must_be_known),
		cmocka_unit_test(too_many_frames_become_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
