/* What can be recorded on this machine, found by trying: opens the counters of a recording for a
 * command of the user, then for the whole system, and closes them. */
#ifndef WK_RECORD_PROBE_H
#define WK_RECORD_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct wk_record_probe {
	bool can_record;        /* programs of this user */
	struct wk_err refusal;  /* why not; code WK_OK if it can */
	bool can_record_kernel; /* their kernel code too */
	bool can_record_all;    /* the whole system */
	bool can_sample_cpus;   /* processes from their first moment on: record/family/family.h */
	bool has_counters;      /* cycles are counted by hardware */
	uint64_t ring_bytes;    /* the buffer of a CPU ... */
	uint64_t wanted_ring_bytes; /* ... and its size without limits */
};

/* Can calls that map memory be recorded by tracepoints? Only root can read what tracepoints there
 * are, as a rule. */
bool wk_record_may_trace_memory(struct wk_err *why);

struct wk_record_probe wk_record_probe(uint64_t frequency_hz, uint32_t stack_bytes);

#endif
