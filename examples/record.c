/* Runs a command, records it, and prints its flame graph as folded text:
 *
 *	cc record.c -o record $(pkg-config --cflags --libs wick)
 *	./record gzip -k large-file
 *
 * Each line is a stack, "gzip;main;deflate 12"; flamegraph.pl and speedscope read them.
 */
#include <stdio.h>
#include <string.h>
#include <wick/wick.h>

#define RECORDING "record.data"

static bool print(void *user, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, (FILE *)user) == len;
}

static bool record(struct wick_context *wick, char **command, struct wick_error *error)
{
	struct wick_record_options options;
	struct wick_record_result result;

	memset(&options, 0, sizeof(options));
	memset(&result, 0, sizeof(result));
	options.size = sizeof(options);
	options.command = command;
	result.size = sizeof(result);
	if (!wick_record(wick, RECORDING, &options, &result, error))
		return false;
	fprintf(stderr, "record: %llu samples, %llu lost; the command returned %d\n",
		(unsigned long long)result.samples, (unsigned long long)result.lost_samples,
		(int)result.exit_code);
	return true;
}

int main(int argc, char **argv)
{
	struct wick_context *wick = wick_context_new(NULL, NULL);
	struct wick_profile *profile = NULL;
	struct wick_error error = { 0 };
	bool ok = wick && argc > 1 && record(wick, argv + 1, &error);

	if (ok)
		profile = wick_open(wick, RECORDING, NULL, &error);
	ok = profile && wick_fold(profile, NULL, print, stdout, &error);
	if (!ok)
		fprintf(stderr, "record: %s\n", argc > 1 ? error.text : "no command");
	wick_close(profile);
	wick_context_free(wick);
	return ok ? 0 : 1;
}
