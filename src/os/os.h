/* The system, as far as all of wick needs it: files, threads, clock, terminal.
 *
 * linux.c and its neighbours are one implementation, windows.c and those that begin so another; the
 * system is chosen by the files in the build, not by #ifdef. Paths, the words of the command line
 * and variables are UTF-8 C strings. Functions that fail say why in `err`. */
#ifndef WK_OS_OS_H
#define WK_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/heap.h"

/* Once, from main, before anything else: makes sure that descriptors 0, 1 and 2 are not reused by
 * files that are opened later, and that they pass bytes unchanged. Returns the words of the command
 * line. */
char **wk_os_start(char **argv);

/* A variable of the environment, NULL if it is not set; valid until the program ends. */
const char *wk_os_env(const char *name);

/* The identity of a file. */
struct wk_os_identity {
	uint64_t inode;
	uint32_t device_major, device_minor;
	bool is_regular; /* not a directory, device, pipe ... */

	/* And what shows that it is unchanged. */
	uint64_t size_bytes, changed_ns; /* since 1970 */

	/* When anything of it changed, also `changed_ns`, which programs can set; 0: unknown. */
	uint64_t status_ns;
};

/* Does not open the file. On failure `err->code` is WK_ENOTFOUND, WK_EPERM or WK_EIO. */
bool wk_os_identify(const char *path, struct wk_os_identity *identity, struct wk_err *err);

/* The bytes of this process's own vDSO, which every process of the same kind has; false if
 * the system gave it none. They are there until the process ends. */
bool wk_os_vdso(const uint8_t **at, size_t *size_bytes);

/* A descriptor that is about to be opened is closed if memory runs out (base/heap.h):
 *
 *	undo = wk_undo_new();
 *	fd = wk_os_undo_fd(undo, open(...));
 *	...
 *	wk_os_close_fd(fd, undo);
 *
 * Where it could not be opened, fd is -1, errno is kept, and closing does nothing. */
int wk_os_undo_fd(struct wk_undo *undo, int fd);
void wk_os_close_fd(int fd, struct wk_undo *undo);

/* A file's bytes, readable in place. */
struct wk_os_file {
	const uint8_t *at; /* NULL when the file is empty */
	size_t size_bytes;
	bool is_heap; /* read into memory because it cannot be mapped */
	struct wk_undo *undo;
};

/* Maps a whole file; what cannot be mapped (pipes, /proc) is read whole instead. "-" is standard
 * input. Reading ends with an error at half of the machine's memory, or at the number of bytes in
 * the variable WICK_MOST_INPUT. */
bool wk_os_open(const char *path, struct wk_os_file *file, struct wk_err *err);

/* The same for hand-written files that accompany a recording: more than this is an error. */
#define WK_OS_MOST_ASIDE ((size_t)16 << 20)
bool wk_os_open_aside(const char *path, struct wk_os_file *file, struct wk_err *err);

/* For files named by another file, which may be anything: only a regular file that can be mapped,
 * without waiting. An empty one is read as empty: /proc and /sys have files that claim so and never
 * end. `identity`, if not NULL, is that of the opened file. */
bool wk_os_open_named(const char *path, struct wk_os_file *file, struct wk_os_identity *identity,
		      struct wk_err *err);

/* The same for an open descriptor, which stays the caller's: its file is checked first. Up to
 * `most_bytes`, 0: unlimited. `name` is for the sentence. */
bool wk_os_open_fd(int fd, const char *name, size_t most_bytes, struct wk_os_file *file,
		   struct wk_err *err);

/* Are there paths such as C:\syms and \\server\share? Elsewhere they are names of strange files. */
static inline bool wk_os_has_drives(void)
{
#ifdef _WIN32
	return true;
#else
	return false;
#endif
}

bool wk_os_is_there(const char *path);
bool wk_os_is_folder(const char *path);

/* Whether this program may write the file, or into the folder; errno has the reason if not. */
bool wk_os_may_write(const char *path);

/* The absolute path, links followed, allocated; NULL, with errno set, if it does not exist. */
char *wk_os_real_path(const char *path);
/* The path of the running program, which the caller frees; empty if it was deleted. Linux only. */
char *wk_os_own_path(void);

/* From the root of this system's files on? */
bool wk_os_is_absolute(struct wk_str path);

/* Is this a path of a program rather than only its name? */
bool wk_os_is_path(const char *word);

/* As wk_os_open, but the start of what has to be read is checked first: its first 64 KiB, or all if
 * it is shorter. If `accept` returns false, having filled `err`, the rest is not read: an endless
 * stream of something else ends there. */
bool wk_os_open_if(const char *path,
		   bool (*accept)(void *context, const void *first, size_t len, struct wk_err *err),
		   void *context, struct wk_os_file *file, struct wk_err *err);
void wk_os_close(struct wk_os_file *file);

/* What is left to be read of a pipe, a terminal and the like; or a regular file, all of which can
 * be read as well. All zero: nothing. */
struct wk_os_stream {
	bool is_open, is_file;
	int fd;
	struct wk_undo *undo;
};

/* The same, but of what cannot be mapped and is longer than those first 64 KiB, `file` has only
 * them, and `rest` is open: for wk_os_stream_read, or for wk_os_open_rest, which adds all of it to
 * the file. Of a large file that is mapped, `rest` is open for wk_os_stream_read_at. To be ended by
 * wk_os_stream_close. */
bool wk_os_open_start(const char *path,
		      bool (*accept)(void *context, const void *first, size_t len,
				     struct wk_err *err),
		      void *context, struct wk_os_file *file, struct wk_os_stream *rest,
		      struct wk_err *err);
bool wk_os_open_rest(const char *path, struct wk_os_file *file, struct wk_os_stream *rest,
		     struct wk_err *err);

/* Reads until `out` has at least `len` bytes, or to the end; false, with errno set, on failure. */
bool wk_os_stream_read(struct wk_os_stream *stream, struct wk_buf *out, size_t len);
/* Of a file: adds the `len` bytes at `offset`, or those there are. Several threads may do so. */
bool wk_os_stream_read_at(const struct wk_os_stream *stream, uint64_t offset, struct wk_buf *out,
			  size_t len);
void wk_os_stream_close(struct wk_os_stream *stream);

/* Releases the memory of a mapped file's pages; they are read again when they are used. */
void wk_os_release(const struct wk_os_file *file);

/* The same for the bytes before `offset`: readers that pass once through a large file keep no more
 * of it in memory than they work on. NULL and allocated files are left alone. */
void wk_os_release_to(const struct wk_os_file *file, uint64_t offset);

/* Copies a part of a mapped file without mapping its pages, which costs several times as much: for
 * what is looked at once. The part must lie in the file. */
void wk_os_copy_mapped(const struct wk_os_file *file, size_t offset, void *bytes, size_t size);

/* A mapped file that is truncated would kill the reader at its next access. After this call (once,
 * from main) such bytes read as zero instead. */
void wk_os_guard_maps(void);

/* The whole of a small file of /proc or /sys, including NULs; false if it cannot be read. `out` is
 * emptied first. */
bool wk_os_read_small(const char *path, struct wk_buf *out);

/* A file for writing, truncated if it exists (it then keeps its permissions). A new one is readable
 * only by its owner if `is_private`, otherwise as the umask allows. A descriptor, or -1. */
int wk_os_create(const char *path, bool is_private, struct wk_err *err);

/* A file that replaces another only when it is complete: until then it is in the folder of `path`
 * under a name of its own, and `path` stays as it is. If the file system supports it, it has no
 * name until then, so that even a kill leaves nothing behind. Permissions of the replaced file are
 * kept, and links are followed. Devices, pipes, /dev/stdout and files in read-only folders are
 * written in place instead: `temporary` is then NULL. */
struct wk_os_draft {
	int fd;
	char *target, *temporary;
	bool is_nameless;
	struct wk_undo *undo;
};

bool wk_os_draft_open(struct wk_os_draft *draft, const char *path, struct wk_err *err);

/* The same for a file of a cache, for its owner alone, in an existing folder (wk_os_folder_open
 * creates it), and never written in place. The replaced file stays readable to processes that have
 * it open. */
bool wk_os_draft_open_private(struct wk_os_draft *draft, const char *path, struct wk_err *err);

/* Closes it, and moves it to its place or, if `keep` is false, deletes it. False, with errno set,
 * if it could not be saved. */
bool wk_os_draft_end(struct wk_os_draft *draft, bool keep);

/* From now on the file is for its owner alone, as far as the system can. */
void wk_os_make_private(int fd);

/* A file that is deleted when its descriptor is closed. `path`, allocated, refers to it until then.
 * -1, with errno set, if none can be created. */
int wk_os_temporary(char **path);

/* To the file's first byte; false, with errno set, if it is not seekable. */
bool wk_os_rewind(int fd);

/* Whether written bytes can be changed later: true for a file positioned at its start,
 * false for pipes and for files opened to append. */
bool wk_os_is_seekable(int fd);

/* All of the bytes, at the descriptor's position or at `offset` of the file (which leaves the
 * position alone). False, with errno set, if the system did not accept all of them. */
bool wk_os_write(int fd, const void *bytes, size_t len);
bool wk_os_write_at(int fd, uint64_t offset, const void *bytes, size_t len);

/* As many of the bytes at `offset` as there are, possibly none; leaves the descriptor's position
 * alone if the system can. */
size_t wk_os_read_at(int fd, uint64_t offset, void *bytes, size_t size);

/* How long an open file is. */
bool wk_os_size(int fd, uint64_t *size_bytes);

/* Cuts a file to a size; false, with errno set, if that cannot be done. */
bool wk_os_truncate(int fd, uint64_t size_bytes);

/* Copies memory of another process; returns how many bytes were read. Needs the right to trace it.
 */
size_t wk_os_read_process(uint32_t pid, uint64_t address, void *bytes, size_t size);

/* The build id of the running kernel: its size in `id`, 0 if it is unknown. */
size_t wk_os_kernel_build_id(uint8_t id[20]);

/* The name of this machine, and its system's release; empty if unknown. */
struct wk_os_host {
	char name[256], release[256];
};

void wk_os_host(struct wk_os_host *host);

/* Does the system give this program rights that its user does not have (a set-user-id bit or a
 * capability of its file)? */
bool wk_os_has_borrowed_rights(void);

/* Fills them with unpredictable bytes, fit for secrets; false if the system has none. */
bool wk_os_random(void *bytes, size_t size);

/* Whether the program that connected from `port` of 127.0.0.1 to our `own_port` belongs to another
 * user: not to root, to ours, or to the one who called sudo. True if it is not found; false if the
 * system does not say which connections there are. Linux only. */
bool wk_os_is_foreign_peer(uint16_t port, uint16_t own_port);

/* A thread for `run(context)`; NULL if the system cannot create one. Every started thread is
 * joined, once. Signals stay with the existing threads. */
struct wk_os_thread;
struct wk_os_thread *wk_os_thread_start(void (*run)(void *context), void *context);
void wk_os_thread_join(struct wk_os_thread *thread);

/* Shared data is read and changed only while holding its lock. Waiting releases it until another
 * thread wakes all waiting ones, or for a limited time, and then holds it again. */
struct wk_os_lock;
struct wk_os_lock *wk_os_lock_new(void);
void wk_os_lock_free(struct wk_os_lock *lock);
void wk_os_lock_acquire(struct wk_os_lock *lock);
void wk_os_lock_leave(struct wk_os_lock *lock);
void wk_os_lock_wait(struct wk_os_lock *lock, unsigned milliseconds);
void wk_os_lock_wake(struct wk_os_lock *lock);

uint64_t wk_os_clock_ns(void); /* monotonic */
uint64_t wk_os_wall_ns(void);  /* since 1970-01-01 UTC */

/* The time of day in UTC, from seconds since 1970. False if there is none. */
bool wk_os_utc_time(uint64_t seconds, struct tm *tm);

bool wk_os_is_terminal(int fd);

/* Is a file or a pipe to be read from it? False for an empty file and a pipe that has ended. */
bool wk_os_has_input(int fd);

/* A terminal that supports colours. */
bool wk_os_shows_colors(int fd);
unsigned wk_os_terminal_columns(int fd); /* 80 if unknown */
unsigned wk_os_cpu_count(void);

/* How many more files this process may open, up to `most`; `limit`, if not NULL, is its total
 * limit, or 0 if unknown. */
unsigned wk_os_files_left(unsigned most, unsigned *limit);

#endif
