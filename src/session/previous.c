#include "session/previous.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/sink.h"
#include "formats/reader.h"

#define SUFFIX ".old"
#define OLDER  "~" /* appended to that */

/* A recording without samples contains little more than mappings. Larger files are not examined. */
#define MOST_EMPTY_BYTES (16 << 20)

/* A recorder holds a lock on the file, if the file system has locks. */
static bool is_being_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_held;
}

void wk_previous_hold(int fd)
{
	(void)flock(fd, LOCK_EX | LOCK_NB);
}

/* The file that would be overwritten by opening `output`: behind a symbolic link, so that the link
 * leads to the new recording. NULL if there is none. */
static char *previous_at(const char *output)
{
	struct stat info;

	if (stat(output, &info) != 0 || !S_ISREG(info.st_mode) || access(output, W_OK) != 0 ||
	    (info.st_size == 0 && !is_being_written(output)))
		return NULL;
	if (lstat(output, &info) == 0 && S_ISLNK(info.st_mode))
		return wk_os_real_path(output);
	return wk_strdup(output);
}

/* Fails at the first sample or allocation, which ends the reading. */
static bool find_sample(void *context, const struct wk_event *event, struct wk_err *err)
{
	bool *found = context;

	*found = event->kind == WK_EVENT_SAMPLE || event->kind == WK_EVENT_HEAP;
	return !*found || wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "there is something");
}

bool wk_previous_is_empty(const char *path)
{
	bool found = false, is_read;
	struct wk_sink sink = { .take = find_sample, .context = &found };
	struct wk_err err = { 0 };
	struct wk_opened opened;
	struct stat info;

	if (stat(path, &info) != 0 || info.st_size > MOST_EMPTY_BYTES || is_being_written(path) ||
	    !wk_reader_open(path, wk_reader_perf_data.name, &opened, &err))
		return false;
	is_read = opened.reader->read(&opened.input, &sink, &err);
	wk_reader_close(&opened);
	return is_read && !found;
}

/* A recording, or an empty file where one is about to be written. */
static bool is_recording(const char *path)
{
	struct wk_os_file file;
	size_t len;
	bool found;

	if (!wk_os_open(path, &file, NULL))
		return false;
	len = file.size_bytes < WK_PROBE_BYTES ? file.size_bytes : WK_PROBE_BYTES;
	found = len == 0 || wk_reader_perf_data.probe(wk_bytes_of(file.at, len)) > 0;
	wk_os_close(&file);
	return found;
}

/* The file that was OUTPUT.old before. */
static void add_older(const struct wk_buf *old, struct wk_buf *older)
{
	wk_buf_add_str(older, wk_buf_str(old));
	wk_buf_add_text(older, OLDER);
}

/* One that a killed recorder has left is dropped. */
static void set_older_aside(const struct wk_buf *old)
{
	struct wk_buf older = { 0 };
	struct stat info;

	add_older(old, &older);
	unlink(wk_buf_text(&older));
	if (lstat(wk_buf_text(old), &info) == 0 && S_ISREG(info.st_mode))
		(void)!rename(wk_buf_text(old), wk_buf_text(&older));
	wk_buf_fini(&older);
}

static void put_older_back(const struct wk_buf *old)
{
	struct wk_buf older = { 0 };

	add_older(old, &older);
	(void)!rename(wk_buf_text(&older), wk_buf_text(old));
	wk_buf_fini(&older);
}

static void drop_older(const struct wk_buf *old)
{
	struct wk_buf older = { 0 };

	add_older(old, &older);
	unlink(wk_buf_text(&older));
	wk_buf_fini(&older);
}

bool wk_previous_keep(const char *output, struct wk_buf *old, struct wk_err *err)
{
	char *previous = previous_at(output);
	bool ok = true;

	if (!previous)
		return true;
	if (!is_recording(previous)) {
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "%s exists and is not a recording; choose another name, or remove it "
			     "first",
			     output);
		goto out;
	}
	if (wk_previous_is_empty(previous))
		goto out;
	wk_buf_add_fmt(old, "%s" SUFFIX, previous);
	set_older_aside(old);
	if (rename(previous, wk_buf_text(old)) != 0) {
		ok = wk_fail_os(err, errno, "cannot rename the existing recording to %s",
				wk_buf_text(old));
		put_older_back(old);
		wk_buf_reset(old);
	}
out:
	wk_free(previous);
	return ok;
}

void wk_previous_restore(struct wk_buf *old)
{
	char *previous;

	if (old->len == 0)
		return;
	previous = wk_strndup(old->at, old->len - strlen(SUFFIX));
	if (rename(wk_buf_text(old), previous) == 0) {
		put_older_back(old);
		wk_buf_reset(old);
	}
	wk_free(previous);
}

/* The file behind a symbolic link, like the previous one. */
static bool remove_file(const char *path)
{
	char *real = wk_os_real_path(path);
	bool ok = real && unlink(real) == 0;

	wk_free(real);
	return ok;
}

bool wk_previous_put_back(const char *output, struct wk_buf *old)
{
	if (old->len == 0)
		return remove_file(output);
	wk_previous_restore(old);
	return old->len == 0;
}

bool wk_previous_settle(const char *output, bool is_empty, struct wk_buf *old)
{
	if (old->len == 0)
		return false;
	if (is_empty && wk_previous_put_back(output, old))
		return true;
	drop_older(old);
	return false;
}
