#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text/textmap.h"
#include "base/trie.h"

static void the_same_entry_gets_the_same_id(void **state)
{
	struct wk_trie trie;
	uint32_t a, ab;

	(void)state;
	wk_trie_init(&trie);
	a = wk_trie_add(&trie, 0, 7);
	ab = wk_trie_add(&trie, a, 8);
	assert_int_equal(a, 1);
	assert_int_equal(ab, 2);
	assert_int_equal(wk_trie_add(&trie, 0, 7), a);
	assert_int_equal(wk_trie_add(&trie, a, 8), ab);
	assert_int_equal(wk_trie_add(&trie, 0, 8), 3); /* the label alone is not the key */
	assert_int_equal(trie.entries[ab].parent, a);
	assert_int_equal(trie.entries[ab].label, 8);
	wk_trie_fini(&trie);
}

/* Over many doublings of the index, with labels that only differ in high bits too. */
static void very_many_entries_are_all_found_again(void **state)
{
	enum { COUNT = 200000 };
	struct wk_trie trie;

	(void)state;
	wk_trie_init(&trie);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(wk_trie_add(&trie, i / 3, i << 8 | i >> 24), i + 1);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(wk_trie_add(&trie, i / 3, i << 8 | i >> 24), i + 1);
	assert_int_equal(trie.count, COUNT + 1);
	wk_trie_fini(&trie);
}

static void a_sealed_trie_finds_its_entries_when_it_is_asked_again(void **state)
{
	struct wk_trie trie;

	(void)state;
	wk_trie_init(&trie);
	for (uint32_t i = 0; i < 1000; i++)
		wk_trie_append(&trie, i, i + 5);
	wk_trie_trim(&trie);
	assert_null(trie.slots);
	assert_int_equal(wk_trie_add(&trie, 500, 505), 501);
	assert_int_equal(wk_trie_add(&trie, 500, 506), 1001);
	wk_trie_fini(&trie);
}

/* 100 stacks of 10 that have the first 5 in common: what leaves the first stack is looked up. */
static void only_branches_take_room_in_the_index(void **state)
{
	struct wk_trie trie;

	(void)state;
	wk_trie_init(&trie);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 100; i++) {
			uint32_t id = 0;

			for (uint32_t depth = 0; depth < 10; depth++)
				id = wk_trie_add(&trie, id, depth < 5 ? depth : i * 10 + depth);
			assert_int_equal(id, i == 0 ? 10 : 10 + i * 5);
			if (i == 0) /* after wk_trie_trim nothing has made an index yet */
				continue;
			assert_true(wk_trie_has(&trie, id - 1, i * 10 + 9));
			assert_false(wk_trie_has(&trie, id - 1, i * 10 + 8));
		}
		assert_int_equal(trie.count, 1 + 10 + 99 * 5);
		assert_int_equal(trie.indexed, 99);
		if (round == 0)
			wk_trie_trim(&trie); /* and all over again with an index made anew */
	}
	wk_trie_fini(&trie);
}

/* An index that is there stays while what is appended follows its parent. */
static void an_index_is_dropped_by_what_it_would_have_to_hold(void **state)
{
	struct wk_trie trie;

	(void)state;
	wk_trie_init(&trie);
	wk_trie_add(&trie, 0, 1);
	wk_trie_add(&trie, 0, 2);
	assert_int_equal(wk_trie_append(&trie, 2, 7), 3);
	assert_non_null(trie.slots);
	assert_int_equal(wk_trie_add(&trie, 2, 7), 3);
	assert_int_equal(wk_trie_append(&trie, 2, 8), 4);
	assert_null(trie.slots);
	assert_int_equal(wk_trie_add(&trie, 2, 8), 4);
	assert_int_equal(wk_trie_add(&trie, 0, 2), 2);
	wk_trie_fini(&trie);
}

static void a_text_keeps_its_number(void **state)
{
	static const char text[] = "alpha;beta;alpha;alphabeta;;x";
	struct wk_textmap map = { 0 };
	uint32_t *number = wk_textmap_at(&map, wk_str_of(text, 5));

	(void)state;
	assert_int_equal(*number, 0);
	*number = 41;
	*wk_textmap_at(&map, wk_str_of(text + 6, 4)) = 42;
	*wk_textmap_at(&map, wk_str_of(text + 28, 0)) = 43;
	assert_int_equal(*wk_textmap_at(&map, wk_str_of(text + 11, 5)), 41);
	assert_int_equal(*wk_textmap_at(&map, wk_str_of(text + 17, 5)), 41); /* of "alphabeta" */
	assert_int_equal(*wk_textmap_at(&map, wk_str_of(text + 17, 9)), 0);
	wk_textmap_fini(&map);
}

static void many_texts_of_all_lengths_keep_theirs(void **state)
{
	enum { COUNT = 3000 };
	static char bytes[COUNT];
	struct wk_textmap map = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		bytes[i] = (char)('a' + i % 23);
	for (uint32_t len = 0; len < COUNT; len++) {
		uint32_t *number = wk_textmap_at(&map, wk_str_of(bytes, len));

		assert_int_equal(*number, 0);
		*number = len + 1;
	}
	for (uint32_t len = 0; len < COUNT; len++)
		assert_int_equal(*wk_textmap_at(&map, wk_str_of(bytes, len)), len + 1);
	wk_textmap_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_entry_gets_the_same_id),
		cmocka_unit_test(very_many_entries_are_all_found_again),
		cmocka_unit_test(a_sealed_trie_finds_its_entries_when_it_is_asked_again),
		cmocka_unit_test(only_branches_take_room_in_the_index),
		cmocka_unit_test(an_index_is_dropped_by_what_it_would_have_to_hold),
		cmocka_unit_test(a_text_keeps_its_number),
		cmocka_unit_test(many_texts_of_all_lengths_keep_theirs),
	};

	return cmocka_run_group_tests_name("trie", tests, NULL, NULL);
}
