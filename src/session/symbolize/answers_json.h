/* An answer (answers.h) as a JSON object on one line: begin, frames, end. */
#ifndef WK_SESSION_SYMBOLIZE_ANSWERS_JSON_H
#define WK_SESSION_SYMBOLIZE_ANSWERS_JSON_H

#include "base/out.h"
#include "session/symbolize/answers.h"

/* What is printed for unknown values. */
extern const struct wk_str wk_answer_json_unknown;

struct wk_answer_frame {
	struct wk_str function, file; /* as JSON; empty: not printed */
	const struct wk_place_ids *place;
	bool is_inlined, is_first;
};

void wk_answer_json_begin(struct wk_out *out, const struct wk_address_lookup *question);
void wk_answer_json_frame(struct wk_out *out, const struct wk_answer_frame *frame);

/* If nothing is known, with the reason. */
void wk_answer_json_end(struct wk_out *out, const struct wk_address_lookup *question,
			bool is_known);

#endif
