#include "cli/options/table_form.h"

#include <unistd.h>

#include "base/num.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "render/renderers.h"

bool wk_table_form_check(bool csv, bool json, struct wk_err *err)
{
	if (csv && json)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--csv and --json exclude each other");
	return true;
}

const struct wk_renderer *wk_table_form(bool csv, bool json)
{
	if (csv)
		return &wk_renderer_csv;
	return json ? &wk_renderer_json : &wk_renderer_text;
}

/* What goes to a pager may be cut to the width that its user says. */
static unsigned typed_columns(void)
{
	const char *typed = wk_os_env("COLUMNS");
	uint64_t columns = 0;

	return typed && wk_num_u64(wk_str_c(typed), &columns) && columns <= UINT16_MAX
		       ? (unsigned)columns
		       : 0;
}

static unsigned own_columns(void)
{
	return wk_os_is_terminal(STDOUT_FILENO) ? wk_os_terminal_columns(STDOUT_FILENO)
						: typed_columns();
}

void wk_table_fit(struct wk_view *view, const struct wk_out *out, const struct wk_call *call,
		  uint64_t columns)
{
	bool is_own = out == call->out;

	if (columns)
		view->columns = columns < UINT16_MAX ? (unsigned)columns : UINT16_MAX;
	else if (is_own)
		view->columns = own_columns();
	view->is_plain = is_own && wk_is_plain_locale();
	view->has_colour =
		is_own && wk_os_is_terminal(STDOUT_FILENO) && wk_color_wanted(STDOUT_FILENO);
}
