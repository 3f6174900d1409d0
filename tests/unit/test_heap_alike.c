/* Many blocks at once give the same rows as one event for each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "event/blocks.h"
#include "heap_events.h"

enum { ADDRESSES = 300, STACKS = 9, THREADS = 4, BATCHES = 120 };

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % limit);
}

static size_t chain_of(const void *context, uint32_t group, uint32_t stack, uint64_t *addresses,
		       size_t most)
{
	(void)context;
	if (!stack || most < 2)
		return 0;
	addresses[0] = 0x1000 * group + 0x10 * stack;
	addresses[1] = 0x100;
	return 2;
}

static const struct wk_str parts[] = { WK_STR("malloc"), WK_STR("calloc") };
static const struct wk_block_thread all_threads[THREADS] = {
	{ 7, 7, 1, true }, { 7, 70, 1, true }, { 8, 8, 2, false }, { 9, 9, 3, false }
};

struct maker {
	uint64_t seed, time_ns;
	bool is_sampled, is_before;
	struct wk_event_block blocks[WK_MOST_BLOCKS];
	struct wk_block_estimate estimates[WK_MOST_BLOCKS];
	struct wk_block_thread threads[THREADS]; /* of the batch, as they come */
	uint16_t thread_count, thread_of[THREADS];
	uint64_t last[THREADS];
};

static uint16_t add_thread(struct maker *maker, uint32_t thread)
{
	uint16_t *known = &maker->thread_of[thread];

	if (!*known) {
		maker->threads[maker->thread_count++] = all_threads[thread];
		*known = maker->thread_count;
	}
	return (uint16_t)(*known - 1);
}

/* Often the last address of its thread, which then is temporary if it is freed. */
static struct wk_event_block make_block(struct maker *maker)
{
	uint32_t thread = random_below(&maker->seed, THREADS);
	uint64_t other = 0x5000 + 16 * random_below(&maker->seed, ADDRESSES);
	struct wk_event_block block = {
		.time_ns = maker->time_ns += random_below(&maker->seed, 3),
		.address = random_below(&maker->seed, 4) ? other : maker->last[thread],
		.thread = add_thread(maker, thread),
		.is_freed = random_below(&maker->seed, 2) == 0,
	};

	maker->last[thread] = block.address;
	if (block.is_freed)
		return block;
	block.size_bytes =
		random_below(&maker->seed, 40) ? random_below(&maker->seed, 100) : UINT64_MAX / 3;
	block.stack = random_below(&maker->seed, STACKS);
	block.part = (uint8_t)random_below(&maker->seed, 2);
	return block;
}

static struct wk_event make_batch(struct maker *maker)
{
	size_t count = 1 + random_below(&maker->seed, 60);

	maker->thread_count = 0;
	memset(maker->thread_of, 0, sizeof(maker->thread_of));
	for (size_t i = 0; i < count; i++) {
		maker->blocks[i] = make_block(maker);
		maker->estimates[i] = (struct wk_block_estimate){ 0 };
		if (maker->is_sampled && !maker->blocks[i].is_freed)
			maker->estimates[i] = (struct wk_block_estimate){ 3, 100 };
	}
	return (struct wk_event){
		.kind = WK_EVENT_BLOCKS,
		.time_ns = maker->blocks[0].time_ns,
		.pid = maker->threads[0].pid,
		.tid = maker->threads[0].tid,
		.cpu = WK_NO_CPU,
		.blocks = { .at = maker->blocks,
			    .count = count,
			    .estimates = maker->is_sampled ? maker->estimates : NULL,
			    .threads = maker->threads,
			    .thread_count = maker->thread_count,
			    .parts = parts,
			    .part_count = 2,
			    .is_before = maker->is_before,
			    .chain = chain_of },
	};
}

/* What comes between blocks. */
static void change_something(struct built *f, struct maker *maker)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .time_ns = maker->time_ns, .pid = 8,
				  .tid = 8, .cpu = WK_NO_CPU };

	switch (random_below(&maker->seed, 12)) {
	case 0:
		snapshot_of(f, maker->time_ns, 7, "");
		break;
	case 1:
		snapshot_of(f, maker->time_ns, WK_NO_PID, "");
		break;
	case 2:
		event.process.change = WK_PROCESS_EXIT;
		built_give(f, event);
		break;
	case 3:
		event.process.change = WK_PROCESS_EXEC;
		event.process.name = wk_str_c("other");
		built_give(f, event);
		break;
	case 4:
		maker->is_sampled = !maker->is_sampled && maker->seed % 4 == 0;
		break;
	case 5:
		maker->is_before = !maker->is_before;
		break;
	}
}

enum { AS_BLOCKS, ONE_BY_ONE };

static struct wk_model *build(uint64_t seed, int how)
{
	struct maker *maker = test_calloc(1, sizeof(*maker));
	struct wk_err err = { 0 };
	struct built f;

	maker->seed = seed;
	built_start(&f);
	f.model->sums_samples = f.model->sums_blocks = seed % 4 != 0;
	if (seed % 5 == 0) {
		f.model->sums_from_ns = 700;
		f.model->sums_to_ns = 2000;
	}
	if (seed % 7 == 0)
		built_give(&f, (struct wk_event){ .kind = WK_EVENT_SNAPSHOT_REQUEST,
						  .cpu = WK_NO_CPU,
						  .snapshot_request.over_bytes = 500 });
	f.sink.accepts_blocks = how == AS_BLOCKS;
	for (int i = 0; i < BATCHES; i++) {
		struct wk_event event = make_batch(maker);

		assert_true(wk_blocks_emit(&f.sink, &event, &err));
		change_something(&f, maker);
	}
	built_end(&f);
	test_free(maker);
	return f.model;
}

static void expect_same_samples(const struct wk_model *a, const struct wk_model *b)
{
	assert_int_equal(a->samples.count, b->samples.count);
	for (uint32_t i = 0; i < a->samples.count; i++) {
		assert_int_equal(a->samples.stack[i], b->samples.stack[i]);
		assert_int_equal(a->samples.weight[i], b->samples.weight[i]);
		assert_int_equal(wk_sample_time(&a->samples, i), wk_sample_time(&b->samples, i));
		assert_int_equal(wk_sample_thread(&a->samples, i),
				 wk_sample_thread(&b->samples, i));
		assert_int_equal(wk_sample_source(&a->samples, i),
				 wk_sample_source(&b->samples, i));
		if (a->samples.times)
			assert_int_equal(a->samples.times[i], b->samples.times[i]);
	}
}

static void expect_same_ends(const struct wk_model *a, const struct wk_model *b)
{
	assert_int_equal(a->end_count, b->end_count);
	for (uint32_t i = 0; i < a->end_count; i++) {
		assert_int_equal(a->ends[i].sample, b->ends[i].sample);
		assert_int_equal(a->ends[i].time_ns, b->ends[i].time_ns);
		assert_int_equal(a->ends[i].weight, b->ends[i].weight);
		assert_int_equal(a->ends[i].times, b->ends[i].times);
		assert_int_equal(a->ends[i].lived, b->ends[i].lived);
		assert_int_equal(a->ends[i].thread, b->ends[i].thread);
	}
}

static void expect_same_heaps(const struct wk_model *a, const struct wk_model *b)
{
	assert_int_equal(a->heap_count, b->heap_count);
	for (uint32_t i = 0; i < a->heap_count; i++) {
		assert_int_equal(a->heaps[i].left_bytes, b->heaps[i].left_bytes);
		assert_int_equal(a->heaps[i].peak_bytes, b->heaps[i].peak_bytes);
		assert_int_equal(a->heaps[i].peak_ns, b->heaps[i].peak_ns);
		assert_int_equal(a->heaps[i].frees, b->heaps[i].frees);
		assert_int_equal(a->heaps[i].median_life_ns, b->heaps[i].median_life_ns);
		assert_int_equal(a->heaps[i].longest_life_ns, b->heaps[i].longest_life_ns);
		assert_int_equal(a->heaps[i].unknown_frees, b->heaps[i].unknown_frees);
		assert_int_equal(a->heaps[i].missed_frees, b->heaps[i].missed_frees);
	}
}

static void blocks_at_once_give_the_rows_of_single_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct wk_model *at_once = build(seed, AS_BLOCKS);
		struct wk_model *one_by_one = build(seed, ONE_BY_ONE);

		assert_true(at_once->heap_count > 3 && at_once->heaps[0].frees > 100);
		expect_same_samples(at_once, one_by_one);
		expect_same_ends(at_once, one_by_one);
		expect_same_heaps(at_once, one_by_one);
		wk_model_free(at_once);
		wk_model_free(one_by_one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_at_once_give_the_rows_of_single_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
