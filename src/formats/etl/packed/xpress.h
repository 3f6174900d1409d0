/* What Windows packs with: Microsoft's LZ77 ([MS-XCA]) in its plain form and the one with Huffman
 * codes, and LZNT1.
 *
 * None of them says in its bytes how much it makes, so the caller brings the size: each fills
 * `plain` with `size_bytes` and stops there; what follows in `packed` is not looked at. True if
 * that many were made. False where the packed bytes are broken, end early, or copy beyond the
 * end. Either way `*made` bytes of `plain` are what was packed, the others unset: a cut buffer
 * still gives its beginning. Reads nothing outside `packed`, writes nothing outside `plain`,
 * allocates nothing, and takes time in proportion to the two sizes. */
#ifndef WK_FORMATS_ETL_PACKED_XPRESS_H
#define WK_FORMATS_ETL_PACKED_XPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

bool wk_xpress_plain(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made);
bool wk_xpress_huffman(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made);
bool wk_lznt1(struct wk_bytes packed, uint8_t *plain, size_t size_bytes, size_t *made);

#endif
