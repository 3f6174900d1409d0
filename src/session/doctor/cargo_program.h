/* What the file of a program that cargo built has. */
#ifndef WK_SESSION_DOCTOR_CARGO_PROGRAM_H
#define WK_SESSION_DOCTOR_CARGO_PROGRAM_H

#include <stdbool.h>

/* Names of its functions, in itself or in a debug file of this machine? True if unknown. */
bool wk_cargo_program_has_names(const char *path);

/* Is Rust's standard library a shared one for this program, as for tests of proc-macros? */
bool wk_cargo_program_shares_std(const char *path);

#endif
