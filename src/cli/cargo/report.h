/* What is said of a program that cargo built, and what it is given to run with. */
#ifndef WK_CLI_CARGO_REPORT_H
#define WK_CLI_CARGO_REPORT_H

#include "cli/cargo/build.h"

/* On standard error: names that are missing, or debug information, and the lines of Cargo.toml
 * that bring it. Nothing where all is there; of debug information only when the program was
 * just built, not at every run. */
void wk_cargo_report(const struct wk_cargo_build *build, const struct wk_cargo_project *project,
		     const struct wk_cargo_built *built);

/* Variables as cargo sets them for what it runs: CARGO_MANIFEST_DIR, and where shared libraries
 * of the project, and Rust's own, are. In wick's own environment, which the program inherits. */
void wk_cargo_environment(const struct wk_cargo_built *built);

#endif
