/* Properties of a program that cargo built. */
#ifndef WK_SESSION_DOCTOR_CARGO_PROGRAM_H
#define WK_SESSION_DOCTOR_CARGO_PROGRAM_H

#include <stdbool.h>

/* Does it, or its debug file on this machine, have the names of its functions? True if unknown. */
bool wk_cargo_program_has_names(const char *path);

/* Does it use a shared Rust standard library, like tests of proc-macros? */
bool wk_cargo_program_shares_std(const char *path);

#endif
