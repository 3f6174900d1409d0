#include "cli/run/record_by_root.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "os/program.h"
#include "session/previous.h"

/* A command line, and the memory of some of its words. */
struct line {
	struct wk_text_list argv;
	struct wk_arena texts;
};

static void add_copy(struct line *line, struct wk_str word)
{
	wk_text_list_add(&line->argv, wk_arena_copy(&line->texts, word).at);
}

static void add_words(struct line *line, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " \t");

		if (len)
			add_copy(line, wk_str_of(words, len));
		words += len;
		words += strspn(words, " \t");
	}
}

static void add_number(struct line *line, const char *option, uint64_t value, const char *unit)
{
	struct wk_buf text = { 0 };

	if (!value)
		return;
	wk_buf_add_fmt(&text, "%s=%" PRIu64 "%s", option, value, unit);
	add_copy(line, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void add_list(struct line *line, const char *option, const struct wk_text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		wk_text_list_add_pair(&line->argv, option, list->at[i]);
}

static void add_flag(struct line *line, const char *option, bool is_set)
{
	if (is_set)
		wk_text_list_add(&line->argv, option);
}

static void add_heap(struct line *line, const struct wk_record_args *record)
{
	add_flag(line, "--heap", record->heap);
	add_number(line, "--heap-sample", record->heap_sample, "");
	add_number(line, "--heap-seed", record->heap_seed, "");
	wk_text_list_add_pair(&line->argv, "--heap-full", record->heap_full);
	if (record->heap_symbols && !*record->heap_symbols)
		wk_text_list_add(&line->argv, "--heap-symbols");
	else
		wk_text_list_add_pair(&line->argv, "--heap-symbols", record->heap_symbols);
	add_number(line, "--snapshot-every", record->snapshot_every_ns, "ns");
	add_flag(line, "--snapshot-at-exit", record->snapshot_at_exit);
	add_flag(line, "--snapshot-at-peak", record->snapshot_at_peak);
	add_number(line, "--snapshot-over", record->snapshot_over, "");
	add_flag(line, "--memory", record->memory);
	add_flag(line, "--cpu", record->cpu);
}

static void add_recording(struct line *line, const struct wk_record_args *record)
{
	add_number(line, "--freq", record->frequency, "");
	add_number(line, "--count", record->period, "");
	add_list(line, "--event", &record->events);
	add_list(line, "--pid", &record->pids);
	wk_text_list_add_pair(&line->argv, "--call-graph", record->call_graph);
	add_number(line, "--stack-size", record->stack_bytes, "");
	add_number(line, "--buffer", record->ring_bytes, "");
	add_flag(line, "--all-cpus", record->all_cpus);
	add_flag(line, "--user-only", record->user_only);
	add_flag(line, "--no-embed", record->no_embed);
	add_number(line, "--duration", record->duration_ns, "ns");
	add_heap(line, record);
}

/* Creates an empty file as the user, which root then writes to. A previous recording is renamed to
 * FILE.old, as by `wick record`. */
static bool make_file(const char *data, struct wk_buf *old, struct wk_err *err)
{
	int fd = -1;

	if (wk_previous_keep(data, old, err))
		fd = wk_os_create(data, true, err);
	if (fd >= 0)
		close(fd);
	else
		wk_previous_restore(old);
	return fd >= 0;
}

/* sudo cannot change the folder; env(1) does before it runs the command. */
static void add_command(struct line *line, const struct wk_root_request *request)
{
	wk_text_list_add(&line->argv, "--");
	if (request->folder) {
		wk_text_list_add(&line->argv, "env");
		wk_text_list_add_pair(&line->argv, "-C", request->folder);
	}
	for (size_t i = 0; i < request->command->count; i++)
		wk_text_list_add(&line->argv, request->command->at[i]);
}

static void fill(struct line *line, const struct wk_root_request *request, const char *self)
{
	wk_text_list_add(&line->argv, "sudo");
	add_words(line, request->sudo_options);
	wk_text_list_add(&line->argv, self);
	wk_text_list_add(&line->argv, "record");
	wk_text_list_add_pair(&line->argv, "-o", request->data);
	if (request->quiet)
		wk_text_list_add(&line->argv, "-q");
	add_recording(line, request->record);
	if (request->command->count)
		add_command(line, request);
}

int wk_record_by_root(const struct wk_root_request *request, bool *has_recorded, struct wk_err *err)
{
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_buf old = { 0 };
	struct line line = { 0 };
	struct stat info;
	char *self;
	int exit_code;

	*has_recorded = false;
	if (!make_file(request->data, &old, err)) {
		wk_buf_fini(&old);
		return WK_EXIT_FAILED;
	}
	self = wk_os_own_path();
	fill(&line, request, self);
	if (request->verbose)
		wk_say_command(&line.argv);
	io.outlives_interrupt = true;
	exit_code = wk_os_program_run(line.argv.at, io, err);
	*has_recorded = exit_code >= 0 && stat(request->data, &info) == 0 && info.st_size > 0;
	/* The password was wrong, or Ctrl-C was pressed. */
	if (!*has_recorded)
		wk_previous_put_back(request->data, &old);
	else if (wk_previous_settle(request->data, wk_previous_is_empty(request->data), &old))
		*has_recorded = false;
	wk_buf_fini(&old);
	wk_free(self);
	wk_arena_fini(&line.texts);
	wk_text_list_fini(&line.argv);
	return exit_code < 0 ? WK_EXIT_FAILED : exit_code;
}
