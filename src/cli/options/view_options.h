/* The options for how a view is grouped, for presets, and for which functions are shown, whose
 * values are a wk_view_args; and
 * those that filter samples, whose values are a wk_filter_spec. */
#ifndef WK_CLI_OPTIONS_VIEW_OPTIONS_H
#define WK_CLI_OPTIONS_VIEW_OPTIONS_H

#include "cli/options/options.h"
#include "session/view_choice.h"

extern const struct wk_opt_group wk_view_group, wk_shape_group, wk_filter_group;

#endif
