/* A recording to a picture, with or without making the recording first: what `wick flame` and
 * `wick cargo` share. Each has its own table of options for the values here. */
#ifndef WK_CLI_RUN_FLAME_RUN_H
#define WK_CLI_RUN_FLAME_RUN_H

#include "cli/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/record_options.h"
#include "cli/options/view_options.h"
#include "session/open.h"

struct wk_flame_args {
	const char *output; /* the picture; NULL: flame.svg */
	bool by_thread, no_process, quiet;
	bool opens;               /* in a browser, when it is there */
	const char *post_process; /* a command that folded stacks go through first; NULL: none */
	struct wk_drawing_args drawing;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
};

/* What a picture is made with. */
struct wk_flame_maker {
	const struct wk_flame_args *args;
	const struct wk_call *call;
	struct wk_symbols *symbols;
	struct wk_picture picture;
	struct wk_view_choice choice;
};

/* What makes no sense in the options is told here, before anything else is done. */
bool wk_flame_plan(struct wk_flame_maker *maker, struct wk_err *err);

/* After a plan that was made: is all well, and what was planned to be kept is? */
bool wk_flame_end(struct wk_flame_maker *maker, bool ok, struct wk_err *err);

/* Where the picture goes. */
const char *wk_flame_picture(const struct wk_flame_args *args);

/* Draws what is at NULL-terminated `paths`, as was planned. */
bool wk_flame_draw_files(const char *const *paths, const char *recorded_to,
			 struct wk_flame_maker *maker, struct wk_err *err);

/* Draws the recording at `path`; `recorded_to` is that path again where the recording was made
 * just now, so that not everything is said twice, and else NULL. */
bool wk_flame_draw(const char *path, const char *recorded_to, struct wk_symbols *symbols,
		   const struct wk_flame_args *args, const struct wk_call *call,
		   struct wk_err *err);

/* Several recordings in one picture; NULL-terminated. */
bool wk_flame_draw_all(const char *const *paths, struct wk_symbols *symbols,
		       const struct wk_flame_args *args, const struct wk_call *call,
		       struct wk_err *err);

#define WK_FLAME_BOXES                                                                            \
	"Each box is a function; below it is its caller, and its width is its share of the time."

/* What help says of the command, which depends on whether this build records. */
extern const char *const wk_flame_usage[], *const wk_flame_description[];
extern const struct wk_example wk_flame_examples[];
extern const char wk_flame_summary[], wk_flame_exit_note[];

/* Records to the file `recording` and draws that. The exit code is that of the command which was
 * recorded, or of what went wrong. */
int wk_flame_record(const struct wk_record_plan *plan, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err);

#endif
