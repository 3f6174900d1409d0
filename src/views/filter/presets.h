/* Views by name: a measure and a grouping. */
#ifndef WK_VIEWS_FILTER_PRESETS_H
#define WK_VIEWS_FILTER_PRESETS_H

#include <stdbool.h>

struct wk_preset {
	const char *name, *summary;
	const char *source; /* an event's name; NULL: CPU time */
	const char *group;  /* columns, see views/tree/grouping.h */
	bool outstanding;   /* only what was not released */
};

/* Stacks with a frame that matches both patterns get the label (views/tree/annotations.h). */
struct wk_annotation_rule {
	const char *label;
	const char *function, *module; /* patterns; NULL: anything matches, but not both are */
};

/* Ends with an entry without a name; wk_preset_names has the same names, and ends with NULL. */
extern const struct wk_preset wk_presets[];
extern const char *const wk_preset_names[];

#endif
