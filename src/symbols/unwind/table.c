#include "symbols/unwind/table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "symbols/object/object_symbols.h"
#include "symbols/object/symtab.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/code.h"
#include "symbols/unwind/frame.h"

/* The largest distance from the entry point at which code is still assumed to belong to it. */
#define ENTRY_BYTES 64

/* How many functions in .fini_array are looked at, and how far each may reach. */
#define FINI_LIMIT 16
#define FINI_BYTES 128

/* What linkers for x86 and AArch64 write; on AArch64 the first slot is two of them. */
#define PLT_SLOT_BYTES 16

/* Code without symbols is looked through in stretches of this size, and not for ever. */
#define STRETCH_BYTES (4u << 20)
#define STRETCH_LIMIT 16

/* Cached for an address about which the code says nothing. */
#define NO_RULES UINT32_MAX

/* A damaged section may have entries that share bytes. Each byte is executed this often before
 * the table gives up compiling; a sound one needs each once. */
#define WORK_PER_BYTE 8

enum source { EH_FRAME, DEBUG_FRAME, SEPARATE_DEBUG_FRAME, SOURCES };

/* A compiled entry: `row_count` rows from `first_row` on. */
struct compiled {
	uint64_t start, size_bytes;
	uint32_t first_row, row_count;
};

struct row {
	uint32_t distance; /* from the entry's start */
	uint32_t rules;    /* index in `rules` */
};

struct wk_unwind_table {
	const struct wk_obj *obj, *debug;
	bool is_made;          /* at run time: `compiled` is sorted, and all there is */
	bool may_be_c_library; /* or contain one: threads and coroutines may begin in it */
	struct wk_cfi sections[SOURCES];
	uint64_t work_left;

	struct wk_map compiled_at; /* section and offset of an FDE -> id in `compiled` */
	struct compiled *compiled; /* [0] is unused */
	size_t compiled_count, compiled_cap;
	struct row *rows;
	size_t row_count, row_cap;

	struct wk_arena arena;
	struct wk_index rules_index; /* ids are indexes in `rules` */
	struct wk_rules **rules;     /* [0] is unused */
	size_t rules_count, rules_cap;

	const struct wk_symtab *symbols; /* created when code must be followed */
	struct wk_symtab *own_symbols;   /* if the owner supplies none */
	const struct wk_symtab *(*lend_symbols)(void *context);
	void *lender;
	struct wk_code_starts starts; /* if there are no symbols either */
	unsigned stretches;
	struct wk_map rules_at; /* address -> index in `rules`, or NO_RULES */

	struct wk_obj_bound *bounds; /* of a PE, created when a function is looked up */
	size_t bound_count;
	bool has_bounds;
};

/* The section that begins at `vaddr`, or everything after it if section headers are missing. */
static struct wk_bytes section_at(const struct wk_obj *obj, uint64_t vaddr)
{
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].vaddr == vaddr && obj->sections[i].size_bytes)
			return wk_obj_bytes(obj, &obj->sections[i]);
	return wk_obj_bytes_from(obj, vaddr);
}

static uint64_t section_vaddr(const struct wk_obj *obj, const char *name)
{
	const struct wk_obj_section *section = wk_obj_section(obj, name);

	return section ? section->vaddr : 0;
}

static void open_section(struct wk_cfi *cfi, const struct wk_obj *obj, const char *name)
{
	const struct wk_obj_section *section = wk_obj_section(obj, name);

	if (!section || section->flags & WK_SHF_COMPRESSED)
		return;
	cfi->bytes = wk_obj_bytes(obj, section);
	cfi->vaddr = section->vaddr;
}

/* .eh_frame: at the address in the search table, otherwise by its name. */
static void open_eh_frame(struct wk_cfi *cfi, const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *s = &obj->segments[i];

		if (s->type != WK_PT_GNU_EH_FRAME ||
		    !wk_cfi_read_header(wk_obj_segment_bytes(obj, s), s->vaddr, cfi->address_size,
					&cfi->header))
			continue;
		cfi->bytes = section_at(obj, cfi->header.eh_frame_vaddr);
		cfi->vaddr = cfi->header.eh_frame_vaddr;
		if (!cfi->bytes.bad)
			return;
	}
	cfi->header = (struct wk_cfi_header){ 0 };
	cfi->bytes = (struct wk_bytes){ 0 };
	open_section(cfi, obj, ".eh_frame");
}

struct wk_unwind_table *wk_unwind_table_new(const struct wk_obj *obj, const struct wk_obj *debug)
{
	struct wk_unwind_table *table = wk_alloc_zeroed(1, sizeof(*table));

	table->obj = obj;
	table->debug = debug;
	table->compiled_count = 1;
	table->rules_count = 1;
	for (int i = 0; i < SOURCES; i++) {
		struct wk_cfi *cfi = &table->sections[i];

		cfi->is_debug = i != EH_FRAME;
		cfi->address_size = obj->is_64 ? 8 : 4;
		cfi->text_vaddr = section_vaddr(obj, ".text");
		cfi->data_vaddr = section_vaddr(obj, ".got");
	}
	/* Windows does not unwind by call frame information, and that of a PE's debug information
	 * uses addresses relative to the image base. */
	if (obj->kind == WK_OBJ_PE)
		return table;
	table->may_be_c_library =
		obj->machine == WK_MACHINE_X86_64 && !wk_elf_needs(obj, "libc.so.6");
	open_eh_frame(&table->sections[EH_FRAME], obj);
	open_section(&table->sections[DEBUG_FRAME], obj, ".debug_frame");
	if (debug)
		open_section(&table->sections[SEPARATE_DEBUG_FRAME], debug, ".debug_frame");
	for (int i = 0; i < SOURCES; i++)
		table->work_left += WORK_PER_BYTE * (uint64_t)(table->sections[i].bytes.end -
							       table->sections[i].bytes.start);
	return table;
}

void wk_unwind_table_borrow_symbols(struct wk_unwind_table *table,
				    const struct wk_symtab *(*symbols)(void *context),
				    void *context)
{
	table->lend_symbols = symbols;
	table->lender = context;
}

void wk_unwind_table_free(struct wk_unwind_table *table)
{
	if (!table)
		return;
	for (int i = 0; i < SOURCES; i++)
		wk_cfi_fini(&table->sections[i]);
	wk_map_fini(&table->compiled_at);
	wk_map_fini(&table->rules_at);
	wk_index_fini(&table->rules_index);
	wk_symtab_free(table->own_symbols);
	wk_code_starts_fini(&table->starts);
	wk_free(table->bounds);
	wk_arena_fini(&table->arena);
	WK_FREE_ALL(table->compiled, table->rows, table->rules, table);
}

struct rules_key {
	const struct wk_rules *rules;
	size_t size_bytes;
};

static size_t rules_bytes(const struct wk_rules *rules)
{
	return sizeof(*rules) + rules->count * sizeof(rules->saved[0]);
}

static bool same_rules(const void *context, uint32_t id, const void *key)
{
	const struct wk_unwind_table *table = context;
	const struct rules_key *k = key;

	return rules_bytes(table->rules[id]) == k->size_bytes &&
	       memcmp(table->rules[id], k->rules, k->size_bytes) == 0;
}

/* The index of rules like these. They must have been zeroed before they were filled. */
static uint32_t intern(struct wk_unwind_table *table, const struct wk_rules *rules)
{
	struct rules_key key = { rules, rules_bytes(rules) };
	uint64_t hash = wk_hash_bytes(rules, key.size_bytes);
	uint32_t id = wk_index_find(&table->rules_index, hash, same_rules, table, &key);

	if (id)
		return id;
	id = (uint32_t)table->rules_count;
	WK_RESERVE(table->rules, table->rules_cap, id + 1u);
	table->rules[id] = wk_arena_alloc(&table->arena, key.size_bytes);
	memcpy(table->rules[id], rules, key.size_bytes);
	table->rules_count++;
	wk_index_add(&table->rules_index, hash, id);
	return id;
}

static void add_rules_of(const struct wk_cfi_state *state, struct wk_rules *rules)
{
	rules->is_plain = state->cfa_kind == WK_CFA_REGISTER;
	for (uint8_t reg = 0; reg < WK_REGISTERS; reg++) {
		if (state->kind[reg] == WK_RULE_SAME)
			continue;
		rules->is_plain = rules->is_plain && state->kind[reg] == WK_RULE_AT;
		rules->saved[rules->count++] =
			(struct wk_rule){ reg, state->kind[reg], state->value[reg] };
	}
}

static uint32_t intern_state(struct wk_unwind_table *table, const struct wk_cfi_state *state,
			     uint8_t return_address, bool is_signal, const struct wk_bytes *section)
{
	union {
		struct wk_rules rules;
		char room[sizeof(struct wk_rules) + WK_REGISTERS * sizeof(struct wk_rule)];
	} wide;

	memset(&wide, 0, sizeof(wide));
	wide.rules.cfa_kind = state->cfa_kind;
	wide.rules.cfa_register = state->cfa_register;
	wide.rules.cfa_value = state->cfa_value;
	wide.rules.return_address = return_address;
	wide.rules.is_signal = wide.rules.is_entered = is_signal;
	wide.rules.is_root = state->kind[return_address] == WK_RULE_UNDEFINED;
	add_rules_of(state, &wide.rules);
	if (!wide.rules.is_plain)
		wide.rules.section = section;
	return intern(table, &wide.rules);
}

struct compiler {
	struct wk_unwind_table *table;
	const struct wk_cfi_fde *fde;
	const struct wk_bytes *section; /* lives as long as the table */
	uint32_t first_row;
};

static void read_row(void *context, uint64_t vaddr, const struct wk_cfi_state *state)
{
	struct compiler *c = context;
	struct wk_unwind_table *table = c->table;
	const struct wk_cfi_cie *cie = c->fde->cie;
	struct row row = { .distance = (uint32_t)(vaddr - c->fde->start) };

	if (vaddr - c->fde->start > UINT32_MAX || table->row_count == UINT32_MAX)
		return;
	row.rules = intern_state(table, state, cie->return_address, cie->is_signal, c->section);
	if (table->row_count > c->first_row && table->rows[table->row_count - 1].rules == row.rules)
		return;
	*WK_APPEND(table->rows, table->row_count, table->row_cap) = row;
}

/* An entry with a damaged program keeps no rows: those before the fault may be wrong as well. */
static void compile(struct wk_unwind_table *table, const struct wk_cfi *cfi,
		    const struct wk_bytes *section, const struct wk_cfi_fde *fde,
		    struct compiled *compiled)
{
	uint64_t work = wk_bytes_left(&fde->program) + 1;
	struct compiler c = { table, fde, section, (uint32_t)table->row_count };

	*compiled = (struct compiled){
		.start = fde->start,
		.size_bytes = fde->size_bytes,
		.first_row = c.first_row,
	};
	if (work > table->work_left)
		return;
	table->work_left -= work;
	if (!wk_cfi_run(cfi, fde, read_row, &c))
		table->row_count = c.first_row;
	assert(table->row_count >= c.first_row);
	compiled->row_count = (uint32_t)table->row_count - c.first_row;
}

static const struct compiled *compiled_of(struct wk_unwind_table *table, enum source source,
					  const struct wk_cfi_fde *fde)
{
	uint32_t *id = wk_map_at(&table->compiled_at, fde->offset * SOURCES + source);

	if (!*id) {
		*id = (uint32_t)table->compiled_count++;
		WK_RESERVE(table->compiled, table->compiled_cap, table->compiled_count);
		compile(table, &table->sections[source], &table->sections[source].bytes, fde,
			&table->compiled[*id]);
	}
	return &table->compiled[*id];
}

/* An index in `rules`, or 0. */
static uint32_t row_at(const struct wk_unwind_table *table, const struct compiled *compiled,
		       uint64_t vaddr)
{
	const struct row *rows = table->rows ? table->rows + compiled->first_row : NULL;
	uint64_t distance = vaddr - compiled->start;
	uint32_t low = 0, high = compiled->row_count;

	WK_BISECT(low, high, rows[middle].distance <= distance);
	return low ? rows[low - 1].rules : 0;
}

static bool is_sigreturn(const struct wk_unwind_table *table, uint64_t vaddr)
{
	return wk_code_is_sigreturn(wk_obj_bytes_from(table->obj, vaddr), table->obj->machine);
}

/* An index in `rules`; 0 if the tables have none, or those of code must be used. */
static uint32_t rules_by_tables(struct wk_unwind_table *table, uint64_t vaddr)
{
	struct wk_cfi_fde fde;

	for (int i = 0; i < SOURCES; i++) {
		uint32_t id;

		if (!wk_cfi_find(&table->sections[i], vaddr, &fde))
			continue;
		/* A trampoline right behind this function is returned to, not from its end. */
		if (vaddr - fde.start == fde.size_bytes - 1 && is_sigreturn(table, vaddr + 1))
			return 0;
		id = row_at(table, compiled_of(table, (enum source)i, &fde), vaddr);
		if (id)
			return id;
	}
	return 0;
}

/* The part of a code segment around `vaddr`. */
static void read_stretch(struct wk_unwind_table *table, uint64_t vaddr)
{
	for (uint32_t i = 0; i < table->obj->segment_count; i++) {
		const struct wk_obj_segment *s = &table->obj->segments[i];
		struct wk_bytes code;
		uint64_t skip;

		if (s->type != WK_PT_LOAD || vaddr < s->vaddr || vaddr - s->vaddr >= s->file_size)
			continue;
		skip = (vaddr - s->vaddr) / STRETCH_BYTES * STRETCH_BYTES;
		code = wk_obj_bytes_from(table->obj, s->vaddr + skip);
		if (wk_bytes_left(&code) > STRETCH_BYTES)
			code.end = code.at + STRETCH_BYTES;
		wk_code_starts_read(&table->starts, code, s->vaddr + skip);
		return;
	}
}

static bool start_by_calls(struct wk_unwind_table *table, uint64_t vaddr, uint64_t *start,
			   uint64_t *size_bytes)
{
	const struct wk_code_starts *starts = &table->starts;

	if (vaddr < starts->vaddr || vaddr - starts->vaddr >= starts->size_bytes) {
		if (table->stretches++ >= STRETCH_LIMIT)
			return false;
		read_stretch(table, vaddr);
	}
	return wk_code_starts_find(starts, vaddr, start, size_bytes);
}

/* The loader calls the functions that .fini_array lists. That of gcc's startup files, which nearly
 * every image has, has neither tables nor, in a stripped image, a symbol. */
static bool start_by_array(const struct wk_obj *obj, uint64_t vaddr, uint64_t *start,
			   uint64_t *size_bytes)
{
	struct wk_bytes in = wk_obj_bytes(obj, wk_obj_section(obj, ".fini_array"));

	*size_bytes = FINI_BYTES;
	for (int i = 0; i < FINI_LIMIT; i++) {
		*start = wk_obj_word(obj, &in);
		if (!in.bad && vaddr - *start < FINI_BYTES)
			return true;
	}
	return false;
}

static const struct wk_symtab *symbols_of(struct wk_unwind_table *table)
{
	if (!table->symbols && table->lend_symbols)
		table->symbols = table->lend_symbols(table->lender);
	if (!table->symbols)
		table->symbols = table->own_symbols = wk_symtab_new(table->obj, table->debug);
	return table->symbols;
}

/* The start and the code of the function around `vaddr`: from the symbols or, in a stripped file,
 * from .fini_array and call instructions. */
static struct wk_bytes function_at(struct wk_unwind_table *table, uint64_t vaddr, uint64_t *start)
{
	struct wk_bytes code = { .bad = true };
	struct wk_obj_symbol symbol;
	uint64_t size;

	if (wk_symtab_find(symbols_of(table), vaddr, &symbol)) {
		*start = symbol.vaddr;
		size = symbol.size_bytes;
	} else if (!start_by_array(table->obj, vaddr, start, &size) &&
		   !start_by_calls(table, vaddr, start, &size)) {
		return code;
	}
	code = wk_obj_bytes_from(table->obj, *start);
	if (wk_bytes_left(&code) > size)
		code.end = code.at + size;
	return code;
}

/* The program's first instructions have no caller. */
static bool is_entry(const struct wk_obj *obj, uint64_t vaddr, struct wk_bytes function,
		     uint64_t start)
{
	if (!function.bad && start == obj->entry)
		return true;
	return obj->entry && vaddr >= obj->entry && vaddr - obj->entry < ENTRY_BYTES;
}

/* Where a thread or a coroutine begins. An index in `rules`, or 0. Other images are not read for
 * that: their code would be, page by page, for nothing. */
static uint32_t rules_of_start(struct wk_unwind_table *table, uint64_t vaddr)
{
	struct wk_rules rules = { .cfa_kind = WK_CFA_NONE, .is_root = true };

	if (!table->may_be_c_library || vaddr < WK_CODE_THREAD_BYTES)
		return 0;
	rules.is_entered = wk_code_ends_context(wk_obj_bytes_from(table->obj, vaddr + 1));
	if (!rules.is_entered &&
	    !wk_code_begins_thread(wk_obj_bytes_from(table->obj, vaddr + 1 - WK_CODE_THREAD_BYTES)))
		return 0;
	return intern(table, &rules);
}

/* Without tables the code itself is followed. */
static uint32_t rules_by_code(struct wk_unwind_table *table, uint64_t vaddr)
{
	const struct wk_unwind_machine *machine = wk_unwind_machine(table->obj->machine);
	bool is_x86_64 = table->obj->machine == WK_MACHINE_X86_64;
	struct wk_rules rules = {
		.cfa_kind = WK_CFA_SIGNAL, .is_signal = true, .is_entered = true };
	struct wk_cfi_state state;
	struct wk_bytes function;
	uint64_t start = 0;

	if (!machine)
		return NO_RULES;
	rules.return_address = machine->pc;
	if (is_sigreturn(table, vaddr) || is_sigreturn(table, vaddr + 1) ||
	    is_sigreturn(table, vaddr - WK_CODE_SIGRETURN_BYTES))
		return intern(table, &rules);
	function = function_at(table, vaddr, &start);
	rules = (struct wk_rules){ .cfa_kind = WK_CFA_NONE, .is_root = true };
	if (is_entry(table->obj, vaddr, function, start) ||
	    (is_x86_64 && wk_code_ends_thread(wk_obj_bytes_from(table->obj, vaddr + 1))))
		return intern(table, &rules);
	if (!is_x86_64 || function.bad || vaddr < start ||
	    !wk_code_rules(function, vaddr - start, &state))
		return NO_RULES;
	return intern_state(table, &state, machine->return_address, false, NULL);
}

struct wk_unwind_table *wk_unwind_table_new_jit(void)
{
	static const struct wk_obj no_file = { .is_64 = true };
	struct wk_unwind_table *table = wk_unwind_table_new(&no_file, NULL);

	table->is_made = true;
	return table;
}

/* The entries of one indexed section, sorted by address. */
static void add_made(struct wk_unwind_table *table, struct wk_cfi *cfi,
		     const struct wk_bytes *section, uint64_t start, uint64_t size_bytes)
{
	uint64_t from = start, end = start + size_bytes;
	struct wk_cfi_fde fde;

	for (size_t i = 0; i < cfi->index_count; i++) {
		if (!wk_cfi_entry_at(cfi, cfi->index[i].offset, &fde) || fde.start < from ||
		    fde.start >= end || table->compiled_count == UINT32_MAX)
			continue;
		if (fde.size_bytes > end - fde.start)
			fde.size_bytes = end - fde.start;
		from = fde.start + fde.size_bytes;
		WK_RESERVE(table->compiled, table->compiled_cap, table->compiled_count + 1);
		compile(table, cfi, section, &fde, &table->compiled[table->compiled_count++]);
	}
}

void wk_unwind_table_add_jit(struct wk_unwind_table *table, struct wk_bytes eh_frame,
			     uint64_t vaddr, uint64_t start, uint64_t size_bytes)
{
	size_t len = wk_bytes_left(&eh_frame);
	struct wk_bytes *section = wk_arena_alloc(&table->arena, sizeof(*section));
	uint8_t *bytes = wk_arena_alloc(&table->arena, len);
	struct wk_cfi cfi = { .vaddr = vaddr, .address_size = 8 };
	struct wk_cfi_fde fde;

	if (len)
		memcpy(bytes, eh_frame.at, len);
	*section = wk_bytes_of(bytes, len);
	section->big_endian = eh_frame.big_endian;
	cfi.bytes = *section;
	table->work_left += WORK_PER_BYTE * (uint64_t)len;
	wk_cfi_find(&cfi, start, &fde);
	add_made(table, &cfi, section, start, size_bytes);
	wk_cfi_fini(&cfi);
}

static const struct wk_rules *rules_made(const struct wk_unwind_table *table, uint64_t vaddr)
{
	size_t low = 1, high = table->compiled_count;
	const struct compiled *entry;
	uint32_t id;

	WK_BISECT(low, high, table->compiled[middle].start <= vaddr);
	entry = low > 1 ? &table->compiled[low - 1] : NULL;
	if (!entry || vaddr - entry->start >= entry->size_bytes)
		return NULL;
	id = row_at(table, entry, vaddr);
	return id ? table->rules[id] : NULL;
}

const struct wk_rules *wk_unwind_table_rules(struct wk_unwind_table *table, uint64_t vaddr)
{
	uint32_t id;

	if (table->is_made)
		return rules_made(table, vaddr);
	id = wk_map_find(&table->rules_at, vaddr);
	if (!id) {
		id = rules_of_start(table, vaddr);
		if (!id)
			id = rules_by_tables(table, vaddr);
		if (!id)
			id = rules_by_code(table, vaddr);
		wk_map_set(&table->rules_at, vaddr, id);
	}
	return id == NO_RULES ? NULL : table->rules[id];
}

bool wk_unwind_has_no_tables(const struct wk_unwind_table *table)
{
	for (int i = 0; i < SOURCES; i++)
		if (wk_bytes_left(&table->sections[i].bytes))
			return false;
	return true;
}

struct wk_str wk_unwind_name(struct wk_unwind_table *table, uint64_t vaddr)
{
	struct wk_obj_symbol symbol;

	if (table->is_made || !wk_symtab_find(symbols_of(table), vaddr, &symbol))
		return wk_str_c("");
	return symbol.name;
}

bool wk_unwind_is_root(struct wk_unwind_table *table, uint64_t vaddr)
{
	const struct wk_rules *rules = wk_unwind_table_rules(table, vaddr);

	return rules && rules->is_root;
}

/* NULL if the place is in none. */
static const struct wk_obj_section *plt_at(const struct wk_obj *obj, uint64_t vaddr)
{
	for (uint32_t i = 0; i < obj->section_count; i++) {
		const struct wk_obj_section *s = &obj->sections[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size_bytes &&
		    (wk_str_starts(s->name, ".plt") || wk_str_is(s->name, ".iplt")))
			return s;
	}
	return NULL;
}

/* By the last that begins at `vaddr` or below. */
static bool function_by_bounds(struct wk_unwind_table *table, uint64_t vaddr, uint64_t *start,
			       uint64_t *size_bytes)
{
	const struct wk_obj_bound *bound;
	size_t count;

	if (!table->has_bounds)
		table->bound_count = wk_obj_bounds(table->obj, &table->bounds);
	table->has_bounds = true;
	count = wk_sorted_up_to(table->bounds, table->bound_count, sizeof(*bound),
				offsetof(struct wk_obj_bound, start), vaddr);
	if (count == 0)
		return false;
	bound = &table->bounds[count - 1];
	if (vaddr >= bound->end)
		return false;
	*start = bound->start;
	*size_bytes = bound->end - bound->start;
	return true;
}

bool wk_unwind_function(struct wk_unwind_table *table, uint64_t vaddr, uint64_t *start,
			uint64_t *size_bytes)
{
	const struct wk_obj_section *plt;
	struct wk_cfi_fde fde;

	if (table->obj->kind == WK_OBJ_PE)
		return function_by_bounds(table, vaddr, start, size_bytes);

	for (int i = 0; i < SOURCES; i++) {
		if (!wk_cfi_find(&table->sections[i], vaddr, &fde))
			continue;
		plt = plt_at(table->obj, vaddr);
		if (plt) {
			*size_bytes = PLT_SLOT_BYTES;
			*start = vaddr - (vaddr - plt->vaddr) % PLT_SLOT_BYTES;
			return true;
		}
		*start = fde.start;
		*size_bytes = fde.size_bytes;
		return true;
	}
	return false;
}
