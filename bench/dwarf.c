/* Reads a file's debug information whole and says how fast; or answers addresses from it.
 *
 *	dwarf [-n ROUNDS] [-l] [-a ALTERNATE] [-p PACKAGE] FILE
 *	dwarf -q [-a ALTERNATE] [-p PACKAGE] FILE <ADDRESSES
 *
 * -l passes over lines. Split files are looked for where the units say. With -q each line of
 * input, an address in hexadecimal, is answered by it and then a line for each place:
 * "function TAB file:line:column", as it is in the debug information. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/os.h"
#include "symbols/dwarf.h"
#include "symbols/dwarf_sections.h"

#define SPLIT_FILES 4096

struct opened {
	struct wk_os_file file;
	struct wk_elf *elf;
};

struct bench {
	struct opened main, alternate, package;
	struct opened split[SPLIT_FILES];
	size_t split_count;
	struct wk_dwarf_input input;
};

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool open_file(const char *path, struct opened *opened, struct wk_err *err)
{
	if (!wk_os_open(path, &opened->file, err))
		return false;
	opened->elf = wk_elf_parse(opened->file.at, opened->file.size_bytes, err);
	return opened->elf != NULL || wk_err_in(err, path);
}

static void close_file(struct opened *opened)
{
	wk_elf_free(opened->elf);
	wk_os_close(&opened->file);
}

static const struct wk_elf *open_split(void *context, struct wk_str directory, struct wk_str name,
				       uint64_t id)
{
	struct bench *bench = context;
	struct opened *opened = &bench->split[bench->split_count];
	struct wk_buf path = { 0 };
	struct wk_err err = { 0 };

	(void)id;
	if (bench->split_count == SPLIT_FILES)
		return NULL;
	if (!wk_str_starts(name, "/")) {
		wk_buf_add_str(&path, directory);
		wk_buf_add_char(&path, '/');
	}
	wk_buf_add_str(&path, name);
	if (open_file(wk_buf_text(&path), opened, &err))
		bench->split_count++;
	wk_buf_fini(&path);
	return opened->elf;
}

static bool load_all(struct wk_dwarf *dwarf, struct wk_code_index *index, size_t *broken)
{
	for (uint32_t unit = 0; unit < wk_dwarf_unit_count(dwarf); unit++) {
		struct wk_err err = { 0 };

		if (wk_dwarf_load(dwarf, unit, index, &err))
			continue;
		if ((*broken)++ < 3)
			fprintf(stderr, "unit %" PRIu32 ": 0x%" PRIx64 ": %s\n", unit, err.offset,
				err.text);
	}
	return true;
}

/* Bytes of .debug_info, plain. */
static double info_bytes(const struct wk_elf *elf)
{
	struct wk_buf plain = { 0 };
	struct wk_bytes bytes;
	double size;

	wk_elf_plain(elf, wk_elf_section(elf, ".debug_info"), &plain, &bytes, NULL);
	size = (double)wk_bytes_left(&bytes);
	wk_buf_fini(&plain);
	return size;
}

static bool measure(struct bench *bench, int rounds, struct wk_err *err)
{
	double size = info_bytes(bench->main.elf), first = 1e9, all = 1e9;
	size_t units = 0, broken = 0, bytes = 0;

	for (int i = 0; i < rounds; i++) {
		double start = seconds(CLOCK_PROCESS_CPUTIME_ID), filled;
		struct wk_code_index *index = wk_code_index_new();
		struct wk_dwarf *dwarf = wk_dwarf_new(&bench->input, err);

		if (!dwarf)
			return false;
		wk_dwarf_fill(dwarf, index);
		filled = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
		broken = 0;
		load_all(dwarf, index, &broken);
		start = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
		first = filled < first ? filled : first;
		all = start - filled < all ? start - filled : all;
		units = wk_dwarf_unit_count(dwarf);
		bytes = wk_code_index_bytes(index);
		if (i == 0 && wk_dwarf_missing(dwarf).len > 0)
			fprintf(stderr, "%.*s\n", WK_STR_ARG(wk_dwarf_missing(dwarf)));
		wk_dwarf_free(dwarf);
		wk_code_index_free(index);
	}
	printf("%.1f MB of .debug_info in %zu units (%zu broken): headers %.1f ms, all %.1f ms, "
	       "%.0f MB/s, index %.1f MB\n",
	       size / 1e6, units, broken, first * 1e3, all * 1e3, size / all / 1e6,
	       (double)bytes / 1e6);
	return true;
}

static void answer(struct wk_dwarf *dwarf, struct wk_code_index *index, uint64_t address)
{
	uint32_t unit = wk_code_index_unit_at(index, address);
	struct wk_place places[WK_MOST_PLACES];
	size_t count = 0;

	if (unit != WK_NO_UNIT) {
		if (!wk_code_index_has(index, unit))
			wk_dwarf_load(dwarf, unit, index, NULL);
		count = wk_code_index_places(index, address, places, WK_MOST_PLACES);
	}
	printf("0x%" PRIx64 "\n", address);
	for (size_t i = 0; i < count; i++)
		printf("%.*s\t%.*s:%" PRIu32 ":%" PRIu32 "\n", WK_STR_ARG(places[i].function),
		       WK_STR_ARG(places[i].file), places[i].line, places[i].column);
}

static bool ask(struct bench *bench, struct wk_err *err)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_dwarf *dwarf = wk_dwarf_new(&bench->input, err);
	char line[64];

	if (dwarf) {
		wk_dwarf_fill(dwarf, index);
		while (fgets(line, sizeof(line), stdin))
			answer(dwarf, index, strtoull(line, NULL, 16));
		if (wk_dwarf_missing(dwarf).len > 0)
			fprintf(stderr, "%.*s\n", WK_STR_ARG(wk_dwarf_missing(dwarf)));
	}
	wk_dwarf_free(dwarf);
	wk_code_index_free(index);
	return dwarf != NULL;
}

static int usage(void)
{
	fprintf(stderr, "usage: dwarf [-q] [-n ROUNDS] [-l] [-a ALTERNATE] [-p PACKAGE] FILE\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct bench *bench = wk_alloc_zeroed(1, sizeof(*bench));
	struct wk_err err = { 0 };
	bool asks = false, ok = true;
	int option, rounds = 3;

	while ((option = getopt(argc, argv, "qln:a:p:")) != -1) {
		if (option == 'q')
			asks = true;
		else if (option == 'l')
			bench->input.skips_lines = true;
		else if (option == 'n')
			rounds = atoi(optarg);
		else if (option == 'a')
			ok = ok && open_file(optarg, &bench->alternate, &err);
		else if (option == 'p')
			ok = ok && open_file(optarg, &bench->package, &err);
		else
			return usage();
	}
	if (optind + 1 != argc)
		return usage();
	ok = ok && open_file(argv[optind], &bench->main, &err);
	bench->input.elf = bench->main.elf;
	bench->input.alternate = bench->alternate.elf;
	bench->input.package = bench->package.elf;
	bench->input.open_split = open_split;
	bench->input.context = bench;
	ok = ok && (asks ? ask(bench, &err) : measure(bench, rounds, &err));
	if (!ok)
		fprintf(stderr, "dwarf: %s\n", err.text);
	for (size_t i = 0; i < bench->split_count; i++)
		close_file(&bench->split[i]);
	close_file(&bench->package);
	close_file(&bench->alternate);
	close_file(&bench->main);
	free(bench);
	return ok ? 0 : 1;
}
