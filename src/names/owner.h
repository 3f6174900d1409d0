/* The owner of a function by its name alone: the first part of its path, a crate, a namespace or a
 * module.
 *
 * Demangled names have more in front: return types ("void std::sort<int*>(int*, int*)"), Rust's
 * "<SELF as TRAIT>::f", sigils. Names of scripts ("JS:*run app.js:3:1") contain a file instead. */
#ifndef WK_NAMES_OWNER_H
#define WK_NAMES_OWNER_H

#include "base/str.h"

struct wk_owner {
	struct wk_str plain;   /* the name without its result and without what gcc put behind it */
	struct wk_str subject; /* of `plain` what begins with the owner's path */
	bool is_language;      /* a method of a built-in type: "<[u8]>::sort" */
	bool is_stub;          /* what leads to a function of another image: "memcmp@plt" */
};

struct wk_owner wk_owner_of(struct wk_str name);

enum wk_script {
	WK_SCRIPT_NONE, /* the name contains no file */
	WK_SCRIPT_PROGRAM,
	WK_SCRIPT_STANDARD, /* of the library that comes with the language */
	WK_SCRIPT_RUNTIME,  /* of the runtime's own insides */
};

/* The owner of the file in a JIT name. */
enum wk_script wk_script_of(struct wk_str name);

#endif
