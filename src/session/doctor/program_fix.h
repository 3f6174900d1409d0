/* How to get a program's names, source lines and inlined calls: the fixes of `wick symbols` and
 * `wick doctor`, as shell commands and comments. */
#ifndef WK_SESSION_DOCTOR_PROGRAM_FIX_H
#define WK_SESSION_DOCTOR_PROGRAM_FIX_H

#include "base/buf.h"
#include "symbols/object/object.h"

/* What a program without debug information lacks. */
#define WK_DEBUG_WORDS "inlined calls and source lines are unknown"

/* How to build it with more information. Nothing for programs that users do not build, such as the
 * compilers of rustup. `is_recorded`: there is a recording of this build, which does not fit
 * another one. */
struct wk_program_fix {
	const char *path;
	const struct wk_obj *obj;
	bool lacks_names; /* not source lines alone */
	bool is_recorded;
};
void wk_program_fix(const struct wk_program_fix *program, struct wk_buf *fix);

/* How to build a Windows program with all information. */
void wk_program_fix_windows(const struct wk_obj *obj, struct wk_buf *fix);

/* Was it compiled by rustc? */
bool wk_program_is_rust(const struct wk_obj *obj);

/* Do its names leave out the types that generic functions were compiled for? */
bool wk_program_has_short_rust_names(const struct wk_obj *obj);

/* Its split file (.dwo) `file` is missing. */
void wk_program_fix_split(const char *path, struct wk_str file, struct wk_buf *fix);

/* The file that dwz created for several programs is missing. */
void wk_program_fix_shared(struct wk_str file, struct wk_buf *fix);

#endif
