/* The calls of a library that is loaded when it is needed: a struct that has a pointer for each of
 * the names, in their order. For systems with dlopen. The caller opens the library, and says what
 * needs it if it is missing. */
#ifndef WK_BASE_LIBRARY_CALLS_H
#define WK_BASE_LIBRARY_CALLS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"

/* `file` is its name in the error. */
static inline bool wk_library_calls(void *loaded, const char *file, const char *const *names,
				    size_t count, void *calls, struct wk_err *err)
{
	for (size_t i = 0; i < count; i++) {
		void *call = dlsym(loaded, names[i]);

		if (!call)
			return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s has no %s", file,
				       names[i]);
		memcpy((char *)calls + i * sizeof(call), &call, sizeof(call));
	}
	return true;
}

#endif
