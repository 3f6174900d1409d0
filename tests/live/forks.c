/* forks COUNT: so many children, one after the other, each of which spins a moment in
 * work_of_child and ends with exit code 0. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void work_of_child(double seconds)
{
	struct timespec time;

	do {
		for (int i = 0; i < 5000; i++)
			sink += (uint64_t)i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	} while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < seconds);
	sink++;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			work_of_child(0.002);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) < 0)
			return 1;
	}
	return 0;
}
