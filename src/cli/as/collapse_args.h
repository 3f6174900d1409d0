/* What the options of collapse tools set; one struct for all of them. */
#ifndef WK_CLI_AS_COLLAPSE_ARGS_H
#define WK_CLI_AS_COLLAPSE_ARGS_H

#include "cli/as/tool.h"

struct wk_as_collapse_args {
	struct wk_as_inferno_args inferno;
	struct wk_collapse collapse;
	bool marks_all;    /* --all */
	bool with_inlined; /* --inline */
	bool by_time, by_ticks, by_bytes;
	uint64_t threads; /* 0: as many as there are processors */
	uint64_t sample_index;
	struct wk_text_list skip_after;
};

#endif
