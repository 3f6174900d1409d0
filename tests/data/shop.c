/* What tests/data/shop.data is a recording of: two threads with known shares of the time. The
 * second has a name that no terminal, spreadsheet or page may show as it stands. */
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void count_coins(uint64_t coins)
{
	for (uint64_t i = 0; i < coins; i++)
		sink += i;
}

__attribute__((noinline)) static void weigh_flour(uint64_t sacks)
{
	for (uint64_t i = 0; i < sacks; i++)
		sink ^= i;
}

/* Three parts of counting to one of weighing. */
__attribute__((noinline)) static void open_shop(double seconds)
{
	for (double end = now() + seconds; now() < end;) {
		count_coins(300000);
		weigh_flour(100000);
	}
}

static void *keeper(void *argument)
{
	prctl(PR_SET_NAME, argument, 0, 0, 0);
	open_shop(2.0);
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[2][16] = { "keeper", "=a;\x1b[1m<b>\"'&" };
	pthread_t threads[2];

	/* Deleted while it runs, so that the recording carries its names along. */
	if (argc > 1)
		unlink(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, keeper, names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	(void)argv;
	return 0;
}
