/* Finds files of programs: in folders and stores, and on debuginfod and symbol servers.
 *
 * There are two lists of sources. Files of ELF programs are identified by build id and looked for
 * at the servers of elf_server.h; files of Windows programs by GUID or by time stamp and size,
 * along the symbol path (symbol_path.h). No other machine is asked unless the user named it. One
 * search (search.c) checks wick's own cache and then the sources in their order.
 *
 * A file is used only if it is complete and contains the wanted key. Files from servers are copied
 * to the caches of the path or to wick's own (cache_folder.h), and found there before a server is
 * asked again. If a server does not have a file, it is not asked for it again for a day; failures
 * are remembered for some minutes (misses.h). Without a cache, files are temporary (copies.c).
 * Without libcurl, servers fail with a message and folders still work.
 *
 * Order of calls: new, add sources, prefetch what will be wanted, get any number of times, free.
 * Not for use from several threads. */
#ifndef WK_FETCH_FETCHER_H
#define WK_FETCH_FETCHER_H

#include "fetch/fetch_options.h"
#include "fetch/want.h"

struct wk_fetcher;

/* Does not touch disk or network. */
struct wk_fetcher *wk_fetcher_new(const struct wk_fetch_options *options);
void wk_fetcher_free(struct wk_fetcher *fetcher);

/* Arguments as in elf_server.h, ended by NULL. None is added if one is invalid (WK_EUSAGE) or wick
 * was built without libcurl (WK_EUNSUPPORTED). */
bool wk_fetcher_add_servers(struct wk_fetcher *fetcher, const char *const *words,
			    struct wk_err *err);

/* Fails at the first invalid element: those before it are added. */
bool wk_fetcher_add_path(struct wk_fetcher *fetcher, struct wk_str path, struct wk_err *err);

/* A folder before all others of the path. It is not mentioned if it lacks a file. */
void wk_fetcher_add_first(struct wk_fetcher *fetcher, struct wk_str folder);

/* Below, NULL is a fetcher without sources. */

/* True if it was found: the caller closes it. Its path is for display, since a temporary file has
 * only an address. `said` gets what each source answered, or where the file comes from. The same
 * file is not searched for twice. */
bool wk_fetcher_get(struct wk_fetcher *fetcher, const struct wk_fetch_want *want,
		    struct wk_fetch_found *found, struct wk_buf *said);

/* Looks for all of them, several at once, and keeps the answers for wk_fetcher_get. They are the
 * same as those of one search after the other. Does nothing if no server may be asked. */
void wk_fetcher_prefetch(struct wk_fetcher *fetcher, const struct wk_fetch_want *wants,
			 size_t count);

/* Did the user name any source? Is there a server that may be asked? Is there one that is skipped,
 * since wick is offline? */
bool wk_fetcher_has_sources(const struct wk_fetcher *fetcher, enum wk_fetch_family family);
bool wk_fetcher_asks_servers(const struct wk_fetcher *fetcher, enum wk_fetch_family family);
bool wk_fetcher_skips_servers(const struct wk_fetcher *fetcher, enum wk_fetch_family family);

/* Did the user stop fetching (the options' `is_stopped`) before the end? */
bool wk_fetcher_was_stopped(const struct wk_fetcher *fetcher);

/* How many files were fetched at a time, if this process may open too few files for the default;
 * otherwise 0. */
unsigned wk_fetcher_few_at_once(const struct wk_fetcher *fetcher);

struct wk_fetch_source {
	const char *shown;     /* as typed, without secrets */
	const char *complaint; /* the first failure, by which a file may be missing. Or NULL */
	bool is_folder;
};

/* False after the last. */
bool wk_fetcher_source(const struct wk_fetcher *fetcher, enum wk_fetch_family family, size_t number,
		       struct wk_fetch_source *source);

#endif
