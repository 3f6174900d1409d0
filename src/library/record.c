#include <sys/wait.h>

#include "library/library.h"
#include "session/record.h"

struct record {
	const char *path;
	struct wick_record_options options;
	struct wick_record_result *result; /* or NULL */
	struct wk_recording *recording;
	struct wk_err err;
};

static void on_progress(void *context, const struct wk_recorder_status *status, uint64_t file_bytes)
{
	struct record *record = context;
	const struct wick_record_status shown = {
		.size = sizeof(shown),
		.samples = status->samples,
		.lost_samples = status->lost_samples,
		.elapsed_ns = status->elapsed_ns,
		.file_bytes = file_bytes,
	};

	if (!record->options.go_on(record->options.user, &shown))
		wk_recorder_stop(wk_recording_recorder(record->recording));
}

static int exit_code_of(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void fill_result(struct wick_record_result *to, const struct wk_record_outcome *outcome)
{
	const struct wk_recorder_result *from = &outcome->result;
	bool runs_on = from->command_running;
	const struct wick_record_result all = {
		.samples = from->samples,
		.lost_samples = from->lost_samples,
		.lost_records = from->lost_records,
		.elapsed_ns = from->elapsed_ns,
		.file_bytes = outcome->file_bytes,
		.exit_code = from->has_command && !runs_on ? exit_code_of(from->wait_status) : 0,
		.running_pid = runs_on ? from->command_pid : 0,
	};

	wk_library_fill(to, &all, sizeof(all));
}

static void run(struct record *record)
{
	struct wk_record_outcome outcome;
	bool ok;

	if (!wk_recording_open(record->recording, &record->err))
		return;
	ok = wk_recording_run(record->recording, &record->err);
	wk_recording_finish(record->recording, ok, &outcome, &record->err);
	if (record->result)
		fill_result(record->result, &outcome);
	wk_record_outcome_fini(&outcome);
}

static void record_system(void *call)
{
	struct record *record = call;
	const struct wick_record_options *options = &record->options;
	struct wk_record_request request = {
		.recorder = { .size = sizeof(request.recorder),
			      .command = options->command,
			      .pids = options->pids,
			      .pid_count = options->pid_count,
			      .all_cpus = options->all_cpus,
			      .frequency_hz = options->frequency_hz,
			      .events = options->events,
			      .duration_ns = options->duration_ns,
			      .user_only = options->user_only },
		.output = record->path,
		.embeds_symbols = !options->no_embed,
		.progress = options->go_on ? on_progress : NULL,
		.context = record,
	};
	struct wk_symbols *symbols = wk_symbols_new(NULL);

	while (options->events && options->events[request.recorder.event_count])
		request.recorder.event_count++;
	record->recording = wk_recording_new(&request, symbols, &record->err);
	if (record->recording) {
		run(record);
		wk_recording_free(record->recording);
		record->recording = NULL;
	}
	wk_symbols_free(symbols);
}

bool wick_record(const struct wick_context *context, const char *path,
		 const struct wick_record_options *options, struct wick_record_result *result,
		 struct wick_error *error)
{
	struct record record = { .path = path, .result = result };
	struct wick_record_result left = { 0 };
	struct wk_heap *heap;
	bool ok;

	if (!wk_library_options(&record.options, sizeof(record.options), options, error))
		return false;
	heap = wk_library_heap(context);
	ok = wk_library_run(heap, record_system, &record, &record.err, error);
	if (record.recording && result) { /* memory ran out */
		left.running_pid = wk_recorder_command(wk_recording_recorder(record.recording));
		wk_library_fill(result, &left, sizeof(left));
	}
	wk_heap_free(heap);
	return ok;
}
