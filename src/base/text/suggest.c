#include "base/text/suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 40

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters to add, drop, change or swap with their neighbour to turn a into b. */
static size_t edits(struct wk_str a, struct wk_str b)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b.len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *spent = before;

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			bool same = a.at[i - 1] == b.at[j - 1];

			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] &&
			    a.at[i - 2] == b.at[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = last;
		last = row;
		row = spent;
	}
	return last[b.len];
}

/* "frequency" for "freq": a word that goes on behind the candidate is as near as two slips. */
static size_t distance_of_longer(struct wk_str typed, struct wk_str candidate)
{
	return typed.len > candidate.len && memcmp(typed.at, candidate.at, candidate.len) == 0
		       ? 2
		       : SIZE_MAX;
}

void wk_suggestion_try(struct wk_suggestion *suggestion, const char *word)
{
	struct wk_str typed = suggestion->typed, candidate = wk_str_c(word);
	size_t distance;

	if (typed.len < 2 || typed.len > LONGEST || candidate.len > LONGEST)
		return;
	/* "comp" for "completion": an unfinished word is as near as one slip. */
	if (candidate.len > typed.len && memcmp(typed.at, candidate.at, typed.len) == 0)
		distance = 1;
	else
		distance = least(edits(typed, candidate), distance_of_longer(typed, candidate));
	/* In a short word two typing errors make another word. */
	if (distance > 1 + least(typed.len, candidate.len) / 4 || distance >= candidate.len)
		return;
	if (!suggestion->best || distance < suggestion->distance) {
		suggestion->best = word;
		suggestion->distance = distance;
	}
}

bool wk_suggestion_add(const struct wk_suggestion *suggestion, const char *otherwise,
		       struct wk_err *err)
{
	const char *best = suggestion->best;
	size_t len = err ? strlen(err->text) : 0;

	if (err)
		snprintf(err->text + len, sizeof(err->text) - len, "; %s%s%s",
			 best ? "did you mean \"" : otherwise, best ? best : "", best ? "\"?" : "");
	return false;
}
