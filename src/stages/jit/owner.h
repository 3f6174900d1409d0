/* The process that a file of run-time names should be of, and whether it is.
 *
 * A wrong name is worse than none, and /tmp/perf-PID.map is a name that anybody may give to a
 * file: it is used only where it belongs to the process' user, to root or to us, and was
 * written since the process began. Where the system has no such processes, no file is one's. */
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

/* What the living process `pid` tells of itself; false if there is none. Its folder is opened
 * where `keep_folder`; the caller closes it. */
bool wk_jit_owner_ask(uint32_t pid, bool keep_folder, struct wk_jit_owner *owner);

/* What tells whether a file is still the same. */
struct wk_jit_identity {
	uint64_t device, inode, size_bytes, modified_ns;
};

enum wk_jit_answer {
	WK_JIT_NO_FILE,
	WK_JIT_READ,
	WK_JIT_REFUSED, /* there is one, and `why` (a sentence) tells why it was not used */
};

/* Opens what lies at `path`, if it is the process' own; `most_bytes` 0: however large it is. */
enum wk_jit_answer wk_jit_open_checked(const struct wk_jit_owner *owner, const char *path,
				       size_t most_bytes, struct wk_os_file *file,
				       struct wk_jit_identity *identity, struct wk_buf *why);

/* Opens a jitdump that the living process has mapped, at `path` in its own view; -1 where that
 * cannot be. */
int wk_jit_keep_dump(uint32_t pid, const char *path);

/* Can the kept file be the process' own? */
bool wk_jit_may_use(const struct wk_jit_owner *owner, int fd);

#endif
