/* The analysis page of a recording: one HTML file. */
#ifndef WK_SESSION_REPORT_H
#define WK_SESSION_REPORT_H

#include "base/out.h"
#include "session/open.h"

struct wk_report_options {
	const struct wk_filter_spec *filter; /* only samples that pass are written, of each event */
	const char *open;   /* where the page starts, with or without '#'; NULL: it chooses */
	const char *preset; /* as for --preset; NULL: none is chosen */
};

/* How a recording is opened for a page: each sample by itself, and all events. */
struct wk_open_options wk_report_open_options(const struct wk_open_options *options,
					      const struct wk_report_options *report);

/* Recordings as wk_open_paths opened them, and the paths of their files. */
struct wk_report {
	const struct wk_model *model;
	const char *const *paths;
	const struct wk_model *before; /* that the page compares it with; or NULL */
	const char *const *before_paths;
};

/* A recording without samples gives a page as well; filters that leave nothing are an error. */
bool wk_report_write(const struct wk_report *report, const struct wk_report_options *options,
		     struct wk_out *out, const struct wk_messages *messages, struct wk_err *err);

#endif
