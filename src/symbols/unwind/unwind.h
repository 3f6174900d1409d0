/* Call chains from sampled registers and a copy of the stack.
 *
 * A wk_unwind_table holds the unwind rules of one image, compiled from .eh_frame (found by its
 * program header, or scanned if there is no search table) and .debug_frame into rows of fixed size
 * sorted by address. Rows are compiled on first use of their FDE, so a library of 150 MB costs only
 * what is sampled in it. Specified by the DWARF 5 standard, section 6.4, and the LSB's description
 * of .eh_frame.
 *
 * On x86-64, code without tables (musl's C library, hand-written assembly) is followed by its
 * instructions instead, from the start of its function as symbols or calls give it.
 *
 * A wk_unwinder walks stacks: it gets the image at a pc from its owner, looks the row up (through a
 * direct-mapped cache), applies it, and falls back to frame pointers if there are no tables. One
 * unwinder serves one thread at a time. */
#ifndef WK_SYMBOLS_UNWIND_UNWIND_H
#define WK_SYMBOLS_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "event/event.h"
#include "symbols/object/object.h"

struct wk_symtab;
struct wk_unwind_table;

/* `debug` (may be NULL) is the separate debug file. Both must outlive the table. Never NULL:
 * an image without any rules gives a table that finds nothing. Looking up compiles, so a table
 * serves one thread at a time; and unwinders keep pointers into it: once it is freed, spaces
 * that it was used in must not be set again. */
struct wk_unwind_table *wk_unwind_table_new(const struct wk_obj *obj, const struct wk_obj *debug);
void wk_unwind_table_free(struct wk_unwind_table *table);

/* A table for JIT code, which is added block by block: each block has a range of its own in the
 * table's addresses, after those of all earlier blocks. `eh_frame`, whose bytes begin at `vaddr`,
 * is compiled and copied; entries outside the block are left out. */
struct wk_unwind_table *wk_unwind_table_new_jit(void);
void wk_unwind_table_add_jit(struct wk_unwind_table *table, struct wk_bytes eh_frame,
			     uint64_t vaddr, uint64_t start, uint64_t size_bytes);

/* If code must be followed, symbols give the start of its function. An owner who has them sorted
 * can supply them: `symbols` is called at the first such place, and its result must outlive the
 * table. Without it, or if it returns NULL, the table builds its own. Call before the first
 * lookup. */
void wk_unwind_table_borrow_symbols(struct wk_unwind_table *table,
				    const struct wk_symtab *(*symbols)(void *context),
				    void *context);

/* Is this place the outermost frame by its own rules (return address undefined)? Distinguishes a
 * whole stack from a cut one, also in stripped images. */
bool wk_unwind_is_root(struct wk_unwind_table *table, uint64_t vaddr);

/* The function there by the symbols of the image's own file, as linked; empty if it has none. */
struct wk_str wk_unwind_name(struct wk_unwind_table *table, uint64_t vaddr);

/* Has the image no tables at all? */
bool wk_unwind_has_no_tables(const struct wk_unwind_table *table);

/* The function around this place, as the tables bound it: what a stripped image still has of its
 * functions. In a procedure linkage table, which one entry covers although its slots lead to as
 * many functions, it is the slot. False if no entry covers the place. Compiles nothing. */
bool wk_unwind_function(struct wk_unwind_table *table, uint64_t vaddr, uint64_t *start,
			uint64_t *size_bytes);

/* What covers an address of the walked process. */
struct wk_unwind_image {
	struct wk_unwind_table *table; /* NULL: mapped, but no rules (anonymous memory, JIT code) */
	uint64_t start, end;           /* the mapping's address range */
	uint64_t bias;                 /* address - bias = virtual address in the image's file */
};

struct wk_unwinder;

/* `find` fills `image` for the mapping that covers `address`, or returns false. */
struct wk_unwinder *wk_unwinder_new(bool (*find)(void *context, uint64_t address,
						 struct wk_unwind_image *image),
				    void *context);
void wk_unwinder_free(struct wk_unwinder *unwinder);

/* The address space that following walks are of. A number that the owner changes whenever a
 * process's mappings change or another process is walked: cached rows of other numbers are
 * not used. */
void wk_unwinder_set_space(struct wk_unwinder *unwinder, uint64_t space);

/* If a copy ends too early, more of a living process's stack may be read, page by page: `read`
 * copies up to `size` bytes of the walked process's memory and returns how many it got. The result
 * is used only if the process's stack still matches the copy, and if it leads to a root. */
void wk_unwinder_set_memory(struct wk_unwinder *unwinder,
			    size_t (*read)(void *context, uint64_t address, void *bytes,
					   size_t size),
			    void *context);

/* How many walks were completed so. */
uint64_t wk_unwinder_completed(const struct wk_unwinder *unwinder);

/* The highest address that the last walk read from the copy, which is that of the outermost return
 * address, and what it read there; 0: none. For recorders. */
uint64_t wk_unwinder_highest(const struct wk_unwinder *unwinder, uint64_t *value);

/* Where the copy begins; false for a machine whose stacks cannot be walked. */
bool wk_unwind_stack_pointer(const struct wk_event_stack *stack, uint64_t *sp);

enum wk_unwind_end {
	WK_UNWIND_ROOT,   /* the outermost frame was reached */
	WK_UNWIND_CUT,    /* the copy of the stack ended first: a larger one would help */
	WK_UNWIND_BROKEN, /* no rule, or a rule that led nowhere */
	WK_UNWIND_FULL,   /* `cap` frames were found and there are more */
};

/* Walks one stack. chain[0] is the sampled pc; later entries are return addresses less one, or the
 * pc itself above a signal frame: addresses inside the calling instruction, to be looked up
 * unchanged. Returns how many were written, at most `cap`. */
size_t wk_unwind(struct wk_unwinder *unwinder, const struct wk_event_stack *stack, uint64_t *chain,
		 size_t cap, enum wk_unwind_end *end);

#endif
