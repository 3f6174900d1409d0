/* Files that other machines keep: debuginfod servers and symbol stores.
 *
 * Off unless asked for: servers come from the command line or from DEBUGINFOD_URLS. What was
 * fetched lies in a folder of its own in the user's cache and is found there first; what a server
 * did not have is not asked for again for a while. A file is used only when its build id is the
 * wanted one, whatever the server says. The library for it (libcurl) may be missing from the
 * build: then opening fails by name.
 *
 * Order of calls: open, get as often as wished, close. */
#ifndef WK_SYMBOLS_REMOTE_H
#define WK_SYMBOLS_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

struct wk_remote;

struct wk_remote_progress {
	const char *url;
	uint64_t done_bytes, whole_bytes; /* whole: 0 where unknown */
	bool is_done;
};

struct wk_remote_options {
	/* "http://host/..." is a debuginfod server, "store:URL-or-folder" a symbol store with
	 * two- or three-part paths; NULL-terminated, asked in this order. */
	const char *const *servers;
	const char *folder;    /* NULL: "remote" in the user's cache folder */
	uint64_t most_bytes;   /* of one file; 0: 2 GiB */
	unsigned wait_seconds; /* without a byte; 0: 20 */
	void (*progress)(void *context, const struct wk_remote_progress *progress);
	void *context;
};

enum wk_remote_file {
	WK_REMOTE_IMAGE, /* the executable or library itself */
	WK_REMOTE_DEBUG, /* its debug file */
};

/* NULL, with a sentence, where wick was built without what it takes. */
struct wk_remote *wk_remote_open(const struct wk_remote_options *options, struct wk_err *err);
void wk_remote_close(struct wk_remote *remote);

/* The path of a local copy in `path`; false, with a sentence on who was asked and what they
 * said, where nobody has it. `remote` may be NULL. */
bool wk_remote_get(struct wk_remote *remote, enum wk_remote_file which,
		   const struct wk_build_id *id, struct wk_buf *path, struct wk_err *err);

/* Was this very file looked for before (by its build id), and what came of it? For `wick
 * symbols`; empty where it was not asked for. */
struct wk_str wk_remote_said(const struct wk_remote *remote, enum wk_remote_file which,
			     const struct wk_build_id *id);

#endif
