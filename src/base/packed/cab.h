/* Microsoft cabinets, read only, by libmspack: symbol stores have one file in each, as name.pd_ and
 * name.dl_; cabinets of several files are read as well.
 *
 * A folder of a cabinet is packed as a whole (MSZIP, LZX, Quantum or not at all): reading a file
 * unpacks its folder from the start to the file's end. Files that are in several cabinets are
 * rejected, and so is a file with more plain bytes before its end than wk_unpack_limit. Without
 * libmspack, opening fails and names it.
 *
 * The opened bytes belong to the caller and must outlive the cabinet. Names are as stored and may
 * be anything; never use them as a path. Order of calls: open, read for each file that is needed,
 * close. */
#ifndef WK_BASE_PACKED_CAB_H
#define WK_BASE_PACKED_CAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

struct mscabd_file;
struct wk_cab_library;

struct wk_cab_file {
	struct wk_str name;
	size_t size_bytes; /* plain, as it claims */
	uint64_t offset;   /* in the plain bytes of its folder */
	struct mscabd_file *entry;
};

struct wk_cab {
	struct wk_cab_file *files;
	size_t file_count, file_cap;
	struct wk_cab_library *library;
};

bool wk_cab_is(struct wk_bytes first);

/* The list of files; false, with a sentence, if it is damaged: then there is nothing to close. */
bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err);
void wk_cab_close(struct wk_cab *cab);

/* Appends the file's plain bytes; false, with a sentence without its name, if they are missing,
 * damaged or too many; `plain` is then as before. */
bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err);

#endif
