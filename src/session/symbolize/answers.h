/* Addresses to answers: function, then file and line, the innermost inlined call first.
 *
 * As text what addr2line prints, so that scripts that read it go on to work, or a JSON object a
 * line. Names are made readable and safe to show once each, however often they come again. */
#ifndef WK_SESSION_SYMBOLIZE_ANSWERS_H
#define WK_SESSION_SYMBOLIZE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "symbols/image/symbols.h"

struct wk_answer_style {
	bool shows_address;
	bool no_functions, no_inlined, no_demangle;
	bool basenames;
	bool columns;
	bool pretty; /* one line for each place */
	bool json;   /* addresses and columns always, `pretty` never */
};

struct wk_answers;

/* The style is copied; `out` and every image asked for must outlive it. */
struct wk_answers *wk_answers_new(const struct wk_answer_style *style, struct wk_out *out);
void wk_answers_free(struct wk_answers *answers);

/* What JSON repeats of a question. */
struct wk_address_question {
	struct wk_str text, image; /* as typed */
	struct wk_str section;     /* of a file that is not linked; else empty */
	struct wk_str wrong;       /* why there can be no answer; empty: there may be one */
	bool has_address;
};

struct wk_address_lookup {
	struct wk_image_symbols *image;          /* NULL: all is unknown */
	uint64_t vaddr;                          /* as the image's own tables count */
	uint64_t shown;                          /* the address for whoever asked */
	const struct wk_address_question *asked; /* for JSON */
};

/* Answers in the order of the questions. Many at once cost less each than one by one. */
void wk_answers_say(struct wk_answers *answers, const struct wk_address_lookup *questions,
		    size_t count);

/* Whether nothing is known of an address that was asked of the image. */
bool wk_answers_lack(const struct wk_answers *answers, struct wk_image_symbols *image);

#endif
