#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/ranges.h"

/* The slow and obviously right way: who has each number, one by one. */
#define NUMBERS 700
#define SPACES  3
#define VALUES  4000

struct slow {
	uint32_t value[SPACES][NUMBERS]; /* 0: nobody */
	uint64_t gone[VALUES];
};

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % limit);
}

static uint64_t claim_slowly(struct slow *slow, const struct wk_range *range)
{
	uint64_t count = 0;

	for (uint64_t i = range->first; i < range->end; i++) {
		if (slow->value[range->space][i])
			continue;
		slow->value[range->space][i] = range->value;
		count++;
	}
	return count;
}

static void release_slowly(struct slow *slow, const struct wk_range *range)
{
	for (uint64_t i = range->first; i < range->end; i++) {
		slow->gone[slow->value[range->space][i]]++;
		slow->value[range->space][i] = 0;
	}
	slow->gone[0] = 0;
}

static void note_gone(void *context, uint32_t value, uint64_t count)
{
	uint64_t *gone = context;

	assert_true(count > 0);
	gone[value] += count;
}

static void the_same(const struct wk_ranges *ranges, const struct slow *slow)
{
	for (uint32_t space = 0; space < SPACES; space++) {
		for (uint64_t i = 0; i < NUMBERS; i++) {
			const struct wk_range *range = wk_ranges_from(ranges, space, i);
			uint32_t value = range && range->first <= i ? range->value : 0;

			assert_int_equal(value, slow->value[space][i]);
		}
	}
}

/* Small ranges make many chunks, large ones empty many at once. */
static void run_against_the_slow_way(uint64_t seed, uint32_t most)
{
	static struct slow slow;
	static uint64_t gone[VALUES];
	struct wk_ranges ranges = { 0 };

	memset(&slow, 0, sizeof(slow));
	memset(gone, 0, sizeof(gone));
	for (uint32_t step = 1; step < VALUES; step++) {
		struct wk_range range = { .space = random_below(&seed, SPACES), .value = step };
		uint32_t length = random_below(&seed, step % 97 ? most : NUMBERS);

		range.first = random_below(&seed, NUMBERS);
		range.end = range.first + length < NUMBERS ? range.first + length : NUMBERS;
		if (random_below(&seed, 5) < 3) {
			assert_int_equal(wk_ranges_claim(&ranges, &range),
					 claim_slowly(&slow, &range));
		} else {
			wk_ranges_release(&ranges, &range, note_gone, gone);
			release_slowly(&slow, &range);
			assert_memory_equal(gone, slow.gone, sizeof(gone));
		}
		if (step % 50 == 0)
			the_same(&ranges, &slow);
	}
	wk_ranges_fini(&ranges);
}

static void random_claims_and_releases_agree_with_an_array_of_numbers(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		run_against_the_slow_way(seed, 3);
		run_against_the_slow_way(seed, 40);
	}
}

static void the_last_numbers_can_be_claimed_and_released(void **state)
{
	struct wk_range end = { .first = UINT64_MAX - 10, .end = UINT64_MAX, .space = UINT32_MAX,
				.value = 1 };
	struct wk_range all = { .first = 0, .end = UINT64_MAX, .space = UINT32_MAX, .value = 2 };
	struct wk_ranges ranges = { 0 };
	uint64_t gone[3] = { 0 };

	(void)state;
	assert_int_equal(wk_ranges_claim(&ranges, &end), 10);
	assert_true(wk_ranges_claim(&ranges, &all) == UINT64_MAX - 10);
	wk_ranges_release(&ranges, &all, note_gone, gone);
	assert_int_equal(gone[1], 10);
	assert_true(gone[2] == UINT64_MAX - 10);
	assert_null(wk_ranges_from(&ranges, UINT32_MAX, 0));
	assert_int_equal(ranges.count, 0);
	wk_ranges_fini(&ranges);
}

static void an_empty_range_changes_nothing(void **state)
{
	struct wk_range empty = { .first = 5, .end = 5, .value = 1 };
	struct wk_range wrong = { .first = 6, .end = 5, .value = 1 };
	struct wk_range some = { .first = 0, .end = 10, .value = 2 };
	struct wk_ranges ranges = { 0 };
	uint64_t gone[3] = { 0 };

	(void)state;
	wk_ranges_release(&ranges, &some, note_gone, gone);
	assert_int_equal(wk_ranges_claim(&ranges, &empty), 0);
	assert_int_equal(wk_ranges_claim(&ranges, &wrong), 0);
	assert_int_equal(wk_ranges_claim(&ranges, &some), 10);
	wk_ranges_release(&ranges, &empty, note_gone, gone);
	wk_ranges_release(&ranges, &wrong, note_gone, gone);
	assert_int_equal(gone[2], 0);
	assert_int_equal(wk_ranges_from(&ranges, 0, 9)->value, 2);
	wk_ranges_fini(&ranges);
}

/* Single numbers with gaps, from the back, then in a second round what is between them; all of it
 * given back in pieces that never fit a chunk. */
static void a_million_ranges_take_seconds_at_most(void **state)
{
	enum { COUNT = 1000000 };
	struct wk_ranges ranges = { 0 };
	uint64_t *gone = test_calloc(3, sizeof(*gone));
	clock_t begin = clock();

	(void)state;
	for (uint64_t i = COUNT; i-- > 0;)
		wk_ranges_claim(&ranges, &(struct wk_range){ 2 * i, 2 * i + 1, 1, 1 });
	assert_int_equal(wk_ranges_claim(&ranges, &(struct wk_range){ 0, 2 * COUNT, 1, 2 }), COUNT);
	for (uint64_t i = 0; i < COUNT; i += 1000)
		wk_ranges_release(&ranges, &(struct wk_range){ 2 * i + 1, 2 * i + 999, 1, 0 },
				  note_gone, gone);
	assert_int_equal(gone[1] + gone[2], COUNT / 1000 * 998);
	wk_ranges_release(&ranges, &(struct wk_range){ 0, UINT64_MAX, 1, 0 }, note_gone, gone);
	assert_int_equal(gone[1], COUNT);
	assert_int_equal(gone[2], COUNT);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
	wk_ranges_fini(&ranges);
	test_free(gone);
}

/* Each claim would go through all ranges, if it looked at each: 10 billion of them. */
static void to_claim_what_is_had_already_costs_little(void **state)
{
	enum { COUNT = 100000 };
	struct wk_ranges ranges = { 0 };
	uint64_t gone[3] = { 0 };
	clock_t begin = clock();

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++)
		wk_ranges_claim(&ranges, &(struct wk_range){ i, i + 1, 1, 1 });
	for (uint64_t i = 0; i < COUNT; i++) {
		wk_ranges_release(&ranges, &(struct wk_range){ i, i + 1, 1, 0 }, note_gone, gone);
		assert_int_equal(wk_ranges_claim(&ranges, &(struct wk_range){ 0, COUNT, 1, 2 }), 1);
	}
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
	wk_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_claims_and_releases_agree_with_an_array_of_numbers),
		cmocka_unit_test(the_last_numbers_can_be_claimed_and_released),
		cmocka_unit_test(an_empty_range_changes_nothing),
		cmocka_unit_test(a_million_ranges_take_seconds_at_most),
		cmocka_unit_test(to_claim_what_is_had_already_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
