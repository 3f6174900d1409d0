/* Microsoft cabinets, read only: what symbol stores keep as name.pd_ and name.dl_, one file in
 * each, and cabinets of several files too.
 *
 * Files lie one behind the other in folders, and a folder is packed as a whole, in blocks of 32 KiB
 * that refer to those before them: to read a file is to unpack its folder from the beginning up to
 * it. Folders that are not packed and those of MSZIP (deflate) and LZX (base/packed/lzx.h) are
 * read; Quantum is refused by name, and so are cabinets that go on in another one. Blocks are
 * checked by their sums where they have one.
 *
 * Everything points into the bytes that were opened, which stay the caller's and must outlive the
 * cabinet. Names are as written and may be anything; they are never to be used as a path.
 * Order of calls: open, read for each file that is wanted, close. */
#ifndef WK_BASE_PACKED_CAB_H
#define WK_BASE_PACKED_CAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

struct wk_cab_file {
	struct wk_str name;
	uint32_t size_bytes; /* plain, as it claims */
	uint32_t offset;     /* in its folder's plain bytes */
	uint16_t folder;     /* the number of its folder, or of none where it lies in part in
			      * another cabinet */
	bool is_utf8;        /* the name; otherwise in some code page */
};

struct wk_cab_folder {
	struct wk_bytes blocks; /* from its first block on */
	uint16_t block_count;
	uint16_t method; /* as written: kind and, for LZX, window */
};

struct wk_cab {
	struct wk_cab_file *files;
	struct wk_cab_folder *folders;
	size_t file_count, folder_count;
	uint8_t block_reserve; /* bytes of each block's header that are somebody else's */
};

bool wk_cab_is(struct wk_bytes first);

/* The lists; false, with a sentence, where they are broken: then there is nothing to close. */
bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err);
void wk_cab_close(struct wk_cab *cab);

/* Adds the file's plain bytes; false, with a sentence that does not name it, where they are not
 * there, broken, packed in another way, or more than wk_unpack_limit. What was added by then is
 * taken back. Takes time and memory for all that lies in front of it in its folder. */
bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err);

#endif
