/* A recording to a picture, with or without making the recording first: what `wick flame` and
 * `wick cargo` share. Each has its own table of options for the values here. */
#ifndef WK_CLI_FLAME_RUN_H
#define WK_CLI_FLAME_RUN_H

#include "cli/command.h"
#include "cli/drawing_options.h"
#include "cli/load.h"
#include "cli/record_options.h"
#include "cli/view_options.h"
#include "views/filter.h"

struct wk_flame_args {
	const char *output; /* the picture; NULL: flame.svg */
	bool by_thread, no_process, quiet;
	bool opens;         /* in a browser, when it is there */
	const char *post_process; /* a command that folded stacks go through first; NULL: none */
	struct wk_drawing_args drawing;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_load_args load;
};

/* Draws the recording at `path`; `recorded_to` is that path again where the recording was made
 * just now, so that not everything is said twice, and else NULL. */
bool wk_flame_draw(const char *path, const char *recorded_to, struct wk_symbols *symbols,
		   const struct wk_flame_args *args, const struct wk_call *call,
		   struct wk_err *err);

/* Several recordings in one picture; NULL-terminated. */
bool wk_flame_draw_all(const char *const *paths, struct wk_symbols *symbols,
		       const struct wk_flame_args *args, const struct wk_call *call,
		       struct wk_err *err);

/* Records to the file `recording` and draws that. The exit code is that of the command which was
 * recorded, or of what went wrong. */
int wk_flame_record(const struct wk_record_plan *plan, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err);

#endif
