#include "formats/perf/heap_pairs.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

#define WORD 8
#define PAGE UINT64_C(4096) /* what x86-64 has, and most others */

struct thread {
	enum wk_allocator_call call; /* the outermost; NONE: none has begun */
	uint32_t function;
	uint64_t stack_pointer;
	uint64_t arguments[WK_HEAP_ARGUMENTS];
	uint64_t *chain;
	size_t chain_count, chain_cap;
	bool is_released; /* the place of the block that moves has been given away */
	uint64_t freed;   /* its last release */
	uint64_t losses;  /* that were known when the call began */
};

struct wk_heap_pairs {
	struct thread *threads;
	size_t count, cap;
	struct wk_map thread_of; /* pid and tid to index + 1 */
	struct wk_map moving;    /* pid and address, hashed, to the index + 1 of a thread */
	struct wk_map freed;     /* the same, of last releases: not allocated again since */
	uint64_t losses, unknown;
};

struct wk_heap_pairs *wk_heap_pairs_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_heap_pairs));
}

void wk_heap_pairs_free(struct wk_heap_pairs *pairs)
{
	if (!pairs)
		return;
	for (size_t i = 0; i < pairs->count; i++)
		wk_free(pairs->threads[i].chain);
	wk_map_fini(&pairs->thread_of);
	wk_map_fini(&pairs->moving);
	wk_map_fini(&pairs->freed);
	wk_free(pairs->threads);
	wk_free(pairs);
}

static struct thread *thread_of(struct wk_heap_pairs *pairs, const struct wk_heap_thread_call *call)
{
	uint32_t *index = wk_map_at(&pairs->thread_of, (uint64_t)call->pid << 32 | call->tid);

	if (!*index) {
		*WK_APPEND(pairs->threads, pairs->count, pairs->cap) = (struct thread){ 0 };
		*index = (uint32_t)pairs->count;
	}
	return &pairs->threads[*index - 1];
}

static uint64_t place_of(uint32_t pid, uint64_t address)
{
	return wk_hash_u64(address) ^ (uint64_t)pid << 32;
}

/* Of a call that moves a block; else 0. */
static uint64_t old_block(const struct thread *thread)
{
	switch (thread->call) {
	case WK_ALLOCATOR_REALLOC:
	case WK_ALLOCATOR_REALLOCARRAY:
		return thread->arguments[0];
	case WK_ALLOCATOR_REALLOC_BEHIND:
		return thread->arguments[1];
	default:
		return 0;
	}
}

/* Its call has ended, or nothing more is known of it. */
static void leave(struct wk_heap_pairs *pairs, uint32_t pid, struct thread *thread)
{
	if (old_block(thread))
		wk_map_set(&pairs->moving, place_of(pid, old_block(thread)), 0);
	thread->call = WK_ALLOCATOR_NONE;
}

static bool is_inside(const struct thread *thread, const struct wk_heap_thread_call *call,
		      uint64_t losses)
{
	if (!thread->call || thread->losses != losses ||
	    call->stack_pointer > thread->stack_pointer)
		return false;
	/* A function that ends with a jump to another one has the same stack. */
	return call->stack_pointer < thread->stack_pointer || call->function != thread->function;
}

static bool emit_free(uint64_t address, const struct wk_heap_changes *changes)
{
	struct wk_heap_block_change change = { .is_freed = true, .address = address };

	return !address || changes->change(changes->context, &change);
}

/* A release that calls another one is one release. */
static bool release(struct wk_heap_pairs *pairs, struct thread *thread, uint32_t pid,
		    uint64_t address, const struct wk_heap_changes *changes)
{
	uint32_t number = (uint32_t)(thread - pairs->threads) + 1;

	if (!address)
		return true;
	if (thread->freed) {
		uint64_t last = place_of(pid, thread->freed);
		bool is_same = wk_map_find(&pairs->freed, last) == number;

		if (is_same && thread->freed == address)
			return true;
		if (is_same)
			wk_map_set(&pairs->freed, last, 0);
	}
	thread->freed = address;
	wk_map_set(&pairs->freed, place_of(pid, address), number);
	return emit_free(address, changes);
}

bool wk_heap_pairs_begin(struct wk_heap_pairs *pairs, const struct wk_heap_thread_call *call,
			 const struct wk_heap_begin *begin, const struct wk_heap_changes *changes)
{
	struct thread *thread = thread_of(pairs, call);

	if (is_inside(thread, call, pairs->losses))
		return true;
	leave(pairs, call->pid, thread);
	if (call->call == WK_ALLOCATOR_FREE)
		return release(pairs, thread, call->pid, begin->arguments[0], changes);
	thread->call = call->call;
	thread->function = call->function;
	thread->stack_pointer = call->stack_pointer;
	thread->is_released = false;
	thread->losses = pairs->losses;
	memcpy(thread->arguments, begin->arguments, sizeof(thread->arguments));
	WK_RESERVE(thread->chain, thread->chain_cap, begin->chain_count);
	if (begin->chain_count)
		memcpy(thread->chain, begin->chain, begin->chain_count * sizeof(*thread->chain));
	thread->chain_count = begin->chain_count;
	if (old_block(thread))
		wk_map_set(&pairs->moving, place_of(call->pid, old_block(thread)),
			   (uint32_t)(thread - pairs->threads) + 1);
	return true;
}

static uint64_t size_of(const struct thread *thread)
{
	const uint64_t *arguments = thread->arguments;

	switch (thread->call) {
	case WK_ALLOCATOR_MALLOC:
		return arguments[0];
	case WK_ALLOCATOR_MALLOC_BEHIND:
	case WK_ALLOCATOR_REALLOC:
		return arguments[1];
	case WK_ALLOCATOR_PVALLOC:
		return (arguments[0] + PAGE - 1) & ~(PAGE - 1);
	case WK_ALLOCATOR_CALLOC:
		return arguments[0] * arguments[1];
	case WK_ALLOCATOR_CALLOC_BEHIND:
	case WK_ALLOCATOR_REALLOCARRAY:
		return arguments[1] * arguments[2];
	case WK_ALLOCATOR_POSIX_MEMALIGN:
	case WK_ALLOCATOR_REALLOC_BEHIND:
		return arguments[2];
	default:
		return 0;
	}
}

/* What the call stored where its first argument points to: known if that is on the stack, near its
 * end. */
static uint64_t stored_block(struct wk_heap_pairs *pairs, const struct thread *thread,
			     const struct wk_heap_thread_call *call, const struct wk_heap_end *end)
{
	uint64_t distance = thread->arguments[0] - call->stack_pointer;

	if ((uint32_t)end->result)
		return 0; /* it failed */
	if (distance % WORD == 0 && distance / WORD < WK_HEAP_STACK_WORDS)
		return end->stack[distance / WORD];
	pairs->unknown++;
	return 0;
}

/* If the block at that place is being moved away, it is gone. */
static bool take_place(struct wk_heap_pairs *pairs, uint32_t pid, uint64_t address,
		       const struct wk_heap_changes *changes)
{
	uint64_t place = place_of(pid, address);
	uint32_t index = wk_map_find(&pairs->moving, place);

	wk_map_set(&pairs->freed, place, 0);
	if (!index || old_block(&pairs->threads[index - 1]) != address)
		return true;
	wk_map_set(&pairs->moving, place, 0);
	pairs->threads[index - 1].is_released = true;
	return emit_free(address, changes);
}

static bool emit_end(struct wk_heap_pairs *pairs, const struct thread *thread,
		     const struct wk_heap_thread_call *call, const struct wk_heap_end *end,
		     const struct wk_heap_changes *changes)
{
	struct wk_heap_block_change change = { .address = end->result,
					       .size_bytes = size_of(thread),
					       .chain = thread->chain,
					       .chain_count = thread->chain_count };
	uint64_t old = thread->is_released ? 0 : old_block(thread);

	if (thread->call == WK_ALLOCATOR_POSIX_MEMALIGN)
		change.address = stored_block(pairs, thread, call, end);
	if (!change.address)
		return !old || change.size_bytes || emit_free(old, changes);
	return emit_free(old, changes) && take_place(pairs, call->pid, change.address, changes) &&
	       changes->change(changes->context, &change);
}

bool wk_heap_pairs_end(struct wk_heap_pairs *pairs, const struct wk_heap_thread_call *call,
		       const struct wk_heap_end *end, const struct wk_heap_changes *changes)
{
	struct thread *thread = thread_of(pairs, call);
	struct thread ended = *thread;

	/* By then its return address is off the stack, if the machine puts it there. */
	if (thread->call != call->call || thread->function != call->function ||
	    thread->losses != pairs->losses || call->stack_pointer - thread->stack_pointer > WORD)
		return true;
	leave(pairs, call->pid, thread);
	return call->call == WK_ALLOCATOR_INTERNAL || emit_end(pairs, &ended, call, end, changes);
}

void wk_heap_pairs_forget(struct wk_heap_pairs *pairs)
{
	pairs->losses++;
	wk_map_fini(&pairs->moving);
}

uint64_t wk_heap_pairs_unknown(const struct wk_heap_pairs *pairs)
{
	return pairs->unknown;
}
