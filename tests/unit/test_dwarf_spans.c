/* Which call has an address when several cover it; and answers kept by offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbols/dwarf/internal.h"
#include "base/mem.h"

#define MOST  64
#define WIDTH 256 /* addresses */

struct drawn {
	uint32_t start, end;
};

static struct drawn drawn[MOST];

/* By looking at every interval: the last that covers the address, counted from 1. */
static uint32_t expected_at(uint32_t at, uint32_t count)
{
	for (uint32_t node = count; node > 0; node--)
		if (drawn[node - 1].start <= at && at < drawn[node - 1].end)
			return node;
	return 0;
}

static uint32_t found_at(const struct wk_dwarf_block *b, uint32_t at)
{
	uint32_t node = 0;

	for (size_t i = 0; i < b->span_count && b->ordered[i].start <= at; i++)
		node = b->ordered[i].node;
	return node;
}

/* Where a function begins in what was drawn; a function has all up to the next. */
static bool begins[MOST];

static void check(uint32_t count)
{
	struct wk_dwarf_block b = { .is_sorted = true };

	for (uint32_t i = 0; i < count; i++) {
		if (begins[i])
			wk_dwarf_end_function(&b);
		wk_dwarf_add_interval(&b, drawn[i].start, drawn[i].end, i + 1);
	}
	wk_dwarf_end_function(&b);
	wk_code_maker_begin(&b.maker, 0);
	wk_dwarf_order_spans(&b, 0);
	for (uint32_t at = 0; at < WIDTH; at++)
		assert_int_equal(found_at(&b, at), expected_at(at, count));
	for (size_t i = 1; i < b.span_count; i++)
		assert_true(b.ordered[i - 1].start < b.ordered[i].start);
	wk_free(b.intervals);
	wk_free(b.stretches);
	wk_free(b.spans);
	wk_code_maker_fini(&b.maker);
	wk_free(b.covers);
}

static uint32_t draw(uint32_t below)
{
	static uint64_t state = 7;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

static void the_last_call_that_covers_an_address_has_it(void **state)
{
	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t count = 1 + draw(round % 2 ? MOST : 6);

		for (uint32_t i = 0; i < count; i++) {
			drawn[i].start = draw(WIDTH - 1);
			drawn[i].end = drawn[i].start + 1 + draw(WIDTH - drawn[i].start - 1);
		}
		check(count);
	}
}

static void calls_within_calls_have_what_is_theirs(void **state)
{
	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t count = 1 + draw(MOST);

		drawn[0] = (struct drawn){ 0, WIDTH };
		for (uint32_t i = 1; i < count; i++) {
			const struct drawn *around = &drawn[draw(i)];
			uint32_t width = around->end - around->start;

			drawn[i].start = around->start + draw(width);
			drawn[i].end = drawn[i].start + 1 + draw(around->end - drawn[i].start);
		}
		check(count);
	}
}

/* Functions of some calls each. is_apart: in stretches of their own, in any order. */
static void draw_functions(uint32_t count, bool is_apart)
{
	uint32_t width = is_apart ? WIDTH / 8 : WIDTH, from = 0, shift = draw(8);

	for (uint32_t i = 0, function = 0; i < count; i++) {
		begins[i] = function < 7 && draw(6) == 0;
		function += begins[i];
		if (is_apart)
			from = (function * 3 + shift) % 8 * width;
		drawn[i].start = from + draw(width);
		drawn[i].end = drawn[i].start + 1 + draw(from + width - drawn[i].start);
	}
}

static void functions_are_put_in_order(void **state)
{
	(void)state;
	for (int round = 0; round < 6000; round++) {
		uint32_t count = 1 + draw(MOST);

		draw_functions(count, round % 2);
		check(count);
	}
	memset(begins, 0, sizeof(begins));
}

static void answers_are_found_by_their_offsets(void **state)
{
	struct wk_dwarf_memo memo = { 0 };
	uint32_t answer;

	(void)state;
	assert_false(wk_dwarf_memo_find(&memo, 0, &answer));
	wk_dwarf_memo_start(&memo, 4096, 16);
	for (uint64_t offset = 0; offset < 20000; offset += 3)
		wk_dwarf_memo_add(&memo, offset, (uint32_t)offset * 7);
	wk_dwarf_memo_add(&memo, UINT64_C(1) << 40, 5);
	for (uint64_t offset = 0; offset < 20000; offset++) {
		bool is_found = wk_dwarf_memo_find(&memo, offset, &answer);

		assert_int_equal(is_found, offset % 3 == 0);
		if (is_found)
			assert_int_equal(answer, offset * 7);
	}
	assert_true(wk_dwarf_memo_find(&memo, UINT64_C(1) << 40, &answer));
	assert_int_equal(answer, 5);
	wk_dwarf_memo_fini(&memo);
}

static void answers_that_are_forgotten_are_not_wrong(void **state)
{
	struct wk_dwarf_memo memo = { 0 };
	uint32_t answer, found = 0;

	(void)state;
	wk_dwarf_memo_start(&memo, 1 << 20, 16);
	for (uint64_t offset = 0; offset < 200000; offset += 10)
		wk_dwarf_memo_add(&memo, offset, (uint32_t)offset * 3);
	for (uint64_t offset = 0; offset < 200000; offset += 5) {
		if (!wk_dwarf_memo_find(&memo, offset, &answer))
			continue;
		assert_int_equal(offset % 10, 0);
		assert_int_equal(answer, offset * 3);
		found++;
	}
	assert_true(found > 10000);
	assert_true(memo.count > 1024);
	wk_dwarf_memo_fini(&memo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_call_that_covers_an_address_has_it),
		cmocka_unit_test(calls_within_calls_have_what_is_theirs),
		cmocka_unit_test(functions_are_put_in_order),
		cmocka_unit_test(answers_are_found_by_their_offsets),
		cmocka_unit_test(answers_that_are_forgotten_are_not_wrong),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
