/* Call frame information as stored in a file: .eh_frame and .debug_frame.
 *
 * A wk_cfi is one such section. wk_cfi_find returns the description entry (FDE) that covers an
 * address: by binary search in .eh_frame_hdr, in place, if the linker wrote one; otherwise by an
 * index built on first use in one pass over the section. wk_cfi_run executes the program of an
 * entry and returns the rows of its table. Supported: DWARF 2 to 5 (versions 1, 3 and 4), 32-bit
 * and 64-bit lengths, the LSB's augmentations and pointer encodings (except indirect ones, which no
 * linker writes for code addresses).
 *
 * Order of calls: init, then find and run any number of times, fini. The bytes are borrowed. */
#ifndef WK_SYMBOLS_UNWIND_CFI_H
#define WK_SYMBOLS_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "event/event.h"

/* One row under construction: the location of each register of the caller. */
struct wk_cfi_state {
	uint8_t cfa_kind, cfa_register; /* enum wk_cfa_kind */
	int32_t cfa_value;
	uint8_t kind[WK_REGISTERS]; /* enum wk_rule_kind */
	int32_t value[WK_REGISTERS];
};

/* A common information entry (CIE), which FDEs share. */
struct wk_cfi_cie {
	uint64_t offset; /* of the entry, plus 1; 0: this slot is empty */
	uint64_t code_align;
	int64_t data_align;
	uint8_t return_address;
	uint8_t pointer_encoding;
	uint8_t address_size;
	bool has_sized_augmentation, is_signal;
	struct wk_cfi_state initial;
};

struct wk_cfi_fde {
	uint64_t offset; /* in the section: what names it */
	uint64_t start, size_bytes;
	struct wk_bytes program;
	const struct wk_cfi_cie *cie; /* valid until the next call for this section */
};

/* The search table, its place known by PT_GNU_EH_FRAME. */
struct wk_cfi_header {
	struct wk_bytes table;
	uint64_t vaddr;
	uint64_t table_vaddr;
	uint64_t eh_frame_vaddr;
	uint8_t encoding;
	size_t entry_bytes;
	size_t count; /* 0: no table that can be searched */
};

struct wk_cfi_entry {
	uint64_t start;
	uint64_t offset;
};

#define WK_CFI_CIES 16

struct wk_cfi {
	struct wk_bytes bytes;
	uint64_t vaddr;      /* of the section's first byte */
	uint64_t text_vaddr; /* what the text- and data-relative encodings count from */
	uint64_t data_vaddr;
	uint8_t address_size;
	bool is_debug; /* .debug_frame */
	struct wk_cfi_header header;
	struct wk_cfi_entry *index;
	size_t index_count;
	bool is_indexed;
	struct wk_cfi_cie cies[WK_CFI_CIES]; /* direct-mapped by offset */
};

/* Reads .eh_frame_hdr, `bytes` at `vaddr`. False if it is of no known form. */
bool wk_cfi_read_header(struct wk_bytes bytes, uint64_t vaddr, uint8_t address_size,
			struct wk_cfi_header *header);

void wk_cfi_fini(struct wk_cfi *cfi);

/* The entry that covers `vaddr`. */
bool wk_cfi_find(struct wk_cfi *cfi, uint64_t vaddr, struct wk_cfi_fde *fde);

/* The entry at `offset` of the section; false if there is none that makes sense. */
bool wk_cfi_entry_at(struct wk_cfi *cfi, uint64_t offset, struct wk_cfi_fde *fde);

/* Every entry of the section in file order. `take` returns false to stop. */
void wk_cfi_each(struct wk_cfi *cfi, bool (*take)(void *context, const struct wk_cfi_fde *fde),
		 void *context);

/* Executes the program of an entry. `take` gets each row with its start address, ascending. False
 * if the program is damaged; the rows before the fault were delivered. */
bool wk_cfi_run(const struct wk_cfi *cfi, const struct wk_cfi_fde *fde,
		void (*take)(void *context, uint64_t vaddr, const struct wk_cfi_state *state),
		void *context);

/* For the two files that implement this: a pointer in `encoding`, its first byte lying at
 * `vaddr`, and a CIE's initial instructions. */
bool wk_cfi_pointer(struct wk_bytes *b, uint8_t encoding, uint8_t address_size, uint64_t vaddr,
		    uint64_t text_vaddr, uint64_t data_vaddr, uint64_t *value);
bool wk_cfi_run_initial(const struct wk_cfi *cfi, struct wk_cfi_cie *cie, struct wk_bytes program);

#endif
