/* Any bytes as a saved code index: load it, ask it, add to it, save it and load that.
 *
 * Bytes that were never a code index end at the first check, so the rest of the input is put
 * behind a head that fits as well: what is inside a file is then damaged in every way. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/code_nodes.h"
#include "base/mem.h"

#define HEAD_BYTES  80
#define MOST_PLACES 300

static void check_places(const struct wk_place *places, size_t count, size_t cap)
{
	size_t sum = 0;

	assert(count <= cap);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < places[i].function.len; j++)
			sum += (uint8_t)places[i].function.at[j];
		for (size_t j = 0; j < places[i].file.len; j++)
			sum += (uint8_t)places[i].file.at[j];
	}
	assert(sum < SIZE_MAX);
}

static void ask(struct wk_code_index *index, uint64_t vaddr)
{
	struct wk_place places[MOST_PLACES];
	struct wk_place_ids ids[2];
	uint32_t missing;

	wk_code_index_expect(index, vaddr);
	assert(wk_code_index_place_ids(index, vaddr, ids, 2, &missing) <= 2);
	assert(missing == WK_NO_UNIT || !wk_code_index_has(index, missing));
	check_places(places, wk_code_index_places(index, vaddr, places, MOST_PLACES), MOST_PLACES);
	check_places(places, wk_code_index_places(index, vaddr, places, 2), 2);
	wk_code_index_has(index, wk_code_index_unit_at(index, vaddr));
	wk_code_index_str(index, (uint32_t)vaddr);
}

/* Every number in the input may be an address. */
static void ask_all(struct wk_code_index *index, const uint8_t *data, size_t size)
{
	for (size_t at = 0; at + 8 <= size && at < 4096; at += 4) {
		uint64_t wide;
		uint32_t narrow;

		memcpy(&wide, data + at, sizeof(wide));
		memcpy(&narrow, data + at, sizeof(narrow));
		ask(index, wide);
		ask(index, narrow);
		ask(index, wide - 1);
	}
	for (uint64_t vaddr = 0; vaddr < 256; vaddr++)
		ask(index, vaddr);
}

static void add(struct wk_code_index *index, uint32_t unit)
{
	uint32_t name = wk_code_index_text(index, wk_str_c("main"));
	uint32_t file = wk_code_index_text(index, wk_str_c("a file"));
	struct code_node nodes[] = { { 0 }, { 0, name, 0, 0, 0 }, { 1, name, file, 3, 4 } };
	struct wk_code_span spans[] = { { 1, 1 }, { 5, 2 }, { 9, 0 } };
	struct wk_code_line lines[] = { { 1, file, 10, 0 }, { 6, file, 0, 0 } };
	struct wk_code_block block = { 0x100, spans, lines, 3, 2 };

	code_add(index, unit, nodes, 3, &block);
	assert(wk_code_index_has(index, unit));
	assert(wk_code_index_is_changed(index) || !wk_code_index_has(index, unit + 1));
}

static void load_and_ask(const void *bytes, size_t len, const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_code_index *index = wk_code_index_load(wk_bytes_of(bytes, len), &err);
	struct wk_buf saved = { 0 };
	bool is_new;

	if (!index) {
		assert(err.code != WK_OK);
		return;
	}
	ask_all(index, data, size);
	is_new = !wk_code_index_has(index, 26);
	for (uint32_t unit = 0; unit < 40; unit += 13)
		add(index, unit);
	ask_all(index, data, size);
	wk_code_index_save(index, &saved);
	assert(saved.len < 8 * len + 65536);
	wk_code_index_free(index);
	index = wk_code_index_load(wk_bytes_of(saved.at, saved.len), &err);
	assert(index && (!is_new || wk_code_index_has(index, 26)));
	ask_all(index, data, size);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

/* The numbers of a head that leads to everything in `size` bytes behind it. */
static void write_head(uint64_t *head, size_t size)
{
	struct wk_code_index *empty = wk_code_index_new();
	struct wk_buf saved = { 0 };
	uint64_t quarter = (size / 4) & ~(uint64_t)7;

	wk_code_index_save(empty, &saved);
	wk_code_index_free(empty);
	memcpy(head, saved.at, HEAD_BYTES);
	wk_buf_fini(&saved);
	head[1] = HEAD_BYTES + size;
	head[2] = HEAD_BYTES;
	head[3] = size;
	head[4] = HEAD_BYTES;
	for (head[5] = 1; head[5] * 16 <= quarter; head[5] *= 2)
		;
	if (head[5] * 8 > size)
		head[5] = 0;
	head[6] = HEAD_BYTES + quarter;
	head[7] = size - quarter;
	head[8] = HEAD_BYTES;
	head[9] = size / 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *copy = wk_alloc(HEAD_BYTES + size);

	memcpy(copy, data, size);
	load_and_ask(copy, size, data, size);
	write_head(copy, size);
	memcpy(copy + HEAD_BYTES / 8, data, size);
	load_and_ask(copy, HEAD_BYTES + size, data, size);
	wk_free(copy);
	return 0;
}
