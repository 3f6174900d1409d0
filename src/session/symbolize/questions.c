#include "session/symbolize/questions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fetch/store.h"
#include "os/os.h"
#include "session/symbolize/address_query.h"
#include "symbols/object/elf_unlinked.h"

#define READ_BYTES      (64 * 1024)
#define MOST_LINE_BYTES (64 * 1024)

void wk_asking_fini(struct wk_asking *asking)
{
	wk_image_list_fini(&asking->images);
	wk_arena_fini(&asking->texts);
	wk_free(asking->questions);
}

static const char *usual_path(const struct wk_asking *asking)
{
	return asking->image ? asking->image : "a.out";
}

/* An image that was named must be there. Without one, questions may name theirs. */
bool wk_asking_check(struct wk_asking *asking, bool is_needed, struct wk_err *err)
{
	const char *path = usual_path(asking);
	struct wk_image_symbols *usual;

	asking->images.is_quiet = asking->tells_in_answers;
	if (!asking->image && !is_needed)
		return true;
	usual = wk_image_list_require(&asking->images, path, err);
	if (!usual && !asking->image && err && err->code == WK_ENOTFOUND) {
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the addresses need an image: add -e IMAGE (there is no a.out here)");
	}
	if (usual && asking->section && !wk_image_obj(usual))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "%s is a PDB without named sections; leave out -j and count "
			       "addresses from the image base",
			       path);
	if (usual && asking->section && !wk_obj_section(wk_image_obj(usual), asking->section))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s has no section %s", path,
			       asking->section);
	return usual != NULL;
}

static struct wk_listed_image usual_image(struct wk_asking *asking)
{
	if (!asking->has_usual) {
		asking->has_usual = true;
		asking->usual = wk_listed_image(&asking->images, wk_str_c(usual_path(asking)));
	}
	return asking->usual;
}

/* "app+0x10" is in an image if there is such a file, "main+0x10" in a function. */
static void tell_apart(const struct wk_asking *asking, struct wk_typed_address *typed)
{
	bool is_usual;

	if (!typed->may_be_image || typed->function.len == 0)
		return;
	is_usual = asking->image &&
		   wk_str_eq(wk_str_basename(wk_str_c(asking->image)), typed->function);
	if (is_usual) {
		typed->function.len = 0;
	} else if (!asking->image && wk_store_has("%.*s", WK_STR_ARG(typed->function))) {
		typed->image = typed->function;
		typed->function.len = 0;
	}
}

/* The path of the image, as typed; empty if there is none. */
static struct wk_str path_for(const struct wk_asking *asking, const struct wk_typed_address *typed)
{
	if (typed->image.len)
		return typed->image;
	if (!typed->function.len || asking->image || wk_os_is_there("a.out"))
		return wk_str_c(usual_path(asking));
	return wk_str_c("");
}

static struct wk_listed_image image_at(struct wk_asking *asking,
				       const struct wk_typed_address *typed, struct wk_str path)
{
	if (typed->image.len)
		return wk_listed_image(&asking->images, path);
	return path.len ? usual_image(asking) : (struct wk_listed_image){ 0 };
}

/* In a file that is not linked, each section begins at 0: warns once about the section chosen. */
static void report_section(struct wk_asking *asking, struct wk_image_symbols *image,
			   const struct wk_address_query *place)
{
	uint32_t count;

	if (!place->is_first_section || asking->said_section || asking->tells_in_answers)
		return;
	count = wk_elf_code_count(wk_image_obj(image), place->shown);
	if (count < 2)
		return;
	asking->said_section = true;
	wk_warn_fmt(asking->images.messages,
		    "0x%" PRIx64 " is in %" PRIu32 " sections of this unlinked file; used %.*s "
		    "(-j NAME selects another)",
		    place->shown, count, WK_STR_ARG(place->section));
}

/* A question, and what is wrong with it. */
struct understood {
	struct wk_address_lookup
		question; /* without an image if that is missing, or it is nonsense */
	struct wk_address_question asked;
	struct wk_address_query place;
};

/* "hot" of a file with hot.part.0 and hot.constprop.0. */
static struct wk_str several_words(struct wk_asking *asking, const struct wk_address_query *place)
{
	struct wk_buf words = { 0 };
	struct wk_str copy;

	wk_buf_add_fmt(&words, "ambiguous: %.*s and %.*s", WK_STR_ARG(place->one),
		       WK_STR_ARG(place->other));
	copy = wk_arena_copy(&asking->texts, wk_buf_str(&words));
	wk_buf_fini(&words);
	return copy;
}

static struct understood understand(struct wk_asking *asking, struct wk_str text)
{
	struct understood u = { .asked.text = text };
	struct wk_typed_address typed;
	struct wk_listed_image image = { 0 };

	if (wk_typed_address_read(text, &typed)) {
		tell_apart(asking, &typed);
		u.asked.image = path_for(asking, &typed);
		image = image_at(asking, &typed, u.asked.image);
		u.asked.has_address =
			wk_address_query(image.symbols, asking->section, &typed, &u.place);
		report_section(asking, image.symbols, &u.place);
	}
	if (u.asked.has_address)
		u.question = (struct wk_address_lookup){ image.symbols, u.place.vaddr,
							 u.place.shown, NULL };
	u.asked.section = u.place.section;
	if (image.why.len)
		u.asked.wrong = image.why;
	else if (u.place.other.len)
		u.asked.wrong = several_words(asking, &u.place);
	else if (!u.asked.has_address && u.asked.image.len)
		u.asked.wrong = wk_str_c("neither an address nor a function of the image");
	else if (!u.asked.has_address)
		u.asked.wrong = wk_str_c("neither an address nor IMAGE ADDRESS");
	else if (u.place.outside)
		u.asked.wrong = wk_str_c(u.place.outside);
	return u;
}

static void push_question(struct wk_asking *asking, const struct wk_address_lookup *question)
{
	*WK_APPEND(asking->questions, asking->question_count, asking->question_cap) = *question;
}

static void add_question(struct wk_asking *asking, const struct understood *u)
{
	struct wk_address_lookup question = u->question;
	struct wk_address_question *asked;

	if (asking->tells_in_answers) {
		asked = wk_arena_alloc(&asking->texts, sizeof(*asked));
		*asked = u->asked;
		asked->text = wk_arena_copy(&asking->texts, asked->text);
		asked->image = wk_arena_copy(&asking->texts, asked->image);
		question.asked = asked;
	}
	push_question(asking, &question);
}

/* Once: as a rule, all are. */
static void report_outside(struct wk_asking *asking, const struct understood *u)
{
	if (!u->place.outside || asking->said_outside || asking->tells_in_answers)
		return;
	asking->said_outside = true;
	wk_warn_fmt(asking->images.messages, "0x%" PRIx64 " is %s", u->question.shown,
		    u->place.outside);
}

static void report_nonsense(const struct wk_asking *asking, const struct understood *u,
			    const char *expected)
{
	struct wk_str text = u->asked.text;

	if (asking->tells_in_answers)
		return;
	if (text.len > 200)
		text.len = 200;
	if (u->place.other.len)
		wk_warn_fmt(asking->images.messages, "\"%.*s\" is %.*s", WK_STR_ARG(text),
			    WK_STR_ARG(u->asked.wrong));
	else
		wk_warn_fmt(asking->images.messages, "\"%.*s\" is neither an address nor %s",
			    WK_STR_ARG(text), expected);
}

/* Warns about each one that is nonsense: there are few. */
bool wk_asking_word(struct wk_asking *asking, struct wk_str word)
{
	struct understood u = understand(asking, word);

	if (!u.asked.has_address)
		report_nonsense(asking, &u, "a function of the image");
	report_outside(asking, &u);
	add_question(asking, &u);
	return u.question.image != NULL;
}

void wk_asking_answer(struct wk_asking *asking)
{
	wk_answers_say(asking->answers, asking->questions, asking->question_count);
	asking->question_count = 0;
	wk_arena_reset(&asking->texts);
}

/* The fast path for most lines: an address inside the default image. */
static bool read_plain_line(struct wk_asking *asking, struct wk_str line)
{
	struct wk_image_symbols *image = asking->usual.symbols;
	struct wk_typed_address typed = { 0 };
	struct wk_address_query place;

	if (!image || asking->tells_in_answers || !wk_typed_address_is_plain(line, &typed.offset) ||
	    !wk_address_query(image, asking->section, &typed, &place) || place.outside)
		return false;
	report_section(asking, image, &place);
	push_question(asking, &(struct wk_address_lookup){ image, place.vaddr, place.shown, NULL });
	return true;
}

static void read_line(struct wk_asking *asking, struct wk_str line)
{
	struct understood u;

	if (read_plain_line(asking, line))
		return;
	u = understand(asking, line);
	if (!u.asked.has_address && line.len && !asking->said_nonsense) {
		asking->said_nonsense = true;
		report_nonsense(asking, &u, "IMAGE ADDRESS; such lines print as ??");
	}
	report_outside(asking, &u);
	add_question(asking, &u);
}

/* Text without a newline so far. The rest of a line that is too long is skipped. */
struct input {
	struct wk_buf text;
	bool passes_over;
};

static size_t read_lines(struct wk_asking *asking, struct wk_str text)
{
	const char *begin = text.at, *newline;

	while (text.len && (newline = memchr(text.at, '\n', text.len)) != NULL) {
		size_t len = (size_t)(newline - text.at);

		read_line(asking, wk_str_of(text.at, len));
		text = wk_str_skip(text, len + 1);
	}
	return (size_t)(text.at - begin);
}

static void read_text(struct wk_asking *asking, struct input *input)
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

static bool answer_lines(struct wk_asking *asking)
{
	wk_asking_answer(asking);
	wk_out_flush(asking->out);
	return !asking->out->failed;
}

/* The file may be a pipe from a program that waits for an answer: all lines that arrived are
 * answered before reading again. */
bool wk_asking_lines(struct wk_asking *asking, int file, struct wk_err *err)
{
	struct input input = { 0 };
	struct wk_buf *text = &input.text;
	bool goes_on = true;
	ssize_t got = 1;

	while (got > 0 && goes_on) {
		got = read(file, wk_buf_extend(text, READ_BYTES), READ_BYTES);
		text->len -= READ_BYTES - (size_t)(got > 0 ? got : 0);
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		read_text(asking, &input);
		goes_on = answer_lines(asking);
	}
	if (got < 0)
		wk_fail_os(err, errno, "cannot read standard input");
	else if (text->len)
		read_line(asking, wk_buf_str(text));
	answer_lines(asking);
	wk_buf_fini(text);
	return got >= 0;
}
