#include "cli/help.h"

#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "os/os.h"

#define WIDEST      100
#define HELP_COLUMN 28 /* where the words of an option begin */

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

/* Text in lines of at most `columns`, the second and later ones indented. The first begins
 * at `column`, where the caller has written up to. */
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

static void one_group(struct wk_out *out, struct wk_help_style style,
		      const struct wk_opt_group *group)
{
	if (group->options[0].name)
		heading(out, style, group->title);
	for (const struct wk_opt *opt = group->options; opt->name; opt++)
		one_option(out, style, opt);
}

static const struct wk_opt_group standard = {
	.title = "Also",
	.options = (const struct wk_opt[]){
		{ 'h', "help", NULL, "print this", WK_OPT_FLAG, 0, NULL }, { 0 } },
};

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

void wk_help_command(struct wk_out *out, struct wk_help_style style,
		     const struct wk_command *command)
{
	for (size_t i = 0; command->usage[i]; i++)
		wk_out_fmt(out, "%s wick %s%s%s\n", i == 0 ? "usage:" : "      ", command->name,
			   *command->usage[i] ? " " : "", command->usage[i]);
	for (size_t i = 0; command->description[i]; i++) {
		wk_out_char(out, '\n');
		wrapped(out, style.columns, 0, 0, command->description[i]);
	}
	if (command->choices_title)
		choices(out, style, command);
	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		one_group(out, style, use->group);
	one_group(out, style, &standard);
	if (command->examples) {
		heading(out, style, "Examples");
		for (const struct wk_example *e = command->examples; e->typed; e++)
			wk_out_fmt(out, "  %s\n      %s\n", e->typed, e->does);
	}
	if (command->exit_note) {
		heading(out, style, "Exit code");
		wk_out_text(out, "  ");
		wrapped(out, style.columns, 2, 2, command->exit_note);
	}
}

void wk_help_overview(struct wk_out *out, struct wk_help_style style)
{
	wk_out_text(out, "wick records where a program's time goes and draws it as a flame graph.\n"
			 "\n"
			 "usage: wick COMMAND [OPTION...] [WORD...]\n");
	heading(out, style, "Commands");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, "  %-12s", wk_commands[i]->name);
		wrapped(out, style.columns, 14, 14, wk_commands[i]->summary);
	}
	wk_out_text(out, "\n`wick COMMAND --help` says what a command takes, "
			 "`wick --version` which wick this is.\n");
}
