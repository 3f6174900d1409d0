#include "event/sink.h"

#include "base/num.h"

bool wk_sink_note(const struct wk_sink *sink, enum wk_note_severity severity, struct wk_str text,
		  struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU,
				  .note = { .offset = WK_NOWHERE, .text = text,
					    .severity = severity } };

	return wk_sink_emit(sink, &event, err);
}

bool wk_sink_note_count(const struct wk_sink *sink, enum wk_note_severity severity, uint64_t count,
			const char *one, const char *several, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok;

	if (count == 0)
		return true;
	wk_num_add_counted(&text, count, one, several);
	ok = wk_sink_note(sink, severity, wk_buf_str(&text), err);
	wk_buf_fini(&text);
	return ok;
}
