#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#include "base/buf.h"
#include "render/colours/background.h"
#include "render/svg/name_attributes.h"

static void tell(void *context, const char *why, struct wk_str name, struct wk_str attribute)
{
	wk_buf_add_fmt(context, "%s: %.*s: %.*s\n", why, WK_STR_ARG(name), WK_STR_ARG(attribute));
}

/* What `key` of `name` is after `text` was read; `told` gets what was refused. */
static void assert_value(const char *text, const char *name, const char *key, const char *value,
			 const char *told)
{
	struct wk_name_attributes attributes;
	struct wk_buf refused = { 0 };

	wk_name_attributes_init(&attributes, wk_str_c(text), tell, &refused);
	assert_true(wk_str_is(
		wk_name_entry_get(wk_name_attributes_find(&attributes, wk_str_c(name)), key),
		value));
	assert_string_equal(wk_buf_text(&refused), told);
	wk_buf_fini(&refused);
	wk_name_attributes_fini(&attributes);
}

static void a_line_gives_a_name_its_attributes(void **state)
{
	(void)state;
	assert_value("main\ttitle=the start\thref=/x?a=1:2\r\n", "main", "title", "the start", "");
	assert_value("main\ttitle=the start\thref=/x?a=1:2\r\n", "main", "href", "/x?a=1:2", "");
	assert_value("main\ttitle=\"in quotes\"\n", "main", "title", "in quotes", "");
	assert_value("main\ttitle=x\n", "other", "title", "", "");
	assert_value("\n\ttitle=x\nmain\n", "main", "title", "", "");
}

static void links_that_run_are_refused(void **state)
{
	static const char *const bad[] = {
		"javascript:alert(1)", "JavaScript:alert(1)", " javascript:x", "java\x01script:x",
		"data:text/html,x", "vbscript:x", "file:///etc/passwd",
	};
	struct wk_buf line = { 0 }, told = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wk_buf_reset(&line);
		wk_buf_reset(&told);
		wk_buf_add_fmt(&line, "f\thref=%s\n", bad[i]);
		wk_buf_add_fmt(&told, "unsafe attribute: f: href=%s\n", bad[i]);
		assert_value(wk_buf_text(&line), "f", "href", "", wk_buf_text(&told));
	}
	assert_value("f\thref=https://a.b/c\n", "f", "href", "https://a.b/c", "");
	wk_buf_fini(&line);
	wk_buf_fini(&told);
}

static void what_is_no_harmless_attribute_is_refused(void **state)
{
	(void)state;
	assert_value("f\tonclick=x\n", "f", "onclick", "", "unsafe attribute: f: onclick=x\n");
	assert_value("f\tstyle=x\n", "f", "style", "", "unsafe attribute: f: style=x\n");
	assert_value("f\tjust words\n", "f", "title", "", "invalid attribute: f: just words\n");
	assert_value("f\ttitle=a\ttitle=b\n", "f", "title", "b",
		     "duplicate attribute: f: title=b\n");
}

static void a_background_is_a_name_or_one_or_two_colours(void **state)
{
	struct wk_background background;

	(void)state;
	assert_true(wk_background_read(wk_str_c("blue"), &background));
	assert_int_equal(background.bottom, 0xe0e0ff);
	assert_true(wk_background_read(wk_str_c("#010203"), &background));
	assert_int_equal(background.bottom, 0x010203);
	assert_true(wk_background_read(wk_str_c("#010203-#fffefd"), &background));
	assert_int_equal(background.top, 0x010203);
	assert_int_equal(background.bottom, 0xfffefd);
	assert_false(wk_background_read(wk_str_c("#01020"), &background));
	assert_false(wk_background_read(wk_str_c("#01020g"), &background));
	assert_false(wk_background_read(wk_str_c("#010203,#fffefd"), &background));
	assert_false(wk_background_read(wk_str_c("red;}"), &background));
	assert_true(wk_colour_is_dark(0x16191d));
	assert_false(wk_colour_is_dark(0xeeeeb0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_gives_a_name_its_attributes),
		cmocka_unit_test(links_that_run_are_refused),
		cmocka_unit_test(what_is_no_harmless_attribute_is_refused),
		cmocka_unit_test(a_background_is_a_name_or_one_or_two_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
