/* The running kernel's own symbol table, /proc/kallsyms: functions of the kernel, of its
 * modules and of loaded BPF programs, by absolute address.
 *
 * Who may not see addresses is shown zeros in their place; then there is no table, and the
 * error names the setting that would mend it. A line is "address type name", and for
 * modules a tab and "[module]". Only code is kept (types t and w, and T and W for what is
 * global). The text is kept as it was read, so names point into it. */
#ifndef WK_SYMBOLS_KALLSYMS_H
#define WK_SYMBOLS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct wk_kallsyms;

struct wk_kallsym {
	struct wk_str name;
	struct wk_str
		module; /* "[nf_tables]", "[bpf]"; "[kernel.kallsyms]" for the kernel itself */
	uint64_t start, size_bytes;
};

/* NULL where the file cannot be read, is no such table, or hides its addresses. */
struct wk_kallsyms *wk_kallsyms_open(const char *path, struct wk_err *err);

/* The same from text, which must outlive the table. */
struct wk_kallsyms *wk_kallsyms_parse(struct wk_str text, struct wk_err *err);
void wk_kallsyms_free(struct wk_kallsyms *table);

uint32_t wk_kallsyms_count(const struct wk_kallsyms *table);
bool wk_kallsyms_find(const struct wk_kallsyms *table, uint64_t address, struct wk_kallsym *symbol);

#endif
