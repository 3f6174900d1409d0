#include "cli/asking.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/asked_place.h"
#include "cli/line_input.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "symbols/elf.h"

void wk_asking_fini(struct wk_asking *asking)
{
	wk_asked_images_fini(&asking->images);
	free(asking->questions);
}

static const char *usual_path(const struct wk_asking *asking)
{
	return asking->image ? asking->image : "a.out";
}

/* An image that was named must be there. Without one, questions may name theirs. */
bool wk_asking_check(struct wk_asking *asking, bool is_needed, struct wk_err *err)
{
	const char *path = usual_path(asking);

	if (!asking->image && !is_needed)
		return true;
	asking->has_usual = true;
	asking->usual = wk_asked_image_or_fail(&asking->images, path, err);
	if (!asking->usual && !asking->image && err && err->code == WK_ENOTFOUND) {
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the addresses of which image? Say -e IMAGE (there is no a.out here)");
	}
	if (asking->usual && asking->section &&
	    !wk_elf_section(wk_image_elf(asking->usual), asking->section))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "%s has no section %s", path,
			       asking->section);
	return asking->usual != NULL;
}

static const struct wk_image_symbols *usual_image(struct wk_asking *asking)
{
	if (!asking->has_usual) {
		asking->has_usual = true;
		asking->usual = wk_asked_image(&asking->images, wk_str_c(usual_path(asking)));
	}
	return asking->usual;
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
static void tell_apart(const struct wk_asking *asking, struct wk_typed_address *typed)
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

static const struct wk_image_symbols *image_for(struct wk_asking *asking,
						const struct wk_typed_address *typed)
{
	if (typed->image.len)
		return wk_asked_image(&asking->images, typed->image);
	if (!typed->function.len || asking->image || is_file(wk_str_c("a.out")))
		return usual_image(asking);
	return NULL;
}

static void tell_outside(struct wk_asking *asking, const struct wk_question *question)
{
	struct wk_buf text = { 0 };

	if (asking->said_outside || !question->image ||
	    wk_asked_place_is_inside(question->image, question->vaddr))
		return;
	asking->said_outside = true;
	wk_buf_add_fmt(&text, "0x%" PRIx64
		       " is outside of this file; take away where it was loaded",
		       question->vaddr);
	wk_say(wk_buf_text(&text));
	wk_buf_fini(&text);
}

/* False where it is nonsense. The image is NULL where that is not there. */
static bool understand(struct wk_asking *asking, struct wk_str text, struct wk_question *question)
{
	struct wk_typed_address typed;

	*question = (struct wk_question){ 0 };
	if (!wk_typed_address_read(text, &typed))
		return false;
	tell_apart(asking, &typed);
	question->image = image_for(asking, &typed);
	if (!wk_asked_place(question->image, asking->section, &typed, &question->vaddr)) {
		question->image = NULL;
		return false;
	}
	tell_outside(asking, question);
	return true;
}

static void tell_nonsense(struct wk_str text, const char *expected)
{
	struct wk_buf message = { 0 };

	if (text.len > 200)
		text.len = 200;
	wk_buf_add_fmt(&message, "\"%.*s\" is no address and no %s", WK_STR_ARG(text), expected);
	wk_say(wk_buf_text(&message));
	wk_buf_fini(&message);
}

static void add_question(struct wk_asking *asking, struct wk_question question)
{
	asking->questions = wk_grow(asking->questions, &asking->question_cap,
				    asking->question_count + 1, sizeof(*asking->questions));
	asking->questions[asking->question_count++] = question;
}

/* Each is told of: there are few. */
bool wk_asking_word(struct wk_asking *asking, struct wk_str word)
{
	struct wk_question question;

	if (!understand(asking, word, &question))
		tell_nonsense(word, "function of the image");
	add_question(asking, question);
	return question.image != NULL;
}

void wk_asking_answer(struct wk_asking *asking)
{
	wk_answers_say(asking->answers, asking->questions, asking->question_count);
	asking->question_count = 0;
}

static void take_line(void *context, struct wk_str line)
{
	struct wk_asking *asking = context;
	struct wk_question question;

	if (!understand(asking, line, &question) && line.len && !asking->said_nonsense) {
		asking->said_nonsense = true;
		tell_nonsense(line, "IMAGE ADDRESS; such lines are answered with ??");
	}
	add_question(asking, question);
}

static bool answer_lines(void *context)
{
	struct wk_asking *asking = context;

	wk_asking_answer(asking);
	wk_out_flush(asking->out);
	return !asking->out->failed;
}

bool wk_asking_lines(struct wk_asking *asking, int file, struct wk_err *err)
{
	return wk_line_input(file, &(struct wk_line_taker){ take_line, answer_lines, asking }, err);
}
