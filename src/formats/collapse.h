/* How frames and samples are written as collapsed lines: an option of readers.
 *
 * Without it a reader emits what the input contains: the process in an event of its own, the image
 * in its own field, names without marks. With it every level of a collapsed line is a frame (the
 * command's name, "comm-pid/tid", "name_[k]" ...), the samples belong to no process, and names are
 * cleaned up by the rules of `dialect`. A reader uses the fields that apply to its format. */
#ifndef WK_FORMATS_COLLAPSE_H
#define WK_FORMATS_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The rules by which names are cleaned up: those of each family of stackcollapse programs. */
enum wk_collapse_dialect {
	WK_COLLAPSE_PERL,    /* stackcollapse-*.pl */
	WK_COLLAPSE_INFERNO, /* inferno-collapse-* */
};

enum wk_collapse_measure {
	WK_COLLAPSE_USUAL,
	WK_COLLAPSE_TIME,
	WK_COLLAPSE_TICKS,
	WK_COLLAPSE_BYTES,
};

/* A function at an address: inlined there, or the one that contains it. */
struct wk_collapse_call {
	struct wk_str function; /* readable */
	struct wk_str file;     /* the last part of its path; empty if unknown */
	uint32_t line;          /* 0 if unknown */
};

/* Finds the functions at an address of an image. Called from one thread. */
struct wk_collapse_inliner {
	/* Outermost first, valid until the next call; 0 if unknown. */
	size_t (*find)(void *context, struct wk_str image, uint64_t address,
		       const struct wk_collapse_call **calls);
	void *context;
};

struct wk_collapse {
	enum wk_collapse_dialect dialect;
	bool with_pid, with_tid;                   /* after the command's name */
	bool marks_kernel, marks_jit;              /* "_[k]", "_[j]" after names */
	const struct wk_collapse_inliner *inliner; /* adds inlined functions; or NULL */
	bool with_context;             /* file and line of functions that `inliner` finds */
	bool with_source_line;         /* file and line, if the input has them */
	bool with_addresses;           /* the address instead of an unknown name */
	bool with_offsets;             /* the offset in the function */
	bool with_waker;               /* the stack that ended a wait */
	bool follows_wakers;           /* ... and what that thread had waited for, and so on */
	bool no_modules;               /* without the image or the package */
	bool with_thread_name;         /* the thread's name as a frame */
	bool with_thread_id;           /* and its number */
	bool short_packages;           /* packages as their initials */
	uint32_t sample_index;         /* which of several values of a sample */
	bool keeps_idle;               /* idle stacks are not left out */
	const char *event;             /* samples of this event only; NULL: of the first */
	const char *const *skip_after; /* functions whose callers are left out, NULL-terminated;
					* or NULL */
	enum wk_collapse_measure measure;
};

#endif
