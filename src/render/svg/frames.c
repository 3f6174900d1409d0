/* The frames as plain rectangles, for viewers without script. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "names/label.h"
#include "render/colours/background.h"
#include "render/colours/kind_colours.h"
#include "render/svg/name_attributes.h"
#include "render/svg/picture.h"
#include "render/svg/write.h"
#include "views/source_line.h"

#define MOST_FRAMES        20000
#define MOST_SCRIPT_FRAMES 2500 /* if the script draws all of them anyway */
#define MOST_MIN_WIDTH     8    /* before levels are left out, not narrow frames */
#define LABEL_INSET        4
#define MOST_CHARACTERS    1000000 /* of a label: fonts may be very small */

static uint64_t weight_of(const struct wk_svg_picture *p, uint32_t node)
{
	return node ? p->tree->total[node] : p->whole;
}

/* What its width is proportional to. */
static uint64_t extent_of(const struct wk_svg_picture *p, uint32_t node)
{
	return p->tree->took_ns ? p->tree->took_ns[node] : weight_of(p, node);
}

static bool is_lane(const struct wk_svg_picture *p, uint32_t node)
{
	return p->tree->is_lane && p->tree->is_lane[node];
}

/* Lanes and the levels above them are drawn however short they are. */
bool wk_svg_is_drawn(const struct wk_svg_picture *p, uint32_t node)
{
	bool is_heading =
		p->tree->is_lane && (is_lane(p, node) || !wk_node_is_code(p->tree->kind[node]));

	return (is_heading || (double)extent_of(p, node) * p->scale >= p->min_width) &&
	       p->tree->depth[node] <= p->deepest;
}

/* Which frames are wide enough; returns how many. */
static uint32_t measure(struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;
	uint32_t wide = 0;

	p->depth = p->too_narrow = 0;
	p->too_narrow_weight = 0;
	for (uint32_t node = 0; node < tree->count;) {
		if (!wk_svg_is_drawn(p, node)) {
			p->too_narrow += tree->end[node] - node;
			p->too_narrow_weight += tree->total[node];
			node = tree->end[node];
			continue;
		}
		if (tree->depth[node] > p->depth)
			p->depth = tree->depth[node];
		wide++;
		node++;
	}
	return wide;
}

/* The level up to which there are not more than `most` frames that are wide enough; the first
 * few are always there. */
static uint32_t deepest_of(const struct wk_svg_picture *p, uint32_t most)
{
	const struct wk_tree *tree = p->tree;
	uint32_t *counts = wk_alloc_zeroed((size_t)tree->depth_max + 1, sizeof(*counts));
	uint32_t depth = 0, count = 0;

	for (uint32_t node = 0; node < tree->count;) {
		bool is_wide = wk_svg_is_drawn(p, node);

		counts[tree->depth[node]] += is_wide;
		node = is_wide ? node + 1 : tree->end[node];
	}
	while (depth <= tree->depth_max && (count += counts[depth]) <= most)
		depth++;
	wk_free(counts);
	return depth > 10 ? depth - 1 : 10;
}

/* A static picture of very many frames is slow to open and shows no more: unless a width was given,
 * it leaves out more of the narrow ones, then the deepest. The script draws from the data in any
 * case. */
void wk_svg_choose_frames(struct wk_svg_picture *p)
{
	const struct wk_drawing *drawing = p->drawing;
	uint32_t most = drawing->has_no_script ? MOST_FRAMES : MOST_SCRIPT_FRAMES, wide;
	bool is_asked = drawing->min_width > 0;

	p->deepest = UINT32_MAX;
	p->min_width = is_asked ? drawing->min_width : 0.1;
	if (drawing->min_width_is_share)
		p->min_width *= (double)(p->width - 2 * WK_SVG_MARGIN) / 100;
	while ((wide = measure(p)) > most && !is_asked && p->min_width < MOST_MIN_WIDTH)
		p->min_width = p->min_width < 0.25 ? 0.25 : p->min_width * 2;
	if (wide > most && !is_asked) {
		p->deepest = deepest_of(p, most);
		measure(p);
	}
	if (p->tree->is_lane)
		wk_svg_place_lanes(p);
	p->height = p->head + (p->depth + 1) * p->row + p->foot;
}

/* Thousandths are printed as decimals of the unit. */
double wk_svg_factor(const struct wk_svg_picture *p)
{
	double factor = p->drawing->factor > 0 ? p->drawing->factor : 1;

	return wk_str_is(p->tree->unit, WK_UNIT_THOUSANDTHS) ? factor / 1000 : factor;
}

struct wk_str wk_svg_unit(const struct wk_svg_picture *p)
{
	return wk_str_is(p->tree->unit, WK_UNIT_THOUSANDTHS) ? wk_str_c("samples") : p->tree->unit;
}

void wk_svg_add_amount(const struct wk_svg_picture *p, uint64_t weight, struct wk_buf *text)
{
	const struct wk_drawing *drawing = p->drawing;
	struct wk_str unit = drawing->count_name ? wk_str_c(drawing->count_name) : wk_svg_unit(p);
	double factor = wk_svg_factor(p);

	if (factor != 1) {
		double scaled = (double)weight * factor + 0.5;

		weight = scaled < 0x1p64 ? (uint64_t)scaled : UINT64_MAX;
	}
	if (!drawing->count_name && wk_str_is(unit, "ns")) {
		wk_num_add_duration(text, weight);
		return;
	}
	if (!drawing->count_name && wk_str_is(unit, "bytes")) {
		wk_num_add_bytes(text, weight);
		return;
	}
	wk_num_add_grouped(text, weight);
	wk_buf_add_char(text, ' ');
	wk_buf_add_str(text, unit);
}

/* Percent to two decimals, without printf: there are many. */
static void add_percent(struct wk_buf *text, double percent)
{
	struct wk_out out = wk_out_to_buf(text);
	uint64_t hundredths = (uint64_t)(percent * 100 + 0.5);

	wk_out_u64(&out, hundredths / 100);
	wk_out_char(&out, '.');
	wk_out_char(&out, (char)('0' + hundredths / 10 % 10));
	wk_out_char(&out, (char)('0' + hundredths % 10));
	wk_out_char(&out, '%');
	wk_out_end(&out);
}

/* The growth of a frame's own weight as a share of the whole, as the older tools count it. */
static void add_older_change(const struct wk_svg_picture *p, uint32_t node, struct wk_buf *text)
{
	const struct wk_tree *tree = p->tree;
	uint64_t before = tree->self_before[node], after = tree->self_after[node];
	bool grew = (after > before) != p->drawing->negates;
	double change = (double)(after > before ? after - before : before - after);

	wk_buf_add_text(text, after == before ? "; " : grew ? "; +" : "; -");
	add_percent(text, 100 * change / (double)p->whole);
}

/* The change of a frame with everything it calls, as a share of its earlier weight, in the words of
 * the script. */
static void add_change(const struct wk_svg_picture *p, uint32_t node, struct wk_buf *text)
{
	uint64_t before = p->tree->total_before[node], after = p->tree->total_after[node];

	wk_buf_add_text(text, "; before ");
	wk_svg_add_amount(p, before, text);
	wk_buf_add_text(text, ", after ");
	wk_svg_add_amount(p, after, text);
	if (before == after)
		wk_buf_add_text(text, ", the same");
	else if (!before || !after)
		wk_buf_add_text(text, before ? ", gone" : ", new");
	else
		wk_buf_add_fmt(text, ", %+.1f %%",
			       100 * ((double)after - (double)before) / (double)before);
	if (before != after && wk_may_be_chance(&p->drawing->sampling, before, after))
		wk_buf_add_text(text, " (may be chance)");
}

/* "name (25 samples, 12.50%)" */
static void frame_title(struct wk_svg_picture *p, uint32_t node)
{
	struct wk_str name = p->names.entries[p->names.of_node[node]].name;
	const struct wk_name_entry *entry = wk_name_attributes_find(p->drawing->attributes, name);
	struct wk_str own_title = wk_name_entry_get(entry, "title");
	uint64_t weight = weight_of(p, node);

	wk_out_text(p->out, "<title>");
	if (own_title.len) {
		wk_svg_text(p->out, own_title);
	} else {
		wk_buf_reset(&p->text);
		wk_buf_add_text(&p->text, " (");
		wk_svg_add_amount(p, weight, &p->text);
		wk_buf_add_text(&p->text, ", ");
		if (node == 0)
			wk_buf_add_text(&p->text, "100%");
		else
			add_percent(&p->text, 100 * (double)weight / (double)p->whole);
		if (p->is_comparison)
			add_change(p, node, &p->text);
		else if (p->tree->total_before && node)
			add_older_change(p, node, &p->text);
		if (p->tree->place && p->tree->place[node]) {
			wk_buf_add_text(&p->text, "; ");
			wk_source_line_add(p->view->model, p->tree->place[node], true, &p->text);
		}
		wk_buf_add_char(&p->text, ')');
		wk_svg_text(p->out,
			    p->tree->kind[node] == WK_NODE_SMALL ? p->tree->name[node] : name);
		wk_svg_text(p->out, wk_buf_str(&p->text));
	}
	wk_out_text(p->out, "</title>");
}

/* As the older tools cut: two dots in place of one end. `room` is at least 3. */
static void cut_plainly(struct wk_buf *label, size_t room, bool at_left)
{
	struct wk_str name = wk_buf_str(label), part = name;
	size_t count = wk_utf8_count(name);
	struct wk_buf cut = { 0 };

	if (count <= room)
		return;
	if (at_left)
		part = wk_str_skip(name, wk_utf8_offset(name, count - (room - 2)));
	else
		part.len = wk_utf8_offset(name, room - 2);
	wk_buf_add_fmt(&cut, at_left ? "..%.*s" : "%.*s..", WK_STR_ARG(part));
	wk_buf_fini(label);
	*label = cut;
}

/* The label of a frame `width` pixels wide, followed by "[inlined]" if it fits. */
static void make_label(struct wk_svg_picture *p, uint32_t node, double width)
{
	static const char inlined[] = " [inlined]";
	struct wk_str name = p->names.entries[p->names.of_node[node]].label;
	double usable = width - LABEL_INSET - 3;
	size_t room = 0;

	if (usable > 0)
		room = usable < p->character * MOST_CHARACTERS ? (size_t)(usable / p->character)
							       : MOST_CHARACTERS;
	wk_buf_reset(&p->text);
	if (room < 3)
		return;
	wk_svg_clean(&p->text, p->tree->kind[node] == WK_NODE_SMALL ? p->tree->name[node] : name);
	if (p->tree->is_inlined[node] && p->text.len + strlen(inlined) <= room)
		wk_buf_add_text(&p->text, inlined);
	if (p->drawing->cuts_left || p->drawing->cuts_right)
		cut_plainly(&p->text, room, p->drawing->cuts_left);
	else
		wk_label_fit(&p->text, room);
}

static void frame_label(struct wk_svg_picture *p, uint32_t node, double x, double y, double width)
{
	unsigned look = p->names.entries[p->names.of_node[node]].look;
	bool is_wide = true;

	if (is_lane(p, node)) {
		double end = p->width - WK_SVG_MARGIN, length;

		make_label(p, node, end - WK_SVG_MARGIN);
		length = (double)wk_utf8_count(wk_buf_str(&p->text)) * p->character + LABEL_INSET +
			 3;
		is_wide = length <= width;
		if (x + length > end)
			x = end - length;
	} else {
		make_label(p, node, width);
	}
	if (p->text.len == 0)
		return;
	wk_out_text(p->out, !is_wide ? "<text class=\"outside\""
			    : p->colours && p->tree->kind[node] != WK_NODE_SMALL
				    ? wk_colour_is_dark(p->colours[node]) ? "<text class=\"w\""
									  : "<text class=\"k\""
			    : look / WK_SHADES == WK_CODE_UNKNOWN ? "<text class=\"un\""
								  : "<text");
	wk_svg_attribute(p->out, "x", x + LABEL_INSET);
	wk_svg_attribute(p->out, "y", y + p->row / 2.0 + p->font_size * 0.34);
	wk_out_char(p->out, '>');
	wk_out_xml(p->out, wk_buf_str(&p->text));
	wk_out_text(p->out, "</text>");
}

/* The element around a frame: a link if its name has one. */
static bool open_frame(struct wk_svg_picture *p, uint32_t node)
{
	struct wk_str name = p->names.entries[p->names.of_node[node]].name;
	const struct wk_name_entry *entry = wk_name_attributes_find(p->drawing->attributes, name);
	bool is_link = wk_name_entry_get(entry, "href").len != 0;

	wk_out_text(p->out, is_link ? "<a" : "<g");
	for (uint32_t i = 0; entry && i < entry->count; i++) {
		const struct wk_name_attribute *attribute = &entry->attributes[i];

		if (wk_str_is(attribute->key, "title") || wk_str_ends(attribute->key, "_extra"))
			continue;
		wk_out_char(p->out, ' ');
		wk_out_str(p->out, attribute->key);
		wk_out_text(p->out, "=\"");
		wk_out_xml(p->out, attribute->value);
		wk_out_char(p->out, '"');
	}
	wk_out_char(p->out, '>');
	return is_link;
}

/* A small gap between neighbours; pictures in the older tools' colours have none. */
static double gap_of(const struct wk_svg_picture *p, double width)
{
	if (p->colours)
		return 0;
	return width > 8 ? 1 : width > 3 ? 0.5 : 0.2;
}

static void frame(struct wk_svg_picture *p, uint32_t node, double x)
{
	double width = (double)extent_of(p, node) * p->scale;
	double shown = width - gap_of(p, width);
	unsigned level = p->row_of ? p->row_of[node] : p->tree->depth[node];
	double y = p->drawing->is_icicle ? p->head + (double)level * p->row
					 : p->height - p->foot - (level + 1.0) * p->row;
	bool is_link = open_frame(p, node);

	frame_title(p, node);
	wk_out_text(p->out, "<rect");
	wk_svg_look(p, node);
	wk_svg_attribute(p->out, "x", x);
	wk_svg_attribute(p->out, "y", y);
	wk_svg_attribute(p->out, "width", shown > 0.1 || p->colours ? shown : 0.1);
	wk_svg_attribute(p->out, "height", p->row - 1);
	wk_out_text(p->out, "/>");
	frame_label(p, node, x, y, width);
	wk_out_text(p->out, is_link ? "</a>\n" : "</g>\n");
}

/* Of a chart with times. */
static void frames_in_time(struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;

	for (uint32_t node = 0; node < tree->count;) {
		uint64_t from = tree->from_ns[node] - tree->from_ns[0];

		if (!wk_svg_is_drawn(p, node)) {
			node = tree->end[node];
			continue;
		}
		if (p->row_of[node] != WK_SVG_NO_ROW)
			frame(p, node, WK_SVG_MARGIN + (double)from * p->scale);
		node++;
	}
}

/* `next` has, for each depth, the start of the next child of the open node at that depth. */
static void frames_in_order(struct wk_svg_picture *p)
{
	const struct wk_tree *tree = p->tree;
	uint64_t *next = wk_alloc_zeroed((size_t)tree->depth_max + 2, sizeof(*next));

	for (uint32_t node = 0; node < tree->count;) {
		uint32_t depth = tree->depth[node];
		uint64_t start = next[depth] + (tree->lead ? tree->lead[node] : 0);

		next[depth] = start + tree->total[node];
		next[depth + 1] = start;
		if (!wk_svg_is_drawn(p, node)) {
			node = tree->end[node];
			continue;
		}
		frame(p, node, WK_SVG_MARGIN + (double)start * p->scale);
		node++;
	}
	wk_free(next);
}

void wk_svg_frames(struct wk_svg_picture *p)
{
	if (p->row_of)
		frames_in_time(p);
	else
		frames_in_order(p);
}
