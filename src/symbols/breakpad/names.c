/* PUBLIC records of a Breakpad file as a table of names. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/breakpad/internal.h"

/* Starts of publics and functions, sorted by address; the `row` of a public is its number. */
static struct wk_sort_key *sorted_starts(const struct wk_breakpad *b, size_t count)
{
	struct wk_sort_key *keys = wk_alloc((count + 1) * sizeof(*keys));

	for (size_t i = 0; i < b->public_count; i++)
		keys[i] = (struct wk_sort_key){ b->publics[i].address, (uint32_t)i };
	for (size_t i = 0; i < b->range_count; i++)
		keys[b->public_count + i] = (struct wk_sort_key){
			b->ranges[i].start, (uint32_t)(b->public_count + i) };
	wk_sort_keys(keys, count);
	return keys;
}

/* A function at the same address knows more; of several publics the first has it. */
static bool is_hidden(const struct wk_breakpad *b, const struct wk_sort_key *keys, size_t count,
		      size_t at)
{
	if (keys[at].row >= b->public_count || (at > 0 && keys[at - 1].key == keys[at].key))
		return true;
	while (at + 1 < count && keys[at + 1].key == keys[at].key)
		if (keys[++at].row >= b->public_count)
			return true;
	return false;
}

/* Up to the next one; the last covers everything after it, as in Breakpad itself. */
static uint64_t size_of(const struct wk_sort_key *keys, size_t count, size_t at)
{
	size_t next = at + 1;
	uint64_t size_bytes;

	while (next < count && keys[next].key == keys[at].key)
		next++;
	size_bytes = next < count ? keys[next].key - keys[at].key : UINT32_MAX;
	return size_bytes < UINT32_MAX ? size_bytes : UINT32_MAX;
}

struct wk_symtab *wk_breakpad_names(const struct wk_breakpad *b)
{
	size_t count = b->public_count + b->range_count;
	bool fits = count < UINT32_MAX;
	struct wk_sort_key *keys = sorted_starts(b, fits ? count : 0);
	struct wk_obj_symbol *names = wk_alloc_zeroed(b->public_count + 1, sizeof(*names));
	struct wk_symtab *tab;
	uint32_t found = 0;

	for (size_t i = 0; fits && i < count; i++) {
		if (is_hidden(b, keys, count, i))
			continue;
		names[found++] = (struct wk_obj_symbol){
			.name = b->publics[keys[i].row].name,
			.vaddr = keys[i].key,
			.size_bytes = size_of(keys, count, i),
			.binding = WK_STB_GLOBAL,
			.type = WK_STT_FUNC,
		};
	}
	tab = wk_symtab_new_of(names, found);
	WK_FREE_ALL(names, keys);
	return tab ? tab : wk_symtab_new_of(NULL, 0);
}
