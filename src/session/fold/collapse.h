/* Stacks of any format to folded lines, as the stackcollapse programs print them. */
#ifndef WK_SESSION_FOLD_COLLAPSE_H
#define WK_SESSION_FOLD_COLLAPSE_H

#include "base/err.h"
#include "base/out.h"
#include "formats/collapse.h"
#include "session/messages.h"

struct wk_collapse_job {
	const char *const *paths;    /* NULL-terminated; none: standard input */
	const char *format;          /* NULL: detected, one of those of inferno-collapse-guess */
	struct wk_collapse collapse; /* but for the inliner */
	bool with_inlined;           /* looks up inlined calls on this machine */
	bool collapses_recursion;    /* a frame right below itself is one with it */
	uint64_t per_count;          /* weights are divided by this; 0: 1 */
	unsigned threads;
	/* `file` is NULL if there are several. */
	void (*note)(void *context, const char *file, struct wk_str text);
	void *context;
};

bool wk_collapse_files(const struct wk_collapse_job *job, struct wk_out *out,
		       const struct wk_messages *messages, struct wk_err *err);

#endif
