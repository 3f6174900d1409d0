#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/word_cache.h"

/* Reads of WK_WORD_BYTES may begin anywhere in `text`. */
static uint32_t *place_of(struct wk_word_cache *cache, const char *text, size_t len, size_t *found)
{
	char room[128] = { 0 };

	assert_true(len + WK_WORD_BYTES <= sizeof(room));
	memset(room, ';', sizeof(room));
	memcpy(room, text, len);
	return wk_word_cache_at(cache, room, room + len, ';', found);
}

/* Where there are no vectors nothing is ever known, and others answer. */
static bool is_there(void)
{
	struct wk_word_cache cache = { 0 };
	size_t len;
	bool is = place_of(&cache, "word", 4, &len) != NULL;

	wk_word_cache_fini(&cache);
	return is;
}

static void a_word_has_its_number_again(void **state)
{
	struct wk_word_cache cache = { 0 };
	size_t len = 0;
	uint32_t *number;

	(void)state;
	if (!is_there())
		skip();
	number = place_of(&cache, "alpha;beta", 10, &len);
	assert_int_equal(len, 5);
	assert_int_equal(*number, 0);
	*number = 7;
	assert_int_equal(*place_of(&cache, "alpha", 5, &len), 7);
	assert_int_equal(*place_of(&cache, "alpha;", 6, &len), 7);
	assert_int_equal(len, 5);
	wk_word_cache_fini(&cache);
}

static void what_differs_in_one_byte_or_in_length_is_another_word(void **state)
{
	static const char text[] = "a_name_of_thirty_one_bytes_here";
	struct wk_word_cache cache = { 0 };
	size_t len = 0;

	(void)state;
	if (!is_there())
		skip();
	for (size_t i = 2; i <= 31; i++) {
		char other[32];

		*place_of(&cache, text, i, &len) = 7;
		assert_int_equal(len, i);
		for (size_t k = 0; k < i; k++) {
			memcpy(other, text, i);
			other[k] ^= 0x40;
			assert_int_equal(*place_of(&cache, other, i, &len), 0);
		}
		other[i - 1] = '\0';
		*place_of(&cache, other, i - 1, &len) = 8;
		assert_int_equal(*place_of(&cache, other, i, &len), 0);
		assert_int_equal(len, i);
	}
	wk_word_cache_fini(&cache);
}

static void an_empty_word_and_a_long_one_are_not_for_it(void **state)
{
	struct wk_word_cache cache = { 0 };
	size_t len;

	(void)state;
	assert_null(place_of(&cache, "", 0, &len));
	assert_null(place_of(&cache, ";word", 5, &len));
	assert_null(place_of(&cache, "a_name_of_exactly_thirty_two_byt", 32, &len));
	assert_null(place_of(&cache, "a_name_of_exactly_thirty_two_byt;", 33, &len));
	assert_null(place_of(&cache, "a_name_of_more_than_thirty_two_bytes", 36, &len));
	wk_word_cache_fini(&cache);
}

/* More words than it holds: it forgets, but never mistakes one for another. */
static void words_drive_each_other_out(void **state)
{
	enum { COUNT = 4 * WK_WORD_CACHE_SLOTS };
	struct wk_word_cache cache = { 0 };
	unsigned known = 0;

	(void)state;
	if (!is_there())
		skip();
	for (uint32_t i = 0; i < 2 * COUNT; i++) {
		uint32_t word = i < COUNT ? i : 2 * COUNT - 1 - i, *number;
		char text[32];
		size_t len = (size_t)snprintf(text, sizeof(text), "word_%u", word), found;

		number = place_of(&cache, text, len, &found);
		assert_true(*number == 0 || *number == word + 1);
		known += *number != 0;
		*number = word + 1;
	}
	assert_true(known > 0 && known <= WK_WORD_CACHE_SLOTS);
	wk_word_cache_fini(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_has_its_number_again),
		cmocka_unit_test(what_differs_in_one_byte_or_in_length_is_another_word),
		cmocka_unit_test(an_empty_word_and_a_long_one_are_not_for_it),
		cmocka_unit_test(words_drive_each_other_out),
	};

	return cmocka_run_group_tests_name("word_cache", tests, NULL, NULL);
}
