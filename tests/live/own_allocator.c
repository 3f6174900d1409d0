/* An allocator with names of its own, for programs that are compiled with -Dmalloc=my_alloc and so
 * on. Blocks of a power of two, each behind its size, from memory that is never given back. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HEAD    16
#define LEAST   5
#define MOST    40
#define AT_ONCE (UINT64_C(1) << 20)

void *my_alloc(size_t size);
void *my_zalloc(size_t count, size_t size);
void *my_resize(void *block, size_t size);
void my_release(void *block);

struct block {
	size_t size;
	struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *unused[MOST];
static char *fresh, *fresh_end;

static unsigned class_of(size_t size)
{
	unsigned class = LEAST;

	while (class < MOST && (size_t)1 << class < size + HEAD)
		class ++;
	return class;
}

static struct block *take(unsigned class)
{
	struct block *block = unused[class];
	size_t bytes = (size_t)1 << class;

	if (block) {
		unused[class] = block->next;
		return block;
	}
	if ((size_t)(fresh_end - fresh) < bytes) {
		size_t more = bytes > AT_ONCE ? bytes : AT_ONCE;

		fresh = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
		fresh_end = fresh + more;
	}
	block = (struct block *)(void *)fresh;
	fresh += bytes;
	return block;
}

__attribute__((noinline)) void *my_alloc(size_t size)
{
	struct block *block;

	if (size > PTRDIFF_MAX / 4)
		return NULL;
	pthread_mutex_lock(&lock);
	block = take(class_of(size));
	pthread_mutex_unlock(&lock);
	block->size = size;
	return (char *)block + HEAD;
}

__attribute__((noinline)) void *my_zalloc(size_t count, size_t size)
{
	size_t bytes;
	void *block = NULL;

	if (!__builtin_mul_overflow(count, size, &bytes))
		block = my_alloc(bytes);
	return block ? memset(block, 0, bytes) : NULL;
}

__attribute__((noinline)) void my_release(void *memory)
{
	struct block *block = (struct block *)(void *)((char *)memory - HEAD);
	unsigned class;

	if (!memory)
		return;
	pthread_mutex_lock(&lock);
	class = class_of(block->size);
	block->next = unused[class];
	unused[class] = block;
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void *my_resize(void *memory, size_t size)
{
	struct block *block = (struct block *)(void *)((char *)memory - HEAD);
	void *moved;

	if (!memory)
		return my_alloc(size);
	if (!size) {
		my_release(memory);
		return NULL;
	}
	moved = my_alloc(size);
	if (!moved)
		return NULL;
	memcpy(moved, memory, block->size < size ? block->size : size);
	my_release(memory);
	return moved;
}
