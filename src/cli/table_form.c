#include "cli/table_form.h"

#include <unistd.h>

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

void wk_table_fit(struct wk_view *view, const struct wk_out *out, const struct wk_call *call)
{
	if (out != call->out || !wk_os_is_terminal(STDOUT_FILENO))
		return;
	view->columns = wk_os_terminal_columns(STDOUT_FILENO);
	view->has_colour = wk_color_wanted(STDOUT_FILENO);
}
