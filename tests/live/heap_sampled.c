/* Leaves blocks of many sizes, a known number of bytes from each function, and frees more. Those
 * that are freed come between them, so that most of what is sampled is gone in the end. */
#include <stdint.h>
#include <stdlib.h>

static void *last;

#define KEEPS(name, count, size)                                         \
	static __attribute__((noinline)) void name(void)                 \
	{                                                                \
		for (uint32_t i = 0; i < (count); i++) {                 \
			void *volatile kept = malloc(size);              \
			void *gone = realloc(calloc(1, size), 2 * (size)); \
                                                                         \
			last = kept;                                     \
			free(gone);                                      \
		}                                                        \
		__asm__ volatile("");                                    \
	}

KEEPS(keep_small, 400000, 48)
KEEPS(keep_medium, 20000, 1000)
KEEPS(keep_mixed, 4000, 16 + (i * 7919 % 4000) * 4)
KEEPS(keep_few, 100, 40000)
KEEPS(keep_large, 200, 200000)
KEEPS(keep_huge, 8, 10000000)

int main(void)
{
	keep_small();
	keep_medium();
	keep_mixed();
	keep_few();
	keep_large();
	keep_huge();
	return last == NULL;
}
