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

#include "formats/reader.h"

static const char *const names[] = {
	"SelfDescribingSingleEvent.etl", "AMSITrace.etl", "lxcore_kernel.etl", "hw3d-trace.etl",
	"krabsetw-powershell.etl", "gcevents.etl.zip", "gcrundownevents.etl.zip",
	"primitive-types.etl.zip", "msbuild-PerfViewData.etl.zip", "monogame-PerfViewData.etl.zip",
	"sawbuck/image_data_32_v0.etl", "sawbuck/image_data_32_v1.etl",
	"sawbuck/image_data_32_v2.etl", "sawbuck/image_data_64_v0.etl",
	"sawbuck/image_data_64_v1.etl", "sawbuck/image_data_64_v2.etl",
	"sawbuck/process_data_32_v1.etl", "sawbuck/process_data_32_v2.etl",
	"sawbuck/process_data_32_v3.etl", "sawbuck/process_data_64_v2.etl",
	"sawbuck/process_data_64_v3.etl",
	"net.4.5.2.x64.etl.zip", "diaghub-dotnetcore3.1-win-x64-diagsession.zip",
	"TraceLoggingTester.etl.zip", NULL };

/* However large a trace is, it is read so many bytes long altogether in a test. */
#define MOST_READ_BYTES (24u << 20)
#define MOST_TRIES	1500
#define EVERY_TENTH	65536 /* files up to this size are cut at every tenth byte */
#define BUFFER_HEADER	72

static size_t tries_of(size_t size)
{
	size_t tries = MOST_READ_BYTES / (size + 1);

	return tries < MOST_TRIES ? tries + 1 : MOST_TRIES;
}

static bool open_fixture(const char *name, struct wk_opened *opened)
{
	const char *shared = getenv("WICK_SHARED"), *root = getenv("WICK_SOURCE_ROOT");
	struct wk_err err = { 0 };
	char path[4200];

	if (shared)
		snprintf(path, sizeof(path), "%s/fixtures/etl/%s", shared, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/fixtures/etl/%s", root ? root : ".",
			 name);
	if (wk_reader_open(path, NULL, opened, &err))
		return true;
	print_message("no traces here: %s\n", err.text);
	return false;
}

struct seen {
	uint64_t events, bytes;
};

/* Looks at every byte that an event points to. */
static void touch(struct seen *seen, struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		seen->bytes += (uint8_t)text.at[i];
}

static bool look(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct seen *seen = context;

	(void)err;
	seen->events++;
	if (event->kind == WK_EVENT_PROCESS) {
		touch(seen, event->process.name);
		touch(seen, event->process.command_line);
	} else if (event->kind == WK_EVENT_IMAGE) {
		touch(seen, event->image.path);
	} else if (event->kind == WK_EVENT_OTHER) {
		touch(seen, event->other.text);
	} else if (event->kind == WK_EVENT_SAMPLE) {
		for (size_t i = 0; i < event->sample.user_count; i++)
			seen->bytes += event->sample.user_chain[i];
		for (size_t i = 0; i < event->sample.kernel_count; i++)
			seen->bytes += event->sample.kernel_chain[i];
	}
	return true;
}

/* Bytes of exactly that length, so that a tool that watches memory sees any read behind them. */
static uint64_t read_bytes(const struct wk_opened *opened, const void *at, size_t len)
{
	struct seen seen = { 0 };
	struct wk_sink sink = { .take = look, .context = &seen };
	struct wk_input input = opened->input;
	struct wk_err err = { 0 };

	input.bytes = wk_bytes_of(at, len);
	input.file = NULL;
	if (!opened->reader->read(&input, &sink, &err))
		assert_true(err.text[0] != '\0');
	return seen.events;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void for_each_fixture(void (*try)(const struct wk_opened *opened, struct wk_bytes bytes))
{
	unsigned tried = 0;

	for (size_t i = 0; names[i]; i++) {
		struct wk_opened opened;

		if (!open_fixture(names[i], &opened))
			continue;
		try(&opened, opened.input.bytes);
		wk_reader_close(&opened);
		tried++;
	}
	if (tried == 0)
		skip();
	assert_int_equal(tried, sizeof(names) / sizeof(names[0]) - 1);
}

static size_t size_of_buffer(const uint8_t *at, size_t left)
{
	struct wk_bytes begin = wk_bytes_of(at, left);
	size_t size = wk_u32le(&begin);

	return size < BUFFER_HEADER || size > left ? left : size;
}

/* Large files, too, at every tenth byte: what stands before the buffer that is cut changes nothing
 * in how it is read, so of that only the first, which describes the trace, is put before it. */
static void cut_each_buffer(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes), first = size_of_buffer(bytes.at, size), len;
	struct wk_opened how = *opened;
	size_t tries = 0;

	for (size_t at = first; at < size; at += len) {
		len = size_of_buffer(bytes.at + at, size - at);
		for (size_t cut = 0; cut < len; cut += 10, tries++) {
			uint8_t *exact = malloc(first + cut);

			memcpy(exact, bytes.at, first);
			memcpy(exact + first, bytes.at + at, cut);
			how.input.options.skips_details = tries % 8 != 0; /* most of the time */
			read_bytes(&how, exact, first + cut);
			free(exact);
		}
	}
	print_message("%zu bytes, cut at %zu places of their buffers\n", size, tries);
	assert_true(tries >= (size - first) / 10);
}

static void cut_everywhere(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	size_t step = size <= EVERY_TENTH ? 10 : size / tries_of(size) + 1;
	uint64_t whole = read_bytes(opened, bytes.at, size);

	for (size_t len = 0; len < size; len += step) {
		uint8_t *exact = malloc(len + 1);

		memcpy(exact, bytes.at, len);
		/* A trace that is cut has notes that a whole one has not. */
		assert_true(read_bytes(opened, exact, len) <= 2 * whole + 16);
		free(exact);
	}
}

static void traces_cut_anywhere_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	for_each_fixture(cut_everywhere);
}

static void large_traces_cut_at_every_tenth_byte_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	for_each_fixture(cut_each_buffer);
}

static void flip_bits(const struct wk_opened *opened, struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	uint8_t *broken = malloc(size);
	uint64_t state = size;

	memcpy(broken, bytes.at, size);
	for (size_t i = tries_of(size); i > 0; i--) {
		size_t at[4];

		for (size_t k = 0; k < 4; k++) {
			at[k] = (size_t)(random_next(&state) % size);
			broken[at[k]] ^= (uint8_t)(1u << random_next(&state) % 8);
		}
		read_bytes(opened, broken, size);
		for (size_t k = 0; k < 4; k++)
			broken[at[k]] = bytes.at[at[k]];
	}
	free(broken);
}

static void flipped_bits_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	for_each_fixture(flip_bits);
}

/* Numbers of all widths become the largest, the smallest, or one that is a little wrong. */
static void lie(const struct wk_opened *opened, struct wk_bytes bytes)
{
	static const uint32_t lies[] = { 0, 1, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff };
	size_t size = wk_bytes_left(&bytes);
	uint8_t *broken = malloc(size);
	uint64_t state = size + 1;

	memcpy(broken, bytes.at, size);
	for (size_t i = tries_of(size); i > 0; i--) {
		size_t at = (size_t)(random_next(&state) % (size / 2 - 2)) * 2;
		uint32_t value = lies[random_next(&state) % 6];

		memcpy(broken + at, &value, random_next(&state) % 2 ? 2 : 4);
		read_bytes(opened, broken, size);
		memcpy(broken + at, bytes.at + at, 4);
	}
	free(broken);
}

static void sizes_that_lie_give_an_answer_or_a_sentence(void **state)
{
	(void)state;
	for_each_fixture(lie);
}

/* After all of the above: the largest trace is 23 MB of records. */
static void memory_stayed_in_proportion(void **state)
{
	struct rusage usage;

	(void)state;
	getrusage(RUSAGE_SELF, &usage);
	print_message("peak memory %ld MB\n", usage.ru_maxrss / 1024);
#ifndef __SANITIZE_ADDRESS__
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

	/* For `./do soak`: hours. */
	const struct CMUnitTest long_tests[] = {
		cmocka_unit_test(large_traces_cut_at_every_tenth_byte_give_an_answer_or_a_sentence),
	};

	if (getenv("WICK_SOAK"))
		return cmocka_run_group_tests(long_tests, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
