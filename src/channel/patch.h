/* Functions of allocators that the heap library records by changing how they begin.
 *
 * A jump to the library replaces the first instructions of a function. Code that does what they
 * did, and goes on behind them, is written by the recorder, which reads the program's file; the
 * library puts it near the function, and fills in what depends on where that is. */
#ifndef WK_CHANNEL_PATCH_H
#define WK_CHANNEL_PATCH_H

#include <stdint.h>

/* What a function does with its arguments. */
enum wk_allocator_call {
	WK_ALLOCATOR_NONE,
	WK_ALLOCATOR_MALLOC,         /* (size) */
	WK_ALLOCATOR_CALLOC,         /* (count, size) */
	WK_ALLOCATOR_REALLOC,        /* (block, size) */
	WK_ALLOCATOR_REALLOCARRAY,   /* (block, count, size) */
	WK_ALLOCATOR_POSIX_MEMALIGN, /* (&block, alignment, size) */
	WK_ALLOCATOR_FREE,           /* (block) */
	WK_ALLOCATOR_MALLOC_BEHIND,  /* these three behind another argument: an alignment, a heap */
	WK_ALLOCATOR_CALLOC_BEHIND,
	WK_ALLOCATOR_REALLOC_BEHIND,
	WK_ALLOCATOR_PVALLOC,  /* (size), in whole pages */
	WK_ALLOCATOR_INTERNAL, /* nothing that it calls counts */
	WK_ALLOCATOR_CALLS,
};

#define WK_PATCH_JUMP_BYTES  5  /* of a jump to an address within 2 GiB */
#define WK_PATCH_TAKEN_BYTES 20 /* the most that it replaces */
#define WK_PATCH_CODE_BYTES  80
#define WK_PATCH_FIXES       8

/* In the code: the distance of `target` from the end of these four bytes, or its address in eight.
 * `target` counts from the function's start. */
struct wk_patch_fix {
	int64_t target;
	uint8_t at;
	uint8_t is_absolute;
};

struct wk_patch_code {
	uint8_t taken; /* bytes of the function: whole instructions, */
	uint8_t first; /* and those of the first one */
	uint8_t byte_count;
	uint8_t fix_count;
	uint8_t expected[WK_PATCH_TAKEN_BYTES]; /* those bytes */
	uint8_t bytes[WK_PATCH_CODE_BYTES];
	struct wk_patch_fix fixes[WK_PATCH_FIXES];
};

struct wk_channel_patch {
	uint64_t device, inode; /* of the file */
	uint64_t vaddr;         /* of the function, as in the file */
	uint32_t call;          /* enum wk_allocator_call */
	uint32_t function;      /* enum wk_heap_function */
	struct wk_patch_code code;
};

#endif
