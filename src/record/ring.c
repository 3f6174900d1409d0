#include "record/ring.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map.h"
#include "record/layout.h"

/* In a sample. */
#define ID_OFFSET   8
#define PIDS_OFFSET 24

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

void wk_ring_limit_stacks(struct wk_ring *ring,
			  bool (*find_end)(void *context, uint32_t tid, struct wk_stack_end *end),
			  void *context)
{
	ring->find_end = find_end;
	ring->stack_context = context;
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

static uint64_t word_at(const struct wk_ring *ring, uint64_t at)
{
	uint64_t word;

	memcpy(&word, ring->data + (at & (ring->size_bytes - 1)), sizeof(word));
	return word;
}

static uint32_t fields_of(const struct wk_ring *ring, uint64_t at)
{
	return ring->with_fields && ring->with_fields->count
		       ? wk_map_find(ring->with_fields, word_at(ring, at + ID_OFFSET))
		       : 0;
}

/* Where the size of the stack copy is in the record; 0 if there is no copy. Its place is computed:
 * any word of a sample may have the value of a size by chance. */
static size_t find_stack(const struct wk_ring *ring, uint64_t at, size_t size)
{
	uint32_t fields = fields_of(ring, at);
	size_t place = ring->fixed_bytes;

	if (place && fields == WK_FIELDS_ADDRESS)
		place += 8;
	if (place && ring->has_chain && place + 8 <= size) {
		uint64_t count = word_at(ring, at + place);

		place += 8 + 8 * (size_t)(count < size / 8 ? count : size / 8);
	}
	if (place && place + 8 <= size && fields && fields != WK_FIELDS_ADDRESS)
		place += ((uint32_t)word_at(ring, at + place) + (size_t)4 + 7) & ~(size_t)7;
	if (place == 0 || place + 8 > size)
		return 0;
	place += 8 + (word_at(ring, at + place) ? ring->register_bytes : 0);
	return place + 16 < size && word_at(ring, at + place) == size - 16 - place ? place : 0;
}

/* A record as it will be copied. A stack copy has its full size in the ring, however little of it
 * was filled. */
struct record {
	uint64_t at;
	size_t size;
	size_t stack;    /* where the size of its copy is; 0: it is copied as it is */
	uint64_t filled; /* of that */
	uint64_t kept;   /* a word more, which shows that the copy did not end at its limit */
};

/* Another stack may lie over the end of the one that is known. Words of 32 bits are never taken for
 * the one that is looked for. */
static bool is_that_stack(const struct wk_ring *ring, const struct record *record, uint64_t sp,
			  const struct wk_stack_end *end)
{
	uint64_t place = end->address - sp;

	return end->address >= sp && place % 8 == 0 && place + 8 <= record->filled &&
	       word_at(ring, record->at + record->stack + 8 + place) == end->value;
}

/* How much of the copy belongs to the thread's stack. */
static uint64_t needed_bytes(const struct wk_ring *ring, const struct record *record)
{
	struct wk_stack_end end;
	uint64_t sp;
	uint32_t tid;

	if (!ring->find_end || !ring->register_bytes)
		return record->filled;
	tid = (uint32_t)(word_at(ring, record->at + PIDS_OFFSET) >> 32);
	if (!ring->find_end(ring->stack_context, tid, &end))
		return record->filled;
	sp = word_at(ring, record->at + record->stack - ring->register_bytes + ring->sp_place);
	return sp < end.end && end.end - sp < record->filled &&
			       is_that_stack(ring, record, sp, &end)
		       ? end.end - sp
		       : record->filled;
}

/* False if it is damaged. */
static bool look_at_record(const struct wk_ring *ring, uint64_t at, uint64_t pending,
			   struct record *record)
{
	struct perf_event_header header;
	uint64_t filled;

	memcpy(&header, ring->data + (at & (ring->size_bytes - 1)), sizeof(header));
	*record = (struct record){ .at = at, .size = header.size };
	if (header.size < sizeof(header) || header.size % 8 || header.size > pending)
		return false;
	filled = word_at(ring, at + header.size - 8);
	if (header.type != PERF_RECORD_SAMPLE || filled > header.size)
		return true;
	record->filled = filled;
	record->stack = find_stack(ring, at, header.size);
	if (record->stack)
		record->filled = needed_bytes(ring, record);
	record->kept = (record->filled + 15) & ~UINT64_C(7);
	if (record->stack && record->kept >= header.size - 16 - record->stack)
		record->stack = 0;
	return true;
}

static size_t copied_size(const struct record *record)
{
	return record->stack ? record->stack + 16 + (size_t)record->kept : record->size;
}

static void copy_record(const struct wk_ring *ring, const struct record *record, uint8_t *out)
{
	struct perf_event_header *header = (void *)out;
	size_t size = copied_size(record);

	copy_out(ring, record->at, out, size);
	if (!record->stack)
		return;
	header->size = (uint16_t)size;
	memcpy(out + record->stack, &record->kept, 8);
	memcpy(out + size - 8, &record->filled, 8);
}

size_t wk_ring_read(struct wk_ring *ring, uint64_t pending, uint8_t *out, size_t room)
{
	bool is_broken = pending > ring->size_bytes;
	size_t len = 0;
	uint64_t taken = 0;

	while (taken < pending && !is_broken) {
		struct record record;

		is_broken = !look_at_record(ring, ring->tail + taken, pending - taken, &record);
		if (is_broken || copied_size(&record) > room - len)
			break;
		copy_record(ring, &record, out + len);
		len += copied_size(&record);
		taken += record.size;
	}
	if (is_broken && taken == 0) {
		ring->broken += pending;
		taken = pending;
	}
	ring->tail += taken;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	return len;
}
