/* What input.c needs from each system, to map files or read those that cannot be mapped, what their
 * folders share, and what thread.c needs. */
#ifndef WK_OS_INPUT_H
#define WK_OS_INPUT_H

#include "os/os.h"

/* A descriptor, or -1 with errno set. Without `waits` it does not wait for the other end of a
 * pipe. */
int wk_os_input_open(const char *path, bool waits);

enum wk_os_input_kind {
	WK_OS_INPUT_UNKNOWN, /* cannot be examined: errno has the reason */
	WK_OS_INPUT_FILE,
	WK_OS_INPUT_FOLDER,
	WK_OS_INPUT_STREAM, /* and everything else that is not a regular file */
};

enum wk_os_input_kind wk_os_input_look(int fd, struct wk_os_identity *identity);

/* All of a regular file; NULL, with errno set, if it cannot be mapped. */
const uint8_t *wk_os_input_map(int fd, size_t size_bytes);
void wk_os_input_unmap(const uint8_t *at, size_t size_bytes);

/* Has `file`, whose bytes are mapped, unmapped if memory runs out; `undo` is from before. */
void wk_os_input_undo(struct wk_os_file *file, struct wk_undo *undo);

/* A name for a new file, on the heap: no thread of any process gets it twice. */
char *wk_os_unique_name(struct wk_str front, const char *mark, const char *ending);

uint64_t wk_os_memory_bytes(void);

/* Has a new thread run wk_os_thread_main(context); false if the system cannot create one. The other
 * call waits for its end and releases it. */
bool wk_os_thread_begin(void *context, uintptr_t *system);
void wk_os_thread_end(uintptr_t system);
void wk_os_thread_main(void *context);

/* One after the other; false, with errno set, if the system did not accept all of them. */
bool wk_os_write_pieces(int fd, const struct wk_str *pieces, size_t count);

#endif
