#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "formats/clr/owners.h"
#include "formats/nettrace/head.h"
#include "formats/nettrace/losses.h"
#include "formats/nettrace/waiting.h"

/* ---- what a method is */

static void threads_wait_in_methods_that_are_known(void **state)
{
	static const char *const waiting[] = {
		"System.Threading.WaitHandle.WaitOneNoCheck", "System.Threading.Thread.Sleep",
		"System.Threading.Monitor.Wait", "Interop+Sys.Read",
		"System.Threading.LowLevelLifoSemaphore.WaitNative", NULL
	};
	static const char *const running[] = {
		"System.Threading.WaitHandle.Dispose", "System.Threading.Thread.SleepWalk",
		"Shop.Thread.Sleep", "System.Threading.Thread.", "", NULL
	};

	(void)state;
	for (const char *const *name = waiting; *name; name++)
		assert_true(wk_nettrace_waits(wk_str_c(*name)));
	for (const char *const *name = running; *name; name++)
		assert_false(wk_nettrace_waits(wk_str_c(*name)));
	assert_true(wk_nettrace_is_stub(wk_str_c("dynamicClass.IL_STUB_PInvoke")));
	assert_false(wk_nettrace_is_stub(wk_str_c("Shop.Program.Main")));
}

static bool is_program(const char *path, const char *method)
{
	struct wk_clr_owners owners = { 0 };
	struct wk_buf utf16 = { 0 };
	bool is;

	for (const char *at = path; *at; at++)
		wk_buf_add_u16(&utf16, (uint8_t)*at);
	wk_clr_owners_add(&owners, 7, 1, wk_bytes_of(utf16.at, utf16.len));
	is = wk_clr_owners_is_program(&owners, 7, 1, wk_str_c(method));
	wk_clr_owners_fini(&owners);
	wk_buf_fini(&utf16);
	return is;
}

static void code_belongs_to_the_program_by_the_path_of_its_module(void **state)
{
	(void)state;
	assert_true(is_program("/srv/shop/Shop.dll", "Shop.Program.Main"));
	assert_true(is_program("/srv/shop/Microsoft.Oven.dll", "Microsoft.Oven.Door.Open"));
	assert_true(is_program("C:\\shop\\Shop.dll", "Shop.Program.Main"));
	assert_false(is_program("/srv/shop/System.Text.Json.dll", "Json.Read"));
	assert_false(
		is_program("/usr/share/dotnet/shared/Microsoft.AspNetCore.App/8.0.1/Kestrel.dll",
			   "Kestrel.Run"));
	assert_false(
		is_program("C:\\Program Files\\dotnet\\shared\\x\\Kestrel.dll", "Kestrel.Run"));
	assert_false(is_program("/srv/shop/Shop.dll", "System.Linq.Enumerable.Sum"));
	assert_true(is_program("InMemory", "Shop.Program.Main"));
	assert_false(is_program("InMemory", "Microsoft.Oven.Door.Open"));
}

/* ---- the head */

static void put_head(struct wk_buf *head, const uint16_t date[8], uint64_t ticks_per_second)
{
	for (size_t i = 0; i < 8; i++)
		wk_buf_add_u16(head, date[i]);
	wk_buf_add_u64(head, 1000);
	wk_buf_add_u64(head, ticks_per_second);
	wk_buf_add_u32(head, 8);
	wk_buf_add_u32(head, 77);
	wk_buf_add_u32(head, 2);
	wk_buf_add_u32(head, 0);
}

static uint64_t wall_of(uint16_t year, uint16_t month, uint16_t day, uint16_t hour)
{
	const uint16_t date[8] = { year, month, 0, day, hour, 1, 2, 3 };
	struct wk_nettrace_head head;
	struct wk_buf bytes = { 0 };

	put_head(&bytes, date, 10000000);
	assert_true(wk_nettrace_head_read(wk_bytes_of(bytes.at, bytes.len), false, &head));
	assert_int_equal(head.pid, 77);
	assert_int_equal(head.interval_ns, 1000000);
	wk_buf_fini(&bytes);
	return head.wall_ns;
}

static void the_date_is_the_time_since_1970(void **state)
{
	(void)state;
	assert_int_equal(wall_of(1970, 1, 1, 0), 62003000000);
	assert_int_equal(wall_of(2000, 2, 29, 0), 951782462003000000);
	assert_int_equal(wall_of(2000, 3, 1, 0), 951868862003000000);
	assert_int_equal(wall_of(2026, 11, 29, 9), 1795942862003000000);
	assert_int_equal(wall_of(2026, 13, 29, 9), 0);
	assert_int_equal(wall_of(1601, 1, 1, 0), 0);
}

static void ticks_become_nanoseconds_from_the_start(void **state)
{
	struct wk_nettrace_head head = { .start = 1000, .ticks_per_second = 10000000 };

	(void)state;
	assert_int_equal(wk_nettrace_ns(&head, 1010), 1000);
	assert_int_equal(wk_nettrace_ns(&head, 1000), 1);
	assert_int_equal(wk_nettrace_ns(&head, 7), 1);
	assert_int_equal(wk_nettrace_ns(&head, UINT64_MAX), INT64_MAX);
}

static void a_head_that_makes_no_sense_is_refused(void **state)
{
	static const uint16_t date[8] = { 2026, 11, 0, 29, 9, 1, 2, 3 };
	struct wk_nettrace_head head;
	struct wk_buf bytes = { 0 };

	(void)state;
	put_head(&bytes, date, 0);
	assert_false(wk_nettrace_head_read(wk_bytes_of(bytes.at, bytes.len), false, &head));
	wk_buf_reset(&bytes);
	put_head(&bytes, date, 1);
	assert_false(wk_nettrace_head_read(wk_bytes_of(bytes.at, bytes.len - 1), false, &head));
	bytes.at[32] = 7; /* bytes of a pointer */
	assert_false(wk_nettrace_head_read(wk_bytes_of(bytes.at, bytes.len), false, &head));
	wk_buf_fini(&bytes);
}

/* ---- losses */

static void gaps_in_the_numbers_of_a_thread_are_losses(void **state)
{
	struct wk_nettrace_losses losses = { 0 };

	(void)state;
	wk_nettrace_losses_add(&losses, 5, 1);
	wk_nettrace_losses_add(&losses, 6, 1);
	wk_nettrace_losses_add(&losses, 5, 2);
	assert_int_equal(losses.lost, 0);
	wk_nettrace_losses_add(&losses, 5, 6);
	assert_int_equal(losses.lost, 3);
	wk_nettrace_losses_add(&losses, 5, 1); /* another thread of that number */
	wk_nettrace_losses_reach(&losses, 5, 1);
	wk_nettrace_losses_reach(&losses, 6, 3);
	wk_nettrace_losses_reach(&losses, 6, 3);
	assert_int_equal(losses.lost, 5);
	wk_nettrace_losses_reach(&losses, 7, 2);
	assert_int_equal(losses.lost, 7);
	wk_nettrace_losses_fini(&losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_wait_in_methods_that_are_known),
		cmocka_unit_test(code_belongs_to_the_program_by_the_path_of_its_module),
		cmocka_unit_test(the_date_is_the_time_since_1970),
		cmocka_unit_test(ticks_become_nanoseconds_from_the_start),
		cmocka_unit_test(a_head_that_makes_no_sense_is_refused),
		cmocka_unit_test(gaps_in_the_numbers_of_a_thread_are_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
