#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "symbols/kallsyms.h"

static const char table[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T startup_64\n"
			    "ffffffff81000040 t verify_cpu\n"
			    "ffffffff81000100 W arch_hook\n"
			    "ffffffff81000100 t __local_hook\n"
			    "ffffffff81000200 T last_of_kernel\n"
			    "ffffffff82000000 D some_data\n"
			    "ffffffffc0300040 t nf_one\t[nf_tables]\n"
			    "ffffffffc0300000 t nf_first\t[nf_tables]\n"
			    "ffffffffc0304000 t bpf_prog_12\t[bpf]\n";

static struct wk_kallsyms *parse(const char *text)
{
	struct wk_err err = { 0 };
	struct wk_kallsyms *k = wk_kallsyms_parse(wk_str_c(text), &err);

	assert_non_null(k);
	return k;
}

static const char *at(const struct wk_kallsyms *k, uint64_t address)
{
	static char text[200];
	struct wk_kallsym s;

	if (!wk_kallsyms_find(k, address, &s))
		return "none";
	snprintf(text, sizeof(text), "%.*s %.*s %llx+%llx", WK_STR_ARG(s.name),
		 WK_STR_ARG(s.module), (unsigned long long)s.start,
		 (unsigned long long)s.size_bytes);
	return text;
}

static void an_address_is_in_the_function_that_begins_before_it(void **state)
{
	struct wk_kallsyms *k = parse(table);

	(void)state;
	assert_string_equal(at(k, 0xffffffff8100003f),
			    "startup_64 [kernel.kallsyms] ffffffff81000000+40");
	assert_string_equal(at(k, 0xffffffff81000040),
			    "verify_cpu [kernel.kallsyms] ffffffff81000040+c0");
	assert_string_equal(at(k, 0xffffffff80ffffff), "none");
	assert_string_equal(at(k, 0), "none");
	assert_string_equal(at(k, UINT64_MAX), "none");
	wk_kallsyms_free(k);
}

static void a_weak_name_goes_before_a_local_one(void **state)
{
	struct wk_kallsyms *k = parse(table);

	(void)state;
	assert_string_equal(at(k, 0xffffffff81000100),
			    "arch_hook [kernel.kallsyms] ffffffff81000100+100");
	wk_kallsyms_free(k);
}

static void modules_keep_their_names_and_need_no_order(void **state)
{
	struct wk_kallsyms *k = parse(table);

	(void)state;
	assert_string_equal(at(k, 0xffffffffc0300001), "nf_first [nf_tables] ffffffffc0300000+40");
	assert_string_equal(at(k, 0xffffffffc0300041), "nf_one [nf_tables] ffffffffc0300040+1fc0");
	assert_string_equal(at(k, 0xffffffffc0304004), "bpf_prog_12 [bpf] ffffffffc0304000+2000");
	wk_kallsyms_free(k);
}

static void the_last_function_does_not_reach_to_the_next_module(void **state)
{
	struct wk_kallsyms *k = parse(table);

	(void)state;
	assert_string_equal(at(k, 0xffffffff81001fff),
			    "last_of_kernel [kernel.kallsyms] ffffffff81000200+1e00");
	assert_string_equal(at(k, 0xffffffff81002000), "none");
	assert_string_equal(at(k, 0xffffffff82000000), "none");
	wk_kallsyms_free(k);
}

static void hidden_addresses_are_an_error_that_names_the_setting(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	assert_null(wk_kallsyms_parse(wk_str_c("0000000000000000 T _stext\n"
					       "0000000000000000 t nf_one\t[nf_tables]\n"),
				      &err));
	assert_int_equal(err.code, WK_EPERM);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
	assert_non_null(strstr(err.text, "sysctl"));
}

static void what_is_no_such_table_is_refused(void **state)
{
	static const char *const texts[] = { "",
					     "\n",
					     "hello world\n",
					     "ffffffff81000000\n",
					     "ffffffff81000000 T\n",
					     "ffffffff81000000 T \n",
					     "ffffffff81000000 D data\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wk_err err = { 0 };

		assert_null(wk_kallsyms_parse(wk_str_c(texts[i]), &err));
		assert_int_equal(err.code, WK_EFORMAT);
	}
	assert_null(wk_kallsyms_open("/no/such/file", NULL));
}

static void a_text_cut_anywhere_is_read_within_its_bounds(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(table); len++) {
		char *copy = wk_alloc(len ? len : 1);
		struct wk_kallsyms *k;
		struct wk_kallsym symbol;

		memcpy(copy, table, len);
		k = wk_kallsyms_parse(wk_str_of(copy, len), NULL);
		if (k)
			wk_kallsyms_find(k, 0xffffffff81000010, &symbol);
		wk_kallsyms_free(k);
		free(copy);
	}
}

static void thousands_of_modules_cost_no_square(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_kallsyms *k;

	(void)state;
	for (unsigned i = 0; i < 200000; i++)
		wk_buf_add_fmt(&text, "ffffffff%08x t f\t[m%u]\n", i * 16, i % 70000);
	k = parse(wk_buf_text(&text));
	assert_int_equal(wk_kallsyms_count(k), 200000);
	assert_string_equal(at(k, 0xffffffff00000011), "f [m1] ffffffff00000010+10");
	wk_kallsyms_free(k);
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_in_the_function_that_begins_before_it),
		cmocka_unit_test(a_weak_name_goes_before_a_local_one),
		cmocka_unit_test(modules_keep_their_names_and_need_no_order),
		cmocka_unit_test(the_last_function_does_not_reach_to_the_next_module),
		cmocka_unit_test(hidden_addresses_are_an_error_that_names_the_setting),
		cmocka_unit_test(what_is_no_such_table_is_refused),
		cmocka_unit_test(a_text_cut_anywhere_is_read_within_its_bounds),
		cmocka_unit_test(thousands_of_modules_cost_no_square),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
