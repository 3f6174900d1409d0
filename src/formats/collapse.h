/* How the older tools' stackcollapse programs write frames, for readers asked to do as they do.
 *
 * Without this a reader tells what the input says: the process in its own event, the image
 * beside the name, no marks in names. With it every level of the line that the tool would
 * print is a frame (the command's name, "comm-pid/tid", "name_[k]" ...), the samples belong
 * to no process, and what the tool tidies in names is tidied. A reader takes the fields that
 * its tool has an option for and leaves the rest. Set by the commands of `wick as` alone. */
#ifndef WK_FORMATS_COLLAPSE_H
#define WK_FORMATS_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

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

/* A function at a place in machine code: what was inlined there, or what holds it. */
struct wk_collapse_call {
	struct wk_str function; /* readable */
	struct wk_str file;     /* last part of its path; empty where unknown */
	uint32_t line;          /* 0 where unknown */
};

/* Who knows the functions at an address of an image, for --inline. It is asked by one thread. */
struct wk_collapse_inliner {
	/* Outermost first, valid until the next question; 0 where nothing is known. */
	size_t (*find)(void *context, struct wk_str image, uint64_t address,
		       const struct wk_collapse_call **calls);
	void *context;
};

struct wk_collapse {
	enum wk_collapse_dialect dialect;
	bool with_pid, with_tid;                   /* behind the command's name */
	bool marks_kernel, marks_jit;              /* "_[k]", "_[j]" behind names */
	const struct wk_collapse_inliner *inliner; /* --inline: or NULL */
	bool with_context;             /* --context: file and line behind what --inline finds */
	bool with_source_line;         /* --srcline */
	bool with_addresses;           /* --addrs: the address where there is no name */
	bool with_offsets;             /* --includeoffset */
	bool no_modules;               /* --no-modules */
	bool with_thread_name;         /* jstack: --include-tname */
	bool with_thread_id;           /* jstack: --include-tid */
	bool short_packages;           /* jstack: --shorten-pkgs */
	uint32_t sample_index;         /* go: --sample_index, the measure to take */
	bool keeps_idle;               /* the tool's own rule for idle stacks does not hold */
	const char *event;             /* --event-filter; NULL: the first event that is met */
	const char *const *skip_after; /* functions, NULL-terminated: their callers go; or NULL */
	enum wk_collapse_measure measure;
};

#endif
