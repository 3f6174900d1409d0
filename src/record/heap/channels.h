/* Programs that the heap library is loaded into: their channels (channel/channel.h), emptied.
 *
 * One thread answers processes as they begin, and requests for snapshots; another empties the
 * rings: it sleeps until much is in one, or some milliseconds have passed. What it finds are rows
 * (channel/stream.h), which wait here until wk_heap_channels_take. If the recorder does not take
 * them, programs wait once 32 MiB of rows are here, or more with `spills`.
 *
 * Nothing that a process writes is trusted: its rings are copied, never read in place, and a
 * channel whose positions make no sense is dropped. */
#ifndef WK_RECORD_HEAP_CHANNELS_H
#define WK_RECORD_HEAP_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "channel/channel.h"

#define WK_HEAP_WORTH_BYTES (256u << 10) /* many rows */

struct wk_heap_channels;

struct wk_heap_channels_options {
	unsigned records; /* bits of enum wk_channel_records */
	enum wk_channel_full when_full;
	bool spills;                /* keeps many rows rather than that programs wait */
	uint64_t sample_bytes;      /* mean distance of recorded blocks; 0: all are */
	uint64_t seed;              /* of the choice; 0: any */
	uint64_t snapshot_every_ns; /* 0: only those that are requested */
	bool has_other_heaps; /* that no library records: snapshots are taken of them as well */

	/* Functions that the library patches: at most WK_CHANNEL_PATCHES. */
	const struct wk_channel_patch *patches;
	size_t patch_count;

	/* Snapshots that are taken when the recording is read. */
	unsigned moments;    /* bits of enum wk_heap_moment */
	uint64_t over_bytes; /* of WK_HEAP_MOMENT_OVER */

	/* Called by the thread that empties rings when many rows wait to be taken. */
	void (*on_rows)(void *context);
	void *context;
};

struct wk_heap_channels *wk_heap_channels_new(const struct wk_heap_channels_options *options,
					      struct wk_err *err);

/* The value of WK_HEAP_VARIABLE for programs to be recorded. */
const char *wk_heap_channels_name(const struct wk_heap_channels *channels);

/* Starts the threads. */
bool wk_heap_channels_start(struct wk_heap_channels *channels, struct wk_err *err);

/* Empties all rings a final time; processes learn from the channel that the recording has ended. */
void wk_heap_channels_stop(struct wk_heap_channels *channels);

/* Moves rows to `rows`, each preceded by its length (u32). Returns the time until which all events
 * are among those that were ever taken. */
uint64_t wk_heap_channels_take(struct wk_heap_channels *channels, struct wk_buf *rows);

/* Processes that asked to be recorded until now. */
uint32_t wk_heap_channels_processes(struct wk_heap_channels *channels);

/* When the first process began; 0: none has. */
uint64_t wk_heap_channels_first_ns(struct wk_heap_channels *channels);

/* How many functions were patched until now, over all processes, and how many could not be. */
struct wk_heap_patched {
	uint64_t done, failed;
};
struct wk_heap_patched wk_heap_channels_patched(struct wk_heap_channels *channels);

void wk_heap_channels_free(struct wk_heap_channels *channels);

#endif
