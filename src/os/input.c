#include "os/input.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text/file_name.h"

/* Accepting the first bytes of files that cannot be mapped, and limits for reading. */
struct guard {
	bool (*accept)(void *context, const void *first, size_t len, struct wk_err *err);
	void *context;
	size_t most; /* 0: all of a file, the default limit for a stream */
	bool maps_only;
	struct wk_os_identity *identity; /* of the opened file, if not NULL */
	struct wk_os_stream *rest;       /* for what is left, if not NULL */
};

#define GUARD_BYTES (64 * 1024)
#define BLOCK_BYTES (16 * 1024)
#define LARGE_FILE  ((uint64_t)1 << 20) /* less is mapped in no time */

static void cut_at(struct wk_buf *out, size_t len)
{
	out->len = len;
	out->at[len] = '\0';
}

/* More than `len` bytes at most by those of a block. */
static bool read_some(int fd, struct wk_buf *out, size_t len)
{
	while (out->len < len) {
		size_t before = out->len;
		char *block = wk_buf_extend(out, BLOCK_BYTES);
		ptrdiff_t got = read(fd, block, BLOCK_BYTES);

		cut_at(out, before + (got > 0 ? (size_t)got : 0));
		if (got == 0)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
	}
	return true;
}

/* A stream has no size that could be looked at first, and some have no end. */
static size_t most_of_streams(void)
{
	const char *typed = wk_os_env("WICK_MOST_INPUT");
	unsigned long long most = typed ? strtoull(typed, NULL, 10) : 0;

	if (most == 0)
		most = wk_os_memory_bytes() / 2;
	return most < SIZE_MAX ? (size_t)most : SIZE_MAX - 1;
}

static bool is_too_long(const char *path, size_t most, struct wk_err *err)
{
	return wk_fail(err, WK_EIO, WK_NOWHERE,
		       "%s is larger than %zu MiB, the limit for such a file", path, most >> 20);
}

/* Reads on to the end. */
static bool read_on(int fd, const char *path, const struct guard *guard, struct wk_buf *whole,
		    struct wk_err *err)
{
	size_t most = guard->most ? guard->most : most_of_streams();

	if (!read_some(fd, whole, most + 1))
		return wk_fail_os(err, errno, "cannot read %s", path);
	if (whole->len <= most)
		return true;
	if (guard->most)
		return is_too_long(path, most, err);
	return wk_fail(err, WK_EIO, WK_NOWHERE,
		       "%s did not end within %zu bytes, the limit for input that is not a file: "
		       "write it to a file first, or set WICK_MOST_INPUT to more bytes",
		       path, most);
}

static bool read_guarded(int fd, const char *path, const struct guard *guard, struct wk_buf *whole,
			 struct wk_err *err)
{
	if (!read_some(fd, whole, GUARD_BYTES))
		return wk_fail_os(err, errno, "cannot read %s", path);
	if (guard->accept && !guard->accept(guard->context, wk_buf_text(whole), whole->len, err))
		return false;
	if (!guard->rest || whole->len < GUARD_BYTES)
		return read_on(fd, path, guard, whole, err);
	*guard->rest = (struct wk_os_stream){ .is_open = true, .fd = fd };
	return true;
}

static bool read_whole(int fd, const char *path, const struct guard *guard, struct wk_os_file *file,
		       struct wk_err *err)
{
	struct wk_buf whole = { 0 };

	if (!read_guarded(fd, path, guard, &whole, err)) {
		wk_buf_fini(&whole);
		return false;
	}
	file->at = (const uint8_t *)whole.at;
	file->size_bytes = whole.len;
	file->is_heap = true;
	return true;
}

static bool is_folder(const char *path, struct wk_err *err)
{
	return wk_fail(err, WK_EIO, WK_NOWHERE, "%s is a directory, expected a file", path);
}

static void unmap_undone(struct wk_undo *undo)
{
	wk_os_input_unmap(undo->at, undo->number);
}

void wk_os_input_undo(struct wk_os_file *file, struct wk_undo *undo)
{
	file->undo = undo;
	wk_undo_arm(undo, unmap_undone, (void *)(uintptr_t)file->at, file->size_bytes);
}

static bool map(int fd, size_t size_bytes, struct wk_os_file *file)
{
	struct wk_undo *undo = wk_undo_new();

	file->at = wk_os_input_map(fd, size_bytes);
	if (!file->at) {
		int cause = errno;

		wk_undo_free(undo);
		errno = cause;
		return false;
	}
	file->size_bytes = size_bytes;
	wk_os_input_undo(file, undo);
	return true;
}

char *wk_os_unique_name(struct wk_str front, const char *mark, const char *ending)
{
	static atomic_uint number; /* several threads may create files */
	struct wk_buf name = { 0 };

	wk_buf_add_fmt(&name, "%.*s%s%ld-%u%s", WK_STR_ARG(front), mark, (long)getpid(),
		       atomic_fetch_add(&number, 1), ending);
	return name.at;
}

static void close_undone(struct wk_undo *undo)
{
	close((int)undo->number);
}

int wk_os_undo_fd(struct wk_undo *undo, int fd)
{
	if (fd >= 0)
		wk_undo_arm(undo, close_undone, NULL, (size_t)fd);
	return fd;
}

void wk_os_close_fd(int fd, struct wk_undo *undo)
{
	if (fd >= 0)
		close(fd);
	wk_undo_free(undo);
}

static bool map_or_read(int fd, const char *path, const struct guard *guard,
			struct wk_os_file *file, struct wk_err *err)
{
	struct wk_os_identity identity = { 0 };
	enum wk_os_input_kind kind = wk_os_input_look(fd, &identity);
	uint64_t size_bytes = identity.size_bytes;

	if (kind == WK_OS_INPUT_UNKNOWN)
		return wk_fail_os(err, errno, "cannot look at %s", path);
	if (kind == WK_OS_INPUT_FOLDER)
		return is_folder(path, err);
	if (guard->most && size_bytes > guard->most)
		return is_too_long(path, guard->most, err);
	if (kind == WK_OS_INPUT_FILE && size_bytes > 0 && map(fd, (size_t)size_bytes, file)) {
		if (guard->rest && size_bytes >= LARGE_FILE)
			*guard->rest = (struct wk_os_stream){ .is_open = true, .is_file = true,
							      .fd = fd };
		return true;
	}
	if (guard->maps_only && kind != WK_OS_INPUT_FILE)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s is not a regular file", path);
	if (guard->maps_only)
		return size_bytes == 0 || wk_fail_os(err, errno, "cannot map %s", path);
	return read_whole(fd, path, guard, file, err);
}

static bool open_guarded(const char *path, const struct guard *guard, struct wk_os_file *file,
			 struct wk_err *err)
{
	struct wk_undo *undo;
	int fd;
	bool ok;

	*file = (struct wk_os_file){ 0 };
	if (!guard->maps_only && strcmp(path, "-") == 0)
		return map_or_read(STDIN_FILENO, "standard input", guard, file, err);
	undo = wk_undo_new();
	fd = wk_os_undo_fd(undo, wk_os_input_open(path, !guard->maps_only));
	if (fd < 0)
		ok = errno == EISDIR ? is_folder(path, err)
				     : wk_fail_os(err, errno, "cannot open %s", path);
	else
		ok = map_or_read(fd, path, guard, file, err);
	if (ok && guard->identity)
		wk_os_input_look(fd, guard->identity);
	if (ok && guard->rest && guard->rest->is_open)
		guard->rest->undo = undo;
	else
		wk_os_close_fd(fd, undo);
	return ok;
}

bool wk_os_open_if(const char *path,
		   bool (*accept)(void *context, const void *first, size_t len, struct wk_err *err),
		   void *context, struct wk_os_file *file, struct wk_err *err)
{
	struct guard guard = { .accept = accept, .context = context };

	return open_guarded(path, &guard, file, err);
}

bool wk_os_open_start(const char *path,
		      bool (*accept)(void *context, const void *first, size_t len,
				     struct wk_err *err),
		      void *context, struct wk_os_file *file, struct wk_os_stream *rest,
		      struct wk_err *err)
{
	struct guard guard = { .accept = accept, .context = context, .rest = rest };

	*rest = (struct wk_os_stream){ 0 };
	return open_guarded(path, &guard, file, err);
}

bool wk_os_open_rest(const char *path, struct wk_os_file *file, struct wk_os_stream *rest,
		     struct wk_err *err)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct wk_buf whole = { 0 };
	bool ok = true;

	if (!rest->is_open)
		return true;
	wk_buf_add(&whole, file->at, file->size_bytes);
	wk_os_close(file);
	ok = read_on(rest->fd, name, &(struct guard){ 0 }, &whole, err);
	*file = (struct wk_os_file){ .at = (const uint8_t *)whole.at, .size_bytes = whole.len,
				     .is_heap = true };
	wk_os_stream_close(rest);
	return ok;
}

bool wk_os_stream_read(struct wk_os_stream *stream, struct wk_buf *out, size_t len)
{
	return read_some(stream->fd, out, len);
}

bool wk_os_stream_read_at(const struct wk_os_stream *stream, uint64_t offset, struct wk_buf *out,
			  size_t len)
{
	size_t before = out->len, got;
	void *to = wk_buf_extend(out, len);

	errno = 0;
	got = wk_os_read_at(stream->fd, offset, to, len);
	cut_at(out, before + got);
	return got == len || errno == 0;
}

void wk_os_stream_close(struct wk_os_stream *stream)
{
	if (stream->is_open && stream->fd != STDIN_FILENO)
		wk_os_close_fd(stream->fd, stream->undo);
	*stream = (struct wk_os_stream){ 0 };
}

bool wk_os_open(const char *path, struct wk_os_file *file, struct wk_err *err)
{
	return open_guarded(path, &(struct guard){ 0 }, file, err);
}

bool wk_os_open_aside(const char *path, struct wk_os_file *file, struct wk_err *err)
{
	return open_guarded(path, &(struct guard){ .most = WK_OS_MOST_ASIDE }, file, err);
}

bool wk_os_open_fd(int fd, const char *name, size_t most_bytes, struct wk_os_file *file,
		   struct wk_err *err)
{
	struct guard guard = { .most = most_bytes, .maps_only = true };

	*file = (struct wk_os_file){ 0 };
	return map_or_read(fd, name, &guard, file, err);
}

bool wk_os_open_named(const char *path, struct wk_os_file *file, struct wk_os_identity *identity,
		      struct wk_err *err)
{
	struct guard guard = { .maps_only = true, .identity = identity };

	*file = (struct wk_os_file){ 0 };
	if (wk_os_has_drives() && !wk_file_path_is_windows(wk_str_c(path)))
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "%s is not opened: no file of Windows can have this name", path);
	return open_guarded(path, &guard, file, err);
}

bool wk_os_read_small(const char *path, struct wk_buf *out)
{
	struct wk_undo *undo = wk_undo_new();
	int fd = wk_os_undo_fd(undo, wk_os_input_open(path, true));
	bool ok;

	wk_buf_reset(out);
	ok = fd >= 0 && read_some(fd, out, SIZE_MAX);
	wk_os_close_fd(fd, undo);
	return ok;
}

bool wk_os_write(int fd, const void *bytes, size_t len)
{
	return wk_fd_write(fd, bytes, len);
}

bool wk_os_write_pieces(int fd, const struct wk_str *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!wk_os_write(fd, pieces[i].at, pieces[i].len))
			return false;
	return true;
}
