/* The symbol table of the running kernel, /proc/kallsyms: functions of the kernel, its modules and
 * loaded BPF programs, by absolute address.
 *
 * Users who may not see addresses read zeros instead; then there is no table, and the error names
 * the setting that changes it. A line is "address type name", for modules followed by a tab and
 * "[module]". Only code is used (types t, w, T and W; upper case is global). The text stays as it
 * was read, and names point into it.
 *
 * Reading and sorting it takes longer than everything else in a small recording, so the table can
 * be saved. It is valid for one boot of the kernel and one set of modules. */
#ifndef WK_SYMBOLS_KERNEL_KALLSYMS_H
#define WK_SYMBOLS_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

struct wk_kallsyms;

struct wk_kallsym {
	struct wk_str name;
	struct wk_str
		module; /* "[nf_tables]", "[bpf]"; "[kernel.kallsyms]" for the kernel itself */
	uint64_t start, size_bytes;
};

/* NULL if the file cannot be read, is not such a table, or hides its addresses (WK_EPERM). */
struct wk_kallsyms *wk_kallsyms_open(const char *path, struct wk_err *err);

/* The same from text, which must outlive the table. */
struct wk_kallsyms *wk_kallsyms_parse(struct wk_str text, struct wk_err *err);
void wk_kallsyms_free(struct wk_kallsyms *table);

bool wk_kallsyms_find(const struct wk_kallsyms *table, uint64_t address, struct wk_kallsym *symbol);

/* Code that comes and goes while the modules stay: BPF programs and probes. A saved table may be
 * wrong about such an address. */
bool wk_kallsyms_is_fleeting(const struct wk_kallsym *symbol);

/* Version of a saved table in the cache. Raise it if the bytes change, and whenever the same text
 * would give another table. */
#define WK_KALLSYMS_VERSION 1

/* The validity of a table: one boot of the kernel, one set of modules. */
struct wk_kallsyms_moment {
	char boot_id[40]; /* as the kernel prints it, NUL-terminated */
	uint64_t modules; /* a sum over their names, sizes, states and addresses */
};

/* From the text of /proc/sys/kernel/random/boot_id and of /proc/modules; false if the first is not
 * a boot id. Columns of the second that change with a module's use are ignored. */
bool wk_kallsyms_moment_of(struct wk_str boot_id, struct wk_str modules,
			   struct wk_kallsyms_moment *moment);
bool wk_kallsyms_now(struct wk_kallsyms_moment *moment);

/* To bytes and back, including names. A loaded table is used in place in `bytes`, which must start
 * at a multiple of 8 and outlive it; loading reads the modules and a few numbers. NULL for a table
 * of another moment. Damaged bytes give an error or wrong answers, never a fault. Save returns
 * false and writes nothing for a loaded table. */
bool wk_kallsyms_save(const struct wk_kallsyms *table, const struct wk_kallsyms_moment *moment,
		      struct wk_buf *out);
struct wk_kallsyms *wk_kallsyms_load(struct wk_bytes bytes, const struct wk_kallsyms_moment *moment,
				     struct wk_err *err);

/* Is the first function in the file at `path` at the table's address? Reads only the start of the
 * file. False if its addresses are hidden: users who may not see them there get no saved table
 * either. */
bool wk_kallsyms_agrees(const struct wk_kallsyms *table, const char *path);

#endif
