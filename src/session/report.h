/* The analysis page of a recording: one HTML file. */
#ifndef WK_SESSION_REPORT_H
#define WK_SESSION_REPORT_H

#include "base/out.h"
#include "render/page/page.h"
#include "session/open.h"
#include "session/selection.h"

#define WK_REPORT_MOST_BYTES ((uint64_t)200 << 20)

struct wk_report_options {
	const struct wk_filter_spec *filter; /* only samples that pass are written, of each event */
	const char *open;    /* where the page starts, with or without '#'; NULL: it chooses */
	bool redacts;        /* leaves out what names a person or a machine */
	const char *preset;  /* as for --preset; NULL: none is chosen */
	bool is_served;      /* by `wick view`, which is not advised then */
	uint64_t most_bytes; /* of a page with times as exact as usual; 0: WK_REPORT_MOST_BYTES */
};

/* A page shows any moment: filters that choose one do not apply to it. */
bool wk_report_check(const struct wk_filter_spec *filter, struct wk_err *err);

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

/* A recording without samples gives a page as well; filters that leave nothing are an error. In a
 * page that would be too large, times are less exact; if it is too large nevertheless, a warning
 * says so. */
bool wk_report_write(const struct wk_report *report, const struct wk_report_options *options,
		     struct wk_out *out, const struct wk_messages *messages, struct wk_err *err);

/* The same in parts, for a server. What `report` and `options` point to must outlive it; for one
 * thread at a time. */
struct wk_report_page;
struct wk_report_page *wk_report_page_new(const struct wk_report *report,
					  const struct wk_report_options *options,
					  struct wk_err *err);
void wk_report_page_free(struct wk_report_page *page);

const struct wk_selection *wk_report_page_selection(const struct wk_report_page *page);
const struct wk_page *wk_report_page_data(const struct wk_report_page *page);

/* The model's row of a snapshot by its place in the page's list, which begins with 1; after
 * wk_report_page_serve. False: there is none. */
bool wk_report_page_snapshot(const struct wk_report_page *page, uint32_t place, uint32_t *row);

/* Adds the plain bytes of a block (docs/report-format.md); false if there is none of that name. */
bool wk_report_page_block(struct wk_report_page *page, struct wk_str name, struct wk_buf *bytes);

/* The HTML without the blocks; `policy` gets the Content-Security-Policy to send with it. */
void wk_report_page_serve(struct wk_report_page *page, const struct wk_page_served *served,
			  struct wk_buf *policy, struct wk_out *out);

#endif
