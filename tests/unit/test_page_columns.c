/* Columns of numbers as the page reads them: what is encoded comes back, in as few bytes as it
 * needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "columns_of.h"
#include "render/page/columns.h"

#define MOST_ROWS 1000

static struct column goes_and_comes_back(const int64_t *values, uint32_t rows, bool by_steps)
{
	int64_t given[MOST_ROWS], back[MOST_ROWS];
	struct wk_columns columns = { 0 };
	struct wk_buf block = { 0 };
	struct column column;

	for (uint32_t i = 0; i < rows; i++)
		given[i] = values[i];
	wk_columns_add(&columns, "some", given, rows, by_steps);
	wk_columns_write(&columns, &block);
	column = decode(&block, 0, back);
	assert_string_equal(column.name, "some");
	assert_int_equal(column.rows, rows);
	assert_int_equal(column.is_delta, by_steps);
	assert_memory_equal(back, values, rows * sizeof(*back));
	wk_buf_fini(&block);
	return column;
}

static void every_width_comes_back(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits <= 53; bits++) {
		int64_t most = bits ? (int64_t)((1ull << bits) - 1) : 0;
		const int64_t values[] = { 0, most, most / 2, 1 % (most + 1), most };

		assert_int_equal(goes_and_comes_back(values, 5, false).bytes, (bits + 7) / 8);
	}
}

static void equal_numbers_need_no_bytes(void **state)
{
	const int64_t values[] = { 1003009, 1003009, 1003009 };
	struct column column = goes_and_comes_back(values, 3, false);

	(void)state;
	assert_int_equal(column.bytes, 0);
	assert_int_equal(column.base * column.scale, 1003009);
}

static void the_smallest_is_the_base(void **state)
{
	const int64_t values[] = { 1000001, 1000000, 1000255 };
	const int64_t below[] = { -7, 248, 0 };

	(void)state;
	assert_int_equal(goes_and_comes_back(values, 3, false).bytes, 1);
	assert_int_equal(goes_and_comes_back(below, 3, false).bytes, 1);
	assert_int_equal(goes_and_comes_back(below, 3, false).base, -7);
}

static void what_divides_all_is_divided_out(void **state)
{
	const int64_t values[] = { 0, 4096, 40960, -8192 };
	struct column column = goes_and_comes_back(values, 4, false);

	(void)state;
	assert_int_equal(column.scale, 4096);
	assert_int_equal(column.bytes, 1);
}

static void steps_are_smaller_than_what_they_add_up_to(void **state)
{
	int64_t values[MOST_ROWS];

	(void)state;
	for (int i = 0; i < MOST_ROWS; i++)
		values[i] = 10000 * (1000 + (int64_t)i * 3 + i % 3);
	values[0] = values[1];
	assert_int_equal(goes_and_comes_back(values, MOST_ROWS, true).bytes, 2);
	assert_int_equal(goes_and_comes_back(values + 1, MOST_ROWS - 1, false).scale, 10000);
}

static void steps_go_down_and_begin_below_0(void **state)
{
	const int64_t values[] = { -500, -100, -200, 70000, 0, -1 };

	(void)state;
	goes_and_comes_back(values, 6, true);
	goes_and_comes_back(values, 1, true);
}

static void the_largest_numbers_come_back(void **state)
{
	const int64_t values[] = { WK_COLUMN_MOST, 0, WK_COLUMN_MOST - 1 };
	const int64_t below[] = { -WK_COLUMN_MOST, 0 };

	(void)state;
	assert_int_equal(goes_and_comes_back(values, 3, false).bytes, 7);
	goes_and_comes_back(values, 3, true);
	goes_and_comes_back(below, 2, false);
	assert_int_equal(wk_column_value(UINT64_MAX), WK_COLUMN_MOST);
	assert_int_equal(wk_column_value(5), 5);
}

static void a_column_may_be_empty(void **state)
{
	(void)state;
	goes_and_comes_back(NULL, 0, false);
	goes_and_comes_back(NULL, 0, true);
}

static void columns_follow_each_other(void **state)
{
	int64_t first[] = { 1, 300 }, second[] = { 7 }, third[] = { 65536, 0, 1 }, back[3];
	struct wk_columns columns = { 0 };
	struct wk_buf block = { 0 };

	(void)state;
	wk_columns_add(&columns, "first", first, 2, false);
	wk_columns_add(&columns, "second", second, 1, false);
	wk_columns_add(&columns, "third", third, 3, true);
	wk_columns_write(&columns, &block);
	assert_string_equal(decode(&block, 0, back).name, "first");
	assert_int_equal(back[1], 300);
	assert_string_equal(decode(&block, 1, back).name, "second");
	assert_int_equal(back[0], 7);
	assert_string_equal(decode(&block, 2, back).name, "third");
	assert_int_equal(back[0], 65536);
	assert_int_equal(back[2], 1);
	wk_buf_fini(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_width_comes_back),
		cmocka_unit_test(equal_numbers_need_no_bytes),
		cmocka_unit_test(the_smallest_is_the_base),
		cmocka_unit_test(what_divides_all_is_divided_out),
		cmocka_unit_test(steps_are_smaller_than_what_they_add_up_to),
		cmocka_unit_test(steps_go_down_and_begin_below_0),
		cmocka_unit_test(the_largest_numbers_come_back),
		cmocka_unit_test(a_column_may_be_empty),
		cmocka_unit_test(columns_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
