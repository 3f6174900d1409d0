/* What the options of flamegraph.pl and inferno-flamegraph set. */
#ifndef WK_CLI_AS_FLAMEGRAPH_ARGS_H
#define WK_CLI_AS_FLAMEGRAPH_ARGS_H

#include "cli/as/tool.h"
#include "session/picture.h"

struct wk_as_flamegraph_args {
	struct wk_as_inferno_args inferno;
	struct wk_drawing drawing; /* what the tools name alike */
	const char *name_attributes, *encoding, *colours;
	const char *ui_colour, *stroke_colour;
	const char *min_width; /* pixels, or percent with a '%' behind: the scripts */
	double min_share;      /* percent: inferno; 0: as usual */
	uint64_t width, height;
	double total;
	bool hash, random, deterministic, by_width, keeps_colours;
	bool reverse, no_sort, pretty;
	struct wk_text_list base;
};

int wk_as_flamegraph(const struct wk_as_call *call, struct wk_err *err);

/* Says what cannot be as the tool does; false and wrong usage. */
bool wk_as_flamegraph_check(const struct wk_as_flamegraph_args *args, const struct wk_as_tool *tool,
			    struct wk_err *err);

#endif
