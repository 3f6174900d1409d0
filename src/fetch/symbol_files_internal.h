/* Between symbol_files.c (the search through all places), symbol_server.c (those that are asked
 * over http), symbol_copies.c (what is kept of that) and symbol_ahead.c (several searches at once).
 *
 * A search may be one of several that run beside each other. What it finds out is its own until it
 * is finished by the one thread that began them; of what all share it changes only what places
 * are found to be, and holds the lock for that. */
#ifndef WK_FETCH_SYMBOL_FILES_INTERNAL_H
#define WK_FETCH_SYMBOL_FILES_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "fetch/fetch.h"
#include "fetch/fetch_quota.h"
#include "fetch/symbol_files.h"
#include "fetch/symbol_path.h"
#include "os/os.h"

/* What came out of one place so far. */
struct wk_symbol_place_state {
	char *shown;         /* for people: an address without secrets */
	char *remembered_as; /* tells it from others with other secrets, and tells none */
	char *complaint;     /* or NULL */
	/* Under the lock. */
	bool was_looked_at; /* which tiers it has */
	bool is_looked_at;  /* that is being asked just now */
	char *why_down;     /* why it is left alone. Or NULL */
	enum wk_fetched went_down;
};

/* Of a search that ended before it was asked for. */
struct wk_symbol_answer {
	struct wk_symbol_want want; /* borrows from `texts` */
	struct wk_symbol_found found;
	bool is_found, is_taken; /* taken: it was handed over, and is the caller's */
	char *said;
};

struct wk_symbol_files {
	struct wk_remote_options options;
	bool asks_nobody;
	struct wk_symbol_path path;
	struct wk_symbol_place_state *states; /* one a place */
	size_t state_cap;
	size_t silent_count;     /* of the first places, which nobody named */
	char *folder;            /* wick's own; NULL: the cache is switched off, */
	struct wk_err no_folder; /* or for this reason not to be used, ... */
	char *lost_folder;       /* ... where it would be. Or NULL */
	bool is_folder_known, has_remembered, was_stopped;
	char *newest;    /* the name of the file that came last, which makes no room. Or NULL */
	bool lacks_room; /* nobody has made room for that yet */
	struct wk_fetcher *fetcher;
	struct wk_os_lock *lock;
	struct wk_fetch_quota room;       /* of what is kept for this run alone */
	struct wk_symbol_answer *answers; /* fetched ahead */
	size_t answer_count, answer_cap;
	struct wk_index answer_of; /* a want to the number of its answer, from 1 */
	struct wk_arena texts;
};

struct wk_symbol_search {
	struct wk_symbol_files *files;
	struct wk_fetcher *fetcher; /* NULL: that of `files` */
	size_t job;                 /* its number among those that run beside each other */
	bool has_no_room;           /* for a file that is kept for this run alone */
	uint64_t unkept_bytes;      /* of one that came, and is */
	bool is_look;      /* no server is asked: where one would be, it is left open ... */
	bool is_open;      /* ... whether the file is to be had */
	char **complaints; /* one a place, or NULL: what went wrong there first */
	bool has_remembered, was_stopped;
	char *newest; /* as in `files` */
	const struct wk_symbol_want *want;
	struct wk_symbol_wish wish;
	struct wk_buf key; /* of `wish` */
	struct wk_buf own; /* where it would lie in wick's own folder, without what tells its
			    * kind. Empty: there is no folder */
	struct wk_symbol_found *found;
	struct wk_buf *said;
};

/* Is there a folder of wick's own? It is made where `may_make`. */
bool wk_symbol_files_folder(struct wk_symbol_files *files, bool may_make);

/* Is it that one, usable or not? */
static inline bool wk_symbol_is_own(const struct wk_symbol_files *files, struct wk_str folder)
{
	return (files->folder && wk_str_is(folder, files->folder)) ||
	       (files->lost_folder && wk_str_is(folder, files->lost_folder));
}

/* Opens what lies at `path`; false, with a sentence, where it is not what is wanted. */
bool wk_symbol_use_file(struct wk_symbol_search *s, const char *path, struct wk_err *err);

/* The n-th cache of a place; empty where this system has no such path. */
struct wk_str wk_symbol_cache_at(const struct wk_symbol_files *files, size_t place, size_t n);

/* Copies what was found to the caches of the place, and what a server sent or what was unpacked
 * to wick's own folder where they take none. In `path` the nearest of the copies, or nothing
 * where none could be made. */
void wk_symbol_keep(struct wk_symbol_search *s, size_t place, struct wk_buf *path);

/* In place of what was unpacked into memory, its copy, which is mapped. */
void wk_symbol_use_copy(struct wk_symbol_search *s, const struct wk_buf *path);

/* Of a place on this machine. */
bool wk_symbol_is_three_tiered(const struct wk_symbol_place *place);

/* All of it, but that what was found out stays the search's. */
bool wk_symbol_search_run(struct wk_symbol_search *s);

/* What was found out is now known to all. By one thread, when all others are done. */
void wk_symbol_search_finish(struct wk_symbol_search *s);

/* For what came, after one search or after all of several. */
void wk_symbol_files_trim(struct wk_symbol_files *files);

/* symbol_ahead.c: whether the search was made before: `found` and `said` are what came of it. */
bool wk_symbol_files_know(struct wk_symbol_files *files, const struct wk_symbol_want *want,
			  struct wk_symbol_found *found, struct wk_buf *said, bool *is_found);
void wk_symbol_files_forget(struct wk_symbol_files *files);

/* "PLACE: WHAT" for people; `complain` also for the end, where somebody may have hoped for more. */
void wk_symbol_say(struct wk_symbol_search *s, size_t place, const char *what);
void wk_symbol_complain(struct wk_symbol_search *s, size_t place, const char *what);

/* Only that, and not with what was said. */
void wk_symbol_note_complaint(struct wk_symbol_search *s, size_t place, const char *what);

/* symbol_server.c: true if it was found there, and then it is kept. */
bool wk_symbol_request(struct wk_symbol_search *s, size_t place);

#endif
