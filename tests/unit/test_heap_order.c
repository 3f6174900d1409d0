/* Events of several threads at one address whose times are in the wrong order: what was allocated
 * and freed is the same as in the right one, and nothing seems to be missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "heap_events.h"
#include "model/heap/order.h"
#include "model/resolve.h"
#include "views/filter/filter.h"

#define X 0x1000

static void start(struct built *f)
{
	built_start(f);
	f->model->sums_samples = f->model->sums_blocks = true;
}

/* Of size 0: the block is freed. */
static void loose(struct built *f, uint64_t time_ns, uint32_t tid, uint64_t address, uint64_t size)
{
	heap_event(f, (struct call){ time_ns, tid, size ? 0x100 + tid : 0 },
		   (struct wk_event_heap){ .change = size ? WK_HEAP_ALLOCATE : WK_HEAP_FREE,
					   .address = address,
					   .size_bytes = size,
					   .has_loose_time = true });
}

/* All rows in view together, as "bytes/blocks". */
static const char *sum(const struct built *f, const struct wk_filter_spec *spec)
{
	static char text[64];
	uint64_t bytes = 0, blocks = 0;
	struct wk_filter filter;
	struct wk_err err = { 0 };

	if (!wk_filter_init(&filter, f->model, spec, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < f->model->samples.count; i++)
		if (wk_filter_has(&filter, i)) {
			bytes += wk_filter_weight(&filter, f->model, i);
			blocks += wk_filter_times(&filter, f->model, i);
		}
	wk_filter_fini(&filter);
	snprintf(text, sizeof(text), "%llu/%llu", (unsigned long long)bytes,
		 (unsigned long long)blocks);
	return text;
}

static void expect(struct built *f, const char *left, const char *freed, uint64_t unknown,
		   uint64_t missed)
{
	built_end(f);
	assert_string_equal(sum(f, &(struct wk_filter_spec){ .source = "heap",
							     .outstanding = true }), left);
	if (freed)
		assert_string_equal(sum(f, &(struct wk_filter_spec){ .source = "free" }), freed);
	assert_int_equal(f->model->heaps[0].unknown_frees, unknown);
	assert_int_equal(f->model->heaps[0].missed_frees, missed);
	wk_model_free(f->model);
}

static void a_release_may_come_before_its_block(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	loose(&f, 100, 8, X, 0);
	loose(&f, 110, 7, X, 50);
	expect(&f, "0/0", "50/1", 0, 0);
}

static void a_block_may_come_before_the_release_of_the_last_one(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	loose(&f, 10, 7, X, 50);
	loose(&f, 100, 8, X, 60);
	loose(&f, 110, 7, X, 0);
	expect(&f, "60/1", "50/1", 0, 0);
}

static void what_its_own_thread_frees_is_the_new_block(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	loose(&f, 10, 7, X, 50);
	loose(&f, 100, 8, X, 60);
	loose(&f, 110, 8, X, 0);
	loose(&f, 120, 7, X, 0);
	expect(&f, "0/0", "110/2", 0, 0);
}

static void the_thread_that_freed_it_may_have_the_address_again(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	loose(&f, 100, 8, X, 0);
	loose(&f, 105, 8, X, 50);
	loose(&f, 110, 7, X, 50);
	expect(&f, "50/1", "50/1", 0, 0);
}

static void nothing_waits_for_long(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	loose(&f, 100, 8, X, 0);
	loose(&f, 100 + WK_HEAP_LOOSE_NS, 7, X, 50);
	loose(&f, 200 + WK_HEAP_LOOSE_NS, 8, X, 60);
	loose(&f, 200 + 2 * WK_HEAP_LOOSE_NS, 7, X, 0);
	expect(&f, "0/0", "60/1", 1, 1);
}

static void times_that_are_right_are_believed(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	release(&f, (struct call){ 100, 8, 0 }, X);
	allocate(&f, (struct call){ 110, 7, 0x100 }, X, 50);
	allocate(&f, (struct call){ 120, 8, 0x200 }, X, 60);
	release(&f, (struct call){ 130, 7, 0 }, X);
	expect(&f, "0/0", "60/1", 1, 1);
}

static void not_all_can_wait(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	for (uint64_t i = 0; i < WK_HEAP_WAITING + 6; i++)
		loose(&f, 100, 8, X + 16 * i, 0);
	for (uint64_t i = 0; i < WK_HEAP_WAITING + 6; i++)
		loose(&f, 200, 7, X + 16 * i, 10);
	expect(&f, "60/6", NULL, 6, 0);
}

/* ---- histories, with times that are too early */

#define EVENTS    400
#define THREADS   4
#define ADDRESSES 3
#define APART_NS  10

struct history {
	struct change {
		uint64_t time_ns, address, size;
		uint32_t tid;
		int number;
	} at[EVENTS];
	uint64_t random;
};

static uint64_t draw(struct history *history, uint64_t below)
{
	history->random ^= history->random << 13;
	history->random ^= history->random >> 7;
	history->random ^= history->random << 17;
	return history->random % below;
}

/* Each change of an address is by any thread; the time of each thread never goes back. */
static void make(struct history *history, uint64_t most_early_ns)
{
	uint64_t last_ns[THREADS] = { 0 };
	bool is_there[ADDRESSES] = { false };

	for (int i = 0; i < EVENTS; i++) {
		uint64_t place = draw(history, ADDRESSES), thread = draw(history, THREADS);
		uint64_t time_ns = 1000 + APART_NS * (uint64_t)i - draw(history, most_early_ns + 1);

		time_ns = time_ns < last_ns[thread] ? last_ns[thread] : time_ns;
		last_ns[thread] = time_ns;
		is_there[place] = !is_there[place];
		history->at[i] = (struct change){ .time_ns = time_ns,
						  .address = X + 16 * place,
						  .size = is_there[place] ? 1u << place : 0,
						  .tid = (uint32_t)(8 + thread),
						  .number = i };
	}
}

static int earlier_first(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->number - b->number;
}

static void totals_are_those_of_the_right_order(void **state)
{
	struct history history = { .random = 88172645463325252u };

	(void)state;
	for (int round = 0; round < 200; round++) {
		uint64_t left[2] = { 0 }, freed[2] = { 0 }, size_at[ADDRESSES] = { 0 };
		char left_text[64], freed_text[64];
		struct built f;

		make(&history, round % 2 ? APART_NS : 3 * APART_NS);
		for (int i = 0; i < EVENTS; i++) {
			uint64_t place = (history.at[i].address - X) / 16;

			freed[0] += history.at[i].size ? 0 : size_at[place];
			freed[1] += !history.at[i].size;
			size_at[place] = history.at[i].size;
		}
		for (int i = 0; i < ADDRESSES; i++) {
			left[0] += size_at[i];
			left[1] += size_at[i] != 0;
		}
		snprintf(left_text, sizeof(left_text), "%llu/%llu", (unsigned long long)left[0],
			 (unsigned long long)left[1]);
		snprintf(freed_text, sizeof(freed_text), "%llu/%llu", (unsigned long long)freed[0],
			 (unsigned long long)freed[1]);
		qsort(history.at, EVENTS, sizeof(*history.at), earlier_first);
		start(&f);
		for (int i = 0; i < EVENTS; i++)
			loose(&f, history.at[i].time_ns, history.at[i].tid, history.at[i].address,
			      history.at[i].size);
		expect(&f, left_text, freed_text, 0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_may_come_before_its_block),
		cmocka_unit_test(a_block_may_come_before_the_release_of_the_last_one),
		cmocka_unit_test(what_its_own_thread_frees_is_the_new_block),
		cmocka_unit_test(the_thread_that_freed_it_may_have_the_address_again),
		cmocka_unit_test(nothing_waits_for_long),
		cmocka_unit_test(times_that_are_right_are_believed),
		cmocka_unit_test(not_all_can_wait),
		cmocka_unit_test(totals_are_those_of_the_right_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
