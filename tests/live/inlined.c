/* Work that the compiler puts into its callers: what is sampled is the machine code of
 * `work_hard`, and the source says that it is `mix` in `fold_in` in `work_hard`. Run as
 * `inlined MILLISECONDS`. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline __attribute__((always_inline)) unsigned mix(unsigned value)
{
	for (int i = 0; i < 5000; i++)
		value = value * 1664525u + 1013904223u;
	return value;
}

static inline __attribute__((always_inline)) unsigned fold_in(unsigned sum, unsigned value)
{
	return sum ^ mix(value);
}

static __attribute__((noinline)) unsigned work_hard(unsigned rounds)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum = fold_in(sum, i);
	return sum;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	double until = cpu_seconds() + (argc > 1 ? atof(argv[1]) : 500) / 1000;
	unsigned sum = 0, rounds = 100;

	/* A number that the compiler does not know, or it makes a copy of work_hard for it. */
	while (cpu_seconds() < until)
		sum += work_hard(rounds + (sum == 1));
	printf("%u\n", sum);
	return 0;
}
