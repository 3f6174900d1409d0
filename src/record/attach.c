#include "record/attach.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "os/os.h"
#include "record/layout.h"
#include "record/proc_scan.h"

#define MOST_TRIES 32

/* A recorded thread and the time from which it is recorded: threads that it starts later are
 * recorded as well, because counters are inherited. Opening such a child again would count it
 * twice. */
struct recorded {
	pid_t tid;
	uint64_t since_ns;
};

struct attach {
	struct wk_perf *perf;
	pid_t pid;
	struct recorded *threads;
	size_t count, cap;
	struct wk_map places; /* tid + 1 to place in `threads`, from 1 */
	struct wk_map met;    /* tid + 1 of each thread that the process had when it was listed */
};

/* A thread creation seen in the rings. */
struct birth {
	uint64_t time_ns;
	pid_t tid, parent_tid;
};

static const struct recorded *find(const struct attach *attach, pid_t tid)
{
	uint32_t place = wk_map_find(&attach->places, (uint64_t)tid + 1);

	return place ? &attach->threads[place - 1] : NULL;
}

static void add(struct attach *attach, pid_t tid, uint64_t since_ns)
{
	*WK_APPEND(attach->threads, attach->count, attach->cap) =
		(struct recorded){ tid, since_ns };
	wk_map_set(&attach->places, (uint64_t)tid + 1, (uint32_t)attach->count);
}

static void read_births(const struct wk_ring *ring, struct birth **births, size_t *count,
			size_t *cap)
{
	uint64_t at = ring->tail, end = at + wk_ring_pending(ring);
	uint64_t record[16];
	uint8_t *bytes = (uint8_t *)record;

	for (size_t size; (size = wk_ring_peek(ring, at, end, bytes, sizeof(record))) > 0;
	     at += size) {
		struct wk_bytes in = wk_bytes_of(bytes, sizeof(record));
		struct birth birth;

		if (wk_u32le(&in) != PERF_RECORD_FORK || size > sizeof(record))
			continue;
		wk_bytes_skip(&in, 12); /* the rest of the header, pid, parent's pid */
		birth.tid = (pid_t)wk_u32le(&in);
		birth.parent_tid = (pid_t)wk_u32le(&in);
		birth.time_ns = wk_layout_time(bytes, size);
		*births = wk_grow(*births, cap, *count + 1, sizeof(**births));
		(*births)[(*count)++] = birth;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct birth *left = a, *right = b;

	return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* Notes the threads that were born recorded since the last look. */
static void note_inherited(struct attach *attach)
{
	struct birth *births = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < attach->perf->cpu_count; i++)
		read_births(&attach->perf->cpus[i].ring, &births, &count, &cap);
	if (count)
		qsort(births, count, sizeof(*births), by_time);
	for (size_t i = 0; i < count; i++) {
		const struct recorded *parent = find(attach, births[i].parent_tid);

		if (parent && births[i].time_ns >= parent->since_ns && !find(attach, births[i].tid))
			add(attach, births[i].tid, births[i].time_ns);
	}
	wk_free(births);
}

/* Changes whenever a process or thread is born that can be seen from here; 0 if it is not known. */
static uint64_t newest_thread(void)
{
	struct wk_buf text = { 0 };
	const char *last = NULL;
	uint64_t newest = 0;

	if (wk_os_read_small("/proc/loadavg", &text) && text.len)
		last = strrchr(text.at, ' ');
	if (last)
		newest = strtoull(last, NULL, 10);
	wk_buf_fini(&text);
	return newest;
}

/* False if the kernel does not list them, or the thread is gone. */
static bool list_children(const struct attach *attach, pid_t tid, struct wk_buf *children)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)attach->pid, (int)tid);
	wk_buf_reset(children);
	return wk_os_read_small(path, children);
}

/* Was any not met before? */
static bool meet(struct attach *attach, const pid_t *tids, size_t count)
{
	size_t before = attach->met.count;

	for (size_t i = 0; i < count; i++)
		wk_map_set(&attach->met, (uint64_t)tids[i] + 1, 1);
	return attach->met.count > before;
}

static bool has_new_threads(struct attach *attach)
{
	pid_t *tids;
	size_t count = wk_proc_threads(attach->pid, &tids);
	bool has_new = meet(attach, tids, count);

	wk_free(tids);
	return has_new;
}

/* `before` is what list_children gave, or NULL. */
static bool has_new_children(const struct attach *attach, pid_t tid, const struct wk_buf *before)
{
	struct wk_buf now = { 0 };
	bool is_known = before && list_children(attach, tid, &now);
	bool has_new = !is_known || !wk_str_eq(wk_buf_str(&now), wk_buf_str(before));

	wk_buf_fini(&now);
	return has_new;
}

/* An event is opened for each CPU in turn, and a thread born meanwhile inherits some of them: it
 * would be sampled on the first CPUs alone, or twice there once it was opened itself. Then all are
 * opened again. What other processes start is no reason: a machine may do so all the time. */
static enum wk_perf_opened open_thread(struct attach *attach, pid_t tid, struct wk_err *err)
{
	struct wk_perf *perf = attach->perf;
	struct wk_buf children = { 0 };
	enum wk_perf_opened opened;
	uint64_t now;

	for (int tries = 0;; tries++) {
		bool are_listed = list_children(attach, tid, &children);
		uint64_t before = newest_thread();
		size_t count = perf->fd_count;

		now = wk_os_clock_ns();
		opened = wk_perf_open_target(perf, tid, false, err);
		if (opened != WK_OPENED || newest_thread() == before || tries == MOST_TRIES ||
		    !(has_new_threads(attach) ||
		      has_new_children(attach, tid, are_listed ? &children : NULL)))
			break;
		wk_perf_close_after(perf, count);
	}
	add(attach, tid, now);
	wk_buf_fini(&children);
	return opened;
}

/* Opens threads that are not recorded yet; `fresh` is their number. */
static bool open_new_threads(struct attach *attach, const pid_t *tids, size_t count, size_t *fresh,
			     struct wk_err *err)
{
	*fresh = 0;
	for (size_t i = 0; i < count; i++) {
		if (find(attach, tids[i]))
			continue;
		if (open_thread(attach, tids[i], err) == WK_OPEN_FAILED)
			return false;
		++*fresh;
	}
	return true;
}

bool wk_attach(struct wk_perf *perf, pid_t pid, struct wk_err *err)
{
	struct attach attach = { .perf = perf, .pid = pid };
	size_t fresh;
	bool ok, was_there = false;

	do {
		pid_t *tids;
		size_t count = wk_proc_threads(pid, &tids);

		was_there |= count > 0;
		meet(&attach, tids, count);
		note_inherited(&attach);
		ok = open_new_threads(&attach, tids, count, &fresh, err);
		wk_free(tids);
	} while (ok && fresh);
	wk_map_fini(&attach.places);
	wk_map_fini(&attach.met);
	wk_free(attach.threads);
	if (!was_there)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no process %d", (int)pid);
	return ok;
}
