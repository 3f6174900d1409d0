#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "render/renderers.h"
#include "views/tables/tables.h"

#define PAGE 0x1000u

static const char *of_process[] = { "none", "editor", "server" };

/* Processes 10 and 20 are "editor" and "server". */
static void start(struct built *b)
{
	built_start(b);
	for (uint32_t i = 1; i < 3; i++)
		built_give(b, (struct wk_event){
			.kind = WK_EVENT_PROCESS, .pid = i * 10, .tid = i * 10,
			.process = { .change = WK_PROCESS_SEEN, .threads_apart = true,
				     .name = wk_str_c(of_process[i]) } });
}

static void memory(struct built *b, uint64_t time_ns, uint32_t pid, uint32_t changes, uint64_t page,
		   uint64_t pages)
{
	built_give(b, (struct wk_event){
		.kind = WK_EVENT_MEMORY, .time_ns = time_ns, .pid = pid, .tid = pid + 1,
		.memory = { .changes = changes, .owner_pid = pid, .start = page * PAGE,
			    .size_bytes = pages * PAGE } });
}

static void heap(struct built *b, uint64_t time_ns, enum wk_heap_change change, uint64_t handle,
		 uint64_t address, uint64_t size)
{
	built_give(b, (struct wk_event){
		.kind = WK_EVENT_HEAP, .time_ns = time_ns, .pid = 10, .tid = 11,
		.heap = { .change = change, .heap = handle, .address = address,
			  .size_bytes = size } });
}

/* Ends the events and compares the table as CSV. */
static void shows(struct built *b, const char *name, const char *time, const char *expected)
{
	const struct wk_table_view *view = wk_table_view_find(name);
	struct wk_table_options options = { 0 };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_filter_spec spec = { .time = time };
	struct wk_filter filter;
	struct wk_table table;

	built_end(b);
	spec.source = wk_table_view_source(view, b->model);
	assert_null(wk_table_view_lacks(view, b->model));
	assert_true(wk_filter_init(&filter, b->model, &spec, NULL));
	wk_table_init(&table, name);
	view->fill(&table, b->model, &filter, &options);
	assert_true(wk_renderer_csv.render(&(struct wk_view){ .model = b->model, .table = &table },
					   &out, NULL));
	wk_out_end(&out);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
	wk_table_fini(&table);
	wk_filter_fini(&filter);
	wk_model_free(b->model);
}

static void give_memory(struct built *b)
{
	memory(b, 100, 10, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0, 10);
	memory(b, 200, 10, WK_MEMORY_DECOMMIT, 0, 9);
	memory(b, 300, 20, WK_MEMORY_RESERVE, 0, 50);
	memory(b, 400, 20, WK_MEMORY_COMMIT, 0, 5);
	memory(b, 500, 10, WK_MEMORY_COMMIT, 0, 2);
	memory(b, 600, 20, WK_MEMORY_DECOMMIT, 0, 1);
}

#define MEMORY_HEAD                                                                              \
	"percent,outstanding_bytes,outstanding_commits,peak_bytes,peak_ns,committed_bytes,"      \
	"commits,reserved_outstanding_bytes,reserved_peak_bytes,reserved_peak_ns,"           \
	"reserved_bytes,reserves,pid,process\n"

static void memory_is_listed_by_what_is_left_of_it(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	give_memory(&b);
	shows(&b, "memory", NULL,
	      MEMORY_HEAD "57.1429,16384,1,20480,300,20480,1,204800,204800,200,204800,1,20,server\n"
			  "42.8571,12288,2,40960,0,49152,2,40960,40960,0,40960,1,10,editor\n");
}

static void of_a_time_only_what_was_allocated_in_it_counts(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	give_memory(&b);
	shows(&b, "memory", "150ns-450ns",
	      MEMORY_HEAD "71.4286,20480,1,20480,300,20480,1,204800,204800,200,204800,1,20,server\n"
			  "28.5714,8192,1,8192,400,8192,1,0,0,,0,0,10,editor\n");
}

static void blocks_are_listed_by_heap(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	heap(&b, 100, WK_HEAP_ALLOCATE, 0xabc0, 0x10, 100);
	heap(&b, 200, WK_HEAP_ALLOCATE, 0xabc0, 0x20, 0); /* of nothing, and alive all the same */
	heap(&b, 300, WK_HEAP_ALLOCATE, 0xdef0, 0x10, 300);
	heap(&b, 400, WK_HEAP_FREE, 0xdef0, 0x10, 0);
	heap(&b, 500, WK_HEAP_ALLOCATE, 0xdef0, 0x30, 0);
	heap(&b, 550, WK_HEAP_FREE, 0xdef0, 0x30, 0);
	shows(&b, "heap", NULL,
	      "percent,outstanding_bytes,outstanding_blocks,peak_bytes,peak_ns,allocated_bytes,"
	      "allocations,freed_bytes,frees,median_life_ns,longest_life_ns,heap,pid,process\n"
	      "100.0000,100,2,100,0,100,2,0,0,,,0xabc0,10,editor\n"
	      "0.0000,0,0,300,200,300,2,300,2,50,100,0xdef0,10,editor\n");
}

static void switches(struct built *b, uint64_t time_ns, uint32_t old, const char *reason,
		     bool could_run, uint32_t now)
{
	built_give(b, (struct wk_event){
		.kind = WK_EVENT_SWITCH, .time_ns = time_ns, .pid = now / 10 * 10, .tid = now,
		.switched = { .old_pid = old / 10 * 10, .old_tid = old, .old_waits = !could_run,
			      .wait_mode = could_run ? WK_WAIT_UNTOLD : WK_WAIT_KERNEL,
			      .wait_reason = wk_str_c(reason) } });
}

static void readies(struct built *b, uint64_t time_ns, uint32_t who, uint32_t ready)
{
	built_give(b, (struct wk_event){
		.kind = WK_EVENT_READY, .time_ns = time_ns, .pid = who / 10 * 10, .tid = who,
		.ready = { .ready_pid = ready / 10 * 10, .ready_tid = ready,
			   .is_interrupt = who == 0 } });
}

/* 11 waits 100-200, 300-350 and 800-900; it is ready 200-210 and 350-400. Thread 21 has to go at
 * 210 until 300, and waits 400-500 and from 600 on. */
static void give_waits(struct built *b)
{
	switches(b, 50, 0, "", true, 11);
	switches(b, 100, 11, "Queue", false, 21);
	readies(b, 200, 21, 11);
	switches(b, 210, 21, "Preempted", true, 11);
	switches(b, 300, 11, "Queue", false, 21);
	readies(b, 350, 21, 11);
	switches(b, 400, 21, "Page", false, 11);
	readies(b, 500, 0, 21);
	switches(b, 500, 0, "", true, 21);
	switches(b, 600, 21, "Page", false, 0);
	switches(b, 800, 11, "Queue", false, 0);
	readies(b, 900, 0, 11);
	switches(b, 900, 0, "", true, 11);
}

#define WAITS_HEAD                                                                               \
	"percent,waiting_ns,waits,longest_ns,ready_ns,longest_ready_ns,reason,mode,state,"        \
	"readied_by_waits,readied_by_pid,readied_by_tid,readied_by_thread,readied_by\n"

static void waits_are_listed_by_reason(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	give_waits(&b);
	shows(&b, "waits", NULL,
	      WAITS_HEAD "61.5385,400,2,300,0,0,Page,kernel,waiting,1,,,,(interrupt)\n"
			 "38.4615,250,3,100,60,50,Queue,kernel,waiting,2,20,21,server,server\n"
			 "0.0000,0,1,0,90,90,Preempted,,ready,0,,,,\n");
}

/* Times count from the first row, which is at 200. */
static void of_a_time_the_part_of_a_wait_that_lies_in_it_counts(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	give_waits(&b);
	shows(&b, "waits", "20ns-150ns",
	      WAITS_HEAD "100.0000,50,1,50,0,0,Queue,kernel,waiting,1,20,21,server,server\n"
			 "0.0000,0,1,0,80,80,Preempted,,ready,0,,,,\n");
}

static void marks_are_listed_in_order_of_time(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	heap(&b, 100, WK_HEAP_ALLOCATE, 1, 1, 1);
	for (uint64_t i = 0; i < 3; i++)
		built_give(&b, (struct wk_event){
			.kind = WK_EVENT_MARK, .time_ns = 100 + i * 100,
			.pid = i ? 10 : WK_NO_PID, .tid = 11,
			.mark = { .label = WK_STR("a, \"b\""), .provider = WK_STR("xperf") } });
	shows(&b, "marks", "0-150ns",
	      "time_ns,provider,pid,process,label\n"
	      "0,xperf,,,\"a, \"\"b\"\"\"\n"
	      "100,xperf,10,editor,\"a, \"\"b\"\"\"\n");
}

static void counts_are_listed_as_they_were_told(void **state)
{
	struct built b;

	(void)state;
	start(&b);
	built_give(&b, (struct wk_event){ .kind = WK_EVENT_COUNT,
		.count = { .provider = WK_STR("kernel"), .name = WK_STR("0x0f2e"), .count = 7,
			   .is_used = true } });
	built_give(&b, (struct wk_event){ .kind = WK_EVENT_COUNT,
		.count = { .provider = WK_STR("kernel"), .name = WK_STR("0x0999"), .count = 9 } });
	shows(&b, "events", NULL,
	      "count,used,provider,name\n"
	      "7,yes,kernel,0x0f2e\n"
	      "9,no,kernel,0x0999\n");
}

static void what_a_recording_has_nothing_of_is_said(void **state)
{
	static const char *const names[] = { "memory", "heap", "marks", "events" };
	struct built b;

	(void)state;
	start(&b);
	built_end(&b);
	for (size_t i = 0; i < 4; i++)
		assert_non_null(wk_table_view_lacks(wk_table_view_find(names[i]), b.model));
	assert_null(wk_table_view_lacks(wk_table_view_find("functions"), b.model));
	wk_model_free(b.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_listed_by_what_is_left_of_it),
		cmocka_unit_test(of_a_time_only_what_was_allocated_in_it_counts),
		cmocka_unit_test(blocks_are_listed_by_heap),
		cmocka_unit_test(waits_are_listed_by_reason),
		cmocka_unit_test(of_a_time_the_part_of_a_wait_that_lies_in_it_counts),
		cmocka_unit_test(marks_are_listed_in_order_of_time),
		cmocka_unit_test(counts_are_listed_as_they_were_told),
		cmocka_unit_test(what_a_recording_has_nothing_of_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
