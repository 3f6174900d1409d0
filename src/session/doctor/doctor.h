/* What `wick doctor` looks at, a subject a file: doctor_program.c (with doctor_debug.c for its
 * debug information) and doctor_cargo.c, the same on all systems; and what a recording on this
 * machine needs: doctor_machine.c and doctor_here.c, or doctor_none.c where wick does not record.
 * Each adds rows to the findings and changes nothing. doctor_recording.c turns recordings away. */
#ifndef WK_SESSION_DOCTOR_DOCTOR_H
#define WK_SESSION_DOCTOR_DOCTOR_H

#include "base/err.h"
#include "fetch/store.h"
#include "session/doctor/findings.h"

/* Does this build of wick record? */
bool wk_doctor_records(void);

/* May this user record here, what, and is there room for it? */
void wk_doctor_machine(struct wk_findings *findings);

/* The C library's own functions. */
void wk_doctor_libc(struct wk_findings *findings, const char *const *debug_dirs);

/* Is a program one for this machine? It is said where it is not. */
bool wk_doctor_fits(struct wk_findings *findings, const struct wk_obj *obj);

/* Whether it may be run, and recorded. */
void wk_doctor_rights(struct wk_findings *findings, const char *path, const struct wk_obj *obj);

/* cargo, and the `cargo wick` that it knows by a link. */
void wk_doctor_cargo_tools(struct wk_findings *findings);

/* `path` is a file. */
void wk_doctor_program(struct wk_findings *findings, const char *path,
		       const char *const *debug_dirs);

/* A recording is none: `err` says what it is, and what looks at it. False of all else. */
bool wk_doctor_recording(const char *path, struct wk_err *err);

/* Names, debug information and debug files of a program that was opened. */
void wk_doctor_debug(struct wk_findings *findings, const struct wk_store_file *program,
		     const char *const *debug_dirs);

bool wk_doctor_is_in_path(const char *program);

/* `folder` holds a Cargo.toml. */
void wk_doctor_cargo(struct wk_findings *findings, const char *folder);

#endif
