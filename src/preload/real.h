/* The functions that this library stands before: those of the next library that has them.
 *
 * They are looked up at the first call. What is asked for meanwhile, by the lookup itself, comes
 * from a small store of memory that is never given back. */
#ifndef WK_PRELOAD_REAL_H
#define WK_PRELOAD_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wk_real {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *block, size_t size);
	void (*free)(void *block);
	int (*posix_memalign)(void **block, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	size_t (*malloc_usable_size)(void *block);
	int (*dlclose)(void *library);

	/* Before they are looked up, these are system calls. */
	void *(*mmap)(void *at, size_t size, int rights, int flags, int fd, off_t offset);
	int (*munmap)(void *at, size_t size);
	void *(*mremap)(void *at, size_t old_size, size_t size, int flags, ...);
	int (*mprotect)(void *at, size_t size, int rights);
	int (*pkey_mprotect)(void *at, size_t size, int rights, int key);
	int (*madvise)(void *at, size_t size, int advice);

	int (*brk)(void *end);
	void *(*sbrk)(intptr_t change);
};

extern struct wk_real wk_real;

/* The function that the program calls by this name, or would call without this library. */
void *wk_real_find(const char *name);

/* Have they been looked up? Then the hooks were called. */
bool wk_real_is_found(void);

/* Is `block` from the store? It is never freed, and has no other function's form. */
bool wk_real_is_stored(const void *block);
size_t wk_real_stored_size(const void *block);

/* An address of each line of memory in which there are such blocks. */
void wk_real_each_stored(void (*see)(const void *block));

#endif
