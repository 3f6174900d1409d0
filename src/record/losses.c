#include "record/losses.h"

#include "base/mem.h"

void wk_losses_fini(struct wk_losses *losses)
{
	wk_free(losses->emitted);
}

bool wk_losses_emit(struct wk_losses *losses, uint64_t count, struct wk_event *event,
		    const struct wk_sink *sink, struct wk_err *err)
{
	event->kind = WK_EVENT_LOST;
	event->lost = (struct wk_event_lost){ .count = count, .samples_only = true };
	losses->samples += count;
	return count == 0 || wk_sink_emit(sink, event, err);
}

bool wk_losses_emit_new(struct wk_losses *losses, const uint64_t *total, size_t count,
			uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
{
	losses->announced = 0;
	if (!losses->emitted) {
		losses->emitted = wk_alloc_zeroed(count, sizeof(*losses->emitted));
		losses->emitted_count = count;
	}
	for (uint32_t source = 0; source < losses->emitted_count; source++) {
		struct wk_event event = { .kind = WK_EVENT_LOST, .time_ns = time_ns,
					  .cpu = WK_NO_CPU };
		struct wk_event_lost *lost = &event.lost;

		if (total[source] <= losses->emitted[source])
			continue;
		lost->count = total[source] - losses->emitted[source];
		lost->source = source;
		lost->samples_only = lost->has_source = source != 0;
		losses->emitted[source] = total[source];
		*(source ? &losses->samples : &losses->records) += lost->count;
		if (!wk_sink_emit(sink, &event, err))
			return false;
	}
	return true;
}
