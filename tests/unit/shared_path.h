/* Where the shared data are: real files, too many and too large for the tree. They lie under
 * $WICK_SHARED, or beside the sources; a test that does not find one is skipped, in words. */
#ifndef WK_TEST_SHARED_PATH_H
#define WK_TEST_SHARED_PATH_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A path below that folder. It lives until the next call. */
__attribute__((format(printf, 1, 2))) static inline const char *shared_path(const char *format, ...)
{
	static char path[4096];
	const char *shared = getenv("WICK_SHARED"), *root = getenv("WICK_SOURCE_ROOT");
	int len = shared ? snprintf(path, sizeof(path), "%s/", shared)
			 : snprintf(path, sizeof(path), "%s/../shared/", root ? root : ".");
	va_list args;

	if (len < 0 || (size_t)len >= sizeof(path))
		abort();
	va_start(args, format);
	vsnprintf(path + len, sizeof(path) - (size_t)len, format, args);
	va_end(args);
	return path;
}

#endif
