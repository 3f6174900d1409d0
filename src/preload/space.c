/* Changes of the address space: by calls of the program, and by what malloc does inside.
 *
 * glibc's malloc calls the kernel by itself, past all hooks. What it did is seen from outside: a
 * large block has a mapping of its own, which its head describes; the break is compared with the
 * last one; and the memory that a thread's arena gets its blocks from has a head that says how much
 * of it is in use. What else libc maps for itself, such as the stacks of threads, is found by the
 * recorder, which reads the process's maps. */
#undef _FILE_OFFSET_BITS /* with it, libc's header gives mmap the name mmap64 */

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/hooks.h"
#include "preload/internal.h"
#include "preload/real.h"

#define MY_FRAME() __builtin_frame_address(0)
#define WRITABLE   (PROT_READ | PROT_WRITE)
#define PRIVATE    (MAP_PRIVATE | MAP_ANONYMOUS)

static void begins(enum wk_heap_call call, uintptr_t at, uint64_t first, uint64_t second,
		   uint64_t third)
{
	const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS] = { at, first, second, third };

	wk_heap_called(call, 0, arguments, NULL);
}

static void ends(enum wk_heap_call call, uint64_t result, uintptr_t at, uint64_t first,
		 uint64_t second, uint64_t third, const void *frame)
{
	const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS] = { at, first, second, third };

	wk_heap_called((unsigned)call | WK_HEAP_CALL_ENDED, result, arguments, frame);
}

/* ---- inside glibc's malloc */

#define IS_MMAPPED ((size_t)2)
#define IS_OF_HEAP ((size_t)4) /* of a thread's arena, not of the break */
#define IS_FLAG    ((size_t)7)

#define HEAP_BYTES  ((uintptr_t)64 << 20) /* each is at a multiple of that */
#define MOST_HEAPS  1024u
#define MOST_PROBES 16u

/* What a heap begins with, since glibc 2.10 at least. */
struct heap {
	void *arena, *before;
	size_t size, usable_size; /* of which the first are in use, and writable */
};

static bool is_ready, has_glibc_heads, has_heaps, was_running;
static void *const volatile *current_break;
static _Atomic uintptr_t seen_break;
static _Atomic uint64_t seen_heaps[MOST_HEAPS]; /* address, and number of writable pages */

/* Is `malloc` that of glibc? */
static bool is_of_glibc(void)
{
	void *version = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	Dl_info of_version, of_malloc;

	return version && dladdr(version, &of_version) && wk_real_is_found() &&
	       dladdr((void *)wk_real.malloc, &of_malloc) &&
	       of_version.dli_fbase == of_malloc.dli_fbase;
}

/* The allocator must have been looked up, which any of its functions does. What is called here may
 * allocate. */
static void get_ready(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	uint32_t busy = wk_heap_busy;

	wk_heap_busy |= WK_HEAP_IN_LIBRARY;
	if (!wk_real_is_found())
		wk_real.free(NULL);
	is_ready = wk_real_is_found();
	has_glibc_heads = is_of_glibc();
	has_heaps = has_glibc_heads && !(tunables && strstr(tunables, "hugetlb"));
	current_break = has_glibc_heads ? dlsym(RTLD_DEFAULT, "__curbrk") : NULL;
	if (current_break) {
		wk_real.sbrk(0); /* it has a value from the first call on */
		atomic_store(&seen_break, (uintptr_t)*current_break);
	}
	wk_heap_busy = busy;
}

void wk_space_begin(bool is_late)
{
	was_running |= is_late;
	if (!is_ready)
		get_ready();
}

static uintptr_t page_up(uintptr_t address)
{
	return (address + WK_CHANNEL_PAGE - 1) & ~(uintptr_t)(WK_CHANNEL_PAGE - 1);
}

/* As a mapping: two threads may see changes one after the other, and write them in another order.
 */
static void note_break(const void *frame)
{
	uintptr_t now = current_break ? (uintptr_t)*current_break : 0;
	uintptr_t before = atomic_load_explicit(&seen_break, memory_order_relaxed);

	if (now == before || !atomic_compare_exchange_strong(&seen_break, &before, now))
		return;
	before = page_up(before);
	now = page_up(now);
	if (now > before) {
		ends(WK_HEAP_CALL_MMAP, before, 0, now - before, WRITABLE, PRIVATE, frame);
	} else if (now < before) {
		begins(WK_HEAP_CALL_MUNMAP, now, before - now, 0, 0);
		ends(WK_HEAP_CALL_MUNMAP, 0, now, before - now, 0, 0, frame);
	}
}

static _Atomic uint64_t *find_heap(uintptr_t base)
{
	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		_Atomic uint64_t *seen = &seen_heaps[(base / HEAP_BYTES + i) % MOST_HEAPS];
		uint64_t now = atomic_load_explicit(seen, memory_order_relaxed);

		if (!now || (now & ~(HEAP_BYTES - 1)) == base)
			return seen;
	}
	return NULL;
}

/* One that was there before another thread could say so, or that has become smaller, is new: it
 * was unmapped in between. */
static void note_heap(const void *block, const void *frame)
{
	uintptr_t base = (uintptr_t)block & ~(HEAP_BYTES - 1);
	const struct heap *heap = (const struct heap *)base;
	size_t size = heap->usable_size;
	_Atomic uint64_t *seen;
	uint64_t before;
	size_t known;

	if (!heap->arena || heap->size > size || size > HEAP_BYTES || size % WK_CHANNEL_PAGE)
		return;
	seen = find_heap(base);
	before = seen ? atomic_load_explicit(seen, memory_order_relaxed) : 0;
	known = (before & (HEAP_BYTES - 1)) * WK_CHANNEL_PAGE;
	if (!seen || (before && known == size) ||
	    !atomic_compare_exchange_strong(seen, &before, base | size / WK_CHANNEL_PAGE))
		return;
	if (!before && was_running)
		return;
	if (known == 0 || known > size) {
		ends(WK_HEAP_CALL_MMAP, base, 0, HEAP_BYTES, PROT_NONE, PRIVATE, frame);
		known = 0;
	}
	ends(WK_HEAP_CALL_MPROTECT, 0, base + known, size - known, WRITABLE, 0, frame);
}

static size_t head_of(const void *block)
{
	return ((const size_t *)block)[-1];
}

/* In front of a mapped block is the distance to the start of its mapping. */
static struct wk_space_pages pages_of(const void *block)
{
	const size_t *words = block;

	if (!has_glibc_heads || !block || !(head_of(block) & IS_MMAPPED))
		return (struct wk_space_pages){ 0 };
	return (struct wk_space_pages){ (uintptr_t)(words - 2) - words[-2],
					(words[-1] & ~IS_FLAG) + words[-2] };
}

void wk_space_allocated(const void *block, const void *frame)
{
	struct wk_space_pages pages = pages_of(block);

	if (WK_UNLIKELY(!is_ready))
		get_ready();
	if (!has_glibc_heads)
		return;
	if (pages.size)
		ends(WK_HEAP_CALL_MMAP, pages.start, 0, pages.size, WRITABLE, PRIVATE, frame);
	else if (!(head_of(block) & IS_OF_HEAP))
		note_break(frame);
	else if (has_heaps)
		note_heap(block, frame);
}

struct wk_space_pages wk_space_releasing(const void *block)
{
	struct wk_space_pages pages = pages_of(block);

	if (pages.size)
		begins(WK_HEAP_CALL_MUNMAP, pages.start, pages.size, 0, 0);
	return pages;
}

void wk_space_released(struct wk_space_pages before, const void *frame)
{
	if (before.size)
		ends(WK_HEAP_CALL_MUNMAP, 0, before.start, before.size, 0, 0, frame);
	else if (has_glibc_heads)
		note_break(frame);
}

/* How large it will be is not known yet, nor needed: what is there now may be unmapped. */
struct wk_space_pages wk_space_moving(const void *block)
{
	struct wk_space_pages pages = pages_of(block);

	if (pages.size)
		begins(WK_HEAP_CALL_MREMAP, pages.start, pages.size, 0, 0);
	return pages;
}

void wk_space_moved(struct wk_space_pages before, const void *moved, const void *frame)
{
	struct wk_space_pages after = pages_of(moved);

	if (!before.size && moved)
		wk_space_allocated(moved, frame);
	else if (before.size && after.size)
		ends(WK_HEAP_CALL_MREMAP, after.start, before.start, before.size, after.size, 0,
		     frame);
	else if (before.size)
		ends(WK_HEAP_CALL_MUNMAP, moved ? 0 : UINT64_MAX, before.start, before.size, 0, 0,
		     frame);
	if (before.size && moved && !after.size)
		wk_space_allocated(moved, frame);
}

/* ---- calls of the program */

/* A child that was forked, and a process that a recorder has switched on, begin with their first
 * call, before it changes anything. */
static bool is_wanted(void)
{
	struct wk_heap_thread *thread;

	if (!wk_space_is_wanted() && *wk_heap_state != WK_HEAP_WANTED)
		return false;
	if (*wk_heap_state == WK_HEAP_ON)
		return true;
	thread = wk_heap_busy ? NULL : wk_heap_enter();
	if (thread)
		wk_heap_leave(thread);
	return wk_space_is_wanted();
}

HOOK void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	bool is_noted = is_wanted();
	void *mapped = wk_real.mmap(at, size, rights, flags, fd, offset);

	if (is_noted && mapped != MAP_FAILED)
		ends(WK_HEAP_CALL_MMAP, (uintptr_t)mapped, 0, size, (uint64_t)rights,
		     (uint64_t)flags, MY_FRAME());
	return mapped;
}

HOOK int munmap(void *at, size_t size)
{
	bool is_noted = is_wanted();
	int result;

	if (is_noted)
		begins(WK_HEAP_CALL_MUNMAP, (uintptr_t)at, size, 0, 0);
	result = wk_real.munmap(at, size);
	if (is_noted)
		ends(WK_HEAP_CALL_MUNMAP, (uint64_t)result, (uintptr_t)at, size, 0, 0, MY_FRAME());
	return result;
}

HOOK void *mremap(void *at, size_t old_size, size_t size, int flags, ...)
{
	bool is_noted = is_wanted();
	void *to = NULL, *moved;
	va_list rest;

	va_start(rest, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) /* for the latter, a hint */
		to = va_arg(rest, void *);
	va_end(rest);
	if (is_noted)
		begins(WK_HEAP_CALL_MREMAP, (uintptr_t)at, old_size, size, (uint64_t)flags);
	moved = wk_real.mremap(at, old_size, size, flags, to);
	if (is_noted)
		ends(WK_HEAP_CALL_MREMAP, (uint64_t)moved, (uintptr_t)at, old_size, size,
		     (uint64_t)flags, MY_FRAME());
	return moved;
}

HOOK int mprotect(void *at, size_t size, int rights)
{
	bool is_noted = is_wanted();
	int result = wk_real.mprotect(at, size, rights);

	if (is_noted && result == 0)
		ends(WK_HEAP_CALL_MPROTECT, 0, (uintptr_t)at, size, (uint64_t)rights, 0,
		     MY_FRAME());
	return result;
}

HOOK int pkey_mprotect(void *at, size_t size, int rights, int key)
{
	bool is_noted = is_wanted();
	int result = wk_real.pkey_mprotect(at, size, rights, key);

	if (is_noted && result == 0)
		ends(WK_HEAP_CALL_MPROTECT, 0, (uintptr_t)at, size, (uint64_t)rights, 0,
		     MY_FRAME());
	return result;
}

HOOK int madvise(void *at, size_t size, int advice)
{
	bool is_noted = is_wanted();
	int result = wk_real.madvise(at, size, advice);

	/* Parts that are not mapped are passed over, and reported. */
	if (is_noted && (result == 0 || errno == ENOMEM))
		ends(WK_HEAP_CALL_MADVISE, 0, (uintptr_t)at, size, (uint64_t)advice, 0, MY_FRAME());
	return result;
}

HOOK int brk(void *end)
{
	bool is_noted = is_wanted();
	int result = wk_real.brk(end);

	if (is_noted)
		note_break(MY_FRAME());
	return result;
}

HOOK void *sbrk(intptr_t change)
{
	bool is_noted = change && is_wanted();
	void *before = wk_real.sbrk(change);

	if (is_noted)
		note_break(MY_FRAME());
	return before;
}

/* ---- the same by other names */

HOOK void *mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

void *wk_hook_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
	SAME_AS(mmap);
void *wk_hook_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset)
	SAME_AS(mmap);
int wk_hook_munmap(void *at, size_t size) SAME_AS(munmap);
void *wk_hook_mremap(void *at, size_t old_size, size_t size, int flags, ...) SAME_AS(mremap);
int wk_hook_mprotect(void *at, size_t size, int rights) SAME_AS(mprotect);
int wk_hook_pkey_mprotect(void *at, size_t size, int rights, int key) SAME_AS(pkey_mprotect);
int wk_hook_madvise(void *at, size_t size, int advice) SAME_AS(madvise);
int wk_hook_brk(void *end) SAME_AS(brk);
void *wk_hook_sbrk(intptr_t change) SAME_AS(sbrk);
