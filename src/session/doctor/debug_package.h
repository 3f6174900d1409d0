/* Packages of this system with the debug information of files of other packages: dpkg and apt on
 * Debian and its derivatives, otherwise rpm. Nothing is installed, and no server is queried. */
#ifndef WK_SESSION_DOCTOR_DEBUG_PACKAGE_H
#define WK_SESSION_DOCTOR_DEBUG_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* For several files at once, since dpkg reads its whole database for each query. */
struct wk_packages {
	const char *const *paths;
	char **names; /* the package of each path; NULL: none */
	size_t count;
};

/* `paths` are borrowed. */
void wk_packages_find(struct wk_packages *packages, const char *const *paths, size_t count);
void wk_packages_fini(struct wk_packages *packages);

/* Adds the command that installs the debug information of file `index`; false if no package with it
 * is known. */
bool wk_packages_command(const struct wk_packages *packages, size_t index, struct wk_buf *command);

#endif
