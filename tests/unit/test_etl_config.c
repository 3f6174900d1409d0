#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "etl_configs.h"
#include "event/sink.h"
#include "formats/etl/config/facts.h"
#include "formats/etl/config/sid.h"
#include "formats/etl/trace.h"
#include "formats/reader.h"

/* What the reader told: facts as "section|key|value" lines, processes and threads by their names,
 * notes. */
struct told {
	struct wk_buf facts, names, notes;
};

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct told *told = context;

	(void)err;
	if (event->kind == WK_EVENT_SYSTEM) {
		wk_buf_add_str(&told->facts, event->system.section);
		wk_buf_add_char(&told->facts, '|');
		wk_buf_add_str(&told->facts, event->system.key);
		wk_buf_add_char(&told->facts, '|');
		wk_buf_add_str(&told->facts, event->system.value);
		wk_buf_add_char(&told->facts, '\n');
	} else if (event->kind == WK_EVENT_PROCESS) {
		wk_buf_add_fmt(&told->names, "process %u ", event->pid);
		wk_buf_add_str(&told->names, event->process.name);
		wk_buf_add_char(&told->names, '|');
		wk_buf_add_str(&told->names, event->process.services);
		wk_buf_add_char(&told->names, '\n');
	} else if (event->kind == WK_EVENT_THREAD) {
		wk_buf_add_fmt(&told->names, "thread %u ", event->tid);
		wk_buf_add_str(&told->names, event->thread.name);
		wk_buf_add_char(&told->names, '\n');
	} else if (event->kind == WK_EVENT_NOTE) {
		wk_buf_add_str(&told->notes, event->note.text);
	}
	return true;
}

static void tell(const struct etl_maker *m, struct told *told)
{
	struct wk_input input = { .bytes = etl_bytes(m), .name = "made.etl" };
	struct wk_sink sink = { .take = take, .context = told };
	struct wk_err err = { 0 };

	*told = (struct told){ 0 };
	if (!wk_reader_etl.read(&input, &sink, &err))
		fail_msg("%s", err.text);
}

static void forget(struct etl_maker *m, struct told *told)
{
	wk_buf_fini(&told->facts);
	wk_buf_fini(&told->names);
	wk_buf_fini(&told->notes);
	etl_fini(m);
}

static void assert_fact(struct told *told, const char *line)
{
	char whole[400];

	snprintf(whole, sizeof(whole), "%s\n", line);
	if (!strstr(wk_buf_text(&told->facts), whole))
		fail_msg("expected %sin:\n%s", whole, wk_buf_text(&told->facts));
}

static void the_machine_is_told(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;

	(void)state;
	etl_whole_config(&m);
	tell(&m, &told);
	assert_string_equal(wk_buf_text(&told.notes), "");
	assert_fact(&told, "|system|Windows 8 Pro, build 7601");
	assert_fact(&told, "|cpu|Some CPU");
	assert_fact(&told, "|cpus|4");
	assert_fact(&told, "|memory|4294967296");
	assert_fact(&told, "|host name|BOX");
	assert_fact(&told, "|domain|HOME");
	assert_fact(&told, "|architecture|ARM64");
	assert_fact(&told, "|memory MHz|3200");
	assert_fact(&told, "|version|10.0.22000.4660");
	assert_fact(&told, "|device family|desktop");
	assert_fact(&told, "|machine id|89abcdef-4567-0123-efcd-ab8967452301");
	assert_fact(&told, "|build lab|22621.1.amd64fre");
	assert_fact(&told, "|installed|2019-04-17 18:40:00.000 UTC");
	assert_fact(&told, "platform|manufacturer|Maker");
	assert_fact(&told, "platform|product|Product");
	assert_fact(&told, "platform|BIOS date|01/02/2024");
	assert_fact(&told, "platform|BIOS version|F1");
	assert_fact(&told, "platform|code integrity|on, test-signed code allowed (0x3)");
	assert_fact(&told, "platform|update id|UPDATE.1");
	assert_fact(&told, "platform|flights|RS:1");
	assert_fact(&told,
		    "platform|virtualization|security on, code integrity off, hypervisor on");
	assert_fact(&told, "platform|firmware|UEFI, secure boot on");
	assert_fact(&told, "power|sleep states|S3, S4 (hibernate)");
	assert_fact(&told, "display|dots an inch|96, the user's 144");
	assert_fact(&told, "processors|cpu 1|Some CPU, 3000 MHz, Family 6");
	assert_fact(&told, "processors|NUMA node 0|4 processors (mask 0xf)");
	assert_fact(&told, "processors|processor group 0|3 processors (mask 0x7)");
	assert_fact(&told, "processors|processor group 1|1 processor (mask 0x1)");
	assert_fact(&told, "processors|numbered|2 in 2 groups");
	forget(&m, &told);
}

static void what_is_in_and_at_it_is_told(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;

	(void)state;
	etl_whole_config(&m);
	tell(&m, &told);
	assert_fact(&told, "display|adapter|A card");
	assert_fact(&told, "display|resolution|1920 x 1080, 32 bits, 60 Hz");
	assert_fact(&told, "disk 7|model|A disk");
	assert_fact(&told, "disk 7|size|7.7 GiB (8225280000 bytes)");
	assert_fact(&told, "disk 7|partitions|2");
	assert_fact(&told, "disk 7|write cache|on");
	assert_fact(&told, "disk 7|boot drive|C");
	assert_fact(&told, "volume E:|file system|NTFS");
	assert_fact(&told, "volume E:|size|1.0 GiB (1073741824 bytes)");
	assert_fact(&told, "volume E:|free|3.9 MiB (4096000 bytes)");
	assert_fact(&told, "volume E:|location|disk 7, partition 2, from byte 4096");
	assert_fact(&told, "optical drive F:|model|A reader");
	assert_fact(&told, "optical drive F:|maker|Its maker");
	assert_fact(&told, "paths|system folder|C:\\Windows\\system32");
	assert_fact(&told, "paths|\\Device\\HarddiskVolume9\\|(no drive letter)");
	assert_fact(&told, "paths|\\Device\\HarddiskVolume3\\|C:\\");
	assert_fact(&told, "network adapter 9|name|A network card");
	assert_fact(&told, "network adapter 9|hardware address|11-22-33-44-55-66");
	assert_fact(&told, "network adapter 9|addresses|fe80::1, 10.0.0.2");
	assert_fact(&told, "network|highest port|5000");
	assert_fact(&told, "network interfaces|Ethernet|Some card, up, 54.0 Mbit/s");
	assert_null(strstr(wk_buf_text(&told.facts), "Filter-0000"));
	assert_fact(&told, "IDE channels|Channel 1|target 1, optical media, timing 0x410");
	assert_fact(&told, "interrupts|message 4|PCI\\VEN_1");
	assert_fact(&told, "devices|My thing|problem 28; driver thingdrv; A thing; PCI\\VEN_1");
	forget(&m, &told);
}

static void the_trace_tells_of_itself(void **state)
{
	struct etl_maker m = { .buffers_lost = 5 };
	struct told told;

	(void)state;
	etl_whole_config(&m);
	tell(&m, &told);
	assert_fact(&told, "trace|session|Made");
	assert_fact(&told, "trace|begin|2019-04-17 18:40:00.000 UTC");
	assert_fact(&told, "trace|machine started|2016-02-15 08:53:20.000 UTC");
	assert_fact(&told, "trace|lasted|9.000 s");
	assert_fact(&told, "trace|time zone|UTC+01:00, without daylight saving");
	assert_fact(&told, "trace|log mode|sequential");
	assert_fact(&told, "trace|lost|0 events, 5 buffers");
	assert_fact(&told, "trace|kernel events|processes, threads, images, process counters, "
			   "disk I/O, file names, disk I/O starts, hard faults, network, samples, "
			   "flags 0xa0000000, flags 0x60000005");
	forget(&m, &told);
}

static void what_windows_assessed_is_told(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;

	(void)state;
	etl_whole_config(&m);
	tell(&m, &told);
#ifndef WK_HAS_EXPAT
	if (!strstr(wk_buf_text(&told.facts), "WinSAT")) {
		print_message("built without expat\n");
		forget(&m, &told);
		skip();
	}
#endif
	assert_fact(&told, "assessment (WinSAT)|mainboard|A board");
	assert_fact(&told, "assessment (WinSAT)|memory|1.0 KiB (1024 bytes)");
	assert_fact(&told, "assessment (WinSAT)|graphics driver|31.0");
	assert_fact(&told, "assessment (WinSAT)|score of the system|9.05");
	forget(&m, &told);
}

static void of_several_assessments_of_a_kind_the_first_is_used(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;

	(void)state;
	etl_begin_file(&m);
	/* Too large for so few bytes: not read, so it is not the first. */
	etl_assessment_of_size(&m, 33, "<WinSPR><SystemScore>1.0</SystemScore></WinSPR>", 100000);
	etl_assessment(&m, 33, "<WinSPR><SystemScore>9.05</SystemScore></WinSPR>");
	etl_assessment(&m, 35,
		       "<Metrics><MemoryMetrics><Bandwidth>17</Bandwidth></MemoryMetrics>"
		       "</Metrics>");
	etl_assessment(&m, 33, "<WinSPR><SystemScore>1.0</SystemScore></WinSPR>");
	etl_end_buffer(&m, 0);
	tell(&m, &told);
#ifndef WK_HAS_EXPAT
	if (!strstr(wk_buf_text(&told.facts), "WinSAT")) {
		print_message("built without expat\n");
		forget(&m, &told);
		skip();
	}
#endif
	assert_fact(&told, "assessment (WinSAT)|score of the system|9.05");
	assert_fact(&told, "assessment (WinSAT)|memory bandwidth, MB/s|17");
	assert_null(strstr(wk_buf_text(&told.facts), "1.0"));
	forget(&m, &told);
}

static void services_name_their_processes_and_threads(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf p = { 0 };
	struct told told;

	(void)state;
	etl_begin_file(&m);
	etl_service(&m, 100, 4, 55, "Dhcp", "Address service");
	etl_service(&m, 100, 4, 56, "Themes", "Looks");
	etl_service(&m, 0, 1, 57, "Fax", "");
	etl_process(&m, 0x0304, ETL_MS, 100, 4, 0x103, "svchost.exe");
	for (uint32_t i = 0; i < 2; i++) {
		put(&p, 100, 4);
		put(&p, 101 + i, 4);
		put(&p, 0, 56);
		put(&p, 55, 4);
		put(&p, 0, 4);
		put_text16(&p, i ? "own name" : "");
		etl_kernel(&m, 3, 0x0504, ETL_MS, &p);
		wk_buf_reset(&p);
	}
	etl_end_buffer(&m, 0);
	tell(&m, &told);
	assert_fact(&told, "services|Dhcp|running in process 100 (host.exe): Address service");
	assert_fact(&told, "services|Fax|stopped");
	assert_string_equal(wk_buf_text(&told.names), "process 100 svchost.exe|Themes, Dhcp\n"
						      "thread 101 service Dhcp\n"
						      "thread 102 own name\n");
	wk_buf_fini(&p);
	forget(&m, &told);
}

/* A trace could have each of its processes tell all of them, again and again. */
static void only_so_many_services_of_a_process_are_told(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;
	size_t commas = 0;

	(void)state;
	m.buffer_bytes = 32768;
	etl_begin_file(&m);
	for (uint32_t i = 0; i < 100; i++)
		etl_service(&m, 100, 4, i, "x", "");
	etl_process(&m, 0x0304, 50 * ETL_MS, 100, 4, 0x103, "svchost.exe");
	etl_end_buffer(&m, 0);
	tell(&m, &told);
	for (const char *at = wk_buf_text(&told.names); *at; at++)
		commas += *at == ',';
	assert_int_equal(commas, 64);
	assert_non_null(strstr(wk_buf_text(&told.names), "x, ...\n"));
	forget(&m, &told);
}

/* Older kernels keep fifteen bytes of a name. */
static void a_name_that_was_cut_is_whole_again(void **state)
{
	struct etl_maker m = { 0 };
	struct told told;

	(void)state;
	etl_begin_file(&m);
	etl_process(&m, 0x0304, ETL_MS, 100, 4, 0x103, "averylongprogra");
	etl_image(&m, 0x1404, ETL_MS, 100, 0x10000, "\\Windows\\AVeryLongProgram.EXE");
	etl_image(&m, 0x1404, ETL_MS, 100, 0x20000, "\\Windows\\averylongprogra-other.exe");
	etl_process(&m, 0x0304, ETL_MS, 200, 4, 0x103, "averylongprogra");
	etl_process(&m, 0x0304, ETL_MS, 300, 4, 0x103, "short.exe");
	etl_image(&m, 0x1404, ETL_MS, 300, 0x10000, "\\Windows\\short.exe.exe");
	etl_end_buffer(&m, 0);
	tell(&m, &told);
	assert_string_equal(wk_buf_text(&told.names), "process 100 AVeryLongProgram.EXE|\n"
						      "process 200 averylongprogra|\n"
						      "process 300 short.exe|\n");
	forget(&m, &told);
}

static void records_that_are_too_short_are_counted(void **state)
{
	static const uint16_t hooks[] = { 0x0005, 0x0b0a, 0x0b0b, 0x0b0c, 0x0b0d, 0x0b0e, 0x0b0f,
					  0x0b10, 0x0b16, 0x0b18, 0x0b19, 0x0b1a, 0x0b1b, 0x0b1c,
					  0x0b1d, 0x0b1e, 0x0b21, 0x0b22, 0x0b23, 0x0b24, 0x0b25 };
	enum { COUNT = sizeof(hooks) / sizeof(hooks[0]) };
	struct etl_maker m = { 0 };
	struct wk_buf p = { 0 };
	struct told told;
	char words[80];

	(void)state;
	put(&p, 1, 1);
	etl_begin_file(&m);
	for (size_t i = 0; i < COUNT; i++)
		etl_kernel(&m, 5, hooks[i], ETL_MS, &p);
	etl_end_buffer(&m, 0);
	tell(&m, &told);
	snprintf(words, sizeof(words), "%d records are too short for their fields", COUNT);
	assert_string_equal(wk_buf_text(&told.notes), words);
	wk_buf_fini(&p);
	forget(&m, &told);
}

/* Counts that would read beyond a record, sizes that do not fit in 64 bits. */
static void claims_are_held_to_what_is_there(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_buf p = { 0 };
	struct told told;

	(void)state;
	etl_begin_file(&m);
	put(&p, UINT32_MAX, 4);
	put(&p, 1, 16);
	etl_kernel(&m, 2, 0x0b18, ETL_MS, &p);
	wk_buf_reset(&p);
	put(&p, 1, 4); /* a packed text of 4 GiB */
	put(&p, UINT32_MAX, 4);
	put(&p, 0, 4);
	etl_classic(&m, &etl_winsat, 37, 0, &p);
	wk_buf_reset(&p);
	put(&p, 0, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, UINT64_MAX, 8);
	put(&p, 0, 16);
	put_field16(&p, "Huge", 512);
	put(&p, 0, 16);
	etl_kernel(&m, 2, 0x0b0b, ETL_MS, &p);
	etl_end_buffer(&m, 0);
	tell(&m, &told);
	assert_fact(&told, "disk 0|model|Huge");
	assert_null(strstr(wk_buf_text(&told.facts), "disk 0|size"));
	assert_null(strstr(wk_buf_text(&told.facts), "NUMA"));
	wk_buf_fini(&p);
	forget(&m, &told);
}

static uint8_t corrected_width(enum wk_etl_kind kind, uint16_t version, wk_etl_fits *fits,
			       const struct wk_buf *payload)
{
	struct wk_etl_record record = { .kind = kind, .version = version, .pointer_bytes = 4,
					.payload = bytes_of(payload) };

	wk_etl_hook_set_width(&(struct wk_etl_hook){ .fits = fits }, &record);
	return record.pointer_bytes;
}

/* A 32-bit program logs what a 64-bit kernel would, under a header of 32 bits. */
static void records_that_fit_only_the_other_width_have_it(void **state)
{
	struct wk_buf p = { 0 };

	(void)state;
	for (size_t pointer = 4; pointer <= 8; pointer += 4) {
		put(&p, 0x1160000, pointer);
		put(&p, 0x19e000, pointer);
		put(&p, 7644, 4);
		put_text16(&p, "\\app.exe");
		assert_int_equal(corrected_width(WK_ETL_CLASSIC, 1, wk_etl_image_fits, &p),
				 pointer);
		assert_int_equal(corrected_width(WK_ETL_KERNEL, 1, wk_etl_image_fits, &p), 4);
		wk_buf_reset(&p);
		put(&p, 0, pointer);
		put(&p, 1776, 4);
		put(&p, 988, 4);
		put(&p, 1, 4);
		put(&p, 0x103, 4);
		put(&p, 0, 2 * pointer);
		put_sid(&p);
		put_text8(&p, "app.exe");
		put_text16(&p, "app.exe -x");
		assert_int_equal(corrected_width(WK_ETL_CLASSIC, 2, wk_etl_process_fits, &p),
				 pointer);
		wk_buf_reset(&p);
	}
	wk_buf_fini(&p);
}

static void assert_sid(const char *expected, const uint8_t *bytes, size_t len)
{
	struct wk_buf text = { 0 };

	wk_etl_sid_add(&text, wk_bytes_of(bytes, len));
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void users_have_the_names_that_every_machine_knows(void **state)
{
	static const uint8_t system[] = { 1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0 };
	static const uint8_t local[] = { 1, 1, 0, 0, 0, 0, 0, 5, 19, 0, 0, 0 };
	static const uint8_t network[] = { 1, 1, 0, 0, 0, 0, 0, 5, 20, 0, 0, 0, 99 };
	static const uint8_t admins[] = { 1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0 };
	static const uint8_t everyone[] = { 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
	static const uint8_t manager[] = { 1, 3, 0, 0, 0, 0, 0, 5, 90, 0,
					   0, 0, 0, 0, 0, 0, 2, 0, 0,  0 };
	static const uint8_t older[] = { 1, 2, 0, 0, 0, 0, 0, 5, 90, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t fonts[] = {
		1, 3, 0, 0, 0, 0, 0, 5, 96, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0
	};

	(void)state;
	assert_sid("SYSTEM", system, sizeof(system));
	assert_sid("LOCAL SERVICE", local, sizeof(local));
	assert_sid("NETWORK SERVICE", network, sizeof(network));
	assert_sid("Administrators", admins, sizeof(admins));
	assert_sid("Everyone", everyone, sizeof(everyone));
	assert_sid("DWM-2", manager, sizeof(manager));
	assert_sid("DWM-1", older, sizeof(older));
	assert_sid("UMFD-1", fonts, sizeof(fonts));
}

static void other_users_are_numbers(void **state)
{
	static const uint8_t person[] = { 1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
					  0xff, 0xff, 0xff, 0xff, 0xe9, 3, 0, 0 };
	static const uint8_t nothing[] = { 1, 0, 0, 0, 0, 0, 0, 5 };
	static const uint8_t high[] = { 1, 1, 1, 0, 0, 0, 0, 5, 18, 0, 0, 0 };

	(void)state;
	assert_sid("S-1-5-21-1-2-4294967295-1001", person, sizeof(person));
	assert_sid("S-1-5", nothing, sizeof(nothing));
	assert_sid("S-1-0x10000000005-18", high, sizeof(high));
}

static void what_is_no_user_has_no_name(void **state)
{
	static const uint8_t revision[] = { 2, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0 };
	static const uint8_t many[80] = { 1, 16, 0, 0, 0, 0, 0, 5 };
	static const uint8_t cut[] = { 1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0 };

	(void)state;
	assert_sid("", revision, sizeof(revision));
	assert_sid("", many, sizeof(many));
	assert_sid("", cut, sizeof(cut));
	assert_sid("", cut, 0);
}

static void assert_date(uint64_t since_1601, const char *expected)
{
	struct wk_buf text = { 0 };

	wk_etl_date_add(&text, since_1601);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void dates_are_those_of_the_calendar(void **state)
{
	(void)state;
	assert_date(1, "1601-01-01 00:00:00.000 UTC");
	assert_date(116444736000000000, "1970-01-01 00:00:00.000 UTC");
	assert_date(125963423990000000, "2000-02-29 23:59:59.000 UTC");
	assert_date(132404548206236160, "2020-07-29 00:07:00.623 UTC");
	assert_date(2650467743999999999, "9999-12-31 23:59:59.999 UTC");
	assert_date(2650467744000000000, "");
	assert_date(UINT64_MAX, "");
	assert_date(0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_told),
		cmocka_unit_test(what_is_in_and_at_it_is_told),
		cmocka_unit_test(the_trace_tells_of_itself),
		cmocka_unit_test(what_windows_assessed_is_told),
		cmocka_unit_test(of_several_assessments_of_a_kind_the_first_is_used),
		cmocka_unit_test(services_name_their_processes_and_threads),
		cmocka_unit_test(only_so_many_services_of_a_process_are_told),
		cmocka_unit_test(a_name_that_was_cut_is_whole_again),
		cmocka_unit_test(records_that_are_too_short_are_counted),
		cmocka_unit_test(claims_are_held_to_what_is_there),
		cmocka_unit_test(records_that_fit_only_the_other_width_have_it),
		cmocka_unit_test(users_have_the_names_that_every_machine_knows),
		cmocka_unit_test(other_users_are_numbers),
		cmocka_unit_test(what_is_no_user_has_no_name),
		cmocka_unit_test(dates_are_those_of_the_calendar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
