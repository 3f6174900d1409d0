/* Between remote.c (who is asked, and what came of it), remote_search.c (one search through all of
 * them), remote_check.c (what a file is that came) and remote_ahead.c (several searches at once).
 *
 * A search may be one of several that run beside each other. What it finds out is its own until it
 * is finished by the one thread that began them; of what all share it changes only who is left
 * alone, and holds the lock for that. */
#ifndef WK_FETCH_REMOTE_SEARCH_H
#define WK_FETCH_REMOTE_SEARCH_H

#include "base/map.h"
#include "fetch/fetch.h"
#include "fetch/fetch_quota.h"
#include "fetch/remote_places.h"
#include "os/os.h"

/* One of those that are asked. */
struct wk_remote_host {
	struct wk_remote_server at;
	char *complaint; /* what went wrong first, other than not to have a file. Or NULL */
	char *why_down;  /* why it is left alone, under the lock. Or NULL */
};

/* A question that was asked, and what came of it. */
struct wk_remote_answer {
	enum wk_remote_file which;
	struct wk_build_id id;
	char *path;     /* NULL: nobody has it */
	char *shown;    /* the same for people */
	bool is_unkept; /* it lies in `unkept`, and is gone with that */
	struct wk_os_keep unkept;
	char *said;
};

struct wk_remote {
	struct wk_remote_options options;
	struct wk_remote_host *hosts;
	size_t host_count;
	char *folder;            /* NULL: the cache is switched off, */
	struct wk_err no_folder; /* or for this reason not to be used */
	bool is_folder_known;
	bool has_remembered; /* something was written down of a server */
	char *newest;        /* the name of the file that came last, which makes no room. Or NULL */
	bool lacks_room;     /* nobody has made room for that yet */
	bool was_stopped;
	struct wk_fetcher *fetcher;
	struct wk_os_lock *lock;
	struct wk_fetch_quota room; /* of what is kept for this run alone */
	struct wk_remote_answer *answers;
	size_t answer_count, answer_cap;
	struct wk_index answer_of; /* build id to the number of an answer, from 1 */
};

/* What is wanted, where it would lie here, and what has been said so far. */
struct wk_remote_search {
	struct wk_remote *remote;
	struct wk_fetcher *fetcher; /* NULL: that of `remote` */
	size_t job;                 /* its number among those that run beside each other */
	bool has_no_room;           /* for a file that is kept for this run alone */
	bool is_look; /* no server is asked: where one would be, it is left open ... */
	bool is_open; /* ... whether the file is to be had */
	struct wk_remote_wish wish;
	struct wk_buf path, memory_path; /* of the local copy, and what is remembered of it */
	struct wk_buf said;
	bool is_unkept; /* what was found is kept for this run alone, here: */
	struct wk_os_keep unkept;
	struct wk_buf unkept_url;
	uint64_t unkept_bytes;
	char **complaints; /* one a host, or NULL: what went wrong there first */
	bool has_remembered, was_stopped;
	char *newest; /* as in `remote` */
};

/* Where what is fetched goes is found out, and made where there is somebody to fetch from: a folder
 * that is ours alone. False where there is none. By one thread, before the others search. */
bool wk_remote_has_folder(struct wk_remote *remote);

/* True if it was found: at `path`. What was found out stays the search's. */
bool wk_remote_search_run(struct wk_remote_search *s);

/* What was found out is now known to all. By one thread, when all others are done. */
void wk_remote_search_finish(struct wk_remote_search *s);

/* All of it is forgotten, as if nobody had looked. */
void wk_remote_search_undo(struct wk_remote_search *s);

/* For what came, by the next search of one alone, and when the remote is closed. */
void wk_remote_trim_for_newest(struct wk_remote *remote);

/* remote.c: the answer to a question, or NULL; the number of a new one, which says nothing yet; and
 * its words. */
const struct wk_remote_answer *wk_remote_answer_find(const struct wk_remote *remote,
						     enum wk_remote_file which,
						     const struct wk_build_id *id);
size_t wk_remote_answer_add(struct wk_remote *remote, enum wk_remote_file which,
			    const struct wk_build_id *id);
void wk_remote_answer_fill(struct wk_remote *remote, size_t number, struct wk_remote_search *s,
			   bool is_found);

/* Servers go by build ids; shorter ones are made by hand, and many files may have the same. */
#define WK_REMOTE_LEAST_ID 4

/* remote_check.c: whether what lies at `path`, or was written to `fd`, is the wanted file.
 * WK_ENOTFOUND where nothing lies there. */
bool wk_remote_check(const char *path, const struct wk_build_id *id, struct wk_err *err);
bool wk_remote_check_fd(int fd, const struct wk_build_id *id, struct wk_err *err);

/* A debug file that names nothing is the stripped program itself. */
bool wk_remote_says_more(const char *path, struct wk_err *err);

#endif
