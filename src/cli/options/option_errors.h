/* Errors of options, in the wording of each style. All return false. */
#ifndef WK_CLI_OPTIONS_OPTION_ERRORS_H
#define WK_CLI_OPTIONS_OPTION_ERRORS_H

#include "base/str.h"
#include "cli/options/options.h"

bool wk_option_unknown(enum wk_opt_style style, const struct wk_opt_target *targets,
		       struct wk_str name, struct wk_err *err);
bool wk_option_unknown_letter(enum wk_opt_style style, const struct wk_opt_target *targets,
			      char letter, struct wk_err *err);

/* `name` begins several options. */
bool wk_option_unclear(const struct wk_opt_target *targets, struct wk_str name, struct wk_err *err);
bool wk_option_needs_value(enum wk_opt_style style, const struct wk_opt *opt, struct wk_err *err);
bool wk_option_accepts_none(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err);
bool wk_option_wrong_choice(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err);
/* `value` of the option --`name` of wick. */
bool wk_option_must_be(const char *name, const char *value, const char *expected,
		       struct wk_err *err);
bool wk_option_wrong_number(enum wk_opt_style style, const struct wk_opt *opt, const char *value,
			    struct wk_err *err);

#endif
