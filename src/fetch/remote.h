/* Files that other machines keep: debuginfod servers and symbol stores.
 *
 * Off unless asked for or configured: whoever opens a wk_remote names the servers. What was
 * fetched lies in a folder of its own in the user's cache (ID.debuginfo, ID.executable) and is
 * found there before a server is asked; what a server did not have is not asked for again for a
 * day, and what went wrong not for some minutes (ID.debuginfo.asked tells). A file is used only
 * when it is whole and its own build id is the wanted one, whatever the server says. All files
 * together, and what is remembered, stay below WICK_CACHE_SIZE, as with the symbol cache: those not
 * used for the longest time go, but never the one that just came. Where that folder cannot be, what
 * comes is kept for this run alone, in files without a name. The library for it (libcurl) may
 * be missing from the build or from the machine: then servers fail by name, and folders still work.
 *
 * A server is written as
 *
 *	http://HOST/...    a debuginfod server: .../buildid/ID/debuginfo
 *	store:PLACE        a symbol store, where PLACE is a folder or http://HOST/...:
 *	                   .build-id/ab/cd.debug, app/ID/app and ap/app/ID/app; in a folder
 *	                   also app.debug or app itself, and the path as recorded below it
 *	ssqp:PLACE         one with the keys of .NET's: app/elf-buildid-ID/app
 *	/a/folder          the same as store:/a/folder; also ./folder
 *
 * Order of calls: open, fetch ahead what will be wanted, get as often as wished, close. Not for use
 * from several threads. */
#ifndef WK_FETCH_REMOTE_H
#define WK_FETCH_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

struct wk_remote;

struct wk_remote_progress {
	const char *url, *name;           /* of the file; NULL: the URL says it */
	uint64_t done_bytes, whole_bytes; /* whole: 0 where unknown */
	bool is_done;                     /* this was the last word on this URL */
	/* Of several that are fetched at once: what they are for, and how much of that is done. No
	 * URL: nothing comes just now. */
	size_t done_jobs, job_count; /* count 0: it is fetched alone */
	bool is_end;                 /* this was the last word on all of them */
};

struct wk_remote_options {
	/* NULL-terminated, asked in this order. None at all: what was fetched before is still
	 * found, and nobody is asked. */
	const char *const *servers;
	const char *folder;     /* NULL: "remote" in the user's cache folder */
	uint64_t most_bytes;    /* of one file; 0: 2 GiB */
	unsigned wait_seconds;  /* with less than 1 KiB each on average; 0: 60 */
	unsigned whole_seconds; /* for one file; 0: while it comes with 32 KiB each on average,
				   which is asked for after 15 minutes */
	void (*progress)(void *context, const struct wk_remote_progress *progress);
	bool (*is_stopped)(void *context); /* asked often; true: nothing is fetched any more */
	void *context;
	unsigned *few_at_once; /* set where the process may open so few files that fewer are fetched
				* at a time than usual: how many. May be NULL */
};

enum wk_remote_file {
	WK_REMOTE_IMAGE, /* the executable or library itself */
	WK_REMOTE_DEBUG, /* its debug file */
};

/* Does not touch disk or network. NULL, with a sentence, where a server cannot be understood
 * (WK_EUSAGE) or wick was built without what it takes (WK_EUNSUPPORTED). */
struct wk_remote *wk_remote_open(const struct wk_remote_options *options, struct wk_err *err);
void wk_remote_close(struct wk_remote *remote);

/* Where a file lies here: its path, and how that is called where a person reads it. Both are the
 * remote's, and hold until it is closed. */
struct wk_remote_copy {
	const char *path, *shown;
};

/* A local copy; false, with a sentence on who was asked and what they
 * said, where nobody has it (empty where nobody was asked). `image_path` is the image's, as
 * recorded: stores go by its last part. `remote` may be NULL. The same question is not asked
 * twice. */
bool wk_remote_get(struct wk_remote *remote, enum wk_remote_file which,
		   const struct wk_build_id *id, struct wk_str image_path,
		   struct wk_remote_copy *copy, struct wk_err *err);

struct wk_remote_want {
	enum wk_remote_file which;
	struct wk_build_id id;
	struct wk_str image_path; /* as recorded */
};

/* Looks for all of them, several at once, and keeps what comes of it for wk_remote_get, which then
 * has no need to ask: the answer is the same as it would have been one after the other. The first
 * are begun first. Does nothing where no other machine would be asked. */
void wk_remote_prefetch(struct wk_remote *remote, const struct wk_remote_want *wants, size_t count);

/* Is there a server or a folder to ask? */
bool wk_remote_asks(const struct wk_remote *remote);

/* Did somebody stop fetching (the options' `is_stopped`) before all was asked? */
bool wk_remote_was_stopped(const struct wk_remote *remote);

/* Is one of them on another machine? */
bool wk_remote_asks_machines(const struct wk_remote *remote);

/* The `number`th of them as a person typed it, without a password; NULL behind the last. Folders
 * may be looked into for files of which no build id is known, too. */
const char *wk_remote_server(const struct wk_remote *remote, size_t number, bool *is_folder);

/* What went wrong with it first, so that it could not say whether it has a file: a sentence, or
 * NULL. */
const char *wk_remote_complaint(const struct wk_remote *remote, size_t number);

/* For people: what was fetched, and how to be rid of it. `folder` as in the options. A folder that
 * is not there is empty. */
struct wk_remote_cached {
	const char *name; /* without folders, valid during the call */
	uint64_t size_bytes;
	uint64_t fetched_ns; /* since 1970 */
};
bool wk_remote_each_cached(const char *folder,
			   bool (*take)(void *context, const struct wk_remote_cached *kept),
			   void *context, struct wk_err *err);

/* Also what is remembered of servers, which is not counted. */
bool wk_remote_clear(const char *folder, uint64_t *files, uint64_t *bytes, struct wk_err *err);

#endif
