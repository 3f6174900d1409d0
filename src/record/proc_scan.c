#include "record/proc_scan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"

#define LONGEST_COMMAND_LINE 11900 /* a row of a recording holds a little more */

static bool cut_hex(struct wk_str *rest, char end, uint64_t *value)
{
	return wk_num_hex(wk_str_cut(rest, end), value);
}

/* start-end rwxp offset major:minor inode     path */
bool wk_proc_map_line(struct wk_str line, struct wk_event_image *image)
{
	uint64_t end, major_number, minor_number;
	struct wk_str rights;

	*image = (struct wk_event_image){ 0 };
	if (!cut_hex(&line, '-', &image->start) || !cut_hex(&line, ' ', &end))
		return false;
	rights = wk_str_cut(&line, ' ');
	if (rights.len < 4 || end <= image->start || !cut_hex(&line, ' ', &image->file_offset) ||
	    !cut_hex(&line, ':', &major_number) || !cut_hex(&line, ' ', &minor_number) ||
	    !wk_num_u64(wk_str_cut(&line, ' '), &image->inode))
		return false;
	while (wk_str_starts(line, " "))
		line = wk_str_skip(line, 1);
	image->size_bytes = end - image->start;
	image->device_major = (uint32_t)major_number;
	image->device_minor = (uint32_t)minor_number;
	image->protection = (rights.at[0] == 'r' ? PROT_READ : 0u) |
			    (rights.at[1] == 'w' ? PROT_WRITE : 0u) |
			    (rights.at[2] == 'x' ? PROT_EXEC : 0u);
	image->flags = rights.at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	image->is_data = rights.at[2] != 'x';
	image->path = line.len ? line : wk_str_c("//anon");
	return true;
}

static bool read_of(pid_t pid, const char *file, struct wk_buf *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return wk_os_read_small(path, out);
}

bool wk_proc_name(pid_t pid, struct wk_buf *out)
{
	if (!read_of(pid, "comm", out))
		return false;
	if (out->len && out->at[out->len - 1] == '\n')
		out->at[--out->len] = '\0';
	return true;
}

/* The parent is the second field behind the name, which may itself hold blanks and ')'. */
static uint32_t parent_of(pid_t pid, struct wk_buf *text)
{
	const char *at;
	char state;
	int parent;

	if (!read_of(pid, "stat", text) || !text->at)
		return 0;
	at = strrchr(text->at, ')');
	if (!at || sscanf(at + 1, " %c %d", &state, &parent) != 2 || parent < 0)
		return 0;
	return (uint32_t)parent;
}

static void close_undone(struct wk_undo *undo)
{
	closedir(undo->at);
}

static DIR *list(const char *path, struct wk_undo **undo)
{
	DIR *dir;

	*undo = wk_undo_new();
	dir = opendir(path);
	if (dir)
		wk_undo_arm(*undo, close_undone, dir, 0);
	else
		wk_undo_free(*undo);
	return dir;
}

static void end_list(DIR *dir, struct wk_undo *undo)
{
	closedir(dir);
	wk_undo_free(undo);
}

pid_t wk_proc_of_thread(pid_t tid)
{
	struct wk_buf text = { 0 };
	const char *at = NULL;
	pid_t pid = tid;

	if (read_of(tid, "status", &text))
		at = strstr(wk_buf_text(&text), "\nTgid:");
	if (at)
		pid = (pid_t)atoi(at + strlen("\nTgid:"));
	wk_buf_fini(&text);
	return pid;
}

size_t wk_proc_threads(pid_t pid, pid_t **tids)
{
	char path[64];
	struct wk_undo *undo;
	DIR *dir;
	size_t count = 0, cap = 0;

	*tids = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = list(path, &undo);
	if (!dir)
		return 0;
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		uint64_t tid;

		if (!wk_num_u64(wk_str_c(entry->d_name), &tid) || tid > INT32_MAX)
			continue;
		WK_RESERVE(*tids, cap, count + 1);
		(*tids)[count++] = (pid_t)tid;
	}
	end_list(dir, undo);
	return count;
}

/* A first thread that has ended (pthread_exit in main) has no memory any more; those that run on
 * still list that of the process. */
static bool read_by_any_thread(pid_t pid, const char *file, struct wk_buf *text)
{
	pid_t *tids;
	size_t count;
	bool found = read_of(pid, file, text) && text->len;

	if (found)
		return true;
	count = wk_proc_threads(pid, &tids);
	for (size_t i = 0; i < count && !found; i++)
		found = tids[i] != pid && read_of(tids[i], file, text) && text->len;
	wk_free(tids);
	return found;
}

bool wk_proc_command_line(pid_t pid, struct wk_buf *out)
{
	if (!read_by_any_thread(pid, "cmdline", out))
		return false;
	while (out->len && out->at[out->len - 1] == '\0')
		out->len--;
	if (out->len > LONGEST_COMMAND_LINE) {
		out->len = LONGEST_COMMAND_LINE;
		wk_buf_add_text(out, " ...");
	}
	for (size_t i = 0; i < out->len; i++)
		if (out->at[i] == '\0')
			out->at[i] = ' ';
	return true;
}

static bool emit_threads(pid_t pid, const struct wk_sink *sink, struct wk_buf *name,
			 struct wk_err *err)
{
	pid_t *tids;
	size_t count = wk_proc_threads(pid, &tids);
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++) {
		struct wk_event event = {
			.kind = WK_EVENT_THREAD,
			.pid = (uint32_t)pid,
			.tid = (uint32_t)tids[i],
			.cpu = WK_NO_CPU,
			.thread = { .change = WK_THREAD_SEEN },
		};

		if (!wk_proc_name(tids[i], name))
			continue;
		event.thread.name = wk_buf_str(name);
		ok = wk_sink_emit(sink, &event, err);
	}
	wk_free(tids);
	return ok;
}

static bool emit_maps(pid_t pid, const struct wk_sink *sink, struct wk_buf *text,
		      struct wk_err *err)
{
	struct wk_str rest;

	if (!read_by_any_thread(pid, "maps", text))
		return true;
	rest = wk_buf_str(text);
	while (rest.len) {
		struct wk_event event = {
			.kind = WK_EVENT_IMAGE,
			.pid = (uint32_t)pid,
			.tid = (uint32_t)pid,
			.cpu = WK_NO_CPU,
		};

		if (!wk_proc_map_line(wk_str_cut(&rest, '\n'), &event.image) || event.image.is_data)
			continue;
		if (!wk_sink_emit(sink, &event, err))
			return false;
	}
	return true;
}

bool wk_proc_scan(pid_t pid, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf name = { 0 }, line = { 0 }, text = { 0 };
	struct wk_event event = {
		.kind = WK_EVENT_PROCESS,
		.pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.cpu = WK_NO_CPU,
		.process = { .change = WK_PROCESS_SEEN },
	};
	bool ok = true;

	if (wk_proc_name(pid, &name)) {
		wk_proc_command_line(pid, &line);
		event.process.parent_pid = parent_of(pid, &text);
		event.process.name = wk_buf_str(&name);
		event.process.command_line = wk_buf_str(&line);
		ok = wk_sink_emit(sink, &event, err) && emit_threads(pid, sink, &name, err) &&
		     emit_maps(pid, sink, &text, err);
	}
	WK_BUF_FINI_ALL(&name, &line, &text);
	return ok;
}

static bool emit_idle(const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = {
		.kind = WK_EVENT_PROCESS,
		.cpu = WK_NO_CPU,
		.process = { .change = WK_PROCESS_SEEN, .name = WK_STR("swapper") },
	};

	return wk_sink_emit(sink, &event, err);
}

bool wk_proc_scan_all(const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_undo *undo;
	DIR *dir = list("/proc", &undo);
	bool ok;

	if (!dir)
		return wk_fail(err, WK_EIO, WK_NOWHERE,
			       "cannot read /proc, which lists the running processes");
	ok = emit_idle(sink, err);
	for (struct dirent *entry = readdir(dir); entry && ok; entry = readdir(dir)) {
		uint64_t pid;

		if (wk_num_u64(wk_str_c(entry->d_name), &pid) && pid <= INT32_MAX)
			ok = wk_proc_scan((pid_t)pid, sink, err);
	}
	end_list(dir, undo);
	return ok;
}
