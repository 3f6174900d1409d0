/* The options that narrow what a view is about; their values are a wk_filter_spec. */
#ifndef WK_CLI_OPTIONS_FILTER_OPTIONS_H
#define WK_CLI_OPTIONS_FILTER_OPTIONS_H

#include "cli/options/options.h"
#include "session/selection.h"

extern const struct wk_opt_group wk_filter_group;

#endif
