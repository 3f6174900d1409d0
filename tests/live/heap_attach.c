/* A program that a recorder comes to later. Each line that it reads is a round: the name of a log,
 * of what its threads and, after "fork ", a child of it count in that round.
 *
 *     heap_attach [busy]
 *     heap_attach sleep|poll|epoll|read|select
 *
 * The latter wait for two seconds or for a byte, and print what the call returned, and errno.
 *
 * Until then it allocates a little now and then, or all the time if it is busy. Each round frees
 * blocks that were allocated before the round: so many as its last line says. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heap_count.h"

#define THREADS 4
#define BLOCKS  64
#define STEPS   20000
#define EARLIER 100 /* blocks of a thread, from before its round */

static pthread_barrier_t begins, ends;

static unsigned draw(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void count_some(unsigned seed)
{
	void *blocks[BLOCKS] = { 0 };
	size_t sizes[BLOCKS] = { 0 };

	for (int i = 0; i < STEPS; i++) {
		unsigned at = draw(&seed) % BLOCKS;
		size_t size = 1 + draw(&seed) % 600;

		if (i % 3 == 0) {
			blocks[at] = heap_realloc(blocks[at], sizes[at], size);
		} else {
			heap_free(blocks[at], sizes[at]);
			blocks[at] = i % 3 == 1 ? heap_malloc(size) : heap_calloc(1, size);
		}
		sizes[at] = size;
	}
	for (int i = 0; i < BLOCKS / 2; i++)
		heap_free(blocks[i], sizes[i]);
}

static void *count_rounds(void *number)
{
	void *earlier[EARLIER];

	for (unsigned round = 1;; round++) {
		for (int i = 0; i < EARLIER; i++)
			earlier[i] = malloc(32);
		pthread_barrier_wait(&begins);
		for (int i = 0; i < EARLIER; i++)
			free(earlier[i]);
		count_some(round * 16 + (unsigned)(size_t)number);
		pthread_barrier_wait(&ends);
	}
	return NULL;
}

static void *be_busy(void *number)
{
	void *blocks[BLOCKS] = { 0 };
	unsigned seed = (unsigned)(size_t)number;

	for (;;) {
		unsigned at = draw(&seed) % BLOCKS;

		free(blocks[at]);
		blocks[at] = malloc(1 + draw(&seed) % 600);
		if (seed >> 24 == 0)
			usleep(100);
	}
	return NULL;
}

static void count_in_child(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0) {
		heap_count_child();
		count_some(99);
		heap_count_log();
		_exit(0);
	}
	waitpid(child, &status, 0);
	heap_expect(status == 0, "a child that ends well");
}

static void do_round(char *line)
{
	int forks = strncmp(line, "fork ", 5) == 0;

	heap_count_child();
	heap_count_begin(forks ? line + 5 : line);
	pthread_barrier_wait(&begins);
	if (forks)
		count_in_child();
	pthread_barrier_wait(&ends);
	heap_count_log();
}

static long wait_in(const char *call)
{
	struct timespec time = { .tv_sec = 2 };
	struct timeval same_time = { .tv_sec = 2 };
	struct epoll_event event;
	int tube[2];
	char byte;

	if (pipe(tube) != 0)
		return 2;
	errno = 0;
	if (strcmp(call, "sleep") == 0)
		return nanosleep(&time, NULL);
	if (strcmp(call, "poll") == 0)
		return poll(&(struct pollfd){ .fd = tube[0], .events = POLLIN }, 1, 2000);
	if (strcmp(call, "epoll") == 0)
		return epoll_wait(epoll_create1(0), &event, 1, 2000);
	if (strcmp(call, "read") == 0)
		return read(0, &byte, 1);
	return select(0, NULL, NULL, NULL, &same_time);
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	/* At fixed addresses, code that uses an address makes the program's PLT entry of malloc
	 * what all others find. */
	void *(*volatile allocate)(size_t) = malloc;
	pthread_t thread;
	char line[4096];
	void *volatile little;

	setvbuf(stdout, NULL, _IONBF, 0);
	free(allocate(1));
	if (argc > 1 && strcmp(argv[1], "busy") != 0) {
		long result;

		puts("ready");
		result = wait_in(argv[1]);
		printf("%ld %d\n", result, errno);
		return 7;
	}
	pthread_barrier_init(&begins, NULL, THREADS + 1);
	pthread_barrier_init(&ends, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, count_rounds, (void *)i);
	for (size_t i = 0; argc > 1 && i < THREADS; i++)
		pthread_create(&thread, NULL, be_busy, (void *)i);
	puts("ready");
	for (;;) {
		if (poll(&input, 1, 5) == 0) {
			little = malloc(10);
			free(little);
			continue;
		}
		if (!fgets(line, sizeof(line), stdin))
			return 7;
		line[strcspn(line, "\n")] = '\0';
		do_round(line);
		printf("%d\n", THREADS * EARLIER);
	}
}
