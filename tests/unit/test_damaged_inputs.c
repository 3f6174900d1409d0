/* What readers make of damaged inputs: those of the golden cases and of the fuzz targets, with
 * lines left out, cut or repeated, bytes changed, or the end missing. A digest of the events of
 * each kind of damage is in tests/data/damaged_inputs.tsv; the words of notes and errors do not
 * count.
 *
 * If a reader changes on purpose, WICK_UPDATE=1 writes the table anew, and its diff is the review.
 */
#define _GNU_SOURCE /* glob */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "digests.h"
#include "event/dump.h"
#include "formats/collapse.h"
#include "formats/reader.h"

#define MOST_BYTES 20000 /* longer inputs are left out */
#define MOST_LINES 50
#define MOST_CUTS  30
#define MOST_FLIPS 60

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_event copy = *event;
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	uint64_t *digest = context;

	(void)err;
	if (event->kind == WK_EVENT_NOTE)
		copy.note.text = wk_str_c("");
	wk_event_dump(&copy, &out);
	wk_out_end(&out);
	*digest = digest_add(*digest, text.at, text.len);
	wk_buf_fini(&text);
	return true;
}

static uint64_t read_as(uint64_t digest, const struct wk_reader *reader, struct wk_bytes bytes,
			const struct wk_collapse *collapse)
{
	struct wk_input input = { .bytes = bytes, .name = "input", .options.collapse = collapse };
	struct wk_sink sink = { .take = take, .context = &digest };
	struct wk_err err = { 0 };

	if (!reader->read(&input, &sink, &err)) {
		digest = digest_add(digest, &err.code, sizeof(err.code));
		digest = digest_add(digest, &err.offset, sizeof(err.offset));
	}
	return digest;
}

/* Read as wick does, and as two of the older tools. */
static uint64_t read_each_way(uint64_t digest, const struct wk_reader *reader, struct wk_str text)
{
	struct wk_collapse perl = { .dialect = WK_COLLAPSE_PERL };
	struct wk_collapse inferno = {
		.dialect = WK_COLLAPSE_INFERNO, .with_pid = true, .with_tid = true,
		.with_source_line = true, .with_thread_name = true, .short_packages = true,
		.keeps_idle = true, .with_offsets = true, .no_modules = true };
	struct wk_bytes bytes = wk_bytes_of(text.at, text.len), first = bytes;
	int certainty;

	if (text.len > WK_PROBE_BYTES)
		first.end = first.at + WK_PROBE_BYTES;
	certainty = wk_reader_probe(reader, first);
	digest = digest_add(digest, &certainty, sizeof(certainty));
	digest = read_as(digest, reader, bytes, NULL);
	digest = read_as(digest, reader, bytes, &perl);
	return read_as(digest, reader, bytes, &inferno);
}

enum damage { WHOLE, LINE_MISSING, LINE_CUT, LINE_TWICE, END_MISSING, BYTE_CHANGED, DAMAGES };

static const char *const damages[] = { "whole", "line missing", "line cut", "line twice",
				       "end missing", "byte changed" };

/* The input without a line, or with half of it or twice. */
static void change_line(enum damage damage, struct wk_str text, size_t from, size_t to,
			struct wk_buf *out)
{
	size_t kept = damage == LINE_MISSING ? 0 : damage == LINE_CUT ? (to - from) / 2 : to - from;

	wk_buf_add(out, text.at, from);
	wk_buf_add(out, text.at + from, kept);
	if (damage == LINE_CUT)
		wk_buf_add_char(out, '\n');
	wk_buf_add(out, text.at + (damage == LINE_TWICE ? from : to),
		   text.len - (damage == LINE_TWICE ? from : to));
}

static uint64_t digest_of_lines(enum damage damage, const struct wk_reader *reader,
				struct wk_str text)
{
	uint64_t digest = DIGEST_OF_NOTHING;
	size_t from = 0;

	for (unsigned i = 0; i < MOST_LINES && from < text.len; i++) {
		const char *end = memchr(text.at + from, '\n', text.len - from);
		size_t to = end ? (size_t)(end - text.at) + 1 : text.len;
		struct wk_buf changed = { 0 };

		change_line(damage, text, from, to, &changed);
		digest = read_each_way(digest, reader, wk_buf_str(&changed));
		wk_buf_fini(&changed);
		from = to;
	}
	return digest;
}

static uint64_t digest_of_bytes(enum damage damage, const struct wk_reader *reader,
				struct wk_str text)
{
	size_t times = damage == END_MISSING ? MOST_CUTS : MOST_FLIPS;
	size_t step = text.len / times + 1;
	uint64_t digest = DIGEST_OF_NOTHING;

	for (size_t at = 0; at < text.len; at += step) {
		char *copy = wk_strndup(text.at, text.len);

		copy[at]++;
		digest = read_each_way(digest, reader,
				       damage == END_MISSING ? wk_str_of(text.at, at)
							     : wk_str_of(copy, text.len));
		wk_free(copy);
	}
	return digest;
}

static bool is_text(struct wk_str text)
{
	return !memchr(text.at, '\0', text.len);
}

static void add_rows(const char *name, const struct wk_reader *reader, struct wk_str text,
		     struct wk_buf *table)
{
	for (enum damage damage = WHOLE; damage < DAMAGES; damage++) {
		uint64_t digest;

		if (damage == WHOLE)
			digest = read_each_way(DIGEST_OF_NOTHING, reader, text);
		else if (damage >= END_MISSING)
			digest = digest_of_bytes(damage, reader, text);
		else if (is_text(text))
			digest = digest_of_lines(damage, reader, text);
		else
			continue;
		wk_buf_add_fmt(table, "%s\t%s\t%016llx\n", name, damages[damage],
			       (unsigned long long)digest);
	}
}

static void add_file(const char *path, struct wk_buf *table)
{
	struct wk_opened opened;
	struct wk_str text;

	if (!wk_reader_open(path, NULL, &opened, NULL))
		return;
	text = wk_str_of((const char *)opened.input.bytes.at, wk_bytes_left(&opened.input.bytes));
	/* Not all builds can unpack. */
	if (text.len > 0 && !opened.plain.len && !strstr(path, "packed") &&
	    text.len <= MOST_BYTES && opened.input.parts.count <= 1)
		add_rows(path + strlen(digests_root()) + 1, opened.reader, text, table);
	wk_reader_close(&opened);
}

static void add_files(const char *pattern, struct wk_buf *table)
{
	char full[4096];
	glob_t found;

	snprintf(full, sizeof(full), "%s/%s", digests_root(), pattern);
	assert_int_equal(glob(full, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		add_file(found.gl_pathv[i], table);
	globfree(&found);
}

static void damaged_inputs_are_read_as_before(void **state)
{
	static const char *const patterns[] = { "tests/golden/*/*/input*",
		"tests/fuzz/corpus/perf_data/*",
		"tests/fuzz/corpus/etl/*",
		"tests/fuzz/corpus/gperftools/*" };
	struct wk_buf table = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		add_files(patterns[i], &table);
	assert_digests("damaged_inputs.tsv", wk_buf_str(&table));
	wk_buf_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_inputs_are_read_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
