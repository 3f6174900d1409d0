/* What a recording names itself, address for address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/supplied_names.h"

static const struct wk_build_id none, first = { 2, { 1, 2 } }, second = { 2, { 3, 4 } };

static void add(struct wk_supplied_names *names, const char *path,
		const struct wk_build_id *build_id, uint64_t start, uint64_t size_bytes)
{
	wk_supplied_names_add(names, &(struct wk_event_symbol){ .image_path = wk_str_c(path),
							     .build_id = *build_id,
							     .start = start,
							     .size_bytes = size_bytes,
							     .name = wk_str_c("f") });
}

static bool has(const struct wk_supplied_names *names, const char *path,
		const struct wk_build_id *build_id, uint64_t address)
{
	return wk_supplied_names_has(names, wk_str_c(path), build_id, address);
}

static void an_address_is_named_from_a_symbols_begin_to_its_end(void **state)
{
	struct wk_supplied_names names = { 0 };

	(void)state;
	add(&names, "app", &none, 0x200, 0x10);
	add(&names, "app", &none, 0x100, 0x10);
	wk_supplied_names_sort(&names);
	assert_false(has(&names, "app", &none, 0xff));
	assert_true(has(&names, "app", &none, 0x100));
	assert_true(has(&names, "app", &none, 0x10f));
	assert_false(has(&names, "app", &none, 0x110));
	assert_true(has(&names, "app", &none, 0x20f));
	assert_false(has(&names, "lib", &none, 0x100));
	wk_supplied_names_fini(&names);
}

static void a_name_is_of_its_own_build_only(void **state)
{
	struct wk_supplied_names names = { 0 };

	(void)state;
	add(&names, "app", &first, 0x100, 0x10);
	wk_supplied_names_sort(&names);
	assert_true(has(&names, "app", &first, 0x100));
	assert_true(has(&names, "app", &none, 0x100));
	assert_false(has(&names, "app", &second, 0x100));
	wk_supplied_names_fini(&names);
}

static void nothing_given_names_nothing(void **state)
{
	struct wk_supplied_names names = { 0 };

	(void)state;
	add(&names, "", &none, 0x100, 0x10);
	wk_supplied_names_sort(&names);
	assert_false(has(&names, "", &none, 0x100));
	assert_false(has(&names, "app", &none, 0x100));
	wk_supplied_names_fini(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_named_from_a_symbols_begin_to_its_end),
		cmocka_unit_test(a_name_is_of_its_own_build_only),
		cmocka_unit_test(nothing_given_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
