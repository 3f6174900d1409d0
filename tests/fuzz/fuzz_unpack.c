/* Any bytes as something packed: the first byte says which packing it gets the mark of. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed/unpack.h"

#define MOST (1u << 20)

static void unpack(struct wk_bytes packed)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	if (!wk_unpack_first(packed, MOST, &plain, &err) && err.text[0] == '\0')
		abort();
	if (plain.len > MOST || (plain.at && plain.at[plain.len] != '\0'))
		abort();
	wk_buf_fini(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b, 8 }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const uint8_t xz[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	uint8_t *bytes;

	if (size < 7)
		return 0;
	bytes = wk_alloc(size);
	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	if (data[0] == xz[0])
		memcpy(bytes, xz, sizeof(xz));
	else if (data[0] & 1)
		memcpy(bytes, gzip, sizeof(gzip));
	else
		memcpy(bytes, zstd, sizeof(zstd));
	unpack(wk_bytes_of(bytes, size));
	wk_free(bytes);
	return 0;
}
