#include "record/heap/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* So that a row fits a record of the file. */
#define MOST_ROW_BYTES (32u << 10)

/* Of a process at one time: all blocks of all threads, and the pool some times, since its blocks
 * are used again meanwhile. */
#define MOST_PASS_BYTES (UINT64_C(256) << 20)

/* How many of the bytes that follow a position are a row: all, or those up to the end of a block. A
 * program's head is at the end of a record. */
static uint32_t row_bytes(uint64_t position, uint32_t bytes)
{
	uint32_t most = MOST_ROW_BYTES - (uint32_t)(position % WK_HEAP_BLOCK_BYTES);

	return bytes < most ? bytes : most;
}

static void *map(int fd, size_t bytes, uint64_t offset)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

/* The limit of what may be written to files is also one of their sizes. This file is no output. */
static bool set_size(int fd)
{
	struct rlimit limit, none;
	bool ok;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= WK_CHANNEL_BYTES)
		return ftruncate(fd, (off_t)WK_CHANNEL_BYTES) == 0;
	none = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	ok = setrlimit(RLIMIT_FSIZE, &none) == 0 && ftruncate(fd, (off_t)WK_CHANNEL_BYTES) == 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	return ok;
}

/* A file in memory, empty, gets its size, and keeps it: otherwise reading it could end this
 * program. */
static bool seal(int fd)
{
	struct stat info;

	return fcntl(fd, F_GET_SEALS) >= 0 && fstat(fd, &info) == 0 && info.st_size == 0 &&
	       set_size(fd) &&
	       fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
	       fstat(fd, &info) == 0 && info.st_size == (off_t)WK_CHANNEL_BYTES;
}

struct wk_heap_channel *wk_heap_channel_new(int fd, uint32_t pid)
{
	struct wk_heap_channel *channel = wk_alloc_zeroed(1, sizeof(*channel));

	channel->fd = fd;
	channel->pid = pid;
	channel->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (seal(fd))
		channel->head = map(fd, WK_CHANNEL_COMMON_BYTES, 0);
	if (channel->head)
		return channel;
	wk_heap_channel_free(channel);
	return NULL;
}

static void begin_row(struct wk_buf *rows, uint32_t bytes, enum wk_heap_stream_row kind,
		      uint32_t process)
{
	wk_buf_add_u32(rows, 1 + 4 + bytes);
	wk_buf_add_char(rows, (char)kind);
	wk_buf_add_u32(rows, process);
}

/* What lies between our tail and the process's head. False if that cannot be. */
static bool find_new(struct wk_channel_ring *ring, uint64_t tail, uint32_t size, uint32_t *bytes)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

	*bytes = (uint32_t)(head - tail);
	return head - tail <= size;
}

static void copy_ring(struct wk_buf *rows, const uint8_t *ring, uint64_t tail, uint32_t size,
		      uint32_t bytes)
{
	uint32_t from = (uint32_t)(tail % size);
	uint32_t first = bytes < size - from ? bytes : size - from;

	wk_buf_add(rows, ring + from, first);
	wk_buf_add(rows, ring, bytes - first);
}

static void free_space(struct wk_channel_ring *ring, uint64_t tail)
{
	atomic_store_explicit(&ring->tail, tail, memory_order_release);
	if (!atomic_exchange(&ring->is_waiting, 0))
		return;
	atomic_fetch_add(&ring->drained, 1);
	syscall(SYS_futex, &ring->drained, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- events */

static void give_back(struct wk_heap_channel *channel, uint32_t pool_block)
{
	atomic_fetch_and_explicit(&channel->head->pool_used[pool_block / 64],
				  ~(UINT64_C(1) << pool_block % 64), memory_order_release);
}

/* NULL if there is no such place. */
static const uint8_t *block_at(const struct wk_heap_channel *channel, uint32_t i, uint32_t place)
{
	if (place < WK_CHANNEL_OWN_BLOCKS)
		return channel->slots[i] + WK_CHANNEL_PAGE + place * WK_HEAP_BLOCK_BYTES;
	place -= WK_CHANNEL_OWN_BLOCKS;
	if (place >= WK_CHANNEL_POOL_BLOCKS)
		return NULL;
	return (const uint8_t *)channel->head + WK_CHANNEL_POOL_AT + place * WK_HEAP_BLOCK_BYTES;
}

/* Of one block of a thread's stream. */
static bool copy_events(struct wk_heap_channel *channel, uint32_t i, uint64_t position,
			uint32_t bytes, struct wk_buf *rows)
{
	struct wk_channel_slot *slot = (struct wk_channel_slot *)channel->slots[i];
	uint32_t offset = (uint32_t)(position % WK_HEAP_BLOCK_BYTES);
	uint32_t place = atomic_load_explicit(
		&slot->places[position / WK_HEAP_BLOCK_BYTES % WK_CHANNEL_PLACES],
		memory_order_relaxed);
	const uint8_t *block = block_at(channel, i, place);

	if (!block)
		return false;
	wk_buf_add(rows, block + offset, bytes);
	if (offset + bytes == WK_HEAP_BLOCK_BYTES && place >= WK_CHANNEL_OWN_BLOCKS)
		give_back(channel, place - WK_CHANNEL_OWN_BLOCKS);
	return true;
}

/* The row is not there if that fails. */
static bool add_events(struct wk_heap_channel *channel, uint32_t i, uint32_t bytes,
		       struct wk_buf *rows)
{
	const struct wk_channel_slot *slot = (const struct wk_channel_slot *)channel->slots[i];
	uint64_t position = channel->tails[i], end = position + bytes, next;
	size_t before = rows->len;

	begin_row(rows, 4 + 4 + 8 + 4 + bytes, WK_HEAP_ROW_PACKED, channel->number);
	wk_buf_add_u32(rows, i);
	wk_buf_add_u32(rows, atomic_load(&slot->tid));
	wk_buf_add_u64(rows, position);
	wk_buf_add_u32(rows, bytes);
	for (; position < end; position = next) {
		next = (position / WK_HEAP_BLOCK_BYTES + 1) * WK_HEAP_BLOCK_BYTES;
		next = next < end ? next : end;
		if (!copy_events(channel, i, position, (uint32_t)(next - position), rows)) {
			rows->len = before;
			return false;
		}
	}
	channel->tails[i] = end;
	return true;
}

static void drain_thread(struct wk_heap_channel *channel, uint32_t i, struct wk_buf *events)
{
	uint32_t state = atomic_load(&channel->head->state[i]), bytes;
	struct wk_channel_slot *slot;

	if (state == WK_CHANNEL_FREE)
		return;
	if (!channel->slots[i])
		channel->slots[i] = map(channel->fd, WK_CHANNEL_SLOT_BYTES, WK_CHANNEL_SLOT_AT(i));
	slot = (struct wk_channel_slot *)channel->slots[i];
	if (!slot || !find_new(&slot->ring, channel->tails[i], WK_CHANNEL_STREAM_BYTES, &bytes)) {
		channel->is_broken = true;
		return;
	}
	for (uint32_t part; bytes; bytes -= part) {
		part = row_bytes(channel->tails[i], bytes);
		if (!add_events(channel, i, part, events)) {
			channel->is_broken = true;
			return;
		}
		free_space(&slot->ring, channel->tails[i]);
	}
	/* Its head was read after the state, which is set after its last event. */
	if (state == WK_CHANNEL_ENDED)
		atomic_store(&channel->head->state[i], WK_CHANNEL_FREE);
}

static void drain_definitions(struct wk_heap_channel *channel, struct wk_buf *rows)
{
	struct wk_channel_ring *ring = &channel->head->defs;
	uint32_t bytes;

	if (!find_new(ring, channel->defs_tail, WK_CHANNEL_DEFS_BYTES, &bytes)) {
		channel->is_broken = true;
		return;
	}
	for (uint32_t part; bytes; bytes -= part) {
		part = row_bytes(channel->defs_tail, bytes);
		begin_row(rows, 8 + 4 + part, WK_HEAP_ROW_DEFINITIONS, channel->number);
		wk_buf_add_u64(rows, channel->defs_tail);
		wk_buf_add_u32(rows, part);
		copy_ring(rows, (const uint8_t *)channel->head + WK_CHANNEL_HEAD_BYTES,
			  channel->defs_tail, WK_CHANNEL_DEFS_BYTES, part);
		channel->defs_tail += part;
		free_space(ring, channel->defs_tail);
	}
}

static void add_counts(struct wk_heap_channel *channel, struct wk_buf *rows)
{
	const struct wk_channel_counts *counts = &channel->head->counts;
	uint64_t now[] = { counts->lost, counts->nested, counts->early, counts->cut,
			   counts->threadless };

	if (memcmp(now, channel->counts, sizeof(now)) == 0)
		return;
	memcpy(channel->counts, now, sizeof(now));
	begin_row(rows, sizeof(now), WK_HEAP_ROW_COUNTS, channel->number);
	for (size_t i = 0; i < sizeof(now) / sizeof(*now); i++)
		wk_buf_add_u64(rows, now[i]);
}

void wk_heap_channel_drain(struct wk_heap_channel *channel, struct wk_buf *events,
			   struct wk_buf *before)
{
	uint32_t threads = atomic_load(&channel->head->threads);
	size_t before_bytes = events->len;

	if (!channel->is_announced) {
		begin_row(before, 4 + 8 + 8, WK_HEAP_ROW_PROCESS, channel->number);
		wk_buf_add_u32(before, channel->pid);
		wk_buf_add_u64(before, channel->began_ns);
		wk_buf_add_u64(before, channel->sample_bytes);
		if (channel->was_running)
			begin_row(before, 0, WK_HEAP_ROW_SEEN, channel->number);
		if (channel->has_loose_times)
			begin_row(before, 0, WK_HEAP_ROW_LOOSE, channel->number);
		channel->is_announced = true;
	}
	for (uint32_t i = 0; i < threads && i < WK_CHANNEL_THREADS && !channel->is_broken; i++) {
		drain_thread(channel, i, events);
		/* Of more than it can have: each thread says that it has all of the pool. */
		channel->is_broken |= events->len - before_bytes > MOST_PASS_BYTES;
	}
	drain_definitions(channel, before);
	add_counts(channel, events);
}

bool wk_heap_channel_is_gone(const struct wk_heap_channel *channel)
{
	struct pollfd poll_one = { channel->pid_fd, POLLIN, 0 };

	if (channel->pid_fd < 0)
		return kill((pid_t)channel->pid, 0) != 0 && errno == ESRCH;
	return poll(&poll_one, 1, 0) == 1;
}

void wk_heap_channel_end(struct wk_heap_channel *channel, struct wk_buf *events)
{
	begin_row(events, 0, WK_HEAP_ROW_GONE, channel->number);
}

void wk_heap_channel_free(struct wk_heap_channel *channel)
{
	if (channel->head)
		munmap(channel->head, WK_CHANNEL_COMMON_BYTES);
	for (uint32_t i = 0; i < WK_CHANNEL_THREADS; i++)
		if (channel->slots[i])
			munmap(channel->slots[i], WK_CHANNEL_SLOT_BYTES);
	wk_heap_space_fini(&channel->space);
	close(channel->fd);
	if (channel->pid_fd >= 0)
		close(channel->pid_fd);
	wk_free(channel);
}
