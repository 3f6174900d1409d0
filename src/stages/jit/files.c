#include "stages/jit/files.h"

#include <stdio.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

/* Any user can create a map there, of any size. Those of real programs have a few megabytes. */
#define MOST_MAP_BYTES ((size_t)256 << 20)

static struct wk_jit_code *add_piece(struct wk_jit_names *names)
{
	WK_RESERVE(names->pieces, names->cap, names->count + 1);
	return &names->pieces[names->count++];
}

enum wk_jit_answer wk_jit_read_map(const struct wk_jit_owner *owner, struct wk_jit_names *names,
				   struct wk_buf *why)
{
	enum wk_jit_answer answer;
	char path[64];

	*names = (struct wk_jit_names){ 0 };
	if (owner->folder_fd >= 0)
		snprintf(path, sizeof(path), "/proc/self/fd/%d/perf-%u.map", owner->folder_fd,
			 owner->own_pid);
	else
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", owner->own_pid);
	answer = wk_jit_open_checked(owner, path, MOST_MAP_BYTES, &names->file, &names->identity,
				     why);
	names->map = wk_perf_map_of(names->file.at, names->file.size_bytes);
	return answer;
}

/* To the next of the lines that were picked. */
static bool go_to_picked(struct wk_jit_names *names)
{
	if (names->next_picked == names->picked_count)
		return false;
	names->map.at = (const char *)names->file.at + names->picked[names->next_picked++].key;
	return true;
}

bool wk_jit_next(struct wk_jit_names *names, struct wk_jit_code *code)
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

/* Threads read the time first and write a moment later, so records may be out of order. */
static void sort_by_time(struct wk_jit_names *names)
{
	names->pieces = wk_sort_rows(names->pieces, names->count, sizeof(*names->pieces),
				     offsetof(struct wk_jit_code, time_ns));
}

enum wk_jit_answer wk_jit_read_dump(const struct wk_jit_owner *owner, int fd, const char *path,
				    struct wk_jit_names *names, struct wk_buf *why)
{
	struct wk_err err = { 0 };
	struct wk_jitdump *dump;
	struct wk_jit_code code;
	enum wk_jit_answer answer;
	char kept[64];

	*names = (struct wk_jit_names){ 0 };
	snprintf(kept, sizeof(kept), "/proc/self/fd/%d", fd);
	answer = wk_jit_open_checked(owner, fd >= 0 ? kept : path, 0, &names->file,
				     &names->identity, why);
	if (answer != WK_JIT_READ)
		return answer;
	dump = wk_jitdump_open(names->file.at, names->file.size_bytes, &err);
	if (!dump) {
		wk_buf_add_text(why, err.text);
		wk_jit_names_fini(names);
		return WK_JIT_REFUSED;
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

void wk_jit_names_fini(struct wk_jit_names *names)
{
	WK_FREE_ALL(names->pieces, names->picked);
	wk_os_close(&names->file);
	*names = (struct wk_jit_names){ 0 };
}

static struct wk_jit_map_line *lines_of(struct wk_jit_names *names, struct wk_jit_code code,
					size_t *count)
{
	struct wk_jit_map_line *lines = NULL;
	struct wk_jit_line line;
	size_t cap = 0;

	*count = 0;
	while (names->lines_left && wk_jit_code_next_line(&code, &line)) {
		names->lines_left--;
		if (line.offset >= code.size_bytes)
			continue;
		WK_RESERVE(lines, cap, *count + 1);
		lines[(*count)++] = (struct wk_jit_map_line){
			code.start + line.offset, line.line, line.file };
	}
	return lines;
}

bool wk_jit_is_hit(const struct wk_jit_hits *hits, uint64_t start, uint64_t end)
{
	size_t low = 0, high = hits->count;

	WK_BISECT(low, high, hits->at[middle] < start);
	return low < hits->count && hits->at[low] < end;
}

/* The first line has the function's file. */
static size_t keep_hit_lines(struct wk_jit_map_line *lines, size_t count, uint64_t end,
			     const struct wk_jit_hits *hits)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i == 0 || wk_jit_is_hit(hits, lines[i].address,
					    i + 1 < count ? lines[i + 1].address : end))
			lines[kept++] = lines[i];
	return kept;
}

bool wk_jit_emit(struct wk_jit_names *names, const struct wk_jit_code *code, uint32_t pid,
		 uint64_t time_ns, const struct wk_jit_hits *hits, const struct wk_sink *sink,
		 struct wk_err *err)
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
	struct wk_jit_map_line *lines = lines_of(names, *code, &event.symbol.line_count);
	bool ok;

	if (hits)
		event.symbol.line_count = keep_hit_lines(lines, event.symbol.line_count,
							 code->start + code->size_bytes, hits);
	event.symbol.lines = lines;
	ok = wk_sink_emit(sink, &event, err);
	wk_free(lines);
	return ok;
}

bool wk_jit_is_dump(struct wk_str path)
{
	struct wk_str name = wk_str_basename(path);
	uint64_t pid;

	if (!wk_str_starts(name, "jit-") || !wk_str_ends(name, ".dump"))
		return false;
	name = wk_str_skip(name, 4);
	name.len -= name.len >= 5 ? 5 : name.len;
	return wk_num_u64(name, &pid);
}
