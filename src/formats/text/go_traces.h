/* The stacks that `go tool pprof -traces` prints, with rules between them. */
#ifndef WK_FORMATS_TEXT_GO_TRACES_H
#define WK_FORMATS_TEXT_GO_TRACES_H

#include "formats/lines.h"

static inline bool wk_go_is_rule(struct wk_str line)
{
	return wk_str_starts(line, "-----------+");
}

/* Goes on from the line behind the first rule. `type` is what the head of the text says is
 * counted, perhaps nothing. */
void wk_go_traces_read(struct wk_stack_writer *writer, struct wk_lines *lines,
		       struct wk_bad_lines *bad, struct wk_str type);

#endif
