/* Plain bytes to packed ones: a writer that packs its input with gzip and passes it on.
 *
 *	struct wk_out *packer = wk_packer_new(&file, &err);
 *	... a wk_out like any other ...
 *	wk_packer_end(packer);       then the file, which is the caller's
 *
 * The same bytes give the same packed bytes: no time or name is stored. zlib may be missing from
 * a build; wk_packer_new then fails and names it. */
#ifndef WK_BASE_PACKED_PACK_H
#define WK_BASE_PACKED_PACK_H

#include "base/err.h"
#include "base/out.h"

/* Whether this build can pack. */
bool wk_can_pack(void);

/* `to` must outlive the packer. NULL on failure. */
struct wk_out *wk_packer_new(struct wk_out *to, struct wk_err *err);

/* Ends the packed bytes and frees the packer; `to` knows whether they could be written. */
void wk_packer_end(struct wk_out *packer);

/* Adds the bytes as gzip, by libdeflate or zlib. It takes longer and packs better than the packer.
 * False if this build has neither library. */
bool wk_gzip(struct wk_str plain, struct wk_buf *packed);

#endif
