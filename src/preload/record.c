/* Events into the ring of their thread. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"
#include "preload/quick.h"
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

/* A handler's call. If it forked, the child has nothing to count in until it begins. */
static __attribute__((noinline)) void count_nested(void)
{
	if (*wk_heap_state == WK_HEAP_ON)
		count(&wk_heap_head->counts.nested);
	else if (*wk_heap_state == WK_HEAP_UNKNOWN)
		wk_heap_note_early();
}

/* The thread that records, until wk_heap_busy is 0 again; NULL if nothing is to be recorded. */
inline struct wk_heap_thread *wk_heap_enter(void)
{
	struct wk_heap_thread *thread = wk_heap_self;

	if (WK_UNLIKELY(wk_heap_busy) && !wk_patched_is_left(__builtin_frame_address(0))) {
		if (wk_heap_busy == WK_HEAP_IN_LIBRARY)
			count_nested();
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

#define MOST_NUMBERS 4

/* A record that is not packed. Of the numbers the second one is a change of address. */
static __attribute__((noinline)) uint8_t *put_other(uint8_t *at, unsigned head,
						    const uint64_t numbers[MOST_NUMBERS],
						    unsigned count)
{
	uint64_t put[MOST_NUMBERS] = { numbers[0], wk_heap_fold((int64_t)numbers[1] >> 3), numbers[2],
				       numbers[3] };
	uint64_t all = 0;
	uint8_t *lengths;

	for (unsigned i = 0; i < count; i++)
		all |= put[i];
	*at++ = WK_HEAP_RECORD_OTHER;
	if (all >> 32 || numbers[1] & 7) {
		put[1] = wk_heap_fold((int64_t)numbers[1]);
		*at++ = (uint8_t)(head | WK_HEAP_RECORD_WIDE);
		memcpy(at, put, count * sizeof(*put));
		return at + count * sizeof(*put);
	}
	*at++ = (uint8_t)head;
	lengths = at++;
	*lengths = 0;
	for (unsigned i = 0; i < count; i++) {
		uint32_t number = (uint32_t)put[i];
		unsigned more = (number > 0xff) + (number > 0xffff) + (number > 0xffffff);

		*lengths |= (uint8_t)(more << 2 * i);
		memcpy(at, &number, sizeof(number));
		at += more + 1;
	}
	return at;
}

/* A record of a time, an address and, of an allocation, two other numbers. `head` is for one that
 * is not packed. */
static void put(struct wk_heap_thread *thread, unsigned head, enum wk_heap_packed packed,
		uint8_t *from, uint64_t now, uint64_t address,
		const struct wk_heap_packed_block *block)
{
	uint64_t time = wk_heap_time_since(thread, now);
	int64_t change = (int64_t)(address - thread->address);
	uint8_t *to = NULL;

	if (packed != WK_HEAP_PACKED_NONE)
		to = wk_heap_put_packed(from, packed, time, change, block);
	if (!to) {
		const uint64_t numbers[MOST_NUMBERS] = { time, (uint64_t)change,
							 block ? block->size : 0,
							 block ? block->stack : 0 };

		to = put_other(from, head, numbers, block ? 4 : 2);
	}
	thread->time += time;
	thread->address = address;
	wk_heap_publish(thread, from, to);
}

_Static_assert(WK_HEAP_PACKED_FUNCTIONS <= 1 << WK_HEAP_PACKED_FUNCTION_BITS, "a function fits");

static void put_stack(struct wk_heap_thread *thread, enum wk_heap_record record, const void *block,
		      size_t size, enum wk_heap_function function, const void *frame, uint64_t now)
{
	struct wk_heap_packed_block packed = { .size = size, .function = function };
	bool is_moved = record == WK_HEAP_RECORD_MOVED;
	uint32_t stack = wk_heap_walk(thread, frame);
	uint8_t *at = wk_heap_room(thread);

	if (WK_UNLIKELY(!at))
		return;
	if (is_moved)
		packed.function = function == WK_HEAP_REALLOC ? WK_HEAP_PACKED_MOVED
							      : WK_HEAP_PACKED_MOVED_ARRAY;
	packed.stack = wk_heap_fold((int32_t)(stack - thread->stack));
	thread->stack = stack;
	put(thread, (unsigned)record | (unsigned)function << WK_HEAP_RECORD_BITS,
	    WK_HEAP_PACKED_ALLOCATED, at, now, (uintptr_t)block, &packed);
}

void wk_heap_put_block(struct wk_heap_thread *thread, const void *block, size_t size,
		       enum wk_heap_function function, const void *frame, uint64_t now)
{
	put_stack(thread, WK_HEAP_RECORD_ALLOCATED, block, size, function, frame, now);
}

static void put_address(struct wk_heap_thread *thread, enum wk_heap_record record,
			const void *block, uint64_t now)
{
	enum wk_heap_packed packed = record == WK_HEAP_RECORD_FREED      ? WK_HEAP_PACKED_FREED
				     : record == WK_HEAP_RECORD_RELEASED ? WK_HEAP_PACKED_RELEASED
									 : WK_HEAP_PACKED_NONE;
	uint8_t *at = wk_heap_room(thread);

	if (WK_LIKELY(at))
		put(thread, record, packed, at, now, (uintptr_t)block, NULL);
}

void wk_heap_put_released(struct wk_heap_thread *thread, const void *block, uint64_t now)
{
	put_address(thread, WK_HEAP_RECORD_FREED, block, now);
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

static void put_block(const void *block, size_t size, enum wk_heap_record record,
		      enum wk_heap_function function, const void *frame)
{
	struct wk_heap_thread *thread = enter_for_blocks();

	if (WK_UNLIKELY(wk_heap_sample_bytes) && !is_sampled(thread, block, size)) {
		if (thread)
			wk_heap_leave(thread);
		return;
	}
	if (!thread)
		return;
	put_stack(thread, record, block, size, function, frame, wk_heap_now());
	wk_heap_leave(thread);
}

void wk_heap_allocated(const void *block, size_t size, enum wk_heap_function function,
		       const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_ALLOCATED, function, frame);
}

void wk_heap_moved(const void *block, size_t size, enum wk_heap_function function,
		   const void *frame)
{
	put_block(block, size, WK_HEAP_RECORD_MOVED, function, frame);
}

bool wk_heap_released(const void *block, enum wk_heap_record record)
{
	struct wk_heap_thread *thread;

	if (wk_heap_sample_bytes && record == WK_HEAP_RECORD_KEPT)
		wk_heap_sample_add(block);
	else if (wk_heap_sample_bytes && !wk_heap_sample_remove(block))
		return false;
	thread = enter_for_blocks();
	if (!thread)
		return false;
	put_address(thread, record, block, wk_heap_now());
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
	from[0] = WK_HEAP_RECORD_OTHER;
	from[1] = (uint8_t)(call << WK_HEAP_RECORD_BITS | WK_HEAP_RECORD_WIDE);
	memcpy(from + 2, numbers, sizeof(numbers));
	wk_heap_publish(thread, from, from + 2 + sizeof(numbers));
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
		at = put_other(from, record, (const uint64_t[MOST_NUMBERS]){ time - thread->time },
			       1);
		thread->time = time;
		*at++ = (uint8_t)length;
		memcpy(at, text, length);
		wk_heap_publish(thread, from, at + length);
	}
	wk_heap_leave(thread);
}

HOOK void wick_heap_library_mark_1(int kind, const char *text)
{
	if (*wk_heap_state == WK_HEAP_OFF || kind < 1 || kind > 2)
		return;
	put_text(kind == 1 ? WK_HEAP_RECORD_SNAPSHOT : WK_HEAP_RECORD_MARK, text ? text : "");
}
