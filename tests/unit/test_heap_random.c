/* Random calls, and what a list of blocks that is slow and obviously right says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "heap_events.h"
#include "views/filter/filter.h"

enum { ADDRESSES = 40, CALLERS = 5, THREADS = 3, STEPS = 600, MOMENTS = 16 };

struct slow_block {
	uint32_t bytes; /* plus 1; 0: none */
	uint32_t caller;
	uint32_t since; /* the snapshots that were taken before it */
};

struct slow {
	struct slow_block blocks[ADDRESSES];
	uint64_t left[MOMENTS][CALLERS];
	uint64_t fresh[MOMENTS][CALLERS]; /* of those, what is new since the previous one */
	uint64_t peak[CALLERS], most;
	uint32_t moments;
};

static uint64_t add_up(const struct slow *slow, uint32_t since, uint64_t *by_caller)
{
	uint64_t sum = 0;

	memset(by_caller, 0, CALLERS * sizeof(*by_caller));
	for (int i = 0; i < ADDRESSES; i++)
		if (slow->blocks[i].bytes && slow->blocks[i].since >= since) {
			by_caller[slow->blocks[i].caller] += slow->blocks[i].bytes - 1;
			sum += slow->blocks[i].bytes - 1;
		}
	return sum;
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % limit);
}

static void step(struct built *f, struct slow *slow, uint64_t time_ns, uint64_t *seed)
{
	uint32_t at = random_below(seed, ADDRESSES), caller = random_below(seed, CALLERS);
	uint32_t to = random_below(seed, ADDRESSES), bytes = random_below(seed, 50);
	struct call call = { time_ns, 70 + random_below(seed, THREADS), 0x100 * (caller + 1) };
	struct slow_block block = { bytes + 1, caller, slow->moments };
	uint64_t now[CALLERS];

	switch (random_below(seed, 8)) {
	case 0:
		reallocate(f, call, 0x5000 + at, 0x5000 + to, bytes);
		slow->blocks[at].bytes = 0;
		slow->blocks[to] = block;
		break;
	case 1:
	case 2:
	case 3:
		release(f, (struct call){ time_ns, call.tid, 0 }, 0x5000 + at);
		slow->blocks[at].bytes = 0;
		break;
	default:
		allocate(f, call, 0x5000 + at, bytes);
		slow->blocks[at] = block;
	}
	if (add_up(slow, 0, now) > slow->most) {
		slow->most = add_up(slow, 0, now);
		memcpy(slow->peak, now, sizeof(now));
	}
}

static void expect_sums(const struct built *f, const struct wk_filter_spec *spec,
			const uint64_t *expected)
{
	uint64_t sums[CALLERS] = { 0 };
	struct wk_filter filter;
	struct wk_err err = { 0 };

	assert_true(wk_filter_init(&filter, f->model, spec, &err));
	for (uint32_t i = 0; i < f->model->samples.count; i++) {
		wk_frame_id frame = f->model->stacks.entries[f->model->samples.stack[i]].label;

		if (wk_filter_has(&filter, i))
			sums[f->model->frames.address[frame] / 0x100 - 1] +=
				wk_filter_weight(&filter, f->model, i);
	}
	wk_filter_fini(&filter);
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(sums[i], expected[i]);
}

static void expect_all(const struct built *f, struct slow *slow)
{
	uint64_t now[CALLERS];

	for (uint32_t i = 0; i < slow->moments; i++) {
		char number[12], previous[12];

		snprintf(number, sizeof(number), "%u", i + 1);
		snprintf(previous, sizeof(previous), "%u", i);
		expect_sums(f, &(struct wk_filter_spec){ .source = "heap",
							 .span.snapshot = number },
			    slow->left[i]);
		if (i)
			expect_sums(f, &(struct wk_filter_spec){
				.source = "heap", .span.between = { previous, number } },
				    slow->fresh[i]);
	}
	add_up(slow, 0, now);
	expect_sums(f, &(struct wk_filter_spec){ .source = "heap", .outstanding = true }, now);
	expect_sums(f, &(struct wk_filter_spec){ .source = "heap-peak" }, slow->peak);
	assert_int_equal(f->model->heaps[0].peak_bytes, slow->most);
}

static void random_calls_leave_what_a_list_of_blocks_says(void **state)
{
	static struct slow slow;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t random = seed;
		struct built f;

		memset(&slow, 0, sizeof(slow));
		built_start(&f);
		f.model->sums_samples = f.model->sums_blocks = seed % 4 != 0;
		f.model->slices_blocks = seed % 4 == 1;
		for (uint64_t i = 0; i < STEPS; i++) {
			step(&f, &slow, 1 + i, &random);
			if (random_below(&random, 40) || slow.moments == MOMENTS)
				continue;
			snapshot_of(&f, 1 + i, seed % 2 ? 7 : WK_NO_PID, "");
			add_up(&slow, 0, slow.left[slow.moments]);
			add_up(&slow, slow.moments, slow.fresh[slow.moments]);
			slow.moments++;
		}
		built_end(&f);
		assert_true(slow.moments > 2);
		expect_all(&f, &slow);
		wk_model_free(f.model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_calls_leave_what_a_list_of_blocks_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
