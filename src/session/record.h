/* A recording from its start to the closed file: recorder, unwinding and file writer joined.
 *
 * Order of calls: new, open, run, finish, free. Between new and run the caller can prepare for
 * signals, and between run and finish restore them; finish must follow an open that succeeded,
 * whatever happened then.
 *
 * A recording that was at the output is then OUTPUT.old, unless one of the two has no samples: the
 * one with samples is then at the output, and the other is gone. If the recording
 * breaks (disk full), what was written until then can be opened, and the error says how much that
 * is; if not even the file's header was written, the files are as they were. */
#ifndef WK_SESSION_RECORD_H
#define WK_SESSION_RECORD_H

#include "record/heap/snapshot.h"
#include "record/perf_list.h"
#include "record/perf_names.h"
#include "record/recorder.h"
#include "stages/unwind_stage.h"
#include "symbols/image/symbols.h"

/* A prime number, so that samples do not coincide with periodic work. */
#define WK_DEFAULT_FREQUENCY_HZ 997

struct wk_record_request {
	struct wk_recorder_options recorder;
	const char *output; /* a path, or "-" for standard output */
	bool embeds_symbols;
	const char *heap_symbols; /* functions of allocators (session/heap/heap_symbols.h); NULL:
				   * not requested */
	bool stays_open;          /* the file will be read from `outcome.fd` */

	/* May be NULL; about four times a second. */
	void (*progress)(void *context, const struct wk_recorder_status *status,
			 uint64_t file_bytes);
	void *context;
};

struct wk_record_outcome {
	struct wk_recorder_result result;
	struct wk_unwind_counts unwound;
	uint64_t file_bytes;
	struct wk_buf place;      /* where the recording is: `output`, or what became of that when
				   * another recording took its name */
	struct wk_buf unrecorded; /* sentences on programs whose heap was to be recorded, one a
				   * line (session/unrecorded.h) */
	struct wk_buf previous; /* where the recording is that was at `output`; empty without one */
	int fd;                 /* the file, if it was to stay open; else -1 */
	bool is_dropped;        /* without samples, so that the previous one was put back */
};

struct wk_recording;

/* Opens the counters and forks the command. Errors are those of wk_recorder_new. `symbols` is used
 * for unwinding and knows all images afterwards, also those that are gone by then. */
struct wk_recording *wk_recording_new(const struct wk_record_request *request,
				      struct wk_symbols *symbols, struct wk_err *err);

/* May be called from a signal handler (record/recorder.h). */
struct wk_recorder *wk_recording_recorder(struct wk_recording *recording);

/* Creates the file. */
bool wk_recording_open(struct wk_recording *recording, struct wk_err *err);

/* Records until the end. */
bool wk_recording_run(struct wk_recording *recording, struct wk_err *err);

/* Adds names, closes the file. `ok` is what run returned and `err` what it filled. The outcome is
 * filled in either case. */
bool wk_recording_finish(struct wk_recording *recording, bool ok, struct wk_record_outcome *outcome,
			 struct wk_err *err);
void wk_recording_free(struct wk_recording *recording);

void wk_record_outcome_fini(struct wk_record_outcome *outcome);

#endif
