/* Machine code as text, if this build has capstone.
 *
 * Bytes are untrusted: what is no instruction is one byte of data. */
#ifndef WK_VIEWS_DISASM_H
#define WK_VIEWS_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct wk_disasm;

/* `machine_code` as in ELF files. NULL if this build cannot decode it. */
struct wk_disasm *wk_disasm_new(uint16_t machine_code, bool is_64, struct wk_err *err);
void wk_disasm_free(struct wk_disasm *disasm);

/* Adds the instruction at the start of the bytes, whose address is `vaddr`; returns its length,
 * which is 1 to `len`. `len` is not 0. */
size_t wk_disasm_next(struct wk_disasm *disasm, const uint8_t *at, size_t len, uint64_t vaddr,
		      struct wk_buf *text);

#endif
