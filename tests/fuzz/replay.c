/* Runs a fuzz target over the files of a folder, one TAP line a file, and over three inputs
 * that need no file: nothing, one zero byte, and a few hundred bytes of 0xff. Each input is
 * handed over in memory of exactly its size, so that a sanitizer sees any read beyond it.
 *
 * With a suffix and a number: real files of that name, in a folder of the shared data, cut at every
 * so many bytes. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/shared_path.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count;

static void hand_over(const void *bytes, size_t size)
{
	uint8_t *exact = wk_alloc(size ? size : 1);

	if (!exact)
		abort();
	memcpy(exact, bytes, size);
	LLVMFuzzerTestOneInput(exact, size);
	wk_free(exact);
}

static void replay(const char *name, const void *bytes, size_t size)
{
	hand_over(bytes, size);
	printf("ok %d - %s\n", ++count, name);
	fflush(stdout);
}

static void replay_cut(const char *name, const char *bytes, size_t size, size_t step)
{
	for (size_t len = 0; len < size; len += step)
		hand_over(bytes, len);
	printf("ok %d - %s: %zu bytes, cut at %zu places\n", ++count, name, size,
	       (size + step - 1) / step);
	fflush(stdout);
}

/* Cut at every `step` bytes; whole where that is 0. */
static void replay_file(const char *folder, const char *name, size_t step)
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
		bytes = wk_realloc(bytes, size + 65536);
		if (!bytes)
			abort();
		got = fread(bytes + size, 1, 65536, file);
		size += got;
	} while (got > 0);
	fclose(file);
	if (step)
		replay_cut(name, bytes, size, step);
	else
		replay(name, bytes, size);
	wk_free(bytes);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return len >= end && strcmp(name + len - end, suffix) == 0;
}

static void replay_made(void)
{
	static const char zero[1];
	char ones[300];

	memset(ones, 0xff, sizeof(ones));
	replay("nothing at all", "", 0);
	replay("one zero byte", zero, sizeof(zero));
	replay("300 bytes of 0xff", ones, sizeof(ones));
}

static void replay_folder(const char *folder, const char *suffix, size_t step)
{
	struct dirent **entries = NULL;
	int entry_count = scandir(folder, &entries, is_visible, alphasort);

	for (int i = 0; i < entry_count; i++) {
		if (ends_with(entries[i]->d_name, suffix))
			replay_file(folder, entries[i]->d_name, step);
		free(entries[i]);
	}
	free(entries);
}

static void replay_shared(const char *folder, const char *suffix, size_t step)
{
	const char *path = shared_path("%s", folder);

	replay_folder(path, suffix, step);
	if (count == 0)
		printf("ok %d - files cut # SKIP no *%s in %s\n", ++count, suffix, path);
}

/* [FOLDER [SUFFIX STEP]] */
int main(int argc, char **argv)
{
	size_t step = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	if (step) {
		replay_shared(argv[1], argv[2], step);
	} else {
		replay_made();
		if (argc > 1)
			replay_folder(argv[1], "", 0);
	}
	printf("1..%d\n", count);
	return 0;
}
