/* Addresses to answers: function, then file and line, the innermost inlined call first.
 *
 * The text is that of addr2line, so that scripts that read it keep working; JSON is one object per
 * line. Each name is demangled and escaped once, however often it is printed. */
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

/* The style is copied; `out` and all images in questions must outlive it. */
struct wk_answers *wk_answers_new(const struct wk_answer_style *style, struct wk_out *out);
void wk_answers_free(struct wk_answers *answers);

/* The question, which JSON repeats. */
struct wk_address_question {
	struct wk_str text, image; /* as typed */
	struct wk_str section;     /* of a file that is not linked; otherwise empty */
	struct wk_str wrong;       /* why there can be no answer; empty: there may be one */
	bool has_address;
};

struct wk_address_lookup {
	struct wk_image_symbols *image;          /* NULL: the answer is unknown */
	uint64_t vaddr;                          /* an address of the image's own tables */
	uint64_t shown;                          /* the address to print */
	const struct wk_address_question *asked; /* for JSON */
};

/* Answers in the order of the questions. Many at once are faster than one by one. */
void wk_answers_say(struct wk_answers *answers, const struct wk_address_lookup *questions,
		    size_t count);

/* Whether an address of the image had no answer. */
bool wk_answers_lack(const struct wk_answers *answers, struct wk_image_symbols *image);

#endif
