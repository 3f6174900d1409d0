#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "base/mem.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "os/program.h"
#include "os/os.h"

/* Manual pages in mdoc(7), printed from the tables: `wick man` is wick.1, `wick man fold`
 * is wick-fold.1. The date is changed by hand with the contents. */
#define PAGE_DATE "November 21, 2026"

#define LINE_COLUMNS 78

struct args {
	bool source;
};

static const struct wk_opt man_options[] = {
	WK_FLAG(0, "source", "print the source of the page, in mdoc(7)", offsetof(struct args, source)),
	{ 0 },
};

/* Escapes text for roff: a leading dot or quote begins a request, a backslash an escape, and a bare
 * '-' is a hyphen, which cannot be pasted into a shell. */
static void escaped(struct wk_buf *out, struct wk_str text)
{
	if (text.len && (text.at[0] == '.' || text.at[0] == '\''))
		wk_buf_add_text(out, "\\&");
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '\\')
			wk_buf_add_text(out, "\\e");
		else if (text.at[i] == '-')
			wk_buf_add_text(out, "\\-");
		else if (text.at[i] == '`')
			wk_buf_add_text(out, "\\(ga");
		else
			wk_buf_add_char(out, text.at[i]);
	}
}

/* A word of running text. Text in backquotes is set as typed; `quoted` is kept from word to word.
 * Only there and at the start of an option is '-' not a hyphen. */
static void word(struct wk_buf *out, struct wk_str text, bool *quoted)
{
	bool is_option = text.len && strchr("-\"(", text.at[0]);

	if (text.len && (text.at[0] == '.' || text.at[0] == '\''))
		wk_buf_add_text(out, "\\&");
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '`') {
			*quoted = !*quoted;
			wk_buf_add_text(out, *quoted ? "\\fB" : "\\fP");
		} else if (text.at[i] == '\\' || (text.at[i] == '-' && (*quoted || is_option))) {
			escaped(out, wk_str_of(text.at + i, 1));
		} else {
			wk_buf_add_char(out, text.at[i]);
		}
	}
}

/* Running text in short lines, a new one for each sentence as mdoc(7) asks. */
static void line(struct wk_out *out, const char *text)
{
	struct wk_buf piece = { 0 };
	bool quoted = false, ends_sentence = false;
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		wk_buf_reset(&piece);
		word(&piece, wk_str_of(text, len), &quoted);
		if (ends_sentence || column + piece.len > LINE_COLUMNS) {
			wk_out_char(out, '\n');
			column = 0;
		} else if (column) {
			wk_out_char(out, ' ');
		}
		wk_out_str(out, wk_buf_str(&piece));
		column += piece.len + 1;
		ends_sentence = len && strchr(".?!", text[len - 1]);
		text += len + strspn(text + len, " ");
	}
	wk_out_char(out, '\n');
	wk_buf_fini(&piece);
}

static void head(struct wk_out *out, const char *page, const char *summary)
{
	struct wk_buf upper = { 0 };

	for (const char *c = page; *c; c++)
		wk_buf_add_char(&upper, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
	wk_out_fmt(out,
		   ".\\\" Printed by `wick man`: change src/cli/ instead.\n"
		   ".Dd " PAGE_DATE "\n.Dt %s 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n",
		   wk_buf_text(&upper), page, summary);
	wk_buf_fini(&upper);
}

static void option(struct wk_out *out, const struct wk_opt *opt)
{
	wk_out_text(out, ".It ");
	if (opt->letter)
		wk_out_fmt(out, "Fl %c , ", opt->letter);
	wk_out_fmt(out, "Fl \\-%s", opt->name);
	if (opt->argument)
		wk_out_fmt(out, " Ar %s", opt->argument);
	wk_out_char(out, '\n');
	line(out, opt->help);
}

static void options(struct wk_out *out, const struct wk_command *command)
{
	for (const struct wk_opt_use *use = command->options; use && use->group; use++) {
		wk_out_fmt(out, ".Ss %s\n.Bl -tag -width Ds\n", use->group->title);
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++)
			option(out, opt);
		wk_out_text(out, ".El\n");
	}
}

static void choices(struct wk_out *out, const struct wk_command *command)
{
	wk_out_fmt(out, ".Ss %s\n.Bl -tag -width completion\n", command->choices_title);
	for (size_t i = 0; command->choice(i).word; i++) {
		wk_out_fmt(out, ".It Ic %s\n", command->choice(i).word);
		line(out, command->choice(i).summary);
	}
	wk_out_text(out, ".El\n");
}

static void examples(struct wk_out *out, const struct wk_example *example)
{
	struct wk_buf typed = { 0 };

	if (!example)
		return;
	wk_out_text(out, ".Sh EXAMPLES\n.Bl -tag -width Ds\n");
	for (; example->typed; example++) {
		wk_buf_reset(&typed);
		escaped(&typed, wk_str_c(example->typed));
		wk_out_fmt(out, ".It Li \"%s\"\n", wk_buf_text(&typed));
		line(out, example->does);
	}
	wk_out_text(out, ".El\n");
	wk_buf_fini(&typed);
}

static void exit_status(struct wk_out *out, const char *note)
{
	wk_out_text(out, ".Sh EXIT STATUS\n0 on success, 1 on failure, 2 on wrong usage.\n");
	if (note)
		line(out, note);
}

static void command_page(struct wk_out *out, const struct wk_command *command)
{
	struct wk_buf page = { 0 };

	wk_buf_add_fmt(&page, "wick-%s", command->name);
	head(out, wk_buf_text(&page), command->summary);
	wk_out_text(out, ".Sh SYNOPSIS\n");
	for (size_t i = 0; command->usage[i]; i++) {
		wk_out_fmt(out, "%s.Ic wick %s\n", i ? ".br\n" : "", command->name);
		if (*command->usage[i])
			line(out, command->usage[i]);
	}
	wk_out_text(out, ".Sh DESCRIPTION\n");
	for (size_t i = 0; command->description[i]; i++) {
		wk_out_text(out, i ? ".Pp\n" : "");
		line(out, command->description[i]);
	}
	if (command->choices_title)
		choices(out, command);
	options(out, command);
	exit_status(out, command->exit_note);
	examples(out, command->examples);
	wk_out_text(out, ".Sh SEE ALSO\n.Xr wick 1\n");
	wk_buf_fini(&page);
}

/* Cross references are sorted by name, as mandoc wants them. */
static void all_references(struct wk_out *out)
{
	const char *last = "";

	for (;;) {
		const char *next = NULL;

		for (size_t i = 0; wk_commands[i]; i++) {
			const char *name = wk_commands[i]->name;

			if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
				next = name;
		}
		if (!next)
			break;
		wk_out_fmt(out, "%s.Xr wick-%s 1", *last ? " ,\n" : "", next);
		last = next;
	}
	wk_out_char(out, '\n');
}

/* The environment variables of all commands. */
static void environment(struct wk_out *out)
{
	static const struct {
		const char *name, *text;
	} variables[] = {
		{ "DEBUGINFOD_URLS",
		  "Debuginfod servers for --debuginfod, separated by blanks. Without that option "
		  "they are not contacted." },
		{ "DEBUGINFOD_TIMEOUT , DEBUGINFOD_MAXTIME",
		  "Seconds without progress before a download is given up (60), and the most "
		  "seconds for one file (no limit)." },
		{ "DEBUGINFOD_MAXSIZE", "Size limit of a downloaded file in bytes (2 GiB)." },
		{ "DEBUGINFOD_PROGRESS", "If set, download progress is printed even if standard "
					 "error is not a terminal." },
		{ "NO_COLOR", "If set and not empty, no colours are used, even on a terminal." },
		{ "_NT_SYMBOL_PATH , _NT_ALT_SYMBOL_PATH",
		  "Folders, symbol stores and servers that wick searches for PDBs and images of "
		  "Windows programs after --symbol-path." },
		{ "WICK_DEBUGINFOD", "1 makes --debuginfod the default." },
		{ "WICK_KALLSYMS",
		  "Copy of /proc/kallsyms of the recorded kernel, to name kernel functions. If "
		  "empty, they stay unnamed. Default: this machine's, if the recording was made "
		  "under the same kernel." },
		{ "WICK_MOST_INPUT", "Size limit in bytes for input from a pipe that is read into "
				     "memory; the default is half of the machine's memory. The "
				     "text of perf script is not: it may be of any length." },
		{ "WICK_SYMBOL_SERVERS",
		  "Default servers for --symbol-server, separated by blanks." },
	};

	wk_out_text(out, ".Sh ENVIRONMENT\n.Bl -tag -width WICK_SYMBOL_SERVERS\n");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		wk_out_fmt(out, ".It Ev %s\n", variables[i].name);
		line(out, variables[i].text);
	}
	wk_out_text(out, ".El\n");
}

static void overview_page(struct wk_out *out)
{
	head(out, "wick", "a native profiler that draws flame graphs");
	wk_out_text(out, ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n.Op Ar argument "
			 "...\n.Nm\n.Fl \\-help | Fl \\-version\n.Sh DESCRIPTION\n.Nm\n");
	line(out, "records where a program's time goes, finds the names of all functions, and "
		  "shows the result as a flame graph or as text. A recording on Linux is an "
		  "ordinary perf.data file.");
	wk_out_text(out, ".Pp\nThe commands, each with a man page of its own:\n.Bl -tag -width "
			 "completion\n");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, ".It Ic %s\n", wk_commands[i]->name);
		line(out, wk_commands[i]->summary);
	}
	wk_out_text(out, ".El\n.Pp\n");
	line(out, "A file named \"-\" is standard input or standard output. Progress is printed to "
		  "standard error, if that is a terminal.");
	environment(out);
	exit_status(out, "Commands that record exit with the exit code of the recorded command.");
	wk_out_text(out, ".Sh SEE ALSO\n");
	all_references(out);
}

static void print_page(struct wk_out *out, const struct wk_command *command)
{
	if (command)
		command_page(out, command);
	else
		overview_page(out);
}

/* --- A page is shown, not its source ---------------------------------------------------------- */

/* Programs that show the source on their standard input: on a terminal, and as plain text in UTF-8
 * or ASCII. NULL-terminated. */
static const char *const viewers[][5] = {
	{ "man", "-l", "-", NULL },
	{ "mandoc", "-a", NULL },
	{ NULL },
};
static const char *const formatters[][5] = {
	{ "mandoc", "-T", "utf8", NULL },
	{ "man", "-l", "-", NULL },
	{ NULL },
};
static const char *const ascii_formatters[][5] = {
	{ "mandoc", "-T", "ascii", NULL },
	{ "man", "-Eascii", "-l", "-" },
	{ NULL },
};

/* `text` receives the output, unless it is NULL. */
static bool view(const char *const *viewer, int page, struct wk_buf *text)
{
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_err err = { 0 };
	char *program = wk_os_program_find(viewer[0]);
	bool ok = false;

	if (program) {
		io.input = page;
		io.collect = text;
		io.is_mute = true;
		io.outlives_interrupt = true;
		ok = wk_os_rewind(page) && wk_os_program_run(viewer, io, &err) == 0;
	}
	wk_free(program);
	return ok;
}

/* By the first of the programs that works. */
static bool view_page(const struct wk_command *command, const char *const (*programs)[5],
		      struct wk_buf *text)
{
	char *path;
	int page = wk_os_temporary(&path);
	struct wk_out out = wk_out_to_fd(page);
	bool ok = false;

	if (page < 0)
		return false;
	print_page(&out, command);
	if (wk_out_end(&out))
		for (; !ok && **programs; programs++)
			ok = view(*programs, page, text);
	close(page);
	wk_free(path);
	return ok;
}

/* Formatters print a bold letter twice and an underlined one over "_", with backspaces between. */
static void print_plain(struct wk_out *out, struct wk_str text)
{
	struct wk_buf plain = { 0 };

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] != '\b') {
			wk_buf_add_char(&plain, text.at[i]);
			continue;
		}
		while (plain.len && ((unsigned char)plain.at[--plain.len] & 0xc0) == 0x80)
			continue;
	}
	wk_out_str(out, wk_buf_str(&plain));
	wk_buf_fini(&plain);
}

static void show_help(struct wk_out *out, const struct wk_command *command)
{
	if (command)
		wk_help_command(out, wk_help_style(), command, true);
	else
		wk_help_overview(out, wk_help_style());
}

static void show_page(const struct wk_call *call, const struct wk_command *command)
{
	bool is_terminal = wk_os_is_terminal(STDOUT_FILENO);
	struct wk_buf text = { 0 };
	bool ok = is_terminal            ? view_page(command, viewers, NULL)
		  : wk_is_plain_locale() ? view_page(command, ascii_formatters, &text)
					 : view_page(command, formatters, &text);

	if (!ok) {
		if (!is_terminal)
			wk_say("neither man nor mandoc is installed to format the page: this is "
			       "the text of --help; --source prints the source");
		show_help(call->out, command);
	} else {
		print_plain(call->out, wk_buf_str(&text));
	}
	wk_buf_fini(&text);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const struct wk_words *words = call->words;
	const struct wk_command *command = NULL;

	if (words->count > 1) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "man accepts one command");
		return WK_EXIT_USAGE;
	}
	if (words->count == 1 && strcmp(words->at[0], "wick") != 0) {
		command = wk_command_named(words->at[0], err);
		if (!command)
			return WK_EXIT_USAGE;
	}
	if (args->source)
		print_page(call->out, command);
	else
		show_page(call, command);
	return WK_EXIT_DONE;
}

const struct wk_command wk_cmd_man = {
	.name = "man",
	.summary = "show the man page of wick or of a command",
	.usage = (const char *const[]){ "[--source] [COMMAND]", NULL },
	.description = (const char *const[]){
		"Shows a man page, which is generated from the same tables as `--help`. Without a "
		"command it shows the page of wick itself. The page is shown by man or mandoc; in a "
		"pipe or file as plain text. If neither is installed, the text of `--help` is "
		"printed.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", man_options }, 0 }, { 0 } },
	.examples = (const struct wk_example[]){
		{ "wick man record", "read a man page, even if it is not installed" },
		{ "wick man --source record >wick-record.1", "write the source of a man page" },
		{ 0 } },
	.words = WK_WORD_CHOICE,
	.choice = wk_command_choice,
	.args_size = sizeof(struct args),
	.run = run,
};
