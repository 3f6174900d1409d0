/* Takes ten snapshots of its own heap, which grows by a buffer from one to the next:
 *
 *	cc -g snapshots.c -o snapshots $(pkg-config --cflags wick)
 *	wick record --heap -- ./snapshots
 *	wick dump | grep snapshot
 *
 * Nothing is linked: without wick, the program runs as if the snapshots were not there. Snapshot 9
 * has three buffers of 1 MiB, three of 10 MiB and two of 100 MiB, and nothing of what was freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wick/mark.h>

#define MIB     ((size_t)1 << 20)
#define OF_EACH 3

static const struct {
	size_t bytes;
	const char *labels[OF_EACH];
} steps[] = {
	{ 1 * MIB, { "1 MiB, first", "1 MiB, second", "1 MiB, third" } },
	{ 10 * MIB, { "10 MiB, first", "10 MiB, second", "10 MiB, third" } },
	{ 100 * MIB, { "100 MiB, first", "100 MiB, second", "100 MiB, third" } },
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

static char *filled(size_t bytes)
{
	char *buffer = malloc(bytes);

	if (!buffer) {
		fprintf(stderr, "snapshots: out of memory\n");
		exit(1);
	}
	memset(buffer, 1, bytes);
	return buffer;
}

int main(void)
{
	char *kept[STEPS][OF_EACH];

	wick_heap_snapshot("start");
	for (size_t i = 0; i < STEPS; i++) {
		wick_mark("larger buffers");
		for (size_t k = 0; k < OF_EACH; k++) {
			char *scratch = filled(steps[i].bytes);

			kept[i][k] = filled(steps[i].bytes);
			free(scratch);
			wick_heap_snapshot(steps[i].labels[k]);
		}
	}
	for (size_t i = 0; i < STEPS * OF_EACH; i++)
		free(kept[i / OF_EACH][i % OF_EACH]);
	return 0;
}
