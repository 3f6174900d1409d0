#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "cli/command.h"
#include "cli/naming.h"
#include "cli/symbolize.h"
#include "cli/terminal.h"
#include "os/os.h"

#define READ_BYTES (64 * 1024)

/* A line that is longer holds no address that anybody asks for. */
#define MOST_LINE_BYTES (64 * 1024)

struct args {
	const char *image;
	bool addresses, functions, inlines, demangle, basenames, pretty, columns;
	bool no_functions, no_demangle;
	struct wk_load_args load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	{ 'e', "exe", "IMAGE", "the program, library or debug file that the addresses are of "
	  "(a.out)", WK_OPT_TEXT, AT(image), NULL },
	{ 'a', "addresses", NULL, "print each address before its answer", WK_OPT_FLAG,
	  AT(addresses), NULL },
	{ 's', "basenames", NULL, "files without their directories", WK_OPT_FLAG, AT(basenames),
	  NULL },
	{ 'p', "pretty-print", NULL, "one line for each function", WK_OPT_FLAG, AT(pretty), NULL },
	{ 0, "columns", NULL, "the column, too: file:line:column", WK_OPT_FLAG, AT(columns),
	  NULL },
	{ 0, "no-functions", NULL, "files and lines only", WK_OPT_FLAG, AT(no_functions), NULL },
	{ 0, "no-inline", NULL, "only the function that the machine ran, not the calls that were "
	  "inlined into it", WK_OPT_FLAG, AT(load.no_inlined), NULL },
	{ 0, "no-demangle", NULL, "names as they are linked", WK_OPT_FLAG, AT(no_demangle), NULL },
	{ 'f', "functions", NULL, "as it is done anyway; so are -i and -C, for scripts that say "
	  "them to addr2line", WK_OPT_FLAG, AT(functions), NULL },
	{ 'i', "inlines", NULL, "as it is done anyway", WK_OPT_FLAG, AT(inlines), NULL },
	{ 'C', "demangle", NULL, "as it is done anyway", WK_OPT_FLAG, AT(demangle), NULL },
	{ 0 },
};

static const struct wk_opt finding[] = {
	{ 0, "debug-dir", "DIR", "look for debug files here, before /usr/lib/debug", WK_OPT_LIST,
	  AT(load.debug_dirs), NULL },
	{ 0, "debuginfod", NULL, "fetch files that are not here from the servers of "
	  "DEBUGINFOD_URLS (WICK_DEBUGINFOD=1: always)", WK_OPT_FLAG, AT(load.remote.debuginfod),
	  NULL },
	{ 0, "symbol-server", "SERVER", "fetch them from this debuginfod server, or store:URL, or "
	  "store:FOLDER (WICK_SYMBOL_SERVERS: always)", WK_OPT_LIST, AT(load.remote.servers),
	  NULL },
	{ 0, "offline", NULL, "ask no other machine, whatever the environment says", WK_OPT_FLAG,
	  AT(load.remote.offline), NULL },
	{ 0 },
};

/* --- Images -------------------------------------------------------------------------------- */

/* The images asked for, by the paths as they were typed. */
struct images {
	struct wk_symbols *symbols;
	struct wk_strtab *paths;
	struct wk_image_symbols **rows; /* by path id; NULL where it cannot be read */
	size_t count, cap;
};

static struct wk_image_symbols *open_image(struct images *images, const char *path,
					   struct wk_err *err)
{
	struct wk_image_key key = { 0 };
	struct wk_image_symbols *image;
	char *whole = realpath(path, NULL);

	if (!whole) {
		wk_fail_os(err, errno, "cannot open %s", path);
		return NULL;
	}
	key.path = wk_str_c(whole);
	image = wk_symbols_image(images->symbols, &key);
	if (!wk_image_elf(image)) {
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s", wk_image_reason(image));
		image = NULL;
	}
	free(whole);
	return image;
}

/* One that cannot be read is told of once. */
static const struct wk_image_symbols *image_of(struct images *images, struct wk_str path)
{
	uint32_t id = wk_strtab_add_str(images->paths, path);
	struct wk_err err = { 0 };

	if (id >= images->count) {
		images->rows = wk_grow(images->rows, &images->cap, id + 1u,
				       sizeof(struct wk_image_symbols *));
		images->rows[id] = open_image(images, wk_strtab_get(images->paths, id), &err);
		images->count = id + 1u;
		if (!images->rows[id])
			wk_say(err.text);
	}
	return images->rows[id];
}

static void images_init(struct images *images, struct wk_symbols *symbols)
{
	*images = (struct images){ .symbols = symbols, .paths = wk_strtab_new(), .count = 1 };
	images->rows = wk_grow(NULL, &images->cap, 1, sizeof(struct wk_image_symbols *));
	images->rows[0] = NULL;
}

static void images_fini(struct images *images)
{
	wk_strtab_free(images->paths);
	free(images->rows);
}

/* --- Questions ------------------------------------------------------------------------------ */

struct asking {
	const struct args *args;
	struct wk_answers *answers;
	struct wk_out *out;
	struct images images;
	const struct wk_image_symbols *usual; /* of lines that name no image */
	bool has_usual;
	bool said_nonsense;
	struct wk_question *questions; /* read and not answered yet */
	size_t question_count, question_cap;
};

static bool read_address(struct wk_str text, uint64_t *address)
{
	if (wk_str_starts(text, "0x") || wk_str_starts(text, "0X"))
		text = wk_str_skip(text, 2);
	return wk_num_hex(text, address);
}

static const char *usual_path(const struct asking *asking)
{
	return asking->args->image ? asking->args->image : "a.out";
}

static const struct wk_image_symbols *usual_image(struct asking *asking)
{
	if (!asking->has_usual) {
		asking->has_usual = true;
		asking->usual = image_of(&asking->images, wk_str_c(usual_path(asking)));
	}
	return asking->usual;
}

static struct wk_str trimmed(struct wk_str text)
{
	while (text.len && strchr(" \t\r", text.at[0]))
		text = wk_str_skip(text, 1);
	while (text.len && strchr(" \t\r", text.at[text.len - 1]))
		text.len--;
	return text;
}

/* What stands before the last blank of a line: an image, perhaps in quotes, perhaps after the
 * word CODE, as llvm-symbolizer has it. */
static struct wk_str image_part(struct wk_str line)
{
	line = trimmed(line);
	if (wk_str_starts(line, "CODE "))
		line = trimmed(wk_str_skip(line, strlen("CODE ")));
	if (line.len >= 2 && line.at[0] == '"' && line.at[line.len - 1] == '"')
		line = wk_str_of(line.at + 1, line.len - 2);
	return line;
}

static void tell_nonsense(struct asking *asking, struct wk_str line)
{
	struct wk_buf text = { 0 };

	if (asking->said_nonsense)
		return;
	asking->said_nonsense = true;
	if (line.len > 200)
		line.len = 200;
	wk_buf_add_fmt(&text, "\"%.*s\" is no address and no IMAGE ADDRESS; such lines are "
		       "answered with ??", WK_STR_ARG(line));
	wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void add_question(struct asking *asking, const struct wk_image_symbols *image,
			 uint64_t address)
{
	asking->questions = wk_grow(asking->questions, &asking->question_cap,
				    asking->question_count + 1, sizeof(*asking->questions));
	asking->questions[asking->question_count++] = (struct wk_question){ image, address };
}

static void answer_questions(struct asking *asking)
{
	wk_answers_say(asking->answers, asking->questions, asking->question_count);
	asking->question_count = 0;
}

/* Every line gets an answer, so that whoever asks knows which is to which. */
static void read_line(struct asking *asking, struct wk_str line)
{
	size_t blank;
	uint64_t address = 0;

	line = trimmed(line);
	blank = line.len;
	while (blank > 0 && line.at[blank - 1] != ' ' && line.at[blank - 1] != '\t')
		blank--;
	if (!read_address(wk_str_skip(line, blank), &address)) {
		if (line.len)
			tell_nonsense(asking, line);
		add_question(asking, NULL, 0);
		return;
	}
	add_question(asking,
		     blank ? image_of(&asking->images, image_part(wk_str_of(line.at, blank)))
			   : usual_image(asking), address);
}

static size_t read_lines(struct asking *asking, struct wk_str text)
{
	const char *begin = text.at, *newline;

	while (text.len && (newline = memchr(text.at, '\n', text.len)) != NULL) {
		size_t len = (size_t)(newline - text.at);

		read_line(asking, wk_str_of(text.at, len));
		text = wk_str_skip(text, len + 1);
	}
	return (size_t)(text.at - begin);
}

/* Whoever asks may wait for the answer before asking on: all of it is written before more is
 * read. */
static bool answer_input(struct asking *asking, struct wk_err *err)
{
	struct wk_buf input = { 0 };
	ssize_t got = 1;

	while (got > 0) {
		size_t done = read_lines(asking, wk_buf_str(&input));

		memmove(input.at, input.at + done, input.len - done);
		input.len -= done;
		if (input.len > MOST_LINE_BYTES) {
			read_line(asking, wk_str_of(input.at, MOST_LINE_BYTES));
			wk_buf_reset(&input);
		}
		answer_questions(asking);
		wk_out_flush(asking->out);
		if (asking->out->failed)
			break;
		got = read(STDIN_FILENO, wk_buf_extend(&input, READ_BYTES), READ_BYTES);
		input.len -= READ_BYTES - (size_t)(got > 0 ? got : 0);
		if (got < 0 && errno == EINTR)
			got = 1;
	}
	if (got < 0)
		wk_fail_os(err, errno, "cannot read standard input");
	else if (input.len)
		read_line(asking, wk_buf_str(&input));
	answer_questions(asking);
	wk_buf_fini(&input);
	return got >= 0;
}

static bool answer_words(struct asking *asking, const struct wk_words *words, struct wk_err *err)
{
	size_t count = words->count + words->rest_count;

	for (size_t i = 0; i < count; i++) {
		const char *word = i < words->count ? words->at[i]
						    : words->rest[i - words->count];
		uint64_t address;

		if (!read_address(wk_str_c(word), &address))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "\"%s\" is no address: hexadecimal digits, with or without "
				       "0x", word);
		add_question(asking, usual_image(asking), address);
	}
	answer_questions(asking);
	return true;
}

/* An image that was named must be there. Without one, lines of standard input may name theirs. */
static bool check_usual(struct asking *asking, bool has_words, struct wk_err *err)
{
	const char *path = usual_path(asking);

	if (!asking->args->image && !has_words)
		return true;
	asking->has_usual = true;
	asking->usual = open_image(&asking->images, path, err);
	if (!asking->usual && !asking->args->image && err && err->code == WK_ENOTFOUND) {
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the addresses of which image? Say -e IMAGE (there is no a.out here)");
	}
	return asking->usual != NULL;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	bool has_words = call->words->count + call->words->rest_count > 0, ok = false;
	struct wk_answer_style style = {
		.shows_address = args->addresses,
		.no_functions = args->no_functions,
		.no_inlined = args->load.no_inlined,
		.no_demangle = args->no_demangle,
		.basenames = args->basenames,
		.columns = args->columns,
		.pretty = args->pretty,
	};
	struct asking asking = { .args = args, .out = call->out };
	struct wk_naming naming;
	struct wk_symbols *symbols = wk_naming_open(&naming, &args->load, err);

	if (symbols) {
		asking.answers = wk_answers_new(&style, call->out);
		images_init(&asking.images, symbols);
		ok = check_usual(&asking, has_words, err) &&
		     (has_words ? answer_words(&asking, call->words, err)
				: answer_input(&asking, err));
		images_fini(&asking.images);
		free(asking.questions);
		wk_answers_free(asking.answers);
	}
	wk_naming_close(&naming);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_symbolize = {
	.name = "symbolize",
	.summary = "say which function and line an address is",
	.usage = (const char *const[]){ "[OPTION...] [-e IMAGE] [ADDRESS...]", NULL },
	.description = (const char *const[]){
		"Prints for each ADDRESS of IMAGE the function, and then its file and line, as "
		"`addr2line -f -i -C` does: of calls that the compiler inlined, the innermost "
		"first, each followed by the function that it was inlined into. What is not known "
		"is ?? and ??:0.",
		"Addresses are hexadecimal, with or without 0x, and count as the image's own "
		"tables do, not as it was loaded. Without any they are read from standard input, "
		"one a line; a line may also be IMAGE ADDRESS. Each line is answered before the "
		"next is waited for.",
		"Functions, inlined calls and readable names are on, whether -f, -i and -C are "
		"given or not. Lines come from the image's debug information or from its separate "
		"debug file; without any, functions come from its table of symbols.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 },
		{ &(const struct wk_opt_group){ "Where debug files are", finding }, 0 },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick symbolize -e ./server 0x41f3a0 0x41f3c4", "two addresses" },
		{ "wick symbolize -e ./server -a -p < addresses", "many, a line each" },
		{ "echo './libparse.so 0x1139' | wick symbolize", "the image beside the address" },
		{ 0 } },
	.words = WK_WORD_NONE,
	.args_size = sizeof(struct args),
	.run = run,
};
