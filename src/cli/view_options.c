#include "cli/view_options.h"

#define AT(field) offsetof(struct wk_view_args, field)

static const struct wk_opt options[] = {
	{ 0, "group", "COLUMN[,COLUMN...]", "a level for each of these, the outermost first: "
	  "process, pid (each process by itself), thread, cpu, module (the file that a sample was "
	  "in; as the last one, the stack by files), function (that a sample was in), stack; such "
	  "as process,thread,stack", WK_OPT_TEXT, AT(group), NULL },
	{ 0 },
};

const struct wk_opt_group wk_view_group = { "Grouping", options };

bool wk_view_choose(struct wk_view_choice *choice, const struct wk_view_args *args,
		    bool says_levels, struct wk_err *err)
{
	*choice = (struct wk_view_choice){ 0 };
	if (!args->group)
		return true;
	if (says_levels)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--group says all levels itself: leave out --by-process, "
			       "--by-thread and --no-process");
	if (!wk_grouping_read(&choice->grouping, wk_str_c(args->group), err)) {
		wk_err_in(err, "--group");
		return false;
	}
	choice->is_grouped = true;
	choice->needs_samples = wk_grouping_has(&choice->grouping, WK_GROUP_CPU);
	return true;
}
