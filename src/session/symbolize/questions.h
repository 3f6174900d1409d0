/* Questions to `wick symbolize`, as they are typed: words, or lines of a file.
 *
 * Each is answered, in its order, whatever it is, so that whoever asks knows which answer is to
 * which. What makes no sense is told of on standard error, or in its answer.
 *
 * Fill the members of the first block and init `images`; check; then word and answer, or lines;
 * fini. */
#ifndef WK_SESSION_SYMBOLIZE_QUESTIONS_H
#define WK_SESSION_SYMBOLIZE_QUESTIONS_H

#include "base/out.h"
#include "session/symbolize/answers.h"
#include "session/symbolize/image_list.h"

struct wk_asking {
	const char *image;          /* of questions that name none, as typed; NULL: a.out */
	const char *section;        /* addresses count from its begin; NULL: from the image's */
	bool tells_in_answers;      /* wk_address_lookup.asked is wanted */
	struct wk_answers *answers; /* the caller's */
	struct wk_out *out;
	struct wk_image_list images;

	struct wk_listed_image usual; /* what `image` is */
	bool has_usual;
	bool said_nonsense, said_outside, said_section;
	struct wk_address_lookup *questions; /* read and not answered yet */
	size_t question_count, question_cap;
	struct wk_arena texts; /* of these questions */
};

void wk_asking_fini(struct wk_asking *asking);

/* Is the image there that was named, or that is needed because the questions name none? The first
 * call. */
bool wk_asking_check(struct wk_asking *asking, bool is_needed, struct wk_err *err);

/* False where the word is no address of an image that is there. */
bool wk_asking_word(struct wk_asking *asking, struct wk_str word);

/* Writes the answers to what was asked since. */
void wk_asking_answer(struct wk_asking *asking);

/* Asks and answers every line of `file`. */
bool wk_asking_lines(struct wk_asking *asking, int file, struct wk_err *err);

#endif
