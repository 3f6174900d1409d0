/* The stacks of `go tool pprof -traces`, separated by rules. */
#ifndef WK_FORMATS_TEXT_GO_TRACES_H
#define WK_FORMATS_TEXT_GO_TRACES_H

#include "formats/lines.h"

static inline bool wk_go_is_rule(struct wk_str line)
{
	return wk_str_starts(line, "-----------+");
}

/* Continues after the first rule. `type` names the values; may be empty. */
void wk_go_traces_read(struct wk_stack_writer *writer, struct wk_lines *lines,
		       struct wk_bad_lines *bad, struct wk_str type);

#endif
