/* Any bytes as a file of the symbol cache: what is handed out lies inside of it.
 *
 * Checksums would keep all but the head from being looked at, so the same bytes come a second time
 * with the head and the sums that fit them. What sections hold is fuzz_saved_tables' and
 * fuzz_code_index's. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "symbols/cache/cache.h"

/* As cache.c lays a file out. */
enum {
	AT_CHECKSUM = 8,
	AT_SIZE = 16,
	AT_ID = 24,
	AT_COUNT = 48,
	AT_TABLE = 56,
	SECTION_BYTES = 32,
	MOST_SECTIONS = 64,
};

static const struct wk_build_id id = { 4, { 0xde, 0xad, 0xbe, 0xef } };

static char path_of_folder[64];

static void remove_folder(void)
{
	char file[100];

	snprintf(file, sizeof(file), "%s/deadbeef.wick", path_of_folder);
	unlink(file);
	rmdir(path_of_folder);
}

static const char *folder(void)
{
	if (!path_of_folder[0]) {
		snprintf(path_of_folder, sizeof(path_of_folder), "/tmp/wick-fuzz-cache-%ld",
			 (long)getpid());
		mkdir(path_of_folder, 0700);
		atexit(remove_folder);
	}
	return path_of_folder;
}

static void put(uint8_t *file, size_t at, uint64_t value, size_t size_bytes)
{
	memcpy(file + at, &value, size_bytes);
}

static uint64_t get(const uint8_t *file, size_t at)
{
	uint64_t value;

	memcpy(&value, file + at, sizeof(value));
	return value;
}

static void mend(uint8_t *file, size_t size)
{
	uint32_t count;

	put(file, 0, 0x686b6377 | (uint64_t)1 << 32, 8);
	put(file, AT_SIZE, size, 8);
	put(file, AT_ID, 0xefbeadde04, 8);
	memcpy(&count, file + AT_COUNT, sizeof(count));
	count = (uint32_t)(count % (MOST_SECTIONS + 1));
	if (count > (size - AT_TABLE) / SECTION_BYTES)
		count = (uint32_t)((size - AT_TABLE) / SECTION_BYTES);
	put(file, AT_COUNT, count, 4);
	for (uint32_t i = 0; i < count; i++) {
		size_t row = AT_TABLE + i * SECTION_BYTES;
		uint64_t offset = get(file, row + 8), len = get(file, row + 16);

		if (offset <= size && len <= size - offset)
			put(file, row + 24, wk_checksum(file + offset, (size_t)len), 8);
	}
	put(file, AT_CHECKSUM,
	    wk_checksum(file + AT_SIZE, AT_TABLE - AT_SIZE + count * SECTION_BYTES), 8);
}

static void check(const uint8_t *file, size_t size)
{
	struct wk_cache_options options = { folder(), 0 };
	struct wk_cache *cache = wk_cache_open(&options);
	const struct wk_cache_entry *entry;
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "%s/deadbeef.wick", folder());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert(fd >= 0 && write(fd, file, size) == (ssize_t)size);
	close(fd);
	entry = wk_cache_find(cache, &id);
	for (uint32_t kind = 0; kind < 6; kind++) {
		struct wk_bytes bytes = wk_cache_section(entry, kind, 1);
		uint64_t sum = wk_checksum(bytes.at, wk_bytes_left(&bytes));

		assert(wk_bytes_left(&bytes) <= size &&
		       (sum || !bytes.at || bytes.at == bytes.end));
	}
	wk_cache_close(cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file = wk_alloc(size + AT_TABLE);

	check(data, size);
	memset(file, 0, AT_TABLE);
	if (size)
		memcpy(file, data, size);
	if (size < AT_TABLE)
		size = AT_TABLE;
	mend(file, size);
	check(file, size);
	wk_free(file);
	return 0;
}
