/* What a Cargo project says of a build profile: the few settings that decide whether a program
 * can be profiled well.
 *
 * As Cargo does it, the first of these that says anything holds: the environment
 * (CARGO_PROFILE_RELEASE_DEBUG), .cargo/config.toml of the folder and those above it and of the
 * user, and [profile.NAME] in the Cargo.toml of the workspace's root. Where none does, it is
 * asked of the profile that this one inherits. */
#ifndef WK_SESSION_DOCTOR_CARGO_PROFILE_H
#define WK_SESSION_DOCTOR_CARGO_PROFILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* The value of a dotted key ("profile.release.debug") in TOML text, without quotes; also where
 * it stands in an inline table of one line. Strings over several lines are not followed. */
bool wk_toml_find(struct wk_str text, const char *key, struct wk_str *value);

/* The folder of the workspace that `folder` belongs to: itself, or one above. */
void wk_cargo_root(const char *folder, struct wk_buf *root);

/* `key` is "debug", "strip" and the like. The value is added to `value`, and where it was found
 * (a file or a variable) to `where`; false if nobody says. */
bool wk_cargo_profile_find(const char *folder, const char *profile, const char *key,
			   struct wk_buf *value, struct wk_buf *where);

/* CARGO_PROFILE_RELEASE_DEBUG. */
void wk_cargo_profile_variable(const char *profile, const char *key, struct wk_buf *name);

/* Does a value of `debug` ask for debug information? */
bool wk_cargo_is_debug(struct wk_str value);

/* Does a value of `strip` take the names of functions away? */
bool wk_cargo_is_stripped(struct wk_str value);

#endif
