/* What a .wpaProfile of Windows Performance Analyzer has: views, their graphs, and of each graph a
 * preset: which columns stand in which order, by how many of them rows are grouped, and which rows
 * are left out. Two forms are read: that of today (WpaProfileContainer) and the older one
 * (WpaProfile). Of the many attributes those about looks are left alone.
 *
 * This is what the file says, word for word; views/filter/wpa_preset.h says what it means. The
 * profile owns all texts. Its memory is in proportion to the file. */
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
	struct wk_str view;  /* the title of the tab it stands in; empty where it is kept */
	struct wk_str graph; /* a GUID, or the name of an element of the older form */
	struct wk_str name;
	struct wk_str filter;         /* an expression (views/filter/wpa_query.h); may be empty */
	bool filter_keeps;            /* the rows that match; else those are left out */
	struct wk_str over_time;      /* how values of a moment become one: "OutstandingPeak" ... */
	uint32_t key_count;           /* so many of the columns, visible or not, are grouped by */
	uint32_t first, column_count; /* of the profile's columns */
	bool is_copy;                 /* a graph's preset of this name came before */
};

struct wk_wpa_profile {
	struct wk_arena texts;
	struct wk_wpa_preset *presets;
	size_t preset_count, preset_cap;
	struct wk_wpa_column *columns;
	size_t column_count, column_cap;
};

/* Does a file that begins so look like one? */
bool wk_wpa_profile_probe(struct wk_bytes head);

bool wk_wpa_profile_read(struct wk_wpa_profile *profile, struct wk_bytes bytes, struct wk_err *err);
void wk_wpa_profile_fini(struct wk_wpa_profile *profile);

#endif
