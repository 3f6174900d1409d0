#include "model/heap/moments.h"

#include <stdlib.h>

#include "base/mem.h"

void wk_heap_moments_fini(struct wk_heap_moments *moments)
{
	wk_free(moments->processes);
}

static bool exceeds(struct wk_heap_moments_process *process, uint64_t over_bytes,
		    uint64_t left_bytes)
{
	if (!process->limit_bytes)
		process->limit_bytes = over_bytes;
	if (!over_bytes || left_bytes <= process->limit_bytes)
		return false;
	while (process->limit_bytes < left_bytes)
		process->limit_bytes = process->limit_bytes > UINT64_MAX / 2
					       ? UINT64_MAX
					       : process->limit_bytes * 2;
	return true;
}

static bool is_peak(struct wk_heap_moments *moments)
{
	const struct wk_heap_peaks *peaks = moments->peaks;

	if (!peaks || moments->next_peak == peaks->count ||
	    peaks->events[moments->next_peak] != moments->events)
		return false;
	moments->next_peak++;
	return true;
}

struct wk_due_moments wk_heap_moments_add(struct wk_heap_moments *moments, wk_process_id process,
					  uint64_t left_bytes)
{
	const struct wk_event_snapshot_request *request = &moments->request;
	struct wk_due_moments due = { 0 };
	struct wk_heap_moments_process *at;

	if (!wk_heap_moments_are_requested(moments))
		return due;
	WK_RESERVE_ZEROED(moments->processes, moments->processes_cap, (size_t)process + 1);
	at = &moments->processes[process];
	moments->events++;
	due.is_over = exceeds(at, request->over_bytes, left_bytes);
	due.is_peak = is_peak(moments);
	if (request->at_peak && left_bytes > at->most_bytes) {
		at->most_bytes = left_bytes;
		at->peak_event = moments->events;
	}
	return due;
}

void wk_heap_moments_restart(struct wk_heap_moments *moments, wk_process_id process)
{
	if (process < moments->processes_cap)
		moments->processes[process].limit_bytes = 0;
}

static int earlier_first(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

struct wk_heap_peaks wk_heap_moments_peaks(const struct wk_heap_moments *moments)
{
	struct wk_heap_peaks peaks = { 0 };

	if (!moments->processes)
		return peaks;
	peaks.events = wk_alloc(moments->processes_cap * sizeof(*peaks.events));
	for (size_t i = 0; i < moments->processes_cap; i++)
		if (moments->processes[i].peak_event)
			peaks.events[peaks.count++] = moments->processes[i].peak_event;
	qsort(peaks.events, peaks.count, sizeof(*peaks.events), earlier_first);
	return peaks;
}
