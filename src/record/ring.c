#include "record/ring.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool wk_ring_map(struct wk_ring *ring, int fd, uint64_t size_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page_bytes + size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return false;
	*ring = (struct wk_ring){
		.page = at,
		.data = (const uint8_t *)at + page_bytes,
		.size_bytes = size_bytes,
	};
	return true;
}

void wk_ring_unmap(struct wk_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size_bytes);
	*ring = (struct wk_ring){ 0 };
}

uint64_t wk_ring_pending(const struct wk_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->tail;
}

/* The size field of the record at `at`. Records begin at multiples of 8, so a header does
 * not wrap. */
static size_t record_size(const struct wk_ring *ring, uint64_t at)
{
	struct perf_event_header header;

	memcpy(&header, ring->data + (at & (ring->size_bytes - 1)), sizeof(header));
	return header.size;
}

/* How many of the `pending` bytes are whole records that fit into `room`. */
static size_t whole_records(const struct wk_ring *ring, uint64_t pending, size_t room,
			    bool *is_broken)
{
	size_t len = 0;

	*is_broken = pending > ring->size_bytes;
	while (len < pending && !*is_broken) {
		size_t size = record_size(ring, ring->tail + len);

		if (size < sizeof(struct perf_event_header) || size % 8 || size > pending - len) {
			*is_broken = true;
			break;
		}
		if (size > room - len)
			break;
		len += size;
	}
	return len;
}

/* Copies `len` bytes from position `at` on, over the end of the ring if need be. */
static void copy_out(const struct wk_ring *ring, uint64_t at, uint8_t *out, size_t len)
{
	uint64_t from = at & (ring->size_bytes - 1);
	size_t first = len;

	if (first > ring->size_bytes - from)
		first = (size_t)(ring->size_bytes - from);
	memcpy(out, ring->data + from, first);
	memcpy(out + first, ring->data, len - first);
}

size_t wk_ring_peek(const struct wk_ring *ring, uint64_t at, uint64_t end, uint8_t *out,
		    size_t room)
{
	size_t size;

	if (end - at < sizeof(struct perf_event_header) || end - at > ring->size_bytes)
		return 0;
	size = record_size(ring, at);
	if (size < sizeof(struct perf_event_header) || size % 8 || size > end - at)
		return 0;
	copy_out(ring, at, out, size < room ? size : room);
	return size;
}

size_t wk_ring_read(struct wk_ring *ring, uint64_t pending, uint8_t *out, size_t room)
{
	bool is_broken;
	size_t len = whole_records(ring, pending, room, &is_broken);

	copy_out(ring, ring->tail, out, len);
	ring->tail += len;
	if (is_broken && len == 0) {
		ring->broken += pending;
		ring->tail += pending;
	}
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	return len;
}
