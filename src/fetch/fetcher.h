/* Finds files of programs: in folders and stores, and on debuginfod and symbol servers.
 *
 * There are two lists of sources. Files of ELF programs are wanted by build id, and looked for at
 * the servers of elf_server.h; files of Windows programs by GUID or by time stamp and size, and
 * looked for along the symbol path (symbol_path.h). No other machine is asked unless the user named
 * it. One search (search.c) goes through wick's own cache and then the sources in their order.
 *
 * A file is used only if it is whole and its own key is the wanted one, whatever its name and its
 * server say. What a server sent is copied to the caches of the path or to wick's own
 * (cache_folder.h), and found there before any server is asked. What a server does not have is not
 * asked for again for a day, and a failure is remembered for some minutes (misses.h). If there is
 * no cache, what comes is kept for this run alone (quota.h). Without libcurl, servers fail by name
 * and folders still work.
 *
 * Order of calls: new, add sources, prefetch what will be wanted, get as often as wished, free. Not
 * for use from several threads. */
#ifndef WK_FETCH_FETCHER_H
#define WK_FETCH_FETCHER_H

#include "fetch/fetch_options.h"
#include "fetch/want.h"

struct wk_fetcher;

/* Does not touch disk or network. */
struct wk_fetcher *wk_fetcher_new(const struct wk_fetch_options *options);
void wk_fetcher_free(struct wk_fetcher *fetcher);

/* The words of elf_server.h, ended by NULL. False, with a sentence, if one cannot be understood
 * (WK_EUSAGE) or wick was built without libcurl (WK_EUNSUPPORTED): then none is added. */
bool wk_fetcher_add_servers(struct wk_fetcher *fetcher, const char *const *words,
			    struct wk_err *err);

/* False, with a sentence, at the first element that makes no sense: those before it are added. */
bool wk_fetcher_add_path(struct wk_fetcher *fetcher, struct wk_str path, struct wk_err *err);

/* A folder before all others of the path. It is not mentioned if it does not have a file. */
void wk_fetcher_add_first(struct wk_fetcher *fetcher, struct wk_str folder);

/* Below, NULL is a fetcher without sources. */

/* True if it was found: then it is the caller's to close. Its file's path is for people, since what
 * is kept for this run alone has only an address. `said` gets what each source answered, or
 * where the file comes from. The same file is not searched for twice. */
bool wk_fetcher_get(struct wk_fetcher *fetcher, const struct wk_fetch_want *want,
		    struct wk_fetch_found *found, struct wk_buf *said);

/* Looks for all of them, several at once, and keeps the answers for wk_fetcher_get: they are the
 * same as those of one search after the other. The first are begun first. Does nothing if no server
 * may be asked. */
void wk_fetcher_prefetch(struct wk_fetcher *fetcher, const struct wk_fetch_want *wants,
			 size_t count);

/* Has the user named any source? Is there a server that may be asked? Is there one that may not,
 * since wick is offline? */
bool wk_fetcher_has_sources(const struct wk_fetcher *fetcher, enum wk_fetch_family family);
bool wk_fetcher_asks_servers(const struct wk_fetcher *fetcher, enum wk_fetch_family family);
bool wk_fetcher_skips_servers(const struct wk_fetcher *fetcher, enum wk_fetch_family family);

/* Did the user stop fetching (the options' `is_stopped`) before everything was asked for? */
bool wk_fetcher_was_stopped(const struct wk_fetcher *fetcher);

/* At how many at a time files were fetched, if this process may open too few files for the usual
 * number; otherwise 0. */
unsigned wk_fetcher_few_at_once(const struct wk_fetcher *fetcher);

struct wk_fetch_source {
	const char *shown;     /* as typed, without secrets */
	const char *complaint; /* what went wrong first, so that a file may be missing. Or NULL */
	bool is_folder;
};

/* False after the last. */
bool wk_fetcher_source(const struct wk_fetcher *fetcher, enum wk_fetch_family family, size_t number,
		       struct wk_fetch_source *source);

#endif
