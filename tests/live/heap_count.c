#define _GNU_SOURCE /* memalign, pvalloc */
#include "heap_count.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTED __attribute__((section("heap_counted"), noinline))

/* Made by the linker. */
extern const char __start_heap_counted[], __stop_heap_counted[];
int main(int argc, char **argv);

static const char *const names[HEAP_FUNCTIONS] = {
	"malloc",	 "calloc",   "realloc", "reallocarray", "posix_memalign",
	"aligned_alloc", "memalign", "valloc",	"pvalloc",
};

struct sum {
	_Atomic uint64_t times, bytes;
};

static struct sum allocated[HEAP_FUNCTIONS], freed;
static char log_path[4096];

static void add(struct sum *sum, size_t bytes)
{
	atomic_fetch_add(&sum->times, 1);
	atomic_fetch_add(&sum->bytes, bytes);
}

void heap_count_allocated(enum heap_function function, size_t size)
{
	add(&allocated[function], size);
}

void heap_count_freed(size_t size)
{
	add(&freed, size);
}

void heap_count_begin(const char *path)
{
	if (path)
		snprintf(log_path, sizeof(log_path), "%s", path);
}

void heap_count_child(void)
{
	for (int i = 0; i < HEAP_FUNCTIONS; i++)
		allocated[i].times = allocated[i].bytes = 0;
	freed.times = freed.bytes = 0;
}

static void append(const char *line)
{
	int fd = log_path[0] ? open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0)
		_exit(3);
	close(fd);
}

void heap_count_log(void)
{
	char line[1024];
	int pid = (int)getpid();
	size_t used = (size_t)snprintf(line, sizeof(line), "range %d %p %p\nplace %d main %p\n",
				       pid, (const void *)__start_heap_counted,
				       (const void *)__stop_heap_counted, pid,
				       (const void *)(uintptr_t)main);

	for (int i = 0; i < HEAP_FUNCTIONS; i++)
		if (allocated[i].times)
			used += (size_t)snprintf(line + used, sizeof(line) - used,
						 "allocated %d %s %llu %llu\n", pid, names[i],
						 (unsigned long long)allocated[i].times,
						 (unsigned long long)allocated[i].bytes);
	snprintf(line + used, sizeof(line) - used, "freed %d %llu %llu\n", pid,
		 (unsigned long long)freed.times, (unsigned long long)freed.bytes);
	append(line);
}

void heap_expect(int claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not as expected: %s\n", what);
	_exit(4);
}

/* ---- counted calls */

static void *note(void *block, enum heap_function function, size_t size)
{
	if (block)
		add(&allocated[function], size);
	return block;
}

COUNTED void *heap_malloc(size_t size)
{
	void *block = malloc(size);

	return note(block, HEAP_MALLOC, size);
}

COUNTED void *heap_calloc(size_t count, size_t size)
{
	void *block = calloc(count, size);

	return note(block, HEAP_CALLOC, count * size);
}

COUNTED void *heap_aligned(enum heap_function function, size_t alignment, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *block = NULL;

	switch (function) {
	case HEAP_POSIX_MEMALIGN:
		if (posix_memalign(&block, alignment, size) != 0)
			return NULL;
		break;
	case HEAP_ALIGNED_ALLOC:
		block = aligned_alloc(alignment, size);
		break;
	case HEAP_MEMALIGN:
		block = memalign(alignment, size);
		break;
	case HEAP_VALLOC:
		block = valloc(size);
		break;
	default:
		block = pvalloc(size);
		size = (size + page - 1) / page * page;
		break;
	}
	return note(block, function, size);
}

static void note_moved(void *block, void *moved, size_t old, enum heap_function function,
		       size_t size)
{
	if (block && (moved || !size))
		add(&freed, old);
	note(moved, function, size);
}

/* A variable, so that the compiler does not know what becomes of the block. */
static void *(*volatile realloc_here)(void *, size_t) = realloc;

COUNTED void *heap_realloc(void *block, size_t old, size_t size)
{
	void *moved = realloc_here(block, size);

	note_moved(block, moved, old, HEAP_REALLOC, size);
	return moved;
}

COUNTED void *heap_reallocarray(void *block, size_t old, size_t count, size_t size)
{
	size_t bytes = 0;
	void *moved = reallocarray(block, count, size);

	if (!__builtin_mul_overflow(count, size, &bytes))
		note_moved(block, moved, old, HEAP_REALLOCARRAY, bytes);
	return moved;
}

COUNTED void heap_free(void *block, size_t size)
{
	if (block)
		add(&freed, size);
	free(block);
}

int heap_run(const struct heap_work *works, size_t count, int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < count; i++)
		if (strcmp(argv[1], works[i].name) == 0) {
			heap_count_begin(argc > 2 ? argv[2] : NULL);
			works[i].work();
			heap_count_log();
			printf("%s done\n", argv[1]);
			return 7;
		}
	return 2;
}
