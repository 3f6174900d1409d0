/* What a preset of Windows Performance Analyzer is in wick: a measure (which event samples weigh
 * by), a filter, a grouping; or a table of `wick show`. What has no counterpart is listed, each by
 * its name.
 *
 * Graphs are known by their GUIDs (docs/formats/wpa-profile.md), columns by their names. */
#ifndef WK_VIEWS_FILTER_WPA_PRESET_H
#define WK_VIEWS_FILTER_WPA_PRESET_H

#include "formats/reports/wpa_profile.h"
#include "views/filter/wpa_query.h"
#include "views/tree/grouping.h"

struct wk_wpa_view {
	struct wk_str title; /* of the graph: "CPU Usage (Sampled)"; a GUID where unknown */
	bool is_shown;       /* wick has something like it */
	const char *table;   /* of `wick show`; NULL: a calling tree */
	const char *source;  /* an event's name; NULL: CPU time */
	bool outstanding, inverted;
	struct wk_grouping grouping;
	struct wk_wpa_query query;
	bool has_query;        /* with something in it that wick can ask */
	struct wk_buf missing; /* what has no counterpart, a line each */
	uint32_t missing_count;
};

/* The texts stay the profile's. */
void wk_wpa_view_init(struct wk_wpa_view *view, const struct wk_wpa_profile *profile,
		      const struct wk_wpa_preset *preset);
void wk_wpa_view_fini(struct wk_wpa_view *view);

#endif
