/* Spends three tenths of its CPU time in one function and seven tenths in another.
 *
 *	burn_30_70 MILLISECONDS [FILE]
 *
 * Where the functions lie is written to FILE: a line "NAME START END" in hexadecimal for each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each in its own section, so that section ends show where the functions end. clang makes no
 * clones and does not know the attribute against them. */
#ifdef __clang__
#define IN_SECTION(name) __attribute__((noinline, section(name)))
#else
#define IN_SECTION(name) __attribute__((noinline, noclone, section(name)))
#endif

IN_SECTION("thirty") void burn_thirty(uint64_t rounds);
IN_SECTION("seventy") void burn_seventy(uint64_t rounds);
extern const char __start_thirty[], __stop_thirty[];
extern const char __start_seventy[], __stop_seventy[];

void burn_thirty(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink += i;
}

void burn_seventy(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink += i;
}

static void write_places(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		exit(1);
	fprintf(file, "burn_thirty %p %p\n", (const void *)__start_thirty,
		(const void *)__stop_thirty);
	fprintf(file, "burn_seventy %p %p\n", (const void *)__start_seventy,
		(const void *)__stop_seventy);
	fclose(file);
}

/* Slices of uneven length: even ones could march in step with the sampling. */
static uint64_t slice(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return 100000 + (state >> 8) % 1000000;
}

/* Each function gets slices until it has had its share, as the process's own clock says. */
int main(int argc, char **argv)
{
	uint64_t total_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	uint64_t spent_ns[2] = { 0, 0 };

	if (argc > 2)
		write_places(argv[2]);
	while (spent_ns[0] + spent_ns[1] < total_ns) {
		int which = spent_ns[0] * 7 > spent_ns[1] * 3;
		uint64_t before_ns = cpu_ns();

		if (which)
			burn_seventy(slice());
		else
			burn_thirty(slice());
		spent_ns[which] += cpu_ns() - before_ns;
	}
	return 0;
}
