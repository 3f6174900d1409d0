/* What went wrong, in a sentence for a person.
 *
 * Code that finds a fault calls wk_fail, which fills the error and returns false, so that
 * `return wk_fail(...)` reads well. A caller that knows the file's name adds it by wk_err_in. An
 * error that is already filled keeps its first sentence, so that clean-up code cannot hide the
 * cause. `err` may be NULL everywhere: the result is then all that is reported. */
#ifndef WK_BASE_ERR_H
#define WK_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/printf.h"

enum wk_code {
	WK_OK = 0,
	WK_ECORRUPT,     /* the bytes contradict themselves or their format */
	WK_EFORMAT,      /* not a format that is known */
	WK_EUNSUPPORTED, /* known, but not possible in this build or on this system */
	WK_ENOTFOUND,    /* no such file, process, event ... */
	WK_EPERM,        /* the system does not allow it */
	WK_EUSAGE,       /* the command line makes no sense */
	WK_EIO,          /* the system failed: reading, writing, no space ... */
	WK_ENOCOMMAND,   /* the command to run was not found: shells exit with 127 */
	WK_ENOTRUNNABLE, /* the command is there but cannot be run: 126 */
	WK_EEMPTY,       /* success, but there is nothing to show */
	WK_ESTOPPED,     /* the receiver of the output wants no more */
};

/* For faults without a place in a file. */
#define WK_NOWHERE UINT64_MAX

struct wk_err {
	enum wk_code code;
	uint64_t offset; /* byte offset in the input, or WK_NOWHERE */
	char text[600];  /* no newline at the end */
};

bool wk_fail(struct wk_err *err, enum wk_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(WK_PRINTF, 4, 5)));

/* The same, followed by ": " and the system's text for `error_number`. */
bool wk_fail_os(struct wk_err *err, int error_number, const char *format, ...)
	__attribute__((format(WK_PRINTF, 3, 4)));

/* Puts "path: " in front of the sentence, or "path: 0x1f40: " if the offset is known. */
bool wk_err_in(struct wk_err *err, const char *path);

#endif
