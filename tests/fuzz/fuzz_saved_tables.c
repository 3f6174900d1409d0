/* Any bytes as a saved symbol table and as a saved kernel table: ask them.
 *
 * The numbers in front are set to what fits every other time, since few inputs would get past. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/kernel/kallsyms_table.h"
#include "symbols/object/symtab.h"

static void check_symbols(const void *bytes, size_t size)
{
	struct wk_symtab *tab = wk_symtab_load(wk_bytes_of(bytes, size), NULL);
	struct wk_obj_symbol found;
	size_t sum = 0;

	if (!tab)
		return;
	for (uint32_t i = 0; i < wk_symtab_count(tab); i++) {
		struct wk_obj_symbol row = wk_symtab_at(tab, i);

		sum += row.name.len ? (size_t)row.name.at[row.name.len - 1] : 0;
		if (wk_symtab_find(tab, row.vaddr + i % 5, &found))
			assert(row.vaddr + i % 5 - found.vaddr < found.size_bytes);
	}
	wk_symtab_find(tab, UINT64_MAX, &found);
	wk_symtab_find(tab, 0, &found);
	assert(sum != 1 || wk_symtab_count(tab) > 0);
	wk_symtab_free(tab);
}

/* Of the moment that the bytes themselves name. */
static void check_kernel(const void *bytes, size_t size)
{
	struct wk_kallsyms_moment moment = { 0 };
	struct wk_kallsym found;
	struct wk_kallsyms *k;
	size_t sum = 0;

	if (size >= 8 + sizeof(moment))
		memcpy(&moment, (const char *)bytes + 8, sizeof(moment));
	k = wk_kallsyms_load(wk_bytes_of(bytes, size), &moment, NULL);
	if (!k)
		return;
	for (uint64_t address = 0; address < 4096; address += 5)
		if (wk_kallsyms_find(k, address << (address % 7 * 8), &found)) {
			sum += found.name.len ? (size_t)found.name.at[found.name.len - 1] : 0;
			sum += found.module.len ? (size_t)found.module.at[found.module.len - 1] : 0;
			sum += wk_kallsyms_is_fleeting(&found);
		}
	wk_kallsyms_find(k, UINT64_MAX, &found);
	assert(sum == 0 || k->count > 0);
	wk_kallsyms_free(k);
}

/* One module, and as many rows as leave a third of the bytes for names. */
static void mend_kernel(uint8_t *bytes, size_t size)
{
	const uint32_t head[] = { 0x736b6b77, WK_KALLSYMS_VERSION };
	uint32_t counts[] = { (uint32_t)((size - 80) / 24), 1, 0 };

	counts[2] = (uint32_t)(size - 80 - counts[0] * 16);
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + 56, counts, sizeof(counts));
}

/* Rows and names that share what lies behind the head of 24 bytes. */
static void mend_symbols(uint8_t *bytes, size_t size)
{
	const uint32_t head[] = { 0x79736b77, 1, 0, 0 };
	uint32_t counts[2];

	counts[0] = (uint32_t)((size - 24) / 32);
	counts[1] = (uint32_t)(size - 24 - counts[0] * 16);
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + 16, counts, sizeof(counts));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = wk_alloc(size);

	if (size)
		memcpy(copy, data, size);
	check_symbols(copy, size);
	check_kernel(copy, size);
	if (size >= 80) {
		mend_kernel(copy, size);
		check_kernel(copy, size);
		memcpy(copy, data, size);
	}
	if (size >= 64) {
		mend_symbols(copy, size);
		check_symbols(copy, size);
	}
	wk_free(copy);
	return 0;
}
