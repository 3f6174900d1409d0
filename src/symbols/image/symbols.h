/* Addresses to names: finds each image's files once and answers by binary search.
 *
 * A wk_symbols keeps every image it was asked for: its ELF file, its separate debug file,
 * the vDSO, the kernel's table. Images are described by what a recording says of them
 * (wk_image_key) and looked for in this order: the recorded process's own view
 * (/proc/PID/root) while it lives, the path, the build-id trees. A file whose build id differs
 * from the recorded one is not used, and the image says so.
 *
 * Order of calls: new, image (once an image), find (once an address), free. Everything
 * handed out lives as long as the wk_symbols. Not for use from several threads at once.
 *
 * Asking for an image only maps its file, which is all that unwinding needs. Its symbol
 * table is built, and /proc/kallsyms read, at the first question for a state, a reason or a
 * symbol; its debug file is looked for then or when it is asked for. */
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
struct wk_cache;
struct wk_fetcher;
struct wk_unwind_table;

/* What it points to must outlive the wk_symbols. */
struct wk_symbols_options {
	const char *const *debug_dirs; /* NULL-terminated; NULL means /usr/lib/debug */
	const char *kallsyms_path;     /* NULL: $WICK_KALLSYMS or else /proc/kallsyms */
	struct wk_cache *cache;        /* NULL: nothing is kept or taken from there */
	struct wk_fetcher *fetcher;    /* NULL: files are looked for only where they belong */
	bool as_perf; /* of several names of an address the one that perf takes, with its version;
		       * such tables are not kept */
};

struct wk_symbols *wk_symbols_new(const struct wk_symbols_options *options);
void wk_symbols_free(struct wk_symbols *symbols);

/* Gives back the memory that the images' pages take; they are read again where they are needed.
 * For a recorder, which looks at each place of a large library once. */
void wk_symbols_release_pages(struct wk_symbols *symbols);

/* The recording's own folder, where people put what belongs to it: PDBs of Windows programs are
 * looked for there, and in RECORDING.NGENPDB, which WPR makes of the code that .NET keeps. */
void wk_symbols_look_beside(struct wk_symbols *symbols, const char *recording);

/* While a recording is made no other machine is asked for anything: to wait for it would be to
 * lose samples. */
void wk_symbols_be_live(struct wk_symbols *symbols, bool is_live);

/* The key of an image of Windows of which only the PDB is at hand, which lies at `path`, as the key
 * says then; false where that is no PDB. Addresses are RVAs. */
bool wk_image_key_of_pdb(const char *path, struct wk_image_key *key, struct wk_err *err);

struct wk_image_symbols;

/* Never NULL; look at its state. The same key gives the same one. */
struct wk_image_symbols *wk_symbols_image(struct wk_symbols *symbols,
					  const struct wk_image_key *key);

enum wk_image_state wk_image_state(struct wk_image_symbols *image);

/* One sentence on where the names came from, or why there are none and what would mend it:
 * "names from /usr/lib/debug/.build-id/ab/cd.debug", "file is gone", "kptr_restrict is 1 ...". */
const char *wk_image_reason(struct wk_image_symbols *image);

/* The same without "names from", for a column with that title. */
const char *wk_image_names_source(struct wk_image_symbols *image);

/* Has the image no names because the kernel hides its addresses from this user? */
bool wk_image_is_hidden(struct wk_image_symbols *image);

/* Asks other machines (if there are any) for the image's file where it is not here: once somebody
 * needs it, since most images of a recording have no samples. A question for its state, a reason or
 * a symbol does so too. */
void wk_image_fetch(struct wk_image_symbols *image);

/* The image's parsed file, for unwinding; NULL where there is none (kernel, missing). */
const struct wk_obj *wk_image_obj(struct wk_image_symbols *image);

/* The separate debug file in use, for .debug_frame; NULL where there is none. */
const struct wk_obj *wk_image_debug_obj(struct wk_image_symbols *image);

/* The image's unwind tables, as much as was compiled of them; NULL where there is no file. They
 * stay the image's. */
struct wk_unwind_table *wk_image_unwind(struct wk_image_symbols *image);

/* Fetches what other machines have of these images, several files at once and the first image's
 * first. From then on nobody is asked for any other image. */
void wk_symbols_prefetch(struct wk_symbols *symbols, struct wk_image_symbols *const *images,
			 size_t count);

/* Is there another machine that may be asked for anything? */
bool wk_symbols_asks_machines(const struct wk_symbols *symbols);

/* For whoever tells a person what would bring more names. */
enum wk_fetching {
	WK_FETCHING_NOTHING, /* no symbol server was named for what is missing */
	WK_FETCHING_DONE,    /* those of a symbol path were asked */
	WK_FETCHING_STOPPED, /* a person stopped it before all was asked for */
};
enum wk_fetching wk_symbols_fetching(const struct wk_symbols *symbols);

struct wk_symbol {
	struct wk_str name;  /* as linked, not demangled */
	uint64_t start;      /* where the symbol begins, in the address form asked with */
	uint64_t size_bytes; /* to the end that the table or the next symbol gives */
	bool is_plt;         /* the PLT slot that calls the function `name` */
};

/* The symbol that covers `address`: a file offset in the image, or an absolute address for
 * the kernel. False if none does. */
bool wk_image_find(struct wk_image_symbols *image, uint64_t address, struct wk_symbol *symbol);

/* The same for an address as the image's own tables count (vaddr). */
bool wk_image_find_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol);

/* The PDB that an image of Windows was linked with, once it was looked for. */
struct wk_image_pdb {
	struct wk_str linked_as; /* its path then; empty: the image names none */
	struct wk_pdb_id id;
	const char *path;     /* where it was found; NULL: nowhere */
	const char *stripped; /* why it has public names only; NULL: it has more */
};
void wk_image_pdb(struct wk_image_symbols *image, struct wk_image_pdb *pdb);

/* Public names of the image's PDB, as linked, by RVA; none where it has no PDB. `take` returns
 * false to stop. */
void wk_image_each_public(struct wk_image_symbols *image,
			  bool (*take)(void *context, struct wk_str name, uint64_t rva),
			  void *context);

/* Where all that is known of an image is its PDB: is there a section of it at an RVA? */
bool wk_image_pdb_covers(struct wk_image_symbols *image, uint64_t rva);

/* What a function that was inlined is called where it was not, if it has a linked name there, so
 * that both are one; else the place's own name. */
struct wk_str wk_image_place_name(struct wk_image_symbols *image, const struct wk_place *place);

/* The functions and source lines at `address` (as for wk_image_find), innermost inlined call
 * first, from debug information; at most `cap`. 0 where there is none for it. */
size_t wk_image_places(struct wk_image_symbols *image, uint64_t address, struct wk_place *places,
		       size_t cap);

/* The same for an address as the image's own tables count (vaddr). */
size_t wk_image_places_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_place *places,
			  size_t cap);

/* Whether there are any. Debug information is read a unit at a time, when somebody asks for it: one
 * that cannot be read shows only then. */
enum wk_places_state {
	WK_PLACES_NONE, /* nothing says the image's lines, or it cannot be read */
	WK_PLACES_SOME, /* not all that was asked for can be read */
	WK_PLACES_ALL,
};
enum wk_places_state wk_image_places_state(struct wk_image_symbols *image);

/* And with texts by the image's own numbers, of which wk_image_text tells what they are. */
size_t wk_image_place_ids_of(struct wk_image_symbols *image, uint64_t vaddr,
			     struct wk_place_ids *places, size_t cap);
struct wk_str wk_image_text(const struct wk_image_symbols *image, uint32_t id);

/* Has the memory fetched that a question for `vaddr` will look at soon. Changes no answer. */
void wk_image_expect(const struct wk_image_symbols *image, uint64_t vaddr);

/* Where the places come from, or why there are none, as a sentence like wk_image_reason's. */
const char *wk_image_places_reason(struct wk_image_symbols *image);

/* The same without "lines and inlined calls from". */
const char *wk_image_places_source(struct wk_image_symbols *image);

/* Is it the kernel that runs now, by its build id? A wrong name is worse than none. A table of the
 * user's, $WICK_KALLSYMS, is the recorded kernel's; if the variable is empty no kernel has one. */
bool wk_is_running_kernel(const struct wk_build_id *id);

/* The same kernel lies elsewhere after a new start of the machine: its first mapping, as recorded,
 * tells. */
bool wk_kernel_has_moved(struct wk_image_symbols *kernel, uint64_t first_start);

/* Where a recording has no build id of its kernel: does it say that it was made on this machine,
 * under a kernel of the same release as the one that runs ... */
bool wk_is_running_release(struct wk_str host, struct wk_str release);

/* ... and do that kernel's functions begin and end where the recorded ones did? Another build of
 * the release ends elsewhere, and so does the same one after a new start of the machine. True where
 * the system shows no addresses: then there are no names either. */
bool wk_kernel_is_at(struct wk_image_symbols *kernel, uint64_t start, uint64_t size_bytes);

/* What was used of an image, for whoever tells a person what it lacks. Whole when the image was
 * asked for all that there is to ask; valid until it is asked again. */
struct wk_image_used {
	bool has_all_names;         /* no other file would have more */
	bool names_are_kept;        /* they are the symbol cache's ... */
	bool places_are_kept;       /* ... and so are source lines and inlined calls */
	struct wk_str missing;      /* what its debug information refers to, and nobody found: a
				     * sentence. Empty: nothing */
	struct wk_str missing_file; /* the first of those */
	struct wk_str pdb_trouble;  /* the PDB that lies where the image's was looked for is not it,
				     * or leaves all to the objects: a sentence. Or empty */
	bool misses_shared;         /* that file is the one which dwz made of what several share */
};
void wk_image_used(struct wk_image_symbols *image, struct wk_image_used *used);

#endif
