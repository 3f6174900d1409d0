/* The usual event: a block of a thread that is recorded, at a stack that is known, whose record is
 * packed. All of it is inlined in malloc and free; what is not usual is in record.c and walk.c. */
#ifndef WK_PRELOAD_QUICK_H
#define WK_PRELOAD_QUICK_H

#include <string.h>

#include "channel/ticks.h"
#include "preload/internal.h"

/* ---- stacks */

static inline uintptr_t wk_heap_load(uintptr_t at)
{
	uintptr_t value;

	memcpy(&value, (const void *)at, sizeof(value));
	return value;
}

/* The last stack, which begins after what is at &nothing. */
static inline struct wk_heap_known *wk_heap_last_of(struct wk_heap_thread *thread)
{
	return thread->known + WK_HEAP_AT_ONCE;
}

/* 0 if the return address still lies there. */
static inline uintptr_t wk_heap_change_of(const struct wk_heap_known *known)
{
	return wk_heap_load(known->frame.slot) ^ known->frame.pc;
}

/* Is the outer part of the last stack, up to its frame `i`, still there? Some at a time, since a
 * branch for each would cost more than its loads. */
static inline bool wk_heap_is_still_there(struct wk_heap_thread *thread, uint32_t i)
{
	const struct wk_heap_known *last = wk_heap_last_of(thread);

	for (const struct wk_heap_known *at = last + i; at > last;) {
		at -= WK_HEAP_AT_ONCE;
		if (WK_UNLIKELY(wk_heap_change_of(at) | wk_heap_change_of(at + 1) |
				wk_heap_change_of(at + 2) | wk_heap_change_of(at + 3)))
			return false;
	}
	return true;
}

static inline struct wk_heap_tip *wk_heap_tip_of(struct wk_heap_thread *thread,
						 const struct wk_heap_frame *frame)
{
	return &thread->tips[(frame->slot >> 4 ^ frame->pc ^ frame->pc >> 4) % WK_HEAP_TIPS];
}

/* Is the tip's stack there, which begins at `frame`? */
static inline bool wk_heap_is_tip_there(struct wk_heap_thread *thread,
					const struct wk_heap_tip *tip,
					const struct wk_heap_frame *frame)
{
	uintptr_t change = tip->frame.slot ^ frame->slot;

	change |= tip->frame.pc ^ frame->pc;
	change |= tip->frame.bp ^ frame->bp;
	if (WK_UNLIKELY(change) || tip->outer > thread->depth ||
	    tip->since != wk_heap_last_of(thread)[tip->outer - 1].since)
		return false;
	for (uint32_t i = 0; i < WK_HEAP_INNER; i++)
		change |= wk_heap_load(tip->inner[i].slot) ^ tip->inner[i].pc;
	return WK_LIKELY(!change) && wk_heap_is_still_there(thread, tip->outer);
}

/* Of the function whose frame begins at `from`. NULL: its stack has to be walked. */
static inline const struct wk_heap_tip *wk_heap_find_tip(struct wk_heap_thread *thread,
							 const void *from)
{
	uintptr_t base = (uintptr_t)from;
	struct wk_heap_frame frame = { base + sizeof(base), wk_heap_load(base + sizeof(base)),
				       wk_heap_load(base) };
	const struct wk_heap_tip *tip = wk_heap_tip_of(thread, &frame);

	return WK_LIKELY(base >= thread->stack_low && base < thread->stack_high &&
			 atomic_load_explicit(&wk_heap_code, memory_order_relaxed) ==
				 thread->code &&
			 wk_heap_is_tip_there(thread, tip, &frame))
		       ? tip
		       : NULL;
}

/* ---- records */

static inline uint64_t wk_heap_now(void)
{
	if (WK_UNLIKELY(atomic_load_explicit(&wk_heap_orders_times, memory_order_relaxed)))
		return wk_heap_ticks();
	return wk_heap_ticks_alone();
}

/* What an allocation has besides its address. `stack` is folded. */
struct wk_heap_packed_block {
	uint64_t size, stack;
	unsigned function; /* as it is packed */
};

/* The end of the record; NULL if it cannot be packed. `block` is NULL unless it is ALLOCATED. */
static inline uint8_t *wk_heap_put_packed(uint8_t *at, enum wk_heap_packed packed, uint64_t time,
					  int64_t change, const struct wk_heap_packed_block *block)
{
	/* As an eighth of it would be folded, if it can be divided by that. */
	uint64_t address = (uint64_t)(change >> 2 ^ change >> 63);
	uint64_t word =
		(uint64_t)packed | time << WK_HEAP_PACKED_TIME | address << WK_HEAP_PACKED_ADDRESS;
	uint64_t more = time >> WK_HEAP_PACKED_TIME_BITS | address >> WK_HEAP_PACKED_ADDRESS_BITS |
			(uint64_t)(change & 7);
	uint16_t size;

	if (block) {
		word |= block->stack << WK_HEAP_PACKED_STACK |
			(uint64_t)block->function << WK_HEAP_PACKED_FUNCTION |
			block->size << WK_HEAP_PACKED_SIZE;
		more |= block->stack >> WK_HEAP_PACKED_STACK_BITS |
			block->size >> WK_HEAP_PACKED_SIZE_BITS;
	}
	if (WK_UNLIKELY(more))
		return NULL;
	memcpy(at, &word, sizeof(word));
	if (!block)
		return at + WK_HEAP_PACKED_SHORT_BYTES;
	size = (uint16_t)(block->size >> (64 - WK_HEAP_PACKED_SIZE));
	memcpy(at + sizeof(word), &size, sizeof(size));
	return at + WK_HEAP_PACKED_LONG_BYTES;
}

/* A block of the stream may have begun since `now` was read. */
static inline uint64_t wk_heap_time_since(const struct wk_heap_thread *thread, uint64_t now)
{
	return now > thread->time ? now - thread->time : 0;
}

static inline void wk_heap_publish(struct wk_heap_thread *thread, const uint8_t *from,
				   const uint8_t *to)
{
	thread->head += (uint64_t)(to - from);
	atomic_store_explicit(&thread->slot->ring.head, thread->head, memory_order_release);
}

/* ---- what is not usual: record.c */

void wk_heap_put_block(struct wk_heap_thread *thread, const void *block, size_t size,
		       enum wk_heap_function function, const void *frame, uint64_t now);
void wk_heap_put_released(struct wk_heap_thread *thread, const void *block, uint64_t now);

/* ---- events */

/* As wk_heap_enter; NULL: that has to be asked. */
static inline struct wk_heap_thread *wk_heap_enter_quickly(void)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (WK_UNLIKELY(!thread || wk_heap_busy))
		return NULL;
	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	atomic_store_explicit(&thread->is_inside, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (WK_LIKELY(thread->quick == *(volatile uint32_t *)&wk_heap_wiped.begun))
		return thread;
	wk_heap_leave(thread);
	return NULL;
}

/* Where the next record goes, if its block has not to be ended before. */
static inline uint8_t *wk_heap_quick_room(struct wk_heap_thread *thread)
{
	uint32_t used = thread->head % WK_HEAP_BLOCK_BYTES;

	return WK_LIKELY(used - 1 < WK_HEAP_BLOCK_BYTES - WK_HEAP_RECORD_BYTES)
		       ? thread->block + used
		       : NULL;
}

/* False: nothing was recorded yet, and it may not have to be. */
static inline bool wk_heap_note_quickly(const void *block, size_t size,
					enum wk_heap_function function, const void *frame)
{
	struct wk_heap_thread *thread = wk_heap_enter_quickly();
	const struct wk_heap_tip *tip;
	uint64_t now, time;
	uint8_t *from, *to = NULL;

	if (WK_UNLIKELY(!thread))
		return false;
	/* First, since all else can be done while the counter is read. */
	now = wk_heap_now();
	tip = wk_heap_find_tip(thread, frame);
	from = wk_heap_quick_room(thread);
	if (WK_LIKELY(tip && from)) {
		struct wk_heap_packed_block packed = {
			size, wk_heap_fold((int32_t)(tip->node - thread->stack)), function
		};

		time = wk_heap_time_since(thread, now);
		to = wk_heap_put_packed(from, WK_HEAP_PACKED_ALLOCATED, time,
					(int64_t)((uintptr_t)block - thread->address), &packed);
	}
	if (WK_LIKELY(to)) {
		thread->time += time;
		thread->address = (uintptr_t)block;
		thread->stack = tip->node;
		wk_heap_publish(thread, from, to);
	} else {
		wk_heap_put_block(thread, block, size, function, frame, now);
	}
	wk_heap_leave(thread);
	return true;
}

static inline bool wk_heap_release_quickly(const void *block)
{
	struct wk_heap_thread *thread = wk_heap_enter_quickly();
	uint64_t now, time;
	uint8_t *from, *to = NULL;

	/* A thread that is not recorded may be one that must not read the counter. */
	if (WK_UNLIKELY(!thread))
		return false;
	now = wk_heap_now(); /* first as well */
	from = wk_heap_quick_room(thread);
	if (WK_LIKELY(from)) {
		time = wk_heap_time_since(thread, now);
		to = wk_heap_put_packed(from, WK_HEAP_PACKED_FREED, time,
					(int64_t)((uintptr_t)block - thread->address), NULL);
	}
	if (WK_LIKELY(to)) {
		thread->time += time;
		thread->address = (uintptr_t)block;
		wk_heap_publish(thread, from, to);
	} else {
		wk_heap_put_released(thread, block, now);
	}
	wk_heap_leave(thread);
	return true;
}

#endif
