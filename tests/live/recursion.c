/* recursion DEPTH SECONDS: calls go_deeper DEPTH times into itself and spins at the bottom. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void at_the_bottom(double seconds)
{
	struct timespec time;

	do {
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	} while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < seconds);
	sink++;
}

__attribute__((noinline)) static void go_deeper(int levels, double seconds)
{
	if (levels > 1)
		go_deeper(levels - 1, seconds);
	else
		at_the_bottom(seconds);
	sink++;
}

int main(int argc, char **argv)
{
	go_deeper(argc > 1 ? atoi(argv[1]) : 100, argc > 2 ? atof(argv[2]) : 0.5);
	return 0;
}
