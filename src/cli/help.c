#include "cli/help.h"

#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "os/os.h"

#define WIDEST      100
#define HELP_COLUMN 28 /* where the help of an option begins */

struct wk_help_style wk_help_style(void)
{
	unsigned columns = 80;

	if (wk_os_is_terminal(STDOUT_FILENO))
		columns = wk_os_terminal_columns(STDOUT_FILENO);
	if (columns < 50)
		columns = 50;
	return (struct wk_help_style){
		.columns = columns < WIDEST ? columns : WIDEST,
		.color = wk_color_wanted(STDOUT_FILENO),
	};
}

/* Text in lines of at most `columns`, the second and later ones indented. The first begins at
 * `column`, after what the caller has written. */
static void wrapped(struct wk_out *out, unsigned columns, unsigned indent, unsigned column,
		    const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");
		const char *next = text + len + strspn(text + len, " ");

		if (column > indent && column + 1 + len > columns) {
			wk_out_fmt(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			wk_out_char(out, ' ');
			column++;
		}
		wk_out_bytes(out, text, len);
		column += (unsigned)len;
		text = next;
	}
	wk_out_char(out, '\n');
}

static void heading(struct wk_out *out, struct wk_help_style style, const char *title)
{
	wk_out_fmt(out, style.color ? "\n\033[1m%s:\033[0m\n" : "\n%s:\n", title);
}

static void one_option(struct wk_out *out, struct wk_help_style style, const struct wk_opt *opt)
{
	struct wk_buf left = { 0 };

	if (opt->letter)
		wk_buf_add_fmt(&left, "  -%c, --%s", opt->letter, opt->name);
	else
		wk_buf_add_fmt(&left, "      --%s", opt->name);
	if (opt->argument)
		wk_buf_add_fmt(&left, " %s", opt->argument);
	wk_out_str(out, wk_buf_str(&left));
	if (left.len + 2 > HELP_COLUMN)
		wk_out_fmt(out, "\n%*s", HELP_COLUMN, "");
	else
		wk_out_fmt(out, "%*s", (int)(HELP_COLUMN - left.len), "");
	wrapped(out, style.columns, HELP_COLUMN, HELP_COLUMN, opt->help);
	wk_buf_fini(&left);
}

/* Whether help shows an option: `names` are those of the first screen, NULL is every option. */
static bool is_listed(const struct wk_opt *opt, const char *const *names)
{
	if (!names)
		return true;
	for (; *names; names++)
		if (strcmp(*names, opt->name) == 0)
			return true;
	return false;
}

static void one_group(struct wk_out *out, struct wk_help_style style,
		      const struct wk_opt_group *group, const char *const *names)
{
	bool is_begun = false;

	for (const struct wk_opt *opt = group->options; opt->name; opt++) {
		if (!is_listed(opt, names))
			continue;
		if (!is_begun)
			heading(out, style, group->title);
		is_begun = true;
		one_option(out, style, opt);
	}
}

static void choices(struct wk_out *out, struct wk_help_style style,
		    const struct wk_command *command)
{
	unsigned widest = 11;

	heading(out, style, command->choices_title);
	for (size_t i = 0; command->choice(i).word; i++)
		if (strlen(command->choice(i).word) > widest)
			widest = (unsigned)strlen(command->choice(i).word);
	for (size_t i = 0; command->choice(i).word; i++) {
		wk_out_fmt(out, "  %-*s ", (int)widest, command->choice(i).word);
		wrapped(out, style.columns, widest + 3, widest + 3, command->choice(i).summary);
	}
}

static void usage(struct wk_out *out, const struct wk_command *command)
{
	for (size_t i = 0; command->usage[i]; i++)
		wk_out_fmt(out, "%s wick %s%s%s\n", i == 0 ? "usage:" : "      ", command->name,
			   *command->usage[i] ? " " : "", command->usage[i]);
}

static void examples(struct wk_out *out, struct wk_help_style style,
		     const struct wk_command *command, size_t most)
{
	if (!command->examples)
		return;
	heading(out, style, "Examples");
	for (size_t i = 0; i < most && command->examples[i].typed; i++)
		wk_out_fmt(out, "  %s\n      %s\n", command->examples[i].typed,
			   command->examples[i].does);
}

static void options(struct wk_out *out, struct wk_help_style style,
		    const struct wk_command *command, const char *const *names)
{
	const char *all = command->common ? "[all]" : NULL;
	const char *does = all ? "print the common options, or all" : "print this help";
	const struct wk_opt help[] = { { 'h', "help", all, does, WK_OPT_FLAG, 0, NULL }, { 0 } };

	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		one_group(out, style, use->group, names);
	one_group(out, style, &(struct wk_opt_group){ "Help", help }, NULL);
}

static unsigned option_count(const struct wk_command *command)
{
	unsigned count = 1; /* --help */

	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++)
			count++;
	return count;
}

/* The first screen of a command that has one is shorter. */
void wk_help_command(struct wk_out *out, struct wk_help_style style,
		     const struct wk_command *command, bool all)
{
	const char *const *common = all ? NULL : command->common;

	usage(out, command);
	for (size_t i = 0; command->description[i] && (i == 0 || !common); i++) {
		wk_out_char(out, '\n');
		wrapped(out, style.columns, 0, 0, command->description[i]);
	}
	if (command->choices_title)
		choices(out, style, command);
	options(out, style, command, common);
	examples(out, style, command, common ? 3 : SIZE_MAX);
	if (common) {
		wk_out_fmt(out, "\n`wick %s --help all` lists all %u options.\n", command->name,
			   option_count(command));
	} else if (command->exit_note) {
		heading(out, style, "Exit code");
		wk_out_text(out, "  ");
		wrapped(out, style.columns, 2, 2, command->exit_note);
	}
}

void wk_help_overview(struct wk_out *out, struct wk_help_style style)
{
	wk_out_text(out, "wick records where a program's time goes and draws it as a flame graph.\n"
			 "\n"
			 "usage: wick COMMAND [OPTION...] [ARGUMENT...]\n");
	heading(out, style, "Commands");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, "  %-12s", wk_commands[i]->name);
		wrapped(out, style.columns, 14, 14, wk_commands[i]->summary);
	}
	wk_out_text(out, "\n`wick COMMAND --help` prints the options of a command, "
			 "`wick --version` the version.\n");
}
