/* The symbol cache: results computed from an image, saved for the next run.
 *
 * One file per image, named by its build id or one made for it, in the user's cache folder
 * ($XDG_CACHE_HOME/wick or
 * ~/.cache/wick; WICK_CACHE_DIR overrides both, and an empty value disables the cache). A file
 * consists of sections that other modules read; here they are stored, mapped and verified. Nothing
 * is returned if its checksum is wrong. A file is replaced as a whole or not at all, so concurrent
 * or killed processes do no harm; failing to write is not an error. The total size is bounded
 * (WICK_CACHE_SIZE, "512M"): the least recently used files are deleted first. Other files in the
 * folder are neither counted nor touched.
 *
 * Order of calls: open, find or write any number of times, close. Entries live until the close. */
#ifndef WK_SYMBOLS_CACHE_CACHE_H
#define WK_SYMBOLS_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "event/event.h"

struct wk_cache;
struct wk_cache_entry;

/* Kinds of sections. The numbers are part of the format and are never reused; 3 was unwind rows. */
enum wk_cache_kind {
	WK_CACHE_SOURCE = 1,  /* symbols.c: text; the image's path is its first line */
	WK_CACHE_SYMBOLS = 2, /* symtab.h */
	WK_CACHE_CODE = 4,    /* code_index.h */
	WK_CACHE_KERNEL = 5,  /* kallsyms.h, in the entry of the kernel's build id */
};

/* Version of WK_CACHE_SOURCE, which lists read as well; the other versions are defined where the
 * sections are written. */
#define WK_CACHE_SOURCE_VERSION 3

struct wk_cache_section {
	uint32_t kind;    /* enum wk_cache_kind */
	uint32_t version; /* of the contents; writer and reader must agree */
	struct wk_str bytes;
};

struct wk_cache_options {
	const char *folder;  /* NULL: as described above */
	uint64_t most_bytes; /* 0: as WICK_CACHE_SIZE says, or 1 GiB */
};

/* The value of WICK_CACHE_SIZE, or 1 GiB; adds what is wrong with it to `complaint`. */
uint64_t wk_cache_usual_bytes(struct wk_buf *complaint);

/* NULL if the cache is disabled or has no folder; all calls accept NULL. Does not touch the
 * disk. */
struct wk_cache *wk_cache_open(const struct wk_cache_options *options);
void wk_cache_close(struct wk_cache *cache);

/* NULL if there is none or it is damaged. */
const struct wk_cache_entry *wk_cache_find(struct wk_cache *cache, const struct wk_build_id *id);

/* The same, but it does not count as a use of it: for lists. */
const struct wk_cache_entry *wk_cache_peek(struct wk_cache *cache, const struct wk_build_id *id);

/* Empty if the entry (which may be NULL) has no such section of that version, or its checksum is
 * wrong. Starts at a multiple of 8 bytes. */
struct wk_bytes wk_cache_section(const struct wk_cache_entry *entry, uint32_t kind,
				 uint32_t version);

/* Do the bytes of a section, in this machine's byte order, start with `magic` and `version`, 32
 * bits each? False as well if they are fewer than the head, or not at a multiple of 8. `what` is
 * for the sentence: "symbol table". */
bool wk_cache_check_head(struct wk_bytes bytes, size_t head_bytes, uint32_t magic, uint32_t version,
			 const char *what, struct wk_err *err);

/* Replaces an entry; entries found before stay readable. False, with a sentence, if it could not be
 * saved. */
bool wk_cache_write(struct wk_cache *cache, const struct wk_build_id *id,
		    const struct wk_cache_section *sections, size_t count, struct wk_err *err);

/* The same, but what the entry has of other kinds stays in it. */
bool wk_cache_add(struct wk_cache *cache, const struct wk_build_id *id,
		  const struct wk_cache_section *sections, size_t count, struct wk_err *err);

/* For users: list the entries, and delete them. */
struct wk_cache_row {
	struct wk_build_id id;
	uint64_t size_bytes;
	uint64_t used_ns; /* when last, since 1970 */
};
bool wk_cache_each(struct wk_cache *cache,
		   bool (*take)(void *context, const struct wk_cache_row *row), void *context,
		   struct wk_err *err);
bool wk_cache_clear(struct wk_cache *cache, uint64_t *files, uint64_t *bytes, struct wk_err *err);
const char *wk_cache_folder(const struct wk_cache *cache);

/* What is wrong with WICK_CACHE_SIZE, as a sentence to print once; empty if nothing is. */
const char *wk_cache_complaint(const struct wk_cache *cache);

#endif
