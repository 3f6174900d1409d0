/* The running kernel's own symbol table, /proc/kallsyms: functions of the kernel, of its
 * modules and of loaded BPF programs, by absolute address.
 *
 * Who may not see addresses is shown zeros in their place; then there is no table, and the
 * error names the setting that would mend it. A line is "address type name", and for
 * modules a tab and "[module]". Only code is kept (types t and w, and T and W for what is
 * global). The text is kept as it was read, so names point into it.
 *
 * To read and sort it all takes longer than all else of a small recording, so the table can be
 * saved. It holds for one moment: this start of the kernel, and these modules. */
#ifndef WK_SYMBOLS_KERNEL_KALLSYMS_H
#define WK_SYMBOLS_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
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

/* NULL where the file cannot be read, is no such table, or hides its addresses. */
struct wk_kallsyms *wk_kallsyms_open(const char *path, struct wk_err *err);

/* The same from text, which must outlive the table. */
struct wk_kallsyms *wk_kallsyms_parse(struct wk_str text, struct wk_err *err);
void wk_kallsyms_free(struct wk_kallsyms *table);

uint32_t wk_kallsyms_count(const struct wk_kallsyms *table);
bool wk_kallsyms_find(const struct wk_kallsyms *table, uint64_t address, struct wk_kallsym *symbol);

/* What comes and goes while the modules stay: BPF programs and probes. What a saved table says of
 * such an address may be about another one by now. */
bool wk_kallsyms_is_fleeting(const struct wk_kallsym *symbol);

/* Of a saved table, for the cache. Raised when the bytes change, and whenever the same text would
 * give another table. */
#define WK_KALLSYMS_VERSION 1

/* When a table holds: while the kernel is not started again and no module comes or goes. */
struct wk_kallsyms_moment {
	char boot_id[40]; /* as the kernel tells it, ended by a NUL */
	uint64_t modules; /* a sum over their names, sizes, states and addresses */
};

/* From the text of /proc/sys/kernel/random/boot_id and of /proc/modules; false where the first is
 * none. The second does without what a module's users count. */
bool wk_kallsyms_moment_of(struct wk_str boot_id, struct wk_str modules,
			   struct wk_kallsyms_moment *moment);
bool wk_kallsyms_now(struct wk_kallsyms_moment *moment);

/* To bytes and back, names and all. A loaded table is used where it lies in `bytes`, which must
 * begin at a multiple of 8 and outlive it; loading looks at the modules and a few numbers. NULL
 * for a table of another moment. Broken bytes give an error or answers that make no sense, never
 * a fault. Save is false, having written nothing, for a loaded table. */
bool wk_kallsyms_save(const struct wk_kallsyms *table, const struct wk_kallsyms_moment *moment,
		      struct wk_buf *out);
struct wk_kallsyms *wk_kallsyms_load(struct wk_bytes bytes, const struct wk_kallsyms_moment *moment,
				     struct wk_err *err);

/* Does the first function that the file at `path` shows us lie where the table has one? Reads only
 * the file's beginning. False where its addresses are hidden: who may not see them there gets none
 * from a saved table either. */
bool wk_kallsyms_agrees(const struct wk_kallsyms *table, const char *path);

#endif
