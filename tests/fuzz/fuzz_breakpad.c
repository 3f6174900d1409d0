/* Any text as a Breakpad file: all units are loaded and asked for places, and what is saved of
 * them too. */
#include <assert.h>

#include "base/hash.h"
#include "symbols/breakpad/internal.h"

static uint64_t sum;

static void touch(struct wk_str text)
{
	if (text.len)
		sum ^= wk_hash_bytes(text.at, text.len);
}

static void ask(struct wk_code_index *index, uint64_t address)
{
	struct wk_place places[8];
	size_t count = wk_code_index_places(index, address, places, 8);

	assert(count <= 8);
	for (size_t i = 0; i < count; i++) {
		touch(places[i].function);
		touch(places[i].file);
	}
}

/* Addresses that the text is likely to have something at. */
static void ask_all(struct wk_code_index *index, struct wk_bytes text)
{
	for (uint64_t address = 0x1000; address < 0x1080; address++)
		ask(index, address);
	for (int i = 0; i < 64 && wk_bytes_left(&text) >= 8; i++)
		ask(index, wk_u64le(&text) & 0xffff);
}

static void check_publics(const struct wk_breakpad *breakpad)
{
	for (size_t i = 0; i < breakpad->public_count; i++)
		touch(breakpad->publics[i].name);
}

/* The same as a table, in which no name covers where another begins. */
static void check_names(const struct wk_breakpad *breakpad)
{
	struct wk_symtab *names = wk_breakpad_names(breakpad);
	struct wk_obj_symbol last = { 0 }, symbol;

	for (uint32_t i = 0; i < wk_symtab_count(names); i++) {
		symbol = wk_symtab_at(names, i);
		assert(i == 0 || symbol.vaddr - last.vaddr >= last.size_bytes);
		touch(symbol.name);
		last = symbol;
		assert(wk_symtab_find(names, symbol.vaddr, &symbol) || symbol.name.len == 0);
	}
	wk_symtab_free(names);
}

static void load_all(struct wk_breakpad *breakpad, struct wk_bytes text)
{
	struct wk_code_index *index = wk_code_index_new(), *loaded;
	struct wk_buf saved = { 0 };
	uint32_t count = (uint32_t)breakpad->unit_count;

	wk_breakpad_fill(breakpad, index);
	for (uint32_t i = 0; i < count; i++)
		assert(wk_breakpad_load(breakpad, i, index, NULL) && wk_code_index_has(index, i));
	assert(!wk_breakpad_load(breakpad, count, index, NULL));
	ask_all(index, text);
	wk_code_index_save(index, &saved);
	loaded = wk_code_index_load(wk_bytes_of(saved.at, saved.len), NULL);
	assert(loaded);
	ask_all(loaded, text);
	wk_code_index_free(loaded);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_err err = { 0 };
	struct wk_breakpad *breakpad = wk_breakpad_open(data, size, &err);

	assert(breakpad || err.code != WK_OK);
	if (!breakpad)
		return 0;
	touch(wk_breakpad_module(breakpad)->key);
	touch(wk_breakpad_module(breakpad)->name);
	check_publics(breakpad);
	check_names(breakpad);
	load_all(breakpad, wk_bytes_of(data, size));
	wk_breakpad_free(breakpad);
	return 0;
}
