#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/clr/payload.h"
#include "etl_payloads.h"

static void assert_text16(struct wk_bytes text, const char *expected)
{
	assert_int_equal(wk_bytes_left(&text), 2 * strlen(expected));
	for (size_t i = 0; i < strlen(expected); i++)
		assert_int_equal(wk_u16le(&text), expected[i]);
}

static void assert_text8(struct wk_str text, const char *expected)
{
	assert_true(wk_str_is(text, expected));
}

/* Version 4, of a process with an identity of its user or without. */
static void put_process(struct wk_buf *to, size_t pointer, bool has_sid)
{
	put(to, 0xffffe00012345678, pointer);
	put(to, 3676, 4);
	put(to, 3508, 4);
	put(to, 1, 4);
	put(to, 0x103, 4);
	put(to, 0x187000, pointer);
	put(to, WK_ETL_PROCESS_IS_32BIT, 4);
	if (has_sid) {
		put(to, 0xdeadbeef, pointer);
		put(to, 0, pointer);
		put_sid(to);
	} else {
		put(to, 0, 4);
	}
	put_text8(to, "Test.exe");
	put_text16(to, "Test.exe -v");
	put_text16(to, "Package");
	put_text16(to, "");
}

static void check_process(struct wk_etl_form form, bool has_sid)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_process process;

	put_process(&payload, form.pointer_bytes, has_sid);
	assert_true(wk_etl_read_process(bytes_of(&payload), form, &process));
	assert_int_equal(process.pid, 3676);
	assert_int_equal(process.parent_pid, 3508);
	assert_int_equal(process.session, 1);
	assert_int_equal(process.exit_status, 0x103);
	assert_int_equal(process.flags, WK_ETL_PROCESS_IS_32BIT);
	assert_int_equal(wk_bytes_left(&process.sid), has_sid ? 16 : 0);
	assert_text8(process.name, "Test.exe");
	assert_text16(process.command_line, "Test.exe -v");
	assert_text16(process.package, "Package");
	wk_buf_fini(&payload);
}

static void a_process_is_read_with_either_pointer_size(void **state)
{
	(void)state;
	check_process((struct wk_etl_form){ 4, 8 }, true);
	check_process((struct wk_etl_form){ 4, 8 }, false);
	check_process((struct wk_etl_form){ 4, 4 }, true);
	check_process((struct wk_etl_form){ 4, 4 }, false);
}

static void a_user_behind_a_structure_of_zeros_is_one(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_process process;

	(void)state;
	put(&payload, 0x1000, 8);
	put(&payload, 5, 4);
	put(&payload, 6, 4);
	put(&payload, 7, 4);
	put(&payload, 8, 4);
	put(&payload, 0, 16);
	put_sid(&payload);
	put_text8(&payload, "notepad.exe");
	assert_true(wk_etl_read_process(bytes_of(&payload), (struct wk_etl_form){ 2, 8 },
					&process));
	assert_int_equal(wk_bytes_left(&process.sid), 16);
	assert_text8(process.name, "notepad.exe");
	assert_text16(process.command_line, "");
	wk_buf_fini(&payload);
}

/* Cut anywhere it is refused or read in part, and never read past its end. */
static void a_payload_that_is_cut_is_refused_or_read_as_far_as_it_goes(void **state)
{
	struct wk_buf payload = { 0 };

	(void)state;
	put_process(&payload, 8, true);
	for (size_t len = 0; len <= payload.len; len++) {
		struct wk_buf cut = { 0 };
		struct wk_etl_process process;
		bool ok;

		wk_buf_add(&cut, payload.at, len);
		ok = wk_etl_read_process(bytes_of(&cut), (struct wk_etl_form){ 4, 8 }, &process);
		assert_int_equal(ok, len >= 36 + 16 + 16);
		if (ok)
			assert_true(process.name.len <= len);
		wk_buf_fini(&cut);
	}
	wk_buf_fini(&payload);
}

static void a_thread_has_its_start_and_its_name(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_thread thread;

	(void)state;
	put(&payload, 4, 4);
	put(&payload, 584, 4);
	put(&payload, 0, 32);
	put(&payload, 0x11, 8);
	put(&payload, 0x7ff612345678, 8);
	put(&payload, 0x22, 8);
	put(&payload, 99, 4);
	put(&payload, 0, 4);
	assert_int_equal(payload.len, 72);
	assert_true(wk_etl_read_thread(bytes_of(&payload), (struct wk_etl_form){ 3, 8 }, &thread));
	assert_int_equal(wk_bytes_left(&thread.name), 0);
	put_text16(&payload, "Worker");
	assert_true(wk_etl_read_thread(bytes_of(&payload), (struct wk_etl_form){ 3, 8 }, &thread));
	assert_int_equal(thread.pid, 4);
	assert_int_equal(thread.tid, 584);
	assert_int_equal(thread.service_tag, 99);
	assert_text16(thread.name, "Worker");
	wk_buf_fini(&payload);
}

static void put_image(struct wk_buf *to, unsigned version, size_t pointer)
{
	put(to, 0x7f9d02f0000, pointer);
	put(to, 0x1be000, version ? pointer : 4);
	if (version >= 1)
		put(to, 3676, 4);
	if (version >= 2) {
		put(to, 0xabc, 4);
		put(to, 0x50108f00, 4);
		put(to, 0, 4);
		put(to, 0x180000000, pointer);
		put(to, 0, 16);
	}
	put_text16(to, "\\Windows\\ntdll.dll");
}

static void an_image_of_every_version_is_read(void **state)
{
	(void)state;
	for (uint8_t version = 0; version <= 3; version++)
		for (uint8_t pointer = 4; pointer <= 8; pointer += 4) {
			struct wk_buf payload = { 0 };
			struct wk_etl_image image;

			put_image(&payload, version, pointer);
			if (version >= 2)
				assert_int_equal(payload.len - 38, pointer == 4 ? 44 : 56);
			assert_true(wk_etl_read_image(bytes_of(&payload),
						      (struct wk_etl_form){ version, pointer },
						      &image));
			assert_int_equal(image.size_bytes, 0x1be000);
			assert_int_equal(image.pid, version ? 3676 : WK_ETL_NO_PID);
			assert_int_equal(image.time_stamp, version >= 2 ? 0x50108f00 : 0);
			assert_text16(image.path, "\\Windows\\ntdll.dll");
			wk_buf_fini(&payload);
		}
}

static void a_sample_tells_where_who_and_in_what(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_sample sample;

	(void)state;
	put(&payload, 0xfffff80021434313, 8);
	put(&payload, 3780, 4);
	put(&payload, 2, 2);
	put(&payload, 0x59, 1);
	assert_true(wk_etl_read_sample(bytes_of(&payload), (struct wk_etl_form){ 2, 8 }, &sample));
	assert_int_equal(sample.address, 0xfffff80021434313);
	assert_int_equal(sample.tid, 3780);
	assert_int_equal(sample.count, 2);
	assert_true(sample.in_dpc);
	assert_false(sample.in_isr);
	wk_buf_fini(&payload);
}

static void stacks_keys_and_definitions_are_read(void **state)
{
	struct wk_etl_form form = { 2, 8 };
	struct wk_buf payload = { 0 };
	struct wk_etl_stack stack;
	struct wk_bytes addresses;
	uint64_t key;

	(void)state;
	put(&payload, 123456, 8);
	put(&payload, 3676, 4);
	put(&payload, 99, 4);
	assert_false(wk_etl_read_stack(bytes_of(&payload), form, true, &stack));
	assert_true(wk_etl_read_stack(bytes_of(&payload), form, false, &stack));
	assert_int_equal(wk_bytes_left(&stack.addresses), 0);
	put(&payload, 0x1000, 8);
	put(&payload, 0x2000, 8);
	put(&payload, 0x30, 3); /* not a whole one */
	assert_true(wk_etl_read_stack(bytes_of(&payload), form, false, &stack));
	assert_int_equal(stack.time, 123456);
	assert_int_equal(stack.pid, 3676);
	assert_int_equal(stack.tid, 99);
	assert_int_equal(wk_bytes_left(&stack.addresses), 16);
	assert_true(wk_etl_read_stack(bytes_of(&payload), form, true, &stack));
	assert_int_equal(stack.key, 0x1000);
	assert_true(wk_etl_read_stack_definition(bytes_of(&payload), form, &key, &addresses));
	assert_int_equal(key, 123456);
	assert_int_equal(wk_bytes_left(&addresses), 24);
	wk_buf_fini(&payload);
}

static void an_image_has_its_pdbs_identity(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_debug_id id;

	(void)state;
	put(&payload, 0x77710000, 8);
	put(&payload, 0, 4);
	for (int i = 0; i < 16; i++)
		put(&payload, 0xa0 + (unsigned)i, 1);
	assert_false(wk_etl_read_debug_id(bytes_of(&payload), (struct wk_etl_form){ 2, 8 }, &id));
	put(&payload, 2, 4);
	put_text8(&payload, "wntdll.pdb");
	assert_true(wk_etl_read_debug_id(bytes_of(&payload), (struct wk_etl_form){ 2, 8 }, &id));
	assert_int_equal(id.base, 0x77710000);
	assert_int_equal(id.age, 2);
	assert_int_equal(id.guid[15], 0xaf);
	assert_text8(id.path, "wntdll.pdb");
	wk_buf_fini(&payload);
}

static void an_image_has_the_key_of_its_file(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_etl_image_id id;

	(void)state;
	put(&payload, 0x77710000, 4);
	put(&payload, 0x19000, 4);
	put(&payload, 12, 4);
	assert_false(wk_etl_read_image_id(bytes_of(&payload), (struct wk_etl_form){ 2, 4 }, &id));
	put(&payload, 0x521ea8e7, 4);
	assert_true(wk_etl_read_image_id(bytes_of(&payload), (struct wk_etl_form){ 2, 4 }, &id));
	assert_int_equal(id.base, 0x77710000);
	assert_int_equal(id.size_bytes, 0x19000);
	assert_int_equal(id.pid, 12);
	assert_int_equal(id.time_stamp, 0x521ea8e7);
	wk_buf_fini(&payload);
}

static void a_method_has_its_range_and_names(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_clr_method method;

	(void)state;
	put(&payload, 1, 8);
	put(&payload, 2, 8);
	put(&payload, 0x7ff812340000, 8);
	put(&payload, 0x80, 4);
	put(&payload, 3, 4);
	put(&payload, 4, 4);
	put_text16(&payload, "System.DateTime");
	put_text16(&payload, "get_Now");
	put_text16(&payload, "class System.DateTime  ()");
	assert_true(wk_clr_read_method(bytes_of(&payload), &method));
	assert_int_equal(method.start, 0x7ff812340000);
	assert_int_equal(method.size_bytes, 0x80);
	assert_text16(method.space, "System.DateTime");
	assert_text16(method.name, "get_Now");
	wk_buf_fini(&payload);
}

static void a_pair_of_texts_may_lack_its_second(void **state)
{
	struct wk_buf payload = { 0 };
	struct wk_bytes first, second;

	(void)state;
	assert_false(wk_etl_read_pair(bytes_of(&payload), &first, &second));
	put_text16(&payload, "\\??\\");
	assert_true(wk_etl_read_pair(bytes_of(&payload), &first, &second));
	assert_text16(first, "\\??\\");
	assert_text16(second, "");
	put_text16(&payload, "C:\\");
	assert_true(wk_etl_read_pair(bytes_of(&payload), &first, &second));
	assert_text16(second, "C:\\");
	wk_buf_fini(&payload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_read_with_either_pointer_size),
		cmocka_unit_test(a_user_behind_a_structure_of_zeros_is_one),
		cmocka_unit_test(a_payload_that_is_cut_is_refused_or_read_as_far_as_it_goes),
		cmocka_unit_test(a_thread_has_its_start_and_its_name),
		cmocka_unit_test(an_image_of_every_version_is_read),
		cmocka_unit_test(a_sample_tells_where_who_and_in_what),
		cmocka_unit_test(stacks_keys_and_definitions_are_read),
		cmocka_unit_test(an_image_has_its_pdbs_identity),
		cmocka_unit_test(an_image_has_the_key_of_its_file),
		cmocka_unit_test(a_method_has_its_range_and_names),
		cmocka_unit_test(a_pair_of_texts_may_lack_its_second),
	};

	return cmocka_run_group_tests_name("etl_payload", tests, NULL, NULL);
}
