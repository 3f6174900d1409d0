/* Buffers of .etl files unpacked by other threads: whatever their number, and whether or not there
 * are any, records and damage are the same. Made to be run under ThreadSanitizer as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "etl_maker.h"
#include "base/mem.h"
#include "os/os.h"

#define BUFFERS 120
#define SAMPLES 400  /* of a buffer */
#define CPU_AT  0x28 /* in a buffer's header */

static const unsigned thread_counts[] = { 1, 2, 5 };
#define THREAD_COUNTS (sizeof(thread_counts) / sizeof(thread_counts[0]))

/* ---- threads, counted, and no more than there may be */

static unsigned started, most_threads = UINT32_MAX;

struct wk_os_thread *__real_wk_os_thread_start(void (*run)(void *context), void *context);
struct wk_os_thread *__wrap_wk_os_thread_start(void (*run)(void *context), void *context);

struct wk_os_thread *__wrap_wk_os_thread_start(void (*run)(void *context), void *context)
{
	return started++ < most_threads ? __real_wk_os_thread_start(run, context) : NULL;
}

/* ---- files */

/* Buffers that are worth a thread, since they hardly pack; most of them are of two processors. */
static void make_large(struct etl_maker *m)
{
	uint32_t x = 1;

	m->buffer_bytes = 32768;
	etl_begin_file(m);
	for (unsigned i = 0; i < BUFFERS; i++) {
		for (unsigned k = 0; k < SAMPLES; k++) {
			x = x * 1664525 + 1013904223;
			etl_sample(m, ETL_T0 + 1000 * i + k, x ^ (uint64_t)x << 29);
		}
		etl_end_buffer(m, (uint16_t)(i % 3 ? i % 3 : x >> 28));
	}
}

/* Of each packing; to make one takes longer than to read it a hundred times. */
static struct etl_maker large[] = {
	[2] = { .packing = 2 }, [3] = { .packing = 3 }, [4] = { .packing = 4 }
};

static int make_all_large(void **state)
{
	(void)state;
	for (size_t packing = 0; packing <= 4; packing += packing ? 1 : 2)
		make_large(&large[packing]);
	return 0;
}

static int free_all_large(void **state)
{
	(void)state;
	for (size_t packing = 0; packing <= 4; packing++)
		etl_fini(&large[packing]);
	return 0;
}

/* One large buffer, then the same of other processors. */
static void make_crowd(struct etl_maker *m, unsigned processors)
{
	size_t first, size;

	etl_begin_file(m);
	first = m->out.len;
	for (unsigned i = 0; i < 300; i++)
		etl_sample(m, ETL_T0, i * 2654435761u * (uint64_t)i);
	for (unsigned i = 0; i < 4000; i++)
		etl_sample(m, ETL_T0, 'z');
	etl_end_buffer(m, 0);
	size = m->out.len - first;
	for (unsigned i = 1; i < processors; i++) {
		char *copy = wk_alloc(size);

		memcpy(copy, m->out.at + first, size);
		wk_buf_add(&m->out, copy, size);
		lz_put_at(&m->out, m->out.len - size + CPU_AT, i, 2);
		wk_free(copy);
	}
}

/* ---- what is told */

struct answer {
	uint64_t sum, count;
	struct wk_etl_damage damage;
};

static uint64_t add(uint64_t sum, uint64_t value)
{
	return sum * 31 + value;
}

static bool read_one(struct wk_etl_file *etl, struct answer *answer)
{
	struct wk_etl_record r;

	if (!wk_etl_next(etl, &r))
		return false;
	answer->sum = add(add(add(add(answer->sum, r.time), r.cpu), r.offset), r.kind);
	while (r.payload.at < r.payload.end)
		answer->sum = add(answer->sum, wk_u8(&r.payload));
	answer->count++;
	return true;
}

static struct answer read_some(struct wk_etl_file *etl, uint64_t most)
{
	struct answer answer = { 0 };

	while (answer.count < most && read_one(etl, &answer))
		;
	answer.damage = *wk_etl_damage(etl);
	return answer;
}

static struct answer read_all(struct wk_etl_file *etl)
{
	return read_some(etl, UINT64_MAX);
}

static void assert_same(const struct answer *a, const struct answer *b)
{
	assert_true(a->count == b->count);
	assert_true(a->sum == b->sum);
	assert_memory_equal(&a->damage, &b->damage, sizeof(a->damage));
}

/* Reads it twice with each number of threads; false where it cannot be opened. */
static bool is_read_alike(struct wk_bytes bytes, struct answer *first)
{
	*first = (struct answer){ 0 };
	for (size_t i = 0; i < THREAD_COUNTS; i++) {
		struct wk_etl_file *etl = wk_etl_open(&bytes, NULL, 1, thread_counts[i], NULL);
		struct answer answer, again;

		if (!etl) {
			assert_int_equal(i, 0);
			return false;
		}
		answer = read_all(etl);
		if (i == 0)
			*first = answer;
		assert_same(first, &answer);
		wk_etl_rewind(etl);
		again = read_all(etl);
		assert_same(first, &again);
		wk_etl_close(etl);
	}
	return true;
}

/* ---- tests */

static void every_packing_is_read_alike(void **state)
{
	(void)state;
	for (unsigned packing = 0; packing <= 4; packing += packing ? 1 : 2) {
		struct answer answer;

		assert_true(is_read_alike(etl_bytes(&large[packing]), &answer));
		assert_int_equal(answer.count, 1 + BUFFERS * SAMPLES);
		assert_int_equal(answer.damage.broken_buffers, 0);
	}
}

/* Flips some bits behind the header's buffer; the same for the same number. */
static void damage(uint8_t *bytes, size_t size, size_t first, uint32_t number)
{
	uint32_t x = number * 2654435761u + 1;

	for (uint32_t flips = 0; flips <= number % 8; flips++) {
		x = x * 1664525 + 1013904223;
		bytes[first + (x >> 4) % (size - first)] ^= (uint8_t)(1u << (x >> 1 & 7));
	}
}

static void damage_is_told_alike(void **state)
{
	(void)state;
	for (unsigned packing = 2; packing <= 4; packing++) {
		const struct wk_buf *whole = &large[packing].out;
		uint64_t broken = 0;

		for (uint32_t number = 0; number < 20; number++) {
			size_t size = whole->len - number % 4 * (whole->len / 5);
			uint8_t *bytes = wk_alloc(size);
			struct answer answer;

			memcpy(bytes, whole->at, size);
			damage(bytes, size, large[packing].buffer_bytes, number);
			assert_true(is_read_alike(wk_bytes_of(bytes, size), &answer));
			broken += answer.damage.broken_buffers + answer.damage.broken_records;
			wk_free(bytes);
		}
		assert_true(broken > 10);
	}
}

/* With so many processors there is no memory for what each of their buffers says that it holds. */
static void a_buffer_that_grows_too_large_is_cut_alike(void **state)
{
	struct etl_maker m = { .packing = 2 };
	struct answer answer;

	(void)state;
	make_crowd(&m, 200);
	assert_true(is_read_alike(etl_bytes(&m), &answer));
	assert_int_equal(answer.damage.broken_buffers, 200);
	etl_fini(&m);
}

static void a_reading_begins_again_or_ends_at_any_moment(void **state)
{
	struct wk_bytes bytes = etl_bytes(&large[3]);

	(void)state;
	for (uint64_t count = 0; count < BUFFERS * SAMPLES; count = count * 3 + 1) {
		struct wk_etl_file *alone = wk_etl_open(&bytes, NULL, 1, 1, NULL);
		struct answer expected = read_some(alone, count);

		for (size_t i = 1; i < THREAD_COUNTS; i++) {
			struct wk_etl_file *etl =
				wk_etl_open(&bytes, NULL, 1, thread_counts[i], NULL);

			for (unsigned times = 0; times < 3; times++) {
				struct answer answer = read_some(etl, count);

				assert_same(&expected, &answer);
				wk_etl_rewind(etl);
			}
			wk_etl_rewind(etl);
			read_some(etl, count);
			wk_etl_close(etl);
		}
		wk_etl_close(alone);
	}
}

/* Only the buffers of some times again, and from their middle once more. */
static struct answer read_kept(struct wk_bytes bytes, unsigned threads)
{
	struct wk_etl_file *etl = wk_etl_open(&bytes, NULL, 1, threads, NULL);
	struct wk_etl_record r;
	struct answer answer;

	while (wk_etl_next(etl, &r))
		if ((r.time - ETL_T0) / 1000 % 3 == 1 || r.time > ETL_T0 + 100000)
			wk_etl_mark_buffer(etl, wk_etl_buffer_index(etl));
	wk_etl_rewind_to_saved(etl);
	read_some(etl, SAMPLES);
	wk_etl_rewind(etl);
	answer = read_all(etl);
	wk_etl_close(etl);
	return answer;
}

static void buffers_that_are_kept_are_read_alike(void **state)
{
	struct wk_bytes bytes = etl_bytes(&large[4]);
	struct answer expected = read_kept(bytes, 1);

	(void)state;
	assert_in_range(expected.count, BUFFERS / 3 * SAMPLES, BUFFERS * 3 / 4 * SAMPLES);
	for (size_t i = 1; i < THREAD_COUNTS; i++) {
		struct answer answer = read_kept(bytes, thread_counts[i]);

		assert_same(&expected, &answer);
	}
}

static void threads_stay_for_the_whole_reading(void **state)
{
	static const unsigned expected[] = { 0, 1, 4 };
	struct wk_bytes bytes = etl_bytes(&large[3]);

	(void)state;
	for (size_t i = 0; i < THREAD_COUNTS; i++) {
		struct wk_etl_file *etl;

		started = 0;
		etl = wk_etl_open(&bytes, NULL, 1, thread_counts[i], NULL);
		read_all(etl);
		wk_etl_rewind(etl);
		read_all(etl);
		assert_int_equal(started, expected[i]);
		wk_etl_close(etl);
	}
}

static void expect_no_thread(struct wk_bytes bytes)
{
	struct wk_etl_file *etl;

	started = 0;
	etl = wk_etl_open(&bytes, NULL, 1, 5, NULL);
	read_all(etl);
	assert_int_equal(started, 0);
	wk_etl_close(etl);
}

static void no_thread_is_started_where_it_would_have_little_to_do(void **state)
{
	struct etl_maker tiny = { .packing = 3 };
	struct wk_bytes few = etl_bytes(&large[3]);

	(void)state;
	expect_no_thread(etl_bytes(&large[0]));
	few.end = few.at + wk_bytes_left(&few) / BUFFERS * 5;
	expect_no_thread(few);
	etl_begin_file(&tiny);
	for (unsigned i = 0; i < 1000; i++) {
		etl_sample(&tiny, ETL_T0 + i, i);
		etl_end_buffer(&tiny, 1);
	}
	expect_no_thread(etl_bytes(&tiny));
	etl_fini(&tiny);
}

static void where_no_thread_can_be_had_the_reader_unpacks_all(void **state)
{
	struct answer answer;

	(void)state;
	for (most_threads = 0; most_threads < 3; most_threads++) {
		started = 0;
		assert_true(is_read_alike(etl_bytes(&large[3]), &answer));
		assert_true(started > most_threads);
		assert_int_equal(answer.count, 1 + BUFFERS * SAMPLES);
	}
	most_threads = UINT32_MAX;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_is_read_alike),
		cmocka_unit_test(damage_is_told_alike),
		cmocka_unit_test(a_buffer_that_grows_too_large_is_cut_alike),
		cmocka_unit_test(a_reading_begins_again_or_ends_at_any_moment),
		cmocka_unit_test(buffers_that_are_kept_are_read_alike),
		cmocka_unit_test(threads_stay_for_the_whole_reading),
		cmocka_unit_test(no_thread_is_started_where_it_would_have_little_to_do),
		cmocka_unit_test(where_no_thread_can_be_had_the_reader_unpacks_all),
	};

	return cmocka_run_group_tests(tests, make_all_large, free_all_large);
}
