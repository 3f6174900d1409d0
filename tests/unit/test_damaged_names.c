/* What the demanglers make of damaged names: each of many names cut at every byte, and with each
 * byte changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "digests.h"
#include "names/demangle/demangle.h"
#include "shared_path.h"

#define NAMES_IN_A_ROW 40

static uint64_t demangled(uint64_t digest, struct wk_str name)
{
	struct wk_buf out = { 0 };

	wk_demangle(name, &out);
	wk_buf_add_char(&out, '\n');
	wk_demangle_bare(name, &out);
	digest = digest_add(digest, out.at, out.len);
	wk_buf_fini(&out);
	return digest;
}

static uint64_t cut(uint64_t digest, struct wk_str name)
{
	for (size_t len = 0; len <= name.len; len++)
		digest = demangled(digest, wk_str_of(name.at, len));
	return digest;
}

static uint64_t changed(uint64_t digest, struct wk_str name, int by)
{
	char *copy = wk_strndup(name.at, name.len);

	for (size_t i = 2; i < name.len; i++) {
		copy[i] = (char)(copy[i] + by);
		digest = demangled(digest, wk_str_of(copy, name.len));
		copy[i] = (char)(copy[i] - by);
	}
	wk_free(copy);
	return digest;
}

static void add_row(const char *file, size_t number, uint64_t digest, struct wk_buf *table)
{
	wk_buf_add_fmt(table, "%s\tline %zu\t%016llx\n", file, number, (unsigned long long)digest);
}

/* Every so many lines of a table whose first column is a mangled name. */
static void add_rows(const char *file, size_t step, struct wk_buf *table)
{
	const char *path = shared_path("fixtures/demangle/%s", file);
	uint64_t digest = DIGEST_OF_NOTHING;
	struct wk_os_file opened;
	struct wk_str text, line, name, rest;
	size_t number = 0;

	if (!wk_os_open(path, &opened, NULL)) {
		print_message("no names here: %s cannot be opened\n", path);
		skip();
	}
	text = wk_str_of((const char *)opened.at, opened.size_bytes);
	while (wk_str_split(text, '\n', &line, &text)) {
		if (++number % step)
			continue;
		wk_str_split(line, '\t', &name, &rest);
		digest = changed(changed(cut(digest, name), name, 1), name, -1);
		if (number / step % NAMES_IN_A_ROW == 0) {
			add_row(file, number, digest, table);
			digest = DIGEST_OF_NOTHING;
		}
	}
	add_row(file, number, digest, table);
	wk_os_close(&opened);
}

static void damaged_names_are_demangled_as_before(void **state)
{
	struct wk_buf table = { 0 };

	(void)state;
	add_rows("itanium.tsv", 1, &table);
	add_rows("rust.tsv", 1, &table);
	add_rows("msvc.tsv", 1, &table);
	assert_digests("damaged_names.tsv", wk_buf_str(&table));
	wk_buf_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_names_are_demangled_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
