/* Keys in order, by all of their bits or by the upper ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sort.h"

#define COUNT 5000

static struct wk_sort_key keys[COUNT];

static void fill(void)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = (struct wk_sort_key){ .key = state >> 48 << 32 | (state >> 16 & 0xff),
						.row = i };
	}
}

static void keys_come_in_order_of_all_their_bits(void **state)
{
	(void)state;
	fill();
	wk_sort_keys(keys, COUNT);
	for (uint32_t i = 1; i < COUNT; i++)
		assert_true(keys[i - 1].key < keys[i].key ||
			    (keys[i - 1].key == keys[i].key && keys[i - 1].row < keys[i].row));
}

static void lower_bits_are_taken_along_and_equal_keys_keep_their_order(void **state)
{
	(void)state;
	fill();
	wk_sort_keys_above(keys, COUNT, 32);
	for (uint32_t i = 1; i < COUNT; i++)
		assert_true(keys[i - 1].key >> 32 < keys[i].key >> 32 ||
			    (keys[i - 1].key >> 32 == keys[i].key >> 32 &&
			     keys[i - 1].row < keys[i].row));
}

struct row {
	char name;
	uint64_t time;
};

static void rows_come_in_order_of_a_number_in_them(void **state)
{
	static const struct row made[] = {
		{ 'b', 7 }, { 'a', 3 }, { 'c', 7 }, { 'd', UINT64_MAX }
	};
	struct row *rows = wk_alloc(sizeof(made));

	(void)state;
	memcpy(rows, made, sizeof(made));
	rows = wk_sort_rows(rows, 4, sizeof(*rows), offsetof(struct row, time));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(rows[i].name, "abcd"[i]);
	wk_free(rows);
	wk_free(wk_sort_rows(NULL, 0, sizeof(*rows), offsetof(struct row, time)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_come_in_order_of_all_their_bits),
		cmocka_unit_test(rows_come_in_order_of_a_number_in_them),
		cmocka_unit_test(lower_bits_are_taken_along_and_equal_keys_keep_their_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
