/* What people ask traces of Windows for, by the words they have for it, and what records it: a
 * foreign trace has what somebody else asked for. */
#ifndef WK_VIEWS_WINDOWS_EVENTS_H
#define WK_VIEWS_WINDOWS_EVENTS_H

#include "base/str.h"
#include "model/model.h"

struct wk_windows_event {
	const char *source;       /* the name that --by takes */
	const char *const *words; /* others have for it, in lower case; end with NULL */
	const char *recorded_by;  /* commands */
};

/* NULL where it is no such word. */
const struct wk_windows_event *wk_windows_event_of(struct wk_str word);

/* What records samples of what processors do, switches between threads, and memory. */
#define WK_WINDOWS_CPU_SAMPLES \
	"`xperf -on PROC_THREAD+LOADER+PROFILE -stackwalk Profile` or `wpr -start CPU`"
#define WK_WINDOWS_SWITCHES \
	"`xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER -stackwalk CSwitch+ReadyThread` or " \
	"`wpr -start CPU`"
#define WK_WINDOWS_VIRTUAL_MEMORY \
	"`xperf -on PROC_THREAD+LOADER+VIRT_ALLOC -stackwalk VirtualAlloc+VirtualFree` or `wpr " \
	"-start VirtualAllocation`"
#define WK_WINDOWS_HEAPS \
	"`xperf -start heap -heap -pids PID -stackwalk HeapAlloc+HeapRealloc` or `wpr -start Heap`"

#endif
