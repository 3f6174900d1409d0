/* LZX as used in cabinets: blocks of up to 32 KiB of plain bytes that refer to earlier ones.
 *
 * Huffman codes and matches in a window of 32 KiB to 2 MiB; three distances are remembered, and
 * targets of x86 calls may have been made absolute, which is reversed. Order of calls: new for each
 * folder of a cabinet, block for each of its blocks in order, free. After a block that fails
 * nothing more can be read. */
#ifndef WK_BASE_PACKED_LZX_H
#define WK_BASE_PACKED_LZX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

#define WK_LZX_MOST_BLOCK 32768

struct wk_lzx;

/* NULL unless the window's size is one of 2^15 to 2^21 bytes. */
struct wk_lzx *wk_lzx_new(unsigned window_bits);
void wk_lzx_free(struct wk_lzx *lzx);

/* Appends `size_bytes` plain bytes, at most WK_LZX_MOST_BLOCK; false, with a sentence, if the
 * packed ones have another size or are damaged. */
bool wk_lzx_block(struct wk_lzx *lzx, struct wk_bytes packed, size_t size_bytes,
		  struct wk_buf *plain, struct wk_err *err);

#endif
