/* The process that a file of JIT names should belong to, and whether it does.
 *
 * A wrong name is worse than none, and any user may create a file /tmp/perf-PID.map: it is used
 * only if it belongs to the process's user, to root or to the current user, and was written after
 * the process started. On systems without such processes, no file qualifies. */
#ifndef WK_STAGES_JIT_OWNER_H
#define WK_STAGES_JIT_OWNER_H

#include "base/buf.h"
#include "os/os.h"

/* The process as far as it matters here. Times are those of the wall, ns since 1970. */
struct wk_jit_owner {
	uint32_t pid;         /* as the recording has it */
	uint32_t own_pid;     /* as the process sees itself: in its own pid namespace */
	int folder_fd;        /* its /tmp, which may outlive it by this; -1: ours */
	struct wk_undo *undo; /* of folder_fd */
	bool has_user;
	uint32_t user;
	uint64_t begin_ns;     /* no file of it is older; 0: unknown */
	uint64_t successor_ns; /* another process began to use the number then; 0: none did */
};

/* The properties of the living process `pid`; false if there is none. Its folder is opened if
 * `keep_folder`; the caller closes it. */
bool wk_jit_owner_ask(uint32_t pid, bool keep_folder, struct wk_jit_owner *owner);

/* What shows that a file is still the same. */
struct wk_jit_identity {
	uint64_t device, inode, size_bytes, modified_ns;
};

enum wk_jit_answer {
	WK_JIT_NO_FILE,
	WK_JIT_READ,
	WK_JIT_REFUSED, /* there is one, and `why` (a sentence) has the reason why it was not
			 * used */
};

/* Opens the file at `path` if it is the process's own; `most_bytes` 0: any size. */
enum wk_jit_answer wk_jit_open_checked(const struct wk_jit_owner *owner, const char *path,
				       size_t most_bytes, struct wk_os_file *file,
				       struct wk_jit_identity *identity, struct wk_buf *why);

/* Opens a jitdump that the living process has mapped, at `path` in its own view; -1 if
 * impossible. */
int wk_jit_keep_dump(uint32_t pid, const char *path);

/* Can the open file be the process's own? */
bool wk_jit_may_use(const struct wk_jit_owner *owner, int fd);

#endif
