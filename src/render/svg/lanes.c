/* A flame chart of samples with times: a lane of rows for each thread, and an axis of time.
 *
 * The lanes are stacked, the heaviest first, next to the root. The row of a frame follows from its
 * lane and its depth there; levels outside of lanes, such as processes, have no row. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "render/svg/picture.h"
#include "render/svg/write.h"

#define TICK_PIXELS  100  /* from one to the next, at least */
#define LABEL_PIXELS 60.0 /* next to a tick */

struct lane {
	uint64_t weight;
	uint32_t node, rows, first_row;
};

static uint32_t *lanes_of_nodes(const struct wk_tree *tree)
{
	uint32_t *lane = wk_alloc((size_t)tree->count * sizeof(*lane));

	for (uint32_t i = 0; i < tree->count; i++)
		lane[i] = tree->is_lane[i] ? i : i ? lane[tree->parent[i]] : WK_SVG_NO_ROW;
	return lane;
}

static int heavier_first(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The lanes in the order of their rows; `rows_of` is by node. */
static struct lane *order_lanes(const struct wk_tree *tree, const uint32_t *rows_of, size_t *count)
{
	struct lane *lanes = NULL;
	size_t cap = 0;
	uint32_t row = 0;

	*count = 0;
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->is_lane[i])
			*WK_APPEND(lanes, *count, cap) =
				(struct lane){ tree->total[i], i, rows_of[i], 0 };
	if (*count)
		qsort(lanes, *count, sizeof(*lanes), heavier_first);
	for (size_t i = 0; i < *count; i++) {
		lanes[i].first_row = row;
		row += lanes[i].rows;
	}
	return lanes;
}

void wk_svg_place_lanes(struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;
	uint32_t *lane_of = lanes_of_nodes(tree), lane;
	uint32_t *rows_of = wk_alloc_zeroed(tree->count, sizeof(*rows_of));
	struct lane *lanes;
	size_t count;

	for (uint32_t i = 0; i < tree->count; i++) {
		uint32_t rows;

		lane = lane_of[i];
		if (lane == WK_SVG_NO_ROW || !wk_svg_is_drawn(p, i))
			continue;
		rows = tree->depth[i] - tree->depth[lane] + 1;
		if (rows > rows_of[lane])
			rows_of[lane] = rows;
	}
	lanes = order_lanes(tree, rows_of, &count);
	p->depth = count ? lanes[count - 1].first_row + lanes[count - 1].rows - 1 : 0;
	for (size_t i = 0; i < count; i++)
		rows_of[lanes[i].node] = lanes[i].first_row;
	wk_free(p->row_of);
	p->row_of = wk_alloc((size_t)tree->count * sizeof(*p->row_of));
	for (uint32_t i = 0; i < tree->count; i++) {
		lane = lane_of[i];
		p->row_of[i] = lane == WK_SVG_NO_ROW
				       ? WK_SVG_NO_ROW
				       : rows_of[lane] + tree->depth[i] - tree->depth[lane];
	}
	WK_FREE_ALL(lane_of, rows_of, lanes);
}

/* 1, 2 or 5 times a power of ten, in ns. */
static double tick_step(double least)
{
	double step = pow(10, floor(log10(least)));

	while (step < least)
		step *= step * 2 >= least ? 2 : step * 5 >= least ? 5 : 10;
	return step;
}

/* "1.25 s": with the digits that tell ticks apart. */
static void add_moment(struct wk_buf *text, double ns, double step)
{
	int digits = (int)ceil(9 - log10(step) - 1e-9);

	wk_buf_add_fmt(text, "%.*f s", digits > 0 ? digits : 0, ns / 1e9);
}

/* A line through the frames at each tick, behind them. */
static void tick(struct wk_svg_picture *p, double ns, double step)
{
	double x = WK_SVG_MARGIN + (ns - (double)p->tree->from_ns[0]) * p->scale;

	wk_out_text(p->out, "<path class=\"tick\" d=\"M");
	wk_out_fmt(p->out, "%.2f,%uV%u\"/>", x, p->head - 4, p->height - p->foot);
	if (x > p->width - LABEL_PIXELS)
		return;
	wk_buf_reset(&p->text);
	add_moment(&p->text, ns, step);
	wk_out_fmt(p->out, "<text class=\"small muted\" x=\"%.2f\" y=\"%u\">%s</text>\n", x + 3,
		   p->head - 6, wk_buf_text(&p->text));
}

void wk_svg_axis(struct wk_svg_picture *p)
{
	double from = (double)p->tree->from_ns[0], until = from + (double)p->tree->took_ns[0];
	double step = tick_step(TICK_PIXELS / p->scale), first = ceil(from / step) * step;

	wk_out_text(p->out, "<g class=\"axis\">\n");
	/* Counted, because adding a step may not change a very late moment. */
	for (unsigned i = 0; i <= p->width / TICK_PIXELS && first + i * step <= until; i++)
		tick(p, first + i * step, step);
	wk_out_text(p->out, "</g>\n");
}
