/* Runs a known number of threads, each for a known CPU time.
 *
 *	threads COUNT MILLISECONDS [PAUSE_MILLISECONDS [FILE]]
 *
 * Every thread calls itself "worker-N", burns its time and ends. With a pause, threads are
 * started one after the other with so much time between them, while the first already burn.
 * At the end FILE gets a line "TID NANOSECONDS" for each with the CPU time that it had. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 256

struct worker {
	pthread_t thread;
	unsigned number;
	long tid;
	uint64_t spent_ns;
};

static struct worker workers[MOST_THREADS];
static uint64_t burn_ns;
static volatile uint64_t sink;

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *work(void *context)
{
	struct worker *worker = context;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", worker->number);
	prctl(PR_SET_NAME, name);
	worker->tid = syscall(SYS_gettid);
	while (thread_ns() < burn_ns)
		for (unsigned i = 0; i < 100000; i++)
			sink = sink + i;
	worker->spent_ns = thread_ns();
	return NULL;
}

static void write_times(const char *path, unsigned count)
{
	FILE *file = fopen(path, "w");

	if (!file)
		exit(1);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%ld %llu\n", workers[i].tid,
			(unsigned long long)workers[i].spent_ns);
	fclose(file);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	long pause_ms = argc > 3 ? atol(argv[3]) : 0;

	burn_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 100) * 1000000;
	if (count > MOST_THREADS)
		count = MOST_THREADS;
	for (unsigned i = 0; i < count; i++) {
		struct timespec pause = { pause_ms / 1000, pause_ms % 1000 * 1000000 };

		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			return 1;
		nanosleep(&pause, NULL);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
	if (argc > 4)
		write_times(argv[4], count);
	return 0;
}
