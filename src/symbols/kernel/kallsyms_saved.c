/* The saved kernel table: modules, rows as in memory, and the names of both, in the byte order of
 * the machine that wrote it. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "symbols/cache/cache.h"
#include "symbols/kernel/kallsyms_table.h"

/* Followed by the modules, the rows, and the text that all names are pieces of. */
struct head {
	uint32_t magic, version;
	struct wk_kallsyms_moment moment;
	uint32_t row_count, module_count;
	uint32_t text_len, unused;
};

struct module {
	uint32_t name, name_len; /* a piece of the text */
};

#define MAGIC        0x736b6b77 /* "wkks" */
#define MOST_MODULES UINT16_MAX

bool wk_kallsyms_is_fleeting(const struct wk_kallsym *symbol)
{
	return wk_str_is(symbol->module, "[bpf]") || wk_str_starts(symbol->module, "[__builtin__");
}

/* "nf_tables 372736 847 nft_compat,nft_chain_nat, Live 0xffffffffc0a00000": the third and fourth
 * word list its users. */
static uint64_t add_module(uint64_t sum, struct wk_str line)
{
	for (unsigned i = 0; i < 6; i++) {
		struct wk_str word;

		wk_str_split(line, ' ', &word, &line);
		if (i != 2 && i != 3) {
			uint64_t both[2] = { sum, wk_hash_fixed(word.at, word.len) };

			sum = wk_hash_fixed(both, sizeof(both));
		}
	}
	return sum;
}

bool wk_kallsyms_moment_of(struct wk_str boot_id, struct wk_str modules,
			   struct wk_kallsyms_moment *moment)
{
	*moment = (struct wk_kallsyms_moment){ 0 };
	while (boot_id.len && boot_id.at[boot_id.len - 1] == '\n')
		boot_id.len--;
	if (boot_id.len == 0 || boot_id.len >= sizeof(moment->boot_id))
		return false;
	memcpy(moment->boot_id, boot_id.at, boot_id.len);
	while (modules.len > 0) {
		struct wk_str line;

		wk_str_split(modules, '\n', &line, &modules);
		moment->modules = add_module(moment->modules, line);
	}
	return true;
}

/* A kernel that loads no modules has no list of them. */
bool wk_kallsyms_now(struct wk_kallsyms_moment *moment)
{
	struct wk_buf boot_id = { 0 }, modules = { 0 };
	bool ok = wk_os_read_small("/proc/sys/kernel/random/boot_id", &boot_id);

	if (!wk_os_read_small("/proc/modules", &modules))
		wk_buf_reset(&modules);
	ok = ok && wk_kallsyms_moment_of(wk_buf_str(&boot_id), wk_buf_str(&modules), moment);
	WK_BUF_FINI_ALL(&boot_id, &modules);
	return ok;
}

static size_t length_of_names(const struct wk_kallsyms *k)
{
	size_t len = 0;

	for (size_t i = 0; i < k->module_count; i++)
		len += k->modules[i].len;
	for (size_t i = 0; i < k->count; i++)
		len += k->rows[i].name_len;
	return len;
}

/* The names of the modules come first in the text, then those of the rows. */
static void save_text(const struct wk_kallsyms *k, struct wk_buf *out)
{
	for (size_t i = 0; i < k->module_count; i++)
		wk_buf_add_str(out, k->modules[i]);
	for (size_t i = 0; i < k->count; i++)
		wk_buf_add_str(out, wk_kallsyms_name(k, &k->rows[i]));
}

static uint32_t save_modules(const struct wk_kallsyms *k, struct wk_buf *out)
{
	uint32_t at = 0;

	for (size_t i = 0; i < k->module_count; i++) {
		struct module module = { at, (uint32_t)k->modules[i].len };

		wk_buf_add(out, &module, sizeof(module));
		at += module.name_len;
	}
	return at;
}

static void save_rows(const struct wk_kallsyms *k, uint32_t at, struct wk_buf *out)
{
	for (size_t i = 0; i < k->count; i++) {
		struct wk_kallsyms_row row = k->rows[i];

		row.name = at;
		at += row.name_len;
		wk_buf_add(out, &row, sizeof(row));
	}
}

bool wk_kallsyms_save(const struct wk_kallsyms *k, const struct wk_kallsyms_moment *moment,
		      struct wk_buf *out)
{
	struct head head = {
		.magic = MAGIC, .version = WK_KALLSYMS_VERSION, .moment = *moment,
		.row_count = (uint32_t)k->count, .module_count = (uint32_t)k->module_count,
	};

	if (!k->own_rows) /* a loaded table is in the cache already */
		return false;
	head.text_len = (uint32_t)length_of_names(k); /* the whole text is shorter than 4 GiB */
	wk_buf_add(out, &head, sizeof(head));
	save_rows(k, save_modules(k, out), out);
	save_text(k, out);
	return true;
}

static bool fail_size(const struct head *head, uint64_t left, struct wk_err *err)
{
	return wk_fail(err, WK_ECORRUPT, 56,
		       "a saved kernel table claims %u rows, %u modules and "
		       "%u bytes of names, and has %zu bytes",
		       head->row_count, head->module_count, head->text_len, (size_t)left);
}

static bool check_head(const struct head *head, struct wk_bytes bytes,
		       const struct wk_kallsyms_moment *moment, struct wk_err *err)
{
	uint64_t left = wk_bytes_left(&bytes);

	if (!wk_cache_check_head(bytes, sizeof(*head), MAGIC, WK_KALLSYMS_VERSION, "kernel table",
				 err))
		return false;
	if (memcmp(&head->moment, moment, sizeof(*moment)) != 0)
		return wk_fail(err, WK_EFORMAT, 8,
			       "the kernel's table was saved before the last "
			       "start of the kernel, or with other modules");
	left -= sizeof(*head);
	if (head->module_count == 0 || head->module_count > MOST_MODULES ||
	    head->module_count > left / sizeof(struct module))
		return fail_size(head, left, err);
	left -= head->module_count * sizeof(struct module);
	if (head->row_count > left / sizeof(struct wk_kallsyms_row) ||
	    head->text_len > left - head->row_count * sizeof(struct wk_kallsyms_row))
		return fail_size(head, left, err);
	return true;
}

static struct wk_str module_name(const struct wk_kallsyms *k, const struct module *module)
{
	if (module->name > k->text.len || module->name_len > k->text.len - module->name)
		return wk_str_c("");
	return wk_str_of(k->text.at + module->name, module->name_len);
}

struct wk_kallsyms *wk_kallsyms_load(struct wk_bytes bytes, const struct wk_kallsyms_moment *moment,
				     struct wk_err *err)
{
	const struct head *head = (const struct head *)(const void *)bytes.at;
	const struct module *modules;
	struct wk_kallsyms *k;

	if (!check_head(head, bytes, moment, err))
		return NULL;
	modules = (const struct module *)(head + 1);
	k = wk_alloc_zeroed(1, sizeof(*k));
	k->rows = (const struct wk_kallsyms_row *)(const void *)(modules + head->module_count);
	k->count = head->row_count;
	k->text = wk_str_of((const char *)(k->rows + k->count), head->text_len);
	k->modules = wk_alloc(head->module_count * sizeof(*k->modules));
	k->module_count = head->module_count;
	for (size_t i = 0; i < k->module_count; i++)
		k->modules[i] = module_name(k, &modules[i]);
	return k;
}

struct beginning {
	const struct wk_kallsyms *table;
	bool agrees;
};

/* Never wants the rest. (An ordinary file is mapped, and was not looked at.) */
static bool look_at_beginning(void *context, const void *first, size_t len, struct wk_err *err)
{
	struct beginning *beginning = context;
	struct wk_str rest = wk_str_of(first, len), text;
	struct wk_kallsyms_line line = { 0 };
	struct wk_kallsym found;

	while (rest.len > 0 && !wk_kallsyms_is_code(line.type)) {
		wk_str_split(rest, '\n', &text, &rest);
		if (!wk_kallsyms_read_line(text, &line))
			line.type = 0;
	}
	beginning->agrees = wk_kallsyms_is_code(line.type) && line.address &&
			    wk_kallsyms_find(beginning->table, line.address, &found) &&
			    found.start == line.address;
	return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "enough was seen");
}

bool wk_kallsyms_agrees(const struct wk_kallsyms *table, const char *path)
{
	struct beginning beginning = { .table = table };
	struct wk_os_file file;

	if (wk_os_open_if(path, look_at_beginning, &beginning, &file, NULL)) {
		look_at_beginning(&beginning, file.at, file.size_bytes, NULL);
		wk_os_close(&file);
	}
	return beginning.agrees;
}
