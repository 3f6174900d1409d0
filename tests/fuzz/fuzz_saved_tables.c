/* Any bytes as a saved symbol table, as saved unwind rows and as a saved kernel table: ask them,
 * walk by them, save them again.
 *
 * The numbers in front are set to what fits every other time, since few inputs would get past. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/kernel/kallsyms_table.h"
#include "symbols/object/symtab.h"
#include "symbols/unwind/table.h"

#define STACK 0x7ff000000000u
#define CAP   32

static bool find(void *context, uint64_t address, struct wk_unwind_image *image)
{
	if (address >= 4096)
		return false;
	*image = (struct wk_unwind_image){ context, 0, 4096, 0 };
	return true;
}

static void walk(struct wk_unwind_table *table, const uint8_t *data, size_t size)
{
	struct wk_unwinder *unwinder = wk_unwinder_new(find, table);
	struct wk_event_stack stack = {
		.machine = WK_MACHINE_X86_64, .valid = (uint64_t)-1 >> 31, .size_bytes = size,
		.bytes = data,
	};
	uint64_t chain[CAP];
	enum wk_unwind_end end;

	for (uint64_t pc = 0; pc < 4096; pc += 97) {
		for (unsigned reg = 0; reg < WK_REGISTERS; reg++)
			stack.value[reg] = STACK + 8 * reg;
		stack.value[7] = STACK;
		stack.value[16] = pc;
		assert(wk_unwind(unwinder, &stack, chain, CAP, &end) <= CAP);
	}
	wk_unwinder_free(unwinder);
}

static void check_rules(const struct wk_rules *rules)
{
	if (!rules)
		return;
	assert(rules->count <= WK_REGISTERS && rules->return_address < WK_REGISTERS);
	for (unsigned i = 0; i < rules->count; i++)
		assert(rules->saved[i].reg < WK_REGISTERS);
}

static void check_unwind(const void *bytes, size_t size)
{
	struct wk_obj_section section = { .type = 1, .name = wk_str_c(".eh_frame") };
	struct wk_obj obj = { .is_64 = true, .sections = &section, .section_count = 1 };
	struct wk_buf saved = { 0 };
	struct wk_unwind_table *table;

	obj.machine = WK_MACHINE_X86_64;
	obj.at = bytes;
	obj.size_bytes = section.size_bytes = size;
	table = wk_unwind_table_new(&obj, NULL);
	if (wk_unwind_table_load(table, wk_bytes_of(bytes, size), NULL)) {
		for (uint64_t vaddr = 0; vaddr < 4096; vaddr += 13)
			check_rules(wk_unwind_table_rules(table, vaddr));
		walk(table, bytes, size);
	}
	wk_unwind_table_save(table, &saved);
	wk_unwind_table_free(table);
	table = wk_unwind_table_new(&obj, NULL);
	assert(wk_unwind_table_load(table, wk_bytes_of(saved.at, saved.len), NULL));
	for (uint64_t vaddr = 0; vaddr < 4096; vaddr += 13)
		check_rules(wk_unwind_table_rules(table, vaddr));
	wk_unwind_table_free(table);
	wk_buf_fini(&saved);
}

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

/* Four counts of 32 bits that share what lies behind the head of 32 bytes. */
static void mend(uint8_t *bytes, size_t size, uint32_t magic)
{
	uint32_t version = 1, counts[4];

	memcpy(bytes, &magic, sizeof(magic));
	memcpy(bytes + 4, &version, sizeof(version));
	memset(bytes + 8, 0, 8);
	if (magic == 0x79736b77) {
		counts[0] = (uint32_t)((size - 24) / 32);
		counts[1] = (uint32_t)(size - 24 - counts[0] * 16);
		memcpy(bytes + 16, counts, 8);
		return;
	}
	for (int i = 0; i < 4; i++)
		counts[i] = (uint32_t)((size - 32) / (i == 0 ? 64 : i == 1 ? 32 : i == 2 ? 16 : 4));
	memcpy(bytes + 16, counts, sizeof(counts));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = wk_alloc(size);

	if (size)
		memcpy(copy, data, size);
	check_symbols(copy, size);
	check_unwind(copy, size);
	check_kernel(copy, size);
	if (size >= 80) {
		mend_kernel(copy, size);
		check_kernel(copy, size);
		memcpy(copy, data, size);
	}
	if (size >= 64) {
		mend(copy, size, 0x79736b77);
		check_symbols(copy, size);
		memcpy(copy, data, size);
		mend(copy, size, 0x6e756b77);
		check_unwind(copy, size);
	}
	wk_free(copy);
	return 0;
}
