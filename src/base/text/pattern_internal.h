/* A pattern as steps of a nondeterministic machine. pattern_parse.c builds them from text,
 * pattern.c runs them. */
#ifndef WK_BASE_TEXT_PATTERN_INTERNAL_H
#define WK_BASE_TEXT_PATTERN_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/pattern.h"

/* Which bytes, a bit each. */
struct wk_byte_set {
	uint64_t words[4];
};

static inline bool wk_byte_set_has(const struct wk_byte_set *set, uint8_t byte)
{
	return set->words[byte / 64] >> byte % 64 & 1;
}

enum wk_step_kind {
	WK_STEP_BYTE,  /* consumes one byte of `set`, then continues at `next` */
	WK_STEP_FORK,  /* continues at `next` and at `other` */
	WK_STEP_PLACE, /* continues at `next` if `place` is true */
	WK_STEP_FOUND,
};

enum wk_step_place {
	WK_PLACE_BEGIN,
	WK_PLACE_END,
	WK_PLACE_WORD_EDGE,
	WK_PLACE_NO_WORD_EDGE,
	WK_PLACE_WORD_BEGIN,
	WK_PLACE_WORD_END,
};

struct wk_step {
	enum wk_step_kind kind;
	enum wk_step_place place;
	uint32_t set; /* of the pattern's sets */
	uint32_t next, other;
};

#define WK_MOST_STEPS 20000u

struct wk_pattern {
	struct wk_step *steps;
	size_t count, cap;
	struct wk_byte_set *sets;
	size_t set_count, sets_cap;
	uint32_t first;

	/* The bytes a match may begin with; unused if it may be empty. */
	struct wk_byte_set begins;
	bool may_be_empty;

	/* The active steps now and next, the round in which each step became active, and steps
	 * still to be followed. */
	uint32_t *now, *then, *waiting;
	uint32_t *seen;
	uint32_t turn;
};

/* Fills steps, sets and `first`; false, with `why`, if the pattern is invalid. */
bool wk_pattern_parse(struct wk_pattern *pattern, const char *text, bool ignore_case,
		      const char **why);

#endif
