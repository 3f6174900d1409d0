#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "os/os.h"
#include "symbols/object/symtab.h"
#include "symbols/unwind/table.h"

/* This very program is the image. */
static struct wk_os_file file;
static struct wk_obj *obj;
static const struct wk_obj_section *code;

static int open_self(void **state)
{
	(void)state;
	if (!wk_os_open("/proc/self/exe", &file, NULL))
		return -1;
	obj = wk_obj_parse(file.at, file.size_bytes, NULL);
	code = obj ? wk_obj_section(obj, ".text") : NULL;
	return code ? 0 : -1;
}

static int close_self(void **state)
{
	(void)state;
	wk_obj_free(obj);
	wk_os_close(&file);
	return 0;
}

static void assert_same(const struct wk_rules *a, const struct wk_rules *b, uint64_t vaddr)
{
	if (!a != !b)
		fail_msg("0x%llx has rules in one table only", (unsigned long long)vaddr);
	if (!a)
		return;
	assert_int_equal(a->cfa_kind, b->cfa_kind);
	assert_int_equal(a->cfa_register, b->cfa_register);
	assert_int_equal(a->cfa_value, b->cfa_value);
	assert_int_equal(a->return_address, b->return_address);
	assert_int_equal(a->is_plain, b->is_plain);
	assert_int_equal(a->is_root, b->is_root);
	assert_int_equal(a->is_signal, b->is_signal);
	/* Rules that code told have no section, and none of them is an expression. */
	assert_true(!a->section || b->section);
	assert_int_equal(a->count, b->count);
	for (unsigned i = 0; i < a->count; i++) {
		assert_int_equal(a->saved[i].reg, b->saved[i].reg);
		assert_int_equal(a->saved[i].kind, b->saved[i].kind);
		assert_int_equal(a->saved[i].value, b->saved[i].value);
	}
}

/* Places before the code too: the slots of the PLT have expressions. */
static void assert_tables_agree(struct wk_unwind_table *a, struct wk_unwind_table *b)
{
	for (uint64_t at = code->vaddr - 0x400; at < code->vaddr + code->size_bytes; at += 3)
		assert_same(wk_unwind_table_rules(a, at), wk_unwind_table_rules(b, at), at);
}

struct lender {
	struct wk_symtab *symbols;
	unsigned asked;
};

static const struct wk_symtab *lend(void *context)
{
	struct lender *lender = context;

	lender->asked++;
	return lender->symbols;
}

static uint64_t vaddr_of(const struct wk_symtab *symbols, const char *name)
{
	for (uint32_t i = 0; i < wk_symtab_count(symbols); i++)
		if (wk_str_is(wk_symtab_at(symbols, i).name, name))
			return wk_symtab_at(symbols, i).vaddr;
	return 0;
}

static void borrowed_symbols_give_the_same_rows(void **state)
{
	struct wk_unwind_table *own = wk_unwind_table_new(obj, NULL);
	struct wk_unwind_table *borrowing = wk_unwind_table_new(obj, NULL);
	struct lender lender = { .symbols = wk_symtab_new(obj, NULL) };

	(void)state;
	wk_unwind_table_borrow_symbols(borrowing, lend, &lender);
	assert_non_null(wk_unwind_table_rules(borrowing, vaddr_of(lender.symbols, "main")));
	assert_int_equal(lender.asked, 0);
	assert_tables_agree(own, borrowing);
	assert_int_equal(lender.asked, 1);
	wk_unwind_table_free(own);
	wk_unwind_table_free(borrowing);
	wk_symtab_free(lender.symbols);
}

static void a_lender_without_symbols_is_no_loss(void **state)
{
	struct wk_unwind_table *own = wk_unwind_table_new(obj, NULL);
	struct wk_unwind_table *borrowing = wk_unwind_table_new(obj, NULL);
	struct lender lender = { 0 };

	(void)state;
	wk_unwind_table_borrow_symbols(borrowing, lend, &lender);
	assert_tables_agree(own, borrowing);
	assert_int_equal(lender.asked, 1);
	wk_unwind_table_free(own);
	wk_unwind_table_free(borrowing);
}

/* push %rbp; mov %rsp, %rbp; nop; pop %rbp; ret; and where that is, as .fini_array lists it. */
static void a_function_that_only_the_loader_calls_is_followed(void **state)
{
	static const uint8_t bytes[] = { 0x55, 0x48, 0x89, 0xe5, 0x90, 0x5d, 0xc3, 0xcc,
					 0x00, 0x10, 0,    0,    0,    0,    0,    0 };
	struct wk_obj_segment segment = {
		.type = WK_PT_LOAD, .vaddr = 0x1000, .file_size = 8, .memory_size = 8 };
	struct wk_obj_section section = { .type = 15, .name = wk_str_c(".fini_array"),
					  .vaddr = 0x2000, .offset = 8, .size_bytes = 8 };
	struct wk_obj stripped = { .at = bytes, .size_bytes = sizeof(bytes), .is_64 = true,
				   .machine = WK_MACHINE_X86_64, .segments = &segment,
				   .segment_count = 1, .sections = &section };
	const struct wk_rules *rules;

	(void)state;
	for (stripped.section_count = 0; stripped.section_count < 2; stripped.section_count++) {
		struct wk_unwind_table *table = wk_unwind_table_new(&stripped, NULL);

		rules = wk_unwind_table_rules(table, 0x1004);
		assert_int_equal(rules != NULL, stripped.section_count);
		if (rules)
			assert_int_equal(rules->cfa_value, 16);
		assert_null(wk_unwind_table_rules(table, 0x1100));
		wk_unwind_table_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borrowed_symbols_give_the_same_rows),
		cmocka_unit_test(a_lender_without_symbols_is_no_loss),
		cmocka_unit_test(a_function_that_only_the_loader_calls_is_followed),
	};

	return cmocka_run_group_tests_name("unwind_symbols", tests, open_self, close_self);
}
