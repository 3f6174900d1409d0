#include "cli/options/table_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/options/option_errors.h"
#include "cli/terminal.h"
#include "os/os.h"

bool wk_table_form_check(bool csv, bool json, struct wk_err *err)
{
	if (csv && json)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--csv and --json exclude each other");
	return true;
}

bool wk_table_min_read(const char *text, double *percent, struct wk_err *err)
{
	char *end = NULL;

	*percent = strtod(text, &end);
	if (end == text || *end || !isfinite(*percent) || *percent < 0 || *percent > 100)
		return wk_option_must_be("min", text, "a number from 0 to 100", err);
	return true;
}

enum wk_table_form wk_table_form(bool csv, bool json, const char *output)
{
	const char *dot = output ? strrchr(output, '.') : NULL;

	if (csv || (!json && dot && wk_str_is_any_case(wk_str_c(dot), ".csv")))
		return WK_TABLE_CSV;
	return json || (dot && wk_str_is_any_case(wk_str_c(dot), ".json")) ? WK_TABLE_JSON
									   : WK_TABLE_TEXT;
}

/* Output for a pager can be cut to the width that its user sets. */
static unsigned typed_columns(void)
{
	const char *typed = wk_os_env("COLUMNS");
	uint64_t columns = 0;

	return typed && wk_num_u64(wk_str_c(typed), &columns) && columns <= UINT16_MAX
		       ? (unsigned)columns
		       : 0;
}

struct wk_table_look wk_table_look(enum wk_table_form form, const struct wk_out *out,
				   const struct wk_call *call, uint64_t columns)
{
	bool is_own = out == call->out;
	bool is_terminal = is_own && wk_os_is_terminal(STDOUT_FILENO);
	struct wk_table_look look = {
		.form = form,
		.is_plain = is_own && wk_is_plain_locale(),
		.has_colour = is_terminal && wk_color_wanted(STDOUT_FILENO),
	};

	if (columns)
		look.columns = columns < UINT16_MAX ? (unsigned)columns : UINT16_MAX;
	else if (is_terminal)
		look.columns = wk_os_terminal_columns(STDOUT_FILENO);
	else if (is_own)
		look.columns = typed_columns();
	return look;
}
