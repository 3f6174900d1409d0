/* Runs a fuzz target over the files of a folder, one TAP line a file, and over three inputs
 * that need no file: nothing, one zero byte, and a few hundred bytes of 0xff. Each input is
 * handed over in memory of exactly its size, so that a sanitizer sees any read beyond it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count;

static void replay(const char *name, const void *bytes, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	memcpy(exact, bytes, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	printf("ok %d - %s\n", ++count, name);
	fflush(stdout);
}

static void replay_file(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;
	char *bytes = NULL;
	size_t size = 0, got;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file)
		return;
	do {
		bytes = realloc(bytes, size + 65536);
		if (!bytes)
			abort();
		got = fread(bytes + size, 1, 65536, file);
		size += got;
	} while (got > 0);
	fclose(file);
	replay(name, bytes, size);
	free(bytes);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	static const char zero[1];
	char ones[300];
	struct dirent **entries = NULL;
	int entry_count = argc > 1 ? scandir(argv[1], &entries, is_visible, alphasort) : 0;

	memset(ones, 0xff, sizeof(ones));
	replay("nothing at all", "", 0);
	replay("one zero byte", zero, sizeof(zero));
	replay("300 bytes of 0xff", ones, sizeof(ones));
	for (int i = 0; i < entry_count; i++) {
		replay_file(argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	printf("1..%d\n", count);
	return 0;
}
