/* Questions to `wick symbolize`, as typed: words, or lines of a file.
 *
 * Each gets an answer, in order, so that a program can match them. Nonsense is reported on standard
 * error, or in its answer.
 *
 * Fill the members of the first block and init `images`; check; then word and answer, or lines;
 * fini. */
#ifndef WK_SESSION_SYMBOLIZE_QUESTIONS_H
#define WK_SESSION_SYMBOLIZE_QUESTIONS_H

#include "base/out.h"
#include "session/symbolize/answers.h"
#include "session/symbolize/image_list.h"

struct wk_asking {
	const char *image;          /* the default image, as typed; NULL: a.out */
	const char *section;        /* addresses count from its start; NULL: from the image's */
	bool tells_in_answers;      /* faults are in the answers: wk_address_lookup.asked is set */
	struct wk_answers *answers; /* the caller's */
	struct wk_out *out;
	struct wk_image_list images;

	struct wk_listed_image usual; /* the one at `image` */
	bool has_usual;
	bool said_nonsense, said_outside, said_section;
	struct wk_address_lookup *questions; /* not answered yet */
	size_t question_count, question_cap;
	struct wk_arena texts; /* of these questions */
};

void wk_asking_fini(struct wk_asking *asking);

/* Does the default image exist, if it was named or `is_needed` because questions name none? The
 * first call. */
bool wk_asking_check(struct wk_asking *asking, bool is_needed, struct wk_err *err);

/* False if the word is not an address of an existing image. */
bool wk_asking_word(struct wk_asking *asking, struct wk_str word);

/* Writes the answers to the questions since the last call. */
void wk_asking_answer(struct wk_asking *asking);

/* Answers every line of `file`. Lines are cut to 64 KiB. */
bool wk_asking_lines(struct wk_asking *asking, int file, struct wk_err *err);

#endif
