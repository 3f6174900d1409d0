#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "cli/command.h"
#include "cli/naming.h"
#include "cli/symbolize.h"
#include "cli/terminal.h"
#include "cli/typed_address.h"
#include "os/os.h"
#include "symbols/elf.h"

#define PAGE_BYTES 4096
#define READ_BYTES (64 * 1024)

/* A line that is longer holds no address that anybody asks for. */
#define MOST_LINE_BYTES (64 * 1024)

struct args {
	const char *image, *section;
	bool addresses, functions, inlines, demangle, basenames, pretty, columns;
	bool no_functions, no_demangle;
	struct wk_load_args load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	{ 'e', "exe", "IMAGE", "the program, library or debug file that the addresses are of "
	  "(a.out)", WK_OPT_TEXT, AT(image), NULL },
	{ 'j', "section", "NAME", "addresses count from the begin of this section", WK_OPT_TEXT,
	  AT(section), NULL },
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

/* Files whose addresses are not yet, or not at all, those of a program. */
static void tell_unfit(const char *path, const struct wk_elf *elf)
{
	bool is_split = wk_elf_section(elf, ".debug_info.dwo") != NULL;
	struct wk_buf text = { 0 };

	if (is_split && !wk_elf_section(elf, ".debug_info"))
		wk_buf_add_fmt(&text, "%s is a piece of a program's debug information and knows no "
			       "addresses; give -e the program, from which it is found", path);
	else if (elf->type == WK_ET_REL)
		wk_buf_add_fmt(&text, "%s is not linked: its addresses are not final, and wick "
			       "reads no lines of it; ask of what it is linked into", path);
	if (text.len)
		wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

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
	} else {
		tell_unfit(path, wk_image_elf(image));
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
	const char *image; /* as typed: -e, or the first word; NULL: a.out */
	struct wk_answers *answers;
	struct wk_out *out;
	struct images images;
	const struct wk_image_symbols *usual; /* of lines that name no image */
	bool has_usual;
	bool has_words; /* not lines of standard input */
	bool said_nonsense, said_outside;
	struct wk_question *questions; /* read and not answered yet */
	size_t question_count, question_cap;
};

static const char *usual_path(const struct asking *asking)
{
	return asking->image ? asking->image : "a.out";
}

static const struct wk_image_symbols *usual_image(struct asking *asking)
{
	if (!asking->has_usual) {
		asking->has_usual = true;
		asking->usual = image_of(&asking->images, wk_str_c(usual_path(asking)));
	}
	return asking->usual;
}

static void tell_nonsense(struct asking *asking, struct wk_str line)
{
	struct wk_buf text = { 0 };

	if (asking->said_nonsense)
		return;
	asking->said_nonsense = true;
	if (line.len > 200)
		line.len = 200;
	wk_buf_add_fmt(&text, "\"%.*s\" is no address and no %s", WK_STR_ARG(line),
		       asking->has_words ? "function of the image" :
		       "IMAGE ADDRESS; such lines are answered with ??");
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

/* A function's address by its name as linked. */
struct named {
	struct wk_str name;
	uint64_t vaddr;
	bool is_found;
};

static bool take_named(void *context, const struct wk_elf_symbol *symbol)
{
	struct named *named = context;

	if (symbol->is_plt || !wk_str_eq(symbol->name, named->name))
		return true;
	named->vaddr = symbol->vaddr;
	named->is_found = true;
	return false;
}

static bool find_named(const struct wk_image_symbols *image, struct wk_str name, uint64_t *vaddr)
{
	struct named named = { .name = name };

	if (image)
		wk_elf_each_symbol(wk_image_elf(image), take_named, &named);
	if (image && !named.is_found && wk_image_debug_elf(image))
		wk_elf_each_symbol(wk_image_debug_elf(image), take_named, &named);
	*vaddr = named.vaddr;
	return named.is_found;
}

static bool is_file(struct wk_str path)
{
	struct wk_buf text = { 0 };
	bool is_there;

	wk_buf_add_str(&text, path);
	is_there = path.len > 0 && wk_os_is_there(wk_buf_text(&text));
	wk_buf_fini(&text);
	return is_there;
}

/* "app+0x10" is an image's where a file is called so, "main+0x10" is a function's. */
static void tell_apart(const struct asking *asking, struct wk_typed_address *typed)
{
	bool is_usual = asking->image &&
			wk_str_eq(wk_str_basename(wk_str_c(asking->image)), typed->function);

	if (!typed->may_be_image || typed->function.len == 0)
		return;
	if (is_usual) {
		typed->function.len = 0;
	} else if (!asking->image && is_file(typed->function)) {
		typed->image = typed->function;
		typed->function.len = 0;
	}
}

/* Whole pages are mapped, whatever of the last is used. */
static bool covers(const struct wk_elf *elf, uint64_t vaddr)
{
	bool has_segments = false;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct wk_elf_segment *segment = &elf->segments[i];

		if (segment->type != WK_PT_LOAD)
			continue;
		has_segments = true;
		if (vaddr >= segment->vaddr && (vaddr - segment->vaddr) / PAGE_BYTES <=
						       segment->memory_size / PAGE_BYTES)
			return true;
	}
	return !has_segments;
}

static void tell_outside(struct asking *asking, const struct wk_image_symbols *image,
			 uint64_t vaddr)
{
	struct wk_buf text = { 0 };

	if (asking->said_outside || !image || covers(wk_image_elf(image), vaddr))
		return;
	asking->said_outside = true;
	wk_buf_add_fmt(&text, "0x%" PRIx64
		       " is outside of this file; take away where it was loaded", vaddr);
	wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

static bool place_of(struct asking *asking, const struct wk_image_symbols *image,
		     const struct wk_typed_address *typed, uint64_t *vaddr)
{
	const struct wk_elf_section *section = NULL;
	uint64_t begin = 0;

	if (typed->function.len && !find_named(image, typed->function, &begin))
		return false;
	if (asking->args->section && image && !typed->function.len)
		section = wk_elf_section(wk_image_elf(image), asking->args->section);
	*vaddr = begin + typed->offset + (section ? section->vaddr : 0);
	tell_outside(asking, image, *vaddr);
	return true;
}

/* Every line gets an answer, so that whoever asks knows which is to which. False where it was
 * nonsense. */
static bool read_line(struct asking *asking, struct wk_str line)
{
	const struct wk_image_symbols *image = NULL;
	struct wk_typed_address typed;
	uint64_t vaddr = 0;
	bool ok = wk_typed_address_read(line, &typed);

	if (ok) {
		tell_apart(asking, &typed);
		if (typed.image.len)
			image = image_of(&asking->images, typed.image);
		else if (!typed.function.len || asking->image || is_file(wk_str_c("a.out")))
			image = usual_image(asking);
		ok = place_of(asking, image, &typed, &vaddr);
	}
	if (!ok && line.len)
		tell_nonsense(asking, line);
	add_question(asking, ok ? image : NULL, vaddr);
	return ok && image;
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

/* What of the lines read so far is to be kept. Of a line that is too long the rest is passed over:
 * a line is one question. */
struct input {
	struct wk_buf text;
	bool passes_over;
};

static void take_text(struct asking *asking, struct input *input)
{
	struct wk_buf *text = &input->text;
	const char *newline = text->len ? memchr(text->at, '\n', text->len) : NULL;
	size_t done = 0;

	if (input->passes_over && newline) {
		done = (size_t)(newline - text->at) + 1;
		input->passes_over = false;
	}
	if (!input->passes_over)
		done += read_lines(asking, wk_str_of(text->at + done, text->len - done));
	if (done > 0 && done < text->len)
		memmove(text->at, text->at + done, text->len - done);
	text->len -= done;
	if (text->len > MOST_LINE_BYTES && !input->passes_over) {
		read_line(asking, wk_str_of(text->at, MOST_LINE_BYTES));
		input->passes_over = true;
	}
	if (input->passes_over)
		wk_buf_reset(text);
}

/* Whoever asks may wait for the answer before asking on: all of it is written before more is
 * read. */
static bool answer_input(struct asking *asking, struct wk_err *err)
{
	struct input input = { 0 };
	struct wk_buf *text = &input.text;
	ssize_t got = 1;

	while (got > 0 && !asking->out->failed) {
		got = read(STDIN_FILENO, wk_buf_extend(text, READ_BYTES), READ_BYTES);
		text->len -= READ_BYTES - (size_t)(got > 0 ? got : 0);
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		take_text(asking, &input);
		answer_questions(asking);
		wk_out_flush(asking->out);
	}
	if (got < 0)
		wk_fail_os(err, errno, "cannot read standard input");
	else if (text->len)
		read_line(asking, wk_buf_str(text));
	answer_questions(asking);
	wk_buf_fini(text);
	return got >= 0;
}

static const char *word_at(const struct wk_words *words, size_t i)
{
	return i < words->count ? words->at[i] : words->rest[i - words->count];
}

/* How many of the words were no addresses. */
static size_t answer_words(struct asking *asking, const struct wk_words *words, size_t first)
{
	size_t wrong = 0;

	asking->has_words = true;
	for (size_t i = first; i < words->count + words->rest_count; i++) {
		asking->said_nonsense = false; /* each is told of: there are few */
		wrong += !read_line(asking, wk_str_c(word_at(words, i)));
	}
	answer_questions(asking);
	return wrong;
}

/* Without -e the first word may be the image, as in a line of standard input. */
static bool is_image_word(const struct args *args, const struct wk_words *words)
{
	const char *word;

	if (args->image || words->count + words->rest_count == 0)
		return false;
	word = word_at(words, 0);
	return !wk_typed_address_is_plain(wk_str_c(word)) && wk_os_is_there(word);
}

/* An image that was named must be there. Without one, lines of standard input may name theirs. */
static bool check_usual(struct asking *asking, bool has_words, struct wk_err *err)
{
	const char *path = usual_path(asking);

	if (!asking->image && !has_words)
		return true;
	asking->has_usual = true;
	asking->usual = open_image(&asking->images, path, err);
	if (!asking->usual && !asking->image && err && err->code == WK_ENOTFOUND) {
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the addresses of which image? Say -e IMAGE (there is no a.out here)");
	}
	if (asking->usual && asking->args->section &&
	    !wk_elf_section(wk_image_elf(asking->usual), asking->args->section))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s has no section %s", path,
			       asking->args->section);
	return asking->usual != NULL;
}

/* Addresses alone are of an image that must be there; others may name theirs. */
static bool wants_usual(const struct wk_words *words, size_t first)
{
	return first < words->count + words->rest_count &&
	       wk_typed_address_is_plain(wk_str_c(word_at(words, first)));
}

static bool answer(struct asking *asking, const struct wk_words *words, size_t *wrong,
		   struct wk_err *err)
{
	size_t first = is_image_word(asking->args, words);

	asking->image = first ? word_at(words, 0) : asking->args->image;
	if (!check_usual(asking, wants_usual(words, first), err))
		return false;
	if (words->count + words->rest_count == first)
		return answer_input(asking, err);
	*wrong = answer_words(asking, words, first);
	return true;
}

/* Who asks another machine wants to know where it did not help. */
static void tell_unnamed(const char *path, const struct wk_image_symbols *image)
{
	const char *why = image ? wk_image_places_reason(image) : NULL;
	struct wk_buf text = { 0 };

	if (!why || wk_str_starts(wk_str_c(why), "lines and inlined calls from"))
		return;
	wk_buf_add_fmt(&text, "%s: %s; %s", path, why, wk_image_reason(image));
	wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

/* Once an image, and only if somebody was asked for by name. */
static void tell_what_failed(const struct asking *asking)
{
	const struct wk_remote_args *remote = &asking->args->load.remote;
	const struct images *images = &asking->images;

	if (remote->offline || !(remote->servers.count || remote->debuginfod))
		return;
	tell_unnamed(usual_path(asking), asking->usual);
	for (size_t i = 1; i < images->count; i++)
		if (images->rows[i] != asking->usual)
			tell_unnamed(wk_strtab_get(images->paths, (uint32_t)i), images->rows[i]);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	size_t wrong = 0;
	bool ok = false;
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
		ok = answer(&asking, call->words, &wrong, err);
		tell_what_failed(&asking);
		images_fini(&asking.images);
		free(asking.questions);
		wk_answers_free(asking.answers);
	}
	wk_naming_close(&naming);
	if (!ok)
		return wk_exit_code(err);
	return wrong ? WK_EXIT_FAILED : WK_EXIT_DONE;
}

const struct wk_command wk_cmd_symbolize = {
	.name = "symbolize",
	.summary = "say which function and line an address is",
	.usage = (const char *const[]){ "[OPTION...] [-e IMAGE] [ADDRESS...]",
					"[OPTION...] IMAGE [ADDRESS...]", NULL },
	.description = (const char *const[]){
		"Prints for each ADDRESS of IMAGE the function, and then its file and line, as "
		"`addr2line -f -i -C` does: of calls that the compiler inlined, the innermost "
		"first, each followed by the function that it was inlined into. What is not known "
		"is ?? and ??:0.",
		"Addresses are hexadecimal, with or without 0x, and count as the image's own "
		"tables do, not as it was loaded. FUNCTION+0x10 is taken too, and what a backtrace "
		"prints: IMAGE+0x22f0, IMAGE(+0x22f0), IMAGE(FUNCTION+0x10) [0x55d0c0de]. Without "
		"any they are read from standard input, one a line; a line may also be IMAGE "
		"ADDRESS. Each line is answered before the next is waited for.",
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
	.exit_note = "1, too, where a word is no address: the others are answered nevertheless, "
		     "and it with ??.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
