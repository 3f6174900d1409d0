#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "built_model.h"
#include "base/mem.h"
#include "views/filter/filter.h"
#include "views/lifetimes.h"

#define PAGE 0x1000u

static void start(struct built *f)
{
	built_start(f);
	f->model->sums_samples = true; /* which lifetimes must outlive */
}

/* By thread 70 of process 7, which has one stack for each time. */
static void memory_of(struct built *f, uint64_t time_ns, uint32_t owner, uint32_t changes,
		      uint64_t begin, uint64_t size)
{
	uint64_t chain[] = { 0x1000 + time_ns };

	built_give(f, (struct wk_event){
		.kind = WK_EVENT_MEMORY, .time_ns = time_ns, .pid = 7, .tid = 70,
		.memory = { .changes = changes, .owner_pid = owner, .start = begin,
			    .size_bytes = size,
			    .sample = { .user_chain = chain, .user_count = 1 } } });
}

static void memory(struct built *f, uint64_t time_ns, uint32_t changes, uint64_t begin,
		   uint64_t size)
{
	memory_of(f, time_ns, 7, changes, begin, size);
}

static void process(struct built *f, uint64_t time_ns, uint32_t pid, enum wk_process_change change)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .time_ns = time_ns, .pid = pid, .tid = pid,
		.process = { .change = change, .name = WK_STR("app"), .threads_apart = true } });
}

/* The weights in view, in order, as "4096 8192". */
static const char *weights(const struct built *f, const struct wk_filter_spec *spec)
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
				text + len, sizeof(text) - len, "%s%llu", len ? " " : "",
				(unsigned long long)wk_filter_weight(&filter, f->model, i));
	wk_filter_fini(&filter);
	return text;
}

static const char *weights_of(const struct built *f, const char *source)
{
	return weights(f, &(struct wk_filter_spec){ .source = source });
}

static const char *left_of(const struct built *f, const char *source)
{
	return weights(f, &(struct wk_filter_spec){ .source = source, .outstanding = true });
}

static void a_commit_over_committed_pages_takes_only_what_is_new(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 1, WK_MEMORY_COMMIT, 10 * PAGE, 2 * PAGE);
	memory(&f, 2, WK_MEMORY_COMMIT, 9 * PAGE, 4 * PAGE);
	memory(&f, 3, WK_MEMORY_COMMIT, 10 * PAGE, PAGE);
	built_end(&f);
	assert_string_equal(weights_of(&f, "commit"), "8192 8192");
	wk_model_free(f.model);
}

static void a_decommit_in_the_middle_leaves_both_sides(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 1, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0, 10 * PAGE);
	memory(&f, 2, WK_MEMORY_DECOMMIT, 4 * PAGE, 2 * PAGE);
	memory(&f, 3, WK_MEMORY_COMMIT, 5 * PAGE, PAGE);
	built_end(&f);
	assert_string_equal(left_of(&f, "commit"), "32768 4096");
	assert_string_equal(left_of(&f, "reserve"), "40960");
	wk_model_free(f.model);
}

static void a_release_without_a_size_means_the_whole_reservation(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 1, WK_MEMORY_RESERVE, 0x10000, 8 * PAGE);
	memory(&f, 2, WK_MEMORY_RESERVE, 0x18000, 8 * PAGE);
	memory(&f, 3, WK_MEMORY_COMMIT, 0x10000 + 2 * PAGE, PAGE);
	memory(&f, 4, WK_MEMORY_COMMIT, 0x10000 + 7 * PAGE, 2 * PAGE); /* into the next one */
	memory(&f, 5, WK_MEMORY_RELEASE, 0x10000, 0);
	built_end(&f);
	assert_string_equal(left_of(&f, "reserve"), "32768");
	assert_string_equal(left_of(&f, "commit"), "4096");
	wk_model_free(f.model);
}

static void what_was_there_before_is_nobodys(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 0, WK_MEMORY_SEEN | WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0x10000, 4 * PAGE);
	memory(&f, 0, WK_MEMORY_SEEN | WK_MEMORY_RESERVE, 0x14000, 4 * PAGE);
	memory(&f, 1, WK_MEMORY_COMMIT, 0x10000, 5 * PAGE);
	memory(&f, 2, WK_MEMORY_RELEASE, 0x10000, 0); /* and not its neighbour */
	built_end(&f);
	assert_string_equal(weights_of(&f, "commit"), "4096");
	assert_string_equal(left_of(&f, "commit"), "4096");
	assert_int_equal(f.model->end_count, 0);
	wk_model_free(f.model);
}

static void memory_is_its_owners_and_the_stack_the_doers(void **state)
{
	struct built f;
	const struct wk_thread *thread;

	(void)state;
	start(&f);
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_IMAGE, .pid = 7, .tid = 7,
		.image = { .start = 0x1000, .size_bytes = 0x1000, .path = WK_STR("/doer") } });
	memory_of(&f, 1, 9, WK_MEMORY_COMMIT, 0, PAGE);
	built_end(&f);
	assert_int_equal(f.model->samples.count, 1);
	thread = &f.model->threads[wk_sample_thread(&f.model->samples, 0)];
	assert_int_equal(f.model->processes[thread->process].pid, 9);
	assert_int_equal(thread->tid, 70);
	assert_string_equal(
		wk_strtab_get(
			f.model->text,
			f.model->images
				[f.model->frames.image
					 [f.model->stacks.entries[f.model->samples.stack[0]].label]]
					.path),
		"/doer");
	wk_model_free(f.model);
}

static void a_process_gives_everything_back_when_it_ends(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	process(&f, 1, 7, WK_PROCESS_START);
	memory(&f, 2, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0, 3 * PAGE);
	process(&f, 5, 7, WK_PROCESS_EXIT);
	process(&f, 6, 7, WK_PROCESS_START);
	memory(&f, 7, WK_MEMORY_COMMIT, 0, PAGE);
	process(&f, 8, 7, WK_PROCESS_START); /* nobody told that the one before had ended */
	memory(&f, 9, WK_MEMORY_COMMIT, 0, 2 * PAGE);
	built_end(&f);
	assert_string_equal(weights_of(&f, "commit"), "12288 4096 8192");
	assert_string_equal(left_of(&f, "commit"), "8192");
	assert_int_equal(f.model->end_count, 3);
	assert_int_equal(f.model->ends[0].time_ns, 5);
	assert_int_equal(f.model->ends[0].thread, 0);
	wk_model_free(f.model);
}

static void outstanding_of_a_time_was_allocated_in_it_and_not_freed_in_it(void **state)
{
	struct wk_filter_spec spec = { .source = "commit",
				       .outstanding = true,
				       .time = "10ns-30ns" };
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 100, WK_MEMORY_COMMIT, 0, 1 * PAGE);         /* before */
	memory(&f, 110, WK_MEMORY_COMMIT, 10 * PAGE, 2 * PAGE); /* freed in it */
	memory(&f, 120, WK_MEMORY_COMMIT, 20 * PAGE, 3 * PAGE); /* freed after it */
	memory(&f, 125, WK_MEMORY_DECOMMIT, 10 * PAGE, 2 * PAGE);
	memory(&f, 140, WK_MEMORY_DECOMMIT, 20 * PAGE, 3 * PAGE);
	memory(&f, 150, WK_MEMORY_COMMIT, 30 * PAGE, 4 * PAGE); /* after */
	built_end(&f);
	assert_string_equal(weights(&f, &spec), "12288");
	spec.outstanding = false;
	assert_string_equal(weights(&f, &spec), "8192 12288");
	wk_model_free(f.model);
}

static void nothing_of_an_event_without_lifetimes_is_outstanding(void **state)
{
	struct wk_filter_spec spec = { .source = "cpu", .outstanding = true };
	struct wk_filter filter;
	struct wk_err err = { 0 };
	struct built f;

	(void)state;
	start(&f);
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_SOURCE,
				    .source = { .source = 1, .name = WK_STR("cpu") } });
	built_end(&f);
	assert_false(wk_filter_init(&filter, f.model, &spec, &err));
	assert_non_null(strstr(err.text, "\"cpu\""));
	wk_filter_fini(&filter);
	wk_model_free(f.model);
}

static void sizes_at_the_end_of_all_addresses_do_no_harm(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	memory(&f, 1, WK_MEMORY_COMMIT, UINT64_MAX - 5, UINT64_MAX);
	memory(&f, 2, WK_MEMORY_COMMIT, UINT64_MAX - PAGE, PAGE + 1);
	memory(&f, 3, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0, UINT64_MAX);
	memory(&f, 4, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 123, 0);
	memory(&f, 5, WK_MEMORY_RELEASE | WK_MEMORY_DECOMMIT, UINT64_MAX, 0);
	memory(&f, 6, WK_MEMORY_RELEASE, 0, UINT64_MAX);
	memory(&f, 7, 0, 0, 0);
	memory(&f, 8, UINT32_MAX, 0, 1);
	built_end(&f);
	assert_string_equal(left_of(&f, "commit"), "");
	wk_model_free(f.model);
}

/* --- Against a way that is slow and obviously right --- */

#define PAGES 300
#define CALLS 3000

struct slow {
	uint32_t committed_by[PAGES]; /* call + 1; 0: nobody */
	uint64_t pages[CALLS];        /* that each call still has */
	uint64_t taken[CALLS];
};

static void commit_slowly(struct slow *slow, uint32_t call, uint32_t first, uint32_t end_page)
{
	for (uint32_t i = first; i < end_page; i++) {
		if (slow->committed_by[i])
			continue;
		slow->committed_by[i] = call + 1;
		slow->pages[call]++;
		slow->taken[call]++;
	}
}

static void free_slowly(struct slow *slow, uint32_t first, uint32_t end_page)
{
	for (uint32_t i = first; i < end_page; i++) {
		if (slow->committed_by[i])
			slow->pages[slow->committed_by[i] - 1]--;
		slow->committed_by[i] = 0;
	}
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % limit);
}

/* From a row on, the first that is a commit. */
static uint32_t next_commit(const struct built *f, const struct wk_filter *filter, uint32_t row)
{
	while (row < f->model->samples.count &&
	       wk_sample_source(&f->model->samples, row) != filter->source)
		row++;
	return row;
}

static void the_same_is_left(const struct built *f, const struct slow *slow)
{
	struct wk_filter_spec spec = { .source = "commit", .outstanding = true };
	struct wk_filter filter;
	struct wk_err err = { 0 };
	uint32_t row = 0;

	assert_true(wk_filter_init(&filter, f->model, &spec, &err));
	for (uint32_t call = 0; call < CALLS; call++) {
		if (slow->taken[call] == 0)
			continue;
		row = next_commit(f, &filter, row);
		assert_true(row < f->model->samples.count);
		assert_int_equal(wk_sample_time(&f->model->samples, row), call + 1);
		assert_int_equal(f->model->samples.weight[row], slow->taken[call] * PAGE);
		assert_int_equal(filter.weights[row], slow->pages[call] * PAGE);
		row++;
	}
	assert_int_equal(next_commit(f, &filter, row), f->model->samples.count);
	wk_filter_fini(&filter);
}

static void random_calls_leave_what_an_array_of_pages_says(void **state)
{
	static struct slow slow;

	(void)state;
	for (uint64_t seed = 1; seed < 9; seed++) {
		uint64_t random = seed;
		struct built f;

		memset(&slow, 0, sizeof(slow));
		start(&f);
		for (uint32_t call = 0; call < CALLS; call++) {
			uint32_t first = random_below(&random, PAGES - 1);
			uint32_t most = seed % 2 ? 4 : PAGES - first;
			uint32_t count =
				1 +
				random_below(&random, most < PAGES - first ? most : PAGES - first);
			/* Not at the page's begin, and a part of the last one. */
			uint64_t begin = first * PAGE + random_below(&random, PAGE);
			uint64_t size = (first + count) * PAGE - begin;

			if (random_below(&random, 2)) {
				memory(&f, call + 1, WK_MEMORY_COMMIT, begin, size);
				commit_slowly(&slow, call, first, first + count);
			} else {
				memory(&f, call + 1, WK_MEMORY_DECOMMIT, begin, size);
				free_slowly(&slow, first, first + count);
			}
		}
		built_end(&f);
		the_same_is_left(&f, &slow);
		wk_model_free(f.model);
	}
}

static void half_a_million_single_pages_take_seconds_at_most(void **state)
{
	enum { COUNT = 500000 };
	clock_t begin = clock();
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t i = 0; i < COUNT; i++)
		memory(&f, 1 + i % 5, WK_MEMORY_COMMIT, (i * 7919 % COUNT) * 2 * PAGE, 1);
	for (uint64_t i = 0; i < COUNT; i += 2)
		memory(&f, 10, WK_MEMORY_DECOMMIT, i * 2 * PAGE, PAGE);
	memory(&f, 11, WK_MEMORY_RELEASE, 0, UINT64_MAX);
	built_end(&f);
	assert_int_equal(f.model->samples.count, COUNT + 2); /* and what gave them back */
	assert_int_equal(f.model->end_count, COUNT);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
	wk_model_free(f.model);
}

/* --- Heaps --- */

static void heap(struct built *f, uint64_t time_ns, enum wk_heap_change change, uint64_t handle,
		 uint64_t address, uint64_t size, uint64_t old_address)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_HEAP, .time_ns = time_ns, .pid = 7, .tid = 70,
		.heap = { .change = change, .heap = handle, .address = address,
			  .size_bytes = size, .old_address = old_address } });
}

static void a_block_lives_until_it_is_freed_moved_or_lost(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	heap(&f, 0, WK_HEAP_FREE, 1, 0x10, 0, 0); /* the very first */
	heap(&f, 1, WK_HEAP_ALLOCATE, 1, 0x10, 100, 0);
	heap(&f, 2, WK_HEAP_ALLOCATE, 1, 0x20, 200, 0);
	heap(&f, 3, WK_HEAP_FREE, 1, 0x10, 0, 0);
	heap(&f, 4, WK_HEAP_REALLOCATE, 1, 0x30, 300, 0x20);
	heap(&f, 5, WK_HEAP_REALLOCATE, 1, 0x30, 350, 0x30); /* in place */
	heap(&f, 6, WK_HEAP_ALLOCATE, 1, 0x40, 400, 0);
	heap(&f, 7, WK_HEAP_ALLOCATE, 1, 0x40, 444, 0); /* nobody told that it was freed */
	heap(&f, 8, WK_HEAP_FREE, 1, 0x999, 0, 0);      /* of before the recording */
	heap(&f, 9, WK_HEAP_REALLOCATE, 1, 0x50, 500, 0x888);
	built_end(&f);
	assert_string_equal(weights_of(&f, "heap"), "100 200 300 350 400 444 500");
	assert_string_equal(left_of(&f, "heap"), "350 444 500");
	assert_int_equal(f.model->end_count, 4);
	wk_model_free(f.model);
}

static void an_address_in_two_heaps_is_two_blocks(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	heap(&f, 1, WK_HEAP_CREATE, 1, 0, 0, 0);
	heap(&f, 2, WK_HEAP_CREATE, 2, 0, 0, 0);
	heap(&f, 3, WK_HEAP_ALLOCATE, 1, 0x10, 100, 0);
	heap(&f, 4, WK_HEAP_ALLOCATE, 2, 0x10, 200, 0);
	heap(&f, 5, WK_HEAP_ALLOCATE, 2, 0x20, 300, 0);
	heap(&f, 6, WK_HEAP_DESTROY, 2, 0, 0, 0);
	heap(&f, 7, WK_HEAP_ALLOCATE, 2, 0x20, 400, 0);
	built_end(&f);
	assert_string_equal(left_of(&f, "heap"), "100 400");
	assert_int_equal(f.model->heap_count, 3);
	assert_int_equal(f.model->heaps[wk_model_subject(f.model, 0)->heap].handle, 1);
	wk_model_free(f.model);
}

static void windows(struct built *f)
{
	built_give(f, (struct wk_event){ .kind = WK_EVENT_SYSTEM,
					 .system = { .key = WK_STR("system"),
						     .value = WK_STR("Windows"),
						     .traits = &wk_traits_windows } });
}

static void blocks_of_windows_die_with_their_process(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	windows(&f);
	heap(&f, 1, WK_HEAP_ALLOCATE, 1, 0x10, 100, 0);
	heap(&f, 2, WK_HEAP_ALLOCATE, 2, 0x10, 100, 0);
	process(&f, 3, 7, WK_PROCESS_EXIT);
	built_end(&f);
	assert_string_equal(left_of(&f, "heap"), "");
	assert_int_equal(f.model->ends[1].time_ns, 3);
	wk_model_free(f.model);
}

/* Calls that are alike are one row, since single samples are not asked for here. */
static void what_is_given_back_is_a_row_of_who_did_it(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	f.model->sums_blocks = true;
	memory(&f, 1, WK_MEMORY_RESERVE | WK_MEMORY_COMMIT, 0, 10 * PAGE);
	memory(&f, 2, WK_MEMORY_DECOMMIT, 4 * PAGE, 2 * PAGE);
	memory(&f, 3, WK_MEMORY_DECOMMIT, 3 * PAGE, 2 * PAGE); /* one is gone */
	memory(&f, 4, WK_MEMORY_RELEASE, 0, 0);
	memory(&f, 5, WK_MEMORY_DECOMMIT, 0, PAGE); /* nobody's */
	memory(&f, 6, WK_MEMORY_COMMIT, 0, PAGE);
	heap(&f, 7, WK_HEAP_ALLOCATE, 1, 0x10, 100, 0);
	heap(&f, 7, WK_HEAP_ALLOCATE, 1, 0x20, 200, 0);
	heap(&f, 7, WK_HEAP_ALLOCATE, 2, 0x30, 400, 0);
	heap(&f, 8, WK_HEAP_FREE, 1, 0x20, 0, 0);
	heap(&f, 8, WK_HEAP_REALLOCATE, 1, 0x40, 50, 0x10);
	heap(&f, 8, WK_HEAP_FREE, 1, 0x10, 0, 0);      /* twice */
	heap(&f, 9, WK_HEAP_ALLOCATE, 1, 0x40, 60, 0); /* nobody told that it was freed */
	heap(&f, 9, WK_HEAP_DESTROY, 2, 0, 0, 0);
	process(&f, 10, 7, WK_PROCESS_EXIT);
	built_end(&f);
	assert_string_equal(weights_of(&f, "decommit"), "8192 4096 28672");
	assert_string_equal(weights_of(&f, "free"), "300 400");
	wk_model_free(f.model);
}

/* --- Blocks that a recorder added up --- */

static void heap_sum(struct built *f, uint64_t time_ns, struct wk_event_heap_sum sum)
{
	static const uint64_t chain[] = { 0x1000 };

	sum.sample.user_chain = chain;
	sum.sample.user_count = 1;
	built_give(f, (struct wk_event){ .kind = WK_EVENT_HEAP_SUM, .time_ns = time_ns, .pid = 7,
					 .tid = 70, .heap_sum = sum });
}

static void snapshot(struct built *f, uint64_t time_ns, uint32_t pid, const char *label)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_SNAPSHOT, .time_ns = time_ns, .pid = pid, .tid = pid,
		.snapshot = { wk_str_c(label), WK_SNAPSHOT_INTERVAL } });
}

static void what_sums_free_is_taken_from_the_oldest(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	heap_sum(&f, 1,
		 (struct wk_event_heap_sum){ .allocated_bytes = 300, .allocated_blocks = 3 });
	heap_sum(&f, 2, (struct wk_event_heap_sum){ .allocated_bytes = 500, .allocated_blocks = 5,
						    .freed_bytes = 400, .freed_blocks = 4,
						    .peak_bytes = 700, .peak_blocks = 6 });
	heap_sum(&f, 3, (struct wk_event_heap_sum){ .freed_bytes = 100, .freed_blocks = 1,
						    .temporary_bytes = 9, .temporary_blocks = 2,
						    .peak_bytes = 800, .peak_blocks = 7 });
	built_end(&f);
	assert_string_equal(weights_of(&f, "heap"), "300 500");
	assert_string_equal(left_of(&f, "heap"), "300");
	assert_string_equal(weights_of(&f, "free"), "400 100");
	assert_string_equal(weights_of(&f, "heap-temporary"), "9");
	assert_string_equal(weights_of(&f, "heap-peak"), "800");
	assert_int_equal(f.model->end_count, 3);
	assert_int_equal(f.model->ends[0].times, 3);
	assert_int_equal(f.model->ends[1].times, 1);
	assert_int_equal(f.model->samples.times[0], 3);
	wk_model_free(f.model);
}

static void sums_that_free_more_than_there_was_do_no_harm(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	heap_sum(&f, 1, (struct wk_event_heap_sum){ .freed_bytes = 5, .freed_blocks = 1 });
	heap_sum(&f, 2, (struct wk_event_heap_sum){ .allocated_bytes = 10, .allocated_blocks = 1,
						    .freed_bytes = UINT64_MAX, .freed_blocks = 9 });
	heap_sum(&f, 3, (struct wk_event_heap_sum){ .allocated_bytes = 20, .allocated_blocks = 2,
						    .freed_bytes = 20 });
	heap_sum(&f, 4, (struct wk_event_heap_sum){ .freed_blocks = 3 });
	heap_sum(&f, 5, (struct wk_event_heap_sum){ .allocated_bytes = UINT64_MAX });
	built_end(&f);
	assert_int_equal(f.model->end_count, 3);
	assert_int_equal(f.model->ends[0].weight, 10);
	assert_int_equal(f.model->ends[1].weight, 20);
	assert_int_equal(f.model->ends[1].times, 0);
	assert_int_equal(f.model->ends[2].times, 2);
	wk_model_free(f.model);
}

static void what_was_there_at_once_is_without_what_ended_processes_left(void **state)
{
	struct wk_lifetimes *sums, whole = { 0 };
	struct wk_filter_spec spec = { .source = "heap" };
	struct wk_filter filter;
	struct built f;

	(void)state;
	start(&f);
	heap(&f, 1, WK_HEAP_ALLOCATE, 0, 0x10, 100, 0);
	process(&f, 2, 7, WK_PROCESS_EXIT);
	process(&f, 3, 7, WK_PROCESS_FORK);
	heap(&f, 4, WK_HEAP_ALLOCATE, 0, 0x10, 70, 0);
	heap(&f, 5, WK_HEAP_ALLOCATE, 0, 0x20, 10, 0);
	heap(&f, 6, WK_HEAP_FREE, 0, 0x20, 0, 0);
	built_end(&f);
	assert_true(wk_filter_init(&filter, f.model, &spec, NULL));
	sums = wk_alloc_zeroed(f.model->process_count, sizeof(*sums));
	wk_lifetimes_add_up(f.model, &filter, filter.source, WK_LIFETIMES_PROCESSES, NULL, sums,
			    &whole);
	assert_int_equal(whole.peak_bytes, 100);
	assert_int_equal(whole.peak_ns, 1);
	assert_int_equal(whole.left_bytes, 170);
	assert_int_equal(whole.left_count, 2);
	assert_string_equal(left_of(&f, "heap"), "100 70");
	wk_free(sums);
	wk_filter_fini(&filter);
	wk_model_free(f.model);
}

static void snapshots_are_rows_of_the_model(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	heap(&f, 1, WK_HEAP_ALLOCATE, 0, 0x10, 100, 0);
	snapshot(&f, 2, 7, "loaded");
	heap(&f, 3, WK_HEAP_FREE, 0, 0x10, 0, 0);
	snapshot(&f, 4, WK_NO_PID, "");
	built_end(&f);
	assert_int_equal(f.model->snapshot_count, 2);
	assert_int_equal(f.model->processes[f.model->snapshots[0].process].pid, 7);
	assert_string_equal(wk_strtab_get(f.model->text, f.model->snapshots[0].label), "loaded");
	assert_int_equal(f.model->snapshots[0].at_end, 0);
	assert_int_equal(f.model->snapshots[0].cause, WK_SNAPSHOT_INTERVAL);
	assert_int_equal(f.model->snapshots[1].process, 0);
	assert_int_equal(f.model->snapshots[1].label, 0);
	assert_int_equal(f.model->snapshots[1].at_end, 1);
	wk_model_free(f.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_commit_over_committed_pages_takes_only_what_is_new),
		cmocka_unit_test(a_decommit_in_the_middle_leaves_both_sides),
		cmocka_unit_test(a_release_without_a_size_means_the_whole_reservation),
		cmocka_unit_test(what_was_there_before_is_nobodys),
		cmocka_unit_test(memory_is_its_owners_and_the_stack_the_doers),
		cmocka_unit_test(a_process_gives_everything_back_when_it_ends),
		cmocka_unit_test(outstanding_of_a_time_was_allocated_in_it_and_not_freed_in_it),
		cmocka_unit_test(nothing_of_an_event_without_lifetimes_is_outstanding),
		cmocka_unit_test(sizes_at_the_end_of_all_addresses_do_no_harm),
		cmocka_unit_test(random_calls_leave_what_an_array_of_pages_says),
		cmocka_unit_test(half_a_million_single_pages_take_seconds_at_most),
		cmocka_unit_test(a_block_lives_until_it_is_freed_moved_or_lost),
		cmocka_unit_test(an_address_in_two_heaps_is_two_blocks),
		cmocka_unit_test(blocks_of_windows_die_with_their_process),
		cmocka_unit_test(what_is_given_back_is_a_row_of_who_did_it),
		cmocka_unit_test(what_sums_free_is_taken_from_the_oldest),
		cmocka_unit_test(sums_that_free_more_than_there_was_do_no_harm),
		cmocka_unit_test(what_was_there_at_once_is_without_what_ended_processes_left),
		cmocka_unit_test(snapshots_are_rows_of_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
