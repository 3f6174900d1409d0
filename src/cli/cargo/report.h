/* Reports on a program that cargo built, and the environment that it is run with. */
#ifndef WK_CLI_CARGO_REPORT_H
#define WK_CLI_CARGO_REPORT_H

#include "cli/cargo/build.h"

/* Prints on standard error whether names or debug information are missing, and the lines of
 * Cargo.toml that add them; nothing if all is there. The lines for debug information are printed
 * only if the program was just built. */
void wk_cargo_report(const struct wk_cargo_build *build, const struct wk_cargo_project *project,
		     const struct wk_cargo_built *built);

/* Sets the variables that cargo sets for programs that it runs: CARGO_MANIFEST_DIR and the folders
 * of shared libraries. They are set in wick's own environment, which the program inherits. */
void wk_cargo_environment(const struct wk_cargo_built *built);

#endif
