#include "record/perf_list.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/perf_names.h"
#include "record/pmu.h"
#include "record/tracefs.h"

#define LONG_PERIOD 1000000 /* it shall not sample, only open */

/* 0, or why the event cannot be opened for this very process. */
static int try_to_open(const struct wk_perf_event *event, bool user_only)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_period = LONG_PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static enum wk_event_right right_to(const struct wk_perf_event *event)
{
	int cause = try_to_open(event, false);

	if (cause == 0)
		return WK_EVENT_FREE;
	if (cause != EACCES && cause != EPERM)
		return WK_EVENT_ABSENT;
	cause = try_to_open(event, true);
	if (cause == 0)
		return WK_EVENT_USER_ONLY;
	return cause == EACCES || cause == EPERM ? WK_EVENT_REFUSED : WK_EVENT_ABSENT;
}

struct listing {
	void (*tell)(void *context, const struct wk_listed_event *event);
	void *context;
	bool is_known; /* the right to tracepoints, which all have alike */
	enum wk_event_right right;
	size_t absent;
};

static void list_pmu_event(void *context, const char *unit, const char *name)
{
	struct listing *listing = context;
	struct wk_perf_event event;
	struct wk_listed_event listed = { event.name, "pmu", WK_EVENT_ABSENT };
	char text[WK_PERF_NAME_MAX];

	snprintf(text, sizeof(text), "%s/%s/", unit, name);
	if (wk_perf_name_parse(wk_str_c(text), &event, NULL) &&
	    wk_pmu_find(WK_PMU_ROOT, &event, NULL))
		listed.right = right_to(&event);
	if (listed.right == WK_EVENT_ABSENT)
		listing->absent++;
	else
		listing->tell(listing->context, &listed);
}

static void list_tracepoint(void *context, const char *system, const char *point)
{
	struct listing *listing = context;
	char name[2 * WK_PERF_NAME_MAX];
	struct wk_listed_event event = { .name = name, .kind = "tracepoint" };

	if (!listing->is_known) {
		struct wk_perf_event tried = { .type = PERF_TYPE_TRACEPOINT };

		listing->right = wk_tracepoint_id(system, point, &tried.config, NULL)
					 ? right_to(&tried)
					 : WK_EVENT_REFUSED;
		listing->is_known = true;
	}
	snprintf(name, sizeof(name), "%s:%s", system, point);
	event.right = listing->right;
	listing->tell(listing->context, &event);
}

static const char *kind_of(const struct wk_perf_event *event)
{
	if (event->type == PERF_TYPE_SOFTWARE)
		return "software";
	return event->type == PERF_TYPE_HARDWARE ? "hardware" : "cache";
}

bool wk_perf_list(void (*tell)(void *context, const struct wk_listed_event *event), void *context,
		  size_t *absent, struct wk_err *err)
{
	struct listing listing = { .tell = tell, .context = context };
	struct wk_perf_event event;

	for (size_t i = 0; wk_perf_name_at(i, &event); i++) {
		struct wk_listed_event listed = { event.name, kind_of(&event), right_to(&event) };

		if (listed.right == WK_EVENT_ABSENT)
			listing.absent++;
		else
			tell(context, &listed);
	}
	wk_pmu_events_each(WK_PMU_ROOT, list_pmu_event, &listing);
	*absent = listing.absent;
	return wk_tracepoints_each(list_tracepoint, &listing, err);
}
