/* Allocates and frees blocks of 16 bytes to a kilobyte in an order that does not repeat, each about
 * twenty calls deep, in some threads:
 *
 *     churn [THREADS [PAIRS]]
 *
 * Prints the CPU and the wall time of an allocation with its release, in ns, and the most memory it
 * had, in KiB. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 64
#define SLOTS        1024
#define DEPTH        18

struct work {
	uint64_t random;
	long pairs;
	void *slots[SLOTS];
};

static uint64_t draw(struct work *work)
{
	work->random ^= work->random << 13;
	work->random ^= work->random >> 7;
	work->random ^= work->random << 17;
	return work->random;
}

static __attribute__((noinline)) void replace_small(struct work *work)
{
	void **slot = &work->slots[draw(work) % SLOTS];

	free(*slot);
	*slot = malloc(16 + draw(work) % 256);
}

static __attribute__((noinline)) void replace_large(struct work *work)
{
	void **slot = &work->slots[draw(work) % SLOTS];

	free(*slot);
	*slot = malloc(16 + draw(work) % 1024);
}

static __attribute__((noinline)) void descend(struct work *work, int depth)
{
	if (depth)
		descend(work, depth - 1);
	else if (draw(work) % 4)
		replace_small(work);
	else
		replace_large(work);
	__asm__ volatile(""); /* not the last call of this one */
}

static void *run(void *context)
{
	struct work *work = context;

	for (long i = 0; i < work->pairs; i++)
		descend(work, DEPTH);
	return NULL;
}

static double clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* In KiB. */
static long most_memory(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long most = 0;

	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, "VmHWM:", 6) == 0)
			most = atol(line + 6);
	if (status)
		fclose(status);
	return most;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	long pairs = argc > 2 ? atol(argv[2]) : 4000000;
	double begin = clock_ns(CLOCK_MONOTONIC);
	static struct work works[MOST_THREADS];
	pthread_t ids[MOST_THREADS];

	if (threads < 1 || threads > MOST_THREADS)
		return 2;
	for (int i = 0; i < threads; i++) {
		works[i].random = 88172645463325252u + (uint64_t)i;
		works[i].pairs = pairs;
		if (i)
			pthread_create(&ids[i], NULL, run, &works[i]);
	}
	run(&works[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	fprintf(stderr, "churn: %.1f ns CPU, %.1f ns wall, %ld KiB\n",
		clock_ns(CLOCK_PROCESS_CPUTIME_ID) / (double)pairs / threads,
		(clock_ns(CLOCK_MONOTONIC) - begin) / (double)pairs, most_memory());
	return 0;
}
