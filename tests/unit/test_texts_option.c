#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/symbolize/shown_texts.h"

static void every_text_is_found_again_by_its_number(void **state)
{
	struct wk_shown_texts texts;
	char text[20];

	(void)state;
	wk_shown_texts_init(&texts);
	for (uint32_t id = 0; id < 10000; id++) {
		assert_null(wk_shown_texts_find(&texts, id * 77));
		snprintf(text, sizeof(text), "a text %u", (unsigned)id);
		wk_shown_texts_add(&texts, id * 77, wk_str_c(text));
	}
	for (uint32_t id = 0; id < 10000; id++) {
		snprintf(text, sizeof(text), "a text %u", (unsigned)id);
		assert_string_equal(wk_shown_texts_find(&texts, id * 77)->words, text);
	}
	wk_shown_texts_fini(&texts);
}

static void words_of_every_length_are_put_behind_one_another(void **state)
{
	struct wk_arena arena = { 0 };
	char text[100], out[300];

	(void)state;
	for (size_t len = 0; len <= sizeof(text); len++) {
		struct wk_str words;
		char *end;

		memset(text, 'a' + (int)(len % 26), len);
		words = wk_shown_words(wk_shown_new(&arena, wk_str_of(text, len)));
		assert_int_equal(words.len, len);
		end = wk_shown_put(wk_shown_put(out, words), words);
		assert_ptr_equal(end, out + 2 * len);
		assert_memory_equal(out, text, len);
		assert_memory_equal(out + len, text, len);
	}
	wk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_text_is_found_again_by_its_number),
		cmocka_unit_test(words_of_every_length_are_put_behind_one_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
