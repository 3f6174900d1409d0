/* Blocks of heaps that are added up: what is left must be exact at every snapshot and in the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "built_model.h"
#include "heap_events.h"
#include "model/heap/blocks.h"
#include "model/heap/rows.h"
#include "model/resolve.h"
#include "views/filter/filter.h"
#include "views/lifetimes.h"

static void start(struct built *f)
{
	built_start(f);
	f->model->sums_samples = f->model->sums_blocks = true;
}

/* The rows in view in their order, each as "bytes/blocks". */
static const char *rows(const struct built *f, const struct wk_filter_spec *spec)
{
	static char text[512];
	struct wk_filter filter;
	struct wk_err err = { 0 };
	size_t len = 0;

	text[0] = '\0';
	if (!wk_filter_init(&filter, f->model, spec, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < f->model->samples.count && len < sizeof(text); i++)
		if (wk_filter_has(&filter, i))
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "%s%llu/%llu", len ? " " : "",
				(unsigned long long)wk_filter_weight(&filter, f->model, i),
				(unsigned long long)wk_filter_times(&filter, f->model, i));
	wk_filter_fini(&filter);
	return text;
}

static const char *rows_of(const struct built *f, const char *source)
{
	return rows(f, &(struct wk_filter_spec){ .source = source });
}

static const char *left_in_the_end(const struct built *f)
{
	return rows(f, &(struct wk_filter_spec){ .source = "heap", .outstanding = true });
}

static const char *left_at(const struct built *f, const char *snapshot)
{
	return rows(f, &(struct wk_filter_spec){ .source = "heap", .span.snapshot = snapshot });
}

static const char *new_between(const struct built *f, const char *a, const char *b)
{
	return rows(f, &(struct wk_filter_spec){ .source = "heap", .span.between = { a, b } });
}

static const char *left_after_growth(const struct built *f, uint64_t count)
{
	return rows(f, &(struct wk_filter_spec){ .source = "heap", .span.grew = count });
}

/* --- Rows --- */

static void blocks_of_one_stack_and_thread_are_a_row(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	for (uint32_t i = 0; i < 10; i++)
		allocate(&f, (struct call){ i, 70, 0xa }, 0x100 + i, 100);
	allocate(&f, (struct call){ 20, 71, 0xa }, 0x200, 100);
	allocate(&f, (struct call){ 21, 70, 0xb }, 0x300, 100);
	release(&f, (struct call){ 22, 70, 0 }, 0x103);
	release(&f, (struct call){ 23, 71, 0 }, 0x104);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap"), "1000/10 100/1 100/1");
	assert_string_equal(left_in_the_end(&f), "800/8 100/1 100/1");
	assert_string_equal(rows_of(&f, "free"), "100/1 100/1");
	assert_int_equal(f.model->end_count, 1); /* both lived 19 ns */
	wk_model_free(f.model);
}

static void sizes_are_apart_by_powers_of_two(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t size = 0; size <= 8; size++)
		allocate(&f, (struct call){ 1, 70, 0xa }, 0x100 + size, size);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap"), "0/1 1/1 5/2 22/4 8/1");
	wk_model_free(f.model);
}

static void many_threads_free_what_others_allocated(void **state)
{
	enum { THREADS = 64, EACH = 50 };
	struct built f;

	(void)state;
	start(&f);
	for (uint32_t i = 0; i < THREADS * EACH; i++)
		allocate(&f, (struct call){ i, 100 + i % THREADS, 0xa }, 0x1000 + i * 16, 16);
	snapshot_of(&f, THREADS * EACH, 7, "all");
	for (uint32_t i = 0; i < THREADS * EACH; i++)
		if (i % THREADS)
			release(&f, (struct call){ 10000 + i, 100 + (i + 1) % THREADS, 0 },
				0x1000 + i * 16);
	built_end(&f);
	assert_string_equal(left_in_the_end(&f), "800/50");
	assert_int_equal(f.model->heaps[0].frees, (THREADS - 1) * EACH);
	assert_int_equal(f.model->heaps[0].peak_bytes, THREADS * EACH * 16);
	assert_int_equal(f.model->heaps[0].left_bytes, 800);
	assert_int_equal(f.model->heaps[0].unknown_frees + f.model->heaps[0].missed_frees, 0);
	wk_model_free(f.model);
}

static void a_chain_of_reallocations_leaves_the_last(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	for (uint64_t i = 1; i <= 20; i++)
		reallocate(&f, (struct call){ 1 + i, 70, 0xb }, i % 2 ? 0x100 : 0x200,
			   i % 2 ? 0x200 : 0x100, 16 + i % 2); /* in turns */
	reallocate(&f, (struct call){ 30, 70, 0xc }, 0x100, 0x100, 40); /* in place */
	reallocate(&f, (struct call){ 31, 70, 0xd }, 0, 0x300, 50);     /* of none */
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap"), "10/1 330/20 40/1 50/1");
	assert_string_equal(left_in_the_end(&f), "40/1 50/1");
	assert_int_equal(f.model->heaps[0].unknown_frees, 0);
	assert_int_equal(f.model->heaps[0].missed_frees, 0);
	wk_model_free(f.model);
}

static void releases_that_are_unknown_or_missed_are_counted(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	release(&f, (struct call){ 1, 70, 0 }, 0x900);
	release(&f, (struct call){ 2, 70, 0 }, 0); /* free(NULL) */
	reallocate(&f, (struct call){ 3, 70, 0xa }, 0x901, 0x100, 10);
	allocate(&f, (struct call){ 4, 70, 0xb }, 0x100, 20);
	allocate(&f, (struct call){ 5, 70, 0xc }, 0x100, 30);
	release(&f, (struct call){ 6, 70, 0 }, 0x100);
	release(&f, (struct call){ 7, 70, 0 }, 0x100);
	built_end(&f);
	assert_int_equal(f.model->heaps[0].unknown_frees, 3);
	assert_int_equal(f.model->heaps[0].missed_frees, 2);
	assert_int_equal(f.model->heaps[1].unknown_frees, 3);
	assert_string_equal(left_in_the_end(&f), "");
	wk_model_free(f.model);
}

static void what_a_program_did_not_free_is_left_after_its_end(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 2, 70, 0xb }, 0x200, 20);
	release(&f, (struct call){ 3, 70, 0 }, 0x100);
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_PROCESS, .time_ns = 4, .pid = 7,
					  .tid = 7, .process = { .change = WK_PROCESS_EXIT } });
	built_end(&f);
	assert_string_equal(left_in_the_end(&f), "20/1");
	wk_model_free(f.model);
}

static void another_program_of_a_process_has_none_of_its_blocks(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .time_ns = 4, .pid = 7, .tid = 7,
		.process = { .change = WK_PROCESS_EXEC, .name = WK_STR("next") } });
	allocate(&f, (struct call){ 5, 70, 0xb }, 0x100, 20);
	built_end(&f);
	assert_string_equal(left_in_the_end(&f), "20/1");
	assert_int_equal(f.model->heaps[0].missed_frees, 0);
	wk_model_free(f.model);
}

/* As the heap files of other tools have them. */
static void blocks_without_processes_have_stacks_with_names(void **state)
{
	static const struct wk_trie_entry entries[] = { { 0, 1 }, { 1, 2 } };
	struct wk_event_heap heap = { .change = WK_HEAP_ALLOCATE, .size_bytes = 10,
				      .sample.named_stack = 2 };
	struct wk_event event = { .kind = WK_EVENT_HEAP, .pid = WK_NO_PID, .heap = heap };
	struct built f;

	(void)state;
	start(&f);
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_FRAME, .pid = WK_NO_PID,
					  .frame = { .number = 1, .name = WK_STR("main") } });
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_FRAME, .pid = WK_NO_PID,
					  .frame = { .number = 2, .name = WK_STR("load") } });
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_STACKS, .pid = WK_NO_PID,
					  .stacks = { 1, 2, entries, 0, 0 } });
	for (event.heap.address = 1; event.heap.address <= 4; event.heap.address++)
		built_give(&f, event);
	snapshot_of(&f, 5, WK_NO_PID, "four");
	event.heap = (struct wk_event_heap){ .change = WK_HEAP_FREE, .address = 1 };
	event.time_ns = 6;
	built_give(&f, event);
	snapshot_of(&f, 7, WK_NO_PID, "three");
	built_end(&f);
	assert_string_equal(left_at(&f, "four"), "40/4");
	assert_string_equal(left_at(&f, "three"), "30/3");
	assert_int_equal(f.model->samples.stack[0], 2);
	wk_model_free(f.model);
}

/* --- Snapshots --- */

static void what_is_left_is_exact_at_each_snapshot(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 2, 70, 0xa }, 0x200, 10);
	snapshot_of(&f, 3, 7, "two");
	release(&f, (struct call){ 4, 70, 0 }, 0x100);
	allocate(&f, (struct call){ 5, 70, 0xa }, 0x100, 10); /* the same address */
	snapshot_of(&f, 6, WK_NO_PID, "one and one");
	release(&f, (struct call){ 7, 70, 0 }, 0x100);
	release(&f, (struct call){ 8, 70, 0 }, 0x200);
	snapshot_of(&f, 9, 7, "none");
	snapshot_of(&f, 9, 8, "none of another");
	built_end(&f);
	assert_string_equal(left_at(&f, "two"), "20/2");
	assert_string_equal(left_at(&f, "2"), "10/1 10/1");
	assert_string_equal(left_at(&f, "#3"), "");
	assert_string_equal(left_at(&f, "none of another"), "");
	assert_string_equal(left_at(&f, "user"), ""); /* the last with this cause */
	assert_string_equal(left_in_the_end(&f), "");
	wk_model_free(f.model);
}

static void blocks_are_the_same_by_identity_not_by_address(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 2, 70, 0xa }, 0x200, 12);
	snapshot_of(&f, 3, 7, "a");
	release(&f, (struct call){ 4, 70, 0 }, 0x100);
	allocate(&f, (struct call){ 5, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 6, 70, 0xb }, 0x300, 30); /* but not until then */
	release(&f, (struct call){ 7, 70, 0 }, 0x300);
	snapshot_of(&f, 8, 7, "b");
	allocate(&f, (struct call){ 9, 70, 0xb }, 0x300, 30);
	snapshot_of(&f, 10, 7, "c");
	built_end(&f);
	assert_string_equal(new_between(&f, "a", "b"), "10/1");
	assert_string_equal(new_between(&f, "b", "c"), "30/1");
	assert_string_equal(new_between(&f, "1", "3"), "10/1 30/1");
	assert_string_equal(left_at(&f, "c"), "12/1 10/1 30/1");
	wk_model_free(f.model);
}

static void only_stacks_that_grew_each_time_are_suspects(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	built_give(&f, (struct wk_event){ /* so that the callers are two functions */
		.kind = WK_EVENT_IMAGE, .pid = 7, .tid = 7,
		.image = { .size_bytes = 0x1000, .path = WK_STR("/app") } });
	for (uint64_t i = 1; i <= 4; i++) {
		allocate(&f, (struct call){ i * 10, 70, 0xa }, 0x1000 * i, 10);
		allocate(&f, (struct call){ i * 10 + 1, 70, 0xb }, 0x1000 * i + 1, 20);
		if (i == 3)
			release(&f, (struct call){ i * 10 + 2, 70, 0 }, 0x1000 * i + 1);
		snapshot_of(&f, i * 10 + 3, 7, "");
	}
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	assert_string_equal(left_after_growth(&f, 1), "10/1 20/1");
	assert_string_equal(left_after_growth(&f, 2), "10/1 10/1");
	assert_string_equal(left_after_growth(&f, 4), "10/1 10/1 10/1 10/1");
	wk_model_free(f.model);
}

static void wrong_snapshots_are_refused(void **state)
{
	static const struct wk_span_spec specs[] = {
		{ .snapshot = "3" }, { .snapshot = "lodaed" }, { .between = { "2", "1" } },
		{ .between = { "1", "1" } }, { .grew = 3 }, { .snapshot = "" }, { .snapshot = "0" },
	};
	static const char *const said[] = {
		"lists those that were taken (2)", "did you mean \"loaded\"", "is not before",
		"is not before", "only 2", "no snapshot \"\"", "no snapshot \"0\"",
	};
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	snapshot_of(&f, 2, 7, "loaded");
	snapshot_of(&f, 3, 7, "");
	built_end(&f);
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct wk_filter_spec spec = { .source = "heap", .span = specs[i] };
		struct wk_filter filter;
		struct wk_err err = { 0 };

		assert_false(wk_filter_init(&filter, f.model, &spec, &err));
		if (!strstr(err.text, said[i]))
			fail_msg("%zu: %s", i, err.text);
		wk_filter_fini(&filter);
	}
	wk_model_free(f.model);
}

static void give_side(struct built *f, bool is_before, uint64_t size)
{
	struct wk_event_heap heap = { .change = WK_HEAP_ALLOCATE, .size_bytes = size,
				      .sample.is_before = is_before };

	for (heap.address = 1; heap.address <= 3; heap.address++) {
		heap_event(f, (struct call){ heap.address, 70, 0xa }, heap);
		snapshot_of(f, heap.address, 7, heap.address == 2 ? "two" : "");
	}
	heap.change = WK_HEAP_FREE;
	heap.address = 1;
	heap_event(f, (struct call){ 9, 70, 0xa }, heap);
}

static void sides_of_a_comparison_have_snapshots_of_their_own(void **state)
{
	struct wk_filter_spec spec = { .source = "heap" };
	struct built f;

	(void)state;
	start(&f);
	give_side(&f, true, 10);
	wk_builder_next_input(f.builder);
	give_side(&f, false, 20);
	built_end(&f);
	spec.span.snapshot = "3";
	spec.before_span.snapshot = "1";
	assert_string_equal(rows(&f, &spec), "10/1 20/1 20/1 20/1");
	spec.span.snapshot = spec.before_span.snapshot = "two";
	assert_string_equal(rows(&f, &spec), "10/1 10/1 20/1 20/1");
	spec.span.snapshot = NULL; /* in the end */
	assert_string_equal(rows(&f, &spec), "10/1 10/1 20/1 20/1");
	spec.before_span = spec.span = (struct wk_span_spec){ .grew = 2 };
	assert_string_equal(rows(&f, &spec), "10/1 10/1 20/1 20/1");
	spec.before_span = spec.span = (struct wk_span_spec){ .between = { "1", "two" } };
	assert_string_equal(rows(&f, &spec), "10/1 20/1");
	wk_model_free(f.model);
}

static void sums_end_at_the_time_in_view(void **state)
{
	struct wk_filter_spec spec = { .source = "heap", .time = "10ns-20ns" };
	struct built f;

	(void)state;
	start(&f);
	f.model->sums_samples = false;
	f.model->sums_from_ns = 10;
	f.model->sums_to_ns = 20;
	allocate(&f, (struct call){ 100, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 110, 70, 0xa }, 0x200, 10);
	allocate(&f, (struct call){ 111, 70, 0xa }, 0x300, 10);
	allocate(&f, (struct call){ 112, 70, 0xa }, 0x400, 10);
	release(&f, (struct call){ 113, 70, 0 }, 0x200);
	release(&f, (struct call){ 120, 70, 0 }, 0x300);
	release(&f, (struct call){ 121, 70, 0 }, 0x400);
	allocate(&f, (struct call){ 122, 70, 0xa }, 0x500, 10);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap"), "10/1 30/3 10/1");
	assert_string_equal(rows(&f, &spec), "30/3");
	spec.outstanding = true;
	assert_string_equal(rows(&f, &spec), "10/1");
	spec.source = "free";
	spec.outstanding = false;
	assert_string_equal(rows(&f, &spec), "20/2");
	wk_model_free(f.model);
}

/* --- The peak, and blocks that live shortly --- */

static void the_peak_is_the_first_of_equal_ones(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 60);
	allocate(&f, (struct call){ 2, 70, 0xb }, 0x200, 40);
	release(&f, (struct call){ 3, 70, 0 }, 0x100);
	allocate(&f, (struct call){ 4, 70, 0xc }, 0x300, 60); /* the same again */
	release(&f, (struct call){ 5, 70, 0 }, 0x200);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap-peak"), "60/1 40/1");
	assert_int_equal(f.model->heaps[0].peak_ns, 2);
	wk_model_free(f.model);
}

static void a_second_peak_replaces_the_first(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 60);
	allocate(&f, (struct call){ 2, 70, 0xb }, 0x200, 40);
	release(&f, (struct call){ 3, 70, 0 }, 0x100);
	snapshot_of(&f, 3, 7, "");
	allocate(&f, (struct call){ 4, 70, 0xb }, 0x300, 61);
	allocate(&f, (struct call){ 5, 70, 0xc }, 0x400, 3);
	release(&f, (struct call){ 6, 70, 0 }, 0x400);
	release(&f, (struct call){ 7, 70, 0 }, 0x300);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap-peak"), "40/1 61/1 3/1");
	assert_int_equal(f.model->heaps[0].peak_ns, 5);
	assert_int_equal(f.model->heaps[0].peak_bytes, 104);
	wk_model_free(f.model);
}

/* A process that grows, shrinks, has its peak, and ends. */
static struct wk_heap_peaks give_moments(struct built *f, const struct wk_heap_peaks *peaks)
{
	struct wk_heap_peaks found;

	start(f);
	if (peaks)
		wk_builder_use_peaks(f->builder, peaks);
	built_give(f, (struct wk_event){ .kind = WK_EVENT_SNAPSHOT_REQUEST,
					 .snapshot_request = { true, true, 50 } });
	built_give(f, (struct wk_event){ .kind = WK_EVENT_PROCESS, .pid = 7, .tid = 7,
					 .process = { .change = WK_PROCESS_START } });
	allocate(f, (struct call){ 1, 70, 0xa }, 0x100, 50); /* is not more */
	allocate(f, (struct call){ 2, 70, 0xb }, 0x200, 1);
	release(f, (struct call){ 3, 70, 0 }, 0x200);
	allocate(f, (struct call){ 4, 70, 0xb }, 0x200, 2);
	allocate(f, (struct call){ 5, 70, 0xc }, 0x300, 250); /* exceeds 100, 200 and 300 */
	release(f, (struct call){ 6, 70, 0 }, 0x100);
	allocate(f, (struct call){ 7, 70, 0xd }, 0x400, 50); /* as much as before */
	release(f, (struct call){ 8, 70, 0 }, 0x300);
	built_give(f, (struct wk_event){ .kind = WK_EVENT_PROCESS, .time_ns = 9, .pid = 7, .tid = 7,
					 .process = { .change = WK_PROCESS_EXIT } });
	found = wk_builder_peaks(f->builder);
	built_end(f);
	return found;
}

static void moments_that_are_requested_become_snapshots(void **state)
{
	struct wk_heap_peaks peaks;
	struct built f;

	(void)state;
	peaks = give_moments(&f, NULL);
	assert_int_equal(f.model->snapshot_count, 3);
	wk_model_free(f.model);
	assert_int_equal(peaks.count, 1);
	assert_int_equal(peaks.events[0], 5);
	wk_free(give_moments(&f, &peaks).events);
	assert_int_equal(f.model->snapshot_count, 4);
	assert_string_equal(left_at(&f, "1"), "50/1 1/1");
	assert_string_equal(left_at(&f, "size"), "50/1 2/1 250/1");
	assert_string_equal(left_at(&f, "peak"), "50/1 2/1 250/1");
	assert_string_equal(left_at(&f, "exit"), "2/1 50/1");
	assert_int_equal(f.model->snapshots[3].time_ns, 9);
	wk_model_free(f.model);
	wk_free(peaks.events);
}

static void temporary_is_what_is_freed_before_anything_else(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	allocate(&f, (struct call){ 1, 70, 0xa }, 0x100, 10);
	allocate(&f, (struct call){ 2, 71, 0xb }, 0x200, 20); /* of another thread */
	release(&f, (struct call){ 3, 71, 0 }, 0x100);        /* by another thread */
	allocate(&f, (struct call){ 4, 70, 0xa }, 0x300, 10);
	allocate(&f, (struct call){ 5, 70, 0xc }, 0x400, 30);
	release(&f, (struct call){ 6, 70, 0 }, 0x300);                 /* too late */
	reallocate(&f, (struct call){ 7, 70, 0xc }, 0x400, 0x400, 31); /* and so is this */
	release(&f, (struct call){ 8, 70, 0 }, 0x400);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap-temporary"), "10/1 31/1");
	wk_model_free(f.model);
}

static void lifetimes_have_powers_of_two_and_a_median(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t i = 1; i <= 5; i++) {
		allocate(&f, (struct call){ 100 * i, 70, 0xa }, 0x100, 10);
		release(&f, (struct call){ 100 * i + i, 70, 0 }, 0x100);
	}
	built_end(&f);
	assert_int_equal(f.model->end_count, 3); /* 1; 2 and 3; 4 and 5 */
	assert_int_equal(f.model->ends[0].lived + f.model->ends[1].lived + f.model->ends[2].lived,
			 1 + 2 + 3);
	assert_int_equal(f.model->heaps[1].median_life_ns, 3);
	assert_int_equal(f.model->heaps[1].longest_life_ns, 5);
	wk_model_free(f.model);
}

/* --- Memory --- */

static void a_million_events_are_a_few_rows(void **state)
{
	enum { EVENTS = 1000000, STACKS = 7 };
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t i = 0; i < EVENTS / 2; i++) {
		uint64_t address = 0x10000 + i * 64;

		allocate(&f, (struct call){ 10 * i, 70, 0xa + i % STACKS }, address, 64);
		release(&f, (struct call){ 10 * i + 5 + i % 3, 70, 0 }, address);
		if (i % 100000 == 99999)
			snapshot_of(&f, 10 * i + 9, 7, "");
	}
	built_end(&f);
	assert_int_equal(f.model->snapshot_count, 5);
	/* "heap" and "heap-temporary" by stack, "free" of the thread, each in five intervals; and
	 * the peak. */
	assert_int_equal(f.model->samples.count, 5 * (STACKS + STACKS + 1) + 1);
	assert_int_equal(f.model->end_count, 5 * STACKS); /* all lived 4 to 7 ns */
	assert_int_equal(f.model->heaps[0].frees, EVENTS / 2);
	assert_string_equal(left_in_the_end(&f), "");
	wk_model_free(f.model);
}

static bool is_of(const struct wk_model *model, uint32_t row, const char *source)
{
	return wk_str_is(wk_model_str(model, model->sources[model->samples.source[row]].name),
			 source);
}

static uint32_t count_rows(const struct wk_model *model, const char *source)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < model->samples.count; i++)
		count += is_of(model, i, source);
	return count;
}

/* What rows and ends say of the bytes that are there at a time. */
static uint64_t bytes_at(const struct wk_model *model, uint64_t time_ns)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (model->samples.time_ns[i] <= time_ns && is_of(model, i, "heap"))
			bytes += model->samples.weight[i];
	for (uint32_t i = 0; i < model->end_count; i++)
		if (model->ends[i].time_ns <= time_ns)
			bytes -= model->ends[i].weight;
	return bytes;
}

static void the_first_blocks_are_rows_if_blocks_are_sliced(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	f.model->slices_blocks = true;
	for (uint32_t i = 0; i < 4; i++)
		allocate(&f, (struct call){ 10 * i, 70, 0xa }, 0x100 + i, 100);
	release(&f, (struct call){ 35, 70, 0 }, 0x102);
	release(&f, (struct call){ 37, 70, 0 }, 0x101);
	built_end(&f);
	assert_string_equal(rows_of(&f, "heap"), "100/1 100/1 100/1 100/1");
	assert_string_equal(rows_of(&f, "free"), "200/2"); /* this is a sum */
	assert_int_equal(f.model->end_count, 2);
	assert_int_equal(f.model->ends[0].time_ns, 35);
	assert_int_equal(f.model->ends[1].time_ns, 37);
	wk_model_free(f.model);
}

/* One each microsecond, all of which are there for 20 ms. */
static void what_is_left_is_known_to_a_hundredth_of_the_time_if_blocks_are_sliced(void **state)
{
	enum { BLOCKS = 2 * WK_SINGLE_BLOCKS, STEP_NS = 1000, LATER = 20000 };
	struct built f;

	(void)state;
	start(&f);
	f.model->slices_blocks = true;
	for (uint64_t i = 0; i < BLOCKS + LATER; i++) {
		if (i < BLOCKS)
			allocate(&f, (struct call){ i * STEP_NS, 70, 0xa }, 0x10000 + i * 64, 64);
		if (i >= LATER)
			release(&f, (struct call){ i * STEP_NS + 1, 71, 0 },
				0x10000 + (i - LATER) * 64);
	}
	built_end(&f);
	assert_string_equal(left_in_the_end(&f), "");
	assert_in_range(count_rows(f.model, "heap"), WK_SINGLE_BLOCKS - 500,
			WK_SINGLE_BLOCKS + 100);
	assert_in_range(count_rows(f.model, "free"), 50, 500);
	for (uint64_t time = LATER * STEP_NS; time < BLOCKS * (uint64_t)STEP_NS; time += 777777) {
		uint64_t left = bytes_at(f.model, time) / 64;

		assert_in_range(left, LATER - time / STEP_NS / 50, LATER + time / STEP_NS / 50);
	}
	wk_model_free(f.model);
}

/* A small table that is never empty, so that some slots have several blocks. */
static void blocks_are_found_from_when_they_were_added_until_they_are_removed(void **state)
{
	struct wk_heap_blocks blocks = { 0 };
	uint32_t seed = 7;
	bool is_in[40] = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t id;

		seed = seed * 1664525 + 1013904223;
		id = 1 + (seed >> 16) % 39;
		if (is_in[id])
			assert_int_equal(wk_heap_blocks_remove(&blocks, 16 * id)->row, id);
		else
			wk_heap_blocks_at(&blocks, 16 * id)->row = id;
		assert_null(wk_heap_blocks_remove(&blocks, 8));
		is_in[id] = !is_in[id];
		for (id = 1; id < 40 && i % 50 == 0; id++) {
			const struct wk_heap_block *block = wk_heap_blocks_find(&blocks, 16 * id);

			assert_int_equal(block ? block->row : 0, is_in[id] ? id : 0);
		}
	}
	assert_true(blocks.cap <= 64 && blocks.slot_count <= 128);
	wk_heap_blocks_fini(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			blocks_are_found_from_when_they_were_added_until_they_are_removed),
		cmocka_unit_test(blocks_of_one_stack_and_thread_are_a_row),
		cmocka_unit_test(sizes_are_apart_by_powers_of_two),
		cmocka_unit_test(many_threads_free_what_others_allocated),
		cmocka_unit_test(a_chain_of_reallocations_leaves_the_last),
		cmocka_unit_test(releases_that_are_unknown_or_missed_are_counted),
		cmocka_unit_test(what_a_program_did_not_free_is_left_after_its_end),
		cmocka_unit_test(another_program_of_a_process_has_none_of_its_blocks),
		cmocka_unit_test(blocks_without_processes_have_stacks_with_names),
		cmocka_unit_test(what_is_left_is_exact_at_each_snapshot),
		cmocka_unit_test(blocks_are_the_same_by_identity_not_by_address),
		cmocka_unit_test(only_stacks_that_grew_each_time_are_suspects),
		cmocka_unit_test(wrong_snapshots_are_refused),
		cmocka_unit_test(sides_of_a_comparison_have_snapshots_of_their_own),
		cmocka_unit_test(sums_end_at_the_time_in_view),
		cmocka_unit_test(the_peak_is_the_first_of_equal_ones),
		cmocka_unit_test(a_second_peak_replaces_the_first),
		cmocka_unit_test(moments_that_are_requested_become_snapshots),
		cmocka_unit_test(temporary_is_what_is_freed_before_anything_else),
		cmocka_unit_test(lifetimes_have_powers_of_two_and_a_median),
		cmocka_unit_test(a_million_events_are_a_few_rows),
		cmocka_unit_test(the_first_blocks_are_rows_if_blocks_are_sliced),
		cmocka_unit_test(
			what_is_left_is_known_to_a_hundredth_of_the_time_if_blocks_are_sliced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
