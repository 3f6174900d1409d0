/* An answer of symbolize.h as a JSON object on a line of its own: begin, a frame each, end. */
#ifndef WK_SESSION_SYMBOLIZE_ANSWERS_JSON_H
#define WK_SESSION_SYMBOLIZE_ANSWERS_JSON_H

#include "base/out.h"
#include "session/symbolize/answers.h"

/* The words for what is not known. */
extern const struct wk_str wk_answer_json_unknown;

struct wk_answer_frame {
	struct wk_str function, file; /* as JSON has them; empty: not asked for */
	const struct wk_place_ids *place;
	bool is_inlined, is_first;
};

void wk_answer_json_begin(struct wk_out *out, const struct wk_address_lookup *question);
void wk_answer_json_frame(struct wk_out *out, const struct wk_answer_frame *frame);

/* Where nothing is known, why. */
void wk_answer_json_end(struct wk_out *out, const struct wk_address_lookup *question,
			bool is_known);

#endif
