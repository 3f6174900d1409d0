/* Windows' compression: Microsoft's LZ77 ([MS-XCA]), plain and with Huffman codes, and LZNT1.
 *
 * The packed bytes do not contain the unpacked size. Each function fills `plain` with `size_bytes`
 * bytes and ignores the rest of `packed`. Returns true if that many were unpacked; false if the
 * packed bytes are broken, end early, or copy beyond the end. In both cases the first `*made` bytes
 * of `plain` are valid, so a truncated buffer still yields its beginning. Reads nothing outside
 * `packed`, writes nothing outside `plain`, allocates nothing, and takes time in proportion to the
 * two sizes. */
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
