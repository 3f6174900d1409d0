#include "session/dump.h"

#include "event/dump.h"
#include "formats/archive/content.h"
#include "formats/archive/session.h"

struct facts {
	struct wk_out *out;
	size_t count;
};

/* "host name: box". Texts come from the file: no control character reaches a terminal. */
static bool print_fact(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct facts *facts = context;
	struct wk_out *out = facts->out;

	if (event->kind != WK_EVENT_SYSTEM && event->kind != WK_EVENT_NOTE)
		return true;
	facts->count++;
	wk_out_term(out, event->kind == WK_EVENT_NOTE ? wk_str_c("note") : event->system.key);
	wk_out_text(out, ": ");
	wk_out_term(out, event->kind == WK_EVENT_NOTE ? event->note.text : event->system.value);
	wk_out_char(out, '\n');
	return !out->failed || wk_fail_os(err, out->error_number, "writing facts");
}

static bool print_header(struct wk_opened *opened, struct wk_out *out, struct wk_err *err)
{
	struct facts facts = { .out = out };
	struct wk_sink sink = { .take = print_fact, .context = &facts };

	opened->input.options.is_header_only = true;
	if (!opened->reader->read(&opened->input, &sink, err))
		return wk_opened_fail(opened, err);
	if (facts.count == 0)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "%s has no header to print; only perf.data files have one",
			       opened->input.name);
	return true;
}

static bool print_events(struct wk_opened *opened, struct wk_out *out, struct wk_err *err)
{
	struct wk_sink sink = wk_dump_sink(out);

	return opened->reader->read(&opened->input, &sink, err) || wk_opened_fail(opened, err);
}

/* Events of several recordings have several clocks, so they have no common order. */
static bool are_one(const char *const *paths, size_t count, struct wk_err *err)
{
	struct wk_session_part first = { 0 }, other;

	if (!wk_content_differs(paths, count, err))
		return false;
	if (count > 1)
		first = wk_session_part(paths[0]);
	for (size_t i = 1; i < count; i++) {
		other = wk_session_part(paths[i]);
		if (!wk_session_is_one(&first, &other))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "%s and %s belong to different Windows sessions; dump them "
				       "one by one",
				       paths[0], paths[i]);
	}
	return true;
}

bool wk_dump(const char *const *paths, const char *format, bool header_only, struct wk_out *out,
	     struct wk_err *err)
{
	struct wk_opened opened;
	size_t count = 0;
	bool ok;

	while (paths[count])
		count++;
	if (!are_one(paths, count, err) || !wk_session_open(paths, count, format, &opened, err))
		return false;
	ok = header_only ? print_header(&opened, out, err) : print_events(&opened, out, err);
	wk_reader_close(&opened);
	return ok;
}
