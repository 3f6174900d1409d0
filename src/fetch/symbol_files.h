/* Files of Windows programs, from the places of a symbol path: PDBs, Breakpad's text in place of
 * them, and the images themselves.
 *
 * Places are asked in the order of the path (symbol_path.h), folders and stores where they are and
 * servers over http or https. What is found in a place is copied to the caches that stand before
 * it. A cache that the path leaves to us is wick's own, which remote.h describes: files lie there
 * by their keys alone (KEY.pdb, KEY.sym, KEY.image), and those not used for the longest time go.
 * There it also remembers what servers did not have. A file is used only when it is whole and
 * of the wanted build, whatever its name and its place claim.
 *
 * Order of calls: new, add each path, fetch ahead what will be wanted, get as often as wished,
 * free. Not for several threads. */
#ifndef WK_FETCH_SYMBOL_FILES_H
#define WK_FETCH_SYMBOL_FILES_H

#include "fetch/remote.h"
#include "fetch/symbol_found.h"

struct wk_symbol_files;

/* Folder, limits and progress are those of `options`, which names no servers. Where nobody is to be
 * asked, servers and shares are passed over, and caches are still looked into. */
struct wk_symbol_files *wk_symbol_files_new(const struct wk_remote_options *options,
					    bool asks_nobody);
void wk_symbol_files_free(struct wk_symbol_files *files);

/* False, with a sentence, at the first element that makes no sense: those before it are added. */
bool wk_symbol_files_add(struct wk_symbol_files *files, struct wk_str path, struct wk_err *err);

/* A folder that is asked before all others, and says nothing where it does not have a file. */
void wk_symbol_files_begin_with(struct wk_symbol_files *files, struct wk_str folder);

/* Is there any place that somebody named? NULL has none. */
bool wk_symbol_files_asks(const struct wk_symbol_files *files);

/* Is there a server that may be asked? */
bool wk_symbol_files_has_servers(const struct wk_symbol_files *files);

/* Did somebody stop fetching (the options' `is_stopped`) before all was asked? NULL: no. */
bool wk_symbol_files_was_stopped(const struct wk_symbol_files *files);

/* Is there one that is passed over, since nobody is to be asked? */
bool wk_symbol_files_passes_servers(const struct wk_symbol_files *files);

/* Looks for all of them, several at once, and keeps what comes of it for wk_symbol_files_get, which
 * then has no need to ask: the answer is the same as it would have been one after the other. The
 * first are begun first. Does nothing where no server would be asked. */
void wk_symbol_files_prefetch(struct wk_symbol_files *files, const struct wk_symbol_want *wants,
			      size_t count);

/* True if it was found: then it is the caller's to close. `said` gets who was asked and what they
 * said, or where it comes from. */
bool wk_symbol_files_get(struct wk_symbol_files *files, const struct wk_symbol_want *want,
			 struct wk_symbol_found *found, struct wk_buf *said);

/* What went wrong first with the `number`th place, so that it could not say whether it has a
 * file: a sentence, or NULL. False behind the last. The place is as typed, without a password. */
bool wk_symbol_files_complaint(const struct wk_symbol_files *files, size_t number,
			       const char **place, const char **complaint);

#endif
