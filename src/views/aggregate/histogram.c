#include "views/aggregate/histogram.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "views/aggregate/internal.h"

#define NOWHERE UINT32_MAX

/* ---- bins */

/* A walk through times that are mostly in order. */
struct bin {
	const struct wk_time_bins *of;
	uint32_t number;
	uint64_t from_ns, end_ns; /* end: of the next bin's begin; of the last one UINT64_MAX */
};

static uint64_t bin_begin(const struct wk_time_bins *bins, uint32_t number)
{
	uint64_t span = bins->to_ns - bins->from_ns;
	uint64_t rest = span % bins->count * number;

	/* Rounded up: the first moment of the bin. */
	return bins->from_ns + span / bins->count * number + rest / bins->count +
	       (rest % bins->count != 0);
}

static struct bin bin_at(const struct wk_time_bins *bins, uint32_t number)
{
	return (struct bin){ bins, number, bin_begin(bins, number),
			     number + 1 < bins->count ? bin_begin(bins, number + 1) : UINT64_MAX };
}

/* False if the moment is in no bin. */
static bool seek(struct bin *bin, uint64_t time_ns)
{
	uint32_t low = 0, high = bin->of->count - 1;

	if (time_ns < bin->of->from_ns || time_ns > bin->of->to_ns)
		return false;
	if (time_ns >= bin->from_ns && time_ns < bin->end_ns)
		return true;
	WK_BISECT(low, high, bin_begin(bin->of, middle + 1) <= time_ns);
	*bin = bin_at(bin->of, low);
	return true;
}

/* The first row from `low` on that is not before a moment. */
static uint32_t row_at(const struct wk_event_rows *rows, uint32_t low, uint32_t high,
		       uint64_t time_ns)
{
	WK_BISECT(low, high, wk_event_row_time(rows, middle) < time_ns);
	return low;
}

/* ---- sums by place: a place is a node that is listed, or the only one */

struct histogram {
	const struct wk_event_rows *rows;
	const struct wk_time_bins *bins;
	struct wk_selected_rows selected;
	const uint32_t *place_of; /* by node, or NOWHERE; NULL: all are in place 0 */
	const uint32_t *node_of;  /* by row */
	int64_t *sums;
};

static int64_t sum_of_rows(const struct wk_number_column *weights, const uint64_t *bits,
			   uint32_t low, uint32_t high)
{
	uint64_t sum = 0;

	for (uint32_t row = wk_row_next(bits, low, high); row < high;
	     row = wk_row_next(bits, row + 1, high))
		sum += wk_number_at(weights, row);
	return (int64_t)sum;
}

static void add(struct histogram *h, uint32_t row, uint32_t bin, int64_t weight)
{
	uint32_t place = h->place_of ? h->place_of[h->node_of[row]] : 0;

	if (place != NOWHERE)
		h->sums[(size_t)place * h->bins->count + bin] += weight;
}

static void add_to_bin(struct histogram *h, uint32_t bin, uint32_t low, uint32_t high)
{
	const uint64_t *bits = h->selected.bits;

	if (!h->place_of) {
		h->sums[bin] += sum_of_rows(&h->rows->weight, bits, low, high);
		return;
	}
	for (uint32_t row = wk_row_next(bits, low, high); row < high;
	     row = wk_row_next(bits, row + 1, high)) {
		uint32_t next = row + WK_ROWS_AHEAD < high ? row + WK_ROWS_AHEAD : row;

		__builtin_prefetch(&h->place_of[h->node_of[next]]);
		add(h, row, bin, (int64_t)wk_number_at(&h->rows->weight, row));
	}
}

/* Rows are in order of time: those of a bin follow each other. */
static void add_rows(struct histogram *h)
{
	const struct wk_selected_rows *s = &h->selected;
	uint32_t low = row_at(h->rows, s->low, s->high, h->bins->from_ns);
	uint32_t end = h->bins->to_ns < UINT64_MAX
			       ? row_at(h->rows, low, s->high, h->bins->to_ns + 1)
			       : s->high;

	for (uint32_t bin = 0; bin < h->bins->count; bin++) {
		uint32_t high = bin + 1 < h->bins->count
					? row_at(h->rows, low, end, bin_begin(h->bins, bin + 1))
					: end;

		add_to_bin(h, bin, low, high);
		low = high;
	}
}

static void add_ends(struct histogram *h)
{
	const struct wk_selected_rows *s = &h->selected;
	struct bin bin = bin_at(h->bins, 0);

	for (uint32_t i = s->end_low; i < s->end_high; i++)
		if (wk_selected_end(s, i) && seek(&bin, s->ends->time_ns[i]))
			add(h, s->ends->row[i], bin.number,
			    s->sign * (int64_t)wk_number_at(&s->ends->weight, i));
}

static void fill(struct histogram *h, const struct wk_row_selection *selection)
{
	assert(h->bins->count);
	if (h->bins->from_ns > h->bins->to_ns)
		return;
	wk_selected_rows_init(&h->selected, h->rows, selection);
	add_rows(h);
	add_ends(h);
	wk_selected_rows_fini(&h->selected);
}

void wk_histogram(const struct wk_event_rows *rows, const struct wk_row_selection *selection,
		  const struct wk_time_bins *bins, int64_t *sums)
{
	struct histogram h = { .rows = rows, .bins = bins, .sums = sums };

	memset(sums, 0, bins->count * sizeof(*sums));
	fill(&h, selection);
}

/* ---- levels */

/* What processes left when they ended is gone, as at snapshots. */
static struct wk_row_selection of_levels(const struct wk_event_rows *rows, const uint64_t *bits,
					 uint64_t to_ns)
{
	static const struct wk_span all = { .is_given = true, .to = { UINT32_MAX, UINT32_MAX, 0 } };

	return (struct wk_row_selection){ .to_ns = to_ns, .bits = bits,
					  .span = rows->by_number.count ? &all : NULL,
					  .ends_have_time = true,
					  .measure = WK_MEASURE_OUTSTANDING };
}

static int64_t level_before(const struct wk_event_rows *rows, const uint64_t *bits,
			    uint64_t time_ns)
{
	struct wk_row_selection selection = of_levels(rows, bits, time_ns - 1);
	struct wk_selected_rows s;
	int64_t level;

	if (time_ns == 0)
		return 0;
	wk_selected_rows_init(&s, rows, &selection);
	level = sum_of_rows(&rows->weight, s.bits, s.low, s.high);
	for (uint32_t i = s.end_low; i < s.end_high; i++)
		if (wk_selected_end(&s, i))
			level -= (int64_t)wk_number_at(&s.ends->weight, i);
	wk_selected_rows_fini(&s);
	return level;
}

void wk_histogram_levels(const struct wk_event_rows *rows, const uint64_t *bits,
			 const struct wk_time_bins *bins, int64_t *levels)
{
	struct wk_row_selection selection = of_levels(rows, bits, bins->to_ns);
	int64_t level = level_before(rows, bits, bins->from_ns);

	wk_histogram(rows, &selection, bins, levels);
	for (uint32_t i = 0; i < bins->count; i++)
		level = levels[i] += level;
}

/* ---- nodes */

/* What each place is part of. */
struct places {
	uint32_t *of_node; /* by node: the listed node that it is or, of its callers, the nearest */
	uint32_t *above;   /* by place: the place of a caller, or NOWHERE */
	struct wk_sort_key *in_order; /* of nodes */
};

static struct places find_places(const struct wk_tree_shape *shape, const uint32_t *nodes,
				 uint32_t count)
{
	struct places p = { .of_node = wk_alloc_table((size_t)shape->count * sizeof(*p.of_node)),
			    .above = wk_alloc(((size_t)count + 1) * sizeof(*p.above)),
			    .in_order = wk_alloc(((size_t)count + 1) * sizeof(*p.in_order)) };
	uint32_t next = 0;

	for (uint32_t i = 0; i < count; i++)
		p.in_order[i] = (struct wk_sort_key){ nodes[i], i };
	wk_sort_keys(p.in_order, count);
	for (uint32_t node = 0; node < shape->count; node++) {
		p.of_node[node] = node ? p.of_node[shape->parent[node]] : NOWHERE;
		/* One that is listed twice is a part of itself. */
		for (; next < count && p.in_order[next].key == node; next++) {
			p.above[p.in_order[next].row] = p.of_node[node];
			p.of_node[node] = p.in_order[next].row;
		}
	}
	for (; next < count; next++) /* unknown nodes */
		p.above[p.in_order[next].row] = NOWHERE;
	return p;
}

void wk_histogram_of_nodes(const struct wk_tree_shape *shape,
			   const struct wk_row_selection *selection,
			   const struct wk_time_bins *bins, const uint32_t *nodes, uint32_t count,
			   int64_t *sums)
{
	struct places places = find_places(shape, nodes, count);
	struct histogram h = { .rows = shape->rows, .bins = bins, .place_of = places.of_node,
			       .node_of = shape->node_of, .sums = sums };

	if (count)
		memset(sums, 0, (size_t)count * bins->count * sizeof(*sums));
	fill(&h, selection);
	for (uint32_t i = count; i-- > 0;) {
		uint32_t place = places.in_order[i].row, above = places.above[place];

		for (uint32_t bin = 0; above != NOWHERE && bin < bins->count; bin++)
			sums[(size_t)above * bins->count + bin] +=
				sums[(size_t)place * bins->count + bin];
	}
	WK_FREE_ALL(places.of_node, places.above, places.in_order);
}
