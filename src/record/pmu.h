/* Events of the units that count ("PMU/EVENT/", as perf has them), as the kernel tells of them.
 *
 * Each unit has a folder of /sys/bus/event_source/devices: `type` is its number, events/NAME says
 * which terms an event is ("event=0x3c,umask=0x01"), format/TERM which bits a term is
 * ("config:0-7,32-35"). */
#ifndef WK_RECORD_PMU_H
#define WK_RECORD_PMU_H

#include <stdbool.h>

#include "base/err.h"
#include "record/perf_names.h"

#define WK_PMU_ROOT "/sys/bus/event_source/devices"

/* Fills type and config of an event that was parsed as one of a unit below `root`. */
bool wk_pmu_find(const char *root, struct wk_perf_event *event, struct wk_err *err);

/* Tells the events that units describe, in the order of their names: "cpu", "mem-loads". */
void wk_pmu_events_each(const char *root,
			void (*tell)(void *context, const char *unit, const char *event),
			void *context);

#endif
