#include "formats/perf/space_calls.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/ranges.h"
#include "event/event.h"

#define PAGE_BITS 12
#define PAGE      (UINT64_C(1) << PAGE_BITS)
#define LAST_PAGE (UINT64_MAX >> PAGE_BITS)

/* As the kernel numbers them, the same on all machines that wick knows. */
enum {
	PROTECTION_WRITE = 2,
	MAP_TYPE = 3,
	MAP_TYPE_PRIVATE = 2,
	MAP_ANONYMOUS_FLAG = 0x20,
	REMAP_DONTUNMAP = 4,
	ADVICE_DONTNEED = 4,
	ADVICE_FREE = 8,
	ADVICE_REMOVE = 9,
	ADVICE_DONTNEED_LOCKED = 24,
};

/* What a range is; 0 if that is unknown. */
enum kind {
	UNKNOWN,
	OF_FILE, /* shared: never committed */
	COMMITTED,
	RESERVED, /* committed once it is writable */
};

/* Ranges that are looked at one by one are limited: real programs stay far below. Of a child that
 * comes too late, what it inherited is unknown. */
#define FREE_STEPS     (1u << 20)
#define STEPS_PER_CALL 64

/* Threads that are in calls that unmap, at one time; of more, such calls take effect at once. */
#define MOST_UNMAPPING 64

struct pending {
	enum wk_space_call call;
	uint32_t pid;
	uint64_t arguments[WK_SPACE_ARGUMENTS];
	bool is_unmapped; /* what it unmaps is gone already */
};

struct wk_space_calls {
	struct wk_ranges ranges; /* of pages, by pid; the value is an enum kind */
	struct wk_map call_of;   /* tid to index + 1 */
	struct pending *calls;
	size_t call_count, call_cap;
	uint32_t unmapping[MOST_UNMAPPING]; /* of `calls`, whose effect is still to come */
	size_t unmapping_count;
	struct wk_map break_of; /* pid to index + 1 */
	uint64_t *breaks;
	size_t break_count, break_cap;
	uint64_t begun, steps, copies;
};

/* The call at hand. */
struct doing {
	struct wk_space_calls *spaces;
	uint32_t pid;
	const struct wk_space_changes *changes;
	bool ok;
};

struct wk_space_calls *wk_space_calls_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_space_calls));
}

void wk_space_calls_free(struct wk_space_calls *spaces)
{
	if (!spaces)
		return;
	wk_ranges_fini(&spaces->ranges);
	wk_map_fini(&spaces->call_of);
	wk_map_fini(&spaces->break_of);
	WK_FREE_ALL(spaces->calls, spaces->breaks);
	wk_free(spaces);
}

/* Whole pages, from the one of `start` on. */
static struct wk_range pages_of(uint32_t pid, uint64_t start, uint64_t size, enum kind kind)
{
	struct wk_range pages = { .first = start >> PAGE_BITS, .space = pid, .value = kind };
	uint64_t room = UINT64_MAX - start;

	size = size < room ? size : room;
	pages.end = size ? ((start + size - 1) >> PAGE_BITS) + 1 : pages.first;
	return pages;
}

static void emit(struct doing *doing, uint32_t changes, uint64_t first, uint64_t end)
{
	if (doing->ok && end > first)
		doing->ok = doing->changes->change(doing->changes->context, changes,
						   first << PAGE_BITS, (end - first) << PAGE_BITS);
}

static void count_gone(void *context, uint32_t value, uint64_t count)
{
	(void)value;
	*(uint64_t *)context += count;
}

static void unmap(struct doing *doing, uint64_t start, uint64_t size)
{
	struct wk_range pages = pages_of(doing->pid, start, size, UNKNOWN);
	uint64_t gone = 0;

	wk_ranges_release(&doing->spaces->ranges, &pages, count_gone, &gone);
	emit(doing, WK_MEMORY_RELEASE, pages.first, pages.end);
}

static uint64_t page_up(uint64_t size)
{
	return size <= UINT64_MAX - PAGE ? (size + PAGE - 1) & ~(PAGE - 1)
					 : UINT64_MAX & ~(PAGE - 1);
}

static bool unmaps(enum wk_space_call call)
{
	return call == WK_SPACE_MUNMAP || call == WK_SPACE_MREMAP;
}

static void forget_unmapping(struct wk_space_calls *spaces, uint32_t call)
{
	for (size_t i = 0; i < spaces->unmapping_count; i++)
		if (spaces->unmapping[i] == call) {
			spaces->unmapping[i] = spaces->unmapping[--spaces->unmapping_count];
			return;
		}
}

/* What it unmaps for sure, if it ends well. */
static void unmap_pending(struct doing *doing, struct pending *pending)
{
	bool stays = pending->call == WK_SPACE_MREMAP && pending->arguments[3] & REMAP_DONTUNMAP;

	if (!pending->is_unmapped && !stays && pending->arguments[1])
		unmap(doing, pending->arguments[0], page_up(pending->arguments[1]));
	pending->is_unmapped = true;
}

/* If another thread gets addresses that a call unmaps, the call has done that. */
static void unmap_before(struct doing *doing, uint64_t start, uint64_t size)
{
	struct wk_space_calls *spaces = doing->spaces;
	struct wk_range pages = pages_of(doing->pid, start, size, UNKNOWN);

	for (size_t i = spaces->unmapping_count; i-- > 0;) {
		struct pending *pending = &spaces->calls[spaces->unmapping[i]];
		struct wk_range gone = pages_of(pending->pid, pending->arguments[0],
						pending->arguments[1], UNKNOWN);

		if (pending->pid != doing->pid || gone.end <= pages.first ||
		    gone.first >= pages.end)
			continue;
		forget_unmapping(spaces, spaces->unmapping[i]);
		unmap_pending(doing, pending);
	}
}

/* What was there before is not there any more. */
static void map(struct doing *doing, uint64_t start, uint64_t size, enum kind kind)
{
	struct wk_range pages = pages_of(doing->pid, start, size, kind);
	uint64_t gone = 0;

	unmap_before(doing, start, size);
	wk_ranges_release(&doing->spaces->ranges, &pages, count_gone, &gone);
	if (gone)
		emit(doing, WK_MEMORY_RELEASE, pages.first, pages.end);
	wk_ranges_claim(&doing->spaces->ranges, &pages);
	emit(doing, WK_MEMORY_RESERVE | (kind == COMMITTED ? WK_MEMORY_COMMIT : 0u), pages.first,
	     pages.end);
}

static enum kind kind_of(uint64_t protection, uint64_t flags)
{
	if ((flags & MAP_TYPE) != MAP_TYPE_PRIVATE)
		return flags & MAP_ANONYMOUS_FLAG ? COMMITTED : OF_FILE;
	return protection & PROTECTION_WRITE ? COMMITTED : RESERVED;
}

/* The kind at a page, and where another one begins: at most at `end`. */
static enum kind kind_at(const struct doing *doing, uint64_t page, uint64_t *end)
{
	const struct wk_range *next = wk_ranges_from(&doing->spaces->ranges, doing->pid, page);
	enum kind kind = UNKNOWN;

	if (next && next->first <= page) {
		kind = (enum kind)next->value;
		*end = next->end < *end ? next->end : *end;
	} else if (next && next->first < *end) {
		*end = next->first;
	}
	return kind;
}

static bool may_step(const struct wk_space_calls *spaces, uint64_t *steps)
{
	return (*steps)++ < FREE_STEPS + spaces->begun * STEPS_PER_CALL;
}

static void become(struct doing *doing, uint64_t first, uint64_t end, enum kind kind)
{
	struct wk_range pages = { .first = first, .end = end, .space = doing->pid, .value = kind };
	uint64_t gone = 0;

	wk_ranges_release(&doing->spaces->ranges, &pages, count_gone, &gone);
	wk_ranges_claim(&doing->spaces->ranges, &pages);
	emit(doing, kind == COMMITTED ? WK_MEMORY_COMMIT : WK_MEMORY_DECOMMIT, first, end);
}

static void protect(struct doing *doing, uint64_t start, uint64_t size, uint64_t protection)
{
	struct wk_range pages = pages_of(doing->pid, start, size, UNKNOWN);
	enum kind to = protection & PROTECTION_WRITE ? COMMITTED : RESERVED;
	uint64_t end;

	if (protection && !(protection & PROTECTION_WRITE))
		return;

	for (uint64_t page = pages.first;
	     page < pages.end && doing->ok && may_step(doing->spaces, &doing->spaces->steps);
	     page = end) {
		enum kind kind;

		end = pages.end;
		kind = kind_at(doing, page, &end);
		if (kind != OF_FILE && kind != to)
			become(doing, page, end, to);
	}
}

/* What moves is a new range, as a block of a heap is. */
static void remap(struct doing *doing, struct pending *pending, uint64_t to)
{
	const uint64_t *arguments = pending->arguments;
	uint64_t from = arguments[0], old = arguments[1], size = arguments[2];
	uint64_t end = LAST_PAGE + 1;
	enum kind kind = kind_at(doing, from >> PAGE_BITS, &end);

	if (kind == UNKNOWN)
		kind = COMMITTED;
	old = page_up(old);
	size = page_up(size);
	if (to != from) {
		unmap_pending(doing, pending);
		map(doing, to, size, kind);
	} else if (size < old) {
		unmap(doing, from + size, old - size);
	} else if (size > old) {
		map(doing, from + old, size - old, kind);
	}
}

static uint64_t *break_of(struct wk_space_calls *spaces, uint32_t pid)
{
	uint32_t *index = wk_map_at(&spaces->break_of, pid);

	if (!*index) {
		*WK_APPEND(spaces->breaks, spaces->break_count, spaces->break_cap) = 0;
		*index = (uint32_t)spaces->break_count;
	}
	return &spaces->breaks[*index - 1];
}

static void move_break(struct doing *doing, uint64_t to)
{
	uint64_t *last = break_of(doing->spaces, doing->pid);
	uint64_t before = page_up(*last), now = page_up(to);

	if (*last && now > before)
		map(doing, before, now - before, COMMITTED);
	else if (*last && now < before)
		unmap(doing, now, before - now);
	*last = to;
}

static void discard(struct doing *doing, const uint64_t *arguments)
{
	struct wk_range pages = pages_of(doing->pid, arguments[0], arguments[1], UNKNOWN);

	switch (arguments[2]) {
	case ADVICE_DONTNEED:
	case ADVICE_FREE:
	case ADVICE_REMOVE:
	case ADVICE_DONTNEED_LOCKED:
		emit(doing, WK_MEMORY_DISCARD, pages.first, pages.end);
		break;
	default:
		break;
	}
}

static struct pending *pending_of(struct wk_space_calls *spaces, uint32_t tid)
{
	uint32_t *index = wk_map_at(&spaces->call_of, tid);

	if (!*index) {
		*WK_APPEND(spaces->calls, spaces->call_count, spaces->call_cap) =
			(struct pending){ 0 };
		*index = (uint32_t)spaces->call_count;
	}
	return &spaces->calls[*index - 1];
}

static void begin_unmapping(struct doing *doing, struct pending *pending)
{
	struct wk_space_calls *spaces = doing->spaces;

	if (spaces->unmapping_count < MOST_UNMAPPING)
		spaces->unmapping[spaces->unmapping_count++] = (uint32_t)(pending - spaces->calls);
	else if (pending->call == WK_SPACE_MUNMAP)
		unmap_pending(doing, pending);
}

bool wk_space_calls_begin(struct wk_space_calls *spaces, uint32_t pid, uint32_t tid,
			  enum wk_space_call call, const uint64_t arguments[WK_SPACE_ARGUMENTS],
			  const struct wk_space_changes *changes)
{
	struct doing doing = { spaces, pid, changes, true };
	struct pending *pending = pending_of(spaces, tid);
	bool is_same =
		unmaps(call) && unmaps(pending->call) && pending->arguments[0] == arguments[0];

	spaces->begun++;
	/* Its end is missing. */
	if (pending->call == WK_SPACE_MUNMAP && !is_same)
		unmap_pending(&doing, pending);
	forget_unmapping(spaces, (uint32_t)(pending - spaces->calls));
	pending->call = call;
	pending->pid = pid;
	pending->is_unmapped &= is_same;
	memcpy(pending->arguments, arguments, sizeof(pending->arguments));
	if (arguments[0] % PAGE)
		pending->is_unmapped = true; /* it will fail */
	else if (call == WK_SPACE_MADVISE)
		discard(&doing, arguments);
	else if (unmaps(call) && !pending->is_unmapped)
		begin_unmapping(&doing, pending);
	return doing.ok;
}

bool wk_space_calls_end(struct wk_space_calls *spaces, uint32_t pid, uint32_t tid,
			enum wk_space_call call, int64_t result,
			const struct wk_space_changes *changes)
{
	struct doing doing = { spaces, pid, changes, true };
	struct pending *pending = pending_of(spaces, tid);
	const uint64_t *arguments = pending->arguments;
	bool is_known = pending->call == call;

	pending->call = 0;
	forget_unmapping(spaces, (uint32_t)(pending - spaces->calls));
	if (result < 0)
		return true;
	if (call == WK_SPACE_BRK)
		move_break(&doing, (uint64_t)result);
	else if (is_known && call == WK_SPACE_MMAP)
		map(&doing, (uint64_t)result, arguments[1], kind_of(arguments[2], arguments[3]));
	else if (is_known && call == WK_SPACE_MREMAP)
		remap(&doing, pending, (uint64_t)result);
	else if (is_known && call == WK_SPACE_MUNMAP)
		unmap_pending(&doing, pending);
	else if (is_known && call == WK_SPACE_MPROTECT)
		protect(&doing, arguments[0], arguments[1], arguments[2]);
	return doing.ok;
}

/* ---- what the system says */

static void see_nothing(struct doing *doing, uint64_t first, uint64_t end)
{
	const struct wk_range *next;

	while (first < end && may_step(doing->spaces, &doing->spaces->steps)) {
		uint64_t from, to;

		next = wk_ranges_from(&doing->spaces->ranges, doing->pid, first);
		if (!next || next->first >= end)
			return;
		from = next->first > first ? next->first : first;
		to = next->end < end ? next->end : end;
		unmap(doing, from << PAGE_BITS, (to - from) << PAGE_BITS);
		first = to;
	}
}

static enum kind kind_of_use(enum wk_space_use use)
{
	return use == WK_SPACE_OF_FILE ? OF_FILE : use == WK_SPACE_WRITABLE ? COMMITTED : RESERVED;
}

static void see(struct doing *doing, uint64_t first, uint64_t end, enum wk_space_use use,
		bool from_before)
{
	enum kind to = kind_of_use(use);

	for (uint64_t next; first < end && may_step(doing->spaces, &doing->spaces->steps);
	     first = next) {
		struct wk_range pages = { .first = first, .space = doing->pid, .value = to };
		enum kind kind;

		next = end;
		kind = kind_at(doing, first, &next);
		pages.end = next;
		if (kind == UNKNOWN && from_before)
			wk_ranges_claim(&doing->spaces->ranges, &pages);
		else if (kind == UNKNOWN)
			map(doing, first << PAGE_BITS, (next - first) << PAGE_BITS, to);
		else if ((kind == RESERVED && use == WK_SPACE_WRITABLE) ||
			 (kind == COMMITTED && use == WK_SPACE_NO_RIGHTS))
			become(doing, first, next, to);
	}
}

bool wk_space_calls_seen(struct wk_space_calls *spaces, uint32_t pid,
			 const struct wk_space_seen *all, const struct wk_space_seen *ranges,
			 size_t count, bool from_before, const struct wk_space_changes *changes)
{
	struct doing doing = { spaces, pid, changes, true };
	uint64_t page = all->start >> PAGE_BITS, end = all->end >> PAGE_BITS;

	spaces->begun += count;
	for (size_t i = 0; i < count && doing.ok; i++) {
		uint64_t from = ranges[i].start >> PAGE_BITS, to = ranges[i].end >> PAGE_BITS;

		if (from < page || to < from || to > end)
			continue;
		see_nothing(&doing, page, from);
		see(&doing, from, to, ranges[i].use, from_before);
		page = to;
	}
	if (doing.ok)
		see_nothing(&doing, page, end);
	return doing.ok;
}

void wk_space_calls_fork(struct wk_space_calls *spaces, uint32_t parent_pid, uint32_t pid)
{
	uint64_t at = *break_of(spaces, parent_pid), page = 0;
	const struct wk_range *next;

	wk_space_calls_forget(spaces, pid);
	*break_of(spaces, pid) = at;
	while (may_step(spaces, &spaces->copies) &&
	       (next = wk_ranges_from(&spaces->ranges, parent_pid, page)) != NULL) {
		struct wk_range copy = *next;

		copy.space = pid;
		page = copy.end;
		wk_ranges_claim(&spaces->ranges, &copy);
	}
}

void wk_space_calls_forget(struct wk_space_calls *spaces, uint32_t pid)
{
	struct wk_range all = { .end = LAST_PAGE + 1, .space = pid };
	uint64_t gone = 0;

	wk_ranges_release(&spaces->ranges, &all, count_gone, &gone);
	for (size_t i = spaces->unmapping_count; i-- > 0;)
		if (spaces->calls[spaces->unmapping[i]].pid == pid)
			spaces->unmapping[i] = spaces->unmapping[--spaces->unmapping_count];
	if (wk_map_find(&spaces->break_of, pid))
		*break_of(spaces, pid) = 0;
}
