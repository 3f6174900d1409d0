/* What wick advises to do about a recording or a machine: command lines and clauses, one table for
 * all platforms (advice.c). To support another platform, add a column; to give other advice, edit a
 * row. */
#ifndef WK_EVENT_ADVICE_H
#define WK_EVENT_ADVICE_H

#include "base/str.h"
#include "event/traits.h"

enum wk_advice_key {
	/* Commands that record an event, such as "`xperf ...` or `wpr ...`". */
	WK_ADVICE_CPU_SAMPLES,
	WK_ADVICE_SWITCHES,
	WK_ADVICE_VIRTUAL_MEMORY,
	WK_ADVICE_HEAPS,
	WK_ADVICE_HARD_FAULTS,

	/* Clauses: how to get whole stacks, and the names and callers of JIT code. */
	WK_ADVICE_WHOLE_STACKS,
	WK_ADVICE_JIT_NAMES,
	WK_ADVICE_JIT_STACKS,

	/* Sentences: the recording has nothing of what a table shows. */
	WK_ADVICE_NO_MEMORY,
	WK_ADVICE_NO_COUNTERS,
	WK_ADVICE_NO_HEAPS,
	WK_ADVICE_NO_SNAPSHOTS,
	WK_ADVICE_NO_WAITS,
	WK_ADVICE_NO_MARKS,
	WK_ADVICE_NO_COUNTS,
	WK_ADVICE_NO_LINES,

	/* Commands to paste. */
	WK_ADVICE_RECORD_STACKS,
	WK_ADVICE_RECORD_CPU,
	WK_ADVICE_SHOW_KERNEL, /* kernel addresses, which its names need */
	WK_ADVICE_SAMPLE_USER, /* this and the next three: lower perf_event_paranoid */
	WK_ADVICE_SAMPLE_KERNEL,
	WK_ADVICE_SAMPLE_ALL,
	WK_ADVICE_TRACEPOINTS,
	WK_ADVICE_SAMPLE_RATE,
	WK_ADVICE_LOCKED_MEMORY, /* ends in "=" */
	WK_ADVICE_READ_PROCESSES,
	WK_ADVICE_CAPABILITIES, /* the program's path follows */
	WK_ADVICE_DOCKER,
	WK_ADVICE_PODMAN,
	WK_ADVICE_INSTALL_CARGO,

	/* Lines: how to build a program with names, by its tools. */
	WK_ADVICE_BUILD_DEBUG,      /* gcc and the like: with debug information */
	WK_ADVICE_BUILD_UNSTRIPPED, /* the same, and not stripped */
	WK_ADVICE_BUILD_GNU_PE,     /* for Windows, by GNU tools */
	WK_ADVICE_BUILD_MSVC,
	WK_ADVICE_BUILD_RUST_PE,
	WK_ADVICE_BUILD_GO,
	WK_ADVICE_KEYS,
	WK_ADVICE_NONE = WK_ADVICE_KEYS
};

/* NULL if there is none for that platform. */
const char *wk_advice(enum wk_advice_set set, enum wk_advice_key key);

/* What installs packages, found by the path of its program. */
struct wk_package_manager {
	const char *program;                   /* NULL ends the list */
	const char *libc_symbols;              /* installs the debug symbols of the C library */
	const char *before_path, *behind_path; /* the command around a quoted path that installs
						* its debug symbols; NULL: by package name */
};

extern const struct wk_package_manager wk_package_managers[];

/* An event by the words that people know it by. */
struct wk_event_alias {
	const char *source;          /* the name that --by accepts */
	const char *const *words;    /* in lower case; end with NULL */
	enum wk_advice_key recorded; /* by these commands */
};

/* NULL if the word is unknown. */
const struct wk_event_alias *wk_event_alias_find(enum wk_advice_set set, struct wk_str word);

#endif
