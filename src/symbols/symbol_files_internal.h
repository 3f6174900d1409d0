/* Between symbol_files.c (the search through all places), symbol_server.c (those that are asked
 * over http) and symbol_copies.c (what is kept of that). */
#ifndef WK_SYMBOLS_SYMBOL_FILES_INTERNAL_H
#define WK_SYMBOLS_SYMBOL_FILES_INTERNAL_H

#include "symbols/fetch.h"
#include "symbols/symbol_files.h"
#include "symbols/symbol_path.h"

/* What came out of one place so far. */
struct wk_symbol_place_state {
	bool was_looked_at; /* which tiers it has */
	char *shown;        /* for people: an address without a password */
	char *why_down;     /* why it is left alone. Or NULL */
	char *complaint;    /* or NULL */
};

struct wk_symbol_files {
	struct wk_remote_options options;
	bool asks_nobody;
	struct wk_symbol_path path;
	struct wk_symbol_place_state *states; /* one a place */
	size_t state_cap;
	size_t silent_count; /* of the first places, which nobody named */
	char *folder; /* wick's own; NULL: the cache is switched off, */
	struct wk_err no_folder; /* or for this reason not to be used */
	bool is_folder_known, has_remembered;
	char *newest; /* the name of the file that came last, which makes no room. Or NULL */
	struct wk_fetcher *fetcher;
};

struct wk_symbol_search {
	struct wk_symbol_files *files;
	const struct wk_symbol_want *want;
	struct wk_symbol_wish wish;
	struct wk_buf key;       /* of `wish` */
	struct wk_buf own;       /* where it would lie in wick's own folder, without what tells its
				  * kind. Empty: there is no folder */
	struct wk_symbol_found *found;
	struct wk_buf *said;
};

/* Is there a folder of wick's own? It is made where `may_make`. */
bool wk_symbol_files_folder(struct wk_symbol_files *files, bool may_make);

static inline bool wk_symbol_is_own(const struct wk_symbol_files *files, struct wk_str folder)
{
	return files->folder && wk_str_is(folder, files->folder);
}

/* Opens what lies at `path`; false, with a sentence, where it is not what is wanted. */
bool wk_symbol_take(struct wk_symbol_search *s, const char *path, struct wk_err *err);

/* What file.ptr says, of a place that is on this machine or not: true if it led to the file. */
bool wk_symbol_follow(struct wk_symbol_search *s, struct wk_str pointer, bool is_here,
		      struct wk_err *err);

/* The n-th cache of a place; empty where this system has no such path. */
struct wk_str wk_symbol_cache_at(const struct wk_symbol_files *files, size_t place, size_t n);

/* Copies what was found to the caches of the place, and what a server sent to wick's own folder
 * where they take none. In `path` the nearest of the copies, or nothing where none could be
 * made. */
void wk_symbol_keep(struct wk_symbol_search *s, size_t place, struct wk_buf *path);

/* "PLACE: WHAT" for people; `complain` also for the end, where somebody may have hoped for more. */
void wk_symbol_say(struct wk_symbol_search *s, size_t place, const char *what);
void wk_symbol_complain(struct wk_symbol_search *s, size_t place, const char *what);

/* symbol_server.c: true if it was found there, and then it is kept. */
bool wk_symbol_ask(struct wk_symbol_search *s, size_t place);

#endif
