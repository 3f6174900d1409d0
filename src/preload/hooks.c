/* The functions that a program calls instead of its allocator's. Each calls the real one, and
 * records what it did. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "preload/hooks.h"
#include "preload/internal.h"
#include "preload/quick.h"
#include "preload/real.h"

#define MY_FRAME() __builtin_frame_address(0)

static inline bool is_wanted(void)
{
	return *wk_heap_state != WK_HEAP_OFF;
}

static inline void *note(void *block, size_t size, enum wk_heap_function function,
			 const void *frame)
{
	if (!wk_heap_is_passed(size) && WK_LIKELY(block && is_wanted()))
		wk_heap_allocated(block, size, function, frame);
	if (wk_space_is_wanted() && block)
		wk_space_allocated(block, frame);
	return block;
}

/* Of functions that are called often. */
static inline void *note_quickly(void *block, size_t size, enum wk_heap_function function,
				 const void *frame)
{
	if (WK_LIKELY(block) && WK_LIKELY(wk_heap_note_quickly(block, size, function, frame)))
		return block;
	return note(block, size, function, frame);
}

/* A function that another one of the allocator may use is not recorded meanwhile. */
static inline uint32_t enter_real(void)
{
	uint32_t before = wk_heap_busy;

	wk_heap_busy = before | WK_HEAP_IN_ALLOCATOR;
	return before;
}

/* While sampling, almost all calls of malloc and free are passed on by a jump. What is recorded is
 * elsewhere, so that the registers which that needs are not saved here; it is jumped to as well, so
 * that its caller is the program. */
#if defined(__clang__)
#define PASSES_ON
#define JUMP __attribute__((musttail))
#else
#define PASSES_ON __attribute__((optimize("omit-frame-pointer", "optimize-sibling-calls")))
#define JUMP
#endif

static __attribute__((noinline)) void *malloc_noted(size_t size)
{
	return note_quickly(wk_real.malloc(size), size, WK_HEAP_MALLOC, MY_FRAME());
}

HOOK PASSES_ON void *malloc(size_t size)
{
	if (wk_heap_passes(size))
		JUMP return wk_real.malloc(size);
	JUMP return malloc_noted(size);
}

static void *call_calloc(size_t count, size_t size)
{
	uint32_t before = enter_real();
	void *block = wk_real.calloc(count, size);

	wk_heap_busy = before;
	return block;
}

static __attribute__((noinline)) void *calloc_noted(size_t count, size_t size)
{
	return note_quickly(call_calloc(count, size), count * size, WK_HEAP_CALLOC, MY_FRAME());
}

HOOK PASSES_ON void *calloc(size_t count, size_t size)
{
	if (wk_heap_passes(count * size))
		return call_calloc(count, size);
	JUMP return calloc_noted(count, size);
}

static __attribute__((noinline)) void free_pages(void *block, const void *frame)
{
	struct wk_space_pages before = wk_space_releasing(block);

	wk_real.free(block);
	wk_space_released(before, frame);
}

static __attribute__((noinline)) void free_slowly(void *block)
{
	if (!wk_heap_was_passed(block) && WK_LIKELY(is_wanted()))
		wk_heap_released(block, WK_HEAP_RECORD_FREED);
	if (wk_space_is_wanted())
		free_pages(block, MY_FRAME());
	else
		wk_real.free(block);
}

static __attribute__((noinline)) PASSES_ON void free_noted(void *block)
{
	if (WK_UNLIKELY(!block || wk_real_is_stored(block)))
		return;
	if (WK_LIKELY(wk_heap_release_quickly(block)))
		JUMP return wk_real.free(block);
	JUMP return free_slowly(block);
}

HOOK PASSES_ON void free(void *block)
{
	if (wk_heap_release_passes(block))
		JUMP return wk_real.free(block);
	JUMP return free_noted(block);
}

/* What cannot be given back is copied. */
static void *move_stored(void *block, size_t size)
{
	size_t old = wk_real_stored_size(block);
	void *moved = wk_real.malloc(size);

	if (moved)
		memcpy(moved, block, old < size ? old : size);
	return moved;
}

static void *call_realloc(void *block, size_t size)
{
	uint32_t before = enter_real();
	void *moved = wk_real.realloc(block, size);

	wk_heap_busy = before;
	return moved;
}

/* realloc of a block to no bytes frees it, in glibc; elsewhere it may give another block. It cannot
 * fail. */
static void *move(void *block, size_t size, enum wk_heap_function function, const void *frame)
{
	bool is_noted = is_wanted(), was_noted = false, has_pages = wk_space_is_wanted();
	struct wk_space_pages pages = { 0 };
	void *moved;

	if (block && WK_UNLIKELY(wk_real_is_stored(block)))
		return note(move_stored(block, size), size, function, frame);
	if (block && is_noted && !wk_heap_was_passed(block))
		was_noted = wk_heap_released(block,
					     size ? WK_HEAP_RECORD_RELEASED : WK_HEAP_RECORD_FREED);
	if (block && has_pages)
		pages = wk_space_moving(block);
	moved = call_realloc(block, size);
	if (!block)
		return note(moved, size, function, frame);
	if (has_pages)
		wk_space_moved(pages, moved, frame);
	if (moved && is_noted && !wk_heap_is_passed(size))
		wk_heap_moved(moved, size, function, frame);
	else if (!moved && size && was_noted)
		wk_heap_released(block, WK_HEAP_RECORD_KEPT);
	return moved;
}

static __attribute__((noinline)) void *realloc_noted(void *block, size_t size)
{
	return move(block, size, WK_HEAP_REALLOC, MY_FRAME());
}

HOOK PASSES_ON void *realloc(void *block, size_t size)
{
	if (wk_heap_release_passes(block) && wk_heap_passes(size))
		return call_realloc(block, size);
	JUMP return realloc_noted(block, size);
}

HOOK void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	/* An allocator in the program may not have this function: the one of libc, which that
	 * program gets, calls the program's realloc. */
	if (!wk_heap_is_late && realloc != wk_hook_realloc)
		return realloc(block, bytes);
	return move(block, bytes, WK_HEAP_REALLOCARRAY, MY_FRAME());
}

HOOK int posix_memalign(void **block, size_t alignment, size_t size)
{
	uint32_t before = enter_real();
	int cause = wk_real.posix_memalign(block, alignment, size);

	wk_heap_busy = before;
	if (cause == 0)
		note(*block, size, WK_HEAP_POSIX_MEMALIGN, MY_FRAME());
	return cause;
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
	uint32_t before = enter_real();
	void *block = wk_real.aligned_alloc(alignment, size);

	wk_heap_busy = before;
	return note(block, size, WK_HEAP_ALIGNED_ALLOC, MY_FRAME());
}

HOOK void *memalign(size_t alignment, size_t size)
{
	uint32_t before = enter_real();
	void *block = wk_real.memalign(alignment, size);

	wk_heap_busy = before;
	return note(block, size, WK_HEAP_MEMALIGN, MY_FRAME());
}

HOOK void *valloc(size_t size)
{
	uint32_t before = enter_real();
	void *block = wk_real.valloc(size);

	wk_heap_busy = before;
	return note(block, size, WK_HEAP_VALLOC, MY_FRAME());
}

HOOK void *pvalloc(size_t size)
{
	uint32_t before = enter_real();
	void *block = wk_real.pvalloc(size);
	size_t page = WK_CHANNEL_PAGE;

	wk_heap_busy = before;
	return note(block, (size + page - 1) / page * page, WK_HEAP_PVALLOC, MY_FRAME());
}

HOOK size_t malloc_usable_size(void *block)
{
	if (block && WK_UNLIKELY(wk_real_is_stored(block)))
		return wk_real_stored_size(block);
	return wk_real.malloc_usable_size(block);
}

/* C23, which this libc may not have: what they must free is what free does. */
HOOK void free_sized(void *block, size_t size);
HOOK void free_aligned_sized(void *block, size_t alignment, size_t size);
HOOK void cfree(void *block);

HOOK void free_sized(void *block, size_t size)
{
	(void)size;
	wk_hook_free(block);
}

HOOK void free_aligned_sized(void *block, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	wk_hook_free(block);
}

HOOK void cfree(void *block)
{
	wk_hook_free(block);
}

static int take_unloaded(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(unsigned long long *)context = info->dlpi_subs;
	return 1;
}

/* How often the loader has unloaded something. */
static unsigned long long count_unloaded(void)
{
	unsigned long long unloaded = 0;

	dl_iterate_phdr(take_unloaded, &unloaded);
	return unloaded;
}

HOOK int dlclose(void *library)
{
	unsigned long long before;
	uint32_t busy = wk_heap_busy;
	int result;

	if (*wk_heap_state != WK_HEAP_ON)
		return wk_real.dlclose(library);
	before = count_unloaded();
	result = wk_real.dlclose(library);
	wk_heap_busy = busy | WK_HEAP_IN_LIBRARY;
	if (count_unloaded() != before)
		wk_heap_forget_code();
	wk_heap_busy = busy;
	return result;
}

/* ---- the same by other names */

void *wk_hook_malloc(size_t size) SAME_AS(malloc);
void *wk_hook_calloc(size_t count, size_t size) SAME_AS(calloc);
void *wk_hook_realloc(void *block, size_t size) SAME_AS(realloc);
void *wk_hook_reallocarray(void *block, size_t count, size_t size) SAME_AS(reallocarray);
void wk_hook_free(void *block) SAME_AS(free);
int wk_hook_posix_memalign(void **block, size_t alignment, size_t size) SAME_AS(posix_memalign);
void *wk_hook_aligned_alloc(size_t alignment, size_t size) SAME_AS(aligned_alloc);
void *wk_hook_memalign(size_t alignment, size_t size) SAME_AS(memalign);
void *wk_hook_valloc(size_t size) SAME_AS(valloc);
void *wk_hook_pvalloc(size_t size) SAME_AS(pvalloc);
void wk_hook_cfree(void *block) SAME_AS(cfree);
void wk_hook_free_sized(void *block, size_t size) SAME_AS(free_sized);
void wk_hook_free_aligned_sized(void *block, size_t alignment, size_t size)
	SAME_AS(free_aligned_sized);
int wk_hook_dlclose(void *library) SAME_AS(dlclose);
