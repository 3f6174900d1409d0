#include "base/heap.h"

#include <setjmp.h>
#include <stdlib.h>

#include "base/heap_internal.h"
#include "base/mem.h"

/* Where a thread goes when memory runs out. */
struct wk_guard {
	jmp_buf jump;
};

_Thread_local struct wk_running wk_running;

static void *alloc_by_c(void *context, size_t size_bytes)
{
	(void)context;
	return malloc(size_bytes);
}

static void *alloc_zeroed_by_c(void *context, size_t size_bytes)
{
	(void)context;
	return calloc(1, size_bytes);
}

static void *realloc_by_c(void *context, void *at, size_t size_bytes)
{
	(void)context;
	return realloc(at, size_bytes);
}

static void free_by_c(void *context, void *at)
{
	(void)context;
	free(at);
}

static const struct wk_allocator c_library = { alloc_by_c, alloc_zeroed_by_c, realloc_by_c,
					       free_by_c, NULL };

struct wk_heap *wk_heap_new(const struct wk_allocator *allocator)
{
	const struct wk_allocator *from = allocator ? allocator : &c_library;
	struct wk_heap *heap = from->alloc(from->context, sizeof(*heap));

	if (!heap)
		return NULL;
	*heap = (struct wk_heap){ .allocator = *from };
	heap->blocks.prev = heap->blocks.next = &heap->blocks;
	heap->undos.prev = heap->undos.next = &heap->undos;
	heap->threads.prev = heap->threads.next = &heap->threads;
	wk_lock_init(&heap->lock);
	return heap;
}

struct wk_heap *wk_heap_new_for_process(void)
{
	struct wk_heap *heap = wk_heap_new(NULL);

	if (heap)
		heap->is_of_process = true;
	return heap;
}

static void unlink_undo(struct wk_undo *undo)
{
	wk_lock_acquire(&undo->heap->lock);
	undo->prev->next = undo->next;
	undo->next->prev = undo->prev;
	wk_lock_release(&undo->heap->lock);
}

static struct wk_undo *newest_of(struct wk_heap *heap, const struct wk_undo *list)
{
	struct wk_undo *newest;

	wk_lock_acquire(&heap->lock);
	newest = list->prev;
	wk_lock_release(&heap->lock);
	return newest == list ? NULL : newest;
}

/* The lock is not held while one runs: a thread that is joined removes its own. */
static void run_undos(struct wk_heap *heap, const struct wk_undo *list)
{
	struct wk_undo *undo;

	while ((undo = newest_of(heap, list)) != NULL) {
		if (undo->run)
			undo->run(undo);
		wk_undo_free(undo);
	}
}

void wk_heap_free(struct wk_heap *heap)
{
	struct wk_allocator allocator;

	if (!heap)
		return;
	heap->has_failed = true; /* ends threads that still run */
	run_undos(heap, &heap->threads);
	run_undos(heap, &heap->undos);
	while (heap->blocks.next != &heap->blocks)
		wk_free(heap->blocks.next + 1);
	wk_lock_fini(&heap->lock);
	allocator = heap->allocator;
	allocator.free(allocator.context, heap);
}

static void release_held(const struct wk_held *outer)
{
	while (wk_running.held != outer) {
		struct wk_held *held = wk_running.held;

		wk_running.held = held->outer;
		held->release(held);
	}
}

bool wk_heap_run(struct wk_heap *heap, void (*run)(void *context), void *context)
{
	const struct wk_running before = wk_running;
	struct wk_guard guard;

	if (wk_heap_has_failed(heap))
		return false;
	if (setjmp(guard.jump) == 0) {
		wk_running.heap = heap;
		wk_running.owner = wk_heap_is_of_process(heap) ? NULL : heap;
		wk_running.guard = &guard;
		run(context);
	} else {
		release_held(before.held);
	}
	wk_running = before;
	return !wk_heap_has_failed(heap);
}

struct wk_heap *wk_heap_current(void)
{
	return wk_running.heap;
}

bool wk_heap_has_failed(const struct wk_heap *heap)
{
	return wk_heap_is_failed(heap);
}

bool wk_heap_is_of_process(const struct wk_heap *heap)
{
	return !heap || heap->is_of_process;
}

void wk_heap_raise(void)
{
	if (!wk_running.guard)
		abort();
	if (wk_running.heap)
		wk_running.heap->has_failed = true;
	longjmp(wk_running.guard->jump, 1);
}

void wk_heap_check(void)
{
	if (wk_heap_has_failed(wk_running.heap))
		wk_heap_raise();
}

static struct wk_undo *add_undo(struct wk_heap *heap, struct wk_undo *list)
{
	struct wk_undo *undo = wk_alloc(sizeof(*undo));

	*undo = (struct wk_undo){ .heap = heap, .next = list };
	wk_lock_acquire(&heap->lock);
	undo->prev = list->prev;
	undo->prev->next = list->prev = undo;
	wk_lock_release(&heap->lock);
	return undo;
}

struct wk_undo *wk_undo_new(void)
{
	return wk_running.heap ? add_undo(wk_running.heap, &wk_running.heap->undos) : NULL;
}

struct wk_undo *wk_undo_new_thread(void)
{
	return wk_running.heap ? add_undo(wk_running.heap, &wk_running.heap->threads) : NULL;
}

void wk_undo_arm(struct wk_undo *undo, void (*run)(struct wk_undo *undo), void *at, size_t number)
{
	if (!undo)
		return;
	undo->at = at;
	undo->number = number;
	undo->run = run;
}

void wk_undo_free(struct wk_undo *undo)
{
	if (!undo)
		return;
	unlink_undo(undo);
	wk_free(undo);
}

void wk_held_push(struct wk_held *held)
{
	held->outer = wk_running.held;
	wk_running.held = held;
}

/* Almost always the innermost. */
void wk_held_pop(struct wk_held *held)
{
	struct wk_held **at = &wk_running.held;

	while (*at != held)
		at = &(*at)->outer;
	*at = held->outer;
}
