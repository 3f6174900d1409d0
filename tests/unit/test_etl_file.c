/* The container of .etl on files that etl_maker.h makes: what no real file at hand has (clocks,
 * other packings, headers of Windows 7, circular files, rare records), and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text/utf16.h"
#include "etl_maker.h"
#include "os/os.h"

static struct wk_etl_file *open_made(const struct etl_maker *m)
{
	struct wk_bytes bytes = etl_bytes(m);
	struct wk_err err = { 0 };
	struct wk_etl_file *etl = wk_etl_open(&bytes, NULL, 1, 1, &err);

	if (!etl)
		print_message("%s\n", err.text);
	assert_non_null(etl);
	return etl;
}

static void close_made(struct wk_etl_file *etl, struct etl_maker *m)
{
	wk_etl_close(etl);
	etl_fini(m);
}

/* Reads all; the payloads of samples as text, in order: their first byte each. */
static size_t told(struct wk_etl_file *etl, char *text)
{
	struct wk_etl_record r;
	size_t count = 0;

	while (wk_etl_next(etl, &r)) {
		if (r.kind == WK_ETL_KERNEL && r.hook == 0x0f2e)
			text[count++] = (char)*r.payload.at;
	}
	text[count] = '\0';
	return count;
}

static void assert_told(struct wk_etl_file *etl, const char *expected)
{
	char text[200];

	told(etl, text);
	assert_string_equal(text, expected);
}

/* The only record behind the header. */
static struct wk_etl_record one_record(struct wk_etl_file *etl)
{
	struct wk_etl_record r;

	assert_true(wk_etl_next(etl, &r));
	assert_int_equal(r.hook, 0);
	assert_true(wk_etl_next(etl, &r));
	return r;
}

static bool no_damage(const struct wk_etl_damage *d)
{
	return d->broken_buffers + d->cut_buffers + d->broken_records + d->backward_records == 0;
}

static void make_three_buffers(struct etl_maker *m)
{
	etl_begin_file(m);
	etl_sample(m, ETL_T0 + 10, 'a');
	etl_sample(m, ETL_T0 + 40, 'd');
	etl_end_buffer(m, 1);
	etl_sample(m, ETL_T0 + 20, 'b');
	etl_sample(m, ETL_T0 + 30, 'c');
	etl_end_buffer(m, 2);
	etl_sample(m, ETL_T0 + 50, 'e');
	etl_end_buffer(m, 1);
}

static void processors_are_merged_by_time(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	etl = open_made(&m);
	assert_int_equal(wk_etl_buffer_count(etl), 4);
	assert_told(etl, "abcde");
	wk_etl_rewind(etl);
	assert_told(etl, "abcde");
	assert_true(no_damage(wk_etl_damage(etl)));
	assert_int_equal(wk_etl_damage(etl)->first_offset, WK_NOWHERE);
	close_made(etl, &m);
}

static void every_packing_gives_the_same_records(void **state)
{
	(void)state;
	for (unsigned packing = 2; packing <= 4; packing++) {
		struct etl_maker m = { .packing = packing };
		struct wk_etl_file *etl;

		make_three_buffers(&m);
		etl = open_made(&m);
		assert_true(wk_etl_header(etl)->is_packed);
		assert_told(etl, "abcde");
		assert_true(no_damage(wk_etl_damage(etl)));
		close_made(etl, &m);
	}
}

static void a_packing_that_is_not_known_is_named(void **state)
{
	struct etl_maker m = { .packing = 7, .mode = 0x4000000 };
	struct wk_err err = { 0 };
	struct wk_bytes bytes;

	(void)state;
	etl_begin_file(&m);
	bytes = etl_bytes(&m);
	assert_null(wk_etl_open(&bytes, NULL, 1, 1, &err));
	assert_non_null(strstr(err.text, "packed in way 7"));
	etl_fini(&m);
}

static void the_header_says_when_and_where(void **state)
{
	struct etl_maker m = { .events_lost = 12, .buffers_lost = 5, .cpu_mhz = 2400,
			       .mode = 0x10002 };
	struct wk_buf session = { 0 };
	const struct wk_etl_header *h;
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	etl = open_made(&m);
	h = wk_etl_header(etl);
	assert_int_equal(h->buffer_bytes, ETL_BUFFER_BYTES);
	assert_int_equal(h->os_major, 6);
	assert_int_equal(h->os_minor, 1);
	assert_int_equal(h->os_build, 7601);
	assert_int_equal(h->processors, 4);
	assert_int_equal(h->pointer_bytes, 8);
	assert_true(h->boot_time == 131000000000000000);
	assert_true(h->start_time == 132000000000000000);
	assert_true(h->end_time == 132000000090000000);
	assert_int_equal(h->first_tick, ETL_T0);
	assert_int_equal(h->timer_100ns, 156250);
	assert_int_equal(h->cpu_mhz, 2400);
	assert_int_equal(h->events_lost, 12);
	assert_int_equal(h->buffers_lost, 5);
	assert_int_equal(h->time_zone_minutes, -60);
	assert_true(h->is_merged && h->is_circular && !h->is_packed);
	wk_utf16_add(&session, h->session, false);
	assert_string_equal(session.at, "Made");
	wk_buf_reset(&session);
	wk_utf16_add(&session, h->file, false);
	assert_string_equal(session.at, "made.etl");
	wk_buf_fini(&session);
	close_made(etl, &m);
}

static uint64_t ns_of(struct etl_maker *m, uint64_t ticks)
{
	struct wk_etl_file *etl;
	uint64_t ns;

	etl_begin_file(m);
	etl = open_made(m);
	ns = wk_etl_ns(etl, ETL_T0 + ticks);
	assert_int_equal(wk_etl_ns(etl, ETL_T0), 0);
	assert_int_equal(wk_etl_ns(etl, 5), 0);
	close_made(etl, m);
	return ns;
}

static void every_clock_makes_nanoseconds(void **state)
{
	(void)state;
	assert_int_equal(ns_of(&(struct etl_maker){ .frequency = 2337949 }, 2337949), 1000000000);
	assert_int_equal(ns_of(&(struct etl_maker){ .frequency = 10000000 }, 3), 300);
	assert_int_equal(ns_of(&(struct etl_maker){ .clock = 2, .frequency = 2337949 }, 15), 1500);
	assert_int_equal(ns_of(&(struct etl_maker){ .clock = 3, .cpu_mhz = 2000 }, 3000), 1500);
	/* a clock that says nothing of itself */
	assert_int_equal(ns_of(&(struct etl_maker){ .clock = 3 }, 15), 1500);
	assert_true(ns_of(&(struct etl_maker){ .clock = 3, .cpu_mhz = 4000000000u }, 40000) == 0);
	assert_true(ns_of(&(struct etl_maker){ .frequency = 1 }, UINT64_MAX / 2) == UINT64_MAX);
}

static void a_file_of_windows_7_of_32_bits_is_read(void **state)
{
	struct etl_maker m = { .is_32_bit = true, .is_windows_7 = true, .frequency = 2337949 };
	struct wk_etl_record r;
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	etl_sample(&m, ETL_T0 + 10, 'a');
	etl_end_buffer(&m, 3);
	etl = open_made(&m);
	assert_int_equal(wk_etl_header(etl)->pointer_bytes, 4);
	assert_int_equal(wk_etl_header(etl)->ticks_per_second, 2337949);
	r = one_record(etl);
	assert_int_equal(r.cpu, 3);
	assert_int_equal(r.pointer_bytes, 4);
	assert_int_equal(r.hook, 0x0f2e);
	assert_true(no_damage(wk_etl_damage(etl)));
	close_made(etl, &m);
}

/* A file with what `add` makes, behind its header. */
static struct wk_etl_file *open_with(struct etl_maker *m, void (*add)(struct etl_maker *m))
{
	etl_begin_file(m);
	add(m);
	etl_end_buffer(m, 1);
	return open_made(m);
}

static void add_compact(struct etl_maker *m)
{
	size_t at = etl_system(m, 4, 0x0524, ETL_T0 + 5);

	wk_buf_add_u32(&m->records, 1234);
	etl_end(m, at, 4);
}

static void a_compact_header_has_its_thread_and_no_times(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_compact);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.kind, WK_ETL_KERNEL);
	assert_int_equal(r.hook, 0x0524);
	assert_int_equal(r.opcode, 0x24);
	assert_int_equal(r.tid, 77);
	assert_int_equal(r.pid, 66);
	assert_int_equal(r.time, ETL_T0 + 5);
	assert_int_equal(wk_bytes_left(&r.payload), 4);
	assert_int_equal(wk_u32le(&r.payload), 1234);
	close_made(etl, &m);
}

static void add_counters(struct etl_maker *m)
{
	size_t at = etl_perf_info(m, 17, 0x8202, 0x0f2e, ETL_T0 + 5);

	wk_buf_add_u64(&m->records, 100);
	wk_buf_add_u64(&m->records, 200);
	wk_buf_add_u64(&m->records, 300);
	wk_buf_add_u64(&m->records, 'p');
	etl_end(m, at, 4);
}

static void counters_stand_before_the_payload(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_counters);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.version, 2);
	assert_int_equal(r.tid, WK_ETL_NO_THREAD);
	assert_int_equal(r.item_count, 2);
	assert_int_equal(r.items[0].type, WK_ETL_ITEM_PEBS);
	assert_int_equal(wk_u64le(&r.items[0].data), 100);
	assert_int_equal(r.items[1].type, WK_ETL_ITEM_COUNTERS);
	assert_int_equal(wk_bytes_left(&r.items[1].data), 16);
	assert_int_equal(wk_u64le(&r.items[1].data), 200);
	assert_int_equal(wk_u64le(&r.payload), 'p');
	close_made(etl, &m);
}

static void add_classic(struct etl_maker *m)
{
	size_t at = etl_event(m, 10, 0x00020403, ETL_T0 + 5);

	etl_zeros(&m->records, 8);
	wk_buf_add_u16(&m->records, 99);
	etl_end(m, at, 0);
}

static void a_classic_event_has_provider_type_level_and_version(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_classic);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.kind, WK_ETL_CLASSIC);
	assert_int_equal(r.pointer_bytes, 4);
	assert_int_equal(r.opcode, 3);
	assert_int_equal(r.level, 4);
	assert_int_equal(r.version, 2);
	assert_int_equal(r.provider.a, 0x13121110);
	assert_int_equal(r.provider.b, 0x1514);
	assert_int_equal(r.provider.d[7], 0x1f);
	assert_int_equal(wk_bytes_left(&r.payload), 2);
	close_made(etl, &m);
}

static void add_instance(struct etl_maker *m)
{
	size_t at = etl_event(m, 21, 0x00020403, ETL_T0 + 5);

	etl_zeros(&m->records, 8);
	wk_buf_add_u32(&m->records, 501);
	wk_buf_add_u32(&m->records, 502);
	etl_zeros(&m->records, 16);
	wk_buf_add_u16(&m->records, 99);
	etl_end(m, at, 0);
}

static void an_instance_header_gives_its_ids_as_an_item(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_instance);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.kind, WK_ETL_CLASSIC);
	assert_int_equal(r.opcode, 3);
	assert_int_equal(r.item_count, 1);
	assert_int_equal(r.items[0].type, WK_ETL_ITEM_INSTANCE);
	assert_int_equal(wk_u32le(&r.items[0].data), 501);
	assert_int_equal(wk_bytes_left(&r.items[0].data), 20);
	assert_int_equal(wk_u16le(&r.payload), 99);
	close_made(etl, &m);
}

static void add_item(struct etl_maker *m, uint16_t type, bool has_more, const char *data)
{
	size_t len = strlen(data);

	wk_buf_add_u16(&m->records, (uint16_t)((8 + len + 7) & ~(size_t)7));
	wk_buf_add_u16(&m->records, type);
	wk_buf_add_u16(&m->records, has_more);
	wk_buf_add_u16(&m->records, (uint16_t)len);
	wk_buf_add(&m->records, data, len);
	while (m->records.len % 8)
		wk_buf_add_char(&m->records, 0);
}

static size_t begin_manifest(struct etl_maker *m)
{
	size_t at = etl_event(m, 19, 1, ETL_T0 + 5);

	wk_buf_add_u16(&m->records, 143); /* id */
	wk_buf_add_char(&m->records, 2);
	wk_buf_add_char(&m->records, 11);
	wk_buf_add_char(&m->records, 5);
	wk_buf_add_char(&m->records, 37);
	wk_buf_add_u16(&m->records, 9);
	wk_buf_add_u64(&m->records, 0x8000000000000010);
	etl_zeros(&m->records, 8);
	for (uint8_t i = 0; i < 16; i++)
		wk_buf_add_char(&m->records, (char)(0x40 + i));
	return at;
}

static void add_manifest(struct etl_maker *m)
{
	size_t at = begin_manifest(m);

	add_item(m, WK_ETL_ITEM_SCHEMA, true, "schema");
	add_item(m, WK_ETL_ITEM_TRAITS, false, "traits12");
	wk_buf_add_char(&m->records, 'p');
	etl_end(m, at, 0);
}

static void a_manifest_event_has_its_items_before_the_payload(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_manifest);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.kind, WK_ETL_MANIFEST);
	assert_int_equal(r.id, 143);
	assert_int_equal(r.version, 2);
	assert_int_equal(r.channel, 11);
	assert_int_equal(r.level, 5);
	assert_int_equal(r.opcode, 37);
	assert_int_equal(r.task, 9);
	assert_true(r.keyword == 0x8000000000000010);
	assert_int_equal(r.activity.a, 0x43424140);
	assert_int_equal(r.item_count, 2);
	assert_int_equal(r.items[0].type, WK_ETL_ITEM_SCHEMA);
	assert_int_equal(wk_bytes_left(&r.items[0].data), 6);
	assert_memory_equal(r.items[1].data.at, "traits12", 8);
	assert_int_equal(wk_bytes_left(&r.payload), 1);
	assert_int_equal(*r.payload.at, 'p');
	close_made(etl, &m);
}

static void add_many_items(struct etl_maker *m)
{
	size_t at = begin_manifest(m);

	for (int i = 0; i < 40; i++)
		add_item(m, 1, i < 39, "x");
	wk_buf_add_char(&m->records, 'p');
	etl_end(m, at, 0);
}

static void more_items_than_there_is_room_for_are_passed_over(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_many_items);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.item_count, WK_ETL_MOST_ITEMS);
	assert_int_equal(*r.payload.at, 'p');
	close_made(etl, &m);
}

static void add_broken_items(struct etl_maker *m)
{
	size_t at = begin_manifest(m);

	add_item(m, 1, true, "x");
	wk_buf_add_u64(&m->records, 0); /* an item without a size, after which nothing can be */
	etl_end(m, at, 0);
	etl_sample(m, ETL_T0 + 6, 'z');
}

static void a_record_with_broken_items_is_passed_over_and_counted(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_broken_items);
	const struct wk_etl_damage *damage = wk_etl_damage(etl);

	(void)state;
	assert_told(etl, "z");
	assert_int_equal(damage->broken_records, 1);
	assert_int_equal(damage->first_offset, ETL_BUFFER_BYTES);
	assert_non_null(strstr(damage->first_words, "larger than the record"));
	wk_etl_rewind(etl);
	assert_int_equal(damage->broken_records, 0);
	close_made(etl, &m);
}

static void add_message(struct etl_maker *m, uint16_t flags, uint64_t time)
{
	size_t at = etl_begin(m, 0, 0);

	m->records.at[at + 3] = (char)0x90;
	wk_buf_add_u16(&m->records, 31);
	wk_buf_add_u16(&m->records, flags);
	if (flags & 1)
		wk_buf_add_u32(&m->records, 1);
	if (flags & 2)
		for (uint8_t i = 0; i < 16; i++)
			wk_buf_add_char(&m->records, (char)(0x60 + i));
	if (flags & 8)
		wk_buf_add_u64(&m->records, time);
	if (flags & 32) {
		wk_buf_add_u32(&m->records, 77);
		wk_buf_add_u32(&m->records, 66);
	}
	wk_buf_add_char(&m->records, 'p');
	etl_end(m, at, 0);
}

static void add_messages(struct etl_maker *m)
{
	add_message(m, 1 | 2 | 8 | 32 | 0x40, ETL_T0 + 5);
	add_message(m, 0x80, 0);
}

static void messages_have_what_their_flags_say(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_messages);
	struct wk_etl_record r = one_record(etl);

	(void)state;
	assert_int_equal(r.kind, WK_ETL_MESSAGE);
	assert_int_equal(r.id, 31);
	assert_int_equal(r.provider.a, 0x63626160);
	assert_int_equal(r.time, ETL_T0 + 5);
	assert_int_equal(r.tid, 77);
	assert_int_equal(r.pid, 66);
	assert_int_equal(r.pointer_bytes, 4);
	assert_int_equal(*r.payload.at, 'p');
	assert_true(wk_etl_next(etl, &r));
	assert_int_equal(r.time, ETL_T0 + 5); /* none of its own: that of the one before */
	assert_int_equal(r.tid, WK_ETL_NO_THREAD);
	assert_int_equal(r.pointer_bytes, 8);
	assert_int_equal(*r.payload.at, 'p');
	close_made(etl, &m);
}

static void add_error(struct etl_maker *m)
{
	size_t at = etl_begin(m, 0, 13);

	etl_zeros(&m->records, 9);
	etl_end(m, at, 0);
	etl_sample(m, ETL_T0 + 6, 'z');
}

static void a_record_nothing_is_known_of_is_told_as_other(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl = open_with(&m, add_error);
	struct wk_etl_record r;

	(void)state;
	assert_true(wk_etl_next(etl, &r));
	assert_int_equal(r.kind, WK_ETL_OTHER);
	assert_int_equal(r.opcode, 13);
	assert_true(wk_etl_next(etl, &r));
	assert_told(etl, "z");
	assert_true(no_damage(wk_etl_damage(etl)));
	close_made(etl, &m);
}

/* A circular file goes on at its beginning, so numbers and not places say the order. */
static void a_circular_file_is_read_from_its_oldest_buffer(void **state)
{
	struct etl_maker m = { .mode = 2 };
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	m.sequence = 12;
	etl_sample(&m, ETL_T0 + 30, 'c');
	etl_end_buffer(&m, 1);
	etl_sample(&m, ETL_T0 + 40, 'd');
	etl_end_buffer(&m, 1);
	m.sequence = 10;
	etl_sample(&m, ETL_T0 + 10, 'a');
	etl_end_buffer(&m, 1);
	etl_sample(&m, ETL_T0 + 20, 'b');
	etl_end_buffer(&m, 1);
	etl = open_made(&m);
	assert_told(etl, "abcd");
	assert_true(no_damage(wk_etl_damage(etl)));
	close_made(etl, &m);
}

static void buffers_without_numbers_are_ordered_by_their_first_record(void **state)
{
	(void)state;
	for (unsigned packing = 0; packing <= 4; packing += packing ? 1 : 2) {
		struct etl_maker m = { .packing = packing };
		struct wk_etl_file *etl;

		etl_begin_file(&m);
		m.sequence = 0;
		etl_sample(&m, ETL_T0 + 30, 'c');
		etl_end_buffer(&m, 1);
		m.sequence = 0;
		etl_sample(&m, ETL_T0 + 10, 'a');
		etl_sample(&m, ETL_T0 + 20, 'b');
		etl_end_buffer(&m, 1);
		etl = open_made(&m);
		assert_told(etl, "abc");
		assert_true(no_damage(wk_etl_damage(etl)));
		close_made(etl, &m);
	}
}

static void make_two_files(struct etl_maker *a, struct etl_maker *b)
{
	etl_begin_file(a);
	etl_sample(a, ETL_T0 + 10, 'a');
	etl_sample(a, ETL_T0 + 40, 'd');
	etl_end_buffer(a, 1);
	etl_begin_file(b);
	etl_sample(b, ETL_T0 + 20, 'b');
	etl_sample(b, ETL_T0 + 30, 'c');
	etl_end_buffer(b, 1);
}

static void several_files_of_one_session_are_merged(void **state)
{
	struct etl_maker a = { .events_lost = 3 }, b = { .events_lost = 4, .packing = 3 };
	struct wk_etl_file *etl;
	struct wk_bytes files[2];

	(void)state;
	make_two_files(&a, &b);
	files[0] = etl_bytes(&a);
	files[1] = etl_bytes(&b);
	etl = wk_etl_open(files, NULL, 2, 1, NULL);
	assert_non_null(etl);
	assert_int_equal(wk_etl_header(etl)->events_lost, 7);
	assert_told(etl, "abcd");
	wk_etl_close(etl);
	etl_fini(&a);
	etl_fini(&b);
}

static void a_file_of_another_start_of_the_machine_is_refused(void **state)
{
	struct etl_maker a = { 0 }, b = { .boot_time = 120000000000000000, .frequency = 3000000 };
	struct wk_err err = { 0 };
	struct wk_bytes files[2];

	(void)state;
	make_two_files(&a, &b);
	files[0] = etl_bytes(&a);
	files[1] = etl_bytes(&b);
	assert_null(wk_etl_open(files, NULL, 2, 1, &err));
	assert_non_null(strstr(err.text, "file 2 was recorded after another boot"));
	etl_fini(&a);
	etl_fini(&b);
}

static void what_is_no_trace_is_refused_in_a_sentence(void **state)
{
	static const char text[200] = "PERFILE2 and something else";
	struct wk_bytes bytes = wk_bytes_of(text, sizeof(text));
	struct wk_err err = { 0 };

	(void)state;
	assert_int_equal(wk_etl_probe(bytes), 0);
	assert_null(wk_etl_open(&bytes, NULL, 1, 1, &err));
	assert_int_equal(err.code, WK_EFORMAT);
	assert_non_null(strstr(err.text, "not an .etl file"));
}

static void the_first_half_kilobyte_is_known(void **state)
{
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	assert_true(wk_etl_probe(wk_bytes_of(m.out.at, 512)) > 90);
	assert_int_equal(wk_etl_probe(wk_bytes_of(m.out.at, 72)), 0);
	etl_fini(&m);
}

/* Space that was set aside and never written is no damage, a hole is. */
static void empty_space_behind_the_buffers_is_no_damage(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	etl_zeros(&m.out, 3 * ETL_BUFFER_BYTES);
	etl = open_made(&m);
	assert_told(etl, "abcde");
	assert_true(no_damage(wk_etl_damage(etl)));
	wk_etl_close(etl);

	etl_sample(&m, ETL_T0 + 60, 'f');
	etl_end_buffer(&m, 1);
	etl = open_made(&m);
	assert_told(etl, "abcdef");
	assert_int_equal(wk_etl_damage(etl)->broken_buffers, 3);
	close_made(etl, &m);
}

static void a_lying_size_of_a_plain_buffer_loses_nothing(void **state)
{
	static const uint32_t sizes[] = { 1, 72, 4095, 4104, 0x7fffffff, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct etl_maker m = { 0 };
		struct wk_etl_file *etl;

		make_three_buffers(&m);
		lz_put_at(&m.out, 2 * ETL_BUFFER_BYTES, sizes[i], 4);
		etl = open_made(&m);
		assert_told(etl, "abcde");
		assert_int_equal(wk_etl_damage(etl)->broken_buffers, 1);
		assert_int_equal(wk_etl_damage(etl)->first_offset, 2 * ETL_BUFFER_BYTES);
		close_made(etl, &m);
	}
}

static void a_lying_size_of_a_packed_buffer_ends_the_reading(void **state)
{
	struct etl_maker m = { .packing = 3 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, ETL_BUFFER_BYTES, 8, 4);
	etl = open_made(&m);
	assert_told(etl, "");
	assert_int_equal(wk_etl_damage(etl)->broken_buffers, 1);
	assert_int_equal(wk_etl_damage(etl)->unread_bytes, m.out.len - ETL_BUFFER_BYTES);
	assert_non_null(
		strstr(wk_etl_damage(etl)->first_words, "the rest of the file is not read"));
	close_made(etl, &m);
}

static void a_fill_beyond_the_buffer_is_clamped_and_counted(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, 2 * ETL_BUFFER_BYTES + 4, 0x10000000, 4);
	etl = open_made(&m);
	assert_told(etl, "abcde");
	assert_int_equal(wk_etl_damage(etl)->broken_buffers, 1);
	close_made(etl, &m);
}

static void a_fill_that_packed_bytes_cannot_have_is_bounded(void **state)
{
	struct etl_maker m = { .packing = 3 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, ETL_BUFFER_BYTES + 4, UINT32_MAX, 4);
	etl = open_made(&m);
	assert_told(etl, "abcde");
	assert_int_equal(wk_etl_damage(etl)->broken_buffers, 1);
	close_made(etl, &m);
}

/* Thousands of processors in a few hundred kilobytes, each with a buffer of zeros. */
static void memory_is_in_proportion_to_the_file(void **state)
{
	enum { PROCESSORS = 3000 };
	struct etl_maker m = { .packing = 3 };
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	for (unsigned i = 0; i < PROCESSORS; i++) {
		size_t at = m.out.len;

		etl_zeros(&m.records, 3000);
		etl_end_buffer(&m, i % 2000);
		lz_put_at(&m.out, at + 0x2a, 10 + i / 2000, 2);
	}
	etl = open_made(&m);
	assert_told(etl, "");
	assert_true(no_damage(wk_etl_damage(etl)));
	wk_etl_close(etl);

	etl_zeros(&m.records, 60000);
	etl_end_buffer(&m, 2001);
	etl = open_made(&m);
	assert_told(etl, "");
	assert_int_equal(wk_etl_damage(etl)->broken_buffers, 1);
	assert_non_null(strstr(wk_etl_damage(etl)->first_words, "should hold 60072 bytes"));
	close_made(etl, &m);
}

/* Pages of a mapped file that are in memory for this process. */
static size_t resident_bytes(const struct wk_os_file *file)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long start, kilobytes = 0;
	bool is_it = false;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x ", &start) == 1 && strchr(line, '-') < strchr(line, ' '))
			is_it = start == (unsigned long)(uintptr_t)file->at;
		if (is_it && sscanf(line, "Rss: %lu kB", &kilobytes) == 1)
			break;
	}
	fclose(maps);
	return (size_t)kilobytes << 10;
}

static void of_a_mapped_file_a_part_is_in_memory_at_a_time(void **state)
{
	struct etl_maker m = { .buffer_bytes = 65536 };
	char path[] = "/tmp/wick-test-XXXXXX";
	const struct wk_os_file *mapped[1];
	struct wk_os_file file;
	struct wk_etl_file *etl;
	struct wk_etl_record r;
	struct wk_bytes bytes;
	size_t most = 0, count = 0;
	int fd = mkstemp(path);

	(void)state;
	etl_begin_file(&m);
	for (uint64_t i = 0; i < 1000; i++) {
		etl_sample(&m, ETL_T0 + i, i);
		etl_end_buffer(&m, 0);
	}
	assert_int_equal(write(fd, m.out.at, m.out.len), m.out.len);
	close(fd);
	assert_true(wk_os_open(path, &file, NULL));
	mapped[0] = &file;
	bytes = wk_bytes_of(file.at, file.size_bytes);
	etl = wk_etl_open(&bytes, mapped, 1, 1, NULL);
	most = resident_bytes(&file);
	for (; wk_etl_next(etl, &r); count++)
		if (count % 100 == 0 && resident_bytes(&file) > most)
			most = resident_bytes(&file);
	assert_int_equal(count, 1001);
	assert_in_range(most, 1, 34u << 20); /* twice 16 MB, of 65 */
	wk_etl_close(etl);
	wk_os_close(&file);
	unlink(path);
	etl_fini(&m);
}

static void a_broken_record_costs_the_rest_of_its_buffer(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, ETL_BUFFER_BYTES + 72 + 4, 7, 2);
	etl = open_made(&m);
	assert_told(etl, "bce");
	assert_int_equal(wk_etl_damage(etl)->broken_records, 1);
	assert_non_null(strstr(wk_etl_damage(etl)->first_words, "72 bytes into a buffer"));
	close_made(etl, &m);
}

static void a_record_that_goes_back_in_time_is_told_and_counted(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	etl_sample(&m, ETL_T0 + 20, 'b');
	etl_sample(&m, ETL_T0 + 10, 'a');
	etl_end_buffer(&m, 1);
	etl = open_made(&m);
	assert_told(etl, "ba");
	assert_int_equal(wk_etl_damage(etl)->backward_records, 1);
	close_made(etl, &m);
}

/* Reads to the end and keeps the buffers that a sample of that payload lies in. */
static void keep_one(struct wk_etl_file *etl, char payload)
{
	struct wk_etl_record r;

	while (wk_etl_next(etl, &r))
		if (r.kind == WK_ETL_KERNEL && r.hook == 0x0f2e && *r.payload.at == payload)
			wk_etl_mark_buffer(etl, wk_etl_buffer_index(etl));
}

static void only_buffers_that_are_kept_are_read_again(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, 3 * ETL_BUFFER_BYTES + 72 + 4, 7, 2); /* the size of 'e' */
	etl = open_made(&m);
	keep_one(etl, 'b');
	wk_etl_rewind_to_saved(etl);
	assert_told(etl, "bc");
	wk_etl_rewind(etl);
	assert_told(etl, "bc");
	assert_int_equal(wk_etl_buffer_count(etl), 4);
	assert_int_equal(wk_etl_damage(etl)->broken_records, 1);
	close_made(etl, &m);
}

static void without_a_kept_buffer_nothing_is_read_again(void **state)
{
	struct etl_maker m = { .packing = 3 };
	struct wk_bytes bytes;
	struct wk_etl_file *etl;
	struct wk_err err = { 0 };

	(void)state;
	make_three_buffers(&m);
	bytes = etl_bytes(&m);
	etl = wk_etl_open(&bytes, NULL, 1, 2, &err);
	assert_non_null(etl);
	keep_one(etl, 'z');
	wk_etl_rewind_to_saved(etl);
	assert_told(etl, "");
	close_made(etl, &m);
}

static void all_buffers_are_read_again_where_times_go_back(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	etl_begin_file(&m);
	etl_sample(&m, ETL_T0 + 20, 'b');
	etl_sample(&m, ETL_T0 + 10, 'a');
	etl_end_buffer(&m, 1);
	etl_sample(&m, ETL_T0 + 30, 'c');
	etl_end_buffer(&m, 2);
	etl = open_made(&m);
	keep_one(etl, 'c');
	wk_etl_rewind_to_saved(etl);
	assert_told(etl, "bac");
	assert_int_equal(wk_etl_damage(etl)->backward_records, 1);
	close_made(etl, &m);
}

/* Its place among the others is that of the record before it. */
static void all_buffers_are_read_again_where_a_record_has_no_time(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	add_message(&m, 0, 0);
	etl_end_buffer(&m, 2);
	etl = open_made(&m);
	keep_one(etl, 'e');
	wk_etl_rewind_to_saved(etl);
	assert_told(etl, "abcde");
	close_made(etl, &m);
}

static void marks_of_lost_events_are_counted(void **state)
{
	struct etl_maker m = { 0 };
	struct wk_etl_file *etl;

	(void)state;
	make_three_buffers(&m);
	lz_put_at(&m.out, ETL_BUFFER_BYTES + 0x34, 0x22, 2);
	lz_put_at(&m.out, 2 * ETL_BUFFER_BYTES + 0x34, 0x24, 2);
	etl = open_made(&m);
	assert_int_equal(wk_etl_damage(etl)->lossy_buffers, 2);
	close_made(etl, &m);
}

/* A file of every packing with records of every kind, for what damage does to it. */
static void make_rich(struct etl_maker *m)
{
	etl_begin_file(m);
	for (unsigned i = 0; i < 6; i++) {
		etl_sample(m, ETL_T0 + 10 * i, 'a' + i);
		add_compact(m);
		add_counters(m);
		add_classic(m);
		add_instance(m);
		add_manifest(m);
		add_messages(m);
		add_error(m);
		etl_end_buffer(m, (uint16_t)(i % 3));
	}
}

/* Opens what it may and reads it all twice: an answer or one sentence, the same both times. */
static size_t read_hostile(const uint8_t *bytes, size_t size, unsigned threads)
{
	struct wk_bytes file = wk_bytes_of(bytes, size);
	struct wk_err err = { 0 };
	struct wk_etl_file *etl = wk_etl_open(&file, NULL, 1, threads, &err);
	struct wk_etl_record r;
	size_t count = 0, again = 0;

	if (!etl) {
		assert_true(err.text[0] != '\0');
		return 0;
	}
	while (wk_etl_next(etl, &r))
		count++;
	wk_etl_rewind(etl);
	while (wk_etl_next(etl, &r))
		again++;
	assert_int_equal(count, again);
	assert_true(count <= size / 8 * 300);
	wk_etl_close(etl);
	return count;
}

static void files_cut_anywhere_give_what_there_is(void **state)
{
	(void)state;
	for (unsigned packing = 0; packing <= 4; packing += packing ? 1 : 2) {
		struct etl_maker m = { .packing = packing };
		size_t last = 0;

		make_rich(&m);
		for (size_t len = 0; len <= m.out.len; len += 10) {
			uint8_t *exact = wk_alloc(len + 1);
			size_t count;

			memcpy(exact, m.out.at, len);
			count = read_hostile(exact, len, 1 + len / 10 % 2);
			assert_true(count >= last);
			last = count;
			wk_free(exact);
		}
		assert_true(last > 50);
		etl_fini(&m);
	}
}

static void flipped_bits_never_stop_the_reading(void **state)
{
	uint32_t x = 1;

	(void)state;
	for (unsigned packing = 0; packing <= 4; packing += packing ? 1 : 2) {
		struct etl_maker m = { .packing = packing };

		make_rich(&m);
		for (unsigned i = 0; i < 2000; i++) {
			uint8_t *exact = wk_alloc(m.out.len);

			memcpy(exact, m.out.at, m.out.len);
			for (unsigned flips = 0; flips <= i % 8; flips++) {
				x = x * 1664525 + 1013904223;
				exact[(x >> 8) % m.out.len] ^= (uint8_t)(1u << (x >> 5 & 7));
			}
			read_hostile(exact, m.out.len, 1 + i % 10 / 9);
			wk_free(exact);
		}
		etl_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors_are_merged_by_time),
		cmocka_unit_test(every_packing_gives_the_same_records),
		cmocka_unit_test(a_packing_that_is_not_known_is_named),
		cmocka_unit_test(the_header_says_when_and_where),
		cmocka_unit_test(every_clock_makes_nanoseconds),
		cmocka_unit_test(a_file_of_windows_7_of_32_bits_is_read),
		cmocka_unit_test(a_compact_header_has_its_thread_and_no_times),
		cmocka_unit_test(counters_stand_before_the_payload),
		cmocka_unit_test(a_classic_event_has_provider_type_level_and_version),
		cmocka_unit_test(an_instance_header_gives_its_ids_as_an_item),
		cmocka_unit_test(a_manifest_event_has_its_items_before_the_payload),
		cmocka_unit_test(more_items_than_there_is_room_for_are_passed_over),
		cmocka_unit_test(a_record_with_broken_items_is_passed_over_and_counted),
		cmocka_unit_test(messages_have_what_their_flags_say),
		cmocka_unit_test(a_record_nothing_is_known_of_is_told_as_other),
		cmocka_unit_test(a_circular_file_is_read_from_its_oldest_buffer),
		cmocka_unit_test(buffers_without_numbers_are_ordered_by_their_first_record),
		cmocka_unit_test(several_files_of_one_session_are_merged),
		cmocka_unit_test(a_file_of_another_start_of_the_machine_is_refused),
		cmocka_unit_test(what_is_no_trace_is_refused_in_a_sentence),
		cmocka_unit_test(the_first_half_kilobyte_is_known),
		cmocka_unit_test(empty_space_behind_the_buffers_is_no_damage),
		cmocka_unit_test(a_lying_size_of_a_plain_buffer_loses_nothing),
		cmocka_unit_test(a_lying_size_of_a_packed_buffer_ends_the_reading),
		cmocka_unit_test(a_fill_beyond_the_buffer_is_clamped_and_counted),
		cmocka_unit_test(a_fill_that_packed_bytes_cannot_have_is_bounded),
		cmocka_unit_test(memory_is_in_proportion_to_the_file),
		cmocka_unit_test(of_a_mapped_file_a_part_is_in_memory_at_a_time),
		cmocka_unit_test(a_broken_record_costs_the_rest_of_its_buffer),
		cmocka_unit_test(a_record_that_goes_back_in_time_is_told_and_counted),
		cmocka_unit_test(only_buffers_that_are_kept_are_read_again),
		cmocka_unit_test(without_a_kept_buffer_nothing_is_read_again),
		cmocka_unit_test(all_buffers_are_read_again_where_times_go_back),
		cmocka_unit_test(all_buffers_are_read_again_where_a_record_has_no_time),
		cmocka_unit_test(marks_of_lost_events_are_counted),
		cmocka_unit_test(files_cut_anywhere_give_what_there_is),
		cmocka_unit_test(flipped_bits_never_stop_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
