/* The recorder alone, without unwinding and without a file: prints every event as a line.
 *
 *	record_driver [options] [-- COMMAND [ARG]...]
 *	-p PID  -a  -F HZ  -c PERIOD  -e EVENT  -d NS  -g auto|fp|none  -s STACK_BYTES  -u
 *	-q (print no events)  -x COUNT (the sink fails after so many events)  -S NS (the sink
 *	sleeps so long at each sample)
 *
 * Ends as the command did; what was counted goes to standard error. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "event/dump.h"
#include "record/recorder.h"

struct driver {
	struct wk_sink next;
	bool is_quiet;
	uint64_t fail_after, sleep_ns, taken, last_ns, disorders;
};

static struct wk_recorder *volatile recording;

static void on_signal(int signal_number)
{
	(void)signal_number;
	if (recording)
		wk_recorder_stop(recording);
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct driver *driver = context;
	struct timespec pause = { 0 };

	if (driver->fail_after && driver->taken++ >= driver->fail_after)
		return wk_fail(err, WK_EIO, WK_NOWHERE, "the sink is full");
	driver->disorders += event->time_ns < driver->last_ns;
	driver->last_ns = event->time_ns;
	if (driver->sleep_ns && event->kind == WK_EVENT_SAMPLE) {
		pause.tv_nsec = (long)driver->sleep_ns;
		nanosleep(&pause, NULL);
	}
	return driver->is_quiet || wk_sink_emit(&driver->next, event, err);
}

static enum wk_call_graph call_graph_of(const char *name)
{
	if (strcmp(name, "fp") == 0)
		return WK_CALL_GRAPH_FRAME_POINTER;
	return strcmp(name, "none") == 0 ? WK_CALL_GRAPH_NONE : WK_CALL_GRAPH_AUTO;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static void read_options(int argc, char **argv, struct wk_recorder_options *options,
			 struct driver *driver)
{
	static pid_t pids[64];
	static const char *events[64];
	int letter;

	options->pids = pids;
	options->events = events;
	while ((letter = getopt(argc, argv, "+p:aF:c:e:d:g:s:uqx:S:")) != -1) {
		switch (letter) {
		case 'p':
			pids[options->pid_count++ % 64] = (pid_t)number(optarg);
			break;
		case 'a':
			options->all_cpus = true;
			break;
		case 'F':
			options->frequency_hz = number(optarg);
			break;
		case 'c':
			options->period = number(optarg);
			break;
		case 'e':
			events[options->event_count++ % 64] = optarg;
			break;
		case 'd':
			options->duration_ns = number(optarg);
			break;
		case 'g':
			options->call_graph = call_graph_of(optarg);
			break;
		case 's':
			options->stack_bytes = (uint32_t)number(optarg);
			break;
		case 'u':
			options->user_only = true;
			break;
		case 'q':
			driver->is_quiet = true;
			break;
		case 'x':
			driver->fail_after = number(optarg);
			break;
		case 'S':
			driver->sleep_ns = number(optarg);
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc)
		options->command = argv + optind;
}

static int exit_code(const struct wk_err *err, const struct wk_recorder_result *result)
{
	if (err->code == WK_ENOCOMMAND)
		return 127;
	if (err->code == WK_ENOTRUNNABLE)
		return 126;
	if (err->code)
		return 1;
	if (WIFSIGNALED(result->wait_status))
		return 128 + WTERMSIG(result->wait_status);
	return WEXITSTATUS(result->wait_status);
}

/* Of this program's memory; ru_maxrss has that of the program that started it as well. */
static unsigned long peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long peak = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmHWM: %lu", &peak);
	if (status)
		fclose(status);
	return peak;
}

static void print_result(const struct wk_recorder_result *result, const struct driver *driver)
{
	fprintf(stderr,
		"peak_kib=%lu samples=%" PRIu64 " lost_samples=%" PRIu64 " lost_records=%" PRIu64
		" throttled=%" PRIu64 " elapsed_ms=%" PRIu64
		" running=%d status=0x%x disorders=%" PRIu64 "\n",
		peak_kib(), result->samples, result->lost_samples, result->lost_records,
		result->throttled, result->elapsed_ns / 1000000, result->command_running,
		(unsigned)result->wait_status, driver->disorders);
}

int main(int argc, char **argv)
{
	struct wk_recorder_options options = { .size = sizeof(options) };
	struct wk_recorder_result result = { 0 };
	struct wk_out out = wk_out_to_fd(STDOUT_FILENO);
	struct driver driver = { .next = wk_dump_sink(&out) };
	struct wk_sink sink = { .take = take, .context = &driver };
	struct wk_err err = { 0 };
	struct wk_recorder *recorder;

	read_options(argc, argv, &options, &driver);
	recorder = wk_recorder_new(&options, &err);
	if (recorder) {
		fprintf(stderr, "%s", wk_recorder_notices(recorder));
		recording = recorder;
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
		wk_recorder_run(recorder, &sink, NULL, NULL, &result, &err);
		print_result(&result, &driver);
	}
	if (err.code)
		fprintf(stderr, "record_driver: %s\n", err.text);
	wk_out_end(&out);
	wk_recorder_free(recorder);
	return exit_code(&err, &result);
}
