/* Any bytes as a program database: all modules are loaded and asked for places, all publics are
 * told. What one says is to be the same when it is asked twice, and when its modules are read in
 * small pieces. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/pdb/internal.h"

#define MOST_FRAMES 300

static bool look_at(void *context, const struct wk_pdb_public *symbol)
{
	uint64_t *sum = context;

	for (size_t i = 0; i < symbol->name.len; i++)
		*sum += (uint8_t)symbol->name.at[i];
	*sum += symbol->rva + symbol->is_function;
	return true;
}

static void ask(struct wk_code_index *index, uint64_t rva)
{
	struct wk_place places[MOST_FRAMES];
	size_t count = wk_code_index_places(index, rva, places, MOST_FRAMES), sum = 0;

	assert(count <= MOST_FRAMES);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < places[i].function.len; k++)
			sum += (uint8_t)places[i].function.at[k];
		for (size_t k = 0; k < places[i].file.len; k++)
			sum += (uint8_t)places[i].file.at[k];
	}
	assert(sum < SIZE_MAX);
}

static void ask_all(struct wk_pdb *pdb, struct wk_code_index *index)
{
	for (uint64_t rva = 0; rva < 0x2000; rva += 8) {
		ask(index, rva);
		assert(wk_pdb_section_end(pdb, rva) == 0 || wk_pdb_section_end(pdb, rva) > rva);
	}
	ask(index, UINT32_MAX);
}

static void load_all(struct wk_pdb *pdb, struct wk_code_index *index)
{
	wk_pdb_fill(pdb, index);
	for (uint32_t i = 0; i < pdb->unit_count; i++) {
		struct wk_err fault = { 0 };
		bool ok = wk_pdb_load(pdb, i, index, &fault);

		assert(ok || fault.code != WK_OK);
		assert(wk_code_index_has(index, i));
	}
}

static bool is_same(const struct wk_place *a, const struct wk_place *b)
{
	return wk_str_eq(a->function, b->function) && wk_str_eq(a->file, b->file) &&
	       a->line == b->line;
}

static void compare(const struct wk_code_index *whole, const struct wk_code_index *pieces)
{
	struct wk_place a[MOST_FRAMES], b[MOST_FRAMES];

	for (uint64_t rva = 0; rva < 0x2000; rva++) {
		size_t count = wk_code_index_places(whole, rva, a, MOST_FRAMES);

		assert(wk_code_index_places(pieces, rva, b, MOST_FRAMES) == count);
		for (size_t i = 0; i < count; i++)
			assert(is_same(&a[i], &b[i]));
	}
}

/* Names are made as long as there is a budget for them, which pieces spend on some of them twice.
 */
static void read_in_pieces(const uint8_t *data, size_t size, const struct wk_code_index *whole)
{
	struct wk_pdb *pdb = wk_pdb_open(data, size, NULL);
	struct wk_code_index *pieces = wk_code_index_new();

	assert(pdb);
	pdb->piece_bytes = 16;
	load_all(pdb, pieces);
	if (pdb->text_budget > 0)
		compare(whole, pieces);
	wk_code_index_free(pieces);
	wk_pdb_free(pdb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_pdb *pdb = wk_pdb_open(data, size, &err);
	struct wk_code_index *index;
	struct wk_buf key = { 0 };
	uint64_t first = 0, second = 0;

	if (!pdb) {
		assert(err.code != WK_OK && err.text[0]);
		return 0;
	}
	index = wk_code_index_new();
	load_all(pdb, index);
	read_in_pieces(data, size, index);
	wk_pdb_each_public(pdb, look_at, &first);
	wk_pdb_each_public(pdb, look_at, &second);
	assert(first == second);
	assert(wk_pdb_is_stripped(pdb) || pdb->unit_count > 0);
	wk_pdb_id_add(&key, wk_pdb_id(pdb));
	assert(key.len > 8);
	ask_all(pdb, index);
	wk_buf_fini(&key);
	wk_code_index_free(index);
	wk_pdb_free(pdb);
	return 0;
}
