#include "cli/run/record_run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/terminal.h"
#include "event/advice.h"
#include "os/os.h"
#include "os/program.h"

/* A signal handler knows no context: the one recording of this program. */
static struct wk_recorder *volatile running;
static volatile sig_atomic_t stopped_by; /* the signal that came first; 0 before */

static void on_signal(int signal_number)
{
	struct wk_recorder *recorder = running;

	if (!recorder)
		return;
	if (!stopped_by)
		stopped_by = signal_number;
	/* A terminal sends Ctrl-C to the command as well; other signals reach only us. */
	if (signal_number != SIGINT)
		wk_recorder_signal(recorder, signal_number);
	wk_recorder_stop(recorder);
}

static const int handled[] = { SIGINT, SIGTERM, SIGHUP };

#define HANDLED_COUNT (sizeof(handled) / sizeof(handled[0]))

static void handle_signals(struct wk_recorder *recorder, struct sigaction *old)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	running = recorder;
	stopped_by = 0;
	for (size_t i = 0; i < HANDLED_COUNT; i++) {
		sigaction(handled[i], NULL, &old[i]);
		/* What a parent chose to ignore (nohup) stays ignored. */
		if (old[i].sa_handler != SIG_IGN)
			sigaction(handled[i], &action, NULL);
	}
}

static void restore_signals(const struct sigaction *old)
{
	for (size_t i = 0; i < HANDLED_COUNT; i++)
		sigaction(handled[i], &old[i], NULL);
	running = NULL;
}

struct run {
	const struct wk_record_request *request;
	bool is_open, progress_shown;
};

static void show_progress(void *context, const struct wk_recorder_status *status,
			  uint64_t file_bytes)
{
	struct run *run = context;
	struct wk_buf line = { 0 };

	wk_buf_add_fmt(&line, "\r\x1b[Krecording %.1f s, ", (double)status->elapsed_ns / 1e9);
	wk_num_add_grouped(&line, status->samples);
	wk_buf_add_text(&line, " samples, ");
	wk_num_add_bytes(&line, file_bytes);
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

/* Without a command, a recording without samples is a failure. */
static int exit_code_of(const struct wk_recorder_result *result)
{
	if (result->has_command)
		return exit_code_of_status(result->wait_status);
	return result->samples || result->heap_processes || result->counters ? WK_EXIT_DONE
									     : WK_EXIT_FAILED;
}

void wk_record_wait(struct wk_record_end *end, bool quiet, struct wk_err *err)
{
	const struct wk_recorder_result *result = &end->outcome.result;
	int wait_status = 0;
	pid_t ended;

	if (!result->command_running)
		return;
	if (err->code) {
		wk_say(err->text);
		*err = (struct wk_err){ 0 };
	}
	if (!quiet)
		wk_say("the command still runs; waiting for it to end");
	do
		ended = waitpid(result->command_pid, &wait_status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended == result->command_pid && end->exit_code == WK_EXIT_DONE)
		end->exit_code = exit_code_of_status(wait_status);
}

/* Why the kernel lets only root sample the program, or NULL: samples would reveal a file that the
 * user may not read, or what another user's rights are used for. */
static const char *hidden_reason(const char *program)
{
	char *found = strchr(program, '/') ? NULL : wk_os_program_find(program);
	const char *path = found ? found : program, *reason = NULL;
	struct stat info;

	if (geteuid() != 0 && stat(path, &info) == 0) {
		if (access(path, R_OK) != 0)
			reason = "because you may not read it";
		else if ((info.st_mode & S_ISUID && info.st_uid != geteuid()) ||
			 (info.st_mode & S_ISGID && info.st_gid != getegid()))
			reason = "because it runs with rights that you do not have";
	}
	wk_free(found);
	return reason;
}

/* Prints the reason, if there is one. */
static bool say_hidden(const struct wk_record_request *request, const char *before)
{
	char *const *command = request->recorder.command;
	const char *reason = command ? hidden_reason(command[0]) : NULL;

	if (reason)
		wk_warn_fmt(&wk_cli_messages,
			    "%sthe kernel does not let you sample %s, %s; root can", before,
			    command[0], reason);
	return reason != NULL;
}

/* Of events that are not time: why none was counted. */
static void add_no_events(const struct wk_record_request *request,
			  const struct wk_recorder_result *result, struct wk_buf *words)
{
	const struct wk_recorder_options *recorder = &request->recorder;
	const char *who = result->has_command ? "the command" : "what was recorded";

	if (result->user_only && !recorder->user_only)
		wk_buf_add_fmt(words,
			       " %s had no such event in user code, and events in the kernel may "
			       "not be counted by this user; to count them run: %s",
			       who, wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SAMPLE_KERNEL));
	else if (recorder->period > 1)
		wk_buf_add_fmt(words,
			       " %s had fewer than the %" PRIu64 " events between two samples; "
			       "use a lower -c",
			       who, recorder->period);
	else
		wk_buf_add_fmt(words, " %s had no such event%s", who,
			       result->user_only ? " in user code" : "");
}

/* Of clocks and cycles. */
static void add_little_time(const struct wk_record_request *request,
			    const struct wk_recorder_result *result, struct wk_buf *words)
{
	static const struct {
		const char *who, *why;
	} idle[] = {
		{ "the processes", "the recording was too short, or they mostly waited" },
		{ "the process", "the recording was too short, or it mostly waited" },
		{ "the command", "it ended too soon or mostly waited" },
	};
	size_t who = result->has_command ? 2 : request->recorder.pid_count == 1;
	double interval_ms = 1000.0 / (double)request->recorder.frequency_hz;

	if ((double)result->cpu_ns > 2e6 * interval_ms) {
		wk_buf_add_text(words, " the command used ");
		wk_num_add_duration(words, result->cpu_ns);
		wk_buf_add_fmt(words,
			       " of CPU time in processes that ran for less than the interval "
			       "between samples (%.2f ms); use a higher -F%s%s",
			       interval_ms, result->samples_cpus ? "" : ", or run: ",
			       result->samples_cpus
				       ? ""
				       : wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SAMPLE_ALL));
		return;
	}
	wk_buf_add_fmt(words,
		       " %s used less CPU time than the interval between samples (%.2f ms): %s; "
		       "use a higher -F",
		       idle[who].who, interval_ms, idle[who].why);
}

static void say_no_samples(const struct wk_record_request *request,
			   const struct wk_record_outcome *outcome)
{
	const struct wk_recorder_result *result = &outcome->result;
	struct wk_buf words = { 0 };

	if (say_hidden(request, "no samples: "))
		return;
	wk_buf_add_text(&words, "no samples: ");
	if (result->lost_samples) {
		wk_buf_add_text(&words, "all were lost");
		wk_warn_buf(&wk_cli_messages, &words);
		return;
	}
	wk_buf_add_text(&words, "in ");
	wk_num_add_duration(&words, result->elapsed_ns);
	if (request->recorder.period || !result->counts_cpu_time)
		add_no_events(request, result, &words);
	else
		add_little_time(request, result, &words);
	wk_warn_buf(&wk_cli_messages, &words);
}

static bool is_stdout(const struct wk_record_request *request)
{
	return strcmp(request->output, "-") == 0;
}

/* "1,998 samples and 3 other records were" */
static void add_losses(const struct wk_recorder_result *result, struct wk_buf *words)
{
	if (result->lost_samples)
		wk_num_add_counted(words, result->lost_samples, " sample", " samples");
	if (result->lost_samples && result->lost_records)
		wk_buf_add_text(words, " and ");
	if (result->lost_records)
		wk_num_add_counted(words, result->lost_records,
				   result->lost_samples ? " other record" : " record",
				   result->lost_samples ? " other records" : " records");
	wk_buf_add_text(words, result->lost_samples + result->lost_records == 1 ? " was" : " were");
}

static void say_what_was_lost(const struct wk_record_request *request,
			      const struct wk_record_outcome *outcome)
{
	const struct wk_unwind_counts *unwound = &outcome->unwound;
	uint64_t stacks = unwound->whole + unwound->cut + unwound->broken;
	struct wk_buf words = { 0 };

	if (outcome->result.lost_samples || outcome->result.lost_records) {
		add_losses(&outcome->result, &words);
		wk_buf_add_fmt(&words,
			       " lost because they came faster than they could be read; use a "
			       "larger --buffer, a smaller --stack-size or a %s",
			       outcome->result.counts_cpu_time && !request->recorder.period
				       ? "lower -F"
				       : "higher -c");
		wk_warn_buf(&wk_cli_messages, &words);
	}
	if (outcome->result.throttled) {
		wk_buf_add_text(&words, "the kernel paused sampling ");
		wk_num_add_grouped(&words, outcome->result.throttled);
		wk_buf_add_text(&words, " times because it took too much time; use a lower -F");
		wk_warn_buf(&wk_cli_messages, &words);
	}
	if (unwound->cut * 100 > stacks) {
		wk_num_add_share(&words, unwound->cut, stacks);
		wk_buf_add_fmt(&words,
			       " of user stacks are cut: they are deeper than the copy taken of "
			       "them, and the rest was not read from the process%s",
			       request->recorder.stack_bytes &&
					       request->recorder.stack_bytes < WK_MOST_STACK_BYTES
				       ? "; --stack-size 64K copies more"
				       : "");
		wk_warn_buf(&wk_cli_messages, &words);
	}
}

#define LITTLE_NS 50000000 /* less CPU time than this may be missed by chance */

static void say_unseen_time(const struct wk_recorder_result *result)
{
	uint64_t unseen_ns =
		result->cpu_ns > result->sampled_ns ? result->cpu_ns - result->sampled_ns : 0;
	struct wk_buf words = { 0 };

	if (result->lost_samples || unseen_ns < LITTLE_NS || unseen_ns < result->cpu_ns / 10)
		return;
	wk_num_add_duration(&words, unseen_ns);
	wk_buf_add_text(&words, " of ");
	wk_num_add_duration(&words, result->cpu_ns);
	wk_buf_add_text(&words, " of CPU time are in no sample, so that shares may be wrong by as "
				"much");
	if (!result->samples_cpus && !result->privileged)
		wk_buf_add_fmt(&words,
			       ": processes that run for less than the interval between samples "
			       "are missed; a higher -F samples them, or run: %s",
			       wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SAMPLE_ALL));
	wk_warn_buf(&wk_cli_messages, &words);
}

/* What a waiting program waits for is in no sample of CPU time: the few that there are would seem
 * to explain all of it. */
static void say_waiting(const struct wk_recorder_result *result)
{
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, "the command used ");
	wk_num_add_duration(&words, result->cpu_ns);
	wk_buf_add_text(&words, " of CPU time in ");
	wk_num_add_duration(&words, result->elapsed_ns);
	wk_buf_add_text(&words, "; what it waited for is in no sample");
	wk_warn_buf(&wk_cli_messages, &words);
}

static bool is_waiting(const struct wk_recorder_result *result)
{
	return result->counts_cpu_time && result->has_command && !result->command_running &&
	       !result->user_only && result->cpu_ns <= result->elapsed_ns / 2;
}

#define FEW_SAMPLES 50 /* one more or less is 2 % */
#define MANY_HZ     10000

static void say_few(const struct wk_record_request *request,
		    const struct wk_recorder_result *result)
{
	struct wk_buf words = { 0 };

	if (!result->counts_cpu_time || request->recorder.period ||
	    request->recorder.frequency_hz >= MANY_HZ || result->samples >= FEW_SAMPLES)
		return;
	wk_num_add_counted(&words, result->samples, " sample is", " samples are");
	wk_buf_add_text(&words, " few, so shares are rough; a higher -F (-F 10000) takes more");
	wk_warn_buf(&wk_cli_messages, &words);
}

static void say_privileged(const struct wk_recorder_result *result)
{
	struct wk_buf words = { 0 };

	if (result->privileged == 0)
		return;
	if (geteuid() == 0) {
		wk_num_add_counted(&words, result->privileged, " program has", " programs have");
		wk_buf_add_text(&words, " no names of functions, because of running with more "
					"rights than its user (such as sudo): the kernel does not "
					"say what it mapped; `wick record -a` records such "
					"programs whole");
	} else {
		wk_num_add_counted(&words, result->privileged, " program was", " programs were");
		wk_buf_add_text(&words, " not sampled, because of running with rights that you do "
					"not have (such as sudo); root can sample them");
	}
	wk_warn_buf(&wk_cli_messages, &words);
}

/* A shell says it of its own children; this one is ours. */
static void say_crash(const struct wk_recorder_result *result)
{
	int number = WTERMSIG(result->wait_status);

	if (result->has_command && WIFSIGNALED(result->wait_status) && number != stopped_by)
		wk_warn_fmt(&wk_cli_messages, "the command was ended by signal %d (%s)", number,
			    strsignal(number));
}

/* Which recording is there now. */
static void say_kept(const struct wk_record_request *request,
		     const struct wk_record_outcome *outcome)
{
	if (outcome->is_dropped)
		wk_warn_fmt(&wk_cli_messages,
			    "%s is still the earlier recording; this one was not kept",
			    request->output);
}

/* Is the output /dev/null, under any name? */
static bool is_discarded(const struct wk_record_request *request)
{
	struct stat output, null;

	return !is_stdout(request) && stat(request->output, &output) == 0 &&
	       S_ISCHR(output.st_mode) && stat("/dev/null", &null) == 0 &&
	       output.st_rdev == null.st_rdev;
}

/* The end of a sentence that says what was recorded; `hint` is for those who can read it. */
static void say_ended(const struct wk_record_request *request,
		      const struct wk_record_outcome *outcome, struct wk_buf *words,
		      const char *hint)
{
	wk_num_add_duration(words, outcome->result.elapsed_ns);
	wk_buf_add_text(words, "; ");
	wk_num_add_bytes(words, outcome->file_bytes);
	wk_buf_add_text(words, " in ");
	wk_buf_add_str(words, wk_buf_str(&outcome->place));
	wk_buf_add_text(words, is_stdout(request) || is_discarded(request) ? "" : hint);
	wk_warn_buf(&wk_cli_messages, words);
}

/* Of a recording of the heap alone. */
static void say_heap(const struct wk_record_request *request,
		     const struct wk_record_outcome *outcome)
{
	const struct wk_recorder_result *result = &outcome->result;
	struct wk_buf words = { 0 };

	wk_warn_lines(&wk_cli_messages, wk_buf_str(&outcome->unrecorded));
	if (!result->heap_processes && result->probes_heap && result->samples) {
		wk_buf_add_text(&words, "calls of the allocator in ");
		say_ended(request, outcome, &words, "; `wick show heap` prints what was allocated");
		return;
	}
	if (!result->heap_processes && outcome->unrecorded.len)
		return;
	if (!result->heap_processes && !result->has_command) {
		wk_warn_fmt(&wk_cli_messages,
			    "no allocations: the recorded processes did not call their allocators");
		return;
	}
	if (!result->heap_processes) {
		wk_warn_fmt(&wk_cli_messages,
			    "no allocations: the command did not load %s; a program that is linked "
			    "statically or has more rights than its user does not",
			    WK_HEAP_LIBRARY_NAME);
		return;
	}
	wk_buf_add_text(&words, "the heap of ");
	wk_num_add_counted(&words, result->heap_processes, " process in ", " processes in ");
	say_ended(request, outcome, &words, "; `wick show heap` prints what was allocated");
}

static void say_memory(const struct wk_record_request *request,
		       const struct wk_record_outcome *outcome)
{
	struct wk_buf words = { 0 };

	if (outcome->result.hooks_calls && !outcome->result.heap_processes) {
		if (!outcome->unrecorded.len && !outcome->result.has_command)
			wk_warn_fmt(&wk_cli_messages,
				    "no memory calls: the recorded processes made none");
		else if (!outcome->unrecorded.len)
			wk_warn_fmt(&wk_cli_messages,
				    "no memory calls: the command did not load %s",
				    WK_HEAP_LIBRARY_NAME);
		return;
	}
	wk_buf_add_text(&words, "calls that change the address space in ");
	say_ended(request, outcome, &words, "; `wick show memory` prints what they committed");
}

/* The heap and memory calls were to be recorded, but no samples. */
static bool is_without_samples(const struct wk_record_request *request,
			       const struct wk_recorder_result *result)
{
	return (request->recorder.records_heap || request->recorder.records_memory) &&
	       (!request->recorder.records_memory || result->records_calls) &&
	       request->recorder.event_count == 1 &&
	       strcmp(request->recorder.events[0], WK_DUMMY_EVENT) == 0;
}

static void say_closing_words(const struct wk_record_request *request,
			      const struct wk_record_outcome *outcome)
{
	const struct wk_unwind_counts *unwound = &outcome->unwound;
	uint64_t stacks = unwound->whole + unwound->cut + unwound->broken;
	struct wk_buf words = { 0 };

	say_crash(&outcome->result);
	say_what_was_lost(request, outcome);
	if (!request->recorder.all_cpus &&
	    (!request->recorder.records_heap || !is_without_samples(request, &outcome->result)))
		say_privileged(&outcome->result);
	if (request->recorder.records_heap)
		say_heap(request, outcome);
	else
		wk_warn_lines(&wk_cli_messages, wk_buf_str(&outcome->unrecorded));
	if (is_without_samples(request, &outcome->result)) {
		if (request->recorder.records_memory)
			say_memory(request, outcome);
		say_kept(request, outcome);
		return;
	}
	if (outcome->result.samples == 0) {
		say_no_samples(request, outcome);
		say_kept(request, outcome);
		return;
	}
	say_hidden(request, "");
	say_unseen_time(&outcome->result);
	if (is_waiting(&outcome->result))
		say_waiting(&outcome->result);
	else
		say_few(request, &outcome->result);
	if (outcome->result.records_calls && !outcome->result.hooks_calls)
		wk_num_add_counted(&words, outcome->result.samples, " sample or memory call in ",
				   " samples and memory calls in ");
	else
		wk_num_add_counted(&words, outcome->result.samples, " sample in ", " samples in ");
	wk_num_add_duration(&words, outcome->result.elapsed_ns);
	if (stacks) {
		wk_buf_add_text(&words, ", ");
		/* The same words as in wk_quality_line, which counts them when the file is read. */
		wk_num_add_share(&words, unwound->whole, stacks);
		wk_buf_add_text(&words, " of user stacks reach a root");
	}
	wk_buf_add_text(&words, "; ");
	wk_num_add_bytes(&words, outcome->file_bytes);
	wk_buf_add_text(&words, " in ");
	wk_buf_add_str(&words, wk_buf_str(&outcome->place));
	if (!wk_str_is(wk_buf_str(&outcome->place), request->output) && !is_stdout(request))
		wk_buf_add_fmt(&words, ", because another recording took the name %s",
			       request->output);
	wk_warn_buf(&wk_cli_messages, &words);
}

static int exit_code_of_failure(const struct wk_err *err)
{
	if (err->code == WK_ENOCOMMAND)
		return WK_EXIT_NO_COMMAND;
	return err->code == WK_ENOTRUNNABLE ? WK_EXIT_NOT_EXECUTABLE : wk_exit_code(err);
}

/* If Ctrl-C came before the command ran, the exit code is that of the signal. */
static int exit_code_after(const struct wk_recorder_result *result, const struct wk_err *err)
{
	bool was_kept_back = result->has_command && !result->command_began;

	if (was_kept_back && WIFSIGNALED(result->wait_status))
		return exit_code_of_status(result->wait_status);
	return was_kept_back && stopped_by ? 128 + stopped_by : exit_code_of_failure(err);
}

static bool allow_output(const struct wk_record_request *request, struct wk_err *err)
{
	if (!is_stdout(request) || !wk_os_is_terminal(STDOUT_FILENO))
		return true;
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "a recording is binary and is not written to a terminal; redirect -o - to a "
		       "pipe or file");
}

/* With signals handled until the recording has ended. */
static bool record(struct wk_recording *recording, bool quiet, struct run *run,
		   struct wk_record_outcome *outcome, struct wk_err *err)
{
	struct wk_recorder *recorder = wk_recording_recorder(recording);
	struct sigaction old[HANDLED_COUNT];
	bool ok;

	/* The child is forked already and keeps its handlers. The previous recording is not
	 * touched before this. */
	handle_signals(recorder, old);
	run->is_open = allow_output(run->request, err) && wk_recording_open(recording, err);
	if (run->is_open && !quiet)
		wk_warn_lines(&wk_cli_messages, wk_str_c(wk_recorder_notices(recorder)));
	ok = run->is_open && wk_recording_run(recording, err);
	restore_signals(old);
	clear_progress(run);
	return run->is_open && wk_recording_finish(recording, ok, outcome, err);
}

/* On a terminal that the command writes to, a line that changes would destroy its output. */
static void show_start(struct wk_record_request *request)
{
	if (!request->recorder.command || !wk_os_is_terminal(STDOUT_FILENO))
		request->progress = show_progress;
	else
		wk_warn_fmt(&wk_cli_messages, "recording %s; Ctrl-C ends it",
			    request->recorder.command[0]);
}

bool wk_record_run(const struct wk_record_request *given, bool quiet, struct wk_symbols *symbols,
		   struct wk_record_end *end, struct wk_err *err)
{
	struct wk_record_request request = *given;
	struct run run = { .request = &request };
	struct wk_recording *recording;
	bool ok;

	if (!quiet && wk_os_is_terminal(STDERR_FILENO))
		show_start(&request);
	request.context = &run;
	*end = (struct wk_record_end){ .outcome.fd = -1 };
	recording = wk_recording_new(&request, symbols, err);
	if (!recording) {
		end->exit_code = exit_code_of_failure(err);
		return false;
	}
	/* A write past ulimit -f fails like one to a full disk. The command was forked before and
	 * is not affected. */
	signal(SIGXFSZ, SIG_IGN);
	ok = record(recording, quiet, &run, &end->outcome, err);
	if (ok)
		end->exit_code = exit_code_of(&end->outcome.result);
	else if (run.is_open)
		end->exit_code = exit_code_after(&end->outcome.result, err);
	else
		end->exit_code = stopped_by ? 128 + stopped_by : WK_EXIT_FAILED;
	if (ok && !quiet && is_discarded(&request))
		wk_warn_fmt(&wk_cli_messages,
			    "%s keeps nothing, so this recording cannot be shown; choose a file "
			    "with -o",
			    request.output);
	if (ok && !quiet)
		say_closing_words(&request, &end->outcome);
	else if (ok && end->exit_code == WK_EXIT_FAILED && !end->outcome.result.has_command)
		say_no_samples(&request, &end->outcome);
	wk_recording_free(recording);
	return ok;
}
