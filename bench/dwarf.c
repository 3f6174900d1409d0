/* Reads a file's debug information whole and says how fast; or answers addresses from it.
 *
 *	dwarf [-n ROUNDS] [-l] [-s] [-a ALTERNATE] [-p PACKAGE] FILE
 *	dwarf -q [-s] [-a ALTERNATE] [-p PACKAGE] FILE <ADDRESSES
 *
 * What is said to be indexed has every function and inlined call, with its name, and where it is
 * called from; the rate counts all but the unpacking of packed sections ("opened"). Each round is
 * done in this process, where memory of the round before is used again, and in a new one.
 *
 * -l passes over lines, and so over the files of calls; -s saves the index too. Split files are
 * looked for where the units say. With -q each line of input, an address in hexadecimal, is
 * answered by it and then a line for each place: "function TAB file:line:column", as it is in the
 * debug information, or with -s as it comes back from what was saved. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/os.h"
#include "symbols/dwarf/internal.h"

#define SPLIT_FILES 4096

struct opened {
	struct wk_os_file file;
	struct wk_obj *obj;
};

struct bench {
	struct opened main, alternate, package;
	struct opened split[SPLIT_FILES];
	size_t split_count;
	struct wk_dwarf_input input;
	bool saves;
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
	opened->obj = wk_obj_parse(opened->file.at, opened->file.size_bytes, err);
	return opened->obj != NULL || wk_err_in(err, path);
}

static void close_file(struct opened *opened)
{
	wk_obj_free(opened->obj);
	wk_os_close(&opened->file);
}

static const struct wk_obj *open_split(void *context, struct wk_str directory, struct wk_str name,
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
	return opened->obj;
}

static bool load_all(struct wk_dwarf *dwarf, struct wk_code_index *index, size_t *broken)
{
	for (uint32_t unit = 0; unit < dwarf->main->unit_count; unit++) {
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
static double info_bytes(const struct wk_obj *obj)
{
	struct wk_buf plain = { 0 };
	struct wk_bytes bytes;
	double size;

	wk_elf_plain(obj, wk_obj_section(obj, ".debug_info"), &plain, &bytes, NULL);
	size = (double)wk_bytes_left(&bytes);
	wk_buf_fini(&plain);
	return size;
}

/* Seconds and sizes of one reading of everything. */
struct round {
	double opened, headers, units; /* opened: packed sections unpacked */
	size_t unit_count, broken, saved_bytes;
	double saved;
};

static void open_sections(struct wk_dwarf_file *file)
{
	for (int i = 0; file && i < WK_DWARF_SECTIONS; i++)
		wk_dwarf_section(&file->sections, (enum wk_dwarf_section)i);
}

/* Seconds since the last time that it was asked. */
static double lap(void)
{
	static double last;
	double now = seconds(CLOCK_PROCESS_CPUTIME_ID), since = now - last;

	last = now;
	return since;
}

static void save(struct wk_code_index *index, struct round *round)
{
	struct wk_buf saved = { 0 };

	lap();
	wk_code_index_save(index, &saved);
	round->saved = lap();
	round->saved_bytes = saved.len;
	wk_buf_fini(&saved);
}

static bool read_once(struct bench *bench, struct round *round, struct wk_err *err)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_dwarf *dwarf;

	*round = (struct round){ 0 };
	lap();
	dwarf = wk_dwarf_new(&bench->input, err);
	if (!dwarf)
		return false;
	open_sections(dwarf->main);
	open_sections(dwarf->alternate);
	round->opened = lap();
	wk_dwarf_fill(dwarf, index);
	round->headers = lap();
	load_all(dwarf, index, &round->broken);
	round->units = lap();
	round->unit_count = dwarf->main->unit_count;
	if (bench->saves)
		save(index, round);
	wk_dwarf_free(dwarf);
	wk_code_index_free(index);
	return true;
}

/* In a process of its own, which has no memory yet that it could use again. */
static bool read_apart(struct bench *bench, struct round *round)
{
	int ends[2], status = 1;
	struct wk_err err = { 0 };
	pid_t child;
	bool ok;

	if (pipe(ends) != 0)
		return false;
	child = fork();
	if (child == 0) {
		ok = freopen("/dev/null", "w", stderr) && read_once(bench, round, &err) &&
		     write(ends[1], round, sizeof(*round)) == sizeof(*round);
		_exit(ok ? 0 : 1);
	}
	close(ends[1]);
	ok = child > 0 && read(ends[0], round, sizeof(*round)) == sizeof(*round);
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && ok;
}

static double indexed(const struct round *round)
{
	return round->headers + round->units;
}

static void keep_better(struct round *best, const struct round *round)
{
	struct round before = *best;

	if (indexed(round) < indexed(best))
		*best = *round;
	best->opened = round->opened < before.opened ? round->opened : before.opened;
	best->saved = round->saved < before.saved ? round->saved : before.saved;
}

static bool measure(struct bench *bench, int rounds, struct wk_err *err)
{
	double size = info_bytes(bench->main.obj);
	struct round round, best = { 1e9, 1e9, 1e9, 0, 0, 0, 1e9 }, fresh = best;

	/* First, and not in turns: a process that has forked gets its pages anew. */
	for (int i = 0; i < rounds; i++)
		if (read_apart(bench, &round))
			keep_better(&fresh, &round);
	for (int i = 0; i < rounds; i++) {
		if (!read_once(bench, &round, err))
			return false;
		keep_better(&best, &round);
	}
	printf("%.1f MB of .debug_info in %zu units (%zu broken): opened in %.1f ms, headers "
	       "%.1f ms, units %.1f ms, %.0f MB/s (the first time in a process %.0f MB/s)",
	       size / 1e6, best.unit_count, best.broken, best.opened * 1e3, best.headers * 1e3,
	       best.units * 1e3, size / indexed(&best) / 1e6, size / indexed(&fresh) / 1e6);
	if (bench->saves)
		printf(", saved in %.1f ms to %.1f MB", best.saved * 1e3,
		       (double)best.saved_bytes / 1e6);
	printf("\n");
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

/* Reads all and gives what comes back when it is saved and loaded. */
static struct wk_code_index *saved_and_loaded(struct wk_dwarf *dwarf, struct wk_code_index *index,
					      struct wk_buf *saved)
{
	struct wk_code_index *loaded;
	struct wk_err err = { 0 };
	size_t broken = 0;

	load_all(dwarf, index, &broken);
	wk_code_index_save(index, saved);
	loaded = wk_code_index_load(wk_bytes_of(saved->at, saved->len), &err);
	if (!loaded)
		fprintf(stderr, "what was saved: %s\n", err.text);
	wk_code_index_free(index);
	return loaded ? loaded : wk_code_index_new();
}

static bool ask(struct bench *bench, struct wk_err *err)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_dwarf *dwarf = wk_dwarf_new(&bench->input, err);
	struct wk_buf saved = { 0 };
	char line[64];

	if (dwarf) {
		wk_dwarf_fill(dwarf, index);
		if (bench->saves)
			index = saved_and_loaded(dwarf, index, &saved);
		while (fgets(line, sizeof(line), stdin))
			answer(dwarf, index, strtoull(line, NULL, 16));
		if (wk_dwarf_missing(dwarf).len > 0)
			fprintf(stderr, "%.*s\n", WK_STR_ARG(wk_dwarf_missing(dwarf)));
	}
	wk_dwarf_free(dwarf);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
	return dwarf != NULL;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: dwarf [-q] [-n ROUNDS] [-l] [-s] [-a ALTERNATE] [-p PACKAGE] FILE\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct bench *bench = wk_alloc_zeroed(1, sizeof(*bench));
	struct wk_err err = { 0 };
	bool asks = false, ok = true;
	int option, rounds = 3;

	while ((option = getopt(argc, argv, "qlsn:a:p:")) != -1) {
		if (option == 'q')
			asks = true;
		else if (option == 'l')
			bench->input.skips_lines = true;
		else if (option == 's')
			bench->saves = true;
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
	bench->input.obj = bench->main.obj;
	bench->input.alternate = bench->alternate.obj;
	bench->input.package = bench->package.obj;
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
	wk_free(bench);
	return ok ? 0 : 1;
}
