/* A file that is wanted, by its key, and whether a file that was found is the wanted one. */
#ifndef WK_FETCH_WANT_H
#define WK_FETCH_WANT_H

#include "event/pdb_id.h"
#include "fetch/store.h"
#include "symbols/breakpad/breakpad.h"
#include "symbols/pdb/pdb.h"

enum wk_fetch_kind {
	WK_FETCH_IMAGE, /* an ELF executable or library, by build id */
	WK_FETCH_DEBUG, /* its debug file */
	WK_FETCH_PDB,   /* by GUID and age */
	WK_FETCH_PE,    /* a program for Windows, by time stamp and size */
};

/* Which sources may have it. */
enum wk_fetch_family { WK_FETCH_FOR_ELF, WK_FETCH_FOR_WINDOWS, WK_FETCH_FAMILIES };

struct wk_fetch_want {
	enum wk_fetch_kind kind;
	struct wk_build_id id;            /* IMAGE, DEBUG */
	struct wk_pdb_id pdb;             /* PDB */
	uint32_t time_stamp, image_bytes; /* PE */
	struct wk_str name;               /* without folders; empty: unknown */
	struct wk_str path;               /* as recorded. Sent to no other machine */
	struct wk_str
		suffix;      /* of a PDB's image, "dll", by which folders may be sorted; or empty */
	bool asks_no_server; /* look in folders only */
};

static inline enum wk_fetch_family wk_fetch_family_of(const struct wk_fetch_want *want)
{
	return want->kind == WK_FETCH_IMAGE || want->kind == WK_FETCH_DEBUG ? WK_FETCH_FOR_ELF
									    : WK_FETCH_FOR_WINDOWS;
}

/* The id as it was before perf padded it with zeros to 20 bytes: 8, 16 or 20 bytes. One id of 20
 * bytes in four thousand millions ends in four zeros by chance. */
struct wk_build_id wk_fetch_trim_id(const struct wk_build_id *id);

/* The key by which stores keep it; nothing is added if it has none. */
void wk_fetch_want_key(const struct wk_fetch_want *want, struct wk_buf *key);

/* Its name in wick's cache folder, and the suffix; `is_text`: Breakpad's text in place of a PDB. */
void wk_fetch_want_cache_name(const struct wk_fetch_want *want, struct wk_buf *name);
const char *wk_fetch_want_suffix(const struct wk_fetch_want *want, bool is_text);

/* One of these is open: the PDB, Breakpad's text in place of it, or the image in file.obj. All
 * read from `file`. */
struct wk_fetch_found {
	struct wk_store_file file;
	struct wk_pdb *pdb;
	struct wk_breakpad *breakpad;
};

/* Parses the bytes of `found->file`, unpacking them first if they are a cabinet. False, with a
 * sentence without the file's name, if it is not the wanted file or not whole; `found` is then
 * closed. */
bool wk_fetch_found_open(struct wk_fetch_found *found, const struct wk_fetch_want *want,
			 struct wk_err *err);

/* The same for the file at `path`; WK_ENOTFOUND if there is none. */
bool wk_fetch_found_open_path(struct wk_fetch_found *found, const struct wk_fetch_want *want,
			      const char *path, struct wk_err *err);

/* A debug file without names is the stripped program itself. */
bool wk_fetch_found_has_names(const struct wk_fetch_found *found);

/* Its bytes, unpacked. */
struct wk_str wk_fetch_found_bytes(const struct wk_fetch_found *found);

void wk_fetch_found_close(struct wk_fetch_found *found);

#endif
