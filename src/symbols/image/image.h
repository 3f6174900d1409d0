/* One image of a wk_symbols, between the files that look into it: symbols.c (all of them),
 * image_files.c (its file and debug file), image_names.c (its symbols), image_places.c (its debug
 * information), image_cache.c (what is kept of all that), image_build.c (which build it is),
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
#include "symbols/image/dwarf_files.h"
#include "symbols/image/symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/object/symtab.h"
#include "symbols/pdb/pdb.h"
#include "symbols/unwind/unwind.h"

/* Debug information: found when somebody first asks for a place, read a unit at a time. */
struct wk_image_debug {
	bool is_open;      /* the index is there, or it is known that there is none */
	bool was_searched; /* so are the files */
	bool is_told;      /* the reason is whole */
	bool lacks_units;  /* one that was asked for could not be read */
	bool is_kept;      /* the index is the cache's */
	struct wk_code_index *index;
	struct wk_dwarf_files *files; /* that the debug information refers to */
	struct wk_dwarf *dwarf;
	struct wk_pdb *pdb;           /* in place of dwarf; of `pdb_file` */
	struct wk_breakpad *breakpad; /* in place of a PDB */
	struct wk_store_file pdb_file;
	bool pdb_was_searched;            /* along the symbol path, too */
	bool file_was_searched;           /* so was the image's file */
	struct wk_pdb_id looked_here_for; /* beside the image and in debug folders */
	struct wk_buf pdb_why; /* who was asked for it, and what lies there and is not it */
	bool has_unfit_pdb; /* one lies there, and is of another build or broken; or a symbol path
			     * was asked for it in vain */
	struct wk_buf path; /* the file it comes from; empty where there is none */
	struct wk_buf reason;
	size_t source_at; /* where the file's path is in the reason; 0 if it has none */
};

/* A file that something kept was made from, as it was then. */
struct wk_image_source {
	struct wk_str path; /* empty: there is none */
	uint64_t size_bytes, changed_ns;
	bool is_stale; /* it has changed since */
};

/* What the cache has of it. Borrowed from there. */
struct wk_image_cached {
	bool was_looked_for;
	const struct wk_cache_entry *entry; /* or NULL */
	struct wk_image_source image, names, lines;
	uint64_t build;      /* see wk_image_build */
	struct wk_str units; /* what the lines were read from, in a word */
	bool has_all_names;  /* no other file would have more */
};

struct wk_image_symbols {
	struct wk_symbols *owner;
	struct wk_image_key key;
	struct wk_store_file file, debug;
	struct wk_store_file packed; /* the names that the file carries packed (.gnu_debugdata) */
	struct wk_symtab *tab;
	const char *names_from; /* the file's path */
	bool has_all_names;
	bool names_are_kept;            /* the table is the cache's */
	struct wk_unwind_table *unwind; /* made when somebody asks */
	struct wk_image_cached kept;
	struct wk_buf reason, debug_reason;
	size_t source_at; /* as for places */
	enum wk_image_state state;
	unsigned retries;
	bool debug_done;
	bool was_asked, debug_asked; /* of other machines: the image, its debug file */
	bool is_in_view;             /* of meaning where the owner is narrowed */
	bool is_ready;               /* state and reason are final, the table is built */
	struct wk_image_debug places;
};

/* The running kernel's table: what an earlier time kept of it, or read now. Both where the kept one
 * had no answer. */
struct wk_kernel_names {
	bool may_be_kept; /* it is the system's own, and there is a cache */
	bool is_open, was_read;
	struct wk_kallsyms *kept, *read; /* or NULL */
	struct wk_err err;               /* why it cannot be read */
	struct wk_build_id id;
	struct wk_kallsyms_moment moment; /* before it was read; no id: unknown */
};

struct wk_symbols {
	struct wk_cache *cache;     /* or NULL */
	struct wk_fetcher *fetcher; /* or NULL */
	bool is_live;               /* nobody is asked now */
	bool is_narrowed;           /* and later only for images that are in view */
	bool as_perf;               /* see symbols.h */
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

/* Does the recording tell of an image of Windows, whose names need no file of it? */
static inline bool wk_image_has_rvas(const struct wk_image_symbols *image)
{
	return image->key.pdb_path.len > 0 || image->key.time_stamp != 0;
}

/* Is there something that places are read from? */
static inline bool wk_image_debug_has_source(const struct wk_image_debug *places)
{
	return places->dwarf || places->pdb || places->breakpad;
}

/* image_files.c: the file of an image that is no kernel's, with `state` and `reason`. */
void wk_image_open(struct wk_image_symbols *image);

/* The address in the image's own tables; false where it is not in the image. */
bool wk_image_vaddr_of(const struct wk_image_symbols *image, uint64_t address, uint64_t *vaddr);

/* By its own word or, where it is not here, the recording's. */
const struct wk_build_id *wk_image_build_id(const struct wk_image_symbols *image);

/* image_names.c: the table of names, with `state` and `reason`. */
void wk_image_build_table(struct wk_image_symbols *image);
bool wk_image_has_all_names(const struct wk_obj *obj);

/* image_build.c: a number for the code of a build and where it lies, which stripping leaves as it
 * is. Build ids are set by hand, too, and then several builds may have the same. */
uint64_t wk_image_build(const struct wk_obj *obj);

/* image_cache.c: what the cache has, NULL where it has nothing that is as good as what is there;
 * and what it is to keep, before the image goes. */
const struct wk_image_cached *wk_image_cached(struct wk_image_symbols *image);
bool wk_image_keeps_all(struct wk_image_symbols *image);
struct wk_symtab *wk_image_cached_names(struct wk_image_symbols *image);
struct wk_code_index *wk_image_cached_places(struct wk_image_symbols *image);
void wk_image_load_unwind(struct wk_image_symbols *image);
void wk_image_keep(struct wk_image_symbols *image);

/* kernel_names.c: is there a table? What has it for an absolute address? Close keeps it. */
bool wk_kernel_open(struct wk_symbols *symbols);
bool wk_kernel_find(struct wk_symbols *symbols, uint64_t address, struct wk_kallsym *found);
void wk_kernel_close(struct wk_symbols *symbols);

/* image_pdb.c: opens the PDB that the image was linked with, or Breakpad's text in place of it, if
 * it can be found: beside the image, in a debug folder, along the symbol path; once, however often
 * it is asked. What lies there and is of another build is told in `pdb_why`. Of an image that is
 * not here, its file is then looked for along the path, too. */
bool wk_image_open_pdb(struct wk_image_symbols *image);

/* The image's file along the symbol path, where it is not here. */
bool wk_image_find_file(struct wk_image_symbols *image);

/* What would be looked for along the symbol path next; false where nothing would be. It borrows
 * from the image. */
bool wk_image_want(struct wk_image_symbols *image, struct wk_fetch_want *want);

/* image_files.c: what other machines would be asked for next of an image that is none of Windows;
 * false where nothing would be. It borrows from the image. */
bool wk_image_want_remote(struct wk_image_symbols *image, struct wk_fetch_want *want);

/* May other machines be asked for it, since code of it is shown? */
bool wk_image_is_in_view(const struct wk_image_symbols *image);

/* Which one that is; none where it has no PDB. `path` is as it was linked. */
struct wk_pdb_id wk_image_pdb_id(const struct wk_image_symbols *image, struct wk_str *path);

/* The name of the file at the end of such a path, whichever slashes it has. */
struct wk_str wk_image_pdb_name(struct wk_str path);

/* image_places.c */
bool wk_image_has_places(const struct wk_obj *obj);
/* The function at an address by the image's PDB, which knows where functions end as the names of an
 * image of Windows do not. */
bool wk_image_find_in_pdb(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol);
const char *wk_image_debug_kind(const struct wk_image_debug *places);
void wk_image_debug_fini(struct wk_image_debug *places);

#endif
