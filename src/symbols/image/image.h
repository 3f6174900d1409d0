/* One image of a wk_symbols, shared by symbols.c (all images), files.c (its file and debug file),
 * names.c (its symbols), places.c (its debug information), dwarf_files.c (what that refers to),
 * pdb.c (its PDB), cache.c (its entry in the symbol cache), build.c (which build it is) and
 * kernel_names.c (the running kernel). */
#ifndef WK_SYMBOLS_IMAGE_IMAGE_H
#define WK_SYMBOLS_IMAGE_IMAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "fetch/fetcher.h"
#include "fetch/store.h"
#include "symbols/breakpad/breakpad.h"
#include "symbols/cache/cache.h"
#include "symbols/code_index/code_index.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/image/symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/object/symtab.h"
#include "symbols/pdb/pdb.h"
#include "symbols/unwind/unwind.h"

/* Debug information: found at the first query for a place, read one unit at a time. */
struct wk_image_debug {
	bool is_open;      /* the index exists, or it is known that there is none */
	bool was_searched; /* for the files */
	bool is_told;      /* the reason is complete */
	bool lacks_units;  /* a requested unit could not be read */
	bool is_cached;    /* the index is from the cache */
	struct wk_code_index *index;
	struct wk_dwarf *dwarf;
	struct wk_store_file alternate, package; /* that it refers to */
	struct wk_store_file *split;
	size_t split_count, split_cap;
	struct wk_buf files_why;      /* why one of these is not used, or which is gone */
	struct wk_pdb *pdb;           /* in place of dwarf; of `pdb_file` */
	struct wk_breakpad *breakpad; /* in place of a PDB */
	struct wk_store_file pdb_file;
	bool pdb_was_searched;            /* along the symbol path as well */
	bool file_was_searched;           /* the same for the image's file */
	struct wk_pdb_id looked_here_for; /* next to the image and in debug folders */
	struct wk_buf pdb_why;            /* which sources have none, or a wrong one */
	bool has_unfit_pdb; /* the one found is damaged or of another build, or no source of the
			     * symbol path has it */
	struct wk_buf path; /* the file it is read from; empty: none */
	struct wk_buf reason;
	size_t source_at; /* where the file's path is in the reason; 0 if it has none */
};

/* The state of a file when a cache entry was made from it. */
struct wk_image_source {
	struct wk_str path; /* empty: there is none */
	uint64_t size_bytes, changed_ns;
	bool is_stale; /* it has changed since */
};

/* Real files have up to ten. */
#define WK_MOST_CACHED_LOADS 16

/* The image's cache entry; its texts are borrowed from the cache. */
struct wk_image_cached {
	bool was_looked_for;
	const struct wk_cache_entry *entry; /* or NULL */
	struct wk_image_source image, names, lines;
	uint64_t build;      /* see wk_image_build */
	struct wk_str units; /* the kind of file that the lines were read from */
	bool has_all_names;  /* no other file would have more */
	/* Of its file, which may be gone; none for a Windows image. */
	struct wk_obj_segment loads[WK_MOST_CACHED_LOADS];
	uint32_t load_count;
};

struct wk_image_symbols {
	struct wk_symbols *owner;
	struct wk_image_key key;
	struct wk_store_file file, debug;
	struct wk_store_file packed; /* the compressed names inside the file (.gnu_debugdata) */
	struct wk_symtab *tab;
	const char *names_from; /* the file's path */
	bool has_all_names;
	bool names_are_cached;          /* the table is from the cache */
	struct wk_unwind_table *unwind; /* created on demand */
	struct wk_image_cached cached;
	struct wk_build_id made_id; /* of its cache entry, if the file has no build id */
	struct wk_buf reason, debug_reason;
	size_t source_at; /* as for places */
	enum wk_image_state state;
	unsigned retries;
	bool debug_done;
	bool was_asked, debug_asked; /* servers, for the image and its debug file */
	bool is_in_view;             /* used if the owner is narrowed */
	bool is_ready;               /* state and reason are final, the table is built */
	struct wk_image_debug places;
};

/* The running kernel's table: from the cache, or read now; both if the cached one had no answer. */
struct wk_kernel_names {
	bool may_be_cached; /* it is the system's own table, and there is a cache */
	bool is_open, was_read;
	struct wk_kallsyms *cached, *read; /* or NULL */
	struct wk_err err;                 /* why it cannot be read */
	struct wk_build_id id;
	struct wk_kallsyms_moment moment; /* taken before it was read; no id: unknown */
};

struct wk_symbols {
	struct wk_cache *cache;     /* or NULL */
	struct wk_fetcher *fetcher; /* or NULL */
	bool is_live;               /* no server is queried while recording */
	bool is_narrowed;           /* servers are queried only for images in view */
	bool as_perf, any_build;    /* see symbols.h */
	const char *const *debug_dirs;
	const char *kallsyms_path;

	struct wk_arena arena;            /* the images, and the text of their keys */
	struct wk_image_symbols **images; /* from 1 on */
	size_t image_count, image_cap;
	struct wk_index index;

	struct wk_kernel_names kernel;
};

static inline bool wk_image_is_vdso(const struct wk_image_symbols *image)
{
	return !image->key.is_kernel && wk_str_is(image->key.path, "[vdso]");
}

/* Is it a Windows image, whose names can be read without its file? */
static inline bool wk_image_has_rvas(const struct wk_image_symbols *image)
{
	return image->key.pdb_path.len > 0 || image->key.time_stamp != 0;
}

/* Is there a file that places are read from? */
static inline bool wk_image_debug_has_source(const struct wk_image_debug *places)
{
	return places->dwarf || places->pdb || places->breakpad;
}

/* files.c: opens the image's file (not the kernel's), and sets `state` and `reason`. */
void wk_image_open(struct wk_image_symbols *image);

/* The address in the image's own tables; false if it is not in the image. If the file is missing,
 * its cache entry translates. */
bool wk_image_vaddr_of(struct wk_image_symbols *image, uint64_t address, uint64_t *vaddr);

/* From its file or, if that is missing, from the recording. */
const struct wk_build_id *wk_image_build_id(const struct wk_image_symbols *image);

/* names.c: builds the table of names, and sets `state` and `reason`. */
void wk_image_build_table(struct wk_image_symbols *image);
bool wk_image_has_all_names(const struct wk_obj *obj);
/* Behind a semicolon, unless it is empty. */
void wk_image_add_why(struct wk_buf *reason, struct wk_str why);

/* build.c: a checksum of a build's code and its addresses, which stripping does not change. Build
 * ids can be set by hand, so several builds may have the same. */
uint64_t wk_image_build(const struct wk_obj *obj);

/* cache.c: the image's cache entry, and its parts, NULL if the files at hand have more; and
 * wk_image_save, which writes the entry before the image is freed. */
const struct wk_image_cached *wk_image_cached(struct wk_image_symbols *image);
bool wk_image_is_all_cached(struct wk_image_symbols *image);
struct wk_symtab *wk_image_cached_names(struct wk_image_symbols *image);
struct wk_code_index *wk_image_cached_places(struct wk_image_symbols *image);
void wk_image_save(struct wk_image_symbols *image);

/* kernel_names.c: opens the table, finds an absolute address, and saves the table on close. */
bool wk_kernel_open(struct wk_symbols *symbols);
bool wk_kernel_find(struct wk_symbols *symbols, uint64_t address, struct wk_kallsym *found);
void wk_kernel_close(struct wk_symbols *symbols);

/* pdb.c: opens the PDB that the image was linked with, or a Breakpad symbol file: next to the
 * image, in a debug folder or along the symbol path. Searches once. PDBs of another build are
 * reported in `pdb_why`. If the image itself is missing, its file is searched for along the path as
 * well. */
bool wk_image_open_pdb(struct wk_image_symbols *image);

/* Searches the symbol path for the image's file if that is missing. */
bool wk_image_find_file(struct wk_image_symbols *image);

/* The next file to search for along the symbol path; false if there is none. `want` borrows from
 * the image. */
bool wk_image_want(struct wk_image_symbols *image, struct wk_fetch_want *want);

/* files.c: the same for servers of ELF files. */
bool wk_image_want_remote(struct wk_image_symbols *image, struct wk_fetch_want *want);

/* Is code of it shown, so that servers may be queried for it? */
bool wk_image_is_in_view(const struct wk_image_symbols *image);

/* The id of its PDB, or none; `path` is the PDB's path when it was linked. */
struct wk_pdb_id wk_image_pdb_id(const struct wk_image_symbols *image, struct wk_str *path);

/* dwarf_files.c: what wk_dwarf_new needs. `info` has the debug information: the image or its debug
 * file. */
struct wk_dwarf_input wk_image_dwarf_input(struct wk_image_symbols *image,
					   const struct wk_store_file *info);
void wk_image_debug_close_files(struct wk_image_debug *places);

/* places.c */
bool wk_image_has_places(const struct wk_obj *obj);
/* The function at an address by the image's PDB, which contains the ends of functions; the symbols
 * of a Windows image do not. */
bool wk_image_find_in_pdb(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol);
const char *wk_image_debug_kind(const struct wk_image_debug *places);
void wk_image_debug_fini(struct wk_image_debug *places);

#endif
