/* Any bytes as memory calls of a few processes that fork and end. What is released or committed in
 * the end must agree with an array of the pages of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "event/event.h"
#include "formats/perf/space_calls.h"

#define PROCESSES 4
#define PAGES     64
#define PAGE      4096u

enum kind { UNKNOWN, OF_FILE, COMMITTED, RESERVED };

struct feed {
	struct wk_bytes in;
	struct wk_space_calls *calls;
	uint32_t pid;
	uint8_t came[PROCESSES][PAGES];     /* committed, by the changes that came */
	uint8_t expected[PROCESSES][PAGES]; /* enum kind */
};

static void demand(bool promise, const char *words)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", words);
		abort();
	}
}

static bool change(void *context, uint32_t changes, uint64_t start, uint64_t size_bytes)
{
	struct feed *feed = context;

	demand(size_bytes && start % PAGE == 0 && size_bytes % PAGE == 0, "whole pages");
	for (uint64_t page = start / PAGE; page < (start + size_bytes) / PAGE && page < PAGES;
	     page++) {
		if (changes & (WK_MEMORY_RELEASE | WK_MEMORY_DECOMMIT))
			feed->came[feed->pid][page] = 0;
		if (changes & WK_MEMORY_COMMIT)
			feed->came[feed->pid][page] = 1;
	}
	return true;
}

static uint64_t small(struct feed *feed)
{
	return wk_u8(&feed->in) % (PAGES / 2);
}

static void set(struct feed *feed, uint64_t first, uint64_t count, enum kind kind)
{
	for (uint64_t page = first; page < first + count; page++)
		feed->expected[feed->pid][page] = (uint8_t)kind;
}

static void call(struct feed *feed, enum wk_space_call kind, const uint64_t *arguments,
		 uint64_t result)
{
	const struct wk_space_changes changes = { change, feed };

	wk_space_calls_begin(feed->calls, feed->pid, feed->pid, kind, arguments, &changes);
	wk_space_calls_end(feed->calls, feed->pid, feed->pid, kind, (int64_t)result, &changes);
}

static void map(struct feed *feed)
{
	uint64_t first = small(feed), count = small(feed), how = wk_u8(&feed->in);
	uint64_t arguments[WK_SPACE_ARGUMENTS] = { 0, count * PAGE, how & 7,
						   how & 8 ? 0x22 : how & 16 ? 0x21 : 1 };
	enum kind kind = how & 8 ? how & 2 ? COMMITTED : RESERVED : how & 16 ? COMMITTED : OF_FILE;

	call(feed, WK_SPACE_MMAP, arguments, first * PAGE);
	set(feed, first, count, kind);
}

static void unmap(struct feed *feed)
{
	uint64_t first = small(feed), count = small(feed);

	call(feed, WK_SPACE_MUNMAP, (uint64_t[]){ first * PAGE, count * PAGE, 0, 0, 0, 0 }, 0);
	set(feed, first, count, UNKNOWN);
}

static void protect(struct feed *feed)
{
	uint64_t first = small(feed), count = small(feed), rights = wk_u8(&feed->in) & 3;

	call(feed, WK_SPACE_MPROTECT, (uint64_t[]){ first * PAGE, count * PAGE, rights, 0, 0, 0 },
	     0);
	for (uint64_t page = first; rights != 1 && page < first + count; page++)
		if (feed->expected[feed->pid][page] != OF_FILE)
			set(feed, page, 1, rights & 2 ? COMMITTED : RESERVED);
}

/* One range, and nothing else. */
static void see(struct feed *feed)
{
	const struct wk_space_changes changes = { change, feed };
	uint64_t first = small(feed), count = small(feed);
	enum wk_space_use use = (enum wk_space_use)(1 + wk_u8(&feed->in) % (WK_SPACE_USES - 1));
	const struct wk_space_seen all = { .end = PAGES * PAGE };
	const struct wk_space_seen seen = { first * PAGE, (first + count) * PAGE, use };
	enum kind kind = use == WK_SPACE_OF_FILE    ? OF_FILE
			 : use == WK_SPACE_WRITABLE ? COMMITTED
						    : RESERVED;

	wk_space_calls_seen(feed->calls, feed->pid, &all, &seen, 1, false, &changes);
	for (uint64_t page = 0; page < PAGES; page++) {
		enum kind before = feed->expected[feed->pid][page];

		if (page < first || page >= first + count)
			set(feed, page, 1, UNKNOWN);
		else if (before == UNKNOWN || (before == RESERVED && use == WK_SPACE_WRITABLE) ||
			 (before == COMMITTED && use == WK_SPACE_NO_RIGHTS))
			set(feed, page, 1, kind);
	}
}

/* Nothing is promised: bytes as they come. */
static void anything(struct feed *feed)
{
	uint64_t arguments[WK_SPACE_ARGUMENTS];
	const struct wk_space_changes changes = { change, feed };
	enum wk_space_call kind = (enum wk_space_call)(wk_u8(&feed->in) % 8);

	for (int i = 0; i < WK_SPACE_ARGUMENTS; i++)
		arguments[i] = wk_u64le(&feed->in);
	feed->pid = 0;
	wk_space_calls_begin(feed->calls, 1000, wk_u8(&feed->in), kind, arguments, &changes);
	wk_space_calls_end(feed->calls, 1000, wk_u8(&feed->in), kind, (int64_t)wk_u64le(&feed->in),
			   &changes);
}

static void fork_process(struct feed *feed)
{
	uint32_t child = wk_u8(&feed->in) % PROCESSES;

	if (child == feed->pid)
		return;
	wk_space_calls_fork(feed->calls, feed->pid, child);
	memcpy(feed->expected[child], feed->expected[feed->pid], PAGES);
	memcpy(feed->came[child], feed->came[feed->pid], PAGES);
}

static void end_process(struct feed *feed)
{
	wk_space_calls_forget(feed->calls, feed->pid);
	memset(feed->expected[feed->pid], 0, PAGES);
	memset(feed->came[feed->pid], 0, PAGES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const works[])(struct feed *) = { map,	  unmap,	protect,
							fork_process, end_process, see };
	struct feed feed = { .in = wk_bytes_of(data, size), .calls = wk_space_calls_new() };
	bool is_wild = wk_u8(&feed.in) % 2;

	while (wk_bytes_left(&feed.in)) {
		feed.pid = wk_u8(&feed.in) % PROCESSES;
		if (is_wild)
			anything(&feed);
		else
			works[wk_u8(&feed.in) % (sizeof(works) / sizeof(works[0]))](&feed);
	}
	for (int process = 0; process < PROCESSES && !is_wild; process++)
		for (int page = 0; page < PAGES; page++)
			demand(feed.came[process][page] ==
				       (feed.expected[process][page] == COMMITTED),
			       "committed pages are those that calls committed");
	wk_space_calls_free(feed.calls);
	return 0;
}
