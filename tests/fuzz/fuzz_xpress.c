/* Any bytes as packed ones: the first picks the way, two more how much is to be made of the rest.
 * Nothing is written beyond that, and less of it is a beginning of more. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/etl/packed/xpress.h"
#include "base/mem.h"

typedef bool (*unpacker)(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made);

static const unpacker ways[] = { wk_xpress_plain, wk_xpress_huffman, wk_lznt1 };

static uint8_t *unpack(unpacker way, struct wk_bytes packed, size_t size, size_t *made)
{
	uint8_t *plain = wk_alloc(size ? size : 1);

	if (!plain)
		abort();
	if (way(packed, plain, size, made) ? *made != size : *made > size)
		abort();
	return plain;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t want, made = 0, fewer = 0;
	struct wk_bytes packed;
	uint8_t *more, *less;

	if (size < 3)
		return 0;
	want = 3 * (data[1] | (size_t)data[2] << 8);
	packed = wk_bytes_of(data + 3, size - 3);
	more = unpack(ways[data[0] % 3], packed, want, &made);
	less = unpack(ways[data[0] % 3], packed, want / 2, &fewer);
	if (fewer > made || memcmp(more, less, fewer) != 0)
		abort();
	wk_free(more);
	wk_free(less);
	return 0;
}
