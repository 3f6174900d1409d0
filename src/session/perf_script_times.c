#include "session/perf_script_times.h"

#include <string.h>

#include "base/num.h"

/* "12 ns to 15 ns", as the recorder noted it. */
static bool read_noted_span(struct wk_str text, struct wk_perf_time_range *span)
{
	struct wk_str from, to;

	return wk_str_split(text, ' ', &from, &to) && wk_str_starts(to, "ns to ") &&
	       wk_str_split(wk_str_skip(to, strlen("ns to ")), ' ', &to, &text) &&
	       wk_num_u64(from, &span->from_ns) && wk_num_u64(to, &span->to_ns) &&
	       span->from_ns <= span->to_ns;
}

static bool widen_span(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_perf_time_range *span = context;

	(void)err;
	if (event->kind == WK_EVENT_SYSTEM && wk_str_is(event->system.key, "sample times")) {
		read_noted_span(event->system.value, span);
	} else if (event->kind == WK_EVENT_SAMPLE) {
		if (event->time_ns < span->from_ns)
			span->from_ns = event->time_ns;
		if (event->time_ns > span->to_ns)
			span->to_ns = event->time_ns;
	}
	return true;
}

/* The times of the first and last sample: from the header, or else from all samples. */
static bool find_span(struct wk_opened *opened, struct wk_perf_time_range *span, struct wk_err *err)
{
	struct wk_read_options usual = opened->input.options;
	struct wk_sink sink = { .take = widen_span, .context = span };
	bool ok;

	*span = (struct wk_perf_time_range){ UINT64_MAX, 0 };
	opened->input.options.is_header_only = true;
	ok = opened->reader->read(&opened->input, &sink, err);
	opened->input.options = usual;
	if (ok && span->from_ns > span->to_ns) {
		opened->input.options.skips_details = true;
		ok = opened->reader->read(&opened->input, &sink, err);
		opened->input.options = usual;
	}
	if (span->from_ns > span->to_ns)
		span->from_ns = span->to_ns;
	return ok;
}

bool wk_perf_script_times(const char *text, bool is_relative, struct wk_opened *opened,
			  struct wk_perf_times *times, struct wk_err *err)
{
	struct wk_perf_time_range span = { 0 };

	*times = (struct wk_perf_times){ 0 };
	if (!text)
		return true;
	if ((is_relative || wk_perf_times_need_span(text)) && !find_span(opened, &span, err))
		return wk_opened_fail(opened, err);
	return wk_perf_times_parse(times, text, span, is_relative, err);
}
