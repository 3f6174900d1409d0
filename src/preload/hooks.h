/* The hooks by names of their own. By those that programs call, a library that was loaded later
 * would reach the allocator itself. */
#ifndef WK_PRELOAD_HOOKS_H
#define WK_PRELOAD_HOOKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

void *wk_hook_malloc(size_t size);
void *wk_hook_calloc(size_t count, size_t size);
void *wk_hook_realloc(void *block, size_t size);
void *wk_hook_reallocarray(void *block, size_t count, size_t size);
void wk_hook_free(void *block);
int wk_hook_posix_memalign(void **block, size_t alignment, size_t size);
void *wk_hook_aligned_alloc(size_t alignment, size_t size);
void *wk_hook_memalign(size_t alignment, size_t size);
void *wk_hook_valloc(size_t size);
void *wk_hook_pvalloc(size_t size);
void wk_hook_cfree(void *block);
void wk_hook_free_sized(void *block, size_t size);
void wk_hook_free_aligned_sized(void *block, size_t alignment, size_t size);
int wk_hook_dlclose(void *library);

void *wk_hook_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset);
void *wk_hook_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset);
int wk_hook_munmap(void *at, size_t size);
void *wk_hook_mremap(void *at, size_t old_size, size_t size, int flags, ...);
int wk_hook_mprotect(void *at, size_t size, int rights);
int wk_hook_pkey_mprotect(void *at, size_t size, int rights, int key);
int wk_hook_madvise(void *at, size_t size, int advice);
int wk_hook_brk(void *end);
void *wk_hook_sbrk(intptr_t change);

/* How they are defined. */
#if __has_attribute(copy)
#define AS_KNOWN(function) __attribute__((copy(function)))
#else
#define AS_KNOWN(function)
#endif
#define SAME_AS(function) AS_KNOWN(function) __attribute__((alias(#function), visibility("hidden")))

#endif
