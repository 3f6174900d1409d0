/* The checks of `wick doctor`, one subject per file: program.c (with debug.c for its debug
 * information), and what a recording on this machine needs: machine.c, heap.c and here.c, or none.c
 * on systems where wick does not record. Each adds rows to the findings and changes nothing.
 * recording.c rejects recordings. */
#ifndef WK_SESSION_DOCTOR_DOCTOR_H
#define WK_SESSION_DOCTOR_DOCTOR_H

#include "base/err.h"
#include "fetch/store.h"
#include "session/doctor/findings.h"

/* Can this build of wick record? */
bool wk_doctor_records(void);

/* Can this user record here, which events, and is there space on the disk? */
void wk_doctor_machine(struct wk_findings *findings);

/* The path of the library that `wick record --heap` loads into programs. */
struct wk_buf;
bool wk_doctor_heap_library(struct wk_buf *path, struct wk_err *err);

/* Parts of that: which heaps and calls that map memory can be recorded, and how; */
void wk_doctor_heap(struct wk_findings *findings);

/* and are the buffers that the kernel grants large enough? */
struct wk_record_probe;
void wk_doctor_buffers(struct wk_findings *findings, const struct wk_record_probe *probe);

/* A number in a file of /proc/sys; false if there is no such file. */
bool wk_doctor_setting(const char *path, int64_t *value);

/* Does this process have CAP_SYS_PTRACE? */
bool wk_doctor_may_trace_others(void);

/* Names of the C library's functions. */
void wk_doctor_libc(struct wk_findings *findings, const char *const *debug_dirs);

/* Is it a program for this machine? Reports if it is not. */
bool wk_doctor_fits(struct wk_findings *findings, const struct wk_obj *obj);

/* Whether it can be run and recorded. */
void wk_doctor_rights(struct wk_findings *findings, const char *path, const struct wk_obj *obj);

/* cargo, and the link for `cargo wick`. */
void wk_doctor_cargo_tools(struct wk_findings *findings);

/* `path` is a file. */
void wk_doctor_program(struct wk_findings *findings, const char *path,
		       const char *const *debug_dirs);

/* True for a recording, with an error that names the right command. */
bool wk_doctor_recording(const char *path, struct wk_err *err);

/* Names, debug information and debug files of a program that was opened. */
void wk_doctor_debug(struct wk_findings *findings, const struct wk_store_file *program,
		     const char *const *debug_dirs);

bool wk_doctor_is_in_path(const char *program);

/* `folder` has a Cargo.toml. */
void wk_doctor_cargo(struct wk_findings *findings, const char *folder);

#endif
