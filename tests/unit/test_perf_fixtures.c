/* The reader against recordings of many perf versions and machines, held to what an
 * independent reader and perf itself count in them (facts.jsonl beside the recordings). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/num.h"
#include "read_file.h"
#include "os/os.h"
#include "shared_path.h"

#define MOST_SOURCES 16

struct counted {
	uint64_t samples, weight;
};

struct tally {
	struct counted all, source[MOST_SOURCES];
	struct wk_map tids;
	uint64_t first_ns, last_ns;
	bool is_unordered;
};

static bool count(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct tally *tally = context;
	struct counted *source = &tally->source[event->sample.source % MOST_SOURCES];

	(void)err;
	if (event->kind != WK_EVENT_SAMPLE)
		return true;
	if (tally->all.samples == 0)
		tally->first_ns = event->time_ns;
	tally->is_unordered = tally->is_unordered || event->time_ns < tally->last_ns;
	tally->last_ns = event->time_ns;
	tally->all.samples++;
	tally->all.weight += event->sample.weight;
	source->samples++;
	source->weight += event->sample.weight;
	wk_map_set(&tally->tids, event->tid, 1);
	return true;
}

/* The text behind `"key": ` in a line of JSON, or the empty text. */
static struct wk_str behind(struct wk_str line, const char *key)
{
	char pattern[64];
	size_t len = (size_t)snprintf(pattern, sizeof(pattern), "\"%s\": ", key);

	for (size_t i = 0; i + len <= line.len; i++)
		if (memcmp(line.at + i, pattern, len) == 0)
			return wk_str_skip(line, i + len);
	return wk_str_of("", 0);
}

static bool number(struct wk_str line, const char *key, uint64_t *value)
{
	struct wk_str text = behind(line, key);
	size_t len = 0;

	while (len < text.len && text.at[len] >= '0' && text.at[len] <= '9')
		len++;
	return wk_num_u64(wk_str_of(text.at, len), value);
}

/* "1698.179457" as microseconds. */
static uint64_t microseconds(struct wk_str line, const char *key)
{
	struct wk_str text = behind(line, key);
	uint64_t value = 0;

	for (size_t i = 1; i < text.len && text.at[i] != '"'; i++)
		if (text.at[i] != '.')
			value = value * 10 + (uint64_t)(text.at[i] - '0');
	return value;
}

/* The numbers of {"a": 1, "b": 2}, in their order. */
static size_t numbers_of(struct wk_str line, const char *key, uint64_t *out)
{
	struct wk_str text = behind(line, key);
	size_t found = 0;

	for (size_t i = 0; i < text.len && text.at[i] != '}'; i++) {
		uint64_t value = 0;

		if (text.at[i] != '"' || i + 3 >= text.len || text.at[i + 1] != ':')
			continue;
		for (i += 3; text.at[i] >= '0' && text.at[i] <= '9'; i++)
			value = value * 10 + (uint64_t)(text.at[i] - '0');
		if (found < MOST_SOURCES)
			out[found++] = value;
		if (text.at[i] == '}')
			break;
	}
	return found;
}

/* Sources by what they counted: perf lists them by name, which it makes up in its own way. */
static int compare(const void *left, const void *right)
{
	const struct counted *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->weight < b->weight) - (a->weight > b->weight);
}

static void check_sources(const char *name, struct wk_str line, struct tally *tally)
{
	struct counted expected[MOST_SOURCES] = { 0 };
	uint64_t values[MOST_SOURCES];
	size_t found = numbers_of(line, "events", values);

	for (size_t i = 0; i < found; i++)
		expected[i].samples = values[i];
	found = numbers_of(line, "periods", values);
	for (size_t i = 0; i < found; i++)
		expected[i].weight = values[i];
	assert_true(found > 0);
	qsort(expected, MOST_SOURCES, sizeof(expected[0]), compare);
	qsort(tally->source, MOST_SOURCES, sizeof(tally->source[0]), compare);
	for (size_t i = 0; i < MOST_SOURCES; i++)
		if (compare(&expected[i], &tally->source[i]) != 0)
			fail_msg("%s: event %zu: %llu samples of weight %llu, "
				 "expected %llu of %llu",
				 name, i, (unsigned long long)tally->source[i].samples,
				 (unsigned long long)tally->source[i].weight,
				 (unsigned long long)expected[i].samples,
				 (unsigned long long)expected[i].weight);
}

static void check_number(const char *name, const char *what, uint64_t got, uint64_t expected)
{
	if (got != expected)
		fail_msg("%s: %s is %llu, expected %llu", name, what, (unsigned long long)got,
			 (unsigned long long)expected);
}

static void check_read(const char *name, struct wk_str line, struct tally *tally)
{
	uint64_t samples, lines, threads;

	assert_true(number(line, "samples", &samples));
	check_number(name, "the number of samples", tally->all.samples, samples);
	check_number(name, "disorder of samples", tally->is_unordered, 0);
	/* perf adds events of its own to some recordings, and reads others not at all. */
	if (!number(line, "lines", &lines) || lines != samples)
		return;
	check_sources(name, line, tally);
	assert_true(number(line, "n_tids", &threads));
	check_number(name, "the number of threads", tally->tids.count, threads);
	check_number(name, "the first time", tally->first_ns / 1000, microseconds(line, "t_first"));
	check_number(name, "the last time", tally->last_ns / 1000, microseconds(line, "t_last"));
}

/* What the error must say of a file that cannot be read, or NULL if it can. */
static const char *expected_refusal(const char *name)
{
	if (wk_str_ends(wk_str_c(name), "broken.gz"))
		return "not a format that wick reads";
	if (wk_str_ends(wk_str_c(name), ".v1"))
		return "too old";
	if (strstr(name, "zero_size"))
		return "below the 8-byte header";
	return NULL;
}

static void check_file(struct wk_str line)
{
	struct wk_str text = behind(line, "file");
	const char *end = memchr(text.at + 1, '"', text.len - 1);
	char name[256];
	struct tally tally = { 0 };
	struct wk_sink sink = { .take = count, .context = &tally };
	struct wk_err err = { 0 };
	const char *refusal;
	bool ok;

	snprintf(name, sizeof(name), "%.*s", (int)(end - text.at - 1), text.at + 1);
	refusal = expected_refusal(name);
	ok = read_file(shared_path("fixtures/perf-data/%s", name), &sink, &err);
	if (refusal && (ok || !strstr(err.text, refusal)))
		fail_msg("%s: expected an error with \"%s\", not \"%s\"", name, refusal, err.text);
	if (!refusal && !ok)
		fail_msg("%s: %s", name, err.text);
	if (!refusal)
		check_read(name, line, &tally);
	wk_map_fini(&tally.tids);
}

static void recordings_of_many_perfs_count_as_perf_counts_them(void **state)
{
	const char *path = shared_path("fixtures/perf-data/facts.jsonl");
	struct wk_buf facts = { 0 };
	struct wk_str rest;
	int files = 0;

	(void)state;
	if (!wk_os_read_small(path, &facts)) {
		print_message("# SKIPPED: %s is not here (set WICK_SHARED)\n", path);
		wk_buf_fini(&facts);
		skip();
		return;
	}
	rest = wk_buf_str(&facts);
	while (rest.len) {
		const char *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;

		check_file(wk_str_of(rest.at, len));
		rest = wk_str_skip(rest, len + 1);
		files++;
	}
	assert_true(files >= 30);
	wk_buf_fini(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_many_perfs_count_as_perf_counts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
