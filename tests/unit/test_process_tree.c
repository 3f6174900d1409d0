#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "event/sink.h"
#include "model/builder.h"
#include "render/renderers.h"
#include "views/tables/tables.h"
#include "views/tree/process_tree.h"

struct fixture {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_sink sink;
};

static void start(struct fixture *f, bool is_windows)
{
	f->model = wk_model_new();
	f->builder = wk_builder_new(f->model);
	f->sink = wk_builder_sink(f->builder);
	if (is_windows)
		wk_sink_emit(&f->sink,
			     &(struct wk_event){ .kind = WK_EVENT_SYSTEM,
						 .system = { .key = WK_STR("system"),
							     .value = WK_STR("Windows 8"),
							     .traits = &wk_traits_windows } },
			     NULL);
}

static void give(struct fixture *f, enum wk_process_change change, uint64_t time_ns, uint32_t pid,
		 uint32_t parent_pid, const char *name)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .time_ns = time_ns, .pid = pid,
				  .tid = pid };

	event.process = (struct wk_event_process){ .change = change, .parent_pid = parent_pid,
						   .name = wk_str_c(name), .threads_apart = true };
	assert_true(wk_sink_emit(&f->sink, &event, NULL));
}

static void end(struct fixture *f)
{
	wk_builder_finish(f->builder);
	wk_builder_free(f->builder);
}

/* The pids in their order, each behind as many dots as it is deep. */
static struct wk_buf outline(const struct wk_model *model)
{
	struct wk_process_tree tree;
	struct wk_buf text = { 0 };

	wk_process_tree_init(&tree, model);
	for (uint32_t i = 0; i < tree.count; i++) {
		for (uint32_t k = 0; k < tree.depth[i]; k++)
			wk_buf_add_char(&text, '.');
		wk_buf_add_fmt(&text, "%u ", model->processes[tree.order[i]].pid);
	}
	wk_process_tree_fini(&tree);
	return text;
}

static void assert_outline(struct fixture *f, const char *expected)
{
	struct wk_buf text;

	end(f);
	text = outline(f->model);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_model_free(f->model);
}

static void a_parent_that_is_told_after_its_child_is_found(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, true);
	give(&f, WK_PROCESS_SEEN, 0, 20, 10, "child");
	give(&f, WK_PROCESS_SEEN, 0, 10, 4, "parent");
	give(&f, WK_PROCESS_SEEN, 0, 4, 0, "System");
	give(&f, WK_PROCESS_SEEN, 0, 0, 0, "Idle");
	assert_outline(&f, "0 .4 ..10 ...20 ");
}

static void siblings_come_as_they_began(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, false);
	give(&f, WK_PROCESS_SEEN, 0, 1, 0, "init");
	give(&f, WK_PROCESS_START, 30, 3, 1, "late");
	give(&f, WK_PROCESS_START, 20, 2, 1, "early");
	give(&f, WK_PROCESS_START, 40, 4, 2, "grandchild");
	assert_outline(&f, "1 .2 ..4 .3 ");
}

static void a_parent_that_is_only_named_is_no_process(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, true);
	give(&f, WK_PROCESS_SEEN, 0, 576, 564, "csrss.exe");
	end(&f);
	assert_int_equal(f.model->process_count, 2);
	assert_int_equal(f.model->processes[1].parent, 0);
	assert_int_equal(f.model->processes[1].parent_pid, 564);
	wk_model_free(f.model);
}

/* Its number was given to another meanwhile. */
static void a_parent_is_not_younger_than_its_child(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, true);
	give(&f, WK_PROCESS_SEEN, 0, 20, 10, "child");
	give(&f, WK_PROCESS_START, 50, 10, 20, "another");
	assert_outline(&f, "20 .10 ");
}

static void a_number_that_is_used_again_has_children_of_its_own(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, true);
	give(&f, WK_PROCESS_START, 10, 5, 1, "first");
	give(&f, WK_PROCESS_START, 20, 6, 5, "of the first");
	give(&f, WK_PROCESS_EXIT, 30, 5, 1, "first");
	give(&f, WK_PROCESS_START, 40, 5, 1, "second");
	give(&f, WK_PROCESS_START, 50, 7, 5, "of the second");
	assert_outline(&f, "5 .6 5 .7 ");
}

static void a_circle_is_cut(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, true);
	give(&f, WK_PROCESS_SEEN, 0, 1, 3, "a");
	give(&f, WK_PROCESS_SEEN, 0, 2, 1, "b");
	give(&f, WK_PROCESS_SEEN, 0, 3, 2, "c");
	give(&f, WK_PROCESS_SEEN, 0, 4, 4, "its own");
	give(&f, WK_PROCESS_SEEN, 0, 5, 2, "beside");
	assert_outline(&f, "2 .3 ..1 .5 4 ");
}

static void a_chain_of_a_hundred_thousand_is_walked(void **state)
{
	enum { COUNT = 100000 };
	struct wk_process_tree tree;
	struct fixture f;

	(void)state;
	start(&f, true);
	for (uint32_t i = COUNT; i > 0; i--) /* children before their parents */
		give(&f, WK_PROCESS_SEEN, 0, i + 10, i + 9, "x");
	end(&f);
	wk_process_tree_init(&tree, f.model);
	assert_int_equal(tree.count, COUNT);
	assert_int_equal(tree.depth[COUNT - 1], COUNT - 1);
	assert_int_equal(f.model->processes[tree.order[0]].pid, 11);
	wk_process_tree_fini(&tree);
	wk_model_free(f.model);
}

static struct wk_buf rendered(const struct wk_model *model, const char *form, uint32_t limit)
{
	struct wk_filter_spec spec = { 0 };
	struct wk_table_options options = { .limit = limit };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_quality quality;
	struct wk_filter filter;
	struct wk_table table;
	struct wk_view view = { .model = model, .quality = &quality, .table = &table };

	assert_true(wk_filter_init(&filter, model, &spec, NULL));
	quality = wk_quality_of(model, &filter);
	wk_table_init(&table, "process-tree");
	wk_table_view_find("process-tree")->fill(&table, model, &filter, &options);
	assert_true(wk_renderer_find(form)->render(&view, &out, NULL));
	assert_true(wk_out_end(&out));
	wk_table_fini(&table);
	wk_filter_fini(&filter);
	return text;
}

static void give_sample(struct fixture *f, uint64_t time_ns, uint32_t pid)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = time_ns, .pid = pid,
				  .tid = pid, .cpu = WK_NO_CPU };

	event.sample = (struct wk_event_sample){ .source = 1, .weight = 1000000, .address = 16 };
	assert_true(wk_sink_emit(&f->sink, &event, NULL));
}

static void give_family(struct fixture *f)
{
	struct wk_event source = { .kind = WK_EVENT_SOURCE };

	source.source = (struct wk_event_source){ .source = 1, .name = WK_STR("clock"),
						  .unit = WK_STR("ns"), .is_cpu_time = true };
	wk_sink_emit(&f->sink, &source, NULL);
	give(f, WK_PROCESS_SEEN, 0, 10, 9, "shell");
	give(f, WK_PROCESS_START, 2000000, 20, 10, "make");
	give(f, WK_PROCESS_START, 3000000, 30, 20, "cc");
	give_sample(f, 4000000, 30);
	give_sample(f, 5000000, 30);
	give_sample(f, 6000000, 10);
	give(f, WK_PROCESS_EXIT, 7000000, 30, 20, "cc");
	give(f, WK_PROCESS_START, 8000000, 40, 20, "ld");
	end(f);
}

static void a_tree_has_times_and_sums(void **state)
{
	struct fixture f;
	struct wk_buf text;

	(void)state;
	start(&f, true);
	give_family(&f);
	text = rendered(f.model, "text", 0);
	assert_string_equal(wk_buf_text(&text),
			    "total %  self ms  pid  start ms  end ms  lasted ms  exit  process\n"
			    "  100.0     1.00   10         ·       ·          ·     ·  shell (its "
			    "parent 9 is not "
			    "in the recording)\n"
			    "   66.7        ·   20      2.00       ·          ·     ·  └ make\n"
			    "   66.7     2.00   30      3.00    7.00       4.00     ·    ├ cc\n"
			    "      ·        ·   40      8.00       ·          ·     ·    └ ld\n"
			    "\n`wick show FILE calls` prints the call tree\n"
			    "3 samples, none lost\n");
	wk_buf_fini(&text);
	wk_model_free(f.model);
}

static void of_too_many_those_with_most_are_shown_with_their_parents(void **state)
{
	struct fixture f;
	struct wk_buf text;

	(void)state;
	start(&f, false);
	give_family(&f);
	text = rendered(f.model, "csv", 3);
	assert_non_null(strstr(wk_buf_text(&text), ",0,shell\n"));
	assert_non_null(strstr(wk_buf_text(&text), ",1,make\n"));
	assert_non_null(strstr(wk_buf_text(&text), ",2,cc\n"));
	assert_null(strstr(wk_buf_text(&text), "ld"));
	wk_buf_fini(&text);
	wk_model_free(f.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parent_that_is_told_after_its_child_is_found),
		cmocka_unit_test(siblings_come_as_they_began),
		cmocka_unit_test(a_parent_that_is_only_named_is_no_process),
		cmocka_unit_test(a_parent_is_not_younger_than_its_child),
		cmocka_unit_test(a_number_that_is_used_again_has_children_of_its_own),
		cmocka_unit_test(a_circle_is_cut),
		cmocka_unit_test(a_chain_of_a_hundred_thousand_is_walked),
		cmocka_unit_test(a_tree_has_times_and_sums),
		cmocka_unit_test(of_too_many_those_with_most_are_shown_with_their_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
