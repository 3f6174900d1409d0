/* Any bytes as a cabinet: its lists, and the first files of it. */
#include <assert.h>

#include "base/hash.h"
#include "base/packed/cab.h"

/* Each may unpack its folder from the beginning. */
#define MOST_READ 4
#define MOST_SIZE (1u << 20)

static uint64_t sum;

static void read_file(const struct wk_cab *cab, const struct wk_cab_file *file)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	wk_buf_add_text(&plain, "before");
	if (wk_cab_read(cab, file, &plain, &err))
		assert(plain.len == 6 + (size_t)file->size_bytes);
	else
		assert(plain.len == 6 && err.text[0] != '\0');
	assert(plain.at[plain.len] == '\0');
	wk_buf_fini(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_cab cab;
	struct wk_err err = { 0 };
	unsigned count = 0;

	if (!wk_cab_open(wk_bytes_of(data, size), &cab, &err)) {
		assert(err.code != WK_OK && !cab.files);
		return 0;
	}
	for (size_t i = 0; i < cab.file_count; i++) {
		const struct wk_cab_file *file = &cab.files[i];

		if (file->name.len)
			sum ^= wk_hash_bytes(file->name.at, file->name.len);
		if (count < MOST_READ && file->offset + file->size_bytes < MOST_SIZE) {
			read_file(&cab, file);
			count++;
		}
	}
	wk_cab_close(&cab);
	return 0;
}
