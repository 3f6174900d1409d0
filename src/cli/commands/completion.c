#include <string.h>

#include "cli/command.h"
#include "session/formats.h"
#include "session/perf_script.h"

/* Shell completion printed from the tables. The three shells share one idea: the first word
 * is a command; then come its options, and after them what its words are. */

static bool takes_files(const struct wk_command *command)
{
	return command->words == WK_WORD_FILE || command->words == WK_WORD_FILE_THEN_CHOICE;
}

static void out_fields(struct wk_out *out, const struct wk_opt *opt)
{
	struct wk_buf names = { 0 };

	(void)opt;
	wk_perf_fields_names(&names);
	wk_out_str(out, wk_buf_str(&names));
	wk_buf_fini(&names);
}

/* The choices of an option, or else the formats that wick reads. */
static void out_choices(struct wk_out *out, const struct wk_opt *opt)
{
	for (size_t i = 0; opt->choices && opt->choices[i]; i++)
		wk_out_fmt(out, "%s%s", i ? " " : "", opt->choices[i]);
	for (size_t i = 0; !opt->choices && wk_format_read(i).name; i++)
		wk_out_fmt(out, "%s%s", i ? " " : "", wk_format_read(i).name);
}

struct script {
	const char *before, *after;
};

/* What a shell completes a value with. */
struct value {
	const char *argument; /* how the name of the value in help begins */
	void (*out_words)(struct wk_out *out, const struct wk_opt *opt); /* in the scripts */
	struct script bash, zsh, fish;
};

static const struct value values[] = {
	{ "FORMAT", out_choices, { "words='", "'" }, { "(", ")" }, { " -x -a '", "'" } },
	/* Several words with commas between them. */
	{ "FIELDS", out_fields, { "words='", "' list=1" }, { "_sequence compadd - ", "" },
	  { " -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"", "\\\"\")'" } },
	{ "FILE", NULL, { "files=1", "" }, { "_files", "" }, { " -r -F", "" } },
	{ "IMAGE", NULL, { "files=1", "" }, { "_files", "" }, { " -r -F", "" } },
	{ "DIR", NULL, { "folders=1", "" }, { "_files -/", "" }, { " -r -F", "" } },
	{ "PID[", NULL, { "words=$(cd /proc && echo [0-9]*)", "" }, { "_pids", "" },
	  { " -x -a '(__fish_complete_pids)'", "" } },
	{ "", NULL, { ":", "" }, { "", "" }, { " -x", "" } },
};

static const struct value *value_of(const struct wk_opt *opt)
{
	const struct value *value = values;

	while (!opt->choices && !wk_str_starts(wk_str_c(opt->argument), value->argument))
		value++;
	return value;
}

static void out_value(struct wk_out *out, const struct wk_opt *opt, struct script script)
{
	wk_out_text(out, script.before);
	if (value_of(opt)->out_words)
		value_of(opt)->out_words(out, opt);
	wk_out_text(out, script.after);
}

static void out_words(struct wk_out *out, struct wk_choice (*choice)(size_t))
{
	for (size_t i = 0; choice(i).word; i++)
		wk_out_fmt(out, "%s%s", i ? " " : "", choice(i).word);
}

typedef void option_fn(struct wk_out *out, const struct wk_command *command,
		       const struct wk_opt *opt);

static void each_option(struct wk_out *out, const struct wk_command *command, option_fn *each)
{
	for (const struct wk_opt_use *use = command->options; use && use->group; use++)
		for (const struct wk_opt *opt = use->group->options; opt->name; opt++)
			each(out, command, opt);
}

/* bash: one case arm a command. `$prev` decides when it is an option that takes a value. */

static void bash_name(struct wk_out *out, const struct wk_command *command,
		      const struct wk_opt *opt)
{
	(void)command;
	wk_out_fmt(out, " --%s", opt->name);
}

static void bash_value(struct wk_out *out, const struct wk_command *command,
		       const struct wk_opt *opt)
{
	if (!opt->argument)
		return;
	wk_out_fmt(out, "\t%s\\ --%s", command->name, opt->name);
	if (opt->letter)
		wk_out_fmt(out, " | %s\\ -%c", command->name, opt->letter);
	wk_out_text(out, ") ");
	out_value(out, opt, value_of(opt)->bash);
	wk_out_text(out, " ;;\n");
}

static void bash_words(struct wk_out *out, const struct wk_command *command)
{
	wk_out_fmt(out, "\t\t%s) options='--help", command->name);
	each_option(out, command, bash_name);
	if (command->choice) {
		wk_out_text(out, "' words='");
		out_words(out, command->choice);
	}
	wk_out_fmt(out, "'%s ;;\n",
		   takes_files(command) || command->words == WK_WORD_PROGRAM ? " files=1" : "");
}

static void bash(struct wk_out *out)
{
	wk_out_text(out, "# wick's completion for bash, printed by `wick completion bash`.\n"
			 "_wick()\n{\n"
			 "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
			 "\tlocal cmd=${COMP_WORDS[1]} options='' words='' files='' i\n"
			 "\tlocal folders='' list='' before=''\n\n"
			 "\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
			 "\t\tmapfile -t COMPREPLY < <(compgen -W '--help --version ");
	out_words(out, wk_command_choice);
	wk_out_text(out, "' -- \"$cur\")\n\t\treturn\n\tfi\n"
			 "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
			 "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
			 "\t\t\tCOMP_WORDS=(\"${COMP_WORDS[@]:i+1}\")\n"
			 "\t\t\tCOMP_CWORD=$((COMP_CWORD - i - 1))\n"
			 "\t\t\tif ((COMP_CWORD == 0)); then\n"
			 "\t\t\t\tmapfile -t COMPREPLY < <(compgen -c -f -- \"$cur\")\n"
			 "\t\t\telse\n"
			 "\t\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
			 "\t\t\tfi\n\t\t\treturn\n\t\tfi\n\tdone\n"
			 "\tcase \"$cmd $prev\" in\n");
	for (size_t i = 0; wk_commands[i]; i++)
		each_option(out, wk_commands[i], bash_value);
	wk_out_text(out, "\t*)\n\t\tcase $cmd in\n");
	for (size_t i = 0; wk_commands[i]; i++)
		bash_words(out, wk_commands[i]);
	wk_out_text(out, "\t\tesac ;;\n\tesac\n"
			 "\tif [[ $cur == -* ]]; then words=$options files=''; fi\n"
			 "\t# Of a list with commas only the last piece is completed.\n"
			 "\tif [[ $list ]]; then before=${cur%\"${cur##*[,+]}\"}; fi\n"
			 "\tmapfile -t COMPREPLY < <(\n"
			 "\t\tcompgen -P \"$before\" -W \"$words\" -- \"${cur#\"$before\"}\"\n"
			 "\t\t[[ $folders ]] && compgen -d -- \"$cur\"\n"
			 "\t\t[[ $files ]] && compgen -f -- \"$cur\")\n}\n"
			 "complete -o filenames -F _wick wick\n"
			 "# `cargo-wick` by itself, and as cargo starts it, is `wick cargo`.\n"
			 "_cargo_wick()\n{\n"
			 "\tlocal skip=1\n\n"
			 "\tif [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == wick ]]; then\n"
			 "\t\tskip=2\n\tfi\n"
			 "\tCOMP_WORDS=(wick cargo \"${COMP_WORDS[@]:skip}\")\n"
			 "\tCOMP_CWORD=$((COMP_CWORD - skip + 2))\n"
			 "\t_wick\n}\n"
			 "complete -o filenames -F _cargo_wick cargo-wick\n");
}

/* zsh: _arguments reads the tables nearly as they are. */

/* Inside a single-quoted zsh specification. */
static void zsh_escaped(struct wk_out *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			wk_out_text(out, "'\\''");
		else if (strchr("[]:\\", *text))
			wk_out_fmt(out, "\\%c", *text);
		else
			wk_out_char(out, *text);
	}
}

static void zsh_form(struct wk_out *out, const struct wk_opt *opt, bool is_long)
{
	wk_out_text(out, "\t\t\t'*");
	if (is_long)
		wk_out_fmt(out, "--%s%s[", opt->name, opt->argument ? "=" : "");
	else
		wk_out_fmt(out, "-%c%s[", opt->letter, opt->argument ? "+" : "");
	zsh_escaped(out, opt->help);
	wk_out_char(out, ']');
	if (opt->argument) {
		wk_out_char(out, ':');
		zsh_escaped(out, opt->argument);
		wk_out_char(out, ':');
		out_value(out, opt, value_of(opt)->zsh);
	}
	wk_out_text(out, "' \\\n");
}

static void zsh_option(struct wk_out *out, const struct wk_command *command,
		       const struct wk_opt *opt)
{
	(void)command;
	if (opt->letter)
		zsh_form(out, opt, false);
	zsh_form(out, opt, true);
}

static void zsh_rest(struct wk_out *out, const struct wk_command *command)
{
	if (command->words == WK_WORD_PROGRAM) {
		wk_out_text(out, "\t\t\t'(-)*:: :_normal'");
	} else if (command->words == WK_WORD_FILE) {
		wk_out_text(out, "\t\t\t'*:file:_files'");
	} else if (command->choice) {
		/* The file is optional: the first word is either. */
		if (takes_files(command)) {
			wk_out_text(out, "\t\t\t'1:file or table:{_files; compadd ");
			out_words(out, command->choice);
			wk_out_text(out, "}' \\\n");
		}
		wk_out_fmt(out, "\t\t\t'%c:what:(", takes_files(command) ? '2' : '1');
		out_words(out, command->choice);
		wk_out_text(out, ")'");
	} else {
		wk_out_text(out, "\t\t\t'*: :'");
	}
	wk_out_text(out, " ;;\n");
}

static void zsh(struct wk_out *out)
{
	wk_out_text(out, "#compdef wick cargo-wick\n"
			 "# wick's completion for zsh, printed by `wick completion zsh`.\n"
			 "_wick()\n{\n\tlocal -a commands=(\n");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, "\t\t'%s:", wk_commands[i]->name);
		zsh_escaped(out, wk_commands[i]->summary);
		wk_out_text(out, "'\n");
	}
	wk_out_text(out, "\t)\n\tif [[ $service == cargo-wick ]]; then\n"
			 "\t\twords=(wick cargo \"${(@)words[2,-1]}\")\n\t\t((CURRENT++))\n\tfi\n"
			 "\tif ((CURRENT == 2)); then\n"
			 "\t\t_describe command commands\n\t\treturn\n\tfi\n"
			 "\tlocal command=$words[2]\n"
			 "\tshift words\n\t((CURRENT--))\n"
			 "\tcase $command in\n");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, "\t%s)\n\t\t_arguments -s -S \\\n\t\t\t'--help[print this]' \\\n",
			   wk_commands[i]->name);
		each_option(out, wk_commands[i], zsh_option);
		zsh_rest(out, wk_commands[i]);
	}
	wk_out_text(out, "\tesac\n}\n"
			 "if [[ $funcstack[1] == _wick ]]; then\n\t_wick \"$@\"\nelse\n"
			 "\tcompdef _wick wick cargo-wick\nfi\n");
}

/* fish: one `complete` line an option. */

static void fish_quoted(struct wk_out *out, const char *text)
{
	wk_out_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			wk_out_char(out, '\\');
		wk_out_char(out, *text);
	}
	wk_out_char(out, '\'');
}

static void fish_option(struct wk_out *out, const struct wk_command *command,
			const struct wk_opt *opt)
{
	wk_out_fmt(out, "complete -c wick -n '__fish_seen_subcommand_from %s' -l %s", command->name,
		   opt->name);
	if (opt->letter)
		wk_out_fmt(out, " -s %c", opt->letter);
	if (opt->argument)
		out_value(out, opt, value_of(opt)->fish);
	wk_out_text(out, " -d ");
	fish_quoted(out, opt->help);
	wk_out_char(out, '\n');
}

static void fish_words(struct wk_out *out, const struct wk_command *command)
{
	const char *from = "complete -c wick -n '__fish_seen_subcommand_from";

	if (takes_files(command))
		wk_out_fmt(out, "%s %s' -F\n", from, command->name);
	if (command->words == WK_WORD_PROGRAM)
		wk_out_fmt(out, "%s %s' -a '(__fish_complete_subcommand)'\n", from, command->name);
	if (command->choice) {
		wk_out_fmt(out, "%s %s' -a '", from, command->name);
		out_words(out, command->choice);
		wk_out_text(out, "'\n");
	}
}

static void fish(struct wk_out *out)
{
	wk_out_text(out, "# wick's completion for fish, printed by `wick completion fish`.\n"
			 "complete -c wick -f\n"
			 "complete -c wick -l help -s h -d 'print help'\n"
			 "complete -c wick -n __fish_use_subcommand -l version -s V "
			 "-d 'print the version'\n");
	for (size_t i = 0; wk_commands[i]; i++) {
		wk_out_fmt(out, "complete -c wick -n __fish_use_subcommand -a %s -d ",
			   wk_commands[i]->name);
		fish_quoted(out, wk_commands[i]->summary);
		wk_out_char(out, '\n');
	}
	for (size_t i = 0; wk_commands[i]; i++) {
		each_option(out, wk_commands[i], fish_option);
		fish_words(out, wk_commands[i]);
	}
	wk_out_text(out, "complete -c cargo-wick --wraps 'wick cargo'\n");
}

static const struct {
	struct wk_choice choice;
	void (*print)(struct wk_out *out);
} shells[] = {
	{ { "bash", "source it, or put it into the folder of bash-completion" }, bash },
	{ { "zsh", "save it as _wick in a folder of $fpath" }, zsh },
	{ { "fish", "save it as wick.fish in ~/.config/fish/completions" }, fish },
	{ { 0 }, NULL },
};

static struct wk_choice shell_choice(size_t index)
{
	return shells[index].choice;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const char *wanted = call->words->count == 1 ? call->words->at[0] : "";

	for (size_t i = 0; shells[i].print; i++) {
		if (strcmp(wanted, shells[i].choice.word) == 0) {
			shells[i].print(call->out);
			return WK_EXIT_DONE;
		}
	}
	if (*wanted)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no completion for \"%s\"; there is one for bash, zsh and fish", wanted);
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "completion needs a shell: bash, zsh or fish");
	return WK_EXIT_USAGE;
}

const struct wk_command wk_cmd_completion = {
	.name = "completion",
	.summary = "print completion for a shell: bash, zsh or fish",
	.usage = (const char *const[]){ "SHELL", NULL },
	.description = (const char *const[]){
		"Prints a script that completes wick's commands, options and arguments in a shell. "
		"`./do install` installs it for all three.", NULL },
	.examples = (const struct wk_example[]){
		{ "source <(wick completion bash)", "enable completion in this shell" },
		{ "wick completion fish > ~/.config/fish/completions/wick.fish",
		  "enable completion in every fish" },
		{ 0 } },
	.words = WK_WORD_CHOICE,
	.choices_title = "Shells",
	.choice = shell_choice,
	.run = run,
};
