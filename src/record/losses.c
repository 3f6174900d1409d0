#include "record/losses.h"

bool wk_losses_emit(struct wk_losses *losses, uint64_t count, bool samples_only,
		    struct wk_event *event, const struct wk_sink *sink, struct wk_err *err)
{
	event->kind = WK_EVENT_LOST;
	event->lost = (struct wk_event_lost){ .count = count, .samples_only = samples_only };
	if (count == 0)
		return true;
	if (samples_only)
		losses->samples += count;
	else
		losses->records += count;
	return wk_sink_emit(sink, event, err);
}

bool wk_losses_emit_new(struct wk_losses *losses, const struct wk_losses *total, uint64_t time_ns,
			const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event event = { .time_ns = time_ns, .cpu = WK_NO_CPU };

	losses->announced = 0;
	if (total->samples > losses->samples &&
	    !wk_losses_emit(losses, total->samples - losses->samples, true, &event, sink, err))
		return false;
	return total->records <= losses->records ||
	       wk_losses_emit(losses, total->records - losses->records, false, &event, sink, err);
}
