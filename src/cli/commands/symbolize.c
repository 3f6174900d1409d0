#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "session/symbolize/questions.h"
#include "session/symbolize/typed_address.h"
#include "session/symbolizer.h"

struct args {
	const char *image, *section;
	bool addresses, functions, inlines, demangle, basenames, pretty, columns, json;
	bool no_functions, no_demangle;
	struct wk_naming_options naming;
	bool no_inlined;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	WK_TEXT('e', "exe", "IMAGE", "the program, library or debug file that contains the "
	  "addresses [default: a.out]", AT(image)),
	WK_TEXT('j', "section", "NAME", "count addresses from the start of this section",
	  AT(section)),
	WK_FLAG('a', "addresses", "print each address before its result", AT(addresses)),
	WK_FLAG('s', "basenames", "print files without directories", AT(basenames)),
	WK_FLAG('p', "pretty-print", "print one line for each function", AT(pretty)),
	WK_FLAG(0, "columns", "print columns as well: file:line:column", AT(columns)),
	WK_FLAG(0, "json", "print one JSON object per line for each address; ignores -a, -p and "
	  "--columns", AT(json)),
	WK_FLAG(0, "no-functions", "print files and lines only", AT(no_functions)),
	WK_FLAG(0, "no-inline", "print only the outermost function, not the calls inlined into it",
	  AT(no_inlined)),
	WK_FLAG(0, "no-demangle", "print mangled names", AT(no_demangle)),
	WK_FLAG('f', "functions", "accepted for compatibility with addr2line, as are -i and -C: "
	  "always on", AT(functions)),
	WK_FLAG('i', "inlines", "accepted for compatibility: always on", AT(inlines)),
	WK_FLAG('C', "demangle", "accepted for compatibility: always on", AT(demangle)),
	{ 0 },
};

/* "./app", "/usr/lib/a.so" and "app.pdb"; names of functions can contain slashes as well. */
static bool is_path(const char *typed)
{
	static const char *const begins[] = { "/", "./", "../", NULL };
	static const char *const ends[] = { ".exe", ".dll", ".sys", ".pdb", ".so" };
	struct wk_str word = wk_str_c(typed);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (wk_str_ends(word, ends[i]))
			return true;
	return wk_str_starts_one_of(word, begins) && !strpbrk(typed, "+( ");
}

/* Without -e the first word can be the image, as in a line of standard input. A word such as "a"
 * can be an address as well, of the default image if that exists. */
static bool is_image_word(const struct args *args, const char *const *words)
{
	uint64_t address;

	if (args->image || !words[0])
		return false;
	if (wk_typed_address_is_plain(wk_str_c(words[0]), &address) &&
	    (!words[1] || wk_os_is_there("a.out")))
		return false;
	return wk_os_is_there(words[0]) || is_path(words[0]);
}

/* Plain addresses need the default image; others can name theirs. Counts the words that are not
 * addresses. */
static bool answer(struct wk_asking *asking, const char *const *words, size_t *wrong,
		   struct wk_err *err)
{
	uint64_t address;
	bool wants_usual = words[0] && wk_typed_address_is_plain(wk_str_c(words[0]), &address);

	if (!wk_asking_check(asking, wants_usual, err))
		return false;
	if (!words[0]) {
		if (wk_os_is_terminal(STDIN_FILENO))
			wk_say("reading addresses from standard input; Ctrl-D ends it");
		return wk_asking_lines(asking, STDIN_FILENO, err);
	}
	for (; *words; words++)
		*wrong += !wk_asking_word(asking, wk_str_c(*words));
	wk_asking_answer(asking);
	return true;
}

/* Whether a server was selected, so that it is worth reporting what it does not have. */
static bool asks_others(const struct wk_symbol_source_options *remote)
{
	return !remote->offline && (remote->servers.count || remote->debuginfod);
}

static bool symbolize(const struct args *args, const struct wk_call *call,
		      struct wk_symbols *symbols, size_t *wrong, struct wk_err *err)
{
	const char **words = wk_words_paths(call->words);
	bool has_image = is_image_word(args, words);
	struct wk_answer_style style = {
		.shows_address = args->addresses,
		.no_functions = args->no_functions,
		.no_inlined = args->no_inlined,
		.no_demangle = args->no_demangle,
		.basenames = args->basenames,
		.columns = args->columns,
		.pretty = args->pretty,
		.json = args->json,
	};
	struct wk_asking asking = {
		.image = has_image ? words[0] : args->image,
		.section = args->section,
		.tells_in_answers = args->json,
		.out = call->out,
		.answers = wk_answers_new(&style, call->out),
	};
	bool ok;

	wk_image_list_init(&asking.images, symbols, &wk_cli_messages);
	ok = answer(&asking, words + has_image, wrong, err);
	if (asks_others(&args->naming.remote))
		wk_image_list_report_unnamed(&asking.images);
	else
		wk_image_list_report_stripped(&asking.images, asking.answers);
	wk_answers_free(asking.answers);
	wk_asking_fini(&asking);
	wk_free(words);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	size_t wrong = 0;
	bool ok = false;
	struct wk_symbolizer symbolizer;
	struct wk_symbols *symbols =
		wk_symbolizer_open(&symbolizer, &args->naming, &wk_cli_messages, err);

	if (symbols)
		ok = symbolize(args, call, symbols, &wrong, err);
	wk_symbolizer_close(&symbolizer);
	if (!ok)
		return wk_exit_code(err);
	return wrong ? WK_EXIT_FAILED : WK_EXIT_DONE;
}

const struct wk_command wk_cmd_symbolize = {
	.name = "symbolize",
	.summary = "print the function and source line of addresses",
	.usage = (const char *const[]){ "[OPTION...] [-e IMAGE] [ADDRESS...]",
					"[OPTION...] IMAGE [ADDRESS...]", NULL },
	.description = (const char *const[]){
		"Prints the function of each ADDRESS in IMAGE, and then its file and line, as "
		"`addr2line -f -i -C` does. Inlined calls are printed first, the innermost at the "
		"top. Unknown functions print as ?? and ??:0; known functions without line "
		"information as ??:?.",
		"Addresses are hexadecimal, with or without 0x, and are those of the file, not of "
		"a running process. For a Windows binary they may be relative to its image base; "
		"for a PDB they always are. Accepted as well are FUNCTION+0x10 and entries of a "
		"backtrace: IMAGE+0x22f0, IMAGE(+0x22f0), IMAGE(FUNCTION+0x10) [0x55d0c0de]. "
		"Without an ADDRESS, wick reads lines from standard input, each ADDRESS or IMAGE "
		"ADDRESS. It answers each line before it reads the next.",
		"Functions, inlined calls and demangled names are always printed; -f, -i and -C "
		"change nothing. Lines come from debug information in the image or in a separate "
		"debug file. Without it, functions come from the symbol table.",
		"--json prints an object for each address: `asked` as typed, `address`, `image`, "
		"`frames` from the innermost (`function`, `file`, `line`, `column`, and whether it "
		"was `inlined` into the next), and `error` if nothing is known. Unknown values are "
		"null.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 },
		{ &wk_naming_group, AT(naming) },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick symbolize -e ./server 0x41f3a0 0x41f3c4", "look up two addresses" },
		{ "wick symbolize -e ./server -a -p < addresses", "look up a file of addresses, "
		  "one output line each" },
		{ "wick symbolize -e ./server --json 0x41f3a0 | jq .frames[0]", "print JSON for "
		  "another program" },
		{ "echo './libparse.so 0x1139' | wick symbolize", "name the image on each line" },
		{ 0 } },
	.exit_note = "1 if an argument is not an address; the other addresses are printed, and it "
		     "prints as ??.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
