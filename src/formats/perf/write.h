/* A sink that writes an ordinary perf.data file, which `perf report` opens as well.
 *
 * Order of calls: new, emit to its sink, finish, free. SYSTEM and SOURCE events come first; with
 * the first other event the header is written, and no source can be added any more. Events come in
 * order of time.
 *
 * In a file, the header is updated after each flush, and a flush comes at least once a second of
 * event time: whatever happens to the program, the file can be opened, and contains what was
 * flushed. Only `finish` adds what is known at the end: build ids, the machine, command lines,
 * symbols. To a pipe the pipe layout is written instead.
 *
 * Some event fields have no place in perf's format; docs/formats/wick-sections.md describes where
 * they are stored. User chains are stored exact (see wk_event_sample): raw ones are converted by
 * stepping back into the calls. Stacks that still have to be unwound are not stored.
 *
 * If the disk is full the sink fails with a sentence, and the file ends with the last record that
 * fitted. What `finish` adds then replaces the last records if necessary. */
#ifndef WK_FORMATS_PERF_WRITE_H
#define WK_FORMATS_PERF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/sink.h"

struct wk_perf_data_writer;

struct wk_perf_data_write_options {
	size_t size;                /* sizeof(struct wk_perf_data_write_options) */
	uint64_t flush_interval_ns; /* of event time; 0: a second */
	size_t buffer_bytes;        /* flush when so much is pending; 0: 256 KiB */
	bool keeps_stacks;          /* stack copies, if samples still have them */
};

/* `fd` belongs to the caller, is open for writing, and is at the start of an empty file or is a
 * pipe. `options` may be NULL. Never NULL. */
struct wk_perf_data_writer *wk_perf_data_writer_new(
	int fd, const struct wk_perf_data_write_options *options);
struct wk_sink wk_perf_data_writer_sink(struct wk_perf_data_writer *writer);

/* Writes what is pending and updates the header. */
bool wk_perf_data_writer_flush(struct wk_perf_data_writer *writer, struct wk_err *err);

/* Whether the file could not grow at some point (a full disk, a quota, a limit): the sink has
 * failed since then. After this call it does not: it stores names (SYMBOL, BOUNDS, CALLS, NOTE) for
 * the end of the file, and drops the rest. */
bool wk_perf_data_writer_add_names(struct wk_perf_data_writer *writer);

/* A sentence about that is the error that the sink returned. */
bool wk_perf_data_writer_has_failed(const struct wk_perf_data_writer *writer);

/* Writes everything that is left. Once; afterwards nothing may be emitted. False after a failure,
 * even if the end could be written. */
bool wk_perf_data_writer_finish(struct wk_perf_data_writer *writer, struct wk_err *err);
void wk_perf_data_writer_free(struct wk_perf_data_writer *writer);

/* The size of the file so far, including what is pending. */
uint64_t wk_perf_data_writer_bytes(const struct wk_perf_data_writer *writer);

/* How many samples are in the file, without what is pending. */
uint64_t wk_perf_data_writer_samples(const struct wk_perf_data_writer *writer);

/* Does the file have its header? Without it, it is not a recording. */
bool wk_perf_data_writer_has_head(const struct wk_perf_data_writer *writer);

#endif
