/* What `wick doctor` looks at, a subject a file: doctor_machine.c, doctor_program.c (with
 * doctor_debug.c for its debug information) and doctor_cargo.c. Each adds rows to the findings
 * and changes nothing. */
#ifndef WK_CLI_DOCTOR_H
#define WK_CLI_DOCTOR_H

#include "base/err.h"
#include "cli/findings.h"
#include "symbols/store.h"

/* May this user record here, what, and is there room for it? */
void wk_doctor_machine(struct wk_findings *findings);

/* The C library's own functions. */
void wk_doctor_libc(struct wk_findings *findings, const char *const *debug_dirs);

/* `path` is a file. */
void wk_doctor_program(struct wk_findings *findings, const char *path,
		       const char *const *debug_dirs);

/* Names, debug information and debug files of a program that was opened. */
void wk_doctor_debug(struct wk_findings *findings, const struct wk_store_file *program,
		     const char *const *debug_dirs);

/* `folder` holds a Cargo.toml. */
void wk_doctor_cargo(struct wk_findings *findings, const char *folder);

#endif
