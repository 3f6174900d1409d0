/* What went wrong, in a sentence for a person.
 *
 * Whoever finds the fault calls wk_fail, which fills the error and returns false, so that
 * `return wk_fail(...)` reads well. A caller that knows the file's name puts it in front
 * with wk_err_in. The first fault wins: filling an error that already holds one is allowed
 * and keeps the first, so clean-up code cannot hide the cause.
 * `err` may be NULL everywhere: then only the false is told. */
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
	WK_EUSAGE,       /* the words typed make no sense */
	WK_EIO,          /* the system failed: reading, writing, no space ... */
	WK_ENOCOMMAND,   /* the command to run was not found: shells exit with 127 */
	WK_ENOTRUNNABLE, /* the command is there but cannot be run: 126 */
	WK_EEMPTY,       /* all went well and there is nothing to show */
	WK_ESTOPPED,     /* the receiver of the output wants no more */
};

/* For faults that have no place in a file. */
#define WK_NOWHERE UINT64_MAX

struct wk_err {
	enum wk_code code;
	uint64_t offset; /* byte offset in the input, or WK_NOWHERE */
	char text[600];  /* no newline at the end */
};

bool wk_fail(struct wk_err *err, enum wk_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(WK_PRINTF, 4, 5)));

/* The same with ": " and the system's words for `error_number` behind the sentence. */
bool wk_fail_os(struct wk_err *err, int error_number, const char *format, ...)
	__attribute__((format(WK_PRINTF, 3, 4)));

/* Puts "path: " or, where the offset is known, "path: 0x1f40: " in front of the sentence. */
bool wk_err_in(struct wk_err *err, const char *path);

#endif
