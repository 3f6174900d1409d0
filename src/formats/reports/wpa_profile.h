/* The content of a .wpaProfile of Windows Performance Analyzer: views, their graphs, and a preset
 * for each graph: the order of columns, the number of columns that group the rows, and a filter.
 * Two forms are read: WpaProfileContainer and the older WpaProfile. Attributes about looks are
 * ignored.
 *
 * This is the text of the file; views/filter/wpa_preset.h interprets it. The profile owns all
 * texts. Its memory is in proportion to the file. */
#ifndef WK_FORMATS_REPORTS_WPA_PROFILE_H
#define WK_FORMATS_REPORTS_WPA_PROFILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"

struct wk_wpa_column {
	struct wk_str name;
	struct wk_str stack_mode; /* "StackTag", "FrameTags"; empty: the stack itself */
	bool is_visible;
	bool stack_is_inverted; /* innermost function first */
};

struct wk_wpa_preset {
	struct wk_str view;  /* the title of its tab; empty if unknown */
	struct wk_str graph; /* a GUID, or the name of an element of the older form */
	struct wk_str name;
	struct wk_str filter;         /* an expression (views/filter/wpa_query.h); may be empty */
	bool filter_keeps;            /* keeps the matching rows; otherwise drops them */
	struct wk_str over_time;      /* how values over time become one: "OutstandingPeak" ... */
	uint32_t key_count;           /* columns that group rows, visible or not */
	uint32_t first, column_count; /* of the profile's columns */
	bool is_copy;                 /* an earlier preset of the graph has this name */
};

struct wk_wpa_profile {
	struct wk_arena texts;
	struct wk_wpa_preset *presets;
	size_t preset_count, preset_cap;
	struct wk_wpa_column *columns;
	size_t column_count, column_cap;
};

/* For probes: the head of a file. */
bool wk_wpa_profile_probe(struct wk_bytes head);

bool wk_wpa_profile_read(struct wk_wpa_profile *profile, struct wk_bytes bytes, struct wk_err *err);
void wk_wpa_profile_fini(struct wk_wpa_profile *profile);

#endif
