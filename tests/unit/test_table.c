#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "render/renderers.h"
#include "small_model.h"
#include "views/tables/tables.h"

static const char *const lines[] = {
	"demo;main;work 700",
	"demo;main;rest;/lib/libc.so.6!malloc 200",
	"demo;main;rest;/lib/libc.so.6!free 95",
	"other;start_[k] 5",
	NULL,
};

struct asked {
	const char *view, *form;
	struct wk_table_options options;
	struct wk_filter_spec spec;
	struct wk_view extra; /* columns, colours ... */
};

/* The rendered table; the caller ends the buffer. */
static struct wk_buf rendered(const struct wk_model *model, const struct asked *asked)
{
	const struct wk_table_view *table_view = wk_table_view_find(asked->view);
	const struct wk_renderer *renderer = wk_renderer_find(asked->form);
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_view view = asked->extra;
	struct wk_quality quality;
	struct wk_filter filter;
	struct wk_table table;

	assert_non_null(table_view);
	assert_non_null(renderer);
	assert_true(wk_filter_init(&filter, model, &asked->spec, NULL));
	quality = wk_quality_of(model, &filter);
	wk_table_init(&table, table_view->name);
	table_view->fill(&table, model, &filter, &asked->options);
	assert_int_equal(table.cell_count, table.row_count * table.column_count);
	view.model = model;
	view.quality = &quality;
	view.table = &table;
	assert_true(renderer->render(&view, &out, NULL));
	assert_true(wk_out_end(&out));
	wk_table_fini(&table);
	wk_filter_fini(&filter);
	return text;
}

static void assert_rendered(const char *const *stacks, const struct asked *asked,
			    const char *expected)
{
	struct wk_model *model = small_model(stacks);
	struct wk_buf text = rendered(model, asked);

	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void functions_as_text(void **state)
{
	(void)state;
	assert_rendered(lines,
			&(struct asked){ .view = "functions", .form = "text", .options.limit = 3 },
			"self %  total %  self samples  image      function\n"
			"  70.0     70.0           700  demo       work\n"
			"  20.0     20.0           200  libc.so.6  malloc\n"
			"   9.5      9.5            95  libc.so.6  free\n"
			"\n"
			"3 functions are not shown; their self % adds up to 0.5 %; --all shows "
			"them\n"
			"1,000 samples, none lost; 100.0 % of user stacks reach a root; 0 % of "
			"frames unnamed\n");
}

/* The functions of `stacks` in this form; those that are called so have no names. */
static void check_unnamed(const char *form, const char *const *stacks, const char *unnamed,
			  const char *expected)
{
	struct wk_model *model = small_model(stacks);
	struct wk_buf text;

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_is(wk_model_str(model, model->functions[id].name), unnamed))
			model->functions[id].is_unnamed = true;
	text = rendered(model, &(struct asked){ .view = "functions", .form = form });
	if (!strstr(wk_buf_text(&text), expected))
		fail_msg("no \"%s\" in\n%s", expected, wk_buf_text(&text));
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void a_function_without_a_name_is_called_as_in_trees_and_pictures(void **state)
{
	static const char *const stacks[] = { "demo;/lib/libc.so.6!libc.so.6+0x1040 1", NULL };
	static const char *const other[] = { "demo;/lib/libc.so.6!libm.so.6+0x1040 1", NULL };
	static const char *const address[] = { "demo;/lib/libc.so.6!0x1040 1", NULL };

	(void)state;
	check_unnamed("text", stacks, "libc.so.6+0x1040", " libc.so.6  libc.so.6+0x1040\n");
	check_unnamed("csv", stacks, "libc.so.6+0x1040", ",libc.so.6,libc.so.6+0x1040\n");
	check_unnamed("text", other, "libm.so.6+0x1040", " libc.so.6  libm.so.6+0x1040\n");
	check_unnamed("text", address, "0x1040", " libc.so.6  0x1040\n");
}

static void files_of_one_name_are_told_apart_by_their_folders(void **state)
{
	struct wk_model *model = small_model((const char *[]){
		"app;C:\\Windows\\System32\\ntdll.dll!f 3",
		"app;C:\\Windows\\SysWOW64\\ntdll.dll!f 2",
		"app;C:\\a\\v4\\clr.dll!g 1", "app;C:\\b\\v4\\clr.dll!h 1",
		"app;C:\\app\\own.dll!i 1", NULL });
	struct wk_buf text =
		rendered(model, &(struct asked){ .view = "functions", .form = "text" });

	(void)state;
	assert_non_null(strstr(wk_buf_text(&text), "  System32\\ntdll.dll  f\n"));
	assert_non_null(strstr(wk_buf_text(&text), "  SysWOW64\\ntdll.dll  f\n"));
	assert_non_null(strstr(wk_buf_text(&text), "  a\\v4\\clr.dll        g\n"));
	assert_non_null(strstr(wk_buf_text(&text), "  own.dll             i\n"));
	wk_buf_fini(&text);
	text = rendered(model, &(struct asked){ .view = "functions", .form = "csv" });
	assert_non_null(strstr(wk_buf_text(&text), ",ntdll.dll,f\n"));
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void the_tree_as_text_keeps_chains_straight_and_says_what_it_folds(void **state)
{
	(void)state;
	assert_rendered(lines,
			&(struct asked){ .view = "tree",
					 .form = "text",
					 .options = { .min_percent = 1, .tree.by_process = true } },
			"total %  self %  samples  name\n"
			"  100.0       ·    1,000  all\n"
			"   99.5       ·      995  demo\n"
			"   99.5       ·      995  main\n"
			"   70.0    70.0      700  ├ work\n"
			"   29.5       ·      295  └ rest\n"
			"   20.0    20.0      200    ├ malloc\n"
			"    9.5     9.5       95    └ free\n"
			"\n"
			"2 nodes under 1 % are folded away; their self % adds up to 0.5 %\n"
			"1,000 samples, none lost; 100.0 % of user stacks reach a root; 0 % of "
			"frames unnamed\n");
}

static void guides_run_past_branches_that_go_on(void **state)
{
	static const char *const branchy[] = { "p;a;b;c_[i] 4", "p;a;b;d;e 3", "p;a;f 2", NULL };

	(void)state;
	assert_rendered(branchy, &(struct asked){ .view = "tree", .form = "text" },
			"total %  self %  samples  name\n"
			"  100.0       ·        9  all\n"
			"  100.0       ·        9  a\n"
			"   77.8       ·        7  ├ b\n"
			"   44.4    44.4        4  │ ├ c [inlined]\n"
			"   33.3       ·        3  │ └ d\n"
			"   33.3    33.3        3  │   e\n"
			"   22.2    22.2        2  └ f\n"
			"\n"
			"9 samples, none lost; 100.0 % of user stacks reach a root; 0 % of frames "
			"unnamed\n");
}

static void a_narrow_terminal_cuts_the_last_column_only(void **state)
{
	static const char *const long_names[] = { "p;a_function_of_a_rather_long_name 1", NULL };

	(void)state;
	assert_rendered(long_names,
			&(struct asked){ .view = "functions", .form = "text", .extra.columns = 62 },
			"self %  total %  self samples  image  function\n"
			" 100.0    100.0             1  demo   a_function_of_a_rather_…\n"
			"\n"
			"1 sample, none lost; 100.0 % of user stacks reach a root; 0 % of frames "
			"unnamed\n");
}

static void add_row_of_part(struct wk_table *table, const char *part, const char *key,
			    const char *value)
{
	wk_table_row(table);
	wk_table_text(table, wk_str_c(part));
	wk_table_text(table, wk_str_c(key));
	wk_table_text(table, wk_str_c(value));
}

static void the_long_names_of_one_part_push_no_other_part_to_the_right(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_table table;

	(void)state;
	wk_table_init(&table, "system");
	wk_table_column(&table, WK_CELL_TEXT, "section", "part");
	wk_table_column(&table, WK_CELL_TEXT, "key", "what");
	wk_table_column(&table, WK_CELL_TEXT, "value", "value");
	table.has_parts = true;
	add_row_of_part(&table, "machine", "cpus", "8");
	add_row_of_part(&table, "trace", "recorded to", "a.etl");
	add_row_of_part(&table, "events", "A-Provider/Of-Long-Names/Start", "15");
	add_row_of_part(&table, "events", "hard fault", "3");
	assert_true(wk_renderer_text.render(&(struct wk_view){ .table = &table }, &out, NULL));
	assert_true(wk_out_end(&out));
	assert_string_equal(wk_buf_text(&text), "part     what         value\n"
						"machine  cpus         8\n"
						"trace    recorded to  a.etl\n"
						"events   A-Provider/Of-Long-Names/Start  15\n"
						"events   hard fault                      3\n"
						"\n");
	wk_table_fini(&table);
	wk_buf_fini(&text);
}

static void colours_are_written_only_when_welcome(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf plain = rendered(model, &(struct asked){ .view = "tree", .form = "text" });
	struct wk_buf coloured = rendered(
		model, &(struct asked){ .view = "tree", .form = "text", .extra.has_colour = true });

	(void)state;
	assert_null(strchr(wk_buf_text(&plain), '\033'));
	assert_non_null(strchr(wk_buf_text(&coloured), '\033'));
	wk_buf_fini(&plain);
	wk_buf_fini(&coloured);
	wk_model_free(model);
}

static void the_tree_as_csv_has_every_column(void **state)
{
	static const char *const few[] = { "p;a;b_[i] 3", "p;a 1", NULL };

	(void)state;
	assert_rendered(
		few,
		&(struct asked){ .view = "tree", .form = "csv", .options.tree.by_process = true },
		"total_percent,self_percent,total_ns,self_ns,samples,depth,source,name\n"
		"100.0000,0.0000,4000000,0,4,0,,all\n"
		"100.0000,0.0000,4000000,0,4,1,,p\n"
		"100.0000,25.0000,4000000,1000000,4,2,,a\n"
		"75.0000,75.0000,3000000,3000000,3,3,,b\n");
}

static void functions_as_json_with_the_quality_of_the_view(void **state)
{
	static const char *const few[] = { "p;a 3", "q;b 1", NULL };

	(void)state;
	assert_rendered(few,
			&(struct asked){ .view = "functions", .form = "json", .spec.process = "p" },
			"{\n"
			"  \"view\": \"functions\",\n"
			"  \"quality\": {\n"
			"    \"samples_in_view\": 3,\n"
			"    \"samples_total\": 4,\n"
			"    \"samples_of_other_events\": 0,\n"
			"    \"lost_samples\": 0,\n"
			"    \"lost_records\": 0,\n"
			"    \"is_complete\": true,\n"
			"    \"user_stacks\": 3,\n"
			"    \"user_stacks_reaching_root\": 3,\n"
			"    \"user_stacks_of_unknown_reach\": 0,\n"
			"    \"frames\": 3,\n"
			"    \"frames_unnamed\": 0,\n"
			"    \"images_without_names_total\": 0,\n"
			"    \"images_without_names\": [],\n"
			"    \"summary\": \"3 of 4 samples in view, none lost; 100.0 % of user "
			"stacks reach a "
			"root; 0 % of frames unnamed\"\n"
			"  },\n"
			"  \"notes\": [],\n"
			"  \"rows\": [\n"
			"    {\"self_percent\": 100.0000, \"total_percent\": 100.0000, "
			"\"self_ns\": 3000000, "
			"\"total_ns\": 3000000, \"self_samples\": 3, \"total_samples\": 3, "
			"\"kind\": \"your program\", \"linked_name\": null, \"source\": null, "
			"\"image\": \"demo\", \"function\": \"a\"}\n"
			"  ]\n"
			"}\n");
}

static void processes_stand_by_weight_with_their_times(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;a 1", "q;a 3", NULL });
	struct wk_buf text;

	(void)state;
	model->processes[2].parent = 1;
	model->processes[2].start_ns = model->first_ns + 1500000;
	model->processes[2].end_ns = model->first_ns + 4000000;
	model->processes[2].has_exit_code = true;
	model->processes[2].exit_code = -9;
	model->processes[2].command_line = wk_model_text(model, wk_str_c("q --flag"));
	text = rendered(model, &(struct asked){ .view = "processes", .form = "csv" });
	assert_string_equal(
		wk_buf_text(&text),
		"percent,weight_ns,samples,pid,parent_pid,threads,start_ns,end_ns,exit_code,name,"
		"command_line\n"
		"75.0000,3000000,3,102,101,1,1500000,4000000,-9,q,q --flag\n"
		"25.0000,1000000,1,101,,1,,,,p,\n");
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void threads_and_images_of_a_narrowed_view_say_what_they_leave_out(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;/a!x 1", "q;/b!y 3", NULL });
	struct asked threads = { .view = "threads", .form = "text", .spec.process = "p" };
	struct asked images = { .view = "images", .form = "text", .spec.process = "p" };
	struct wk_buf text = rendered(model, &threads);

	(void)state;
	assert_non_null(
		strstr(wk_buf_text(&text), "1 thread without samples in view is not shown"));
	wk_buf_fini(&text);
	text = rendered(model, &images);
	assert_non_null(strstr(wk_buf_text(&text), "1 image without samples in view is not shown"));
	assert_null(strstr(wk_buf_text(&text), "/b"));
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void add_fact(struct wk_model *model, const char *key, const char *value)
{
	wk_model_add_fact(model, &(struct wk_event_system){ .key = wk_str_c(key),
							    .value = wk_str_c(value) });
}

static void the_system_table_shows_facts_events_and_notes(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf text;

	(void)state;
	add_fact(model, "host name", "box");
	wk_model_add_note(model,
			  &(struct wk_event_note){ .offset = 0x40, .text = WK_STR("odd record") });
	wk_model_add_note(model,
			  &(struct wk_event_note){ .offset = 0x80, .text = WK_STR("odd record") });
	text = rendered(model, &(struct asked){ .view = "system", .form = "csv" });
	assert_string_equal(wk_buf_text(&text), "key,value\n"
						"host name,box\n"
						"sampled for,999.0 ms\n"
						"seen,\"2 processes, 2 threads, 3 images\"\n"
						"event,\"cpu-clock: 1,000 samples\"\n"
						"note,0x40: odd record (2 times)\n");
	wk_buf_fini(&text);
	wk_model_free(model);
}

static const char *const hostile[] = {
	"p;</script><script>alert(1)</script> 1",
	"p;a\033[2Jb 1",
	"p;=cmd()|'x',\"y\" 1",
	"p;two\nlines 1",
	"p;\xff\xfe broken 1",
	"p;\xe2\x80\xae"
	"desrever 1",
	NULL,
};

static void facts_are_told_once_and_readably(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_buf text;

	(void)state;
	add_fact(model, "cpus configured", "8");
	add_fact(model, "cpus", "2");
	add_fact(model, "event", "cpu-clock, 997 samples a second");
	add_fact(model, "event", "cycles, 1 sample a second");
	/* Two seconds before the first sample, which comes at 5 s. */
	add_fact(model, "clock pair", "3000000000 1795296269099964525");
	text = rendered(model, &(struct asked){ .view = "system", .form = "csv" });
	assert_string_equal(wk_buf_text(&text),
			    "key,value\n"
			    "cpus,2 online of 8\n"
			    "event,\"cycles, 1 sample a second\"\n"
			    "first sample at,2026-11-21 21:24:31 UTC\n"
			    "sampled for,999.0 ms\n"
			    "seen,\"2 processes, 2 threads, 3 images\"\n"
			    "event,\"cpu-clock: 1,000 samples; 997 samples a second\"\n");
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void a_start_before_the_first_sample_is_0_and_an_unknown_one_none(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;a 2", "q;a 1", NULL });
	struct asked asked = { .view = "threads", .form = "text" };
	struct wk_buf text;

	(void)state;
	model->threads[1].start_ns = model->first_ns - 40;
	text = rendered(model, &asked);
	assert_non_null(strstr(wk_buf_text(&text), "time ms"));
	assert_non_null(strstr(wk_buf_text(&text), "     0.00  p        p\n"));
	assert_non_null(strstr(wk_buf_text(&text), "        ·  q        q\n"));
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void no_name_gets_out_raw(void **state)
{
	static const char *const forms[] = { "text", "csv", "json" };
	struct wk_model *model = small_model(hostile);

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct wk_buf text =
			rendered(model, &(struct asked){ .view = "functions", .form = forms[i] });

		assert_null(strchr(wk_buf_text(&text), '\033'));
		assert_null(strchr(wk_buf_text(&text), '\xff'));
		assert_null(strstr(wk_buf_text(&text), "\xe2\x80\xae"));
		assert_null(strstr(wk_buf_text(&text), "two\nlines"));
		assert_null(strstr(wk_buf_text(&text), ",=cmd"));
		if (i == 2)
			assert_null(strstr(wk_buf_text(&text), "</script>"));
		wk_buf_fini(&text);
	}
	wk_model_free(model);
}

static void keys_are_made_of_the_unit_whatever_it_is(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;a 1", NULL });
	struct wk_buf text;

	(void)state;
	model->sources[1].unit = wk_model_text(model, wk_str_c("L2 \"misses\""));
	text = rendered(model, &(struct asked){ .view = "threads", .form = "csv" });
	assert_non_null(strstr(wk_buf_text(&text), "percent,weight_l2__misses_,samples"));
	wk_buf_fini(&text);
	wk_model_free(model);
}

static void every_view_can_be_empty(void **state)
{
	struct wk_model *model = small_empty_model();

	(void)state;
	for (const struct wk_table_view *view = wk_table_views; view->name; view++) {
		struct wk_buf text =
			rendered(model, &(struct asked){ .view = view->name, .form = "text" });
		bool is_of_waits = strcmp(view->name, "waits") == 0;

		assert_non_null(strstr(wk_buf_text(&text), is_of_waits ? "0 waits, none lost"
								       : "0 samples, none lost"));
		wk_buf_fini(&text);
	}
	assert_null(wk_table_view_find("nonsense"));
	assert_null(wk_renderer_find("nonsense"));
	wk_model_free(model);
}

/* 5,000 calls, each with a second callee: as text, width times depth would be 100 MB. */
static void a_deep_and_branchy_tree_is_no_wider_than_its_names(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;a 1", "p;b 1", NULL });
	uint32_t a = model->named.entries[1].label, b = model->named.entries[2].label;
	wk_stack_id stack = 1;
	struct wk_buf text;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		small_samples(model, 1, wk_model_add_named(model, stack, b), 1, 1, SMALL_WEIGHT);
		stack = wk_model_add_named(model, stack, a);
	}
	small_samples(model, 1, stack, 1, 1, SMALL_WEIGHT);
	small_resolved(model);
	text = rendered(model, &(struct asked){ .view = "tree", .form = "text" });
	assert_true(text.len < 3000000);
	wk_buf_fini(&text);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_as_text),
		cmocka_unit_test(a_function_without_a_name_is_called_as_in_trees_and_pictures),
		cmocka_unit_test(files_of_one_name_are_told_apart_by_their_folders),
		cmocka_unit_test(the_tree_as_text_keeps_chains_straight_and_says_what_it_folds),
		cmocka_unit_test(guides_run_past_branches_that_go_on),
		cmocka_unit_test(a_narrow_terminal_cuts_the_last_column_only),
		cmocka_unit_test(
			the_long_names_of_one_part_push_no_other_part_to_the_right),
		cmocka_unit_test(colours_are_written_only_when_welcome),
		cmocka_unit_test(the_tree_as_csv_has_every_column),
		cmocka_unit_test(functions_as_json_with_the_quality_of_the_view),
		cmocka_unit_test(processes_stand_by_weight_with_their_times),
		cmocka_unit_test(threads_and_images_of_a_narrowed_view_say_what_they_leave_out),
		cmocka_unit_test(the_system_table_shows_facts_events_and_notes),
		cmocka_unit_test(facts_are_told_once_and_readably),
		cmocka_unit_test(
			a_start_before_the_first_sample_is_0_and_an_unknown_one_none),
		cmocka_unit_test(no_name_gets_out_raw),
		cmocka_unit_test(keys_are_made_of_the_unit_whatever_it_is),
		cmocka_unit_test(every_view_can_be_empty),
		cmocka_unit_test(a_deep_and_branchy_tree_is_no_wider_than_its_names),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
