#include "record/losses.h"

bool wk_losses_emit(struct wk_losses *losses, uint64_t count, bool samples_only,
		    struct wk_event *event, const struct wk_sink *sink, struct wk_err *err)
{
	event->kind = WK_EVENT_LOST;
	event->lost = (struct wk_event_lost){ .count = count, .samples_only = samples_only };
	if (samples_only)
		losses->samples += count;
	else
		losses->records += count;
	return wk_sink_emit(sink, event, err);
}

bool wk_losses_emit_late(struct wk_losses *losses, uint64_t total, uint64_t time_ns,
			 const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = { .time_ns = time_ns, .cpu = WK_NO_CPU };

	if (total <= losses->records)
		return true;
	return wk_losses_emit(losses, total - losses->records, false, &event, sink, err);
}
