/* Addresses to answers in text: function, then file and line, the innermost inlined call first.
 *
 * What addr2line prints, so that scripts that read it go on to work. Names are made readable
 * and safe to show once each, however often they come again. */
#ifndef WK_CLI_SYMBOLIZE_H
#define WK_CLI_SYMBOLIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "symbols/symbols.h"

struct wk_answer_style {
	bool shows_address;
	bool no_functions, no_inlined, no_demangle;
	bool basenames;
	bool columns;
	bool pretty; /* one line for each place */
};

struct wk_answers;

/* The style is copied; `out` and every image asked for must outlive it. */
struct wk_answers *wk_answers_new(const struct wk_answer_style *style, struct wk_out *out);
void wk_answers_free(struct wk_answers *answers);

/* One address of an image, as its own tables count; without an image all is unknown. */
void wk_answers_say(struct wk_answers *answers, const struct wk_image_symbols *image,
		    uint64_t vaddr);

#endif
