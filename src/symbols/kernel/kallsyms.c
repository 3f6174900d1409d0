#include "symbols/kernel/kallsyms_table.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "event/advice.h"

/* The last function of the kernel or of a module has no successor that marks its end. Like perf,
 * assume that it ends with the page after the one it begins in. */
#define PAGE 4096

#define KERNEL_NAME "[kernel.kallsyms]"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool wk_kallsyms_read_line(struct wk_str text, struct wk_kallsyms_line *line)
{
	size_t at = 0, end;

	line->address = 0;
	while (at < text.len && at < 16 && hex_digit(text.at[at]) >= 0)
		line->address = line->address << 4 | (uint64_t)hex_digit(text.at[at++]);
	if (at == 0 || text.len < at + 4 || text.at[at] != ' ' || text.at[at + 2] != ' ')
		return false;
	line->type = text.at[at + 1];
	text = wk_str_skip(text, at + 3);
	for (end = 0; end < text.len && text.at[end] != '\t' && text.at[end] != ' ';)
		end++;
	line->name = wk_str_of(text.at, end);
	line->module = wk_str_skip(text, end + 1);
	return end > 0;
}

bool wk_kallsyms_is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool same_module(const void *table, uint32_t id, const void *key)
{
	const struct wk_kallsyms *k = table;

	return wk_str_eq(k->modules[id], *(const struct wk_str *)key);
}

/* Lines of one module are contiguous, so the last module almost always matches. */
static uint16_t module_id(struct wk_kallsyms *k, struct wk_str name)
{
	uint64_t hash;
	uint32_t id;

	if (name.len == 0)
		return 0;
	if (wk_str_eq(k->modules[k->module_count - 1], name))
		return (uint16_t)(k->module_count - 1);
	hash = wk_hash_bytes(name.at, name.len);
	id = wk_index_find(&k->module_index, hash, same_module, k, &name);
	if (id != 0 || k->module_count == UINT16_MAX)
		return (uint16_t)id;
	*WK_APPEND(k->modules, k->module_count, k->module_cap) = name;
	wk_index_add(&k->module_index, hash, (uint32_t)k->module_count - 1);
	return (uint16_t)(k->module_count - 1);
}

static void add_line(struct wk_kallsyms *k, const struct wk_kallsyms_line *line)
{
	if (!wk_kallsyms_is_code(line->type) || line->name.len > UINT16_MAX)
		return;
	if (line->address == 0) {
		k->saw_zero = true;
		return;
	}
	k->saw_address = true;
	*WK_APPEND(k->own_rows, k->count, k->cap) = (struct wk_kallsyms_row){
		.address = line->address,
		.name = (uint32_t)(line->name.at - k->text.at),
		.name_len = (uint16_t)line->name.len,
		.module = module_id(k, line->module),
	};
}

static void read_lines(struct wk_kallsyms *k)
{
	struct wk_str rest = k->text;

	while (rest.len > 0) {
		struct wk_kallsyms_line line;
		struct wk_str text;

		wk_str_split(rest, '\n', &text, &rest);
		if (wk_kallsyms_read_line(text, &line))
			add_line(k, &line);
	}
}

static unsigned underscores(struct wk_str name)
{
	unsigned count = 0;

	while (count < name.len && name.at[count] == '_')
		count++;
	return count;
}

/* The type letter is two bytes before the name. */
static int binding_of(const struct wk_kallsyms *k, const struct wk_kallsyms_row *row)
{
	char type = k->text.at[row->name - 2];

	return type == 'T' ? 2 : type == 'w' || type == 'W' ? 1 : 0;
}

/* System calls without parameters have one entry point for 32-bit and 64-bit programs. */
static bool is_of_32_bits(struct wk_str name)
{
	return wk_str_starts(name, "__ia32_");
}

/* Of two names of one address: global before weak before local, fewer leading underscores, entries
 * of 64 bits, and the longer one, which says more. */
static bool is_better(const struct wk_kallsyms *k, const struct wk_kallsyms_row *a,
		      const struct wk_kallsyms_row *b)
{
	struct wk_str a_name = wk_kallsyms_name(k, a), b_name = wk_kallsyms_name(k, b);

	if (binding_of(k, a) != binding_of(k, b))
		return binding_of(k, a) > binding_of(k, b);
	if (underscores(a_name) != underscores(b_name))
		return underscores(a_name) < underscores(b_name);
	if (is_of_32_bits(a_name) != is_of_32_bits(b_name))
		return is_of_32_bits(b_name);
	return a->name_len > b->name_len;
}

static void sort_rows(struct wk_kallsyms *k)
{
	struct wk_sort_key *keys = WK_SORT_ORDER(k->own_rows, k->count, address);
	struct wk_kallsyms_row *sorted = wk_alloc((k->count + 1) * sizeof(*sorted));
	size_t to = 0;

	for (size_t i = 0; i < k->count; i++) {
		const struct wk_kallsyms_row *row = &k->own_rows[keys[i].row];

		if (to == 0 || sorted[to - 1].address != row->address)
			sorted[to++] = *row;
		else if (is_better(k, row, &sorted[to - 1]))
			sorted[to - 1] = *row;
	}
	WK_FREE_ALL(keys, k->own_rows);
	k->rows = k->own_rows = sorted;
	k->count = k->cap = to;
}

static uint64_t read_setting(const char *path)
{
	struct wk_buf text = { 0 };
	struct wk_str digits;
	uint64_t value = 0;

	if (wk_os_read_small(path, &text)) {
		digits = wk_buf_str(&text);
		while (digits.len > 0 && digits.at[digits.len - 1] == '\n')
			digits.len--;
		wk_num_u64(digits, &value);
	}
	wk_buf_fini(&text);
	return value;
}

/* With kptr_restrict 0 the kernel still hides addresses from users who may not profile it. */
static bool fail_hidden(struct wk_err *err)
{
	uint64_t restrict_level = read_setting("/proc/sys/kernel/kptr_restrict");

	if (restrict_level > 0)
		return wk_fail(err, WK_EPERM, WK_NOWHERE,
			       "kernel addresses are hidden: kernel.kptr_restrict is %u; run `%s`, "
			       "or run as root",
			       (unsigned)restrict_level,
			       wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SHOW_KERNEL));
	return wk_fail(err, WK_EPERM, WK_NOWHERE,
		       "kernel addresses are hidden: kernel.kptr_restrict is 0, but "
		       "kernel.perf_event_paranoid allows no kernel profiling; run `%s`, or run "
		       "as root",
		       wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SAMPLE_KERNEL));
}

struct wk_kallsyms *wk_kallsyms_parse(struct wk_str text, struct wk_err *err)
{
	struct wk_kallsyms *k = wk_alloc_zeroed(1, sizeof(*k));

	k->text = text;
	*WK_APPEND(k->modules, k->module_count, k->module_cap) = wk_str_c(KERNEL_NAME);
	if (text.len > UINT32_MAX) {
		wk_fail(err, WK_ECORRUPT, 0,
			"a kernel symbol table of %zu bytes is above the limit of 4 GiB", text.len);
		goto fail;
	}
	read_lines(k);
	if (!k->saw_address) {
		if (k->saw_zero)
			fail_hidden(err);
		else
			wk_fail(err, WK_EFORMAT, 0,
				"no line like \"ffffffff81000000 T name\" was found");
		goto fail;
	}
	sort_rows(k);
	return k;
fail:
	wk_kallsyms_free(k);
	return NULL;
}

struct wk_kallsyms *wk_kallsyms_open(const char *path, struct wk_err *err)
{
	struct wk_os_file file;
	struct wk_kallsyms *k;

	if (!wk_os_open(path, &file, err))
		return NULL;
	k = wk_kallsyms_parse(wk_str_of((const char *)file.at, file.size_bytes), err);
	if (k)
		k->file = file;
	else
		wk_os_close(&file);
	return k;
}

void wk_kallsyms_free(struct wk_kallsyms *k)
{
	if (!k)
		return;
	wk_os_close(&k->file);
	WK_FREE_ALL(k->own_rows, k->modules);
	wk_index_fini(&k->module_index);
	wk_free(k);
}

/* How many rows begin at `address` or below. */
static size_t rows_up_to(const struct wk_kallsyms *k, uint64_t address)
{
	return wk_sorted_up_to(k->rows, k->count, sizeof(*k->rows),
			       offsetof(struct wk_kallsyms_row, address), address);
}

static uint64_t size_of(const struct wk_kallsyms *k, size_t index)
{
	const struct wk_kallsyms_row *row = &k->rows[index];
	uint64_t most = 2 * PAGE - row->address % PAGE;

	if (index + 1 == k->count)
		return most;
	if (row[1].module != row->module && row[1].address - row->address > most)
		return most;
	return row[1].address - row->address;
}

bool wk_kallsyms_find(const struct wk_kallsyms *k, uint64_t address, struct wk_kallsym *symbol)
{
	size_t up_to = rows_up_to(k, address);
	const struct wk_kallsyms_row *row = up_to ? &k->rows[up_to - 1] : NULL;

	if (!row || address - row->address >= size_of(k, up_to - 1))
		return false;
	*symbol = (struct wk_kallsym){
		.name = wk_kallsyms_name(k, row),
		.module = row->module < k->module_count ? k->modules[row->module] : wk_str_c(""),
		.start = row->address,
		.size_bytes = size_of(k, up_to - 1),
	};
	return true;
}
