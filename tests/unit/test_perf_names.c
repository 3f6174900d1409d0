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

#include "base/buf.h"
#include "base/mem.h"
#include "record/cpus.h"
#include "record/perf_names.h"
#include "record/pmu.h"
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

static void an_event_of_a_unit_lies_between_slashes(void **state)
{
	struct wk_perf_event event = parsed("cpu/event=0x3c,umask=1,edge/u");

	(void)state;
	assert_true(event.is_pmu);
	assert_string_equal(event.system, "cpu");
	assert_string_equal(event.point, "event=0x3c,umask=1,edge");
	assert_true(event.user);
	assert_false(event.kernel);
	event = parsed("uncore_imc_0/cas-count/:k");
	assert_string_equal(event.point, "cas-count");
	assert_false(event.user);
	refused("../x/", "not known");
	refused("cpu/../", "not known");
	refused("cpu/a,/b/", "not known");
	refused("cpu//", "not known");
	refused("cpu/x/z", "modifier \"z\" is not known");
}

static void an_unknown_name_gets_a_suggestion(void **state)
{
	(void)state;
	refused("cpu-clokc", "did you mean \"cpu-clock\"?");
	refused("cyclse:u", "did you mean \"cycles\"?");
	refused("L1-dcache-load-mises", "did you mean \"L1-dcache-load-misses\"?");
	refused("zzzzzzzz", "wick record -e list");
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

static void make_under(const char *root, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (text)
		make_file(path, text);
	else
		assert_int_equal(mkdir(path, 0700), 0);
}

static void add_event(void *context, const char *unit, const char *event)
{
	wk_buf_add_fmt(context, "%s/%s/ ", unit, event);
}

static void expect_config(const char *root, const char *typed, uint64_t config, uint64_t config1)
{
	struct wk_perf_event event = parsed(typed);
	struct wk_err err = { 0 };

	if (!wk_pmu_find(root, &event, &err))
		fail_msg("%s", err.text);
	assert_int_equal(event.type, 4);
	assert_int_equal(event.config, config);
	assert_int_equal(event.config1, config1);
}

static void refuse_config(const char *root, const char *typed, const char *words)
{
	struct wk_perf_event event = parsed(typed);
	struct wk_err err = { 0 };

	assert_false(wk_pmu_find(root, &event, &err));
	if (!strstr(err.text, words))
		fail_msg("expected \"%s\", came \"%s\"", words, err.text);
}

static void the_bits_of_an_event_of_a_unit_are_read_from_its_folder(void **state)
{
	static const char *const entries[][2] = {
		{ "cpu", NULL }, { "cpu/events", NULL }, { "cpu/format", NULL },
		{ "cpu/type", "4\n" }, { "cpu/format/event", "config:0-7,32-35\n" },
		{ "cpu/format/umask", "config:8-15\n" }, { "cpu/format/edge", "config:18\n" },
		{ "cpu/format/ldlat", "config1:0-15\n" }, { "cpu/format/odd", "config:9-70\n" },
		{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu/events/mem-loads.scale", "1\n" }, { "cpu/events/asks", "event=?\n" },
		{ "other", NULL }, { "other/type", "none\n" },
	};
	size_t count = sizeof(entries) / sizeof(entries[0]);
	char root[] = "/tmp/wick-pmu-XXXXXX", path[256];
	struct wk_buf told = { 0 };

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < count; i++)
		make_under(root, entries[i][0], entries[i][1]);
	expect_config(root, "cpu/mem-loads/", 0x1cd, 3);
	expect_config(root, "cpu/event=0xa3c,umask=16,edge/", UINT64_C(0xa0004103c), 0);
	expect_config(root, "cpu/config=0x1c4,config1=7/", 0x1c4, 7);
	refuse_config(root, "cpu/mem-stores/", "cpu knows no \"mem-stores\"");
	refuse_config(root, "cpu/umask=256/", "umask has no room for 0x100");
	refuse_config(root, "cpu/odd/", "odd has no room");
	refuse_config(root, "cpu/asks/", "event=? needs a number");
	refuse_config(root, "cpv/mem-loads/", "nothing called \"cpv\"");
	refuse_config(root, "other/config=1/", "nothing called \"other\"");
	wk_pmu_events_each(root, add_event, &told);
	assert_string_equal(wk_buf_text(&told), "cpu/asks/ cpu/mem-loads/ ");
	wk_buf_fini(&told);
	for (size_t i = count; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", root, entries[i][0]);
		assert_int_equal(remove(path), 0);
	}
	rmdir(root);
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

static void without_a_folder_to_list_no_tracepoint_is_suggested(void **state)
{
	char root[] = "/tmp/wick-tracefs-XXXXXX", path[256];
	struct wk_err err = { 0 };
	uint64_t id;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_false(wk_tracepoint_id_at(root, "sched", "sched_switch", &id, &err));
	assert_non_null(strstr(err.text, "events lists them"));
	make_under(root, "events", NULL);
	make_under(root, "events/sched", "a file");
	err = (struct wk_err){ 0 };
	assert_false(wk_tracepoint_id_at(root, "sched", "sched_switch", &id, &err));
	assert_non_null(strstr(err.text, "events lists them"));
	snprintf(path, sizeof(path), "%s/events/sched", root);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(remove(path), 0);
		*strrchr(path, '/') = '\0';
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
	wk_free(cpus);
	assert_int_equal(wk_cpus_parse(wk_str_c("0"), &cpus), 1);
	wk_free(cpus);
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
		cmocka_unit_test(an_event_of_a_unit_lies_between_slashes),
		cmocka_unit_test(the_bits_of_an_event_of_a_unit_are_read_from_its_folder),
		cmocka_unit_test(an_unknown_name_gets_a_suggestion),
		cmocka_unit_test(a_very_long_name_is_refused),
		cmocka_unit_test(the_number_of_a_tracepoint_is_read_from_its_folder),
		cmocka_unit_test(without_a_folder_to_list_no_tracepoint_is_suggested),
		cmocka_unit_test(a_list_of_cpus_has_ranges_and_single_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
