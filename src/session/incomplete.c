#include "session/incomplete.h"

#include "base/buf.h"

#define MOST_TOLD 3

static void warn(const struct wk_messages *messages, struct wk_str text)
{
	struct wk_buf words = { 0 };

	wk_buf_add_str(&words, text);
	wk_warn(messages, wk_buf_text(&words));
	wk_buf_fini(&words);
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_incomplete *incomplete = context;

	if (event->kind == WK_EVENT_NOTE && event->note.severity == WK_NOTE_INCOMPLETE &&
	    incomplete->count++ < MOST_TOLD)
		warn(incomplete->messages, event->note.text);
	return wk_sink_emit(&incomplete->next, event, err);
}

struct wk_sink wk_incomplete_sink(struct wk_incomplete *incomplete)
{
	return (struct wk_sink){ .take = take, .context = incomplete };
}
