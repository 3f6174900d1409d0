/* Any bytes as a jitdump: pieces of code with their lines, all within the bytes. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/jitdump.h"

static const uint8_t *begin, *end;

static void check_inside(const void *at, size_t len)
{
	assert(len == 0 || ((const uint8_t *)at >= begin && (const uint8_t *)at + len <= end));
}

/* Gives how many there were. */
static size_t check_lines(struct wk_jit_code code)
{
	struct wk_jit_line line;
	size_t count = 0;

	while (wk_jit_code_next_line(&code, &line)) {
		check_inside(line.file.at, line.file.len);
		count++;
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_jitdump *dump = wk_jitdump_open(data, size, &err);
	struct wk_jit_code code;
	size_t pieces = 0, lines = 0;

	begin = data;
	end = data + size;
	if (!dump) {
		assert(err.code != WK_OK);
		return 0;
	}
	while (wk_jitdump_next(dump, &code)) {
		assert(code.size_bytes > 0 && code.start + code.size_bytes > code.start);
		check_inside(code.name.at, code.name.len);
		assert(code.name.len > 0);
		check_inside(code.code.at, wk_bytes_left(&code.code));
		check_inside(code.unwind.at, wk_bytes_left(&code.unwind));
		if (!code.is_moved)
			lines += check_lines(code);
		pieces++;
	}
	assert(pieces + lines <= size);
	wk_jitdump_free(dump);
	return 0;
}
