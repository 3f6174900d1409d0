/* The look of frames: by kind of code, by change in a comparison, or in the colours of a
 * colouring. */
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "render/colours/colouring.h"
#include "render/colours/kind_colours.h"
#include "render/svg/picture.h"
#include "render/svg/write.h"

/* Orange grew, blue shrank, purple is new, green is gone: distinguishable with colour blindness,
 * and the stronger the change, the greater the contrast with the page. */
static const struct colours {
	uint32_t light, dark;
} change_colours[WK_SVG_CHANGES] = {
	{ 0x4a8ccb, 0x4a9df0 }, { 0x7caede, 0x6ea5da }, { 0xaecdec, 0x80a3c4 },
	{ 0xd8e6f5, 0x8397ab }, { 0xe9ebed, 0x7f878f }, { 0xfae3d0, 0xa48f80 },
	{ 0xf6c299, 0xc4976f }, { 0xee9a5c, 0xe09458 }, { 0xdd7630, 0xf58433 },
	{ 0x3fae8d, 0x3fb391 }, { 0xcf80b0, 0xd688b8 },
};

/* The share of its larger side by which a frame must change to reach the next level. */
static const double level_starts[WK_SVG_CHANGE_LEVELS] = { 0.01, 0.1, 0.25, 0.5 };

static unsigned look_of_change(const struct wk_drawing *drawing, uint64_t before, uint64_t after)
{
	uint64_t larger = before > after ? before : after;
	bool grew = (after > before) != drawing->negates;
	double change;
	unsigned level = 0;

	if (wk_may_be_chance(&drawing->sampling, before, after))
		return WK_SVG_SAME;
	if (before == 0 || after == 0)
		return grew ? WK_SVG_NEW : WK_SVG_GONE;
	change = (double)(larger - (before < after ? before : after)) / (double)larger;
	while (level < WK_SVG_CHANGE_LEVELS && change >= level_starts[level])
		level++;
	return grew ? WK_SVG_SAME + level : WK_SVG_SAME - level;
}

void wk_svg_find_colours(struct wk_svg_picture *p)
{
	if (!p->drawing->colouring)
		return;
	p->colours = wk_alloc_zeroed(p->tree->count, sizeof(*p->colours));
	for (uint32_t node = 0; node < p->tree->count; node++)
		p->colours[node] = wk_colouring_of(p->drawing->colouring, p->tree, node);
}

static unsigned change_of(const struct wk_svg_picture *p, uint32_t node)
{
	return look_of_change(p->drawing, p->tree->total_before[node], p->tree->total_after[node]);
}

/* Inlined frames are paler, unless the intensity of a colour means the amount of change. */
static bool is_paler(const struct wk_svg_picture *p, uint32_t node)
{
	return p->tree->is_inlined[node] && !p->colours && !p->is_comparison &&
	       p->tree->kind[node] != WK_NODE_SMALL;
}

void wk_svg_look(const struct wk_svg_picture *p, uint32_t node)
{
	bool is_small = p->tree->kind[node] == WK_NODE_SMALL;

	if (p->colours && !is_small) {
		wk_out_text(p->out, " fill=\"");
		wk_svg_colour(p->out, p->colours[node]);
	} else if (is_small) {
		wk_out_text(p->out, " class=\"few");
	} else if (p->is_comparison) {
		wk_out_text(p->out, " class=\"d");
		wk_out_u64(p->out, change_of(p, node));
	} else {
		wk_out_text(p->out, " class=\"c");
		wk_out_u64(p->out, p->names.entries[p->names.of_node[node]].look);
	}
	wk_out_text(p->out, is_paler(p, node) ? " in\"" : "\"");
}

void wk_svg_looks_css(const struct wk_svg_picture *p, bool is_dark)
{
	if (p->colours)
		return;
	if (!p->is_comparison) {
		wk_kind_colours_css(p->out, is_dark);
		return;
	}
	for (unsigned i = 0; i < WK_SVG_CHANGES; i++) {
		wk_out_text(p->out, ".wick .d");
		wk_out_u64(p->out, i);
		wk_out_text(p->out, "{fill:");
		wk_svg_colour(p->out, is_dark ? change_colours[i].dark : change_colours[i].light);
		wk_out_text(p->out, "}\n");
	}
}

/* ---- the legend: what each colour is, its own weight and that of everything it calls */

/* Of a kind of code. */
struct share {
	uint64_t self, total;
	bool is_drawn;
};

/* The weight of a node itself, without what it calls. In an inverted tree only the functions next
 * to the root were running; those behind them are their callers. */
static uint64_t spent_in(const struct wk_svg_picture *p, uint32_t node)
{
	const struct wk_tree *tree = p->tree;

	if (!p->drawing->is_inverted || !wk_node_is_code(tree->kind[node]))
		return tree->self[node];
	return wk_node_is_code(tree->kind[tree->parent[node]]) ? 0 : tree->total[node];
}

static unsigned kind_of(const struct wk_svg_picture *p, uint32_t node)
{
	return p->names.entries[p->names.of_node[node]].look / WK_SHADES;
}

/* A kind's total counts a stack once, however often the kind occurs in it. */
static void sum_kinds(const struct wk_svg_picture *p, struct share *shares)
{
	const struct wk_tree *tree = p->tree;
	uint16_t *kinds = wk_alloc_zeroed(tree->count, sizeof(*kinds)); /* of it and its callers */

	_Static_assert(WK_LOOK_KINDS <= 16, "a kind is a bit");
	for (uint32_t node = 0; node < tree->count; node++) {
		unsigned kind = kind_of(p, node);
		uint16_t above = node ? kinds[tree->parent[node]] : 0;

		kinds[node] = above | (uint16_t)(1u << kind);
		if (tree->kind[node] == WK_NODE_SMALL)
			continue;
		shares[kind].self += spent_in(p, node);
		if (!(above >> kind & 1))
			shares[kind].total += tree->total[node];
		shares[kind].is_drawn |= node != 0 && wk_svg_is_drawn(p, node);
	}
	wk_free(kinds);
}

/* The program, then the others by their own weight. WK_LOOK_KINDS if none is left. */
static unsigned next_kind(const struct share *shares, const bool *is_done)
{
	unsigned best = WK_LOOK_KINDS;

	for (unsigned kind = 0; kind < WK_LOOK_KINDS; kind++) {
		const struct share *share = &shares[kind];

		if (is_done[kind] || !(share->is_drawn || share->self))
			continue;
		if (kind == WK_CODE_PROGRAM)
			return kind;
		if (best == WK_LOOK_KINDS || share->self > shares[best].self)
			best = kind;
	}
	return best;
}

/* "4.0 % self / 99.0 % total" */
static void add_shares(struct wk_svg_picture *p, const struct share *share, bool explains)
{
	wk_num_add_share(&p->text, share->self, p->tree->total[0]);
	wk_buf_add_text(&p->text, explains ? " self / " : " / ");
	wk_num_add_share(&p->text, share->total, p->tree->total[0]);
	wk_buf_add_text(&p->text, explains ? " total" : "");
}

/* Pixels of a character of the legend, and of what separates two entries. */
#define CHARACTER 6.4
#define BETWEEN   32

static bool is_legend_full(const struct wk_svg_picture *p)
{
	return p->legend_end > p->width;
}

/* Opens an entry for the text at hand. A still flame graph shows those that fit; the script finds
 * out itself which do. */
static void begin_entry(struct wk_svg_picture *p, const char *attributes)
{
	p->legend_end += CHARACTER * (double)wk_utf8_count(wk_buf_str(&p->text)) + BETWEEN;
	wk_out_fmt(p->out, "<tspan%s%s>", attributes,
		   is_legend_full(p) ? " style=\"display:none\"" : "");
}

static void end_entry(struct wk_svg_picture *p)
{
	wk_out_xml(p->out, wk_buf_str(&p->text));
	wk_out_text(p->out, "\u2003</tspan>");
	wk_buf_reset(&p->text);
}

static void kind_entry(struct wk_svg_picture *p, unsigned kind, const struct share *share,
		       bool is_first)
{
	char attributes[48];

	wk_buf_add_text(&p->text, kind == WK_LOOK_STRUCTURE
					  ? "no stack"
					  : wk_kind_colours_name(p->view->model, kind));
	wk_buf_add_char(&p->text, ' ');
	if (kind == WK_LOOK_STRUCTURE)
		wk_num_add_share(&p->text, share->self, p->tree->total[0]);
	else
		add_shares(p, share, is_first);
	snprintf(attributes, sizeof(attributes), " class=\"key\" data-kind=\"%u\"", kind);
	begin_entry(p, attributes);
	wk_out_fmt(p->out, "<tspan class=\"swatch c%u\">\u25a0</tspan> ",
		   kind * WK_SHADES + WK_SHADES / 2);
	end_entry(p);
}

static void small_entry(struct wk_svg_picture *p)
{
	if (p->tree->small_weight == 0)
		return;
	wk_buf_add_text(&p->text, "small frames ");
	wk_num_add_share(&p->text, p->tree->small_weight, p->tree->total[0]);
	begin_entry(p, "");
	wk_out_text(p->out, "<tspan class=\"swatch few\">\u25a0</tspan> ");
	end_entry(p);
}

/* Processes and threads need no explanation, unless they have samples without a stack. */
static void legend_of_kinds(struct wk_svg_picture *p)
{
	struct share shares[WK_LOOK_KINDS] = { 0 };
	bool is_done[WK_LOOK_KINDS] = { false }, is_first = true;
	unsigned kind;

	sum_kinds(p, shares);
	is_done[WK_LOOK_STRUCTURE] = shares[WK_LOOK_STRUCTURE].self == 0;
	while ((kind = next_kind(shares, is_done)) != WK_LOOK_KINDS) {
		is_done[kind] = true;
		kind_entry(p, kind, &shares[kind], is_first);
		is_first = false;
	}
	small_entry(p);
}

/* Own weights by how they changed. What may be chance is more in some frames and less in others. */
enum change_sum {
	SUM_GREW,
	SUM_SHRANK,
	SUM_NEW,
	SUM_GONE,
	SUM_MORE_BY_CHANCE,
	SUM_LESS_BY_CHANCE,
	SUM_COUNT,
};

static enum change_sum change_kind(const struct wk_sampling *sampling, uint64_t before,
				   uint64_t after)
{
	if (wk_may_be_chance(sampling, before, after))
		return after > before ? SUM_MORE_BY_CHANCE : SUM_LESS_BY_CHANCE;
	if (!before || !after)
		return before ? SUM_GONE : SUM_NEW;
	return after > before ? SUM_GREW : SUM_SHRANK;
}

static void sum_changes(const struct wk_svg_picture *p, uint64_t *sums)
{
	for (uint32_t node = 0; node < p->tree->count; node++) {
		uint64_t before = p->tree->self_before[node], after = p->tree->self_after[node];

		if (before != after)
			sums[change_kind(&p->drawing->sampling, before, after)] +=
				after > before ? after - before : before - after;
	}
}

static void add_change_share(struct wk_svg_picture *p, bool is_more, uint64_t change)
{
	uint64_t whole = p->tree->total_before[0];

	if (!whole)
		return;
	wk_buf_add_text(&p->text, !change ? "" : is_more ? "+" : "\u2212");
	wk_num_add_share(&p->text, change, whole);
}

static void change_entry(struct wk_svg_picture *p, unsigned first, unsigned last, const char *words,
			 bool is_more, uint64_t change)
{
	wk_buf_add_fmt(&p->text, " %s ", words);
	add_change_share(p, is_more, change);
	begin_entry(p, "");
	for (unsigned look = first; look <= last; look++)
		wk_out_fmt(p->out, "<tspan class=\"swatch d%u\">\u25a0</tspan>", look);
	end_entry(p);
}

/* With what is left of it in all, so that the entries add up to the whole. */
static void chance_entry(struct wk_svg_picture *p, uint64_t more, uint64_t less)
{
	wk_buf_add_text(&p->text, " may be chance ");
	add_change_share(p, more > less, more > less ? more - less : less - more);
	begin_entry(p, "");
	wk_out_fmt(p->out, "<tspan class=\"swatch d%u\">\u25a0</tspan>", WK_SVG_SAME);
	end_entry(p);
}

static void whole_entry(struct wk_svg_picture *p)
{
	uint64_t before = p->tree->total_before[0], after = p->tree->total_after[0];

	wk_svg_add_amount(p, before, &p->text);
	wk_buf_add_text(&p->text, " \u2192 ");
	wk_svg_add_amount(p, after, &p->text);
	wk_buf_add_text(&p->text, " (");
	if (before == after)
		wk_buf_add_text(&p->text, "the same");
	else
		add_change_share(p, after > before,
				 after > before ? after - before : before - after);
	wk_buf_add_char(&p->text, ')');
	begin_entry(p, "");
	end_entry(p);
}

/* The colour of what grew, or with --negate of what shrank, is the first. */
static void legend_of_changes(struct wk_svg_picture *p)
{
	uint64_t sums[SUM_COUNT] = { 0 };
	bool negates = p->drawing->negates;

	sum_changes(p, sums);
	whole_entry(p);
	change_entry(p, WK_SVG_SAME + 1, WK_SVG_GONE - 1, negates ? "shrank" : "grew", !negates,
		     sums[negates ? SUM_SHRANK : SUM_GREW]);
	change_entry(p, 0, WK_SVG_SAME - 1, negates ? "grew" : "shrank", negates,
		     sums[negates ? SUM_GREW : SUM_SHRANK]);
	change_entry(p, WK_SVG_NEW, WK_SVG_NEW, negates ? "gone" : "new", !negates,
		     sums[negates ? SUM_GONE : SUM_NEW]);
	change_entry(p, WK_SVG_GONE, WK_SVG_GONE, negates ? "new" : "gone", negates,
		     sums[negates ? SUM_NEW : SUM_GONE]);
	if (sums[SUM_MORE_BY_CHANCE] || sums[SUM_LESS_BY_CHANCE])
		chance_entry(p, sums[SUM_MORE_BY_CHANCE], sums[SUM_LESS_BY_CHANCE]);
	small_entry(p);
}

void wk_svg_legend(struct wk_svg_picture *p, unsigned y)
{
	wk_buf_reset(&p->text);
	p->legend_end = WK_SVG_MARGIN;
	wk_out_fmt(p->out, "<text class=\"legend small muted\" x=\"%d\" y=\"%u\">", WK_SVG_MARGIN,
		   y);
	if (p->is_comparison)
		legend_of_changes(p);
	else if (!p->colours)
		legend_of_kinds(p);
	if (is_legend_full(p))
		wk_out_text(p->out, "<tspan class=\"rest\">\u2026</tspan>");
	wk_out_text(p->out, "</text>\n");
}
