#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "base/map.h"
#include "record/ring.h"

#define RING_BYTES 256

struct fixture {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING_BYTES];
	struct wk_ring ring;
};

static void begin_at(struct fixture *f, uint64_t position)
{
	memset(f, 0, sizeof(*f));
	f->ring = (struct wk_ring){
		.page = &f->page,
		.data = f->data,
		.size_bytes = RING_BYTES,
		.tail = position,
	};
	f->page.data_head = position;
	f->page.data_tail = position;
}

/* Writes a record of `size` bytes, filled with `fill`, as the kernel would. */
static void put(struct fixture *f, uint16_t size, uint8_t fill)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };

	for (uint64_t i = 0; i < size; i++)
		f->data[(f->page.data_head + i) % RING_BYTES] = fill;
	memcpy(f->data + f->page.data_head % RING_BYTES, &header, sizeof(header));
	f->page.data_head += size;
}

static size_t take(struct fixture *f, uint8_t *out, size_t room)
{
	return wk_ring_read(&f->ring, wk_ring_pending(&f->ring), out, room);
}

static void records_are_taken_whole_and_their_place_is_given_back(void **state)
{
	struct fixture f;
	uint8_t out[RING_BYTES];

	(void)state;
	begin_at(&f, 0);
	put(&f, 32, 0xaa);
	put(&f, 48, 0xbb);
	assert_int_equal(wk_ring_pending(&f.ring), 80);
	assert_int_equal(take(&f, out, sizeof(out)), 80);
	assert_int_equal(out[31], 0xaa);
	assert_int_equal(out[40], 0xbb);
	assert_int_equal(f.page.data_tail, 80);
	assert_int_equal(take(&f, out, sizeof(out)), 0);
}

static void a_record_over_the_end_of_the_ring_is_joined(void **state)
{
	struct fixture f;
	uint8_t out[RING_BYTES];

	(void)state;
	begin_at(&f, RING_BYTES * 5 - 24);
	put(&f, 64, 0x5a);
	assert_int_equal(take(&f, out, sizeof(out)), 64);
	for (size_t i = 8; i < 64; i++)
		assert_int_equal(out[i], 0x5a);
}

/* A copy of 128 bytes of which 20 were filled: the word in front of it has its size. */
static void a_stack_copy_becomes_as_long_as_what_it_holds(void **state)
{
	for (int at = 0; at < 2; at++) {
		struct fixture f;
		uint8_t out[RING_BYTES];
		uint64_t size = 128, filled = 20, now;

		(void)state;
		begin_at(&f, at ? RING_BYTES * 2 - 64 : 0);
		f.ring.fixed_bytes = 16;
		put(&f, 8 + 16 + 8 + 128 + 8, 0x5a);
		memcpy(f.data + (f.ring.tail + 24) % RING_BYTES, &size, 8);
		memcpy(f.data + (f.ring.tail + 32 + 128) % RING_BYTES, &filled, 8);
		put(&f, 16, 0xee);
		assert_int_equal(take(&f, out, sizeof(out)), 24 + 8 + 32 + 8 + 16);
		assert_int_equal(((struct perf_event_header *)out)->size, 24 + 8 + 32 + 8);
		memcpy(&now, out + 24, 8);
		assert_int_equal(now, 32); /* more than was filled: it did not end at its limit */
		assert_int_equal(out[32 + 19], 0x5a);
		memcpy(&now, out + 64, 8);
		assert_int_equal(now, 20);
		assert_int_equal(out[72 + 8], 0xee);
		/* A full one stays. */
		put(&f, 8 + 16 + 8 + 128 + 8, 0x5a);
		memcpy(f.data + (f.ring.tail + 24) % RING_BYTES, &size, 8);
		memcpy(f.data + (f.ring.tail + 32 + 128) % RING_BYTES, &size, 8);
		assert_int_equal(take(&f, out, sizeof(out)), 168);
	}
}

#define STACK_POINTER 0x7000u

#define FILL UINT64_C(0x5a5a5a5a5a5a5a5a)

/* That of thread 7 ends 40 bytes above the stack pointer, that of 8 beyond the copy. Over that of
 * 10 lies another stack; the word of 11 is none of 64 bits, and that of 12 not in the copy. */
static bool find_end(void *context, uint32_t tid, struct wk_stack_end *end)
{
	static const struct wk_stack_end ends[] = {
		{ STACK_POINTER + 40, STACK_POINTER + 32, FILL },
		{ STACK_POINTER + 4096, STACK_POINTER + 32, FILL },
		{ STACK_POINTER - 64, STACK_POINTER - 72, FILL },
		{ STACK_POINTER + 40, STACK_POINTER + 32, FILL + 1 },
		{ STACK_POINTER + 40, STACK_POINTER + 28, FILL },
		{ STACK_POINTER + 40, STACK_POINTER - 8, FILL },
	};

	(void)context;
	if (tid < 7 || tid >= 7 + sizeof(ends) / sizeof(ends[0]))
		return false;
	*end = ends[tid - 7];
	return true;
}

/* A copy of 96 full bytes, behind 16 bytes of registers. */
static void a_stack_copy_ends_where_the_stack_of_the_thread_does(void **state)
{
	(void)state;
	for (uint32_t tid = 7; tid <= 13; tid++) {
		struct fixture f;
		uint8_t out[RING_BYTES];
		uint64_t pids = (uint64_t)tid << 32 | 5, abi = 2, sp = STACK_POINTER, size = 96;
		size_t kept = tid == 7 ? 48 : 96, got;
		uint64_t now;

		begin_at(&f, RING_BYTES * 3 - 80);
		f.ring.fixed_bytes = 32;
		f.ring.register_bytes = 16;
		f.ring.sp_place = 8;
		wk_ring_limit_stacks(&f.ring, find_end, NULL);
		put(&f, 32 + 8 + 16 + 8 + 96 + 8, 0x5a);
		memcpy(f.data + (f.ring.tail + 24) % RING_BYTES, &pids, 8);
		memcpy(f.data + (f.ring.tail + 32) % RING_BYTES, &abi, 8);
		memcpy(f.data + (f.ring.tail + 48) % RING_BYTES, &sp, 8);
		memcpy(f.data + (f.ring.tail + 56) % RING_BYTES, &size, 8);
		memcpy(f.data + (f.ring.tail + 64 + 96) % RING_BYTES, &size, 8);
		got = take(&f, out, sizeof(out));
		assert_int_equal(got, 64 + kept + 8);
		assert_int_equal(((struct perf_event_header *)out)->size, got);
		memcpy(&now, out + 56, 8);
		assert_int_equal(now, kept);
		memcpy(&now, out + got - 8, 8);
		assert_int_equal(now, tid == 7 ? 40 : 96);
		assert_int_equal(f.page.data_tail, f.page.data_head);
	}
}

/* A register, for example, may have the value that the size of a copy would have there. */
static void a_word_is_not_taken_for_the_size_of_a_stack(void **state)
{
	struct fixture f;
	uint8_t out[RING_BYTES];
	uint64_t by_chance = 152 - 16 - 16, size = 152 - 16 - 40, filled = 96;

	(void)state;
	begin_at(&f, 0);
	f.ring.fixed_bytes = 8;
	f.ring.register_bytes = 24;
	put(&f, 152, 0x5a);
	memcpy(f.data + 16, &by_chance, 8);
	memcpy(f.data + 40, &size, 8);
	memcpy(f.data + 144, &filled, 8);
	assert_int_equal(take(&f, out, sizeof(out)), 152);
	assert_memory_equal(out + 16, &by_chance, 8);
	assert_memory_equal(out + 40, &size, 8);
}

/* Samples of tracepoints have their fields in front of the registers; others of the same ring do
 * not. */
static void fields_of_a_tracepoint_are_in_front_of_the_stack(void **state)
{
	struct wk_map with_fields = { 0 };

	(void)state;
	wk_map_set(&with_fields, 5, 1);
	for (uint64_t id = 5; id < 7; id++) {
		uint64_t fields = id == 5 ? 24 : 0, size = 64, filled = 20, now;
		uint32_t field_bytes = 20; /* and four of their size */
		size_t record = 16 + fields + 8 + 8 + 64 + 8, stack = 16 + fields + 8;
		struct fixture f;
		uint8_t out[RING_BYTES];

		begin_at(&f, 0);
		f.ring.fixed_bytes = 16;
		f.ring.with_fields = &with_fields;
		put(&f, (uint16_t)record, 0x5a);
		memcpy(f.data + 8, &id, 8);
		if (fields)
			memcpy(f.data + 16, &field_bytes, 4);
		memset(f.data + stack - 8, 0, 8); /* no registers */
		memcpy(f.data + stack, &size, 8);
		memcpy(f.data + record - 8, &filled, 8);
		assert_int_equal(take(&f, out, sizeof(out)), record - 32);
		memcpy(&now, out + stack, 8);
		assert_int_equal(now, 32);
		memcpy(&now, out + stack + 40, 8);
		assert_int_equal(now, 20);
	}
	wk_map_fini(&with_fields);
}

/* Their size is not believed. */
static void fields_that_end_behind_the_record_are_none(void **state)
{
	static const uint32_t sizes[] = { 0, 3, 100, 104, 4096, UINT32_MAX };
	struct wk_map with_fields = { 0 };

	(void)state;
	wk_map_set(&with_fields, 5, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t id = 5, filled = 20;
		struct fixture f;
		uint8_t out[RING_BYTES];

		begin_at(&f, RING_BYTES - 8);
		f.ring.fixed_bytes = 16;
		f.ring.with_fields = &with_fields;
		put(&f, 128, 0x5a);
		memcpy(f.data, &id, 8);
		memcpy(f.data + 8, &sizes[i], 4);
		memcpy(f.data + 112, &filled, 8);
		assert_int_equal(take(&f, out, sizeof(out)), 128);
	}
	wk_map_fini(&with_fields);
}

static void only_records_that_fit_are_taken(void **state)
{
	struct fixture f;
	uint8_t out[RING_BYTES];

	(void)state;
	begin_at(&f, 0);
	put(&f, 40, 1);
	put(&f, 40, 2);
	assert_int_equal(take(&f, out, 79), 40);
	assert_int_equal(take(&f, out, 39), 0);
	assert_int_equal(f.page.data_tail, 40);
	assert_int_equal(take(&f, out, 40), 40);
	assert_int_equal(f.ring.broken, 0);
}

static void what_is_no_record_is_skipped_and_counted(void **state)
{
	static const uint16_t wrong_sizes[] = { 0, 4, 12, 120 };
	struct fixture f;
	uint8_t out[RING_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong_sizes) / sizeof(wrong_sizes[0]); i++) {
		struct perf_event_header header = { .size = wrong_sizes[i] };

		begin_at(&f, 0);
		put(&f, 32, 0xcc);
		put(&f, 48, 0);
		memcpy(f.data + 32, &header, sizeof(header));
		assert_int_equal(take(&f, out, sizeof(out)), 32);
		assert_int_equal(take(&f, out, sizeof(out)), 0);
		assert_int_equal(f.ring.broken, 48);
		assert_int_equal(wk_ring_pending(&f.ring), 0);
		put(&f, 24, 0xdd);
		assert_int_equal(take(&f, out, sizeof(out)), 24);
	}
}

static void a_head_beyond_the_ring_is_not_believed(void **state)
{
	struct fixture f;
	uint8_t out[RING_BYTES];

	(void)state;
	begin_at(&f, 0);
	put(&f, 32, 1);
	f.page.data_head = RING_BYTES + 64;
	assert_int_equal(take(&f, out, sizeof(out)), 0);
	assert_int_equal(f.ring.broken, RING_BYTES + 64);
}

static void looking_at_a_record_leaves_it_there(void **state)
{
	struct fixture f;
	uint8_t out[16];

	(void)state;
	begin_at(&f, RING_BYTES - 8);
	put(&f, 40, 7);
	assert_int_equal(wk_ring_peek(&f.ring, f.ring.tail, f.page.data_head, out, sizeof(out)),
			 40);
	assert_int_equal(out[15], 7);
	assert_int_equal(wk_ring_peek(&f.ring, f.ring.tail + 40, f.page.data_head, out, 16), 0);
	assert_int_equal(wk_ring_pending(&f.ring), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_taken_whole_and_their_place_is_given_back),
		cmocka_unit_test(a_record_over_the_end_of_the_ring_is_joined),
		cmocka_unit_test(a_stack_copy_becomes_as_long_as_what_it_holds),
		cmocka_unit_test(a_stack_copy_ends_where_the_stack_of_the_thread_does),
		cmocka_unit_test(a_word_is_not_taken_for_the_size_of_a_stack),
		cmocka_unit_test(fields_of_a_tracepoint_are_in_front_of_the_stack),
		cmocka_unit_test(fields_that_end_behind_the_record_are_none),
		cmocka_unit_test(only_records_that_fit_are_taken),
		cmocka_unit_test(what_is_no_record_is_skipped_and_counted),
		cmocka_unit_test(a_head_beyond_the_ring_is_not_believed),
		cmocka_unit_test(looking_at_a_record_leaves_it_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
