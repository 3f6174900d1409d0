/* A file of source code, found by the path that debug information has.
 *
 * That path is of the machine that built the program. It is tried as it is; then its end, part by
 * part, below each folder to search: "/build/app/src/main.c" is also "src/main.c" there. */
#ifndef WK_SESSION_ANNOTATE_SOURCE_TEXT_H
#define WK_SESSION_ANNOTATE_SOURCE_TEXT_H

#include "os/os.h"

struct wk_source_text {
	struct wk_os_file file;
	struct wk_str *lines; /* [count]: without their ends */
	uint32_t count;
	struct wk_buf path;  /* of the file that was found */
	uint64_t changed_ns; /* since 1970 */
	bool is_open;
};

/* `folders` end with NULL. False if there is no such file, or it is not text. */
bool wk_source_text_open(struct wk_source_text *text, struct wk_str path,
			 const char *const *folders);
void wk_source_text_close(struct wk_source_text *text);

/* Line `number`, counted from 1; empty behind the end. */
struct wk_str wk_source_text_line(const struct wk_source_text *text, uint32_t number);

#endif
