#include "base/text/pattern.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text/pattern_internal.h"

/* The bytes before and after a place in the text; -1: none. */
struct surroundings {
	int before, behind;
};

static bool is_word(int byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

static bool holds(enum wk_step_place place, struct surroundings at)
{
	bool before = is_word(at.before), behind = is_word(at.behind);

	switch (place) {
	case WK_PLACE_BEGIN:
		return at.before < 0;
	case WK_PLACE_END:
		return at.behind < 0;
	case WK_PLACE_WORD_EDGE:
		return before != behind;
	case WK_PLACE_NO_WORD_EDGE:
		return before == behind;
	case WK_PLACE_WORD_BEGIN:
		return !before && behind;
	case WK_PLACE_WORD_END:
		return before && !behind;
	}
	return false;
}

/* Follows a step as far as no byte is needed, and collects the steps that need one. True if it
 * reaches the end of the pattern. Without `at` every place condition is true. */
static bool spread(struct wk_pattern *pattern, uint32_t from, const struct surroundings *at,
		   uint32_t *list, size_t *count)
{
	size_t waiting = 0;

	pattern->waiting[waiting++] = from;
	while (waiting > 0) {
		uint32_t id = pattern->waiting[--waiting];
		const struct wk_step *step = &pattern->steps[id];

		if (pattern->seen[id] == pattern->turn)
			continue;
		pattern->seen[id] = pattern->turn;
		if (step->kind == WK_STEP_FOUND)
			return true;
		if (step->kind == WK_STEP_BYTE)
			list[(*count)++] = id;
		else if (step->kind == WK_STEP_FORK)
			pattern->waiting[waiting++] = step->other;
		if (step->kind == WK_STEP_FORK ||
		    (step->kind == WK_STEP_PLACE && (!at || holds(step->place, *at))))
			pattern->waiting[waiting++] = step->next;
	}
	return false;
}

/* Every step is marked with the turn that met it, so that nothing is wiped between bytes. */
static void next_turn(struct wk_pattern *pattern)
{
	if (++pattern->turn == 0) {
		for (size_t i = 0; i < pattern->count; i++)
			pattern->seen[i] = 0;
		pattern->turn = 1;
	}
}

static struct surroundings around(struct wk_str text, size_t at)
{
	return (struct surroundings){
		.before = at > 0 ? (uint8_t)text.at[at - 1] : -1,
		.behind = at < text.len ? (uint8_t)text.at[at] : -1,
	};
}

/* To the next byte that a match may begin with. */
static size_t skip(const struct wk_pattern *pattern, struct wk_str text, size_t at)
{
	while (at < text.len && !wk_byte_set_has(&pattern->begins, (uint8_t)text.at[at]))
		at++;
	return at;
}

bool wk_pattern_matches(struct wk_pattern *pattern, struct wk_str text)
{
	uint32_t *now = pattern->now, *then = pattern->then, *other;
	size_t count = 0, next_count;
	struct surroundings here;

	next_turn(pattern);
	for (size_t at = 0;; at++) {
		if (count == 0 && !pattern->may_be_empty) {
			at = skip(pattern, text, at);
			if (at == text.len)
				return false;
			next_turn(pattern); /* a place may hold here that did not before */
		}
		here = around(text, at);
		if (spread(pattern, pattern->first, &here, now, &count))
			return true;
		if (at == text.len)
			return false;
		next_turn(pattern);
		next_count = 0;
		here = around(text, at + 1);
		for (size_t i = 0; i < count; i++) {
			const struct wk_step *step = &pattern->steps[now[i]];

			if (wk_byte_set_has(&pattern->sets[step->set], (uint8_t)text.at[at]) &&
			    spread(pattern, step->next, &here, then, &next_count))
				return true;
		}
		other = now;
		now = then;
		then = other;
		count = next_count;
	}
}

/* Whether a match needs a byte at all, and, if it does, which it may begin with. */
static void find_begins(struct wk_pattern *pattern)
{
	size_t count = 0;

	next_turn(pattern);
	pattern->may_be_empty = spread(pattern, pattern->first, NULL, pattern->now, &count);
	for (size_t i = 0; i < count; i++) {
		const struct wk_step *step = &pattern->steps[pattern->now[i]];

		for (size_t k = 0; k < 4; k++)
			pattern->begins.words[k] |= pattern->sets[step->set].words[k];
	}
}

struct wk_pattern *wk_pattern_new(const char *text, bool ignore_case, const char **why)
{
	struct wk_pattern *pattern = wk_alloc_zeroed(1, sizeof(*pattern));

	if (!wk_pattern_parse(pattern, text, ignore_case, why)) {
		wk_pattern_free(pattern);
		return NULL;
	}
	pattern->now = wk_alloc(pattern->count * sizeof(*pattern->now));
	pattern->then = wk_alloc(pattern->count * sizeof(*pattern->then));
	/* A step is followed once a turn, and puts two others at most there. */
	pattern->waiting = wk_alloc((2 * pattern->count + 1) * sizeof(*pattern->waiting));
	pattern->seen = wk_alloc_zeroed(pattern->count, sizeof(*pattern->seen));
	find_begins(pattern);
	return pattern;
}

void wk_pattern_free(struct wk_pattern *pattern)
{
	if (!pattern)
		return;
	WK_FREE_ALL(pattern->steps, pattern->sets, pattern->now, pattern->then, pattern->waiting,
		    pattern->seen, pattern);
}
