/* Where a person says that symbols are: _NT_SYMBOL_PATH and --symbol-path, in their whole grammar.
 *
 * "C:\syms;srv*D:\cache*https://server/symbols;cache*E:\c;symsrv*symsrv.dll*..." becomes a list of
 * places, to be asked in order (docs/symbols-windows.md has the grammar in plain words). A `srv`
 * element is a row of stores from the nearest to the farthest: what is found in one is copied to
 * those before it, and to the folders of all `cache` elements before that. What a place would
 * have is looked for at its spots, one after the other. Nothing here looks whether a file is there,
 * or asks anyone.
 *
 * Order of calls: add as often as wished, look at places and their spots, fini. All text is the
 * path's own. */
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

/* How many folders lie on the way to a file of a store. The file index2.txt at its root, whatever
 * is in it, says that there are three. */
enum wk_symbol_tiers {
	WK_SYMBOL_TIERS_UNKNOWN, /* both ways are tried */
	WK_SYMBOL_TWO_TIERS,     /* name.pdb/KEY/name.pdb */
	WK_SYMBOL_THREE_TIERS,   /* na/name.pdb/KEY/name.pdb */
};

struct wk_symbol_place {
	enum wk_symbol_place_kind kind;
	struct wk_str where; /* a path or an address, without a slash at its end */
	bool is_windows;     /* a path with a drive or a server's share (\\server\share): on other
			      * systems there is no such place */
	bool is_default;     /* Microsoft's public server */
	enum wk_symbol_tiers tiers;      /* unknown until somebody has looked */
	size_t first_cache, cache_count; /* stores to copy to, in `caches`, nearest first */
};

#define WK_MOST_SYMBOL_PLACES 256
#define WK_MOST_SYMBOL_CACHES 16 /* for one place */

struct wk_symbol_path {
	struct wk_symbol_place *places;
	size_t count, cap;
	struct wk_str *caches; /* paths */
	size_t caches_count, caches_cap;
	struct wk_str for_all[WK_MOST_SYMBOL_CACHES]; /* those of `cache` elements so far */
	size_t for_all_count;
	struct wk_arena texts;
};

/* Adds the elements of `text`; false, with a sentence that quotes it, at the first that makes no
 * sense: those before it are added. `default_cache` is for elements that leave theirs empty
 * (cache*, srv**https://...) and for servers that nothing else caches; where it is empty there is
 * no such cache. */
bool wk_symbol_path_add(struct wk_symbol_path *path, struct wk_str text,
			struct wk_str default_cache, struct wk_err *err);

/* A folder that is asked before all others, without caches. False where it is there already. */
bool wk_symbol_path_begin_with(struct wk_symbol_path *path, struct wk_str folder);
void wk_symbol_path_fini(struct wk_symbol_path *path);

/* A file that is wanted: by its name and the key of its build. They may come from a recording: a
 * name that is more than a file's own name has no spots, and one without a key has those only
 * where files lie as they are. */
struct wk_symbol_wish {
	struct wk_str name;   /* without folders */
	struct wk_str key;    /* GUID and age of a PDB, time and size of an image: hex digits */
	struct wk_str suffix; /* of a PDB's image, "dll": plain folders may be sorted by that.
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
	bool has_key;       /* it lies under the key, so it claims to be the right build */
};

/* Where `wish` would lie in `place`: sets `spot` to the n-th way, from 0 on and the likeliest
 * first; false behind the last. Spot 0 of a store is where a copy is to be put. The caller frees
 * spot->path, once, at the end. */
bool wk_symbol_spot(const struct wk_symbol_place *place, const struct wk_symbol_wish *wish,
		    size_t n, struct wk_symbol_spot *spot);

/* The place where index2.txt would lie. */
void wk_symbol_tiers_mark(const struct wk_symbol_place *place, struct wk_buf *path);

/* What file.ptr holds: the path where the file itself is, borrowed from `text`; false, with a
 * sentence, where it holds a message instead, or nothing that is known. */
bool wk_symbol_pointer_read(struct wk_str text, struct wk_str *path, struct wk_err *err);

#endif
