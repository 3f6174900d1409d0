/* Makes a recording portable: unwound, and with the names of everything that was sampled. */
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/pack.h"

struct args {
	const char *output;
	bool quiet;
	struct wk_open_options load;
};

static const struct wk_opt options[] = {
	WK_TEXT('o', "output", "FILE", "write to FILE; \"-\" is standard output [default: the "
	  "input's name with \"-packed\" added]", offsetof(struct args, output)),
	WK_FLAG('q', "quiet", "print errors only", offsetof(struct args, quiet)),
	{ 0 },
};

static const char *const forms[] = { "data", NULL };

/* "wick.data" becomes "wick-packed.data". */
static void packed_name(const char *path, struct wk_buf *name)
{
	struct wk_str whole = wk_str_c(strcmp(path, "-") == 0 ? WK_DEFAULT_RECORDING : path);
	struct wk_str base = wk_str_basename(whole);
	size_t dot = base.len;

	while (dot > 1 && base.at[dot - 1] != '.')
		dot--;
	dot = dot > 1 ? dot - 1 : base.len;
	wk_buf_add(name, whole.at, whole.len - base.len + dot);
	wk_buf_add_text(name, "-packed");
	wk_buf_add_str(name, wk_str_skip(base, dot));
}

static void say_stacks(const struct wk_packed *packed)
{
	const struct wk_unwind_counts *stacks = &packed->stacks;
	uint64_t all = stacks->whole + stacks->cut + stacks->broken + stacks->kept;
	struct wk_buf words = { 0 };

	if (stacks->kept == 0)
		return;
	wk_num_add_grouped(&words, stacks->kept);
	wk_buf_add_text(&words, " of ");
	wk_num_add_grouped(&words, all);
	wk_buf_add_fmt(&words,
		       " stacks could not be unwound: %s; the file contains their copies, which "
		       "can be unwound where the missing file is (--symbol-server FOLDER)",
		       wk_buf_text(&packed->missing));
	wk_warn_buf(&wk_cli_messages, &words);
}

static void say_names(const struct wk_packed *packed)
{
	const struct wk_embed_counts *names = &packed->names;
	struct wk_buf words = { 0 };

	if (names->unnamed == 0)
		return;
	wk_num_add_grouped(&words, names->unnamed);
	wk_buf_add_text(&words, " of ");
	wk_num_add_grouped(&words, names->addresses);
	wk_buf_add_text(&words, " addresses have no name");
	if (packed->nameless.len) { /* the reason itself went with the symbols */
		wk_buf_add_text(&words, names->of_reason == names->unnamed ? ": " : "; ");
		if (names->of_reason != names->unnamed) {
			wk_num_add_grouped(&words, names->of_reason);
			wk_buf_add_text(&words, " of them: ");
		}
		wk_buf_add_text(&words, wk_buf_text(&packed->nameless));
	}
	wk_warn_buf(&wk_cli_messages, &words);
}

static void say_done(const char *input, const char *output, const struct wk_packed *packed)
{
	struct wk_buf words = { 0 };

	wk_buf_add_fmt(&words, "packed %s into %s, ",
		       strcmp(input, "-") == 0 ? "standard input" : input,
		       strcmp(output, "-") == 0 ? "standard output" : output);
	wk_num_add_bytes(&words, packed->bytes);
	if (packed->names.addresses && packed->names.emitted == 0 && packed->names.unnamed == 0)
		wk_buf_add_text(&words, "; nothing was added, because all names were there");
	wk_warn_buf(&wk_cli_messages, &words);
	say_stacks(packed);
	say_names(packed);
}

/* The default output does not replace a file. */
static bool is_free(const char *output, struct wk_err *err)
{
	return !wk_os_is_there(output) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "%s exists already; overwrite it with -o %s, or choose another name", output,
		       output);
}

struct output_check {
	const char *path, *output;
	const struct wk_call *call;
};

static bool allow_output(void *context, struct wk_err *err)
{
	const struct output_check *check = context;
	const char *output = check->output;

	if (strcmp(output, "-") == 0 && wk_os_is_terminal(STDOUT_FILENO))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a recording is binary and is not written to a terminal; use -o "
			       "FILE or a pipe");
	return wk_output_allow(output, (const char *const[]){ check->path, NULL }, forms, check->call,
			       err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *path = wk_input_path(call->words, err), *output = args->output;
	struct wk_buf name = { 0 };
	struct wk_packed packed = { 0 };
	bool ok = true;

	if (!path)
		return wk_exit_code(err);
	if (!output) {
		packed_name(path, &name);
		output = wk_buf_text(&name);
		ok = is_free(output, err);
	}
	ok = ok && wk_pack(path, output, args->load.format, &args->load.naming,
			   &(struct wk_pack_check){ allow_output,
						    &(struct output_check){ path, output, call } },
			   &wk_cli_messages, &packed, err);
	if (ok && !args->quiet)
		say_done(path, output, &packed);
	wk_packed_fini(&packed);
	wk_buf_fini(&name);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_pack = {
	.name = "pack",
	.summary = "make a recording that opens with all its names on another machine",
	.usage = (const char *const[]){ "[OPTION...] [FILE]", NULL },
	.description = (const char *const[]){
		"Reads a perf.data recording (by wick or perf) [default: wick.data], unwinds its "
		"stacks and writes a new file that contains the names, inlined calls and source "
		"lines of all samples. The new file needs no program, library or debug file of "
		"this machine. It is an ordinary perf.data file as well.",
		"If a binary is missing, stacks through it are copied unchanged, so that they can "
		"be unwound on a machine that has it. wick reports how many, and what has no name.",
		"Recordings by `wick record` contain these names already, unless it ran with "
		"--no-embed; pack adds only those that are missing, such as of debug packages "
		"installed since.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick pack", "write wick-packed.data" },
		{ "wick pack perf.data -o for-a-friend.data", "pack a recording made by perf" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
