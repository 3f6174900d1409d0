/* Keeps a number of blocks while it replaces one after the other for some seconds, and says how
 * long the longest call of malloc or free took:
 *
 *     live_blocks BLOCKS SECONDS
 *
 * Calls during which the system gave the processor to another program are counted apart: they did
 * not wait. A call that waits gives it away itself. */
#define _GNU_SOURCE

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static long times_preempted(void)
{
	struct rusage used;

	getrusage(RUSAGE_THREAD, &used);
	return used.ru_nivcsw;
}

int main(int count, char **words)
{
	size_t blocks = count > 1 ? strtoul(words[1], NULL, 10) : 1000000;
	double seconds = count > 2 ? strtod(words[2], NULL) : 3, longest = 0, preempted = 0;
	void **kept = calloc(blocks, sizeof(*kept));
	uint64_t random = 88172645463325252u;
	long switches;
	double end, before;

	for (size_t i = 0; i < blocks; i++)
		kept[i] = malloc(16 + i % 64);
	printf("ready\n");
	fflush(stdout);
	switches = times_preempted();
	end = now_us() + seconds * 1e6;
	for (before = now_us(); before < end;) {
		size_t at = (random ^= random << 13, random ^= random >> 7, random ^= random << 17,
			     random % blocks);
		double took;

		free(kept[at]);
		kept[at] = malloc(16 + random % 64);
		took = now_us() - before;
		if (took > 50) {
			long switched = times_preempted();
			double *most = switched == switches ? &longest : &preempted;

			*most = took > *most ? took : *most;
			switches = switched;
		}
		before = now_us();
	}
	printf("longest: %.0f us waiting, %.0f us while another program ran\n", longest, preempted);
	return 0;
}
