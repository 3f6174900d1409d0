/* Digests of what code makes of many inputs, in a table of tests/data: a line "INPUT KIND DIGEST"
 * each, with tabs between. They notice changes where nobody expects any; what is right, other tests
 * say. WICK_UPDATE=1 writes the table anew after an intended change, and its diff is the review. */
#ifndef WK_TEST_DIGESTS_H
#define WK_TEST_DIGESTS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "os/os.h"

#define DIGEST_OF_NOTHING UINT64_C(0xcbf29ce484222325)

static inline uint64_t digest_add(uint64_t digest, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static inline const char *digests_root(void)
{
	const char *given = getenv("WICK_SOURCE_ROOT");

	return given ? given : ".";
}

static inline size_t digests_compare(struct wk_str expected, struct wk_str came)
{
	struct wk_str wanted, got;
	size_t wrong = 0;

	while (came.len || expected.len) {
		wk_str_split(expected, '\n', &wanted, &expected);
		wk_str_split(came, '\n', &got, &came);
		if (wk_str_eq(wanted, got))
			continue;
		if (++wrong <= 10)
			print_message("expected: %.*s\ncame:     %.*s\n", WK_STR_ARG(wanted),
				      WK_STR_ARG(got));
	}
	return wrong;
}

static inline void assert_digests(const char *name, struct wk_str came)
{
	struct wk_os_file file;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s", digests_root(), name);
	if (getenv("WICK_UPDATE")) {
		FILE *to = fopen(path, "w");

		assert_non_null(to);
		fwrite(came.at, 1, came.len, to);
		fclose(to);
	}
	assert_true(wk_os_open(path, &file, NULL));
	assert_int_equal(digests_compare(wk_str_of((const char *)file.at, file.size_bytes), came),
			 0);
	wk_os_close(&file);
}

#endif
