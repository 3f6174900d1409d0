#include "record/attach.h"

#include <stdlib.h>

#include "base/map.h"
#include "record/proc_scan.h"

/* Opens what was not opened before; `fresh` is how many threads that were. */
static bool open_new_threads(struct wk_perf *perf, const pid_t *tids, size_t count,
			     struct wk_map *known, size_t *fresh, struct wk_err *err)
{
	*fresh = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t *is_known = wk_map_at(known, (uint64_t)tids[i] + 1);

		if (*is_known)
			continue;
		*is_known = 1;
		++*fresh;
		if (wk_perf_open_target(perf, tids[i], false, err) == WK_OPEN_FAILED)
			return false;
	}
	return true;
}

bool wk_attach(struct wk_perf *perf, pid_t pid, struct wk_err *err)
{
	struct wk_map known = { 0 };
	size_t fresh;
	bool ok, was_there = false;

	do {
		pid_t *tids;
		size_t count = wk_proc_threads(pid, &tids);

		was_there |= count > 0;
		ok = open_new_threads(perf, tids, count, &known, &fresh, err);
		free(tids);
	} while (ok && fresh);
	wk_map_fini(&known);
	if (!was_there)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no process %d", (int)pid);
	return ok;
}
