/* One process of many that share a symbol cache, for test_cache.py.
 *
 *	cache_driver FOLDER SEED SECONDS MOST_BYTES
 *
 * Writes entries and reads them, in an order that the seed gives, until the time is over. What an
 * entry must hold follows from its name and its first number, so that each read can be judged:
 * exit code 1, with a line, at the first that is wrong. Prints what it did. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/os.h"
#include "symbols/cache/cache.h"

#define IDS 12

static uint32_t seed;

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

static struct wk_build_id id_of(uint32_t number)
{
	return (struct wk_build_id){ 3, { 0xca, 0xc4, (uint8_t)number } };
}

/* What section `kind` of the entry holds when its first number is `first`. */
static void fill(uint32_t *words, size_t count, uint32_t number, uint32_t kind, uint32_t first)
{
	uint32_t value = first;

	words[0] = first;
	for (size_t i = 1; i < count; i++) {
		value = value * 1664525u + number * 7 + kind;
		words[i] = value;
	}
}

static size_t count_of(uint32_t first)
{
	return 1 + first % 20000;
}

static bool write_one(struct wk_cache *cache, uint32_t number)
{
	uint32_t first = next_random();
	size_t count = count_of(first), size = count * sizeof(uint32_t);
	uint32_t *code = wk_alloc(size), *symbols = wk_alloc(size);
	struct wk_build_id id = id_of(number);
	struct wk_cache_section sections[] = {
		{ WK_CACHE_SYMBOLS, 1, wk_str_of((const char *)symbols, size) },
		{ WK_CACHE_CODE, 1, wk_str_of((const char *)code, size) },
	};
	bool ok;

	fill(symbols, count, number, WK_CACHE_SYMBOLS, first);
	fill(code, count, number, WK_CACHE_CODE, first);
	ok = wk_cache_write(cache, &id, sections, 2, NULL);
	wk_free(code);
	wk_free(symbols);
	return ok;
}

static bool is_right(struct wk_bytes bytes, uint32_t number, uint32_t kind)
{
	size_t size = wk_bytes_left(&bytes);
	uint32_t first;
	uint32_t *wanted;
	bool ok;

	if (size < sizeof(first))
		return false;
	memcpy(&first, bytes.at, sizeof(first));
	if (size != count_of(first) * sizeof(first))
		return false;
	wanted = wk_alloc(size);
	fill(wanted, count_of(first), number, kind, first);
	ok = memcmp(wanted, bytes.at, size) == 0;
	wk_free(wanted);
	return ok;
}

/* 1 for a hit, 0 for a miss, -1 for a lie. */
static int read_one(struct wk_cache *cache, uint32_t number)
{
	struct wk_build_id id = id_of(number);
	const struct wk_cache_entry *entry = wk_cache_find(cache, &id);

	if (!entry)
		return 0;
	for (uint32_t kind = WK_CACHE_SYMBOLS; kind <= WK_CACHE_CODE; kind += 2)
		if (!is_right(wk_cache_section(entry, kind, 1), number, kind))
			return -1;
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t hits = 0, misses = 0, writes = 0, failures = 0, until;

	if (argc != 5)
		return 2;
	seed = (uint32_t)strtoul(argv[2], NULL, 10);
	until = wk_os_clock_ns() + strtoull(argv[3], NULL, 10) * 1000000000u;
	while (wk_os_clock_ns() < until) {
		struct wk_cache_options options = { argv[1], strtoull(argv[4], NULL, 10) };
		struct wk_cache *cache = wk_cache_open(&options);

		for (int i = 0; i < 6; i++) {
			uint32_t number = next_random() % IDS;
			int found = read_one(cache, number);

			if (found < 0) {
				printf("entry %u is wrong\n", number);
				return 1;
			}
			hits += found;
			misses += !found;
			if (next_random() % 3)
				continue;
			if (write_one(cache, number))
				writes++;
			else
				failures++;
		}
		wk_cache_close(cache);
	}
	printf("hits %" PRIu64 " misses %" PRIu64 " writes %" PRIu64 " failures %" PRIu64 "\n",
	       hits, misses, writes, failures);
	return 0;
}
