/* The symbol cache: what was worked out of an image, kept for the next time.
 *
 * A file an image, named by its build id, in a folder of the user's own ($XDG_CACHE_HOME/wick or
 * ~/.cache/wick; WICK_CACHE_DIR overrules both, and empty switches the cache off). A file is some
 * sections of bytes that other modules know how to read; here they are only kept, mapped and
 * checked. Nothing is handed out whose checksum is not right. A file takes its place whole or
 * not at all, so two processes, or one that is killed, do no harm; what cannot be written is not
 * an error. All files together stay below a bound (WICK_CACHE_SIZE, "512M"): those not used for
 * the longest time go first. What else lies in the folder is neither counted nor touched.
 *
 * Order of calls: open, find or write as often as wished, close. Entries live until the close. */
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

/* What is kept. Numbers are part of the format and are never used again for another thing. */
enum wk_cache_kind {
	WK_CACHE_SOURCE = 1,  /* symbols.c: text; the image's path is its first line */
	WK_CACHE_SYMBOLS = 2, /* symtab.h */
	WK_CACHE_UNWIND = 3,  /* unwind_table.h */
	WK_CACHE_CODE = 4,    /* code_index.h */
	WK_CACHE_KERNEL = 5,  /* kallsyms.h, in the entry of the kernel's build id */
};

/* Of WK_CACHE_SOURCE, which lists read too; the others' versions are where they are written. */
#define WK_CACHE_SOURCE_VERSION 2

struct wk_cache_section {
	uint32_t kind;    /* enum wk_cache_kind */
	uint32_t version; /* of what is inside; the writer's and the reader's must be the same */
	struct wk_str bytes;
};

struct wk_cache_options {
	const char *folder;  /* NULL: as described above */
	uint64_t most_bytes; /* 0: as WICK_CACHE_SIZE says, or 1 GiB */
};

/* What WICK_CACHE_SIZE says, or 1 GiB; what is wrong with it is added to `complaint`. */
uint64_t wk_cache_usual_bytes(struct wk_buf *complaint);

/* NULL where the cache is switched off or there is no folder for it; all calls take that. Does
 * not touch the disk. */
struct wk_cache *wk_cache_open(const struct wk_cache_options *options);
void wk_cache_close(struct wk_cache *cache);

/* NULL where there is none, or it is broken (which is then as if there were none). */
const struct wk_cache_entry *wk_cache_find(struct wk_cache *cache, const struct wk_build_id *id);

/* The same, but it does not count as a use of it: for lists. */
const struct wk_cache_entry *wk_cache_peek(struct wk_cache *cache, const struct wk_build_id *id);

/* Empty where the entry (which may be NULL) has no such section of that version, or its checksum
 * is wrong. Starts at a multiple of 8 bytes. */
struct wk_bytes wk_cache_section(const struct wk_cache_entry *entry, uint32_t kind,
				 uint32_t version);

/* Puts an entry in the place of what was there; entries found before stay readable. False, with
 * a sentence, if it could not be kept. */
bool wk_cache_write(struct wk_cache *cache, const struct wk_build_id *id,
		    const struct wk_cache_section *sections, size_t count, struct wk_err *err);

/* The same, but what the entry has of other kinds stays in it. */
bool wk_cache_add(struct wk_cache *cache, const struct wk_build_id *id,
		  const struct wk_cache_section *sections, size_t count, struct wk_err *err);

/* For people: all that is kept, and how to be rid of it. */
struct wk_cache_row {
	struct wk_build_id id;
	const char *path; /* of the file, valid during the call */
	uint64_t size_bytes;
	uint64_t used_ns; /* when last, since 1970 */
};
bool wk_cache_each(struct wk_cache *cache,
		   bool (*take)(void *context, const struct wk_cache_row *row), void *context,
		   struct wk_err *err);
bool wk_cache_clear(struct wk_cache *cache, uint64_t *files, uint64_t *bytes, struct wk_err *err);
const char *wk_cache_folder(const struct wk_cache *cache);

/* What is wrong with WICK_CACHE_SIZE, as a sentence to be said once; empty where nothing is. */
const char *wk_cache_complaint(const struct wk_cache *cache);

#endif
