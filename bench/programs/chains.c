/* Plain C for a static musl program: recursion, callbacks through libc, string work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long state = 88172645463325252ul;

static unsigned long next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int compare(const void *a, const void *b)
{
	const unsigned long left = *(const unsigned long *)a, right = *(const unsigned long *)b;

	return (left > right) - (left < right);
}

__attribute__((noinline)) static unsigned long sort_some(size_t count)
{
	unsigned long *values = malloc(count * sizeof(*values));
	unsigned long sum = 0;

	for (size_t i = 0; i < count; i++)
		values[i] = next();
	qsort(values, count, sizeof(*values), compare);
	for (size_t i = 0; i < count; i += 7)
		sum += values[i];
	free(values);
	return sum;
}

__attribute__((noinline)) static unsigned long format_some(int count)
{
	char text[128];
	unsigned long sum = 0;

	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%lu %s %08lx", next(), "words", next());
		sum += strlen(text) + (unsigned char)text[i % 8];
		if (strstr(text, "sdrow"))
			sum++;
	}
	return sum;
}

__attribute__((noinline)) static unsigned long descend(int depth, int count)
{
	unsigned long sum;

	if (depth == 0)
		return sort_some((size_t)count) + format_some(count / 4);
	sum = descend(depth - 1, count);
	return sum * 3 + (unsigned long)depth;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1500;
	unsigned long sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += descend(5 + i % 20, 4000);
	printf("%lu\n", sum);
	return 0;
}
