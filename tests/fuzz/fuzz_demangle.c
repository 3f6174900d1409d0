/* Any bytes as a mangled name: the answer is text within the cap, or nothing has changed.
 * The first byte says which language, whether hashes or the short form are asked for and what
 * the buffer held before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "names/demangle/demangle.h"
#include "names/spelling.h"

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(struct wk_str before, bool is_name, const struct wk_buf *out)
{
	require(out->len >= before.len && memcmp(wk_buf_text(out), before.at, before.len) == 0);
	require(wk_buf_text(out)[out->len] == '\0');
	require(strlen(wk_buf_text(out)) == out->len);
	require(!out->full);
	if (is_name)
		require(out->len > before.len && out->len - before.len <= WK_DEMANGLE_LIMIT);
	else
		require(out->len == before.len);
}

/* What debug information has for names is spelled anew: the answer is bounded. */
static void spell(struct wk_str written)
{
	struct wk_buf out = { 0 };

	wk_spell_written(written, &out);
	require(out.len <= written.len * 4 + 1024 * 1024);
	wk_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t mode = size > 0 ? data[0] : 0;
	struct wk_str before = wk_str_of("before", mode & 2 ? 6 : 0);
	struct wk_str mangled;
	struct wk_buf out = { .limit = mode & 4 ? 40 : 0 };

	if (size == 0)
		return 0;
	mangled = wk_str_of((const char *)data + 1, size - 1);
	wk_buf_add_str(&out, before);
	if (mode & 64)
		check(before, wk_demangle_msvc(mangled, mode & 1, &out), &out);
	else if (mode & 8)
		check(before, wk_demangle_cxx(mangled, &out), &out);
	else
		check(before, wk_demangle_rust(mangled, mode & 1, &out), &out);
	wk_buf_reset(&out);
	wk_buf_add_str(&out, before);
	check(before, wk_demangle(mangled, &out), &out);
	wk_buf_reset(&out);
	wk_buf_add_str(&out, before);
	check(before, wk_demangle_bare(mangled, &out), &out);
	wk_buf_fini(&out);
	spell(mangled);
	return 0;
}
