/* Records that perf packed with zstd: one stream over all pieces of a file, in which records
 * begin and end where they like. The frames here hold zstd's "raw" blocks, so that no packer is
 * needed to make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/packed/unpack.h"
#include "perf_maker.h"

#define STRIDE 144

static const struct perf_attr_fields attr = {
	.type = WK_PERF_TYPE_SOFTWARE,
	.sample_type = WK_PERF_SAMPLE_IP | WK_PERF_SAMPLE_TID | WK_PERF_SAMPLE_TIME,
	.flags = WK_PERF_FLAG_SAMPLE_ID_ALL,
};

static void begin(struct perf_maker *m)
{
	perf_begin_file(m, STRIDE, 1);
	put_attr(m, &attr, STRIDE - 16);
	put64(m, 0);
	put64(m, 0);
	perf_begin_data(m);
}

static void add_sample(struct perf_maker *m, uint64_t time_ns, uint64_t address)
{
	perf_record(m, WK_PERF_SAMPLE, WK_PERF_MISC_USER);
	put64(m, address);
	put32(m, 10, 11);
	put64(m, time_ns);
	perf_end_record(m);
}

/* The bytes as a zstd stream that does not end: a frame's head and a block. */
static struct wk_buf zstd_of(const struct wk_buf *plain)
{
	static const char head[] = { 0x28, (char)0xb5, 0x2f, (char)0xfd, 0, 0x58 };
	struct wk_buf out = { 0 };
	uint32_t block = (uint32_t)plain->len << 3;

	wk_buf_add(&out, head, sizeof(head));
	for (int i = 0; i < 3; i++)
		wk_buf_add_char(&out, (char)(block >> 8 * i));
	wk_buf_add_str(&out, wk_buf_str(plain));
	return out;
}

static void add_piece(struct perf_maker *m, uint32_t type, const char *at, size_t len)
{
	size_t padding = type == WK_PERF_COMPRESSED2 ? -len % 8 : 0;

	perf_record(m, type, 0);
	if (type == WK_PERF_COMPRESSED2)
		put64(m, len);
	wk_buf_add(&m->out, at, len);
	put(m, 0, padding);
	perf_end_record(m);
}

static void add_round(struct perf_maker *m)
{
	perf_record(m, WK_PERF_FINISHED_ROUND, 0);
	perf_end_record(m);
}

static void check(struct perf_maker *m, const char *expected)
{
	struct wk_buf text;
	const char *after_source;

	perf_end(m);
	text = perf_told(&m->out);
	after_source = strstr(wk_buf_text(&text), "unit=\"ns\"\n");
	assert_non_null(after_source);
	assert_string_equal(after_source + strlen("unit=\"ns\"\n"), expected);
	wk_buf_fini(&text);
	wk_buf_fini(&m->out);
	m->out = (struct wk_buf){ 0 };
}

#define SAMPLE_10 "sample time=10 pid=10 tid=11 source=0 weight=1 mode=user address=0x100\n"
#define SAMPLE_20 "sample time=20 pid=10 tid=11 source=0 weight=1 mode=user address=0x200\n"
#define SAMPLE_30 "sample time=30 pid=10 tid=11 source=0 weight=1 mode=user address=0x300\n"

/* Three samples out of order, in pieces of `step` bytes, with a round's end behind each. */
static void make(struct perf_maker *m, uint32_t type, size_t step, bool has_rounds)
{
	struct perf_maker plain = { .big_endian = m->big_endian };
	struct wk_buf packed;

	begin(m);
	add_sample(&plain, 10, 0x100);
	add_sample(&plain, 30, 0x300);
	add_sample(&plain, 20, 0x200);
	packed = zstd_of(&plain.out);
	for (size_t at = 0; at < packed.len; at += step) {
		add_piece(m, type, packed.at + at, packed.len - at < step ? packed.len - at : step);
		if (has_rounds)
			add_round(m);
	}
	wk_buf_fini(&packed);
	wk_buf_fini(&plain.out);
}

static void records_may_straddle_pieces(void **state)
{
	static const size_t steps[] = { 7, 33, 60, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		for (int form = 0; form < 4; form++) {
			struct perf_maker m = { .big_endian = form & 1 };

			make(&m, form & 2 ? WK_PERF_COMPRESSED2 : WK_PERF_COMPRESSED, steps[i],
			     false);
			check(&m, SAMPLE_10 SAMPLE_20 SAMPLE_30);
		}
	}
}

/* Those that wait through the round's end are moved, and must come out whole. */
static void rounds_end_between_pieces(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	make(&m, WK_PERF_COMPRESSED2, 4096, true);
	add_sample(&m, 40, 0x400);
	add_round(&m);
	add_round(&m);
	check(&m, SAMPLE_10 SAMPLE_20 SAMPLE_30
	      "sample time=40 pid=10 tid=11 source=0 weight=1 mode=user address=0x400\n");
}

static void a_stream_that_is_cut_tells_its_whole_records(void **state)
{
	struct perf_maker m = { 0 }, plain = { 0 };
	struct wk_buf packed;

	(void)state;
	begin(&m);
	add_sample(&plain, 10, 0x100);
	add_sample(&plain, 20, 0x200);
	plain.out.len -= 5;
	packed = zstd_of(&plain.out);
	add_piece(&m, WK_PERF_COMPRESSED, packed.at, packed.len);
	check(&m, SAMPLE_10 "note time=10 text=\"1 record at the end is cut off\"\n");
	wk_buf_fini(&packed);
	wk_buf_fini(&plain.out);
}

static void broken_pieces_end_the_reading_behind_what_came_before(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	add_sample(&m, 10, 0x100);
	add_piece(&m, WK_PERF_COMPRESSED, "not zstd", 8);
	add_sample(&m, 20, 0x200);
	check(&m, SAMPLE_10
	      "error: 0x118: perf.data: packed records: the zstd data is broken: Unknown frame "
	      "descriptor\n");
}

static void a_packed_record_without_a_size_ends_the_reading(void **state)
{
	struct perf_maker m = { 0 }, plain = { 0 };
	struct wk_buf packed;

	(void)state;
	begin(&m);
	add_sample(&plain, 10, 0x100);
	put64(&plain, 9);
	packed = zstd_of(&plain.out);
	add_piece(&m, WK_PERF_COMPRESSED, packed.at, packed.len);
	check(&m, SAMPLE_10
	      "error: 0xf8: perf.data: in the packed records: a record's size is below the "
	      "8-byte header\n");
	wk_buf_fini(&packed);
	wk_buf_fini(&plain.out);
}

/* The size that a COMPRESSED2 record claims for its payload is larger than the record. */
static void a_piece_that_claims_too_much_is_passed_over(void **state)
{
	struct perf_maker m = { 0 };

	(void)state;
	begin(&m);
	perf_record(&m, WK_PERF_COMPRESSED2, 0);
	put64(&m, 9);
	put64(&m, 0);
	perf_end_record(&m);
	check(&m, "note time=0 offset=0xf8 text=\"1 record is shorter than its fields\"\n");
}

int main(void)
{
	struct wk_unzstd *zstd = wk_unzstd_new(NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_may_straddle_pieces),
		cmocka_unit_test(rounds_end_between_pieces),
		cmocka_unit_test(a_stream_that_is_cut_tells_its_whole_records),
		cmocka_unit_test(broken_pieces_end_the_reading_behind_what_came_before),
		cmocka_unit_test(a_packed_record_without_a_size_ends_the_reading),
		cmocka_unit_test(a_piece_that_claims_too_much_is_passed_over),
	};

	if (!zstd) {
		printf("1..0 # SKIP this wick was built without libzstd\n");
		return 0;
	}
	wk_unzstd_free(zstd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
