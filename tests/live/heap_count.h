/* Programs whose heap is recorded: calls of the allocator that the program counts itself.
 *
 * All of them are in one section, so that a recording can be divided into these calls and those of
 * libc: the innermost frame of a counted allocation is between the addresses that the log names.
 *
 * Order of calls: heap_count_begin first, heap_count_child in a child that was forked,
 * heap_count_log at the end of each process. Counting is safe in threads and in handlers. */
#ifndef WK_TESTS_HEAP_COUNT_H
#define WK_TESTS_HEAP_COUNT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heap_function {
	HEAP_MALLOC,
	HEAP_CALLOC,
	HEAP_REALLOC,
	HEAP_REALLOCARRAY,
	HEAP_POSIX_MEMALIGN,
	HEAP_ALIGNED_ALLOC,
	HEAP_MEMALIGN,
	HEAP_VALLOC,
	HEAP_PVALLOC,
	HEAP_FUNCTIONS
};

/* Lines are appended to the file `path`; NULL: nothing is written. */
void heap_count_begin(const char *path);

/* From now on the calls of this process are counted, not those of its parent. */
void heap_count_child(void);

/* Appends what the process has counted until now. */
void heap_count_log(void);

/* NULL if the allocator gives none; nothing is counted then. */
void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);
void *heap_aligned(enum heap_function function, size_t alignment, size_t size);

/* `old` is the size of `block`, which may be NULL. */
void *heap_realloc(void *block, size_t old, size_t size);
void *heap_reallocarray(void *block, size_t old, size_t count, size_t size);
void heap_free(void *block, size_t size);

/* For allocations that are made some other way, as by operator new. */
void heap_count_allocated(enum heap_function function, size_t size);
void heap_count_freed(size_t size);

/* A case of a program, by the name that is its first argument; the second one is the file of
 * heap_count_begin. */
struct heap_work {
	const char *name;
	void (*work)(void);
};

/* Counts the allocations of a case. What main returns: 7, or 2 if there is no such case. */
int heap_run(const struct heap_work *works, size_t count, int argc, char **argv);

/* Ends the program if a claim about the allocator is wrong. */
void heap_expect(int claim, const char *what);

#ifdef __cplusplus
}
#endif

#endif
