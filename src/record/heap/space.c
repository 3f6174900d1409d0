#include "record/heap/space.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/str.h"
#include "channel/stream.h"
#include "channel/ticks.h"
#include "os/os.h"

#define RANGE_BYTES   17
#define RANGES_OF_ROW 1000
#define SHORTEST_NS   UINT64_C(100000000)
#define PAUSE_OF_COST 100

void wk_heap_space_fini(struct wk_heap_space *space)
{
	WK_BUF_FINI_ALL(&space->text, &space->ranges, &space->last);
}

/* "rw-p", of a private mapping or of shared memory without a file. */
static enum wk_heap_space_use use_of(struct wk_str rights, struct wk_str path)
{
	if (rights.at[3] == 's')
		return wk_str_starts(path, "/dev/zero") || wk_str_starts(path, "/SYSV")
			       ? WK_HEAP_SPACE_WRITABLE
			       : WK_HEAP_SPACE_OF_FILE;
	if (rights.at[1] == 'w')
		return WK_HEAP_SPACE_WRITABLE;
	return rights.at[0] == '-' && rights.at[2] == '-' ? WK_HEAP_SPACE_NO_RIGHTS
							  : WK_HEAP_SPACE_READ_ONLY;
}

/* The kernel's own, and the rings of the heap library. */
static bool is_left_out(struct wk_str path)
{
	return wk_str_starts(path, "[v") || wk_str_starts(path, "/memfd:wick-heap");
}

struct merging {
	uint64_t from, to;
	enum wk_heap_space_use use; /* 0: there is no range yet */
};

static void add_range(struct wk_buf *ranges, const struct merging *range)
{
	if (!range->use)
		return;
	wk_buf_add_u64(ranges, range->from);
	wk_buf_add_u64(ranges, range->to);
	wk_buf_add_char(ranges, (char)range->use);
}

/* "FROM-TO rw-p OFFSET DEVICE INODE   PATH" */
static void read_line(struct wk_buf *ranges, struct wk_str line, struct merging *last)
{
	struct wk_str from = wk_str_cut(&line, '-'), to = wk_str_cut(&line, ' ');
	struct wk_str rights = wk_str_cut(&line, ' ');
	struct merging range;

	for (int i = 0; i < 3; i++)
		wk_str_cut(&line, ' ');
	line = wk_trim(line);
	if (rights.len < 4 || !wk_num_hex(from, &range.from) || !wk_num_hex(to, &range.to) ||
	    is_left_out(line))
		return;
	range.use = use_of(rights, line);
	if (last->use == range.use && last->to == range.from) {
		last->to = range.to;
		return;
	}
	add_range(ranges, last);
	*last = range;
}

bool wk_heap_space_look(struct wk_heap_space *space, uint32_t pid)
{
	struct merging last = { 0 };
	struct wk_str text;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	/* That of a process that ends is empty. */
	if (!wk_os_read_small(path, &space->text) || !space->text.len)
		return false;
	wk_buf_reset(&space->ranges);
	for (text = wk_buf_str(&space->text); text.len;)
		read_line(&space->ranges, wk_str_cut(&text, '\n'), &last);
	add_range(&space->ranges, &last);
	return !wk_str_eq(wk_buf_str(&space->ranges), wk_buf_str(&space->last));
}

static uint64_t start_of(struct wk_str ranges)
{
	struct wk_bytes bytes = wk_bytes_of(ranges.at, ranges.len);

	return wk_u64le(&bytes);
}

/* A row has the addresses from its first range, or 0, to the first one of the next row. */
void wk_heap_space_add(struct wk_heap_space *space, struct wk_buf *rows, uint32_t process,
		       uint32_t pid, uint64_t ticks, unsigned flags)
{
	struct wk_str left = wk_buf_str(&space->ranges);
	uint64_t from = 0;

	while (left.len) {
		size_t most = RANGES_OF_ROW * RANGE_BYTES;
		struct wk_str part = { left.at, left.len < most ? left.len : most };
		uint64_t to = UINT64_MAX;

		left = wk_str_skip(left, part.len);
		if (left.len)
			to = start_of(left);
		wk_buf_add_u32(rows, 1 + 4 + 8 + 1 + 4 + 8 + 8 + (uint32_t)part.len);
		wk_buf_add_char(rows, WK_HEAP_ROW_SPACE);
		wk_buf_add_u32(rows, process);
		wk_buf_add_u64(rows, ticks);
		wk_buf_add_char(rows, (char)flags);
		wk_buf_add_u32(rows, pid);
		wk_buf_add_u64(rows, from);
		wk_buf_add_u64(rows, to);
		wk_buf_add_str(rows, part);
		from = to;
		flags &= ~(unsigned)WK_HEAP_SPACE_BEGINS;
	}
	wk_buf_reset(&space->last);
	wk_buf_add_str(&space->last, wk_buf_str(&space->ranges));
}

static uint64_t cpu_ns(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void wk_heap_space_follow(struct wk_heap_space *space, struct wk_buf *rows, uint32_t process,
			  uint32_t pid)
{
	uint64_t now_ns = wk_os_clock_ns(), begun_ns, pause_ns, ticks;

	if (now_ns < space->due_ns)
		return;
	begun_ns = cpu_ns();
	/* What happens while it is read comes later, and replaces this. */
	ticks = wk_heap_ticks();
	if (wk_heap_space_look(space, pid))
		wk_heap_space_add(space, rows, process, pid, ticks, 0);
	pause_ns = (cpu_ns() - begun_ns) * PAUSE_OF_COST;
	space->due_ns = now_ns + (pause_ns > SHORTEST_NS ? pause_ns : SHORTEST_NS);
}
