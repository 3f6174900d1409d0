/* What brings a program its names, its source lines and its inlined calls back: the words of
 * `wick symbols` and `wick doctor`, so that they never disagree. All are lines of the shell, or
 * comments of it. */
#ifndef WK_SESSION_DOCTOR_PROGRAM_FIX_H
#define WK_SESSION_DOCTOR_PROGRAM_FIX_H

#include "base/buf.h"
#include "symbols/object/object.h"

/* Built by whoever looks at it: how to build it so that it says more. Nothing where nobody builds
 * it, as the compilers that rustup brings. `is_recorded`: the recording is of this build, so
 * another one needs a recording of its own. */
struct wk_program_fix {
	const char *path;
	const struct wk_obj *obj;
	bool lacks_names; /* not source lines alone */
	bool is_recorded;
};
void wk_program_fix(const struct wk_program_fix *program, struct wk_buf *fix);

/* How to build a program for Windows so that it has all. */
void wk_program_fix_windows(const struct wk_obj *obj, struct wk_buf *fix);

/* Whether Rust's compiler made it. */
bool wk_program_is_rust(const struct wk_obj *obj);

/* Its debug information lies in other files, and `file` of those is gone: a split file (.dwo). */
void wk_program_fix_split(const char *path, struct wk_str file, struct wk_buf *fix);

/* ... the one that dwz made of what several programs share. */
void wk_program_fix_shared(struct wk_str file, struct wk_buf *fix);

#endif
