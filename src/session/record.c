#include "session/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/perf/write.h"
#include "os/os.h"
#include "base/num.h"
#include "session/heap/heap_symbols.h"
#include "session/previous.h"
#include "session/unrecorded.h"
#include "stages/jit/jit_stage.h"

struct wk_recording {
	struct wk_record_request request;
	struct wk_symbols *symbols;
	struct wk_recorder *recorder;
	struct wk_perf_data_writer *writer;
	struct wk_jit_stage *names;
	struct wk_unwind_stage *stage;
	struct wk_heap_symbols heap_symbols;
	struct wk_unrecorded *unrecorded; /* NULL: neither heaps nor memory calls are recorded */
	struct wk_recorder_result result;
	struct wk_buf previous;
	int fd;               /* the output; -1 before it is open */
	struct wk_undo *undo; /* of a file */
};

static bool is_stdout(const char *output)
{
	return strcmp(output, "-") == 0;
}

/* The current name of the open file, relative to this folder. False if it has none. */
static bool add_present_name(int fd, struct wk_buf *name)
{
	char link[64], target[4096], here[4096];
	struct wk_str path, below;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target));
	if (len <= 0 || target[0] != '/')
		return false;
	path = wk_str_of(target, (size_t)len);
	if (getcwd(here, sizeof(here)) && wk_str_starts(path, here)) {
		below = wk_str_skip(path, strlen(here));
		if (wk_str_starts(below, "/"))
			path = wk_str_skip(below, 1);
	}
	wk_buf_add_str(name, path);
	return true;
}

static bool is_file(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_linked(int fd)
{
	struct stat info;

	return fstat(fd, &info) != 0 || info.st_nlink > 0;
}

static bool is_at(int fd, const char *path)
{
	struct stat ours = { 0 }, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* A recorder that started later may have renamed this file to FILE.old. */
static void add_place(int fd, const char *output, struct wk_buf *place)
{
	if (is_stdout(output))
		wk_buf_add_text(place, "standard output");
	else if (is_at(fd, output) || !is_file(fd) || !add_present_name(fd, place))
		wk_buf_add_text(place, output);
}

/* The command or another program may have removed the file. */
static bool is_still_there(int fd, const char *output, struct wk_err *err)
{
	if (!is_file(fd) || is_linked(fd))
		return true;
	return wk_fail(err, WK_EIO, WK_NOWHERE, "%s was deleted while it was written", output);
}

/* Without its header, or of a command that never ran. */
static bool is_worthless(const struct wk_recording *r)
{
	return !wk_perf_data_writer_has_head(r->writer) ||
	       (r->result.has_command && !r->result.command_began);
}

static void add_kept(struct wk_recording *r, struct wk_record_outcome *outcome,
		     struct wk_buf *words)
{
	const char *output = r->request.output;
	uint64_t samples = wk_perf_data_writer_samples(r->writer);

	wk_buf_add_text(words, ": ");
	if (is_worthless(r)) {
		wk_buf_add_text(words, "nothing was kept");
		if (is_at(r->fd, output) && wk_previous_put_back(output, &outcome->previous))
			wk_buf_add_fmt(words,
				       wk_os_is_there(output) ? "; %s is as it was before"
							      : ", and there is no %s",
				       output);
		return;
	}
	if (samples)
		wk_num_add_grouped(words, samples);
	else if (r->result.heap_processes)
		wk_buf_add_text(words, "the heap's events until then");
	else
		wk_buf_add_text(words, "no");
	if (!samples && r->result.heap_processes)
		wk_buf_add_text(words, " were kept in ");
	else
		wk_buf_add_text(words,
				samples == 1 ? " sample was kept in " : " samples were kept in ");
	wk_buf_add_str(words, wk_buf_str(&outcome->place));
}

/* Appends to the error how much of the recording was saved. */
static void report_kept(struct wk_recording *r, struct wk_record_outcome *outcome,
			struct wk_err *err)
{
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, err->text);
	if (is_file(r->fd) && is_linked(r->fd))
		add_kept(r, outcome, &words);
	if (r->result.has_command && !r->result.command_began && !r->result.wait_status)
		wk_buf_add_text(&words, "; the command was not run");
	snprintf(err->text, sizeof(err->text), "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

/* Opens the file; a previous one is renamed to `old`. */
static int open_file(const char *output, struct wk_buf *old, struct wk_err *err)
{
	int fd;

	if (!wk_previous_keep(output, old, err))
		return -1;
	fd = wk_os_create(output, true, err);
	if (fd < 0)
		wk_previous_restore(old);
	else
		wk_previous_hold(fd);
	return fd;
}

static void on_full_stack(void *context, uint32_t pid, uint32_t tid,
			  const struct wk_event_stack *stack)
{
	struct wk_recording *r = context;

	wk_unwind_stage_full_stack(r->stage, pid, tid, stack);
}

static bool find_stack_end(void *context, uint32_t tid, struct wk_stack_end *end)
{
	struct wk_recording *r = context;

	return wk_unwind_stage_stack_end(r->stage, tid, end);
}

static bool find_heap_symbols(struct wk_recording *r, struct wk_err *err)
{
	const struct wk_recorder_options *options = &r->request.recorder;

	/* Sampled blocks are the library's choice. */
	return !options->records_heap || (options->heap_sample_bytes && !r->request.heap_symbols) ||
	       wk_heap_symbols_find(&r->heap_symbols, r->request.heap_symbols, &r->request.recorder,
				    err);
}

struct wk_recording *wk_recording_new(const struct wk_record_request *request,
				      struct wk_symbols *symbols, struct wk_err *err)
{
	struct wk_recording *r = wk_alloc_zeroed(1, sizeof(*r));

	r->request = *request;
	r->symbols = symbols;
	r->fd = -1;
	r->request.recorder.command_to_stderr = is_stdout(request->output);
	r->request.recorder.on_full_stack = on_full_stack;
	r->request.recorder.find_stack_end = find_stack_end;
	r->request.recorder.stack_context = r;
	if (find_heap_symbols(r, err))
		r->recorder = wk_recorder_new(&r->request.recorder, err);
	if (r->recorder)
		return r;
	wk_recording_free(r);
	return NULL;
}

struct wk_recorder *wk_recording_recorder(struct wk_recording *r)
{
	return r->recorder;
}

bool wk_recording_open(struct wk_recording *r, struct wk_err *err)
{
	if (is_stdout(r->request.output)) {
		r->fd = STDOUT_FILENO;
	} else {
		r->undo = wk_undo_new();
		r->fd = wk_os_undo_fd(r->undo, open_file(r->request.output, &r->previous, err));
	}
	if (r->fd < 0) {
		wk_undo_free(r->undo);
		return false;
	}
	r->writer = wk_perf_data_writer_new(r->fd, NULL);
	r->names = wk_jit_stage_new(wk_perf_data_writer_sink(r->writer));
	r->stage = wk_unwind_stage_new(
		r->symbols, wk_jit_stage_sink(r->names),
		(struct wk_unwind_options){ .jit = r->names,
					    .is_live = true,
					    .embeds_names = r->request.embeds_symbols });
	return true;
}

/* The last events must not wait in memory for the next one. */
static void on_progress(void *context, const struct wk_recorder_status *status)
{
	struct wk_recording *r = context;
	struct wk_err ignored = { 0 }; /* the writer stays failed and reports at its next event */

	wk_perf_data_writer_flush(r->writer, &ignored);
	if (r->request.progress)
		r->request.progress(r->request.context, status,
				    wk_perf_data_writer_bytes(r->writer));
}

static enum wk_unrecorded_of unrecorded_of(const struct wk_recording *r)
{
	if (r->request.recorder.records_heap)
		return WK_UNRECORDED_HEAP;
	return wk_recorder_hooks_calls(r->recorder) ? WK_UNRECORDED_CALLS : WK_UNRECORDED_32_BITS;
}

bool wk_recording_run(struct wk_recording *r, struct wk_err *err)
{
	struct wk_sink sink = wk_unwind_stage_sink(r->stage);

	/* Processes that run already have all loaded the library. */
	if ((r->request.recorder.records_heap || r->request.recorder.records_memory) &&
	    r->request.recorder.command) {
		r->unrecorded = wk_unrecorded_new(sink, unrecorded_of(r), &r->heap_symbols);
		sink = wk_unrecorded_sink(r->unrecorded);
	}
	wk_symbols_be_live(r->symbols, true);
	wk_jit_stage_set_live(r->names);
	return wk_recorder_run(r->recorder, &sink, on_progress, r, &r->result, err);
}

static bool close_file(struct wk_recording *r, bool ok, struct wk_err *err)
{
	int fd = r->fd;

	r->fd = -1;
	if (fd != STDOUT_FILENO && close(fd) != 0 && ok)
		ok = wk_fail_os(err, errno, "cannot finish %s", r->request.output);
	wk_undo_free(r->undo);
	return ok;
}

/* Functions of --heap-symbols that were not patched. */
static void add_patches(const struct wk_recording *r, struct wk_buf *lines)
{
	if (!r->request.recorder.heap_patch_count)
		return;
	if (r->result.heap_unpatched) {
		wk_num_add_counted(lines, r->result.heap_unpatched,
				   " function of the allocator was",
				   " functions of the allocator were");
		wk_buf_add_text(lines, " not recorded: the system does not let code be changed, "
				       "the file has changed, or other threads ran when it was "
				       "loaded\n");
	} else if (!r->result.heap_patched && r->result.heap_processes) {
		wk_buf_add_text(lines, "no function of --heap-symbols was recorded: no process has "
				       "loaded the file, or too few events of malloc followed for "
				       "wick to notice that\n");
	}
}

bool wk_recording_finish(struct wk_recording *r, bool ok, struct wk_record_outcome *outcome,
			 struct wk_err *err)
{
	/* If the disk is full, the end of the file still contains the names of its samples. */
	if (ok || wk_perf_data_writer_add_names(r->writer))
		ok = wk_unwind_stage_finish(r->stage, err) && wk_jit_stage_finish(r->names, err) &&
		     ok;
	/* After a failure as well: the header then says how far the file is good. */
	ok = wk_perf_data_writer_finish(r->writer, err) && ok;
	wk_symbols_be_live(r->symbols, false);
	ok = ok && is_still_there(r->fd, r->request.output, err);
	*outcome = (struct wk_record_outcome){
		.result = r->result,
		.unwound = wk_unwind_stage_counts(r->stage),
		.file_bytes = wk_perf_data_writer_bytes(r->writer),
		.previous = r->previous,
		.fd = -1,
	};
	r->previous = (struct wk_buf){ 0 };
	if (r->unrecorded)
		wk_unrecorded_add(r->unrecorded, &outcome->unrecorded);
	add_patches(r, &outcome->unrecorded);
	add_place(r->fd, r->request.output, &outcome->place);
	if (r->request.stays_open && is_file(r->fd))
		outcome->fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
	if (!ok)
		report_kept(r, outcome, err);
	if (is_at(r->fd, r->request.output))
		outcome->is_dropped =
			wk_previous_settle(r->request.output,
					   ok && r->result.samples == 0 &&
						   !r->result.heap_processes && !r->result.counters,
					   &outcome->previous);
	return close_file(r, ok, err);
}

void wk_recording_free(struct wk_recording *r)
{
	if (!r)
		return;
	wk_unrecorded_free(r->unrecorded);
	wk_heap_symbols_fini(&r->heap_symbols);
	wk_unwind_stage_free(r->stage);
	wk_jit_stage_free(r->names);
	wk_perf_data_writer_free(r->writer);
	wk_recorder_free(r->recorder);
	wk_buf_fini(&r->previous);
	wk_free(r);
}

void wk_record_outcome_fini(struct wk_record_outcome *outcome)
{
	if (outcome->fd >= 0)
		close(outcome->fd);
	outcome->fd = -1;
	WK_BUF_FINI_ALL(&outcome->place, &outcome->unrecorded, &outcome->previous);
}
