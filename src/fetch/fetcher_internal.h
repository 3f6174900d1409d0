/* Between fetcher.c (sources and answers), search.c (one search), batch.c (several at once),
 * source_files.c (files in folders) and copies.c (copies of what was found). */
#ifndef WK_FETCH_FETCHER_INTERNAL_H
#define WK_FETCH_FETCHER_INTERNAL_H

#include "base/arena.h"
#include "base/strtab.h"
#include "fetch/elf_server.h"
#include "fetch/fetcher.h"
#include "fetch/symbol_path.h"
#include "fetch/transfer.h"

struct wk_search;

struct wk_complaint {
	size_t source;
	char *text;     /* or NULL */
	bool is_remark; /* any other complaint replaces it */
};

struct wk_source {
	struct wk_elf_server server;  /* if files are looked for by build id */
	struct wk_symbol_place place; /* always: `where`, and whether it is a folder or a server */
	char *shown;                  /* without secrets */
	char *remembered_as;          /* the same, and differs from sources with other secrets */
	bool is_silent;               /* not named by the user */
	struct wk_complaint complaint;
	struct wk_outcome down;           /* why it is not asked for other files. Or NONE */
	bool tiers_are_known;             /* as far as possible */
	struct wk_search *tiers_asked_by; /* or NULL */
};

struct wk_sources {
	struct wk_source *at;
	size_t count, cap;
};

struct wk_fetcher {
	struct wk_fetch_options options;
	struct wk_sources sources[WK_FETCH_FAMILIES];
	struct wk_symbol_path path;
	char *folder; /* wick's own cache. NULL: there is none */
	bool is_folder_known, is_folder_lost;
	struct wk_err no_folder; /* why there is none, or why it cannot be used */
	bool has_remembered, was_stopped;
	char *newest; /* the first file that was added, which trimming keeps. Or NULL */
	unsigned few_at_once;
	struct wk_transfers *transfers; /* NULL until a server is asked */
	struct wk_search **searches;
	size_t search_count, search_cap;
	struct wk_strtab *keys; /* of the searches: the number of a search is that of its key - 1 */
	struct wk_arena texts;
};

/* A search is a state machine: it continues until it has to wait for a server. */
enum wk_search_step {
	WK_SEARCH_BEGINS,
	WK_SEARCH_LOOKS,        /* at the next source */
	WK_SEARCH_ASKS,         /* a server, next */
	WK_SEARCH_GETS_TIERS,   /* waits for index2.txt of the server */
	WK_SEARCH_AWAITS_TIERS, /* waits until another search knows them */
	WK_SEARCH_PICKS_SPOT,   /* the next place at the server */
	WK_SEARCH_GETS_FILE,    /* waits for it */
	WK_SEARCH_ENDS,
};

struct wk_search {
	struct wk_fetcher *fetcher;
	struct wk_fetch_want want; /* borrows from the fetcher's `texts` */
	enum wk_search_step step;
	struct wk_sources *sources;
	size_t number; /* of the current source */
	size_t next_spot;
	struct wk_symbol_spot spot;
	struct wk_buf key, shown;
	struct wk_symbol_wish wish;
	struct wk_buf own;         /* its path in wick's cache, without suffix; or empty */
	struct wk_buf misses_path; /* or empty */
	struct wk_transfer transfer;
	struct wk_os_draft draft; /* receives the file; stays open if the file is temporary */
	bool has_draft;
	struct wk_outcome forbidden; /* the first that was; or NONE */

	/* The result. */
	bool is_found, is_taken, is_temporary; /* taken: `found` is the caller's */
	struct wk_fetch_found found;
	char *path; /* to open it again. Or NULL */
	struct wk_buf said;
	struct wk_complaint *complaints;
	size_t complaint_count, complaint_cap;
};

static inline struct wk_source *wk_search_source(const struct wk_search *s)
{
	return &s->sources->at[s->number];
}

static inline bool wk_source_is_server(const struct wk_source *source)
{
	return source->place.kind == WK_SYMBOL_SERVER;
}

/* search.c: continues. With `is_local` it stops before a server is asked. */
void wk_search_advance(struct wk_search *s, bool is_local);
/* Forgets all but what is wanted. */
void wk_search_reset(struct wk_search *s);

/* "SOURCE: TEXT" for people; complaints also for the end of the run. */
void wk_search_say(struct wk_search *s, const char *who, const char *text);
void wk_search_complain(struct wk_search *s, const char *text, bool is_remark);

/* batch.c: runs all of them to their ends, up to eight at a time. They begin in their order, so
 * that the most important files come first and are there if the user stops early. What they find
 * does not depend on which server answers first. With `is_prefetch`, progress counts them. */
void wk_batch_run(struct wk_fetcher *fetcher, struct wk_search **searches, size_t count,
		  bool is_prefetch);

/* source_files.c: sets s->spot to the n-th place of the file in the current source; false after the
 * last. An empty path is to be skipped. */
bool wk_search_spot(struct wk_search *s, size_t n);
/* Is it in wick's cache, or in the current folder? */
bool wk_search_own_cache(struct wk_search *s);
bool wk_search_folder(struct wk_search *s);
bool wk_source_has_three_tiers(const struct wk_symbol_place *place);

/* copies.c: copies what was found to the caches of its source. */
void wk_search_copy(struct wk_search *s);
bool wk_search_open_draft(struct wk_search *s, struct wk_outcome *outcome);

/* Is there a folder of wick's own? It is made if `may_make`. */
bool wk_fetcher_folder(struct wk_fetcher *fetcher, bool may_make);

/* Is it that one, usable or not? */
static inline bool wk_fetcher_is_own(const struct wk_fetcher *fetcher, struct wk_str folder)
{
	return fetcher->folder && wk_str_is(folder, fetcher->folder);
}

#endif
