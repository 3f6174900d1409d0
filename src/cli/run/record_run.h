/* A recording from its start to the closed file, as `wick record` and `wick flame` make it:
 * recorder, unwinding and file writer joined, Ctrl-C, progress and closing words. */
#ifndef WK_CLI_RUN_RECORD_RUN_H
#define WK_CLI_RUN_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/recorder.h"
#include "stages/unwind_stage.h"
#include "symbols/image/symbols.h"

struct wk_record_request {
	struct wk_recorder_options recorder;
	const char *output; /* a path, or "-" for standard output */
	bool quiet;         /* no words but errors */
	bool embeds_symbols;
	bool stays_open; /* the file shall be read from `outcome->fd` */
};

struct wk_record_outcome {
	struct wk_recorder_result result;
	struct wk_unwind_counts unwound;
	uint64_t file_bytes;
	int exit_code;       /* the command's own; 128 + n where signal n ended it; 0 without one */
	pid_t running;       /* the command, where it runs on after the recording; else 0 */
	struct wk_buf place; /* where the recording lies: `output`, or what became of that when
			      * another recording took its name */
	int fd;              /* the file, where it was to stay open; else -1 */
};

/* Records to `output`; a recording that was there before is then `output`.old, unless it has
 * no samples. On failure `outcome->exit_code` is what wick should return: 127 or 126 for a command
 * that cannot be run, 130 where a Ctrl-C came first: both leave the files as they were. A recording
 * that broke in the middle (disk full) fails, and what was written until then can be opened; `err`
 * tells how much that is, and where not even its head was written, the files are as they were.
 * `symbols` is used for unwinding and knows all images afterwards, also those that are gone by
 * then. */
bool wk_record_run(const struct wk_record_request *request, struct wk_symbols *symbols,
		   struct wk_record_outcome *outcome, struct wk_err *err);

/* Waits for a command that runs on (after --duration, or when the disk was full), so that it
 * keeps its terminal and its exit code is passed on. Does nothing where none does. What went wrong
 * is said before, not when the command has ended at last, and `err` is empty then. */
void wk_record_wait(struct wk_record_outcome *outcome, bool quiet, struct wk_err *err);

void wk_record_outcome_fini(struct wk_record_outcome *outcome);

#endif
