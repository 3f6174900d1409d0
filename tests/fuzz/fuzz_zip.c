/* Any bytes as a zip archive: what opens is in bounds and apart, and each member is read. */
#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/packed/zip.h"

/* Few are read of many: each may make room for what its size claims. */
#define MOST_READ 16

static uint64_t sum;

static void look(struct wk_bytes bytes, const struct wk_zip_member *member)
{
	assert(member->packed.at >= bytes.start && member->packed.end <= bytes.end);
	assert(member->packed.at <= member->packed.end);
	if (member->name.len)
		sum ^= wk_hash_bytes(member->name.at, member->name.len);
}

static void read_member(const struct wk_zip_member *member)
{
	struct wk_buf plain = { 0 };
	struct wk_err err = { 0 };

	wk_buf_add_text(&plain, "before");
	if (wk_zip_read(member, &plain, &err))
		assert(plain.len == 6 + member->size_bytes);
	else
		assert(plain.len == 6 && err.text[0] != '\0');
	wk_buf_fini(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size);
	struct wk_zip zip;
	struct wk_err err = { 0 };
	size_t packed = 0;

	if (!wk_zip_open(bytes, &zip, &err)) {
		assert(err.code != WK_OK && !zip.members);
		return 0;
	}
	for (size_t i = 0; i < zip.count; i++) {
		look(bytes, &zip.members[i]);
		packed += wk_bytes_left(&zip.members[i].packed);
		if (i < MOST_READ)
			read_member(&zip.members[i]);
	}
	assert(packed <= size);
	wk_zip_close(&zip);
	return 0;
}
