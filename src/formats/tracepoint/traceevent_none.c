/* wick was built without libtraceevent: fields are printed as name=value. */
#include "formats/tracepoint/format_internal.h"

bool wk_trace_has_library(void)
{
	return false;
}

struct wk_traceevent *wk_traceevent_new(struct wk_trace_formats *formats)
{
	(void)formats;
	return NULL;
}

void wk_traceevent_free(struct wk_traceevent *library)
{
	(void)library;
}

bool wk_traceevent_add_event(struct wk_traceevent *library, const struct wk_trace_format *format)
{
	(void)library;
	(void)format;
	return false;
}

bool wk_traceevent_print(struct wk_traceevent *library, const struct wk_trace_format *format,
			 struct wk_bytes raw, struct wk_buf *out)
{
	(void)library;
	(void)format;
	(void)raw;
	(void)out;
	return false;
}
