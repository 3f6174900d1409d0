/* The look of frames: by kind of code, by change in a comparison, or in the colours of a
 * colouring. */
#include "base/mem.h"
#include "base/num.h"
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

static unsigned look_of_change(uint64_t before, uint64_t after, bool negates)
{
	uint64_t larger = before > after ? before : after;
	bool grew = (after > before) != negates;
	double change;
	unsigned level = 0;

	if (before == after)
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
	return look_of_change(p->tree->total_before[node], p->tree->total_after[node],
			      p->drawing->negates);
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

/* The weight of a node itself, without what it calls. In an inverted tree only the functions next
 * to the root were running; those behind them are their callers. */
static uint64_t spent_in(const struct wk_svg_picture *p, uint32_t node)
{
	const struct wk_tree *tree = p->tree;

	if (!p->drawing->is_inverted || !wk_node_is_code(tree->kind[node]))
		return tree->self[node];
	return wk_node_is_code(tree->kind[tree->parent[node]]) ? 0 : tree->total[node];
}

/* The kind with most weight of those not done, or WK_LOOK_KINDS when none is left. */
static unsigned heaviest_kind(const uint64_t *spent, const bool *is_done)
{
	unsigned best = WK_LOOK_KINDS;

	for (unsigned kind = 0; kind < WK_LOOK_KINDS; kind++) {
		if (is_done[kind] || spent[kind] == 0)
			continue;
		if (best == WK_LOOK_KINDS || spent[kind] > spent[best])
			best = kind;
	}
	return best;
}

/* Without a share if there is no weight: a kind that only calls others. */
static void legend_entry(struct wk_svg_picture *p, const char *words, uint64_t weight)
{
	wk_buf_reset(&p->text);
	if (weight) {
		wk_buf_add_char(&p->text, ' ');
		wk_num_add_share(&p->text, weight, p->tree->total[0]);
	}
	wk_out_fmt(p->out, "\">\u25a0</tspan> %s", words);
	wk_out_xml(p->out, wk_buf_str(&p->text));
	wk_out_text(p->out, "\u2003</tspan>");
}

static void kind_entry(struct wk_svg_picture *p, unsigned kind, uint64_t weight)
{
	const char *words = kind != WK_LOOK_STRUCTURE ? wk_kind_colours_name(p->view->model, kind)
			    : weight                  ? "no stack"
						      : "process or thread";

	wk_out_fmt(p->out, "<tspan><tspan class=\"swatch c%u", kind * WK_SHADES + WK_SHADES / 2);
	legend_entry(p, words, weight);
}

static void small_entry(struct wk_svg_picture *p)
{
	if (p->tree->small_weight == 0)
		return;
	wk_out_text(p->out, "<tspan><tspan class=\"swatch few");
	legend_entry(p, "small frames", p->tree->small_weight);
}

/* Own weight of each kind, and which kinds have frames; the root is not a frame that needs an
 * explanation. */
static void sum_kinds(const struct wk_svg_picture *p, uint64_t *spent, bool *is_drawn)
{
	for (uint32_t node = 0; node < p->tree->count; node++) {
		unsigned kind = p->names.entries[p->names.of_node[node]].look / WK_SHADES;

		if (p->tree->kind[node] == WK_NODE_SMALL)
			continue;
		spent[kind] += spent_in(p, node);
		is_drawn[kind] |= node != 0 && wk_svg_is_drawn(p, node);
	}
}

static void legend_of_kinds(struct wk_svg_picture *p)
{
	uint64_t spent[WK_LOOK_KINDS] = { 0 };
	bool is_drawn[WK_LOOK_KINDS] = { false }, is_done[WK_LOOK_KINDS] = { false };
	unsigned kind;

	sum_kinds(p, spent, is_drawn);
	wk_out_text(p->out, "<title>Share of each kind of code, without its callees</title>");
	while ((kind = heaviest_kind(spent, is_done)) != WK_LOOK_KINDS) {
		is_done[kind] = true;
		kind_entry(p, kind, spent[kind]);
	}
	for (kind = 0; kind < WK_LOOK_KINDS; kind++)
		if (is_drawn[kind] && !is_done[kind])
			kind_entry(p, kind, 0);
	small_entry(p);
}

static void swatches(struct wk_out *out, unsigned first, unsigned last, const char *words)
{
	wk_out_text(out, "<tspan>");
	for (unsigned look = first; look <= last; look++)
		wk_out_fmt(out, "<tspan class=\"swatch d%u\">\u25a0</tspan>", look);
	wk_out_fmt(out, " %s\u2003</tspan>", words);
}

/* Is there a frame of this look? Frames that are gone have no width unless they are requested. */
static bool has_change(const struct wk_svg_picture *p, unsigned change)
{
	for (uint32_t node = 0; node < p->tree->count; node++)
		if (p->tree->total[node] && p->tree->kind[node] != WK_NODE_SMALL &&
		    change_of(p, node) == change)
			return true;
	return false;
}

static void legend_of_changes(struct wk_svg_picture *p)
{
	wk_out_text(p->out, "<title>Change of each frame with its callees</title>");
	swatches(p->out, WK_SVG_SAME + 1, WK_SVG_GONE - 1, p->drawing->negates ? "shrank" : "grew");
	swatches(p->out, 0, WK_SVG_SAME - 1, p->drawing->negates ? "grew" : "shrank");
	if (has_change(p, WK_SVG_NEW))
		swatches(p->out, WK_SVG_NEW, WK_SVG_NEW, p->drawing->negates ? "gone" : "new");
	if (has_change(p, WK_SVG_GONE))
		swatches(p->out, WK_SVG_GONE, WK_SVG_GONE, p->drawing->negates ? "new" : "gone");
	swatches(p->out, WK_SVG_SAME, WK_SVG_SAME, "same");
	small_entry(p);
}

void wk_svg_legend(struct wk_svg_picture *p, unsigned y)
{
	wk_out_fmt(p->out, "<text class=\"legend small muted\" x=\"%d\" y=\"%u\">", WK_SVG_MARGIN,
		   y);
	if (p->is_comparison)
		legend_of_changes(p);
	else if (!p->colours)
		legend_of_kinds(p);
	wk_out_text(p->out, "</text>\n");
}
