/* A calling tree as one SVG that works from disk.
 *
 * The file holds three things: the picture as plain rectangles, for viewers without script;
 * the whole tree as columns (svg_data.c); and a script that draws from the columns what is
 * wide enough to be seen, so that zooming shows what the plain picture could not. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "render/label.h"
#include "render/palette.h"
#include "render/renderers.h"
#include "render/svg_data.h"

/* Built from web/: see meson.build. */
static const char style_css[] =
#include "svg_style.css.inc"
	;
static const char script_js[] =
#include "svg_script.js.inc"
	;

#define MARGIN 12
#define ROW    18
#define FOOT   12

#define MOST_PLAIN_FRAMES 20000

/* Of the usual fonts at 12 pixels; the script measures, plain pictures must guess. */
#define CHARACTER_WIDTH 7.25

struct picture {
	const struct wk_view *view;
	const struct wk_tree *tree;
	struct wk_out *out;
	struct wk_svg_names names;
	unsigned width, height;
	unsigned head;               /* where frames begin */
	double scale;                /* pixels a unit of weight */
	double min_width;
	uint32_t depth;              /* of the deepest frame that is drawn */
	uint32_t too_narrow;         /* frames left out of the plain picture ... */
	uint64_t too_narrow_weight;  /* ... and the weight of them all */
	uint64_t kind_self[WK_LOOK_KINDS];
};

static void clean(struct wk_buf *text, struct wk_str name)
{
	struct wk_out out = wk_out_to_buf(text);

	wk_out_term(&out, name);
	wk_out_end(&out);
}

static void xml_text(struct wk_out *out, struct wk_str text)
{
	struct wk_buf readable = { 0 };

	clean(&readable, text);
	wk_out_xml(out, wk_buf_str(&readable));
	wk_buf_fini(&readable);
}

/* What is spent in a node itself and not in what it calls. In an inverted tree only the
 * functions next to the root were running; those behind them are their callers. */
static uint64_t spent_in(const struct picture *p, uint32_t node)
{
	const struct wk_tree *tree = p->tree;

	if (!p->view->drawing.is_inverted || tree->kind[node] != WK_NODE_FUNCTION)
		return tree->self[node];
	return tree->kind[tree->parent[node]] == WK_NODE_FUNCTION ? 0 : tree->total[node];
}

static void sum_kinds(struct picture *p)
{
	for (uint32_t node = 0; node < p->tree->count; node++)
		p->kind_self[p->names.entries[p->names.of_node[node]].look / WK_SHADES] +=
			spent_in(p, node);
}

/* Which frames are wide enough; returns how many. */
static uint32_t measure(struct picture *p)
{
	const struct wk_tree *tree = p->tree;
	uint32_t wide = 0;

	p->depth = p->too_narrow = 0;
	p->too_narrow_weight = 0;
	for (uint32_t node = 0; node < tree->count;) {
		if ((double)tree->total[node] * p->scale < p->min_width) {
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

/* A plain picture of very many frames is slow to open and tells no more: unless a width was
 * asked for, it leaves out more of the narrow ones. The script draws from the data and does
 * not care. */
static void choose_frames(struct picture *p)
{
	bool is_asked = p->view->drawing.min_width > 0;

	p->min_width = is_asked ? p->view->drawing.min_width : 0.1;
	while (measure(p) > MOST_PLAIN_FRAMES && !is_asked && p->min_width < 1)
		p->min_width = p->min_width < 0.25 ? 0.25 : p->min_width * 2;
	p->height = p->head + (p->depth + 1) * ROW + FOOT;
}

/* The label of a frame `width` pixels wide, with "[inl]" behind it where there is room. */
static void add_label(struct wk_buf *label, const struct picture *p, uint32_t node, double width)
{
	size_t room = width > 7 ? (size_t)((width - 7) / CHARACTER_WIDTH) : 0;
	static const char inlined[] = " [inl]";

	clean(label, p->tree->name[node]);
	if (p->tree->is_inlined[node] && label->len + strlen(inlined) <= room)
		wk_buf_add_text(label, inlined);
	wk_label_fit(label, room);
}

static void frame_label(struct picture *p, uint32_t node, double x, unsigned y, double width)
{
	const struct wk_svg_name *name = &p->names.entries[p->names.of_node[node]];
	struct wk_buf label = { 0 };

	add_label(&label, p, node, width);
	if (label.len) {
		wk_out_fmt(p->out, "<text%s x=\"%.2f\" y=\"%u\">",
			   wk_palette_is_unknown(name->look / WK_SHADES) ? " class=\"un\"" : "",
			   x + 4, y + ROW - 5);
		wk_out_xml(p->out, wk_buf_str(&label));
		wk_out_text(p->out, "</text>");
	}
	wk_buf_fini(&label);
}

static void frame(struct picture *p, uint32_t node, double x)
{
	const struct wk_tree *tree = p->tree;
	double width = (double)tree->total[node] * p->scale;
	double gap = width > 8 ? 1 : width > 3 ? 0.5 : 0.2;
	unsigned level = tree->depth[node];
	unsigned y = p->view->drawing.is_icicle ? p->head + level * ROW
						: p->height - FOOT - (level + 1) * ROW;
	struct wk_buf share = { 0 };

	wk_num_add_share(&share, tree->total[node], tree->total[0]);
	wk_out_text(p->out, "<g><title>");
	xml_text(p->out, tree->name[node]);
	wk_out_text(p->out, ", ");
	wk_out_xml(p->out, wk_buf_str(&share));
	wk_out_fmt(p->out,
		   "</title><rect class=\"c%u%s\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" "
		   "height=\"%d\"/>",
		   p->names.entries[p->names.of_node[node]].look,
		   tree->is_inlined[node] ? " in" : "", x, y,
		   width - gap > 0.1 ? width - gap : 0.1, ROW - 1);
	frame_label(p, node, x, y, width);
	wk_out_text(p->out, "</g>\n");
	wk_buf_fini(&share);
}

/* `next` holds, for each depth, where the next child of that depth's open node begins. */
static void frames(struct picture *p)
{
	const struct wk_tree *tree = p->tree;
	uint64_t *next = wk_alloc_zeroed((size_t)tree->depth_max + 2, sizeof(*next));

	for (uint32_t node = 0; node < tree->count;) {
		uint32_t depth = tree->depth[node];
		uint64_t start = next[depth];

		next[depth] += tree->total[node];
		next[depth + 1] = start;
		if ((double)tree->total[node] * p->scale < p->min_width) {
			node = tree->end[node];
			continue;
		}
		frame(p, node, MARGIN + (double)start * p->scale);
		node++;
	}
	free(next);
}

/* The kind with most weight of those not done, or WK_LOOK_KINDS when none is left. */
static unsigned heaviest_kind(const struct picture *p, const bool *is_done)
{
	unsigned best = WK_LOOK_KINDS;

	for (unsigned kind = 0; kind < WK_LOOK_KINDS; kind++) {
		if (is_done[kind] || p->kind_self[kind] == 0)
			continue;
		if (best == WK_LOOK_KINDS || p->kind_self[kind] > p->kind_self[best])
			best = kind;
	}
	return best;
}

/* One text, so that its pieces stand side by side whatever the font. */
static void legend(struct picture *p, unsigned y)
{
	bool is_done[WK_LOOK_KINDS] = { false };
	unsigned kind;

	wk_out_fmt(p->out, "<text class=\"legend small muted\" x=\"%d\" y=\"%u\">"
			   "<title>Share of each kind of code, without what it calls</title>",
		   MARGIN, y);
	while ((kind = heaviest_kind(p, is_done)) != WK_LOOK_KINDS) {
		struct wk_buf share = { 0 };

		is_done[kind] = true;
		wk_num_add_share(&share, p->kind_self[kind], p->tree->total[0]);
		wk_out_fmt(p->out, "<tspan><tspan class=\"swatch c%u\">\u25a0</tspan> %s ",
			   kind * WK_SHADES + WK_SHADES / 2,
			   kind == WK_LOOK_STRUCTURE ? "no stack" : wk_palette_kind_name(kind));
		wk_out_xml(p->out, wk_buf_str(&share));
		wk_out_text(p->out, "\u2003</tspan>");
		wk_buf_fini(&share);
	}
	wk_out_text(p->out, "</text>\n");
}

static void text_line(struct picture *p, const char *classes, unsigned y, struct wk_str text)
{
	wk_out_fmt(p->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">", classes, MARGIN, y);
	xml_text(p->out, text);
	wk_out_text(p->out, "</text>\n");
}

static void narrow_note(struct picture *p, struct wk_buf *note)
{
	if (p->too_narrow == 0)
		return;
	wk_num_add_grouped(note, p->too_narrow);
	wk_buf_add_fmt(note, " %s narrower than %g pixel not drawn here (",
		       p->too_narrow == 1 ? "frame is" : "frames are", p->min_width);
	wk_num_add_share(note, p->too_narrow_weight, p->tree->total[0]);
	wk_buf_add_text(note, " of the whole)");
}

/* What stays in sight while the frames scroll: title, what was recorded and how well, the
 * legend, and two lines for the frame that is pointed at. */
static void bar(struct picture *p)
{
	const struct wk_drawing *drawing = &p->view->drawing;
	struct wk_buf text = { 0 };
	unsigned y = 27;

	wk_out_fmt(p->out,
		   "<g class=\"bar\"><rect class=\"page cover\" width=\"%u\" height=\"%u\"/>\n",
		   p->width, p->head - 2);
	text_line(p, "title ink", y, wk_str_c(drawing->title ? drawing->title : "Flame graph"));
	if (drawing->subtitle)
		text_line(p, "line small muted", y += 20, wk_str_c(drawing->subtitle));
	if (p->view->quality) {
		wk_quality_line(p->view->quality, &text);
		text_line(p, "line small muted", y += 18, wk_buf_str(&text));
		wk_buf_reset(&text);
		wk_quality_closed_line(p->view->quality, &text);
		if (text.len)
			text_line(p, "line small muted", y += 18, wk_buf_str(&text));
	}
	legend(p, y += 20);
	wk_out_text(p->out, "<g>");
	wk_buf_reset(&text);
	narrow_note(p, &text);
	text_line(p, "detail small muted", y += 24, wk_buf_str(&text));
	text_line(p, "detail small muted", y += 17, (struct wk_str){ 0 });
	wk_out_text(p->out, "</g></g>\n");
	wk_buf_fini(&text);
}

static unsigned head_height(const struct wk_view *view)
{
	unsigned lines = view->quality ? 1 + (view->quality->closed_count != 0) : 0;

	return 27 + (view->drawing.subtitle ? 20 : 0) + lines * 18 + 20 + 24 + 17 + 9;
}

static void script(struct picture *p)
{
	const struct wk_drawing *drawing = &p->view->drawing;

	wk_out_fmt(p->out,
		   "<script type=\"application/json\" class=\"data\">{\"margin\":%d,\"row\":%d,"
		   "\"head\":%u,\"foot\":%d,\"width\":%u,\"height\":%u,",
		   MARGIN, ROW, p->head, FOOT, p->width, p->height);
	wk_out_fmt(p->out, "\"icicle\":%s,\"inverted\":%s,\"fixed\":%s,\n",
		   drawing->is_icicle ? "true" : "false",
		   drawing->is_inverted ? "true" : "false",
		   drawing->has_fixed_width ? "true" : "false");
	wk_svg_data(p->out, p->view->model, p->tree, &p->names);
	wk_out_text(p->out, "}</script>\n<script><![CDATA[\n");
	wk_out_text(p->out, script_js);
	wk_out_text(p->out, "]]></script>\n");
}

static void document(struct picture *p)
{
	const char *title = p->view->drawing.title;

	wk_out_fmt(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick\" width=\"%u\" "
			   "height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		   p->width, p->height, p->width, p->height);
	xml_text(p->out, wk_str_c(title ? title : "Flame graph"));
	wk_out_text(p->out, "</title>\n<style>\n");
	wk_palette_css(p->out);
	wk_out_text(p->out, style_css);
	wk_out_fmt(p->out, "</style>\n<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n",
		   p->width, p->height);
	wk_out_text(p->out, "<g class=\"graph\"><g class=\"frames\">\n");
	frames(p);
	wk_out_text(p->out, "</g></g>\n");
	bar(p);
	script(p);
	wk_out_text(p->out, "</svg>\n");
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_drawing *drawing = &view->drawing;
	struct picture p = {
		.view = view,
		.tree = view->tree,
		.out = out,
		.width = drawing->width ? drawing->width : 1200,
		.head = head_height(view),
	};

	if (view->tree->total[0] == 0)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "there are no samples to draw");
	if (p.width < 2 * MARGIN + 100)
		p.width = 2 * MARGIN + 100;
	p.scale = (double)(p.width - 2 * MARGIN) / (double)view->tree->total[0];
	wk_svg_names_init(&p.names, view->model, view->tree);
	sum_kinds(&p);
	choose_frames(&p);
	document(&p);
	wk_svg_names_fini(&p.names);
	return true;
}

const struct wk_renderer wk_renderer_svg = {
	.name = "svg",
	.summary = "an interactive flame graph, one file for any browser",
	.suffix = ".svg",
	.wants = WK_RENDER_TREE,
	.render = render,
};
