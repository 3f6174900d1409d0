/* Microsoft cabinets, read only: symbol stores have one file in each, as name.pd_ and name.dl_;
 * cabinets of several files are read as well.
 *
 * Files are stored one after the other in folders, and a folder is packed as a whole, in blocks of
 * 32 KiB that refer to earlier ones: reading a file unpacks its folder from the start to its end.
 * Unpacked folders and those of MSZIP (deflate) and LZX (base/packed/lzx.h) are read; Quantum is
 * rejected by name, and so are cabinets that continue in another one. Checksums of blocks are
 * verified if there are any.
 *
 * Everything points into the opened bytes, which belong to the caller and must outlive the cabinet.
 * Names are as stored and may be anything; never use them as a path. Order of calls: open, read for
 * each file that is needed, close. */
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
	uint16_t folder;     /* the number of its folder, or of none if part of it is in another
			      * cabinet */
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
	uint8_t block_reserve; /* reserved bytes of each block's header */
};

bool wk_cab_is(struct wk_bytes first);

/* The lists; false, with a sentence, if they are damaged: then there is nothing to close. */
bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err);
void wk_cab_close(struct wk_cab *cab);

/* Appends the file's plain bytes; false, with a sentence without its name, if they are missing,
 * damaged, packed by an unknown method, or more than wk_unpack_limit; `plain` is then as before.
 * Needs time and memory for everything before the file in its folder. */
bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err);

#endif
