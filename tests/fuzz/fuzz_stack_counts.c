/* Any bytes as the two files of difffolded: what is before the first NUL and what is behind it. No
 * count may be lost, and what is written can be read again. */
#include <stdlib.h>

#include "session/fold/stack_counts.h"

static void pass_over(void *context, struct wk_str line)
{
	(void)context;
	(void)line;
}

static void check(const struct wk_stack_counts *counts)
{
	uint64_t sums[2] = { 0, 0 };

	for (size_t i = 0; i < counts->count; i++)
		for (int side = 0; side < 2; side++)
			if (__builtin_add_overflow(sums[side], counts->rows[i].count[side],
						   &sums[side]))
				sums[side] = UINT64_MAX;
	if (sums[0] != counts->total[0] || sums[1] != counts->total[1])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
	size_t first = cut ? (size_t)(cut - data) : size;
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);
	struct wk_stack_counts counts = {
		.strips_hex = size & 1,
		.drops_fractions = size & 2,
		.bad_line = pass_over,
	};

	wk_stack_counts_read(&counts, wk_bytes_of(data, first), 0);
	wk_stack_counts_read(&counts, wk_bytes_of(data + first, size - first), 1);
	check(&counts);
	wk_stack_counts_normalise(&counts);
	wk_stack_counts_write(&counts, &out);
	wk_out_end(&out);
	wk_buf_fini(&text);
	wk_stack_counts_fini(&counts);
	return 0;
}
