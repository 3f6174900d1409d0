/* Changes its address space in ways that split, merge, replace and move mappings. At the end of
 * each case it copies what the system says of itself to a file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static const char *copy_path;

static void need(int claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not as expected: %s\n", what);
	_exit(4);
}

/* By system calls alone, so that copying changes nothing; then the process ends with the memory
 * that it had. */
static void copy_and_end(void)
{
	char bytes[16384];
	int in = open("/proc/self/smaps", O_RDONLY);
	int out = open(copy_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t got;

	need(in >= 0 && out >= 0, "files");
	while ((got = read(in, bytes, sizeof(bytes))) > 0)
		need(write(out, bytes, (size_t)got) == got, "a copy");
	_exit(7);
}

static char *map(size_t size, int rights, int flags)
{
	char *at = mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	need(at != MAP_FAILED, "a mapping");
	return at;
}

__attribute__((noinline)) static char *map_writable(size_t size)
{
	return map(size, PROT_READ | PROT_WRITE, 0);
}

__attribute__((noinline)) static char *reserve(size_t size)
{
	return map(size, PROT_NONE, 0);
}

/* ---- cases */

static void split(void)
{
	char *at = map_writable(80 * MIB);

	munmap(at + 10 * MIB, 5 * MIB);
	munmap(at, MIB);
	munmap(at + 60 * MIB, 10 * MIB);
	munmap(at + 8 * MIB, 12 * MIB);
}

static void grow(void)
{
	char *at = reserve(200 * MIB), *byte = sbrk(0);

	for (size_t i = 0; i < 40; i++)
		need(mprotect(at + i * MIB, MIB, PROT_READ | PROT_WRITE) == 0, "a right");
	need(mprotect(at + 10 * MIB, 100 * MIB, PROT_READ | PROT_WRITE) == 0, "more rights");
	need(mprotect(at + 20 * MIB, 30 * MIB, PROT_NONE) == 0, "no rights");
	at[60 * MIB] = 1;
	need(mprotect(at + 60 * MIB, 5 * MIB, PROT_READ) == 0, "fewer rights");
	need(sbrk(3 * MIB) == byte && sbrk(-(long)MIB) != (void *)-1, "a break");
}

static void move(void)
{
	char *at = map_writable(10 * MIB);
	char *to = map(100 * MIB, PROT_NONE, MAP_NORESERVE);

	at = mremap(at, 10 * MIB, 50 * MIB, MREMAP_MAYMOVE);
	need(at != MAP_FAILED, "a larger one");
	need(mremap(at, 50 * MIB, 30 * MIB, 0) == at, "a smaller one");
	at = mremap(at, 30 * MIB, 40 * MIB, MREMAP_MAYMOVE | MREMAP_FIXED, to + 5 * MIB);
	need(at == to + 5 * MIB, "a given place");
	munmap(at + 3 * MIB, MIB);
}

static void replace(void)
{
	char *at = map_writable(20 * MIB);
	int file = memfd_create("a file", 0);

	need(file >= 0 && ftruncate(file, 4 * (off_t)MIB) == 0, "a file");
	need(mmap(at + MIB, 2 * MIB, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == at + MIB,
	     "a file there");
	need(mmap(at + 5 * MIB, 2 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		  0) != MAP_FAILED,
	     "nothing there");
	need(mmap(at + 9 * MIB, 2 * MIB, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED,
	     "a shared file there");
	need(mmap(NULL, 7 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
		     MAP_FAILED,
	     "shared memory");
	madvise(at + 11 * MIB, 4 * MIB, MADV_DONTNEED);
}

static void fail(void)
{
	char *at = map_writable(5 * MIB);

	need(mmap(NULL, (size_t)1 << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		     MAP_FAILED,
	     "too much");
	need(mprotect(at + 1, MIB, PROT_NONE) != 0, "rights at an odd place");
	need(mremap(at, 5 * MIB, (size_t)1 << 60, MREMAP_MAYMOVE) == MAP_FAILED, "too large");
	need(munmap(at + 1, MIB) != 0, "a mapping at an odd place");
}

static void *map_and_unmap(void *context)
{
	for (int i = 0; i < 100; i++) {
		char *at = map_writable((size_t)(1 + i % 7) * 64 * 1024);

		*at = 1;
		munmap(at, (size_t)(1 + i % 7) * 64 * 1024);
	}
	return context;
}

/* They are given each other's addresses all the time; not so often that a recorder that does not
 * come to its turn would lose some. */
static void threads(void)
{
	pthread_t all[4];

	for (int i = 0; i < 4; i++)
		need(pthread_create(&all[i], NULL, map_and_unmap, NULL) == 0, "a thread");
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < 2000; i++)
		memset(malloc(10000), 1, 10000);
	usleep(400000); /* libc keeps stacks, which a recorder finds when it looks */
}

static void forked(void)
{
	char *at = reserve(50 * MIB);
	pid_t child;

	map_writable(8 * MIB);
	need(mprotect(at, 10 * MIB, PROT_READ | PROT_WRITE) == 0, "a right");
	child = fork();
	if (child) {
		int status;

		need(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7, "a child");
		_exit(7);
	}
	need(mprotect(at, 30 * MIB, PROT_READ | PROT_WRITE) == 0, "more in the child");
	map_writable(2 * MIB);
}

__attribute__((noinline)) static void malloc_large(void)
{
	for (int i = 0; i < 10; i++)
		memset(malloc(5 * MIB), 1, 5 * MIB);
}

__attribute__((noinline)) static void malloc_small(void)
{
	for (int i = 0; i < 20000; i++)
		*(volatile char *)malloc(1040) = 1;
}

__attribute__((noinline)) static void *malloc_in_thread(void *context)
{
	for (int i = 0; i < 20000; i++)
		*(volatile char *)malloc(1040) = 1;
	return context;
}

__attribute__((noinline)) static void realloc_large(void)
{
	char *block = malloc(MIB);

	for (size_t i = 2; i <= 50; i++) {
		block = realloc(block, i * MIB);
		need(block != NULL, "a larger block");
		block[i * MIB - 1] = 1;
	}
	free(block);
	for (int i = 0; i < 10; i++) {
		char *volatile one = malloc(5 * MIB);

		*one = 1;
		free(one);
	}
}

static void allocate(void)
{
	pthread_t thread;

	malloc_large();
	malloc_small();
	need(pthread_create(&thread, NULL, malloc_in_thread, NULL) == 0, "a thread");
	pthread_join(thread, NULL);
	realloc_large();
}

static void fill(void)
{
	char *at = map_writable(300 * MIB);

	for (size_t i = 0; i < 300; i += 10) {
		memset(at + i * MIB, 1, 10 * MIB);
		usleep(2000);
	}
	munmap(at, 200 * MIB);
	usleep(200000);
}

/* Until it is killed. */
static void forever(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (int i = 0;; i++) {
		if (i < 5)
			map_writable(MIB);
		usleep(100000);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} cases[] = {
		{ "split", split },     { "grow", grow }, { "move", move },
		{ "replace", replace }, { "fail", fail }, { "threads", threads },
		{ "forked", forked },   { "fill", fill }, { "forever", forever },
		{ "malloc", allocate },
	};

	copy_path = argc > 2 ? argv[2] : "/dev/null";
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].work();
			copy_and_end();
		}
	return 2;
}
