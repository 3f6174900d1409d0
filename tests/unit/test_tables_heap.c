/* The tables of blocks of heaps: functions that allocate them, and snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "heap_events.h"
#include "model/resolve.h"
#include "render/renderers.h"
#include "views/tables/tables.h"

static void start(struct built *f)
{
	built_start(f);
	f->model->sums_samples = f->model->sums_blocks = true;
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .pid = 7, .tid = 7,
		.process = { .change = WK_PROCESS_SEEN, .threads_apart = true,
			     .name = WK_STR("app") } });
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_IMAGE, .pid = 7, .tid = 7,
		.image = { .size_bytes = 0x1000, .path = WK_STR("/app") } });
}

/* 0xa leaks 100 bytes each time, 0xb has a buffer of 1000 that it replaces, 0xc blocks that it
 * frees at once. */
static void give_rounds(struct built *f)
{
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t at = 100 * i + 100;

		allocate(f, (struct call){ at, 70, 0xa }, 0x10 + i, 100);
		if (i)
			release(f, (struct call){ at + 10, 70, 0 }, 0x100 + i - 1);
		allocate(f, (struct call){ at + 20, 70, 0xb }, 0x100 + i, 1000);
		allocate(f, (struct call){ at + 30, 70, 0xc }, 0x900, 60);
		release(f, (struct call){ at + 33, 70, 0 }, 0x900);
		snapshot_of(f, at + 40, 7, i == 1 ? "second" : "");
	}
}

static void give_process(struct built *f, uint64_t time_ns, uint32_t pid,
			 enum wk_process_change change)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .time_ns = time_ns, .pid = pid, .tid = pid,
		.process = { .change = change, .name = WK_STR("other") } });
}

/* Of process 8, without a stack. */
static void give_other_block(struct built *f, uint64_t time_ns, uint64_t address, uint64_t size)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_HEAP, .time_ns = time_ns, .pid = 8, .tid = 80,
		.heap = { .change = WK_HEAP_ALLOCATE, .address = address, .size_bytes = size } });
}

static void end(struct built *f)
{
	built_end(f);
	wk_model_resolve(f->model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
}

/* As CSV. */
static void shows(const struct built *f, const char *name, struct wk_filter_spec spec,
		  const char *expected)
{
	const struct wk_table_view *view = wk_table_view_find(name);
	struct wk_table_options options = { .tree.hides_plumbing = true };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_filter filter;
	struct wk_table table;
	struct wk_err err = { 0 };

	assert_null(wk_table_view_lacks(view, f->model));
	spec.source = wk_table_view_source(view, f->model);
	if (!wk_filter_init(&filter, f->model, &spec, &err))
		fail_msg("%s", err.text);
	wk_table_init(&table, name);
	view->fill(&table, f->model, &filter, &options);
	assert_true(wk_renderer_csv.render(&(struct wk_view){ .model = f->model, .table = &table },
					   &out, NULL));
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_table_fini(&table);
	wk_filter_fini(&filter);
}

#define LEFT                                                                              \
	"percent,outstanding_bytes,outstanding_blocks,peak_bytes,peak_percent,peak_blocks," \
	"allocated_bytes,allocations,freed_bytes,frees,temporary,temporary_bytes,sizes,"    \
	"lifetimes,image,function\n"
#define BETWEEN                                                                     \
	"percent,new_bytes,new_blocks,gone_bytes,gone_blocks,kept_bytes,kept_blocks," \
	"allocated_bytes,allocations,freed_bytes,frees,temporary,temporary_bytes,"    \
	"sizes,lifetimes,image,function\n"

static void a_heap_is_listed_by_the_functions_that_allocate(void **state)
{
	static const char expected[] = LEFT
		"76.9231,1000,1,1000,73.5294,1,3000,3,2000,2,0,0,512 B: 3,64 ns: 2,app,app+0xb\n"
		"23.0769,300,3,300,22.0588,3,300,3,0,0,0,0,64 B: 3,,app,app+0xa\n"
		"0.0000,0,0,60,4.4118,1,180,3,180,3,3,180,32 B: 3,2 ns: 3,app,app+0xc\n";
	struct built f;

	(void)state;
	start(&f);
	give_rounds(&f);
	end(&f);
	shows(&f, "heap", (struct wk_filter_spec){ 0 }, expected);
	shows(&f, "allocations", (struct wk_filter_spec){ 0 }, expected);
	wk_model_free(f.model);
}

static void what_is_new_gone_and_kept_is_listed(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give_rounds(&f);
	end(&f);
	shows(&f, "heap", (struct wk_filter_spec){ .span.between = { "1", "second" } },
	      BETWEEN
	      "90.9091,1000,1,1000,1,0,0,1000,1,1000,1,0,0,512 B: 1,64 ns: 1,app,app+0xb\n"
	      "9.0909,100,1,0,0,100,1,100,1,0,0,0,0,64 B: 1,,app,app+0xa\n"
	      "0.0000,0,0,0,0,0,0,60,1,60,1,1,60,32 B: 1,2 ns: 1,app,app+0xc\n");
	shows(&f, "heap", (struct wk_filter_spec){ .span.snapshot = "second" },
	      LEFT "83.3333,1000,1,1000,73.5294,1,2000,2,1000,1,0,0,512 B: 2,64 ns: 1,app,app+0xb\n"
		   "16.6667,200,2,300,22.0588,3,200,2,0,0,0,0,64 B: 2,,app,app+0xa\n"
		   "0.0000,0,0,60,4.4118,1,120,2,120,2,2,120,32 B: 2,2 ns: 2,app,app+0xc\n");
	wk_model_free(f.model);
}

static void only_functions_that_grew_are_listed(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give_rounds(&f);
	end(&f);
	shows(&f, "heap", (struct wk_filter_spec){ .span.grew = 2 },
	      BETWEEN
	      "100.0000,200,2,0,0,100,1,200,2,0,0,0,0,64 B: 2,,app,app+0xa\n");
	wk_model_free(f.model);
}

#define SNAPSHOTS                                                                           \
	"number,time_ns,cause,outstanding_bytes,outstanding_blocks,since_number,new_bytes," \
	"new_blocks,gone_bytes,gone_blocks,pid,process,label\n"

static void snapshots_show_what_is_new_and_gone(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give_rounds(&f);
	snapshot_of(&f, 900, WK_NO_PID, "all");
	end(&f);
	shows(&f, "snapshots", (struct wk_filter_spec){ 0 },
	      SNAPSHOTS "1,40,user,1100,2,,1100,2,0,0,7,app,\n"
			"2,140,user,1200,3,1,1100,2,1000,1,7,app,second\n"
			"3,240,user,1300,4,2,1100,2,1000,1,7,app,\n"
			"4,800,user,1300,4,3,0,0,0,0,,,all\n");
	wk_model_free(f.model);
}

/* It is there no more, though nothing freed it. */
static void what_a_process_left_is_outstanding_but_in_no_later_snapshot(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give_process(&f, 50, 8, WK_PROCESS_SEEN);
	allocate(&f, (struct call){ 100, 70, 0xa }, 0x10, 100);
	give_other_block(&f, 110, 0x10, 700);
	give_other_block(&f, 111, 0x20, 70);
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_HEAP, .time_ns = 112, .pid = 8, .tid = 80,
		.heap = { .change = WK_HEAP_FREE, .address = 0x20 } });
	snapshot_of(&f, 120, WK_NO_PID, "");
	give_process(&f, 130, 8, WK_PROCESS_EXIT);
	allocate(&f, (struct call){ 140, 70, 0xa }, 0x30, 200);
	snapshot_of(&f, 150, WK_NO_PID, "");
	end(&f);
	assert_int_equal(f.model->heaps[0].peak_bytes, 870);
	shows(&f, "snapshots", (struct wk_filter_spec){ 0 },
	      SNAPSHOTS "1,20,user,800,2,,800,2,0,0,,,\n"
			"2,50,user,300,2,1,200,1,700,1,,,\n");
	shows(&f, "heap", (struct wk_filter_spec){ .span.snapshot = "2" },
	      LEFT "100.0000,300,2,300,28.0374,2,300,2,0,0,0,0,\"64 B: 1, 128 B: 1\",,app,"
		   "app+0xa\n"
		   "0.0000,0,0,770,71.9626,2,770,2,70,1,1,70,\"64 B: 1, 512 B: 1\",1 ns: 1,"
		   "(none),(unknown)\n");
	shows(&f, "heap", (struct wk_filter_spec){ .span.between = { "1", "2" } },
	      BETWEEN "100.0000,200,1,0,0,100,1,200,1,0,0,0,0,128 B: 1,,app,app+0xa\n"
		      "0.0000,0,0,700,1,0,0,0,0,0,0,0,0,,,(none),(unknown)\n");
	shows(&f, "heap", (struct wk_filter_spec){ .outstanding = true },
	      LEFT "70.0000,700,1,770,71.9626,2,770,2,70,1,1,70,\"64 B: 1, 512 B: 1\",1 ns: 1,"
		   "(none),(unknown)\n"
		   "30.0000,300,2,300,28.0374,2,300,2,0,0,0,0,\"64 B: 1, 128 B: 1\",,app,"
		   "app+0xa\n");
	wk_model_free(f.model);
}

/* One of a process with the last of it or of all, and one of all with the last of all. */
static void snapshots_are_compared_with_those_that_include_the_same_processes(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	give_process(&f, 0, 8, WK_PROCESS_SEEN);
	allocate(&f, (struct call){ 100, 70, 0xa }, 0x10, 100);
	snapshot_of(&f, 110, 7, "");
	give_other_block(&f, 120, 0x10, 7);
	snapshot_of(&f, 130, WK_NO_PID, "");
	release(&f, (struct call){ 140, 70, 0 }, 0x10);
	allocate(&f, (struct call){ 150, 70, 0xa }, 0x20, 200);
	snapshot_of(&f, 160, 7, "");
	snapshot_of(&f, 170, 8, "");
	snapshot_of(&f, 180, WK_NO_PID, "");
	end(&f);
	shows(&f, "snapshots", (struct wk_filter_spec){ 0 },
	      SNAPSHOTS "1,10,user,100,1,,100,1,0,0,7,app,\n"
			"2,30,user,107,2,,107,2,0,0,,,\n"
			"3,60,user,200,1,2,200,1,100,1,7,app,\n"
			"4,70,user,7,1,2,0,0,0,0,8,other,\n"
			"5,80,user,207,2,2,200,1,100,1,,,\n");
	wk_model_free(f.model);
}

static void sums_of_other_tools_are_listed_as_well(void **state)
{
	static const uint64_t chain[] = { 0xa };
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t i = 1; i < 3; i++) {
		built_give(&f, (struct wk_event){
			.kind = WK_EVENT_HEAP_SUM, .time_ns = i * 100, .pid = 7, .tid = 7,
			.heap_sum = { .allocated_bytes = 1000, .allocated_blocks = 10,
				      .freed_bytes = 300, .freed_blocks = 3,
				      .temporary_bytes = 20, .temporary_blocks = 2,
				      .peak_bytes = 800 + i, .peak_blocks = 8,
				      .sample = { .user_chain = chain, .user_count = 1 } } });
		snapshot_of(&f, i * 100, 7, "");
	}
	end(&f);
	shows(&f, "heap", (struct wk_filter_spec){ 0 },
	      LEFT "100.0000,1400,14,802,100.0000,8,2000,20,600,6,4,40,64 B: 20,,app,app+0xa\n");
	shows(&f, "heap", (struct wk_filter_spec){ .span.between = { "1", "2" } },
	      BETWEEN "100.0000,1000,10,300,3,400,4,1000,10,300,3,2,20,64 B: 10,,app,app+0xa\n");
	wk_model_free(f.model);
}

/* As massif does. */
static void bytes_without_blocks_have_no_numbers(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_HEAP_SUM, .pid = 7, .tid = 7,
		.heap_sum = { .allocated_bytes = 1000, .freed_bytes = 300 } });
	end(&f);
	shows(&f, "heap", (struct wk_filter_spec){ 0 },
	      LEFT "100.0000,700,,,0.0000,,1000,,300,,,0,,,(none),(unknown)\n");
	wk_model_free(f.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heap_is_listed_by_the_functions_that_allocate),
		cmocka_unit_test(what_is_new_gone_and_kept_is_listed),
		cmocka_unit_test(only_functions_that_grew_are_listed),
		cmocka_unit_test(snapshots_show_what_is_new_and_gone),
		cmocka_unit_test(
			what_a_process_left_is_outstanding_but_in_no_later_snapshot),
		cmocka_unit_test(snapshots_are_compared_with_those_that_include_the_same_processes),
		cmocka_unit_test(sums_of_other_tools_are_listed_as_well),
		cmocka_unit_test(bytes_without_blocks_have_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
