/* One process's channel, on the recorder's side: what heap_channels.c empties. */
#ifndef WK_RECORD_HEAP_CHANNEL_H
#define WK_RECORD_HEAP_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "channel/channel.h"
#include "record/heap/space.h"

struct wk_heap_channel {
	struct wk_heap_channel *next;
	int fd, pid_fd;
	uint32_t number, pid, uid;
	uint64_t began_ns, sample_bytes;
	bool was_running;     /* before it was recorded */
	bool has_loose_times; /* WK_CHANNEL_LOOSE */
	struct wk_heap_space space;
	bool is_announced;
	bool is_broken; /* its positions make no sense */
	struct wk_channel_head *head;
	uint8_t *slots[WK_CHANNEL_THREADS]; /* mapped when they are first used */
	uint64_t tails[WK_CHANNEL_THREADS]; /* ours: what a process writes there is not read */
	uint64_t defs_tail;
	uint64_t counts[sizeof(struct wk_channel_counts) / sizeof(uint64_t)];
};

/* Owns `fd` also if it fails: NULL if that is not what a library sends. */
struct wk_heap_channel *wk_heap_channel_new(int fd, uint32_t pid);

/* Adds rows: events to `events`, and to `before` what they need. */
void wk_heap_channel_drain(struct wk_heap_channel *channel, struct wk_buf *events,
			   struct wk_buf *before);

/* Has the process ended? */
bool wk_heap_channel_is_gone(const struct wk_heap_channel *channel);

/* The last row. */
void wk_heap_channel_end(struct wk_heap_channel *channel, struct wk_buf *events);
void wk_heap_channel_free(struct wk_heap_channel *channel);

#endif
