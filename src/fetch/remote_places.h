/* Where a server keeps a file: the paths of the layouts that remote.h lists. Nothing here looks
 * whether it is there. */
#ifndef WK_FETCH_REMOTE_PLACES_H
#define WK_FETCH_REMOTE_PLACES_H

#include "fetch/remote.h"

enum wk_remote_layout {
	WK_REMOTE_DEBUGINFOD,
	WK_REMOTE_STORE,
	WK_REMOTE_SSQP,
};

struct wk_remote_server {
	enum wk_remote_layout layout;
	char *base;          /* URL or folder, without a '/' at the end */
	char *shown;         /* the same for people: a URL without secrets */
	char *remembered_as; /* the same with a word that tells it from others with other secrets */
	bool is_folder;
};

/* `word` as in remote.h. False, with a sentence, if it cannot be understood. */
bool wk_remote_server_read(struct wk_remote_server *server, const char *word, struct wk_err *err);
void wk_remote_server_fini(struct wk_remote_server *server);

struct wk_remote_wish {
	enum wk_remote_file which;
	struct wk_build_id id;
	struct wk_str name; /* of the image's file, without folders; empty where unknown */
	struct wk_str path; /* the same as recorded. Told to no other machine */
};

/* The id as it was before perf filled it up with zeros to 20 bytes. */
struct wk_build_id wk_remote_id(const struct wk_build_id *id);

/* Names of files come from recordings: in a URL all but the plainest bytes are escaped. */
void wk_remote_add_escaped(struct wk_buf *url, struct wk_str name);

/* "https://user:word@host/x?key" for people: without what stands before the host, and "?…" for
 * what stands behind the path, since either may be secret. */
void wk_remote_add_shown(struct wk_buf *text, struct wk_str url);

/* Some digits behind that which tell it from others with another query, or nothing. */
void wk_remote_add_difference(struct wk_buf *text, struct wk_str url);

/* Sets `place` to what stands behind the server's base in its `number`th place, from 0 on;
 * false behind the last. A place that needs a name there is none for is empty. */
bool wk_remote_place(const struct wk_remote_server *server, const struct wk_remote_wish *wish,
		     unsigned number, struct wk_buf *place);

#endif
