#include "model/runtime_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

/* File times lag behind, and clocks are compared a moment after one another. */
#define SLACK_NS UINT64_C(1000000000)

/* Anybody may put a map there, of any size. Those of real programs have a few megabytes. */
#define MOST_MAP_BYTES ((size_t)256 << 20)

#define NS_PER_S UINT64_C(1000000000)

static bool read_of(uint32_t pid, const char *file, struct wk_buf *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	return wk_os_read_small(path, out) && out->len > 0;
}

/* The last number on the line "Name:\t1 2 3" of /proc/PID/status; nested namespaces have one
 * each, the innermost last. */
static bool last_number(const char *status, const char *name, uint32_t *value)
{
	const char *at = strstr(status, name);
	unsigned number;
	int len;

	if (!at)
		return false;
	at += strlen(name);
	if (sscanf(at, "%u%n", &number, &len) != 1)
		return false;
	do {
		*value = number;
		at += len;
	} while (*at != '\n' && sscanf(at, "%u%n", &number, &len) == 1);
	return true;
}

static bool first_number(const char *status, const char *name, uint32_t *value)
{
	const char *at = strstr(status, name);

	return at && sscanf(at + strlen(name), "%u", value) == 1;
}

/* When the process began: field 22, in ticks since the machine did. The name in front of the
 * others may hold anything. */
static bool read_begin(uint32_t pid, struct wk_buf *text, uint64_t *begin_ns)
{
	struct timespec up;
	unsigned long long ticks;
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), up_ns, since_ns;
	const char *at;

	if (!read_of(pid, "stat", text) || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
		return false;
	at = strrchr(text->at, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu", &ticks) != 1 || hz == 0)
		return false;
	up_ns = (uint64_t)up.tv_sec * NS_PER_S + (uint64_t)up.tv_nsec;
	since_ns = ticks / hz * NS_PER_S + ticks % hz * (NS_PER_S / hz);
	*begin_ns = wk_os_wall_ns() - (up_ns > since_ns ? up_ns - since_ns : 0);
	return true;
}

bool wk_runtime_owner_ask(uint32_t pid, bool keep_folder, struct wk_runtime_owner *owner)
{
	struct wk_buf text = { 0 };
	char path[64];
	bool ok;

	*owner = (struct wk_runtime_owner){ .pid = pid, .own_pid = pid, .folder_fd = -1 };
	ok = read_begin(pid, &text, &owner->begin_ns) && read_of(pid, "status", &text);
	if (ok) {
		last_number(text.at, "\nNSpid:", &owner->own_pid);
		owner->has_user = first_number(text.at, "\nUid:", &owner->user);
	}
	if (ok && keep_folder) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp", pid);
		owner->folder_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	wk_buf_fini(&text);
	return ok;
}

static uint64_t modified_ns(const struct stat *info)
{
	return (uint64_t)info->st_mtim.tv_sec * NS_PER_S + (uint64_t)info->st_mtim.tv_nsec;
}

/* Says why the file cannot be the process' own; empty if it can. */
static void add_objection(const struct wk_runtime_owner *owner, const struct stat *info,
			  struct wk_buf *why)
{
	bool is_trusted = info->st_uid == 0 || info->st_uid == geteuid() ||
			  (owner->has_user && info->st_uid == owner->user);

	if (!S_ISREG(info->st_mode))
		wk_buf_add_text(why, "it is not a plain file");
	else if (!is_trusted)
		wk_buf_add_fmt(why, "it belongs to user %u, neither to the process' user nor to "
				    "you", (unsigned)info->st_uid);
	else if (owner->begin_ns && modified_ns(info) + SLACK_NS < owner->begin_ns)
		wk_buf_add_text(why, "it is older than the process");
	else if (owner->successor_ns && modified_ns(info) > owner->successor_ns)
		wk_buf_add_text(why, "a later process with the same number wrote it");
}

/* Does not wait for whoever may be at the other end of a pipe. */
static int open_at_once(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* A link leads where whoever made it wants: only one's own, or the system's, are followed. */
static bool is_strange_link(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != 0 &&
	       info.st_uid != geteuid();
}

static struct wk_runtime_identity identity_of(const struct stat *info)
{
	return (struct wk_runtime_identity){
		.device = (uint64_t)info->st_dev,
		.inode = (uint64_t)info->st_ino,
		.size_bytes = (uint64_t)info->st_size,
		.modified_ns = modified_ns(info),
	};
}

/* Opens what lies at `path`, if it is the process' own. What was looked at is what is read: the
 * name may come to mean another file at any moment. */
static enum wk_runtime_answer open_checked(const struct wk_runtime_owner *owner, const char *path,
					   size_t most_bytes, struct wk_runtime_names *names,
					   struct wk_buf *why)
{
	struct wk_err err = { 0 };
	struct stat info;
	int fd = open_at_once(path);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return WK_RUNTIME_NO_FILE;
	if (fd < 0 || fstat(fd, &info) != 0)
		wk_buf_add_fmt(why, "it cannot be opened: %s", strerror(errno));
	else if (is_strange_link(path))
		wk_buf_add_text(why, "it is somebody else's link to another file");
	else
		add_objection(owner, &info, why);
	if (why->len == 0 && !wk_os_open_fd(fd, "it", most_bytes, &names->file, &err))
		wk_buf_add_text(why, err.text);
	if (why->len == 0)
		names->identity = identity_of(&info);
	if (fd >= 0)
		close(fd);
	return why->len ? WK_RUNTIME_REFUSED : WK_RUNTIME_READ;
}

static struct wk_jit_code *add_piece(struct wk_runtime_names *names)
{
	names->pieces = wk_grow(names->pieces, &names->cap, names->count + 1,
				sizeof(*names->pieces));
	return &names->pieces[names->count++];
}

enum wk_runtime_answer wk_runtime_read_map(const struct wk_runtime_owner *owner,
					   struct wk_runtime_names *names, struct wk_buf *why)
{
	enum wk_runtime_answer answer;
	char path[64];

	*names = (struct wk_runtime_names){ 0 };
	if (owner->folder_fd >= 0)
		snprintf(path, sizeof(path), "/proc/self/fd/%d/perf-%u.map", owner->folder_fd,
			 owner->own_pid);
	else
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", owner->own_pid);
	answer = open_checked(owner, path, MOST_MAP_BYTES, names, why);
	names->map = wk_perf_map_of(names->file.at, names->file.size_bytes);
	return answer;
}

/* To the next of the lines that were picked. */
static bool go_to_picked(struct wk_runtime_names *names)
{
	if (names->next_picked == names->picked_count)
		return false;
	names->map.at = (const char *)names->file.at + names->picked[names->next_picked++].key;
	return true;
}

bool wk_runtime_next(struct wk_runtime_names *names, struct wk_jit_code *code)
{
	struct wk_perf_map_row row;

	if (names->next < names->count) {
		*code = names->pieces[names->next++];
		return true;
	}
	if (names->is_picked && !go_to_picked(names))
		return false;
	if (!wk_perf_map_next(&names->map, &row))
		return false;
	*code = (struct wk_jit_code){ .start = row.start, .size_bytes = row.size_bytes,
				      .name = row.name };
	return true;
}

/* Threads take the time first and write a moment later, so records may lie in another order. */
static void sort_by_time(struct wk_runtime_names *names)
{
	struct wk_sort_key *keys = wk_alloc(names->count * sizeof(*keys));
	struct wk_jit_code *sorted = wk_alloc(names->count * sizeof(*sorted));

	for (size_t i = 0; i < names->count; i++)
		keys[i] = (struct wk_sort_key){ names->pieces[i].time_ns, (uint32_t)i };
	wk_sort_keys(keys, names->count);
	for (size_t i = 0; i < names->count; i++)
		sorted[i] = names->pieces[keys[i].row];
	free(names->pieces);
	free(keys);
	names->pieces = sorted;
}

int wk_runtime_keep_dump(uint32_t pid, const char *path)
{
	struct wk_buf whole = { 0 };
	struct stat info;
	int fd;

	wk_buf_add_fmt(&whole, "/proc/%u/root%s", pid, path);
	fd = open_at_once(wk_buf_text(&whole));
	wk_buf_fini(&whole);
	if (fd < 0 || (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)))
		return fd;
	close(fd);
	return -1;
}

bool wk_runtime_may_use(const struct wk_runtime_owner *owner, int fd)
{
	struct wk_buf why = { 0 };
	struct stat info;
	bool ok = fstat(fd, &info) == 0;

	if (ok)
		add_objection(owner, &info, &why);
	ok = ok && why.len == 0;
	wk_buf_fini(&why);
	return ok;
}

enum wk_runtime_answer wk_runtime_read_dump(const struct wk_runtime_owner *owner, int fd,
					    const char *path, struct wk_runtime_names *names,
					    struct wk_buf *why)
{
	struct wk_err err = { 0 };
	struct wk_jitdump *dump;
	struct wk_jit_code code;
	enum wk_runtime_answer answer;
	char kept[64];

	*names = (struct wk_runtime_names){ 0 };
	snprintf(kept, sizeof(kept), "/proc/self/fd/%d", fd);
	answer = open_checked(owner, fd >= 0 ? kept : path, 0, names, why);
	if (answer != WK_RUNTIME_READ)
		return answer;
	dump = wk_jitdump_open(names->file.at, names->file.size_bytes, &err);
	if (!dump) {
		wk_buf_add_text(why, err.text);
		wk_runtime_names_fini(names);
		return WK_RUNTIME_REFUSED;
	}
	names->begin_ns = wk_jitdump_begin_ns(dump);
	names->has_own_times = wk_jitdump_has_own_times(dump);
	names->lines_left = names->file.size_bytes;
	while (names->count < UINT32_MAX && wk_jitdump_next(dump, &code))
		*add_piece(names) = code;
	names->bad = wk_jitdump_bad(dump);
	wk_jitdump_free(dump);
	if (names->count)
		sort_by_time(names);
	return answer;
}

void wk_runtime_names_fini(struct wk_runtime_names *names)
{
	free(names->pieces);
	free(names->picked);
	wk_os_close(&names->file);
	*names = (struct wk_runtime_names){ 0 };
}

static struct wk_runtime_line *lines_of(struct wk_runtime_names *names, struct wk_jit_code code,
				     size_t *count)
{
	struct wk_runtime_line *lines = NULL;
	struct wk_jit_line line;
	size_t cap = 0;

	*count = 0;
	while (names->lines_left && wk_jit_code_next_line(&code, &line)) {
		names->lines_left--;
		if (line.offset >= code.size_bytes)
			continue;
		lines = wk_grow(lines, &cap, *count + 1, sizeof(*lines));
		lines[(*count)++] = (struct wk_runtime_line){
			code.start + line.offset, line.line, line.file };
	}
	return lines;
}

bool wk_runtime_is_hit(const struct wk_runtime_hits *hits, uint64_t start, uint64_t end)
{
	size_t low = 0, high = hits->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hits->at[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < hits->count && hits->at[low] < end;
}

/* The first line tells the function's file. */
static size_t keep_hit_lines(struct wk_runtime_line *lines, size_t count, uint64_t end,
			     const struct wk_runtime_hits *hits)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i == 0 || wk_runtime_is_hit(hits, lines[i].address,
						i + 1 < count ? lines[i + 1].address : end))
			lines[kept++] = lines[i];
	return kept;
}

bool wk_runtime_tell(struct wk_runtime_names *names, const struct wk_jit_code *code, uint32_t pid,
		     uint64_t time_ns, const struct wk_runtime_hits *hits,
		     const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = {
		.kind = WK_EVENT_SYMBOL,
		.time_ns = time_ns,
		.pid = pid,
		.tid = pid,
		.cpu = WK_NO_CPU,
		.symbol = { .start = code->start, .size_bytes = code->size_bytes,
			    .name = code->name },
	};
	struct wk_runtime_line *lines = lines_of(names, *code, &event.symbol.line_count);
	bool ok;

	if (hits)
		event.symbol.line_count = keep_hit_lines(lines, event.symbol.line_count,
							 code->start + code->size_bytes, hits);
	event.symbol.lines = lines;
	ok = wk_sink_take(sink, &event, err);
	free(lines);
	return ok;
}

bool wk_runtime_is_dump(struct wk_str path)
{
	struct wk_str name = wk_str_basename(path);
	uint64_t pid;

	if (!wk_str_starts(name, "jit-") || !wk_str_ends(name, ".dump"))
		return false;
	name = wk_str_skip(name, 4);
	name.len -= name.len >= 5 ? 5 : name.len;
	return wk_num_u64(name, &pid);
}
