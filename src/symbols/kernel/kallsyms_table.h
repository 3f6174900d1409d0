/* The inside of a wk_kallsyms, for kallsyms.c and kallsyms_saved.c. */
#ifndef WK_SYMBOLS_KERNEL_KALLSYMS_TABLE_H
#define WK_SYMBOLS_KERNEL_KALLSYMS_TABLE_H

#include "base/map.h"
#include "os/os.h"
#include "symbols/kernel/kallsyms.h"

/* One function. Rows are in order of address; a saved table has them as they are here. */
struct wk_kallsyms_row {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint16_t name_len;
	uint16_t module; /* 0: the kernel itself */
};

struct wk_kallsyms {
	struct wk_os_file file; /* empty when the text is the caller's */
	struct wk_str text;     /* names are pieces of it */
	const struct wk_kallsyms_row *rows;
	size_t count;
	struct wk_kallsyms_row *own_rows; /* NULL if the rows are those of a saved table */
	size_t cap;
	struct wk_str *modules; /* [0] is the kernel's own name */
	size_t module_count, module_cap;
	struct wk_index module_index;
	bool saw_zero, saw_address;
};

/* A line of /proc/kallsyms. */
struct wk_kallsyms_line {
	uint64_t address;
	char type;
	struct wk_str name, module;
};

/* Reads "ffffffff81000080 T entry_SYSCALL_64" and what may follow; false if it is not that. */
bool wk_kallsyms_read_line(struct wk_str text, struct wk_kallsyms_line *line);
bool wk_kallsyms_is_code(char type);

/* The name of the row; empty if a damaged row points outside the text. */
static inline struct wk_str wk_kallsyms_name(const struct wk_kallsyms *k,
					     const struct wk_kallsyms_row *row)
{
	if (row->name > k->text.len || row->name_len > k->text.len - row->name)
		return wk_str_c("");
	return wk_str_of(k->text.at + row->name, row->name_len);
}

#endif
