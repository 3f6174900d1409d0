/* Real traces, broken: cut, with bits flipped and with sizes that lie. All that is made of them is
 * an answer or one sentence, in memory that fits the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "etl_traces.h"
#include "base/mem.h"

/* However large a trace is, it is read so many bytes long altogether in a test. */
#define MOST_READ_BYTES (24u << 20)
#define MOST_TRIES      1500
#define EVERY_TENTH     65536 /* files up to this size are cut at every tenth byte */

static size_t tries_of(size_t size)
{
	size_t tries = MOST_READ_BYTES / (size + 1);

	return tries < MOST_TRIES ? tries + 1 : MOST_TRIES;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void cut_everywhere(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	size_t step = size <= EVERY_TENTH ? 10 : size / tries_of(size) + 1;
	uint64_t whole = etl_read_bytes(opened, bytes.at, size);

	for (size_t len = 0; len < size; len += step) {
		uint8_t *exact = wk_alloc(len + 1);

		memcpy(exact, bytes.at, len);
		/* A trace that is cut has notes that a whole one has not. */
		assert_true(etl_read_bytes(opened, exact, len) <= 2 * whole + 16);
		wk_free(exact);
	}
}

static void traces_cut_anywhere_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	etl_each_trace(cut_everywhere);
}

static void flip_bits(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	uint8_t *broken = wk_alloc(size);
	uint64_t state = size;

	memcpy(broken, bytes.at, size);
	for (size_t i = tries_of(size); i > 0; i--) {
		size_t at[4];

		for (size_t k = 0; k < 4; k++) {
			at[k] = (size_t)(random_next(&state) % size);
			broken[at[k]] ^= (uint8_t)(1u << random_next(&state) % 8);
		}
		etl_read_bytes(opened, broken, size);
		for (size_t k = 0; k < 4; k++)
			broken[at[k]] = bytes.at[at[k]];
	}
	wk_free(broken);
}

static void flipped_bits_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	etl_each_trace(flip_bits);
}

/* Numbers of all widths become the largest, the smallest, or one that is a little wrong. */
static void lie(const struct wk_opened *opened, struct wk_bytes bytes)
{
	static const uint32_t lies[] = { 0, 1, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff };
	size_t size = wk_bytes_left(&bytes);
	uint8_t *broken = wk_alloc(size);
	uint64_t state = size + 1;

	memcpy(broken, bytes.at, size);
	for (size_t i = tries_of(size); i > 0; i--) {
		size_t at = (size_t)(random_next(&state) % (size / 2 - 2)) * 2;
		uint32_t value = lies[random_next(&state) % 6];

		memcpy(broken + at, &value, random_next(&state) % 2 ? 2 : 4);
		etl_read_bytes(opened, broken, size);
		memcpy(broken + at, bytes.at + at, 4);
	}
	wk_free(broken);
}

static void sizes_that_lie_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	etl_each_trace(lie);
}

/* The address sanitizer keeps freed memory; gcc and clang say differently that it is there. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED
#endif
#endif

/* After all of the above: the largest trace is 23 MB of records. */
static void memory_stayed_in_proportion(void **state)
{
	struct rusage usage;

	(void)state;
	getrusage(RUSAGE_SELF, &usage);
	print_message("peak memory %ld MB\n", usage.ru_maxrss / 1024);
#if !defined(__SANITIZE_ADDRESS__) && !defined(IS_SANITIZED)
	assert_in_range(usage.ru_maxrss, 1, 256 * 1024);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_cut_anywhere_give_an_answer_or_a_sentence),
		cmocka_unit_test(flipped_bits_give_an_answer_or_a_sentence),
		cmocka_unit_test(sizes_that_lie_give_an_answer_or_a_sentence),
		cmocka_unit_test(memory_stayed_in_proportion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
