/* Symbol paths: the whole grammar of _NT_SYMBOL_PATH and --symbol-path (docs/symbols-windows.md).
 *
 * "C:\syms;srv*D:\cache*https://server/symbols;cache*E:\c;symsrv*symsrv.dll*..." becomes a list of
 * places, to be asked in order. A `srv` element is a row of stores from the nearest to the
 * farthest: a file found in one is copied to those before it, and to the folders of all `cache`
 * elements before that. In a place, a file is looked for at its spots, one after the other. Nothing
 * here opens a file or a connection.
 *
 * Order of calls: add any number of times, look at places and their spots, fini. The path owns all
 * text. */
#ifndef WK_FETCH_SYMBOL_PATH_H
#define WK_FETCH_SYMBOL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum wk_symbol_place_kind {
	WK_SYMBOL_FOLDER, /* files as they are, and a store's layout below it */
	WK_SYMBOL_STORE,  /* a store's layout only */
	WK_SYMBOL_SERVER, /* the same behind http or https */
};

/* The folders on the way to a file of a store, with the file itself. A file index2.txt at its root
 * marks three. */
enum wk_symbol_tiers {
	WK_SYMBOL_TIERS_UNKNOWN, /* both ways are tried */
	WK_SYMBOL_TWO_TIERS,     /* name.pdb/KEY/name.pdb */
	WK_SYMBOL_THREE_TIERS,   /* na/name.pdb/KEY/name.pdb */
};

struct wk_symbol_place {
	enum wk_symbol_place_kind kind;
	struct wk_str where; /* a path or an address, without a slash at its end */
	bool is_windows;     /* a path with a drive or a share (\\server\share): such places do not
			      * exist on other systems */
	bool is_default;     /* Microsoft's public server */
	enum wk_symbol_tiers tiers;
	const struct wk_str *caches; /* stores to copy to, nearest first */
	size_t cache_count;
};

#define WK_MOST_SYMBOL_PLACES 256
#define WK_MOST_SYMBOL_CACHES 16 /* for one place */

struct wk_symbol_caches {
	struct wk_str at[WK_MOST_SYMBOL_CACHES];
	size_t count;
};

struct wk_symbol_path {
	struct wk_symbol_place *places;
	size_t count, cap;
	struct wk_symbol_caches for_all; /* of `cache` elements so far */
	struct wk_arena texts;
};

/* Adds the elements of `text`; fails at the first invalid one, and those before it are added.
 * `default_cache` is for elements without their own (cache*, srv**https://...) and for servers that
 * nothing else caches; empty: there is none. */
bool wk_symbol_path_add(struct wk_symbol_path *path, struct wk_str text,
			struct wk_str default_cache, struct wk_err *err);

/* A folder that is asked before all others, without caches. False if the path has it already. */
bool wk_symbol_path_begin_with(struct wk_symbol_path *path, struct wk_str folder);
void wk_symbol_path_fini(struct wk_symbol_path *path);

/* The name of a wanted file and the key of its build, perhaps from a recording: a name with folders
 * has no spots, and a file without a key only those in plain folders. */
struct wk_symbol_wish {
	struct wk_str name;   /* without folders */
	struct wk_str key;    /* GUID and age of a PDB, time and size of an image: hex digits */
	struct wk_str suffix; /* of a PDB's image, "dll", by which plain folders may be sorted.
			       * Empty: dll, exe and sys are tried */
};

enum wk_symbol_spot_kind {
	WK_SYMBOL_SPOT_FILE,
	WK_SYMBOL_SPOT_CABINET,  /* name.pd_: the file, packed (base/packed/cab.h) */
	WK_SYMBOL_SPOT_POINTER,  /* file.ptr: a text for wk_symbol_pointer_read */
	WK_SYMBOL_SPOT_BREAKPAD, /* name.sym instead of name.pdb (symbols/breakpad/breakpad.h) */
};

struct wk_symbol_spot {
	enum wk_symbol_spot_kind kind;
	struct wk_buf path; /* or address, escaped as addresses are */
};

/* Sets `spot` to the n-th place of the file in `place`, from 0 on, the likeliest first; false after
 * the last. Spot 0 of a store is where a copy is put. The caller frees spot->path at the end. */
bool wk_symbol_spot(const struct wk_symbol_place *place, const struct wk_symbol_wish *wish,
		    size_t n, struct wk_symbol_spot *spot);

/* The path of index2.txt. */
void wk_symbol_tiers_mark(const struct wk_symbol_place *place, struct wk_buf *path);

/* The path that a file.ptr contains, borrowed from `text`; fails if it contains a message. */
bool wk_symbol_pointer_read(struct wk_str text, struct wk_str *path, struct wk_err *err);

#endif
