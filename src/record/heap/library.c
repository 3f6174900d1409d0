#include "record/heap/library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/recorder.h"

#define PRELOAD "LD_PRELOAD"

/* From the folder of the program on: a build folder, an installed program. */
static const char *const places[] = {
	"src/preload/" WK_HEAP_LIBRARY_NAME,
	WK_HEAP_LIBRARY_NAME,
	WK_HEAP_LIBRARY_FROM_PROGRAM "/" WK_HEAP_LIBRARY_NAME,
};

static bool is_at(struct wk_buf *path, const char *folder, size_t folder_len, const char *place)
{
	wk_buf_reset(path);
	wk_buf_add(path, folder, folder_len);
	wk_buf_add_text(path, place);
	/* A space or a colon ends a name for the loader. */
	return access(wk_buf_text(path), R_OK) == 0 && !strpbrk(wk_buf_text(path), " :");
}

bool wk_heap_library_find(struct wk_buf *path, struct wk_err *err)
{
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program));

	while (len > 0 && program[len - 1] != '/')
		len--;
	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(*places); i++)
		if (is_at(path, program, (size_t)len, places[i]))
			return true;
	/* Of a program that uses libwick. */
	if (is_at(path, "", 0, WK_HEAP_LIBRARY_INSTALLED "/" WK_HEAP_LIBRARY_NAME))
		return true;
	return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
		       "%s is neither next to wick nor in " WK_HEAP_LIBRARY_INSTALLED
		       ": install wick again, in a folder without spaces and colons",
		       WK_HEAP_LIBRARY_NAME);
}

/* `ours` before what the user has in the variable. */
static void add_before_users(struct wk_buf *variable, const char *name, const char *ours)
{
	const char *users = getenv(name);

	wk_buf_add_fmt(variable, "%s=%s", name, ours);
	if (users && *users)
		wk_buf_add_fmt(variable, ":%s", users);
}

void wk_heap_library_preload(const char *library, struct wk_buf *variable)
{
	add_before_users(variable, PRELOAD, library);
}

void wk_heap_library_sanitizer(struct wk_buf *variable)
{
	add_before_users(variable, "ASAN_OPTIONS", "verify_asan_link_order=0");
}
