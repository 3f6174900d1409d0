/* Memory that runs out while a command is recorded: no descriptor, thread or child may be left. The
 * number of allocations differs from run to run, so late ones may not fail. Exits 77 if this system
 * does not let it record. Usage: record_memory FILE */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <wick/wick.h>

#include "failing_memory.h"

static unsigned entries(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* What is left of the attempt must be nothing. */
static bool is_clean(const struct failing_memory *memory, const struct wick_record_result *result,
		     unsigned descriptors, unsigned threads)
{
	if (result->running_pid && waitpid(result->running_pid, NULL, 0) != result->running_pid)
		return false;
	return memory->blocks == 0 && entries("/proc/self/fd") == descriptors &&
	       entries("/proc/self/task") == threads && waitpid(-1, NULL, WNOHANG) == -1 &&
	       errno == ECHILD;
}

/* The command is recorded with `left` allocations; -1 if something was left behind. */
static int attempt(const char *file, struct failing_memory *memory, struct wick_error *error)
{
	unsigned descriptors = entries("/proc/self/fd"), threads = entries("/proc/self/task");
	char word[] = "true", *command[] = { word, NULL };
	struct wick_context_options options = { .size = sizeof(options) };
	struct wick_record_options record = { .size = sizeof(record), .command = command };
	struct wick_record_result result = { .size = sizeof(result) };
	struct wick_context *context;
	bool ok;

	options.alloc = failing_alloc;
	options.realloc = failing_realloc;
	options.free = failing_free;
	options.allocator_context = memory;
	context = wick_context_new(&options, error);
	ok = context && wick_record(context, file, &record, &result, error);
	wick_context_free(context);
	if (!is_clean(memory, &result, descriptors, threads))
		return -1;
	return ok;
}

int main(int argc, char **argv)
{
	struct failing_memory memory = { .left = -1 };
	struct wick_error error = { 0 };
	int failures = 0;
	long all;

	if (argc != 2)
		return 2;
	if (attempt(argv[1], &memory, &error) != 1) {
		fprintf(stderr, "%s\n", error.text);
		return 77;
	}
	all = memory.calls;
	for (long n = 0; n < all; n += 1 + n / 30) {
		memory = (struct failing_memory){ .left = n };
		int came = attempt(argv[1], &memory, &error);

		if (came < 0 || (came == 0 && error.code != WICK_NO_MEMORY)) {
			fprintf(stderr, "allocation %ld of %ld: %s\n", n, all,
				came < 0 ? "something was left" : error.text);
			return 1;
		}
		failures += !came;
	}
	printf("%d\n", failures);
	return 0;
}
