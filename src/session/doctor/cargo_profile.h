/* The settings of a Cargo profile that decide whether a program can be profiled well.
 *
 * As in Cargo, the first of these that has a setting is used: the environment
 * (CARGO_PROFILE_RELEASE_DEBUG), .cargo/config.toml of the folder, those above it and of the user,
 * and [profile.NAME] in the Cargo.toml of the workspace's root; then those of the profile that it
 * inherits. */
#ifndef WK_SESSION_DOCTOR_CARGO_PROFILE_H
#define WK_SESSION_DOCTOR_CARGO_PROFILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* The value of a dotted key ("profile.release.debug") in TOML text, without quotes, or in an inline
 * table of one line. Strings of several lines are not supported. */
bool wk_toml_find(struct wk_str text, const char *key, struct wk_str *value);

/* The folder of the workspace that `folder` belongs to: itself, or one above. */
void wk_cargo_root(const char *folder, struct wk_buf *root);

/* `key` is "debug", "strip" and the like. Adds its value to `value`, and the file or variable that
 * has it to `where`; false if it is not set. */
bool wk_cargo_profile_find(const char *folder, const char *profile, const char *key,
			   struct wk_buf *value, struct wk_buf *where);

/* CARGO_PROFILE_RELEASE_DEBUG. */
void wk_cargo_profile_variable(const char *profile, const char *key, struct wk_buf *name);

/* Does a value of `debug` enable debug information? */
bool wk_cargo_is_debug(struct wk_str value);

/* Does a value of `strip` remove the names of functions? */
bool wk_cargo_is_stripped(struct wk_str value);

#endif
