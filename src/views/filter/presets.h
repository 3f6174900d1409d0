/* Views by name: what to weigh by, which samples to keep, how to group them; and for the analysis
 * page, which tabs it has. Those of wick are tables here; those of a user are files of JSON
 * (views/filter/preset_json.h). docs/presets.md describes both. */
#ifndef WK_VIEWS_FILTER_PRESETS_H
#define WK_VIEWS_FILTER_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

/* One way to weigh and group. */
struct wk_preset_view {
	const char *title;  /* of a panel of the page; NULL: none */
	const char *source; /* an event's name; NULL: CPU time */
	const char *group;  /* columns, see views/tree/grouping.h; NULL: the command's own */
	bool outstanding;   /* only what was not released */
	bool inverted;      /* from the innermost function */
};

/* A tab of the page. */
struct wk_preset_tab {
	const char *tab;   /* one of wk_preset_tab_names */
	const char *title; /* NULL: the page's own */
	const struct wk_preset_view *views;
	size_t view_count; /* 0: the page's own */
};

/* Stacks with a frame that matches both patterns get the label (views/tree/annotations.h). */
struct wk_annotation_rule {
	const char *label;
	const char *function, *module; /* patterns; NULL: anything matches, but not both are */
};

struct wk_preset {
	const char *name, *title, *summary; /* title, summary: or NULL */
	const char *filter;                 /* as for --filter; NULL: all samples */
	struct wk_preset_view view;         /* of commands, without a title */
	double min_percent;                 /* lighter rows are left out; 0: the command's limit */
	const struct wk_preset_tab *tabs;   /* in their order; none: the page's own */
	size_t tab_count;
	const struct wk_annotation_rule *rules;
	size_t rule_count;
	const struct wk_annotation_rule *groups; /* of the page: neighbours are one frame */
	size_t group_count;
};

/* Ends with an entry without a name; wk_preset_names has the same names, and ends with NULL. */
extern const struct wk_preset wk_presets[];
extern const char *const wk_preset_names[];

/* NULL if there is none. */
const struct wk_preset *wk_preset_find(const char *name);

/* Ends with NULL. */
extern const char *const wk_preset_tab_names[];

#endif
