/* What `wick doctor` makes of the facts about a machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/probe.h"
#include "session/doctor/doctor.h"

#define MIB ((uint64_t)1 << 20)

static void large_buffers_are_good(void **state)
{
	struct wk_record_probe probe = { .ring_bytes = 2 * MIB, .wanted_ring_bytes = 4 * MIB };
	struct wk_findings findings = { 0 };

	(void)state;
	wk_doctor_buffers(&findings, &probe);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.at[0].grade, WK_GRADE_GOOD);
	assert_non_null(strstr(findings.at[0].text, "2.0 MiB"));
	wk_findings_fini(&findings);
}

/* The kernel counts a page in front of the buffer, which has up to 64 KiB. */
static void a_quarter_of_the_buffer_is_too_small_and_the_fix_is_enough_for_all(void **state)
{
	struct wk_record_probe probe = { .ring_bytes = MIB, .wanted_ring_bytes = 4 * MIB };
	struct wk_findings findings = { 0 };
	const char *limit;

	(void)state;
	wk_doctor_buffers(&findings, &probe);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.at[0].grade, WK_GRADE_WARN);
	assert_non_null(strstr(findings.at[0].text, "1.0 MiB"));
	limit = strchr(findings.at[0].fix, '=');
	assert_non_null(limit);
	assert_in_range(strtoull(limit + 1, NULL, 10), 4096 + 64, 2 * 4096);
	wk_findings_fini(&findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_buffers_are_good),
		cmocka_unit_test(
			a_quarter_of_the_buffer_is_too_small_and_the_fix_is_enough_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
