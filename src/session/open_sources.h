/* The inputs of one model as sources: files of one recording session are one source.
 *
 * A source may be read twice, but an only one that is text once. A pipe stays open for that; a file
 * is closed and opened again, so that of many inputs only one is unpacked at a time. */
#ifndef WK_SESSION_OPEN_SOURCES_H
#define WK_SESSION_OPEN_SOURCES_H

#include "formats/archive/session.h"
#include "session/open.h"

struct wk_open_source {
	const char **paths; /* several if they are one session */
	size_t path_count, paths_cap;
	struct wk_session_part part; /* of the first path, if there are several inputs */
	bool is_before;
	bool is_only; /* of the model: a pipe of text need not be read whole */
	struct wk_opened opened;
	bool is_open; /* and to be closed */
};

struct wk_open_sources {
	struct wk_open_source *at;
	size_t count;
};

/* False, with a sentence, if two inputs have the same content, which the sides of a comparison may.
 */
bool wk_open_sources_init(struct wk_open_sources *sources, const char *const *paths, size_t count,
			  bool is_comparison, struct wk_err *err);
void wk_open_sources_fini(struct wk_open_sources *sources);

bool wk_open_source_read(struct wk_open_source *source, const struct wk_open_options *options,
			 const struct wk_sink *sink, struct wk_err *err);

#endif
