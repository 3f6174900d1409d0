#include "session/incomplete.h"

#define MOST_WARNINGS 3

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_incomplete *incomplete = context;

	if (event->kind == WK_EVENT_NOTE && event->note.severity == WK_NOTE_INCOMPLETE &&
	    incomplete->count++ < MOST_WARNINGS)
		wk_warn_fmt(incomplete->messages, "%.*s", WK_STR_ARG(event->note.text));
	return wk_sink_emit(&incomplete->next, event, err);
}

struct wk_sink wk_incomplete_sink(struct wk_incomplete *incomplete)
{
	return (struct wk_sink){ .take = take, .context = incomplete };
}
