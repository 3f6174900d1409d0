/* What the tests of all demanglers do: names made to be slow, and tables of names. */
#ifndef WK_TEST_DEMANGLED_H
#define WK_TEST_DEMANGLED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "shared_path.h"

/* A demangler, in one of its forms: the name as text, which lives until `out` changes, or NULL if
 * it refuses. */
typedef const char *(*demangler)(struct wk_str mangled, struct wk_buf *out);

/* Adds `count` times `unit`. */
static inline void repeat(struct wk_buf *name, const char *unit, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wk_buf_add_text(name, unit);
}

/* Makes `lead`, `unit` as often as `len` bytes hold it, `tail`. */
static inline struct wk_str stretched(struct wk_buf *name, const char *lead, const char *unit,
				      size_t len, const char *tail)
{
	wk_buf_reset(name);
	wk_buf_add_text(name, lead);
	repeat(name, unit, len / strlen(unit));
	wk_buf_add_text(name, tail);
	return wk_buf_str(name);
}

/* The CPU time of writing 40 times the longest answer byte by byte, in seconds: what the machine
 * and the build, sanitised or not, make of simple work at this moment. */
static inline double simple_work(void)
{
	struct wk_buf text = { 0 };
	clock_t began = clock();

	for (int times = 0; times < 40; times++) {
		wk_buf_reset(&text);
		for (size_t i = 0; i < WK_DEMANGLE_LIMIT; i++)
			wk_buf_add(&text, "a", 1);
	}
	wk_buf_fini(&text);
	return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Three were measured for the slowest name. Without the bounds of the readers some take hours. */
#define MOST_SIMPLE_WORKS 16

/* Whether it is answered at all, or refused, in time: in the best of some tries, since a machine
 * may stop between two looks at its clock. */
static inline bool answers_in_time(demangler demangle, struct wk_str mangled, struct wk_buf *out)
{
	double seconds, allowed;
	bool answered;

	for (int tries = 0; tries < 5; tries++) {
		clock_t began = clock();

		answered = demangle(mangled, out) != NULL;
		seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
		allowed = MOST_SIMPLE_WORKS * simple_work();
		if (seconds <= allowed)
			break;
	}
	if (seconds > allowed)
		fail_msg("%.40s... took %.3f s, allowed are %.3f s", mangled.at, seconds, allowed);
	assert_true(out->len <= WK_DEMANGLE_LIMIT);
	assert_int_equal(strlen(wk_buf_text(out)), out->len);
	return answered;
}

/* One line of a table: mangled, tab, expected. */
static inline bool row_agrees(demangler demangle, char *line)
{
	struct wk_buf out = { 0 };
	char *tab = strchr(line, '\t');
	const char *got;
	bool agrees;

	line[strcspn(line, "\n")] = '\0';
	if (!tab)
		return false;
	got = demangle(wk_str_of(line, (size_t)(tab - line)), &out);
	agrees = got && strcmp(got, tab + 1) == 0;
	if (!agrees)
		print_message("# %.*s\n#   expected %s\n#   got      %s\n", (int)(tab - line), line,
			      tab + 1, got ? got : "(refused)");
	wk_buf_fini(&out);
	return agrees;
}

/* Skips the test where the table is not here. */
static inline void check_table(demangler demangle, const char *file)
{
	FILE *in = fopen(shared_path("fixtures/demangle/%s", file), "r");
	size_t rows = 0, agreed = 0, cap = 0;
	char *line = NULL;

	if (!in) {
		print_message("# SKIPPED: the fixture %s is not here (set WICK_SHARED)\n", file);
		skip();
	}
	for (; getline(&line, &cap, in) > 0; rows++)
		agreed += row_agrees(demangle, line);
	free(line);
	fclose(in);
	print_message("# %s: %zu of %zu rows agree\n", file, agreed, rows);
	assert_true(rows > 0);
	assert_int_equal(agreed, rows);
}

#endif
