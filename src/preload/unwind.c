/* How to get from one frame to its caller: the row of its function's table, found once for each
 * address and remembered.
 *
 * The tables are where the loader put them (.eh_frame_hdr and .eh_frame of each loaded file). Code
 * without a table has frame pointers, or its caller stays unknown. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "preload/internal.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/rules.h"

#define ROWS     65536u
#define FEW_ROWS 8192u
#define MODULES  48u
#define VARIES   UINT32_MAX

#define MOST_TABLE_BYTES (UINT64_C(1) << 30)

/* DWARF's numbers of x86-64. */
#define REGISTER_BP     6
#define REGISTER_SP     7
#define REGISTER_RETURN 16
#define OP_BREG_BP      0x76
#define OP_DEREF        0x06

/* As an entry of nodes.c: the address is taken away before the row changes. */
struct entry {
	_Atomic uint64_t pc;
	_Atomic uint64_t row;
};

struct module {
	uintptr_t from, to;
	bool has_table;
	struct wk_cfi cfi;
};

/* The first ones, until half of these are taken: see nodes.c. */
static struct entry *entries;
static _Atomic uint32_t *distances; /* of each entry, by its number: wk_heap_unwind_varies */
static _Atomic uint32_t used_rows = FEW_ROWS;
static uint32_t row_count; /* that were found while few were used; under the lock */
static _Atomic uint32_t lock;
static struct module modules[MODULES]; /* under the lock, the next one to be replaced ... */
static uint32_t module_at;             /* ... is here */

_Atomic uint32_t wk_heap_code;

/* Code that was unloaded meanwhile was not noticed. */
bool wk_heap_unwind_begin(bool is_again)
{
	if (is_again)
		wk_heap_forget_code();
	else
		atomic_store(&lock, 0);
	if (!entries)
		entries = wk_heap_pages(ROWS * sizeof(*entries));
	if (!distances)
		distances = wk_heap_pages(ROWS * sizeof(*distances));
	return entries && distances;
}

void wk_heap_forget_code(void)
{
	wk_heap_lock(&lock);
	for (size_t i = 0; entries && i < atomic_load(&used_rows); i++)
		if (entries[i].pc)
			entries[i].pc = 0;
	memset(modules, 0, sizeof(modules));
	wk_heap_unlock(&lock);
	wk_heap_forget_nodes();
	atomic_fetch_add(&wk_heap_code, 1);
}

/* ---- the file that an address is in */

struct found {
	uintptr_t pc, from, to;
	const uint8_t *header;
	uintptr_t tables_from, tables_to; /* where the header's tables may be */
};

/* glibc before 2.35 has no faster way. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct found *found = context;
	const uint8_t *header = NULL;
	uintptr_t from = 0, to = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_EH_FRAME)
			header = (const uint8_t *)at;
		if (part->p_type != PT_LOAD)
			continue;
		if (!to || at < from)
			from = at;
		if (at + part->p_memsz > to)
			to = at + part->p_memsz;
	}
	if (found->pc < from || found->pc >= to)
		return 0;
	*found = (struct found){ found->pc, from, to, header, from, to };
	return 1;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
#pragma weak _dl_find_object
/* Of a program with holes between its segments only the one of the address is found. Its tables are
 * in another one: before that or, from what linkers do, before the dynamic section. */
static void find_tables(struct found *found, const struct link_map *map)
{
	uintptr_t header = (uintptr_t)found->header, dynamic = (uintptr_t)map->l_ld;

	found->tables_from = found->from;
	found->tables_to = found->to;
	if (header >= found->from && header < found->to)
		return;
	found->tables_from = header > MOST_TABLE_BYTES ? header - MOST_TABLE_BYTES : 0;
	found->tables_to = header < found->from ? found->from : dynamic;
}

static bool find_file(struct found *found)
{
	struct dl_find_object object;

	if (!_dl_find_object)
		return dl_iterate_phdr(look_at, found) != 0;
	if (_dl_find_object((void *)found->pc, &object) != 0)
		return false;
	found->from = (uintptr_t)object.dlfo_map_start;
	found->to = (uintptr_t)object.dlfo_map_end;
	found->header = object.dlfo_eh_frame;
	find_tables(found, object.dlfo_link_map);
	return true;
}
#else
static bool find_file(struct found *found)
{
	return dl_iterate_phdr(look_at, found) != 0;
}
#endif

static void open_tables(struct module *module, const struct found *found)
{
	uintptr_t header = (uintptr_t)found->header;
	struct wk_bytes all = wk_bytes_of(found->header, found->tables_to - header);

	module->has_table = wk_cfi_read_header(all, header, sizeof(void *), &module->cfi.header) &&
			    module->cfi.header.count &&
			    module->cfi.header.eh_frame_vaddr >= found->tables_from &&
			    module->cfi.header.eh_frame_vaddr < found->tables_to;
	if (!module->has_table)
		return;
	module->cfi.vaddr = module->cfi.header.eh_frame_vaddr;
	module->cfi.bytes = wk_bytes_of((const void *)(uintptr_t)module->cfi.vaddr,
					found->tables_to - module->cfi.vaddr);
	module->cfi.address_size = sizeof(void *);
}

static struct module *module_of(const struct found *found)
{
	struct module *module = modules;

	while (module < modules + MODULES && (module->from != found->from || !module->to))
		module++;
	if (module < modules + MODULES)
		return module;
	module = &modules[module_at++ % MODULES];
	memset(module, 0, sizeof(*module));
	module->from = found->from;
	module->to = found->to;
	if ((uintptr_t)found->header >= found->tables_from &&
	    (uintptr_t)found->header < found->tables_to)
		open_tables(module, found);
	return module;
}

/* ---- the row */

struct search {
	uintptr_t address;
	const struct wk_cfi *cfi;
	bool is_found;
	struct wk_cfi_state state;
};

static void take_row(void *context, uint64_t vaddr, const struct wk_cfi_state *state)
{
	struct search *search = context;

	if (vaddr > search->address)
		return;
	search->state = *state;
	search->is_found = true;
}

/* What compilers write for functions that align their stack: the CFA is in memory near the frame
 * pointer. */
static bool read_expression(const struct wk_cfi *cfi, int32_t place, int32_t *offset)
{
	struct wk_bytes code = cfi->bytes;
	uint64_t length;
	int64_t value;

	wk_bytes_skip(&code, (uint64_t)place);
	length = wk_uleb(&code);
	code = wk_bytes_slice(&code, length);
	if (wk_u8(&code) != OP_BREG_BP)
		return false;
	value = wk_sleb(&code);
	if (wk_u8(&code) != OP_DEREF || code.bad || wk_bytes_left(&code))
		return false;
	*offset = (int32_t)value;
	return true;
}

static struct wk_heap_unwind row_from(const struct search *search)
{
	const struct wk_cfi_state *state = &search->state;
	struct wk_heap_unwind row = { .bp = WK_HEAP_BP_SAME, .offset = state->cfa_value };

	if (state->kind[REGISTER_RETURN] == WK_RULE_UNDEFINED)
		return (struct wk_heap_unwind){ .kind = WK_HEAP_UNWIND_ROOT };
	if (state->cfa_kind == WK_CFA_REGISTER && state->cfa_register == REGISTER_SP)
		row.kind = WK_HEAP_UNWIND_SP;
	else if (state->cfa_kind == WK_CFA_REGISTER && state->cfa_register == REGISTER_BP)
		row.kind = WK_HEAP_UNWIND_BP;
	else if (state->cfa_kind == WK_CFA_EXPRESSION &&
		 read_expression(search->cfi, state->cfa_value, &row.offset))
		row.kind = WK_HEAP_UNWIND_AT_BP;
	if (state->kind[REGISTER_RETURN] != WK_RULE_AT ||
	    state->value[REGISTER_RETURN] != -(int32_t)sizeof(void *))
		row.kind = WK_HEAP_UNWIND_NONE;
	if (state->kind[REGISTER_BP] == WK_RULE_AT && state->value[REGISTER_BP] > INT16_MIN &&
	    state->value[REGISTER_BP] <= INT16_MAX)
		row.bp = (int16_t)state->value[REGISTER_BP];
	else if (state->kind[REGISTER_BP] != WK_RULE_SAME && row.kind != WK_HEAP_UNWIND_AT_BP)
		row.kind = WK_HEAP_UNWIND_NONE;
	else if (row.kind == WK_HEAP_UNWIND_AT_BP)
		row.bp = 0; /* such a function keeps it where its own one points: see walk.c */
	return row;
}

static const struct wk_heap_unwind by_frame_pointer = {
	.kind = WK_HEAP_UNWIND_BP, .offset = 16, .bp = -16 };

static struct wk_heap_unwind compute(uintptr_t address)
{
	struct found found = { .pc = address };
	struct search search = { .address = address };
	struct module *module;
	struct wk_cfi_fde fde;

	if (!find_file(&found))
		return by_frame_pointer;
	module = module_of(&found);
	if (!module->has_table || !wk_cfi_find(&module->cfi, address, &fde))
		return by_frame_pointer;
	if (fde.cie->is_signal)
		return (struct wk_heap_unwind){ .kind = WK_HEAP_UNWIND_SIGNAL };
	search.cfi = &module->cfi;
	wk_cfi_run(&module->cfi, &fde, take_row, &search);
	return search.is_found ? row_from(&search) : (struct wk_heap_unwind){ 0 };
}

/* ---- what is remembered */

static inline uint64_t packed(struct wk_heap_unwind row)
{
	return (uint32_t)row.offset | (uint64_t)(uint16_t)row.bp << 32 | (uint64_t)row.kind << 48;
}

static inline struct wk_heap_unwind unpacked(uint64_t row)
{
	return (struct wk_heap_unwind){ .offset = (int32_t)(uint32_t)row,
				     .bp = (int16_t)(row >> 32),
				     .kind = (uint8_t)(row >> 48) };
}

static inline struct entry *entry_of(uintptr_t pc)
{
	uint64_t hash = pc * UINT64_C(0x9e3779b97f4a7c15);

	return entries +
	       ((hash >> 48) & (atomic_load_explicit(&used_rows, memory_order_relaxed) - 1));
}

static void set(struct entry *entry, uintptr_t pc, uint64_t row)
{
	atomic_store_explicit(&entry->pc, 0, memory_order_release);
	atomic_store_explicit(&distances[entry - entries], 0, memory_order_relaxed);
	atomic_store_explicit(&entry->row, row, memory_order_release);
	atomic_store_explicit(&entry->pc, pc, memory_order_release);
}

static void use_all(void)
{
	atomic_store(&used_rows, ROWS);
	for (size_t i = 0; i < FEW_ROWS; i++) {
		uintptr_t pc = atomic_load(&entries[i].pc);

		if (pc)
			set(entry_of(pc), pc, atomic_load(&entries[i].row));
	}
}

static __attribute__((noinline)) struct wk_heap_unwind add(uintptr_t pc)
{
	struct wk_heap_unwind row;

	wk_heap_lock(&lock);
	row = compute(pc - 1);
	set(entry_of(pc), pc, packed(row));
	if (++row_count == FEW_ROWS / 2)
		use_all();
	wk_heap_unlock(&lock);
	return row;
}

struct wk_heap_unwind wk_heap_unwind_at(uintptr_t pc)
{
	struct entry *entry = entry_of(pc);

	if (WK_LIKELY(atomic_load_explicit(&entry->pc, memory_order_acquire) == pc)) {
		uint64_t row = atomic_load_explicit(&entry->row, memory_order_acquire);

		if (WK_LIKELY(atomic_load_explicit(&entry->pc, memory_order_relaxed) == pc))
			return unpacked(row);
	}
	return add(pc);
}

/* An entry may be another address's meanwhile. Then a distance that did not change may seem to
 * have, which costs time. */
bool wk_heap_unwind_varies(uintptr_t pc, uintptr_t bytes)
{
	_Atomic uint32_t *at = &distances[entry_of(pc) - entries];
	uint32_t now = bytes < VARIES ? (uint32_t)bytes : VARIES - 1;
	uint32_t before = atomic_load_explicit(at, memory_order_relaxed);

	if (before == now || before == VARIES)
		return before == VARIES;
	atomic_store_explicit(at, before ? VARIES : now, memory_order_relaxed);
	if (before)
		atomic_fetch_add(&wk_heap_code, 1); /* what was remembered may be wrong */
	return before;
}
