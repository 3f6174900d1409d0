/* Any bytes as a perf map: each row is of the bytes and makes sense. */
#include <assert.h>

#include "symbols/jit/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_perf_map map = wk_perf_map_of(data, size);
	struct wk_perf_map_row row;
	size_t rows = 0;

	while (wk_perf_map_next(&map, &row)) {
		assert(row.size_bytes > 0 && row.start + row.size_bytes > row.start);
		assert(row.name.len > 0 && row.name.at >= (const char *)data);
		assert(row.name.at + row.name.len < (const char *)data + size);
		rows++;
	}
	assert(rows + map.bad_lines <= size);
	return 0;
}
