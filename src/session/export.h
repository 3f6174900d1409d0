/* Selected samples in another tool's format. */
#ifndef WK_SESSION_EXPORT_H
#define WK_SESSION_EXPORT_H

#include "base/out.h"
#include "session/selection.h"
#include "views/tree/tree.h"

/* Whether the format is folded stacks, whose levels can be chosen, and not single samples. */
bool wk_export_has_levels(const char *format);

/* Single samples as firefox, pprof or speedscope; `by_weight`: not each counted as one. */
bool wk_export_samples(const char *format, const struct wk_selection *selection, bool by_weight,
		       struct wk_out *out, struct wk_err *err);

/* Folded stacks. Of `levels`, by_process, by_thread, grouping and inverted are used. Weights are
 * also written if numbers of samples are unknown. `messages` get how much has no stack. */
bool wk_export_folded(const struct wk_selection *selection, const struct wk_tree_options *levels,
		      bool by_weight, struct wk_out *out, const struct wk_messages *messages,
		      struct wk_err *err);

#endif
