#include "preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/internal.h"

#define STORE_BYTES (64u << 10)
#define ALIGNMENT   16
#define LINE        64

/* A block is preceded by its size. */
static _Alignas(LINE) uint8_t store[STORE_BYTES];
static _Atomic size_t used;
static _Atomic int is_looking;

bool wk_real_is_stored(const void *block)
{
	const uint8_t *at = block;

	return at >= store && at < store + STORE_BYTES;
}

size_t wk_real_stored_size(const void *block)
{
	size_t size;

	memcpy(&size, (const uint8_t *)block - ALIGNMENT, sizeof(size));
	return size;
}

static void *take(size_t size)
{
	size_t whole = ALIGNMENT + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, at;

	if (size > STORE_BYTES / 2)
		return NULL;
	at = atomic_fetch_add(&used, whole);
	if (at + whole > STORE_BYTES)
		return NULL;
	memcpy(store + at, &size, sizeof(size));
	wk_heap_sample_avoid(store + at + ALIGNMENT);
	return store + at + ALIGNMENT;
}

void wk_real_each_stored(void (*see)(const void *block))
{
	size_t end = atomic_load(&used);

	for (size_t at = 0; at < end && at < STORE_BYTES; at += LINE)
		see(store + at);
}

/* In a program at fixed addresses that uses a function's address, that is the address of its PLT
 * entry, which dlsym finds and which leads to the hook. */
static bool is_in_program(const void *function)
{
	Dl_info found, program;

	return dladdr(function, &found) && dladdr((const void *)getauxval(AT_PHDR), &program) &&
	       found.dli_fbase == program.dli_fbase;
}

/* In the first library that has it, in the order in which the loader looks for it. Their handles
 * are not given back: what a program begins with stays loaded. */
static void *find_in_libraries(const char *name)
{
	struct link_map *map = dlopen(NULL, RTLD_LAZY);

	for (map = map ? map->l_next : NULL; map; map = map->l_next) {
		void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
		void *function = library ? dlsym(library, name) : NULL;
		Dl_info found;

		if (function && dladdr(function, &found) &&
		    (uintptr_t)found.dli_fbase == map->l_addr)
			return function;
	}
	return NULL;
}

/* Loaded later, this library is not what the program calls. */
void *wk_real_find(const char *name)
{
	void *function = dlsym(wk_heap_is_late ? RTLD_DEFAULT : RTLD_NEXT, name);

	return function && wk_heap_is_late && is_in_program(function) ? find_in_libraries(name)
								      : function;
}

static void *call_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, size, rights, flags, fd, offset);
}

static int call_munmap(void *at, size_t size)
{
	return (int)syscall(SYS_munmap, at, size);
}

static void *call_mremap(void *at, size_t old_size, size_t size, int flags, ...)
{
	va_list rest;
	void *to;

	va_start(rest, flags);
	to = va_arg(rest, void *);
	va_end(rest);
	return (void *)syscall(SYS_mremap, at, old_size, size, flags, to);
}

static int call_mprotect(void *at, size_t size, int rights)
{
	return (int)syscall(SYS_mprotect, at, size, rights);
}

static int call_pkey_mprotect(void *at, size_t size, int rights, int key)
{
	return (int)syscall(SYS_pkey_mprotect, at, size, rights, key);
}

static int call_madvise(void *at, size_t size, int advice)
{
	return (int)syscall(SYS_madvise, at, size, advice);
}

/* What the libraries of this program do not have. */
static void keep_calls(struct wk_real *found)
{
	found->mmap = found->mmap ? found->mmap : call_mmap;
	found->munmap = found->munmap ? found->munmap : call_munmap;
	found->mremap = found->mremap ? found->mremap : call_mremap;
	found->mprotect = found->mprotect ? found->mprotect : call_mprotect;
	found->pkey_mprotect = found->pkey_mprotect ? found->pkey_mprotect : call_pkey_mprotect;
	found->madvise = found->madvise ? found->madvise : call_madvise;
}

/* All at once: any of them may be the first that is called. Done by two threads at the same time,
 * both find the same. */
static bool look_up(void)
{
	static const struct {
		const char *name;
		size_t at;
	} functions[] = {
#define REAL(function) { #function, offsetof(struct wk_real, function) }
		REAL(malloc),         REAL(calloc),
		REAL(realloc),        REAL(free),
		REAL(posix_memalign), REAL(aligned_alloc),
		REAL(memalign),       REAL(valloc),
		REAL(pvalloc),        REAL(malloc_usable_size),
		REAL(dlclose),        REAL(mmap),
		REAL(munmap),         REAL(mremap),
		REAL(mprotect),       REAL(pkey_mprotect),
		REAL(madvise),        REAL(brk),
		REAL(sbrk),
#undef REAL
	};
	struct wk_real found = { 0 };
	int saved = errno;

	if (atomic_exchange(&is_looking, 1))
		return false;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = wk_real_find(functions[i].name);

		memcpy((char *)&found + functions[i].at, &function, sizeof(function));
	}
	keep_calls(&found);
	if (found.malloc && found.free)
		wk_real = found;
	atomic_store(&is_looking, 0);
	errno = saved;
	return found.malloc && found.free;
}

static void *first_malloc(size_t size)
{
	return look_up() ? wk_real.malloc(size) : take(size);
}

static void *first_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return look_up() ? wk_real.calloc(count, size) : take(bytes);
}

static void *first_realloc(void *block, size_t size)
{
	return look_up() ? wk_real.realloc(block, size) : NULL;
}

/* No other function can have returned it. */
static void first_free(void *block)
{
	if (look_up())
		wk_real.free(block);
}

static int first_posix_memalign(void **block, size_t alignment, size_t size)
{
	return look_up() ? wk_real.posix_memalign(block, alignment, size) : ENOMEM;
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
	return look_up() ? wk_real.aligned_alloc(alignment, size) : NULL;
}

static void *first_memalign(size_t alignment, size_t size)
{
	return look_up() ? wk_real.memalign(alignment, size) : NULL;
}

static void *first_valloc(size_t size)
{
	return look_up() ? wk_real.valloc(size) : NULL;
}

static void *first_pvalloc(size_t size)
{
	return look_up() ? wk_real.pvalloc(size) : NULL;
}

static size_t first_usable_size(void *block)
{
	return look_up() ? wk_real.malloc_usable_size(block) : 0;
}

static int first_dlclose(void *library)
{
	return look_up() ? wk_real.dlclose(library) : -1;
}

static int first_brk(void *end)
{
	if (look_up() && wk_real.brk)
		return wk_real.brk(end);
	errno = ENOMEM;
	return -1;
}

static void *first_sbrk(intptr_t change)
{
	if (look_up() && wk_real.sbrk)
		return wk_real.sbrk(change);
	errno = ENOMEM;
	return (void *)-1;
}

struct wk_real wk_real = {
	.malloc = first_malloc,
	.calloc = first_calloc,
	.realloc = first_realloc,
	.free = first_free,
	.posix_memalign = first_posix_memalign,
	.aligned_alloc = first_aligned_alloc,
	.memalign = first_memalign,
	.valloc = first_valloc,
	.pvalloc = first_pvalloc,
	.malloc_usable_size = first_usable_size,
	.dlclose = first_dlclose,
	.mmap = call_mmap,
	.munmap = call_munmap,
	.mremap = call_mremap,
	.mprotect = call_mprotect,
	.pkey_mprotect = call_pkey_mprotect,
	.madvise = call_madvise,
	.brk = first_brk,
	.sbrk = first_sbrk,
};

bool wk_real_is_found(void)
{
	return wk_real.malloc != first_malloc;
}
