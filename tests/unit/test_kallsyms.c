#define _GNU_SOURCE /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "symbols/kernel/kallsyms_table.h"

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

/* The kernel lists both at one address where a call takes nothing. */
static void of_a_system_calls_entries_the_64_bit_one_is_taken(void **state)
{
	struct wk_kallsyms *k = parse("ffffffff81000000 t __do_sys_getpid\n"
				      "ffffffff81000000 T __ia32_sys_getpid\n"
				      "ffffffff81000000 T __x64_sys_getpid\n"
				      "ffffffff81000040 T __x64_sys_read\n"
				      "ffffffff81000080 T __ia32_sys_read\n");

	(void)state;
	assert_string_equal(at(k, 0xffffffff81000004),
			    "__x64_sys_getpid [kernel.kallsyms] ffffffff81000000+40");
	assert_string_equal(at(k, 0xffffffff81000084),
			    "__ia32_sys_read [kernel.kallsyms] ffffffff81000080+1f80");
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
		wk_free(copy);
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
	assert_int_equal(k->count, 200000);
	assert_string_equal(at(k, 0xffffffff00000011), "f [m1] ffffffff00000010+10");
	wk_kallsyms_free(k);
	wk_buf_fini(&text);
}

#define NF   "nf_tables 4096 2 nft_chain_nat,nft_compat, "
#define LOOP "loop 8192 0 - Live 0xffffffffc0400000 (E)\n"

static const char modules[] = NF "Live 0xffffffffc0300000\n" LOOP;

static struct wk_kallsyms_moment moment_of(const char *boot_id, const char *list)
{
	struct wk_kallsyms_moment moment;

	assert_true(wk_kallsyms_moment_of(wk_str_c(boot_id), wk_str_c(list), &moment));
	return moment;
}

static struct wk_kallsyms_moment usual_moment(void)
{
	return moment_of("0a1b2c3d-0000-4000-8000-0123456789ab\n", modules);
}

/* Saved bytes of `table`, at a multiple of 8. */
static struct wk_buf saved(void)
{
	struct wk_kallsyms_moment moment = usual_moment();
	struct wk_kallsyms *k = parse(table);
	struct wk_buf bytes = { 0 };

	assert_true(wk_kallsyms_save(k, &moment, &bytes));
	wk_kallsyms_free(k);
	return bytes;
}

static struct wk_kallsyms *load(const struct wk_buf *bytes)
{
	struct wk_kallsyms_moment moment = usual_moment();

	return wk_kallsyms_load(wk_bytes_of(bytes->at, bytes->len), &moment, NULL);
}

static void a_saved_table_answers_the_same(void **state)
{
	struct wk_buf bytes = saved(), again = { 0 };
	struct wk_kallsyms_moment moment = usual_moment();
	struct wk_kallsyms *made = parse(table), *loaded = load(&bytes);

	(void)state;
	assert_non_null(loaded);
	assert_int_equal(loaded->count, made->count);
	for (uint64_t part = 0xffffffff80fff000; part < 0xffffffffc0307000; part += 0x40) {
		char expected[200];

		strcpy(expected, at(made, part));
		assert_string_equal(at(loaded, part), expected);
		if (part == 0xffffffff81010000)
			part = 0xffffffffc02ff000;
	}
	assert_string_equal(at(loaded, 0xffffffffc0300041),
			    "nf_one [nf_tables] ffffffffc0300040+1fc0");
	assert_false(wk_kallsyms_save(loaded, &moment, &again));
	assert_int_equal(again.len, 0);
	wk_kallsyms_free(made);
	wk_kallsyms_free(loaded);
	wk_buf_fini(&bytes);
}

static void expect_other_moment(const char *boot_id, const char *list)
{
	struct wk_kallsyms_moment moment = moment_of(boot_id, list);
	struct wk_buf bytes = saved();
	struct wk_err err = { 0 };

	assert_null(wk_kallsyms_load(wk_bytes_of(bytes.at, bytes.len), &moment, &err));
	assert_non_null(strstr(err.text, "start of the kernel, or with other modules"));
	assert_int_equal(err.offset, 8); /* behind magic and version */
	wk_buf_fini(&bytes);
}

static void a_table_of_another_start_or_other_modules_is_not_taken(void **state)
{
	const char *boot = "0a1b2c3d-0000-4000-8000-0123456789ab";

	(void)state;
	expect_other_moment("0a1b2c3d-0000-4000-8000-0123456789ac", modules);
	expect_other_moment(boot, "");
	expect_other_moment(boot, NF "Live 0xffffffffc0300000\n");
	expect_other_moment(boot, NF "Live 0xffffffffc0310000\n" LOOP);
	expect_other_moment(boot, NF "Loading 0xffffffffc0300000\n" LOOP);
}

static void who_uses_a_module_does_not_matter(void **state)
{
	struct wk_kallsyms_moment
		usual = usual_moment(),
		busy = moment_of("0a1b2c3d-0000-4000-8000-0123456789ab",
				 "nf_tables 4096 31 nft_compat,nft_masq, Live 0xffffffffc0300000\n"
				 "loop 8192 7 - Live 0xffffffffc0400000 (E)\n");
	struct wk_kallsyms_moment none;

	(void)state;
	assert_memory_equal(&usual, &busy, sizeof(usual));
	assert_false(wk_kallsyms_moment_of(wk_str_c("\n"), wk_str_c(modules), &none));
	assert_false(wk_kallsyms_moment_of(wk_str_c("a boot id longer than any of them is by far"),
					   wk_str_c(""), &none));
}

static void broken_saved_bytes_fault_nowhere(void **state)
{
	struct wk_buf bytes = saved();

	(void)state;
	for (size_t i = 0; i < 2 * bytes.len; i++) {
		struct wk_buf copy = { 0 };
		struct wk_kallsyms *k;

		wk_buf_add(&copy, bytes.at, i < bytes.len ? i : bytes.len);
		if (i >= bytes.len)
			copy.at[i - bytes.len] ^= 0xff;
		k = load(&copy);
		for (uint64_t part = 0; k && part < 0x400; part += 0x11) {
			at(k, 0xffffffff81000000 + part);
			at(k, 0xffffffffc0300000 + part);
		}
		wk_kallsyms_free(k);
		wk_buf_fini(&copy);
	}
	wk_buf_fini(&bytes);
}

static void expect_agreement(const char *text, bool agrees)
{
	char path[] = "/tmp/wick-test-kallsyms-XXXXXX";
	int fd = mkstemp(path);
	struct wk_buf bytes = saved();
	struct wk_kallsyms *k = load(&bytes);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(wk_kallsyms_agrees(k, path), agrees);
	unlink(path);
	wk_kallsyms_free(k);
	wk_buf_fini(&bytes);
}

static void only_who_is_shown_addresses_now_gets_them_from_a_saved_table(void **state)
{
	(void)state;
	expect_agreement(table, true);
	expect_agreement("ffffffff81000040 t verify_cpu\n", true);
	expect_agreement("0000000000000000 A data\n0000000000000000 T _stext\n", false);
	expect_agreement("ffffffff81000080 T _stext\n", false);
	expect_agreement("", false);
	assert_false(wk_kallsyms_agrees(NULL, "/no/such/file"));
}

static void programs_and_probes_are_fleeting(void **state)
{
	struct wk_kallsyms *k = parse(table);
	struct wk_kallsym symbol = { .module = WK_STR("[__builtin__kprobes]") };

	(void)state;
	assert_true(wk_kallsyms_is_fleeting(&symbol));
	assert_true(wk_kallsyms_find(k, 0xffffffffc0304000, &symbol));
	assert_true(wk_kallsyms_is_fleeting(&symbol));
	assert_true(wk_kallsyms_find(k, 0xffffffffc0300040, &symbol));
	assert_false(wk_kallsyms_is_fleeting(&symbol));
	wk_kallsyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_in_the_function_that_begins_before_it),
		cmocka_unit_test(a_weak_name_goes_before_a_local_one),
		cmocka_unit_test(of_a_system_calls_entries_the_64_bit_one_is_taken),
		cmocka_unit_test(modules_keep_their_names_and_need_no_order),
		cmocka_unit_test(the_last_function_does_not_reach_to_the_next_module),
		cmocka_unit_test(hidden_addresses_are_an_error_that_names_the_setting),
		cmocka_unit_test(what_is_no_such_table_is_refused),
		cmocka_unit_test(a_text_cut_anywhere_is_read_within_its_bounds),
		cmocka_unit_test(thousands_of_modules_cost_no_square),
		cmocka_unit_test(a_saved_table_answers_the_same),
		cmocka_unit_test(a_table_of_another_start_or_other_modules_is_not_taken),
		cmocka_unit_test(who_uses_a_module_does_not_matter),
		cmocka_unit_test(broken_saved_bytes_fault_nowhere),
		cmocka_unit_test(only_who_is_shown_addresses_now_gets_them_from_a_saved_table),
		cmocka_unit_test(programs_and_probes_are_fleeting),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
