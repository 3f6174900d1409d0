/* perf's names of events, as typed after -e.
 *
 * "cycles", "cpu-clock", "page-faults", "L1-dcache-load-misses", "r01c4", "sched:sched_switch",
 * each with modifiers after a colon: u user code, k kernel code, h the hypervisor, p (up to three)
 * or P for a more precise address. A name is converted to the attributes of perf_event_open. Only
 * the name of a tracepoint is known here, record/tracefs.h looks up its number; record/pmu.h looks
 * up "cpu/mem-loads/" and "cpu/event=0x3c,umask=1/". */
#ifndef WK_RECORD_PERF_NAMES_H
#define WK_RECORD_PERF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text/suggest.h"

#define WK_PERF_NAME_MAX 128

/* As precise as the machine can: what the kernel refuses is tried with less. */
#define WK_PERF_PRECISE_MOST 3

struct wk_perf_event {
	char name[WK_PERF_NAME_MAX]; /* as typed */
	uint32_t type;               /* perf_event_attr.type and .config */
	uint64_t config, config1, config2;
	const char *unit; /* what a sample's weight counts */
	bool is_cpu_time;
	bool is_tracepoint; /* config is not known yet; system and point are */
	bool is_pmu;        /* nor is the type: system is the unit, point its terms */
	char system[WK_PERF_NAME_MAX], point[WK_PERF_NAME_MAX];
	bool user, kernel, hypervisor; /* which code counts */
	unsigned precise;              /* precise_ip to begin with */
	bool has_fields;               /* samples of a tracepoint contain its fields */
	bool is_memory;   /* a memory call: each one, whatever the period, and kernel code or not */
	bool is_heap;     /* one of them: a call of an allocator's function */
	bool is_bare;     /* no stack: that of its end is the same */
	bool has_address; /* of the memory that was accessed */
};

/* Fails with a sentence that names the nearest known name. */
bool wk_perf_name_parse(struct wk_str text, struct wk_perf_event *event, struct wk_err *err);

/* Known name number `index` and its meaning; false after the last. Tracepoints and raw codes are
 * not among them. */
bool wk_perf_name_at(size_t index, struct wk_perf_event *event);

/* The tracepoints that tell what calls do to address spaces; false after the last. */
bool wk_perf_name_memory_at(size_t index, struct wk_perf_event *event);

/* Stores `word` in `best` if it is the nearest so far; for words that do not last. */
void wk_perf_name_try(struct wk_suggestion *suggestion, char best[static WK_PERF_NAME_MAX],
		      const char *word);

#endif
