/* Names of places: which source has priority, and rows that are added between lookups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/resolver.h"

extern const char __executable_start; /* the linker's */

static const struct wk_build_id our_id = { .size = 2, .bytes = { 0xab, 0xcd } };
static const struct wk_build_id other_id = { .size = 2, .bytes = { 0xab, 0xce } };

static char program[4096];

static wk_image_id add_image(struct wk_model *model, const char *path,
			     const struct wk_build_id *build_id)
{
	struct wk_event_image image = { .path = wk_str_c(path), .build_id = *build_id };

	return wk_model_add_image(model, WK_IMAGE_FILE, &image, 0, 0);
}

static void add_name(struct wk_model *model, const char *path, const struct wk_build_id *build_id,
		     uint64_t start, const char *name)
{
	wk_model_add_embedded(model, &(struct wk_event_symbol){ .image_path = wk_str_c(path),
								.build_id = *build_id,
								.start = start,
								.size_bytes = 16,
								.name = wk_str_c(name) });
}

/* This function is in the symbol table of the program. */
static void a_recorded_name_has_priority_over_the_file(void **state)
{
	struct wk_model *model = wk_model_new();
	struct wk_symbols *symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	struct wk_resolver *resolver = wk_resolver_new(model, symbols);
	struct wk_build_id none = { 0 };
	wk_image_id image = add_image(model, program, &none);
	uint64_t address = (uint64_t)((const char *)a_recorded_name_has_priority_over_the_file -
				      &__executable_start);
	struct wk_symbol symbol;

	(void)state;
	assert_true(wk_resolver_symbol(resolver, image, address, &symbol));
	assert_true(wk_str_is(symbol.name, "a_recorded_name_has_priority_over_the_file"));
	add_name(model, program, &none, address, "recorded");
	assert_true(wk_resolver_symbol(resolver, image, address + 15, &symbol));
	assert_true(wk_str_is(symbol.name, "recorded"));
	assert_int_equal(symbol.start, address);
	assert_true(wk_resolver_symbol(resolver, image, address + 16, &symbol));
	assert_true(wk_str_is(symbol.name, "a_recorded_name_has_priority_over_the_file"));
	wk_resolver_free(resolver);
	wk_symbols_free(symbols);
	wk_model_free(model);
}

static void names_of_another_build_are_ignored(void **state)
{
	struct wk_model *model = wk_model_new();
	struct wk_resolver *resolver = wk_resolver_new(model, NULL);
	wk_image_id image = add_image(model, "/bin/app", &our_id);
	struct wk_symbol symbol;

	(void)state;
	add_name(model, "/bin/app", &other_id, 0x100, "other");
	assert_false(wk_resolver_symbol(resolver, image, 0x100, &symbol));
	add_name(model, "/bin/app", &our_id, 0x200, "ours");
	assert_true(wk_resolver_symbol(resolver, image, 0x200, &symbol));
	assert_true(wk_str_is(symbol.name, "ours"));
	assert_false(wk_resolver_symbol(resolver, image, 0x1ff, &symbol));
	wk_resolver_free(resolver);
	wk_model_free(model);
}

/* As in a comparison. */
static void names_of_two_builds_at_one_path_are_told_apart(void **state)
{
	struct wk_model *model = wk_model_new();
	struct wk_resolver *resolver = wk_resolver_new(model, NULL);
	struct wk_build_id none = { 0 };
	wk_image_id first = add_image(model, "/bin/app", &our_id), second, bare;
	struct wk_symbol symbol;

	(void)state;
	add_name(model, "/bin/app", &our_id, 0x100, "ours");
	add_name(model, "/bin/app", &none, 0x100, "of the first input");
	model->input_number++;
	second = add_image(model, "/bin/app", &other_id);
	bare = wk_model_add_image(
		model, WK_IMAGE_FILE,
		&(struct wk_event_image){ .path = wk_str_c("/bin/app"), .inode = 2 }, 0, 0);
	add_name(model, "/bin/app", &other_id, 0x100, "other");
	add_name(model, "/bin/app", &none, 0x100, "of the second input");
	assert_true(wk_resolver_symbol(resolver, first, 0x100, &symbol));
	assert_true(wk_str_is(symbol.name, "ours"));
	assert_true(wk_resolver_symbol(resolver, second, 0x100, &symbol));
	assert_true(wk_str_is(symbol.name, "other"));
	assert_true(wk_resolver_symbol(resolver, bare, 0x100, &symbol));
	assert_true(wk_str_is(symbol.name, "of the second input"));
	wk_resolver_free(resolver);
	wk_model_free(model);
}

static void recorded_calls_start_where_their_function_does(void **state)
{
	const struct wk_event_call calls[] = { { .function = wk_str_c("outer"), .line = 1 },
					       { .function = wk_str_c("inner"), .line = 2 } };
	struct wk_model *model = wk_model_new();
	struct wk_resolver *resolver = wk_resolver_new(model, NULL);
	wk_image_id image = add_image(model, "/bin/app", &our_id);
	const struct wk_place *places;
	struct wk_symbol symbol;

	(void)state;
	wk_model_add_embedded_place(model, &(struct wk_event_calls){
		.image_path = wk_str_c("/bin/app"), .build_id = our_id, .address = 0x120,
		.calls = calls, .count = 2 });
	assert_true(wk_resolver_symbol(resolver, image, 0x120, &symbol));
	assert_int_equal(symbol.start, 0x120);
	wk_model_add_embedded_bounds(model, &(struct wk_event_bounds){
		.image_path = wk_str_c("/bin/app"), .build_id = our_id, .start = 0x100,
		.size_bytes = 0x40 });
	assert_true(wk_resolver_symbol(resolver, image, 0x120, &symbol));
	assert_true(wk_str_is(symbol.name, "outer"));
	assert_int_equal(symbol.start, 0x100);
	assert_int_equal(wk_resolver_places(resolver, image, 0x120, &places), 2);
	assert_true(wk_str_is(places[0].function, "inner"));
	assert_int_equal(places[1].line, 1);
	assert_int_equal(wk_resolver_places(resolver, image, 0x121, &places), 0);
	wk_resolver_free(resolver);
	wk_model_free(model);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_name_has_priority_over_the_file),
		cmocka_unit_test(names_of_another_build_are_ignored),
		cmocka_unit_test(names_of_two_builds_at_one_path_are_told_apart),
		cmocka_unit_test(recorded_calls_start_where_their_function_does),
	};

	if (argc < 1 || !realpath(argv[0], program))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
