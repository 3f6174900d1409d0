/* Events into the ring of their thread. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"
#include "channel/ticks.h"

static inline void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The first call of a process or a thread. Other functions of libc are called here, which may
 * allocate, and set errno. A handler that forks would leave its child with half of the memory that
 * is mapped here: signals wait. */
static __attribute__((noinline)) struct wk_heap_thread *begin(void)
{
	struct wk_heap_thread *thread = NULL;
	uint64_t all = UINT64_MAX, mask;
	int saved = errno;

	if (wk_heap_self)
		atomic_store(&wk_heap_self->is_inside, 0);
	if (*wk_heap_state == WK_HEAP_LOSING) {
		count(&wk_heap_head->counts.lost);
		return NULL;
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof(mask));
	if (*wk_heap_state == WK_HEAP_ON || wk_heap_begin())
		thread = wk_heap_thread_here();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	errno = saved;
	return thread;
}

/* The thread that records, until wk_heap_busy is 0 again; NULL if nothing is to be recorded. */
inline struct wk_heap_thread *wk_heap_enter(void)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (WK_UNLIKELY(wk_heap_busy) && !wk_patched_is_left(__builtin_frame_address(0))) {
		if (wk_heap_busy == WK_HEAP_IN_LIBRARY && *wk_heap_state == WK_HEAP_ON)
			count(&wk_heap_head->counts.nested);
		return NULL;
	}
	wk_heap_busy = WK_HEAP_IN_LIBRARY;
	if (WK_LIKELY(thread)) {
		/* Before the state is read: see wk_heap_threads_hold. */
		atomic_store_explicit(&thread->is_inside, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
	}
	if (WK_UNLIKELY(!thread || *wk_heap_state != WK_HEAP_ON || thread->epoch != wk_heap_epoch))
		thread = begin();
	if (WK_UNLIKELY(!thread))
		wk_heap_busy = 0;
	return thread;
}

static inline void publish(struct wk_heap_thread *thread, const uint8_t *from, const uint8_t *to)
{
	thread->head += (uint64_t)(to - from);
	atomic_store_explicit(&thread->slot->ring.head, thread->head, memory_order_release);
}

/* How many bytes of a number follow its lowest one. Without branches, which would be taken one way
 * or the other by chance. Compilers would use the flags of each comparison by three instructions,
 * not by one. */
static inline uint64_t bytes_that_follow(uint32_t number)
{
#if defined(__x86_64__)
	uint64_t more = 3;

	__asm__("cmp $0x100, %k1\n\t"
		"sbb $0, %k0\n\t"
		"cmp $0x10000, %k1\n\t"
		"sbb $0, %k0\n\t"
		"cmp $0x1000000, %k1\n\t"
		"sbb $0, %k0"
		: "+&r"(more)
		: "r"(number)
		: "cc");
	return more;
#else
	return (number > 0xff) + (number > 0xffff) + (number > 0xffffff);
#endif
}

static inline uint8_t *put_number(uint8_t *at, uint32_t number, unsigned shift, unsigned *lengths)
{
	uint64_t more = bytes_that_follow(number);

	memcpy(at, &number, sizeof(number));
	*lengths |= (unsigned)more << shift;
	return at + more + 1;
}

#define MOST_NUMBERS 4

static __attribute__((noinline)) uint8_t *put_wide(uint8_t *at, unsigned head,
						   const uint64_t numbers[MOST_NUMBERS],
						   unsigned count)
{
	*at++ = (uint8_t)(head | WK_HEAP_RECORD_WIDE);
	memcpy(at, numbers, count * sizeof(*numbers));
	return at + count * sizeof(*numbers);
}

/* What an allocation has besides its address. */
struct block_numbers {
	uint64_t size, stack;
};

/* A record of a time, an address and, of an allocation, two other numbers. Nothing of it is in an
 * array, which would be written to memory and read back at once. */
static inline void put(struct wk_heap_thread *thread, unsigned head, uint8_t *from, uint64_t now,
		       uint64_t address, const struct block_numbers *block)
{
	/* A block of the stream may have begun since it was read. */
	uint64_t time = now > thread->time ? now - thread->time : 0;
	int64_t change = (int64_t)(address - thread->address);
	uint64_t eighth = wk_heap_fold(change >> 3);
	uint64_t all = time | eighth | (block ? block->size | block->stack : 0);
	unsigned lengths = 0;
	uint8_t *at;

	thread->time += time;
	thread->address = address;
	if (WK_UNLIKELY(all >> 32 || change & 7)) {
		const uint64_t numbers[MOST_NUMBERS] = { time, wk_heap_fold(change),
							 block ? block->size : 0,
							 block ? block->stack : 0 };

		publish(thread, from, put_wide(from, head, numbers, block ? 4 : 2));
		return;
	}
	at = put_number(from + 2, (uint32_t)time, 0, &lengths);
	at = put_number(at, (uint32_t)eighth, 2, &lengths);
	if (block) {
		at = put_number(at, (uint32_t)block->size, 4, &lengths);
		at = put_number(at, (uint32_t)block->stack, 6, &lengths);
	}
	from[0] = (uint8_t)head;
	from[1] = (uint8_t)lengths;
	publish(thread, from, at);
}

static inline uint64_t now(void)
{
	if (atomic_load_explicit(&wk_heap_orders_times, memory_order_relaxed))
		return wk_heap_ticks();
	return wk_heap_ticks_alone();
}

/* A call that is not recorded takes the point that fell on it away: it is not for the next one. */
static inline bool is_sampled(const struct wk_heap_thread *thread, const void *block, size_t size)
{
	if (thread && wk_heap_is_passed(size))
		return false;
	wk_heap_next.distance = wk_heap_sample_distance();
	if (thread)
		wk_heap_sample_add(block);
	return thread;
}

static inline bool records_blocks(void)
{
	return WK_LIKELY(wk_heap_records & WK_CHANNEL_HEAP);
}

/* Another recording may be about to begin, which wants them. */
static inline struct wk_heap_thread *enter_for_blocks(void)
{
	struct wk_heap_thread *thread;

	if (!records_blocks() && *wk_heap_state == WK_HEAP_ON)
		return NULL;
	thread = wk_heap_enter();
	if (WK_LIKELY(!thread || records_blocks()))
		return thread;
	wk_heap_leave(thread);
	return NULL;
}

static inline void put_block(const void *block, size_t size, unsigned head, const void *frame)
{
	struct wk_heap_thread *thread = enter_for_blocks();
	uint32_t stack, last;
	uint64_t time;
	uint8_t *at;

	if (WK_UNLIKELY(wk_heap_sample_bytes) && !is_sampled(thread, block, size)) {
		if (thread)
			wk_heap_leave(thread);
		return;
	}
	if (!thread)
		return;
	/* First, since all else can be done while the counter is read. */
	time = now();
	stack = wk_heap_walk(thread, frame);
	at = wk_heap_room(thread);
	if (WK_LIKELY(at)) {
		last = thread->stack;
		thread->stack = stack;
		put(thread, head, at, time, (uintptr_t)block,
		    &(struct block_numbers){ size, wk_heap_fold((int32_t)(stack - last)) });
	}
	wk_heap_leave(thread);
}

void wk_heap_allocated(const void *block, size_t size, enum wk_heap_function function,
		       const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_ALLOCATED | (unsigned)function << WK_HEAP_RECORD_BITS,
		  frame);
}

void wk_heap_moved(const void *block, size_t size, enum wk_heap_function function,
		   const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_MOVED | (unsigned)function << WK_HEAP_RECORD_BITS,
		  frame);
}

bool wk_heap_released(const void *block, enum wk_heap_record record)
{
	struct wk_heap_thread *thread;
	uint64_t time;
	uint8_t *at;

	if (wk_heap_sample_bytes && record == WK_HEAP_RECORD_KEPT)
		wk_heap_sample_add(block);
	else if (wk_heap_sample_bytes && !wk_heap_sample_remove(block))
		return false;
	time = now(); /* first as well */
	thread = enter_for_blocks();
	if (!thread)
		return false;
	at = wk_heap_room(thread);
	if (WK_LIKELY(at))
		put(thread, record, at, time, (uintptr_t)block, NULL);
	wk_heap_leave(thread);
	return true;
}

static void put_call(struct wk_heap_thread *thread, unsigned call, uint64_t result,
		     const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS], const void *frame)
{
	uint32_t stack = frame ? wk_heap_walk(thread, frame) : thread->stack, last;
	uint64_t numbers[3 + WK_HEAP_CALL_ARGUMENTS];
	uint8_t *from = wk_heap_room(thread);

	if (!from)
		return;
	last = thread->stack;
	numbers[0] = wk_heap_ticks() - thread->time;
	numbers[1] = result;
	memcpy(numbers + 2, arguments, WK_HEAP_CALL_ARGUMENTS * sizeof(*arguments));
	numbers[2 + WK_HEAP_CALL_ARGUMENTS] = frame ? wk_heap_fold((int32_t)(stack - last)) : 0;
	if (frame)
		thread->stack = stack;
	thread->time += numbers[0];
	*from = (uint8_t)(call << WK_HEAP_RECORD_BITS | WK_HEAP_RECORD_WIDE);
	memcpy(from + 1, numbers, sizeof(numbers));
	publish(thread, from, from + 1 + sizeof(numbers));
}

void wk_heap_called(unsigned call, uint64_t result,
		    const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS], const void *frame)
{
	uint32_t before = wk_heap_busy;
	struct wk_heap_thread *thread;

	/* An allocator may call these; its caller is on the stack. */
	wk_heap_busy = 0;
	thread = wk_heap_enter();
	if (thread) {
		put_call(thread, call, result, arguments, frame);
		wk_heap_leave(thread);
	}
	wk_heap_busy = before;
}

/* Without a character that the limit would split. */
static size_t kept_length(const char *text)
{
	size_t length = strnlen(text, WK_HEAP_TEXT_BYTES + 1);

	if (length <= WK_HEAP_TEXT_BYTES)
		return length;
	length = WK_HEAP_TEXT_BYTES;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static void put_text(enum wk_heap_record record, const char *text)
{
	struct wk_heap_thread *thread = wk_heap_enter();
	size_t length = kept_length(text);
	uint8_t *from, *at;
	uint64_t time;

	if (!thread)
		return;
	from = wk_heap_room_for(thread, WK_HEAP_RECORD_BYTES + WK_HEAP_TEXT_BYTES);
	if (WK_LIKELY(from)) {
		if (record == WK_HEAP_RECORD_SNAPSHOT)
			atomic_fetch_add(&wk_heap_control->snapshots, 1);
		time = wk_heap_ticks();
		at = put_wide(from, record, (const uint64_t[MOST_NUMBERS]){ time - thread->time },
			      1);
		thread->time = time;
		*at++ = (uint8_t)length;
		memcpy(at, text, length);
		publish(thread, from, at + length);
	}
	wk_heap_leave(thread);
}

HOOK void wick_heap_library_mark_1(int kind, const char *text)
{
	if (*wk_heap_state == WK_HEAP_OFF || kind < 1 || kind > 2)
		return;
	put_text(kind == 1 ? WK_HEAP_RECORD_SNAPSHOT : WK_HEAP_RECORD_MARK, text ? text : "");
}
