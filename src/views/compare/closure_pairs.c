#include "views/compare/closure_pairs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"

#define MOST_COMPARED 250000 /* pairs of spots, or closures; larger functions are generated */
#define MATCH         0.001  /* what each match is worth apart from its weight: a share */
#define OTHER_SHIFT   0.03   /* how much a match must weigh to move by other lines than the last */
#define FARTHER       1e-9   /* of two possibilities the nearer one, for each line */

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* For pairs whose lines are that far apart. */
static double loss(int64_t a, int64_t b)
{
	return FARTHER * smaller((double)(a < b ? b - a : a - b), 1e5);
}

/* ---- lines that were matched */

/* Cells are pairs of spots: `i` before and `k` after, as i * columns + k + 1. */
struct matching {
	const struct wk_closure_side *before, *after;
	uint32_t *previous;    /* by cell - 1: the match before it, or 0 */
	double *score;         /* by cell - 1: of all matches up to it */
	uint32_t *best_of_row; /* by k + 1: the best cell of earlier rows, up to column k */
	struct wk_map last;    /* by shift: the last cell */
	uint32_t best;
};

static struct wk_spot spot_before(const struct matching *m, uint32_t cell)
{
	return m->before->spots[(cell - 1) / m->after->spot_count];
}

static struct wk_spot spot_after(const struct matching *m, uint32_t cell)
{
	return m->after->spots[(cell - 1) % m->after->spot_count];
}

static double worth(const struct matching *m, uint32_t cell)
{
	return smaller(spot_before(m, cell).weight, spot_after(m, cell).weight) + MATCH;
}

static int64_t shift_of(const struct matching *m, uint32_t cell)
{
	return (int64_t)spot_after(m, cell).line - spot_before(m, cell).line;
}

static double score_of(const struct matching *m, uint32_t cell)
{
	return cell ? m->score[cell - 1] : 0;
}

/* Behind the last match that moved alike, or the best of all before. */
static void match(struct matching *m, uint32_t cell, uint32_t other)
{
	int64_t shift = shift_of(m, cell);
	uint32_t alike = wk_map_find(&m->last, (uint64_t)(shift + UINT32_MAX));
	double before = -loss(shift, 0);

	if (other && score_of(m, other) - OTHER_SHIFT - loss(shift, shift_of(m, other)) > before) {
		before = score_of(m, other) - OTHER_SHIFT - loss(shift, shift_of(m, other));
		m->previous[cell - 1] = other;
	}
	if (alike && score_of(m, alike) >= before) {
		before = score_of(m, alike);
		m->previous[cell - 1] = alike;
	}
	m->score[cell - 1] = before + worth(m, cell);
	if (m->score[cell - 1] > score_of(m, m->best))
		m->best = cell;
}

static void match_row(struct matching *m, uint32_t i)
{
	uint32_t columns = m->after->spot_count, best = 0;

	for (uint32_t k = 0; k < columns; k++)
		if (m->before->spots[i].kind == m->after->spots[k].kind)
			match(m, i * columns + k + 1, m->best_of_row[k]);
	for (uint32_t k = 0; k < columns; k++) {
		uint32_t cell = i * columns + k + 1;

		if (m->score[cell - 1] > 0) {
			wk_map_set(&m->last, (uint64_t)(shift_of(m, cell) + UINT32_MAX), cell);
			if (m->score[cell - 1] > score_of(m, best))
				best = cell;
		}
		if (score_of(m, best) > score_of(m, m->best_of_row[k + 1]))
			m->best_of_row[k + 1] = best;
	}
}

/* The cells of the best match, last first; their number goes to `count`. */
static uint32_t *match_spots(struct matching *m, uint32_t *count)
{
	size_t cells = (size_t)m->before->spot_count * m->after->spot_count;
	uint32_t *path = wk_alloc(((size_t)m->before->spot_count + 1) * sizeof(*path));

	*count = 0;
	if (cells > MOST_COMPARED)
		return path;
	m->previous = wk_alloc_zeroed(cells + 1, sizeof(*m->previous));
	m->score = wk_alloc_zeroed(cells + 1, sizeof(*m->score));
	m->best_of_row = wk_alloc_zeroed((size_t)m->after->spot_count + 1, sizeof(*m->best_of_row));
	for (uint32_t i = 0; i < m->before->spot_count; i++)
		match_row(m, i);
	for (uint32_t cell = m->best; cell; cell = m->previous[cell - 1])
		path[(*count)++] = cell;
	return path;
}

/* ---- closures with matched lines */

struct vote {
	uint32_t before, after; /* closures */
	double weight;
};

static int by_pair(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;

	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return (a->after > b->after) - (a->after < b->after);
}

static int heavier_first(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return by_pair(left, right);
}

static uint32_t collect_votes(const struct matching *m, const uint32_t *path, uint32_t length,
			      struct vote *votes)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < length; i++) {
		struct vote vote = { spot_before(m, path[i]).closure,
				     spot_after(m, path[i]).closure, worth(m, path[i]) };

		if (vote.before && vote.after)
			votes[count++] = vote;
	}
	qsort(votes, count, sizeof(*votes), by_pair);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && by_pair(&votes[kept - 1], &votes[i]) == 0)
			votes[kept - 1].weight += votes[i].weight;
		else
			votes[kept++] = votes[i];
	}
	qsort(votes, kept, sizeof(*votes), heavier_first);
	return kept;
}

static void pair_matched(const struct matching *m, const uint32_t *path, uint32_t length,
			 uint32_t *pairs, bool *is_taken)
{
	struct vote *votes = wk_alloc(((size_t)length + 1) * sizeof(*votes));
	uint32_t count = collect_votes(m, path, length, votes);

	for (uint32_t i = 0; i < count; i++) {
		if (pairs[votes[i].before - 1] || is_taken[votes[i].after - 1])
			continue;
		pairs[votes[i].before - 1] = votes[i].after;
		is_taken[votes[i].after - 1] = true;
	}
	wk_free(votes);
}

/* ---- the others */

/* A closure, and which matches it is between: behind `least` of them, `most` if some are on its own
 * line. */
struct rest {
	uint32_t closure, least, most;
	int64_t shift; /* of what is above it */
};

static struct rest place(const struct matching *m, const uint32_t *path, uint32_t length,
			 const struct wk_closure *closure, bool is_before)
{
	struct rest rest = { 0 };

	for (uint32_t i = 0; i < length; i++) {
		uint32_t line = (is_before ? spot_before(m, path[i]) : spot_after(m, path[i])).line;

		rest.least += line < closure->line;
		if (line <= closure->line && rest.most++ == 0)
			rest.shift = shift_of(m, path[i]); /* the last is first */
	}
	return rest;
}

static struct rest *list_rest(const struct matching *m, const uint32_t *path, uint32_t length,
			      const struct wk_closure_side *side, const uint32_t *pairs,
			      const bool *is_taken, uint32_t *count)
{
	struct rest *rest = wk_alloc(((size_t)side->closure_count + 1) * sizeof(*rest));

	*count = 0;
	for (uint32_t i = 0; i < side->closure_count; i++) {
		if (pairs ? pairs[i] != 0 : is_taken[i])
			continue;
		rest[*count] = place(m, path, length, &side->closures[i], pairs != NULL);
		rest[(*count)++].closure = i + 1;
	}
	return rest;
}

/* 0 if they cannot be one closure. Two light pairs are worth more than a heavy one. */
static double worth_of_rest(const struct matching *m, const struct rest *a, const struct rest *b)
{
	const struct wk_closure *before = &m->before->closures[a->closure - 1];
	const struct wk_closure *after = &m->after->closures[b->closure - 1];

	if (a->most < b->least || b->most < a->least)
		return 0;
	return 0.5 + smaller(before->weight, after->weight) / 2 -
	       loss((int64_t)before->line + a->shift, after->line);
}

/* The pairs that are worth most in all, in order. */
static void pair_in_order(const struct matching *m, const struct rest *before, uint32_t rows,
			  const struct rest *after, uint32_t columns, uint32_t *pairs)
{
	size_t width = (size_t)columns + 1;
	double *best = wk_alloc_zeroed((rows + 1) * width, sizeof(*best));
	uint32_t i = 0, k = 0;

	for (i = rows; i-- > 0;)
		for (k = columns; k-- > 0;) {
			double *cell = &best[i * width + k];
			double both = worth_of_rest(m, &before[i], &after[k]);

			*cell = cell[1] > cell[width] ? cell[1] : cell[width];
			if (both > 0 && cell[width + 1] + both > *cell)
				*cell = cell[width + 1] + both;
		}
	for (i = k = 0; i < rows && k < columns;) {
		const double *cell = &best[i * width + k];

		if (*cell <= cell[width]) {
			i++;
		} else if (*cell <= cell[1]) {
			k++;
		} else {
			pairs[before[i++].closure - 1] = after[k++].closure;
		}
	}
	wk_free(best);
}

/* Of more than can be compared: those that moved like what is above them. */
static void pair_alike(const struct matching *m, const struct rest *before, uint32_t rows,
		       const struct rest *after, uint32_t columns, uint32_t *pairs)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < rows; i++) {
		int64_t line = m->before->closures[before[i].closure - 1].line + before[i].shift;

		while (k < columns && m->after->closures[after[k].closure - 1].line < line)
			k++;
		if (k < columns && m->after->closures[after[k].closure - 1].line == line)
			pairs[before[i].closure - 1] = after[k++].closure;
	}
}

static void pair_rest(const struct matching *m, const uint32_t *path, uint32_t length,
		      uint32_t *pairs, const bool *is_taken)
{
	uint32_t rows, columns;
	struct rest *before = list_rest(m, path, length, m->before, pairs, NULL, &rows);
	struct rest *after = list_rest(m, path, length, m->after, NULL, is_taken, &columns);

	if ((uint64_t)rows * columns <= MOST_COMPARED)
		pair_in_order(m, before, rows, after, columns, pairs);
	else
		pair_alike(m, before, rows, after, columns, pairs);
	WK_FREE_ALL(before, after);
}

uint32_t *wk_closure_pairs(const struct wk_closure_side *before,
			   const struct wk_closure_side *after)
{
	struct matching m = { .before = before, .after = after };
	uint32_t *pairs = wk_alloc_zeroed((size_t)before->closure_count + 1, sizeof(*pairs));
	bool *is_taken = wk_alloc_zeroed((size_t)after->closure_count + 1, sizeof(*is_taken));
	uint32_t length, *path = match_spots(&m, &length);

	pair_matched(&m, path, length, pairs, is_taken);
	pair_rest(&m, path, length, pairs, is_taken);
	wk_map_fini(&m.last);
	WK_FREE_ALL(m.previous, m.score, m.best_of_row, path, is_taken);
	return pairs;
}
