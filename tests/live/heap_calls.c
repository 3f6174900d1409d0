/* heap_calls CASE LOG: each function of the allocator, also where it fails. */
#define _GNU_SOURCE /* reallocarray */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_count.h"

#define MOST ((size_t)PTRDIFF_MAX)

/* Hidden from the compiler, which knows that such sizes cannot be. */
static volatile size_t too_much = MOST, times_two = 2;

__attribute__((noinline)) static void aligned(void)
{
	void *blocks[HEAP_FUNCTIONS] = { 0 };
	static const size_t alignments[] = { 16, 64, 4096, 65536 };

	for (size_t i = 0; i < 4; i++) {
		for (int f = HEAP_POSIX_MEMALIGN; f <= HEAP_PVALLOC; f++) {
			blocks[f] =
				heap_aligned((enum heap_function)f, alignments[i], 1000 + 64 * i);
			heap_expect(blocks[f] != NULL, "an aligned block");
			memset(blocks[f], 1, 1000);
		}
		if (i == 3)
			return; /* these stay */
		for (int f = HEAP_POSIX_MEMALIGN; f <= HEAP_PVALLOC; f++)
			heap_free(blocks[f], f == HEAP_PVALLOC ? 4096 : 1000 + 64 * i);
	}
}

__attribute__((noinline)) static void aligned_fail(void)
{
	void *block = &block;

	heap_expect(posix_memalign(&block, 3, 100) == EINVAL, "EINVAL of an odd alignment");
	heap_expect(block == &block, "a pointer that is left alone");
	errno = 0;
	heap_expect(!heap_aligned(HEAP_MEMALIGN, 64, too_much), "no such block");
	heap_expect(errno == ENOMEM, "ENOMEM of memalign");
	heap_expect(!heap_aligned(HEAP_ALIGNED_ALLOC, 64, too_much), "no such block");
	heap_expect(!heap_aligned(HEAP_VALLOC, 0, too_much), "no such block");
	heap_expect(!heap_aligned(HEAP_POSIX_MEMALIGN, 64, too_much), "no such block");
}

__attribute__((noinline)) static void moves(void)
{
	char *block = heap_realloc(NULL, 0, 100);
	size_t size = 100;

	memset(block, 7, 100);
	for (int i = 0; i < 12; i++) { /* from the heap to a mapping of its own */
		block = heap_realloc(block, size, size * 2);
		size *= 2;
		heap_expect(block[99] == 7, "what was written");
	}
	for (int i = 0; i < 6; i++) {
		block = heap_realloc(block, size, size / 4);
		size /= 4;
	}
	heap_expect(block[50] == 7, "what was written");
	block = heap_reallocarray(block, size, 300, 5);
	heap_free(block, 1500);
	block = heap_reallocarray(NULL, 0, 7, 11);
	heap_expect(block != NULL, "an array");
}

__attribute__((noinline)) static void move_to_nothing(void)
{
	void *block = heap_malloc(5000);

	heap_expect(heap_realloc(block, 5000, 0) == NULL, "realloc to no bytes frees");
	block = heap_realloc(NULL, 0, 0);
	heap_expect(block != NULL, "a block of no bytes");
	heap_free(block, 0);
	heap_malloc(5000); /* likely where the first one was */
}

__attribute__((noinline)) static void moves_fail(void)
{
	char *block = heap_malloc(777);

	strcpy(block, "still here");
	for (int i = 0; i < 3; i++) {
		errno = 0;
		heap_expect(!heap_realloc(block, 777, too_much), "realloc fails");
		heap_expect(errno == ENOMEM, "ENOMEM of realloc");
		errno = 0;
		heap_expect(!heap_reallocarray(block, 777, too_much, times_two), "an overflow");
		heap_expect(errno == ENOMEM, "ENOMEM of reallocarray");
		heap_expect(!heap_reallocarray(block, 777, too_much / 4, times_two), "too much");
	}
	heap_expect(strcmp(block, "still here") == 0, "what was written");
}

__attribute__((noinline)) static void zeros(void)
{
	void *empty[3];
	char *block;

	for (int i = 0; i < 3; i++)
		empty[i] = heap_malloc(0);
	heap_expect(empty[0] && empty[0] != empty[1], "different blocks of no bytes");
	heap_free(empty[0], 0);
	heap_free(NULL, 0);
	free(NULL);
	errno = 0;
	heap_expect(!heap_calloc(too_much, times_two * 2), "an overflow of calloc");
	heap_expect(errno == ENOMEM, "ENOMEM of calloc");
	block = heap_calloc(0, 100);
	heap_free(block, 0);
	block = heap_calloc(123, 7);
	for (int i = 0; i < 123 * 7; i++)
		heap_expect(block[i] == 0, "zeros");
}

/* More than 32 bits of bytes, in one block and in all. */
__attribute__((noinline)) static void large(void)
{
	size_t size = (size_t)5 << 30;
	void *block = heap_malloc(size), *other;

	heap_expect(block != NULL, "5 GiB of addresses");
	block = heap_realloc(block, size, size + 12345);
	heap_expect(block != NULL, "5 GiB of addresses, elsewhere");
	other = heap_calloc((size_t)3 << 20, 2048);
	heap_expect(other != NULL, "6 GiB of zeros");
	heap_free(other, (size_t)6 << 30);
	for (int i = 0; i < 10; i++)
		heap_free(heap_malloc(size), size);
}

/* errno is the program's, whatever is recorded meanwhile. */
__attribute__((noinline)) static void errors(void)
{
	for (int i = 0; i < 20000; i++) {
		void *block;

		errno = 77;
		block = heap_malloc(40 + (size_t)i % 50);
		heap_expect(errno == 77, "errno after malloc");
		free(NULL);
		heap_free(block, 40 + (size_t)i % 50);
		heap_expect(errno == 77, "errno after free");
	}
}

/* What a usable size is belongs to the allocator. */
__attribute__((noinline)) static void usable(void)
{
	void *block = heap_malloc(1001);

	heap_expect(malloc_usable_size(block) >= 1001 && malloc_usable_size(block) < 1100,
		    "a usable size");
	memset(block, 1, malloc_usable_size(block));
	heap_free(block, 1001);
}

static const struct heap_work works[] = {
	{ "aligned", aligned },       { "aligned-fail", aligned_fail },
	{ "moves", moves },           { "move-to-nothing", move_to_nothing },
	{ "moves-fail", moves_fail }, { "zeros", zeros },
	{ "large", large },           { "errors", errors },
	{ "usable", usable },
};

int main(int argc, char **argv)
{
	return heap_run(works, sizeof(works) / sizeof(works[0]), argc, argv);
}
