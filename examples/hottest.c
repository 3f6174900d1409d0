/* Prints the functions that used most CPU time in any file that wick reads:
 *
 *	cc hottest.c -o hottest $(pkg-config --cflags --libs wick)
 *	./hottest wick.data
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wick/wick.h>

struct row {
	const char *function;
	uint64_t weight;
};

static int by_weight(const void *a, const void *b)
{
	uint64_t left = ((const struct row *)a)->weight, right = ((const struct row *)b)->weight;

	return (left < right) - (left > right);
}

int main(int argc, char **argv)
{
	struct wick_context *wick = wick_context_new(NULL, NULL);
	struct wick_error error = { 0 };
	struct wick_profile *profile =
		wick ? wick_open(wick, argc > 1 ? argv[1] : "wick.data", NULL, &error) : NULL;
	struct wick_sample sample = { sizeof(sample) };
	struct wick_frame frame = { sizeof(frame) };
	struct row *rows = NULL;
	uint64_t total = 0;
	size_t count = 0, row;

	for (size_t i = 0; profile && wick_sample_at(profile, i, &sample); i++) {
		wick_frame_at(profile, sample.stack, &frame);
		for (row = 0; row < count && strcmp(rows[row].function, frame.function); row++)
			;
		if (row == count) {
			rows = (struct row *)realloc(rows, ++count * sizeof(*rows));
			if (!rows)
				abort();
			rows[row].function = frame.function;
			rows[row].weight = 0;
		}
		rows[row].weight += sample.weight;
		total += sample.weight;
	}
	if (count)
		qsort(rows, count, sizeof(*rows), by_weight);
	for (row = 0; row < count && row < 10; row++)
		printf("%5.1f %%  %s\n", 100.0 * (double)rows[row].weight / (double)total,
		       rows[row].function);
	if (!profile)
		fprintf(stderr, "hottest: %s\n", error.text);
	free(rows);
	wick_close(profile);
	wick_context_free(wick);
	return profile ? 0 : 1;
}
