/* Events of performance monitoring units ("PMU/EVENT/" in perf), as the kernel describes them.
 *
 * Each unit has a folder of /sys/bus/event_source/devices: `type` is its number, events/NAME
 * contains the terms of an event ("event=0x3c,umask=0x01"), format/TERM the bits of a term
 * ("config:0-7,32-35"). */
#ifndef WK_RECORD_PMU_H
#define WK_RECORD_PMU_H

#include <dirent.h>
#include <stdbool.h>

#include "base/err.h"
#include "record/perf_names.h"

#define WK_PMU_ROOT "/sys/bus/event_source/devices"

/* Fills type and config of a parsed event of a unit below `root`. */
bool wk_pmu_find(const char *root, struct wk_perf_event *event, struct wk_err *err);

/* Lists the folders UNIT of `root` with the entries of UNIT`behind` that pass `is_event`, sorted by
 * name. False, with errno, if `root` cannot be read. */
bool wk_pmu_each_below(const char *root, const char *behind, int (*is_event)(const struct dirent *),
		       void (*list)(void *context, const char *unit, const char *event),
		       void *context);

/* Lists the events that units describe: "cpu", "mem-loads". */
void wk_pmu_events_each(const char *root,
			void (*list)(void *context, const char *unit, const char *event),
			void *context);

#endif
