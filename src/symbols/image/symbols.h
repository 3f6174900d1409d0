/* Addresses to names: finds each image's files once and answers by binary search.
 *
 * A wk_symbols owns all images that were requested: ELF file, separate debug file, vDSO, kernel
 * table. An image is described by its wk_image_key, from a recording, and searched for in this
 * order: the recorded process's own view (/proc/PID/root) while it runs, the path, the build-id
 * trees. A file whose build id differs from the recorded one is not used; the image's reason
 * mentions it.
 *
 * Order of calls: new, image (once per image), find (once per address), free. All results live as
 * long as the wk_symbols. Not for use from several threads at once.
 *
 * wk_symbols_image only maps the file, which is all that unwinding needs. The symbol table is
 * built, and /proc/kallsyms read, at the first query for a state, a reason or a symbol; the debug
 * file is searched for then or on request. */
#ifndef WK_SYMBOLS_IMAGE_SYMBOLS_H
#define WK_SYMBOLS_IMAGE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "event/event.h"
#include "event/pdb_id.h"
#include "symbols/code_index/place.h"
#include "symbols/object/image_key.h"

struct wk_symbols;
struct wk_obj;
struct wk_obj_symbol;
struct wk_cache;
struct wk_fetcher;
struct wk_unwind_table;

/* What it points to must outlive the wk_symbols. */
struct wk_symbols_options {
	const char *const *debug_dirs; /* NULL-terminated; NULL means /usr/lib/debug */
	const char *kallsyms_path;     /* NULL: $WICK_KALLSYMS or else /proc/kallsyms */
	struct wk_cache *cache;        /* NULL: no cache */
	struct wk_fetcher *fetcher;    /* NULL: only this machine is searched */
	bool any_build;                /* use the file at the recorded path, whatever its build */
	bool as_perf; /* prefer the name that perf chooses if an address has several, with its
		       * version; such tables are not cached */
};

struct wk_symbols *wk_symbols_new(const struct wk_symbols_options *options);
void wk_symbols_free(struct wk_symbols *symbols);

/* Releases the memory of the images' mapped pages, which are read again on demand. For a recorder,
 * which uses each part of a large library once. */
void wk_symbols_release_pages(struct wk_symbols *symbols);

/* Searches the recording's folder for the PDBs of Windows programs as well, and RECORDING.NGENPDB,
 * which WPR writes for precompiled .NET code. */
void wk_symbols_look_beside(struct wk_symbols *symbols, const char *recording);

/* No server is queried while recording: waiting for an answer would lose samples. */
void wk_symbols_be_live(struct wk_symbols *symbols, bool is_live);

/* The key of a Windows image that is known only by its PDB at `path`, which becomes the key's path;
 * false if that is not a PDB. Addresses are RVAs. */
bool wk_image_key_of_pdb(const char *path, struct wk_image_key *key, struct wk_err *err);

struct wk_image_symbols;

/* Never NULL; see its state. The same key returns the same image. */
struct wk_image_symbols *wk_symbols_image(struct wk_symbols *symbols,
					  const struct wk_image_key *key);

enum wk_image_state wk_image_state(struct wk_image_symbols *image);

/* One sentence: the source of the names, or why there are none and how to get them:
 * "names from /usr/lib/debug/.build-id/ab/cd.debug", "file is gone", "kptr_restrict is 1 ...". */
const char *wk_image_reason(struct wk_image_symbols *image);

/* The same without "names from", for a column with that title. */
const char *wk_image_names_source(struct wk_image_symbols *image);

/* Has the image no names because the kernel hides its addresses from this user? */
bool wk_image_is_hidden(struct wk_image_symbols *image);

/* Queries servers, if there are any, for the image's missing file. Not done before it is needed,
 * since most images of a recording have no samples; queries for a state, a reason or a symbol do it
 * as well. */
void wk_image_fetch(struct wk_image_symbols *image);

/* Is it unknown whether its file is the recorded one? Then the recorded return addresses decide: is
 * the code before `address`, a file offset, a call? And if the answers are no, the file is not
 * used. */
bool wk_image_is_unproven(const struct wk_image_symbols *image);
bool wk_image_calls_before(const struct wk_image_symbols *image, uint64_t address);
void wk_image_decide(struct wk_image_symbols *image, bool is_recorded);

/* The image's parsed file, for unwinding; NULL if there is none (kernel, missing). */
const struct wk_obj *wk_image_obj(struct wk_image_symbols *image);

/* The separate debug file in use, for .debug_frame; NULL if there is none. */
const struct wk_obj *wk_image_debug_obj(struct wk_image_symbols *image);

/* The image's unwind tables, as far as compiled; NULL if it has no file. Owned by the image. */
struct wk_unwind_table *wk_image_unwind(struct wk_image_symbols *image);

/* Fetches the missing files of these images from servers, several at once and those of the first
 * image first. Afterwards servers are not queried for any other image. */
void wk_symbols_prefetch(struct wk_symbols *symbols, struct wk_image_symbols *const *images,
			 size_t count);

/* Is there a server that may be queried? */
bool wk_symbols_asks_machines(const struct wk_symbols *symbols);

/* Whether servers were queried, for advice on how to get more names. */
enum wk_fetching {
	WK_FETCHING_NOTHING, /* no symbol server is configured for the missing files */
	WK_FETCHING_DONE,    /* those of a symbol path were queried */
	WK_FETCHING_STOPPED, /* the user interrupted it */
};
enum wk_fetching wk_symbols_fetching(const struct wk_symbols *symbols);

/* The end of a recorded name if it is that of a PLT slot. */
#define WK_PLT "@plt"

struct wk_symbol {
	struct wk_str name;  /* linked name, not demangled */
	uint64_t start;      /* in the same kind of address as the query */
	uint64_t size_bytes; /* up to its end in the table, or the next symbol */
	bool is_plt;         /* the PLT slot that calls the function `name` */
};

/* The symbol that covers `address`: a file offset in the image, or an absolute address for
 * the kernel. False if none does. */
bool wk_image_find(struct wk_image_symbols *image, uint64_t address, struct wk_symbol *symbol);

/* The same for an address of the image's own tables (vaddr). */
bool wk_image_find_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol);

/* The PDB that a Windows image was linked with; searches for it. */
struct wk_image_pdb {
	struct wk_str linked_as; /* its path at link time; empty: the image has none */
	struct wk_pdb_id id;
	const char *path;     /* of the file found; NULL: none */
	const char *stripped; /* why it has only public names; NULL: it has more */
};
void wk_image_pdb(struct wk_image_symbols *image, struct wk_image_pdb *pdb);

/* The file name of such a path, with either kind of slash. */
struct wk_str wk_image_pdb_name(struct wk_str path);

/* Name, as linked, and RVA of the public symbols in the image's PDB, if it has one. `take` returns
 * false to stop. */
void wk_image_each_public(struct wk_image_symbols *image,
			  bool (*take)(void *context, const struct wk_obj_symbol *symbol),
			  void *context);

/* For an image that is known only by its PDB: does one of its sections contain the RVA? */
bool wk_image_pdb_covers(struct wk_image_symbols *image, uint64_t rva);

/* The linked name of an inlined function's out-of-line copy, if it has one, so that both have the
 * same name; otherwise the place's own name. */
struct wk_str wk_image_place_name(struct wk_image_symbols *image, const struct wk_place *place);

/* The functions and source lines at `address` (as for wk_image_find), innermost inlined call
 * first, from debug information; at most `cap`. 0 if there is none. */
size_t wk_image_places(struct wk_image_symbols *image, uint64_t address, struct wk_place *places,
		       size_t cap);

/* The same for an address of the image's own tables (vaddr). */
size_t wk_image_places_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_place *places,
			  size_t cap);

/* Whether there are any. Debug information is read on demand, one unit at a time, so a damaged unit
 * is noticed late. */
enum wk_places_state {
	WK_PLACES_NONE, /* there is no line information, or it cannot be read */
	WK_PLACES_SOME, /* some requested units cannot be read */
	WK_PLACES_ALL,
};
enum wk_places_state wk_image_places_state(struct wk_image_symbols *image);

/* The same with texts as numbers of the image, which wk_image_text looks up. */
size_t wk_image_place_ids_of(struct wk_image_symbols *image, uint64_t vaddr,
			     struct wk_place_ids *places, size_t cap);
struct wk_str wk_image_text(const struct wk_image_symbols *image, uint32_t id);

/* Prefetches the memory that a query for `vaddr` will read. */
void wk_image_expect(const struct wk_image_symbols *image, uint64_t vaddr);

/* The source of the places, or why there are none: a sentence like wk_image_reason's. */
const char *wk_image_places_reason(struct wk_image_symbols *image);

/* The same without "lines and inlined calls from". */
const char *wk_image_places_source(struct wk_image_symbols *image);

/* Is it the running kernel, by its build id? A wrong name is worse than none. The user's table,
 * $WICK_KALLSYMS, belongs to the recorded kernel; if the variable is empty no kernel has a table.
 */
bool wk_is_running_kernel(const struct wk_build_id *id);

/* Was the machine restarted, which moves the same kernel? Its recorded first mapping shows that. */
bool wk_kernel_has_moved(struct wk_image_symbols *kernel, uint64_t first_start);

/* For a recording without the kernel's build id: was it made on this machine, under a kernel of the
 * running release ... */
bool wk_is_running_release(struct wk_str host, struct wk_str release);

/* ... and do that kernel's functions start and end at the recorded addresses? They do not for
 * another build of the release, or after a restart of the machine. True if the system hides
 * addresses: then there are no names either. */
bool wk_kernel_is_at(struct wk_image_symbols *kernel, uint64_t start, uint64_t size_bytes);

/* What was used of an image, for reports on what it lacks. Complete after all queries to the image;
 * valid until the next one. */
struct wk_image_used {
	bool has_all_names;         /* no other file would have more */
	bool names_are_cached;      /* they are from the symbol cache ... */
	bool places_are_cached;     /* ... and so are source lines and inlined calls */
	struct wk_str missing;      /* a sentence about files that its debug information refers to
				     * and that were not found; empty: none */
	struct wk_str missing_file; /* the first of those */
	struct wk_str pdb_trouble;  /* a sentence about a PDB of another build, or one that refers
				     * to object files; or empty */
	bool misses_shared;         /* that file is dwz's, shared by several programs */
};
void wk_image_used(struct wk_image_symbols *image, struct wk_image_used *used);

#endif
