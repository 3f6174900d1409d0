#include "cli/run/record_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/run/child.h"
#include "session/previous.h"
#include "cli/terminal.h"
#include "formats/perf/write.h"
#include "os/os.h"
#include "stages/jit/jit_stage.h"

/* A signal handler knows no context: the one recording of this program. */
static struct wk_recorder *volatile recording;
static volatile sig_atomic_t stopped_by; /* the signal that came first; 0 before */

static void on_signal(int signal_number)
{
	struct wk_recorder *recorder = recording;

	if (!recorder)
		return;
	if (!stopped_by)
		stopped_by = signal_number;
	/* A terminal sends Ctrl-C to the command as well; other signals reach only us. */
	if (signal_number != SIGINT)
		wk_recorder_signal(recorder, signal_number);
	wk_recorder_stop(recorder);
}

struct handlers {
	struct sigaction interrupt, terminate, hang_up;
};

static void handle_one(int signal_number, struct sigaction *old)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(signal_number, NULL, old);
	/* What a parent chose to ignore (nohup) stays ignored. */
	if (old->sa_handler != SIG_IGN)
		sigaction(signal_number, &action, NULL);
}

static void handle_signals(struct wk_recorder *recorder, struct handlers *old)
{
	recording = recorder;
	stopped_by = 0;
	handle_one(SIGINT, &old->interrupt);
	handle_one(SIGTERM, &old->terminate);
	handle_one(SIGHUP, &old->hang_up);
}

/* Also where that was done already. */
static void restore_signals(const struct handlers *old)
{
	sigaction(SIGINT, &old->interrupt, NULL);
	sigaction(SIGTERM, &old->terminate, NULL);
	sigaction(SIGHUP, &old->hang_up, NULL);
	recording = NULL;
}

struct run {
	const struct wk_record_request *request;
	struct wk_perf_data_writer *writer;
	struct wk_buf old; /* where the recording went that lay at `output`; empty without one */
	struct handlers handlers; /* of signals, as they were before */
	bool shows_progress, progress_shown;
};

/* What was recorded last must not wait for the next event to be safe on disk. */
static void keep_current(struct run *run)
{
	struct wk_err ignored = { 0 }; /* the writer stays failed and tells at its next event */

	wk_perf_data_writer_flush(run->writer, &ignored);
}

static void on_progress(void *context, const struct wk_recorder_status *status)
{
	struct run *run = context;
	struct wk_buf line = { 0 };

	keep_current(run);
	if (!run->shows_progress)
		return;
	wk_buf_add_fmt(&line, "\r\x1b[Krecording %.1f s, ", (double)status->elapsed_ns / 1e9);
	wk_num_add_grouped(&line, status->samples);
	wk_buf_add_text(&line, " samples, ");
	wk_num_add_bytes(&line, wk_perf_data_writer_bytes(run->writer));
	if (status->lost_samples) {
		wk_buf_add_text(&line, ", ");
		wk_num_add_grouped(&line, status->lost_samples);
		wk_buf_add_text(&line, " lost");
	}
	wk_buf_add_text(&line, "; Ctrl-C ends it");
	run->progress_shown = write(STDERR_FILENO, line.at, line.len) > 0 || run->progress_shown;
	wk_buf_fini(&line);
}

static void clear_progress(const struct run *run)
{
	static const char clear[] = "\r\x1b[K";

	if (run->progress_shown && write(STDERR_FILENO, clear, sizeof(clear) - 1) < 0)
		return;
}

static int exit_code_of_status(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : WK_EXIT_FAILED;
}

static int exit_code_of(const struct wk_recorder_result *result)
{
	return result->has_command ? exit_code_of_status(result->wait_status) : WK_EXIT_DONE;
}

void wk_record_outcome_fini(struct wk_record_outcome *outcome)
{
	if (outcome->fd >= 0)
		close(outcome->fd);
	outcome->fd = -1;
	wk_buf_fini(&outcome->place);
}

void wk_record_wait(struct wk_record_outcome *outcome, bool quiet, struct wk_err *err)
{
	int wait_status = 0;
	pid_t ended;

	if (!outcome->running)
		return;
	if (err->code) {
		wk_say(err->text);
		*err = (struct wk_err){ 0 };
	}
	if (!quiet)
		wk_say("the command still runs; waiting for it to end");
	do
		ended = waitpid(outcome->running, &wait_status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended == outcome->running && outcome->exit_code == WK_EXIT_DONE)
		outcome->exit_code = exit_code_of_status(wait_status);
	outcome->running = 0;
}

/* Why the kernel lets nobody but root sample the program, or NULL: it would tell what is in a file
 * that one may not read, or what another user's rights were used for. */
static const char *hidden_reason(const char *program)
{
	char *found = strchr(program, '/') ? NULL : wk_os_program_find(program);
	const char *path = found ? found : program, *reason = NULL;
	struct stat info;

	if (geteuid() != 0 && stat(path, &info) == 0) {
		if (access(path, R_OK) != 0)
			reason = "as you may not read it";
		else if ((info.st_mode & S_ISUID && info.st_uid != geteuid()) ||
			 (info.st_mode & S_ISGID && info.st_gid != getegid()))
			reason = "as it runs with rights that you have not";
	}
	wk_free(found);
	return reason;
}

/* Whether that was so. */
static bool say_hidden(const struct wk_record_request *request, const char *before)
{
	char *const *command = request->recorder.command;
	const char *reason = command ? hidden_reason(command[0]) : NULL;
	struct wk_buf words = { 0 };

	if (!reason)
		return false;
	wk_buf_add_fmt(&words, "%sthe kernel does not let you sample %s, %s; root may", before,
		       command[0], reason);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
	return true;
}

static void say_no_samples(const struct wk_record_request *request,
			   const struct wk_record_outcome *outcome)
{
	struct wk_buf words = { 0 };

	if (say_hidden(request, "no samples: "))
		return;
	wk_buf_add_text(&words, "no samples: in ");
	wk_num_add_duration(&words, outcome->result.elapsed_ns);
	if (request->recorder.period)
		wk_buf_add_fmt(&words,
			       " there were fewer than the %" PRIu64 " events that lie "
			       "between two samples; a lower -c sees more",
			       request->recorder.period);
	else
		wk_buf_add_fmt(&words,
			       " %s used less CPU time than the %.2f ms between two "
			       "samples: it %s, or waited most of the time; a higher -F "
			       "sees more",
			       outcome->result.has_command ? "the command" : "what was recorded",
			       1000.0 / (double)request->recorder.frequency_hz,
			       outcome->result.has_command ? "ended too soon" : "was too short");
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void say_old(const struct wk_buf *old)
{
	struct wk_buf words = { 0 };

	if (old->len == 0)
		return;
	wk_buf_add_text(&words, "the recording that was there before is in ");
	wk_buf_add(&words, old->at, old->len);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static bool is_stdout(const struct wk_record_request *request)
{
	return strcmp(request->output, "-") == 0;
}

/* The name that the open file has now, as seen from here. False where it has none. */
static bool add_present_name(int fd, struct wk_buf *name)
{
	char link[64], path[4096], here[4096];
	size_t len;
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = readlink(link, path, sizeof(path) - 1);
	if (got <= 0 || path[0] != '/')
		return false;
	path[got] = '\0';
	len = getcwd(here, sizeof(here)) ? strlen(here) : 0;
	if (len && strncmp(path, here, len) == 0 && path[len] == '/')
		wk_buf_add_text(name, path + len + 1);
	else
		wk_buf_add_text(name, path);
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

/* Another recorder that began since has made this one FILE.old, and FILE its own. */
static void add_place(int fd, const struct wk_record_request *request, struct wk_buf *place)
{
	if (is_stdout(request))
		wk_buf_add_text(place, "standard output");
	else if (is_at(fd, request->output) || !is_file(fd) || !add_present_name(fd, place))
		wk_buf_add_text(place, request->output);
}

static void add_count(struct wk_buf *words, uint64_t count, const char *one, const char *many)
{
	wk_num_add_grouped(words, count);
	wk_buf_add_text(words, count == 1 ? one : many);
}

static void say_what_was_lost(const struct wk_record_request *request,
			      const struct wk_record_outcome *outcome)
{
	const struct wk_unwind_counts *unwound = &outcome->unwound;
	uint64_t stacks = unwound->whole + unwound->cut + unwound->broken;
	struct wk_buf words = { 0 };

	if (outcome->result.lost_samples || outcome->result.lost_records) {
		add_count(&words, outcome->result.lost_samples, " sample and ", " samples and ");
		add_count(&words, outcome->result.lost_records, " other record", " other records");
		wk_buf_add_text(&words, " were lost: the machine was too busy to take them; a "
					"lower -F or a smaller --stack-size helps");
		wk_say(wk_buf_text(&words));
		wk_buf_reset(&words);
	}
	if (outcome->result.throttled) {
		wk_buf_add_text(&words, "the kernel paused sampling ");
		wk_num_add_grouped(&words, outcome->result.throttled);
		wk_buf_add_text(&words, " times, since it took too much time; a lower -F avoids "
					"that");
		wk_say(wk_buf_text(&words));
		wk_buf_reset(&words);
	}
	if (unwound->cut * 100 > stacks) {
		wk_num_add_share(&words, unwound->cut, stacks);
		wk_buf_add_fmt(&words,
			       " of user stacks are deeper than the %" PRIu32 " bytes "
			       "copied of each%s",
			       request->recorder.stack_bytes,
			       request->recorder.stack_bytes < 65528
				       ? "; --stack-size 64K sees more"
				       : ", the kernel's limit");
		wk_say(wk_buf_text(&words));
	}
	wk_buf_fini(&words);
}

static void say_closing_words(const struct run *run, const struct wk_record_outcome *outcome)
{
	const struct wk_record_request *request = run->request;
	const struct wk_unwind_counts *unwound = &outcome->unwound;
	uint64_t stacks = unwound->whole + unwound->cut + unwound->broken;
	struct wk_buf words = { 0 };

	say_what_was_lost(request, outcome);
	if (outcome->result.samples == 0) {
		say_no_samples(request, outcome);
		say_old(&run->old);
		return;
	}
	say_hidden(request, "");
	add_count(&words, outcome->result.samples, " sample in ", " samples in ");
	wk_num_add_duration(&words, outcome->result.elapsed_ns);
	if (stacks) {
		wk_buf_add_text(&words, ", ");
		/* In the words of wk_quality_line, which counts the same when the file is read. */
		wk_num_add_share(&words, unwound->whole, stacks);
		wk_buf_add_text(&words, " of user stacks reach a root");
	}
	wk_buf_add_text(&words, "; ");
	wk_num_add_bytes(&words, outcome->file_bytes);
	wk_buf_add_text(&words, " in ");
	wk_buf_add_str(&words, wk_buf_str(&outcome->place));
	if (!wk_str_is(wk_buf_str(&outcome->place), request->output) && !is_stdout(request))
		wk_buf_add_fmt(&words, ", since another recording took the name %s",
			       request->output);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

/* Recorder, stages and writer in a row; all are closed again, whatever happened. */
static bool record_events(struct run *run, struct wk_recorder *recorder, struct wk_symbols *symbols,
			  struct wk_record_outcome *outcome, struct wk_err *err)
{
	struct wk_jit_stage *names = wk_jit_stage_new(wk_perf_data_writer_sink(run->writer));
	struct wk_unwind_stage *stage = wk_unwind_stage_new(symbols, wk_jit_stage_sink(names));
	struct wk_sink sink = wk_unwind_stage_sink(stage);
	bool ok;

	wk_unwind_stage_set_live(stage);
	wk_symbols_be_live(symbols, true);
	wk_jit_stage_set_live(names);
	wk_unwind_stage_use_jit(stage, names);
	if (run->request->embeds_symbols)
		wk_unwind_stage_embed_names(stage);
	ok = wk_recorder_run(recorder, &sink, on_progress, run, &outcome->result, err);
	restore_signals(&run->handlers);
	clear_progress(run);
	if (outcome->result.command_running)
		outcome->running = outcome->result.command_pid;
	/* On a disk that is full the end of the file still tells what its samples are called. */
	if (ok || wk_perf_data_writer_add_names(run->writer))
		ok = wk_unwind_stage_finish(stage, err) && wk_jit_stage_finish(names, err) && ok;
	/* After a failure as well: the header then tells how far the file is good. */
	ok = wk_perf_data_writer_finish(run->writer, err) && ok;
	outcome->unwound = wk_unwind_stage_counts(stage);
	outcome->file_bytes = wk_perf_data_writer_bytes(run->writer);
	wk_symbols_be_live(symbols, false);
	wk_unwind_stage_free(stage);
	wk_jit_stage_free(names);
	return ok;
}

/* A file without its head, or of a command that never ran. */
static bool is_worthless(const struct run *run, const struct wk_record_outcome *outcome)
{
	return !wk_perf_data_writer_has_head(run->writer) ||
	       (outcome->result.has_command && !outcome->result.command_began);
}

static void add_kept(struct run *run, int fd, const struct wk_record_outcome *outcome,
		     struct wk_buf *words)
{
	const char *output = run->request->output;
	uint64_t samples = wk_perf_data_writer_samples(run->writer);

	wk_buf_add_text(words, ": ");
	if (is_worthless(run, outcome)) {
		wk_buf_add_text(words, "nothing was kept");
		if (is_at(fd, output) && wk_previous_put_back(output, &run->old))
			wk_buf_add_fmt(words,
				       wk_os_is_there(output) ? "; %s is as it was before"
							      : ", and there is no %s",
				       output);
		return;
	}
	if (samples)
		wk_num_add_grouped(words, samples);
	else
		wk_buf_add_text(words, "no");
	wk_buf_add_text(words, samples == 1 ? " sample was kept in " : " samples were kept in ");
	wk_buf_add_str(words, wk_buf_str(&outcome->place));
}

/* Puts behind the cause how much of the recording there is. */
static void report_kept(struct run *run, int fd, const struct wk_record_outcome *outcome,
			struct wk_err *err)
{
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, err->text);
	if (is_file(fd) && is_linked(fd))
		add_kept(run, fd, outcome, &words);
	if (outcome->result.has_command && !outcome->result.command_began &&
	    !outcome->result.wait_status)
		wk_buf_add_text(&words, "; the command was not run");
	snprintf(err->text, sizeof(err->text), "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

/* Opens the file, after what lay there was given the name `old`. */
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

static int open_output(const char *output, struct wk_buf *old, struct wk_err *err)
{
	if (strcmp(output, "-") != 0)
		return open_file(output, old, err);
	if (wk_os_is_terminal(STDOUT_FILENO)) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"a recording is not text: -o - needs a pipe or a file behind it");
		return -1;
	}
	return STDOUT_FILENO;
}

/* The command, or somebody else, may have removed what was written all along. */
static bool is_still_there(int fd, const char *output, struct wk_err *err)
{
	if (!is_file(fd) || is_linked(fd))
		return true;
	return wk_fail(err, WK_EIO, WK_NOWHERE, "%s was deleted while it was written", output);
}

static int exit_code_of_failure(const struct wk_err *err)
{
	if (err->code == WK_ENOCOMMAND)
		return WK_EXIT_NO_COMMAND;
	return err->code == WK_ENOTRUNNABLE ? WK_EXIT_NOT_EXECUTABLE : wk_exit_code(err);
}

/* Of a recording. A command that a Ctrl-C kept from running ended by that. */
static int exit_code_after(const struct wk_recorder_result *result, const struct wk_err *err)
{
	bool was_kept_back = result->has_command && !result->command_began;

	if (was_kept_back && WIFSIGNALED(result->wait_status))
		return exit_code_of_status(result->wait_status);
	return was_kept_back && stopped_by ? 128 + stopped_by : exit_code_of_failure(err);
}

bool wk_record_run(const struct wk_record_request *request, struct wk_symbols *symbols,
		   struct wk_record_outcome *outcome, struct wk_err *err)
{
	struct wk_recorder_options options = request->recorder;
	struct wk_recorder *recorder;
	struct run run = { .request = request };
	int fd = -1;
	bool ok = false;

	*outcome = (struct wk_record_outcome){ .exit_code = WK_EXIT_FAILED, .fd = -1 };
	options.command_to_stderr = is_stdout(request);
	recorder = wk_recorder_new(&options, err);
	if (!recorder) {
		outcome->exit_code = exit_code_of_failure(err);
		return false;
	}
	/* A write past ulimit -f fails like one to a full disk. The command is born already and
	 * keeps its own way with this signal. */
	signal(SIGXFSZ, SIG_IGN);
	/* The child has them as they were. What was recorded last is not touched before. */
	handle_signals(recorder, &run.handlers);
	fd = open_output(request->output, &run.old, err);
	if (fd < 0 && stopped_by)
		outcome->exit_code = 128 + stopped_by;
	if (fd < 0)
		goto out;
	run.writer = wk_perf_data_writer_new(fd, NULL);
	/* A command that writes to the same terminal keeps it for itself. */
	run.shows_progress = !request->quiet && wk_os_is_terminal(STDERR_FILENO) &&
			     !(request->recorder.command && wk_os_is_terminal(STDOUT_FILENO));
	if (!request->quiet)
		wk_say_lines(wk_recorder_notices(recorder));
	ok = record_events(&run, recorder, symbols, outcome, err) &&
	     is_still_there(fd, request->output, err);
	outcome->exit_code =
		ok ? exit_code_of(&outcome->result) : exit_code_after(&outcome->result, err);
	add_place(fd, request, &outcome->place);
	if (request->stays_open && is_file(fd))
		outcome->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!ok)
		report_kept(&run, fd, outcome, err);
	else if (!request->quiet)
		say_closing_words(&run, outcome);
out:
	restore_signals(&run.handlers);
	wk_perf_data_writer_free(run.writer);
	wk_buf_fini(&run.old);
	if (fd >= 0 && fd != STDOUT_FILENO && close(fd) != 0 && ok) {
		ok = wk_fail_os(err, errno, "cannot finish %s", request->output);
		outcome->exit_code = WK_EXIT_FAILED;
	}
	wk_recorder_free(recorder);
	return ok;
}
