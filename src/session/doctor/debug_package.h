/* Which packages of this system hold the debug information of the files that packages brought:
 * Debian and its kin know by dpkg and apt, others by rpm. Nothing is changed; no other machine is
 * asked. */
#ifndef WK_SESSION_DOCTOR_DEBUG_PACKAGE_H
#define WK_SESSION_DOCTOR_DEBUG_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Of some files at once, since dpkg reads all that it knows for each question. */
struct wk_packages {
	const char *const *paths;
	char **names; /* the package of each path; NULL: none */
	size_t count;
};

/* `paths` are borrowed. */
void wk_packages_find(struct wk_packages *packages, const char *const *paths, size_t count);
void wk_packages_fini(struct wk_packages *packages);

/* Adds the command that installs the debug information of the file `index`; false where no
 * package holds it, or nobody knows. */
bool wk_packages_command(const struct wk_packages *packages, size_t index, struct wk_buf *command);

#endif
