#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "record/cpus.h"
#include "record/perf_names.h"
#include "record/tracefs.h"

static struct wk_perf_event parsed(const char *name)
{
	struct wk_perf_event event;
	struct wk_err err = { 0 };

	if (!wk_perf_name_parse(wk_str_c(name), &event, &err))
		fail_msg("\"%s\" should be known: %s", name, err.text);
	return event;
}

static void refused(const char *name, const char *because)
{
	struct wk_perf_event event;
	struct wk_err err = { 0 };

	assert_false(wk_perf_name_parse(wk_str_c(name), &event, &err));
	assert_int_equal(err.code, WK_EUSAGE);
	if (!strstr(err.text, because))
		fail_msg("expected \"%s\" in: %s", because, err.text);
}

static void names_of_software_and_hardware_events_are_known(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} known[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "LLC-stores", PERF_TYPE_HW_CACHE, 0x102 },
		{ "dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10203 },
		{ "r01c4", PERF_TYPE_RAW, 0x1c4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct wk_perf_event event = parsed(known[i].name);

		assert_int_equal(event.type, known[i].type);
		assert_int_equal(event.config, known[i].config);
		assert_string_equal(event.name, known[i].name);
		assert_true(event.user && event.kernel && event.hypervisor);
		assert_false(event.is_tracepoint);
	}
}

static void the_unit_says_what_weights_count(void **state)
{
	(void)state;
	assert_string_equal(parsed("cpu-clock").unit, "ns");
	assert_true(parsed("task-clock:u").is_cpu_time);
	assert_string_equal(parsed("cycles").unit, "cycles");
	assert_string_equal(parsed("page-faults").unit, "events");
	assert_false(parsed("page-faults").is_cpu_time);
}

static void modifiers_choose_which_code_counts(void **state)
{
	struct wk_perf_event event = parsed("cycles:u");

	(void)state;
	assert_true(event.user);
	assert_false(event.kernel || event.hypervisor);
	event = parsed("instructions:kh");
	assert_false(event.user);
	assert_true(event.kernel && event.hypervisor);
	assert_int_equal(event.precise, 0);
	event = parsed("instructions:upp");
	assert_int_equal(event.precise, 2);
	assert_false(event.kernel);
	event = parsed("branches:P");
	assert_int_equal(event.precise, WK_PERF_PRECISE_MOST);
	assert_true(event.user && event.kernel);
	refused("cycles:x", "modifier \"x\"");
	refused("cycles:pppp", "modifier");
}

static void a_tracepoint_is_a_system_and_a_name(void **state)
{
	struct wk_perf_event event = parsed("sched:sched_switch");

	(void)state;
	assert_true(event.is_tracepoint);
	assert_int_equal(event.type, PERF_TYPE_TRACEPOINT);
	assert_string_equal(event.system, "sched");
	assert_string_equal(event.point, "sched_switch");
	event = parsed("syscalls:sys_enter_read:u");
	assert_string_equal(event.point, "sys_enter_read");
	assert_false(event.kernel);
}

static void a_tracepoint_can_not_name_another_folder(void **state)
{
	(void)state;
	refused("../..:etc", "not known");
	refused("sched:../x", "not known");
	refused("a/b:c", "not known");
	refused("sched:", "not known");
}

static void an_unknown_name_gets_a_suggestion(void **state)
{
	(void)state;
	refused("cpu-clokc", "did you mean \"cpu-clock\"?");
	refused("cyclse:u", "did you mean \"cycles\"?");
	refused("L1-dcache-load-mises", "did you mean \"L1-dcache-load-misses\"?");
	refused("zzzzzzzz", "expected a name such as");
	refused("", "empty");
	refused("rxyz", "not known");
}

static void a_very_long_name_is_refused(void **state)
{
	char name[WK_PERF_NAME_MAX + 1];

	(void)state;
	memset(name, 'a', WK_PERF_NAME_MAX);
	name[WK_PERF_NAME_MAX] = '\0';
	refused(name, "expected fewer");
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void the_number_of_a_tracepoint_is_read_from_its_folder(void **state)
{
	char root[] = "/tmp/wick-tracefs-XXXXXX", path[256];
	struct wk_err err = { 0 };
	uint64_t id = 0;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/events", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/sched", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id", root);
	make_file(path, "314\n");
	assert_true(wk_tracepoint_id_at(root, "sched", "sched_switch", &id, &err));
	assert_int_equal(id, 314);
	assert_false(wk_tracepoint_id_at(root, "sched", "sched_swtich", &id, &err));
	assert_non_null(strstr(err.text, "did you mean \"sched:sched_switch\"?"));
	err = (struct wk_err){ 0 };
	assert_false(wk_tracepoint_id_at(root, "shced", "sched_switch", &id, &err));
	assert_non_null(strstr(err.text, "did you mean \"sched:sched_switch\"?"));
	err = (struct wk_err){ 0 };
	make_file(path, "none");
	assert_false(wk_tracepoint_id_at(root, "sched", "sched_switch", &id, &err));
	assert_int_equal(err.code, WK_ECORRUPT);
	unlink(path);
	for (int i = 0; i < 4; i++) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
}

static void a_list_of_cpus_has_ranges_and_single_ones(void **state)
{
	uint32_t *cpus;

	(void)state;
	assert_int_equal(wk_cpus_parse(wk_str_c("0-2,5,8-9\n"), &cpus), 6);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], 5);
	assert_int_equal(cpus[5], 9);
	free(cpus);
	assert_int_equal(wk_cpus_parse(wk_str_c("0"), &cpus), 1);
	free(cpus);
	assert_int_equal(wk_cpus_parse(wk_str_c(""), &cpus), 0);
	assert_int_equal(wk_cpus_parse(wk_str_c("3-"), &cpus), 0);
	assert_int_equal(wk_cpus_parse(wk_str_c("0-99999999999"), &cpus), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_software_and_hardware_events_are_known),
		cmocka_unit_test(the_unit_says_what_weights_count),
		cmocka_unit_test(modifiers_choose_which_code_counts),
		cmocka_unit_test(a_tracepoint_is_a_system_and_a_name),
		cmocka_unit_test(a_tracepoint_can_not_name_another_folder),
		cmocka_unit_test(an_unknown_name_gets_a_suggestion),
		cmocka_unit_test(a_very_long_name_is_refused),
		cmocka_unit_test(the_number_of_a_tracepoint_is_read_from_its_folder),
		cmocka_unit_test(a_list_of_cpus_has_ranges_and_single_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
