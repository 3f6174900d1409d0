/* What a file is that was found for a Windows program, and whether it is the one that is wanted. */
#ifndef WK_FETCH_SYMBOL_FOUND_H
#define WK_FETCH_SYMBOL_FOUND_H

#include "fetch/store.h"
#include "symbols/breakpad/breakpad.h"
#include "symbols/pdb/pdb.h"

/* A PDB by its identity or, where `pdb` is none, an image by the key of its file. */
struct wk_symbol_want {
	struct wk_str name;   /* without folders */
	struct wk_str suffix; /* of a PDB's image, as for wk_symbol_wish; may be empty */
	struct wk_pdb_id pdb;
	uint32_t time_stamp, image_bytes;
	bool asks_no_server; /* it is looked for in folders alone */
};

/* One of these is open: the PDB, Breakpad's text in place of it, or the image in file.obj. All
 * read from `file`. */
struct wk_symbol_found {
	struct wk_store_file file;
	struct wk_pdb *pdb;
	struct wk_breakpad *breakpad;
};

/* The key by which stores keep it. */
void wk_symbol_want_key(const struct wk_symbol_want *want, struct wk_buf *key);

static inline bool wk_symbol_wants_pdb(const struct wk_symbol_want *want)
{
	return !wk_pdb_id_is_none(&want->pdb);
}

/* Opens what the bytes of `found->file` hold, unpacking it where they are a cabinet. False, with a
 * sentence that the file's name goes in front of, where it is not what is wanted; `found` is then
 * closed. */
bool wk_symbol_found_open(struct wk_symbol_found *found, const struct wk_symbol_want *want,
			  struct wk_err *err);

/* What there is of it, unpacked: for whoever keeps a copy. */
struct wk_str wk_symbol_found_bytes(const struct wk_symbol_found *found);

void wk_symbol_found_close(struct wk_symbol_found *found);

#endif
