/* Recordings that are several files: what xperf and Visual Studio leave of one session before it
 * is merged (kernel.etl, user.etl ...). They are opened together, and read as one. */
#ifndef WK_FORMATS_ARCHIVE_SESSION_H
#define WK_FORMATS_ARCHIVE_SESSION_H

#include "formats/etl/file/file.h"
#include "formats/reader.h"

/* What identifies a file as one of several of a session. */
struct wk_session_part {
	bool may_have_others; /* it is an event trace of Windows, as it was written */
	struct wk_etl_identity identity;
};

/* Archives are complete, and inputs that can be read only once have no other parts. */
struct wk_session_part wk_session_part(const char *path);

/* Are both of the same start of the machine, so that their times and processes are the same? False
 * for a file and its copy. */
bool wk_session_is_one(const struct wk_session_part *a, const struct wk_session_part *b);

/* Opens the first as wk_reader_open does, and the others, which belong to the same session, as its
 * parts. wk_reader_close closes them all. `count` is at least 1. */
bool wk_session_open(const char *const *paths, size_t count, const char *format,
		     struct wk_opened *opened, struct wk_err *err);

#endif
