/* A preset of Windows Performance Analyzer in wick: a measure (the event whose weights count), a
 * filter and a grouping; or a table of `wick show`. Parts without a counterpart are listed by name.
 *
 * Graphs are identified by GUIDs (docs/formats/wpa-profile.md), columns by names. */
#ifndef WK_VIEWS_FILTER_WPA_PRESET_H
#define WK_VIEWS_FILTER_WPA_PRESET_H

#include "formats/reports/wpa_profile.h"
#include "views/filter/wpa_query.h"
#include "views/tree/grouping.h"

struct wk_wpa_view {
	struct wk_str title; /* of the graph: "CPU Usage (Sampled)"; a GUID if unknown */
	bool is_shown;       /* wick has something like it */
	const char *table;   /* of `wick show`; NULL: a calling tree */
	const char *source;  /* an event's name; NULL: CPU time */
	bool outstanding, inverted;
	struct wk_grouping grouping;
	struct wk_preset_query query;
	bool has_query;        /* with a condition that wick can evaluate */
	struct wk_buf missing; /* parts without a counterpart, one per line */
	uint32_t missing_count;
};

/* The texts belong to the profile. */
void wk_wpa_view_init(struct wk_wpa_view *view, const struct wk_wpa_profile *profile,
		      const struct wk_wpa_preset *preset);
void wk_wpa_view_fini(struct wk_wpa_view *view);

#endif
