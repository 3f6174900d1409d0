/* Tracepoints as text: descriptions made here, one rule each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/tracepoint/format.h"

#define COMMON                                                                                     \
	"name: thing\nID: 7\nformat:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Where fields lie: eight bytes of head, then these. */
#define FIELDS                                                                                     \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                 \
	"\tfield:int number;\toffset:24;\tsize:4;\tsigned:1;\n"                                    \
	"\tfield:unsigned int flags;\toffset:28;\tsize:4;\tsigned:0;\n"                            \
	"\tfield:unsigned long where;\toffset:32;\tsize:8;\tsigned:0;\n"                           \
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:u8 address[6];\toffset:44;\tsize:6;\tsigned:0;\n"                                 \
	"\tfield:u16 small;\toffset:50;\tsize:2;\tsigned:0;\n"                                     \
	"\tfield:__data_loc u32[] numbers;\toffset:52;\tsize:4;\tsigned:0;\n"                      \
	"\tfield:u8 net[16];\toffset:56;\tsize:16;\tsigned:0;\n\n"

static void put_number(struct wk_buf *out, uint64_t value, unsigned size, bool big_endian)
{
	for (unsigned i = 0; i < size; i++)
		wk_buf_add_char(out, (char)(value >> 8 * (big_endian ? size - 1 - i : i)));
}

static void put_text(struct wk_buf *out, const char *text, bool big_endian)
{
	put_number(out, strlen(text), 8, big_endian);
	wk_buf_add_text(out, text);
}

static void put_content(struct wk_buf *out, const char *description, const char *printk,
			bool big_endian)
{
	static const char functions[] = "ffffffff81000000 T unused\n"; /* of an old recording */

	wk_buf_add(out, "\x17\x08\x44tracing0.6", 14);
	put_number(out, big_endian, 1, false);
	put_number(out, 8, 1, false);
	put_number(out, 4096, 4, big_endian);
	wk_buf_add(out, "header_page", 12);
	put_text(out, "page", big_endian);
	wk_buf_add(out, "header_event", 13);
	put_text(out, "event", big_endian);
	put_number(out, 0, 4, big_endian);
	put_number(out, 1, 4, big_endian);
	wk_buf_add(out, "part", 5);
	put_number(out, 1, 4, big_endian);
	put_text(out, description, big_endian);
	put_number(out, strlen(functions), 4, big_endian);
	wk_buf_add_text(out, functions);
	put_number(out, strlen(printk), 4, big_endian);
	wk_buf_add_text(out, printk);
}

static void put_sample(struct wk_buf *out, bool big_endian)
{
	put_number(out, 7, 2, big_endian);
	put_number(out, 0, 2, big_endian);
	put_number(out, 99, 4, big_endian);
	wk_buf_add(out, "worker\0\0\0\0\0\0\0\0\0\0", 16);
	put_number(out, (uint32_t)-5, 4, big_endian);
	put_number(out, 0x13, 4, big_endian);
	put_number(out, 0xffffffff81000010, 8, big_endian);
	put_number(out, 8 << 16 | 72, 4, big_endian);
	wk_buf_add(out, "\x02\x00\x00\x00\x00\x01", 6);
	put_number(out, 0xfffe, 2, big_endian);
	put_number(out, 8 << 16 | 80, 4, big_endian);
	wk_buf_add(out, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);
	wk_buf_add(out, "/a/path", 8);
	put_number(out, 10, 4, big_endian);
	put_number(out, 20, 4, big_endian);
}

static void print_with(const char *description, struct wk_trace_namer namer, const char *printk,
		       bool big_endian, struct wk_buf *text)
{
	struct wk_buf content = { 0 }, raw = { 0 };
	struct wk_trace_formats *formats;

	if (!wk_trace_has_library())
		skip();
	put_content(&content, description, printk, big_endian);
	put_sample(&raw, big_endian);
	formats = wk_trace_formats_new(wk_bytes_of(content.at, content.len), NULL);
	assert_non_null(formats);
	wk_buf_fini(&content);
	wk_trace_formats_set_namer(formats, namer);
	wk_trace_formats_print(formats, wk_bytes_of(raw.at, raw.len), text);
	wk_trace_formats_free(formats);
	wk_buf_fini(&raw);
}

static bool name_first(void *context, uint64_t address, struct wk_str *name, uint64_t *start)
{
	*start = address - 0x10;
	*name = wk_str_c(context);
	return true;
}

static void expect_with(const char *description, const char *function, bool big_endian,
			const char *expected)
{
	struct wk_trace_namer namer = { function ? name_first : NULL, (void *)function };
	struct wk_buf text = { 0 };

	print_with(description, namer, "", big_endian, &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

#define EXPECT(print_fmt, expected)                                                                \
	expect_with(COMMON FIELDS "print fmt: " print_fmt "\n", NULL, false, expected)

static void fields_are_printed_as_the_format_says(void **state)
{
	(void)state;
	EXPECT("\"%s %d %08x|%-5u|%5d\", REC->comm, REC->number, REC->flags, REC->flags, "
	       "REC->number",
	       "worker -5 00000013|19   |   -5");
	EXPECT("\"%lx %p 100%%\", REC->where, (void *)0", "ffffffff81000010 (nil) 100%");
	EXPECT("\"%.3s|%4d|%-8s|\", REC->comm, 7, REC->comm", "wor|   7|worker  |");
}

static void both_byte_orders_are_read(void **state)
{
	(void)state;
	expect_with(COMMON FIELDS
		    "print fmt: \"%d %x %s\", REC->number, REC->flags, __get_str(path)\n",
		    NULL, true, "-5 13 /a/path");
}

static void flags_and_symbols_have_names(void **state)
{
	(void)state;
	EXPECT("\"%s\", __print_flags(REC->flags, \"|\", { 1, \"A\" }, { 1 << 1, \"B\" }, { 0x4, \"C\" })",
	       "A|B|0x10");
	EXPECT("\"%s\", __print_flags(REC->flags & 0, \"|\", { 1, \"A\" })", "");
	EXPECT("\"%s %s\", __print_symbolic(REC->flags, { 0x13, \"nineteen\" }), "
	       "__print_symbolic(REC->flags, { 1, \"one\" })",
	       "nineteen 0x13");
	/* A name that stands for a number nobody knows matches nothing. */
	EXPECT("\"%s\", __print_symbolic(REC->flags & 0, { SOME_MODE, \"some\" })", "0x0");
	EXPECT("\"%s\", __print_symbolic(REC->flags & 0, { (SOME_MODE), \"some\" })", "0x0");
}

/* They are looked up by value, whatever their order; of two that have one the first counts. */
static void symbols_may_stand_in_any_order(void **state)
{
	(void)state;
	EXPECT("\"%s %s %s\", __print_symbolic(REC->flags, { 0x20, \"a\" }, { 0x13, \"b\" }, "
	       "{ 0x13, \"c\" }, { -1, \"d\" }, { 0, \"e\" }), "
	       "__print_symbolic(REC->flags & 0, { 1, \"f\" }, { 0, \"g\" }), "
	       "__print_symbolic(~0, { -1, \"h\" }, { 0, \"i\" })",
	       "b g h");
}

static void texts_of_trace_printk_are_found_by_their_address(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	print_with(COMMON FIELDS "print fmt: \"%s\", REC->where\n", (struct wk_trace_namer){ 0 },
		   "0xffffffff81000008 : \"other\"\n0xffffffff81000010 : \"at: it\"\n"
		   "0xffffffff81000010 : \"late\"\n",
		   false, &text);
	assert_string_equal(wk_buf_text(&text), "late");
	wk_buf_fini(&text);
}

#define ALL_FIELDS                                                                                 \
	"[FAILED TO PARSE] comm=worker number=-5 flags=19 where=0xffffffff81000010 path=/a/path "  \
	"address=ARRAY[02, 00, 00, 00, 00, 01] small=65534 "                                       \
	"numbers=ARRAY[0a, 00, 00, 00, 14, 00, 00, 00] "                                           \
	"net=ARRAY[00, 00, 00, 00, 00, 00, 00, 00, 00, 00, ff, ff, 7f, 00, 00, 01]"

/* libtraceevent would divide by zero, follow a null pointer or read outside of the sample. */
static void formats_that_no_kernel_writes_are_listed(void **state)
{
	(void)state;
	EXPECT("\"%d\", REC->number / 0", ALL_FIELDS);
	EXPECT("\"%d\", REC->number / REC->flags", ALL_FIELDS);
	EXPECT("\"%d\", REC->number / 8 / 9", ALL_FIELDS);
	EXPECT("\"%d\", REC->number % 08", ALL_FIELDS);
	EXPECT("\"%s\", __get_str(nothing)", ALL_FIELDS);
	EXPECT("\"%s\", __get_bitmask(nothing)", ALL_FIELDS);
	EXPECT("\"%s\", __get_str(number)", ALL_FIELDS);
	EXPECT("\"%d\", __get_dynamic_array_len(nothing)", ALL_FIELDS);
	EXPECT("\"%d\", REC->address[64]", ALL_FIELDS);
	EXPECT("\"%s\", __print_hex(5, 3)", ALL_FIELDS);
	EXPECT("\"%s\", __print_hex(REC->comm, 17)", ALL_FIELDS);
	EXPECT("\"%s\", __print_hex(REC->comm, REC->number)", ALL_FIELDS);
	EXPECT("\"%s\", __print_array(REC->comm, 100000000, 1)", ALL_FIELDS);
	EXPECT("\"%.*s\", REC->number, REC->comm", ALL_FIELDS);
	EXPECT("\"%*d\", REC->number, REC->number", ALL_FIELDS);
	EXPECT("\"%n\", REC->number", ALL_FIELDS);
	EXPECT("\"%9999d\", REC->number", ALL_FIELDS);
	EXPECT("\"%d\", ((u32 *)__get_dynamic_array(numbers))[1]", ALL_FIELDS);
}

static void a_long_text_is_cut_short(void **state)
{
	struct wk_buf description = { 0 }, text = { 0 };

	(void)state;
	wk_buf_add_text(&description, COMMON FIELDS "print fmt: \"");
	for (int i = 0; i < 60; i++)
		wk_buf_add_text(&description, "%999d");
	wk_buf_add_text(&description, "\"");
	for (int i = 0; i < 60; i++)
		wk_buf_add_text(&description, ", REC->number");
	print_with(wk_buf_text(&description), (struct wk_trace_namer){ 0 }, "", false, &text);
	assert_true(text.len < 20000);
	assert_true(wk_str_ends(wk_buf_str(&text), "[TOO LONG]"));
	wk_buf_fini(&description);
	wk_buf_fini(&text);
}

static void expressions_bind_as_in_c(void **state)
{
	(void)state;
	EXPECT("\"%d\", 1 + 2 * 3 - 4", "3");
	EXPECT("\"%d\", (1 | 2) & 2", "2");
	EXPECT("\"%d\", 1 << 2 + 1", "8");
	EXPECT("\"%s\", REC->flags > 10 ? \"yes\" : \"no\"", "yes");
	EXPECT("\"%d\", (u8)(REC->small) + !0 + ~0", "254");
	EXPECT("\"%d\", (int)REC->flags / 4", "4");
	EXPECT("\"%u\", REC->address[5]", "1");
	EXPECT("\"%d\", __get_dynamic_array_len(path)", "8");
}

static void arrays_and_addresses_are_spelled_out(void **state)
{
	(void)state;
	EXPECT("\"%s\", __print_hex(REC->address, 3)", "02 00 00");
	EXPECT("\"%s\", __print_hex_str(REC->address, 6)", "020000000001");
	EXPECT("\"%s\", __print_array(__get_dynamic_array(numbers), "
	       "__get_dynamic_array_len(numbers) / 4, 4)",
	       "10 20");
	EXPECT("\"%pM %pm\", REC->address, REC->address", "02:00:00:00:00:01 020000000001");
	EXPECT("\"%pI6c %pI4\", REC->net, REC->flags", "::ffff:127.0.0.1 19.0.0.0");
	EXPECT("\"%s\", __get_bitmask(numbers)", "00000014,0000000a");
}

static void functions_of_the_kernel_are_named(void **state)
{
	(void)state;
	expect_with(COMMON FIELDS "print fmt: \"%pS %ps\", REC->where, REC->where\n", "first",
		    false, "first+0x10 first");
	EXPECT("\"%pS\", (void *)REC->where", "0xffffffff81000010");
}

static void what_cannot_be_evaluated_is_listed(void **state)
{
	(void)state;
	expect_with(COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			   "\tfield:int number;\toffset:24;\tsize:4;\tsigned:1;\n"
			   "\tfield:unsigned long where;\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:u8 address[6];\toffset:44;\tsize:6;\tsigned:0;\n"
			   "print fmt: \"%d\", unheard_of(REC->number)\n",
		    NULL, false,
		    "[FAILED TO PARSE] comm=worker number=-5 where=0xffffffff81000010 "
		    "address=ARRAY[02, 00, 00, 00, 00, 01]");
	EXPECT("\"%d\", ()REC->number", ALL_FIELDS); /* a cast to nothing */
	EXPECT("\"%d\", (unsigned long long long int odd)REC->number", ALL_FIELDS);
	EXPECT("\"%d\", (int ***)REC->number", ALL_FIELDS);
	/* Fewer arguments than the text asks for. */
	EXPECT("\"a %d\"", ALL_FIELDS);
}

static void deep_expressions_are_refused_not_followed(void **state)
{
	struct wk_buf description = { 0 };

	(void)state;
	wk_buf_add_text(&description, COMMON "\tfield:int number;\toffset:24;\tsize:4;\tsigned:1;\n"
					     "print fmt: \"%d\", ");
	for (int i = 0; i < 100000; i++)
		wk_buf_add_char(&description, '(');
	expect_with(wk_buf_text(&description), NULL, false, "[FAILED TO PARSE] number=-5");
	wk_buf_fini(&description);
}

static void fields_outside_the_sample_are_empty(void **state)
{
	(void)state;
	expect_with(COMMON "\tfield:int far;\toffset:4000000000;\tsize:4;\tsigned:1;\n"
			   "\tfield:__data_loc char[] text;\toffset:28;\tsize:4;\tsigned:0;\n"
			   "print fmt: \"%d [%s]\", REC->far, __get_str(text)\n",
		    NULL, false, "[FAILED TO PARSE] far=0 text=");
	expect_with(COMMON "\tfield:int far;\toffset:4000;\tsize:4;\tsigned:1;\n"
			   "\tfield:__data_loc char[] text;\toffset:28;\tsize:4;\tsigned:0;\n"
			   "print fmt: \"%d [%s]\", REC->far, __get_str(text)\n",
		    NULL, false, "0 []");
}

static void other_bytes_are_refused(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	assert_null(wk_trace_formats_new(wk_bytes_of("not tracing data", 16), &err));
	assert_int_equal(err.code, WK_ECORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_printed_as_the_format_says),
		cmocka_unit_test(both_byte_orders_are_read),
		cmocka_unit_test(flags_and_symbols_have_names),
		cmocka_unit_test(symbols_may_stand_in_any_order),
		cmocka_unit_test(texts_of_trace_printk_are_found_by_their_address),
		cmocka_unit_test(formats_that_no_kernel_writes_are_listed),
		cmocka_unit_test(a_long_text_is_cut_short),
		cmocka_unit_test(expressions_bind_as_in_c),
		cmocka_unit_test(arrays_and_addresses_are_spelled_out),
		cmocka_unit_test(functions_of_the_kernel_are_named),
		cmocka_unit_test(what_cannot_be_evaluated_is_listed),
		cmocka_unit_test(deep_expressions_are_refused_not_followed),
		cmocka_unit_test(fields_outside_the_sample_are_empty),
		cmocka_unit_test(other_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
