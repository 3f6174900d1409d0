/* What calls of Linux programs do to their address spaces, as the changes that MEMORY events have.
 *
 * Committed is what a program may fill with contents of its own: private mappings from when they
 * are writable, and shared ones without a file. That is so at once, not when they are first used,
 * and with MAP_NORESERVE as well: allocators use it for all that they have. PROT_NONE decommits;
 * making a mapping read-only, or giving its pages back by madvise, does not.
 *
 * A call's arguments come when it begins, its result when it ends, and takes effect then; but what
 * it unmaps is gone earlier if another thread maps the same addresses meanwhile, and at its
 * thread's next call if its end is missing. Ranges are remembered for each process, and copied when
 * it forks; what is not known was there before the recording. */
#ifndef WK_FORMATS_PERF_SPACE_CALLS_H
#define WK_FORMATS_PERF_SPACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wk_space_call {
	WK_SPACE_MMAP = 1, /* arguments in the order of the system calls */
	WK_SPACE_MUNMAP,
	WK_SPACE_MREMAP,
	WK_SPACE_MPROTECT,
	WK_SPACE_MADVISE,
	WK_SPACE_BRK,
};

#define WK_SPACE_ARGUMENTS 6

struct wk_space_calls;

/* Receives each change: enum wk_memory_change, and whole pages. False stops. */
struct wk_space_changes {
	bool (*change)(void *context, uint32_t changes, uint64_t start, uint64_t size_bytes);
	void *context;
};

struct wk_space_calls *wk_space_calls_new(void);
void wk_space_calls_free(struct wk_space_calls *spaces);

/* A thread's call; if it begins twice with the same address, it is one, of which more is known now.
 * False if a change was not accepted. */
bool wk_space_calls_begin(struct wk_space_calls *spaces, uint32_t pid, uint32_t tid,
			  enum wk_space_call call, const uint64_t arguments[WK_SPACE_ARGUMENTS],
			  const struct wk_space_changes *changes);

/* It has ended; nothing is known of it if its beginning is missing. `result` is negative if it
 * failed. */
bool wk_space_calls_end(struct wk_space_calls *spaces, uint32_t pid, uint32_t tid,
			enum wk_space_call call, int64_t result,
			const struct wk_space_changes *changes);

/* What the system says of a part of an address space. */
enum wk_space_use {
	WK_SPACE_OF_FILE = 1, /* shared with a file */
	WK_SPACE_WRITABLE,
	WK_SPACE_READ_ONLY,
	WK_SPACE_NO_RIGHTS,
	WK_SPACE_USES
};

struct wk_space_seen {
	uint64_t start, end;
	enum wk_space_use use;
};

/* Between `start` and `end` there are these ranges, in order, and nothing else. What is new is a
 * change, unless it is `from_before`. */
bool wk_space_calls_seen(struct wk_space_calls *spaces, uint32_t pid,
			 const struct wk_space_seen *all, const struct wk_space_seen *ranges,
			 size_t count, bool from_before, const struct wk_space_changes *changes);

void wk_space_calls_fork(struct wk_space_calls *spaces, uint32_t parent_pid, uint32_t pid);

/* The process ended, or runs another program. */
void wk_space_calls_forget(struct wk_space_calls *spaces, uint32_t pid);

#endif
