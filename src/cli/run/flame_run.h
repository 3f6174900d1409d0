/* Draws a recording, and makes the recording first if required, for `wick flame` and `wick cargo`.
 * Each has its own table of options for the values here. */
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
	bool opens;               /* the picture, in a browser */
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

/* Fails for options that make no sense. To be called before anything else. */
bool wk_flame_plan(struct wk_flame_maker *maker, struct wk_err *err);

/* Ends a plan: false if `ok` is, or a file of colours cannot be updated. */
bool wk_flame_end(struct wk_flame_maker *maker, bool ok, struct wk_err *err);

/* The path of the picture. */
const char *wk_flame_picture(const struct wk_flame_args *args);

/* Draws the recordings at NULL-terminated `paths` as planned. `recorded_to` is the name of one that
 * was just made, so that not everything is reported twice; else NULL. */
bool wk_flame_draw_files(const char *const *paths, const char *recorded_to,
			 struct wk_flame_maker *maker, struct wk_err *err);

/* Plans, draws and ends the plan. */
bool wk_flame_draw(const char *const *paths, const char *recorded_to, struct wk_symbols *symbols,
		   const struct wk_flame_args *args, const struct wk_call *call,
		   struct wk_err *err);

#define WK_FLAME_BOXES                                                                            \
	"Each box is a function; below it is its caller, and its width is its share of the time."

/* The help of the command, which depends on whether this build records. */
extern const char *const wk_flame_usage[], *const wk_flame_description[];
extern const struct wk_example wk_flame_examples[];
extern const char wk_flame_summary[], wk_flame_exit_note[];

/* Records to the file `recording` and draws that. Returns the exit code of the recorded command, or
 * of the failure. */
int wk_flame_record(const struct wk_record_plan *plan, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err);

#endif
