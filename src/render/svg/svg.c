/* A calling tree as one SVG that works from disk.
 *
 * The file contains three things: the picture as plain rectangles, for viewers without script
 * (frames.c); the whole tree as columns (data.c); and a script that draws from the columns whatever
 * is wide enough to be seen, so that zooming shows more than the static picture. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "render/colours/background.h"
#include "render/renderers.h"
#include "render/svg/picture.h"
#include "render/svg/write.h"

/* Built from web/: see meson.build. */
static const char style_css[] =
#include "svg_style.css.inc"
	;
static const char dark_css[] =
#include "svg_dark.css.inc"
	;
/* One script in several files. */
static const char *const script_js[] = {
#include "svg_data.js.inc"
	,
#include "svg_tree.js.inc"
	,
#include "label.js.inc"
	,
#include "amounts.js.inc"
	,
#include "svg_words.js.inc"
	,
#include "svg_draw.js.inc"
	,
#include "svg_lanes.js.inc"
	,
#include "svg_bar.js.inc"
	,
#include "svg_legend.js.inc"
	,
#include "svg_tip.js.inc"
	,
#include "svg_search.js.inc"
	,
#include "svg_turn.js.inc"
	,
#include "svg_shown.js.inc"
	,
#include "svg_help.js.inc"
	,
#include "svg_tools.js.inc"
	,
#include "svg_start.js.inc"
};

#define USUAL_WIDTH     1200
#define LEAST_WIDTH     120
#define USUAL_ROW       18
#define USUAL_FONT_SIZE 12

/* Of the usual fonts, as a part of their size; the script measures, plain pictures guess. */
#define CHARACTER 0.604

static void text_line(struct wk_svg_picture *p, const char *classes, unsigned y, struct wk_str text)
{
	wk_out_fmt(p->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">", classes, WK_SVG_MARGIN, y);
	wk_svg_text(p->out, text);
	wk_out_text(p->out, "</text>\n");
}

static void note_line(struct wk_svg_picture *p, const char *classes, int y, struct wk_str text)
{
	wk_out_fmt(p->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", classes, WK_SVG_MARGIN, y);
	wk_svg_text(p->out, text);
	wk_out_text(p->out, "</text>\n");
}

static void narrow_note(struct wk_svg_picture *p, struct wk_buf *note)
{
	if (p->too_narrow == 0)
		return;
	wk_num_add_counted(note, p->too_narrow, " frame is", " frames are");
	wk_buf_add_fmt(note, " narrower than %g pixel ", p->min_width);
	if (p->deepest != UINT32_MAX)
		wk_buf_add_fmt(note, "or deeper than %" PRIu32 " ", p->deepest);
	wk_buf_add_text(note, "and not drawn here (");
	wk_num_add_share(note, p->too_narrow_weight, p->tree->total[0]);
	wk_buf_add_text(note, " of the whole)");
}

/* The contents of counted boxes; nothing if there are none. */
static void small_note(const struct wk_svg_picture *p, struct wk_buf *note)
{
	const struct wk_tree *tree = p->tree;

	if (tree->small_nodes == 0)
		return;
	wk_buf_add_text(note, "The lightest ");
	wk_num_add_grouped(note, tree->small_nodes);
	wk_buf_add_text(note, tree->took_ns
				      ? " frames are not drawn ("
				      : " frames are merged into hatched boxes that show their "
					"number (");
	wk_num_add_share(note, tree->small_weight, tree->total[0]);
	wk_buf_add_text(note, " of the whole)");
}

/* Ends the line in p->text, if there is one. */
static void end_line(struct wk_svg_picture *p)
{
	if (p->text.len) {
		wk_buf_add_str(&p->lines, wk_buf_str(&p->text));
		wk_buf_add_char(&p->lines, '\0');
		p->line_count++;
	}
	wk_buf_reset(&p->text);
}

/* The lines below the frames: what is missing. */
static void add_lines(struct wk_svg_picture *p)
{
	if (p->view->quality) {
		struct wk_quality quality = *p->view->quality;

		quality.facts_only = true; /* people show pictures to others */
		wk_quality_cpu_line(&quality, &p->text);
		end_line(p);
		wk_quality_missing_line(&quality, &p->text);
		end_line(p);
		wk_quality_closed_line(&quality, &p->text);
		end_line(p);
		wk_quality_stacks_line(&quality, &p->text);
		end_line(p);
	}
	small_note(p, &p->text);
	end_line(p);
	wk_tree_cut_note(p->tree, &p->text);
	end_line(p);
	if (p->drawing->notes) {
		wk_buf_add_text(&p->text, p->drawing->notes);
		end_line(p);
	}
}

#define TITLE_LINE  24
#define LEGEND_LINE 21
#define LINE        18

static bool has_legend(const struct wk_svg_picture *p)
{
	return p->is_comparison || !p->drawing->colouring;
}

/* What was recorded, and how much of it and how well. */
static void add_facts(struct wk_svg_picture *p)
{
	if (p->drawing->subtitle)
		wk_buf_add_text(&p->text, p->drawing->subtitle);
	if (p->view->quality) {
		struct wk_quality quality = *p->view->quality;

		quality.facts_only = true;
		wk_buf_add_text(&p->text, p->text.len ? " \u00b7 " : "");
		wk_quality_line(&quality, &p->text);
	}
}

/* Pixels of a character of the title and of the small text, and between both. */
#define TITLE_CHARACTER 9.2
#define WIDE_CHARACTER  10.5 /* in names of programs, so that the title ends inside the picture */
#define SMALL_CHARACTER 6.4
#define BEHIND_TITLE    12

/* The title, as far as it fits. */
static void title_words(struct wk_svg_picture *p, struct wk_str title)
{
	size_t most = (size_t)((p->width - 2 * WK_SVG_MARGIN) / WIDE_CHARACTER);
	struct wk_str part = title;

	if (wk_utf8_count(title) <= most) {
		wk_out_text(p->out, "<tspan>");
		wk_svg_text(p->out, title);
	} else {
		part.len = wk_utf8_offset(title, most ? most - 1 : 0);
		wk_out_text(p->out, "<tspan data-whole=\"");
		wk_svg_text(p->out, title);
		wk_out_text(p->out, "\">");
		wk_svg_text(p->out, part);
		wk_out_text(p->out, "\u2026");
	}
	wk_out_text(p->out, "</tspan>");
}

/* The facts behind the title, as far as they fit; the script measures, and gets all of them. */
static void facts_behind(struct wk_svg_picture *p, const char *title, struct wk_str facts)
{
	double room = ((double)p->width - 2 * WK_SVG_MARGIN - BEHIND_TITLE -
		       TITLE_CHARACTER * (double)wk_utf8_count(wk_str_c(title))) /
		      SMALL_CHARACTER;
	size_t most = room > 1 ? (size_t)room - 1 : 0, len = 0;
	struct wk_str rest = facts;

	wk_out_fmt(p->out, "<tspan class=\"facts small muted\" dx=\"%d\"", BEHIND_TITLE);
	if (wk_utf8_count(facts) <= most) {
		wk_out_char(p->out, '>');
		wk_svg_text(p->out, facts);
	} else {
		for (; most > 0 && rest.len; most--)
			wk_utf8_next(&rest);
		len = facts.len - rest.len;
		wk_out_text(p->out, " data-whole=\"");
		wk_svg_text(p->out, facts);
		wk_out_text(p->out, "\">");
		wk_svg_text(p->out, wk_str_of(facts.at, len));
		wk_out_text(p->out, len ? "\u2026" : "");
	}
	wk_out_text(p->out, "</tspan>");
}

/* The part that stays in sight while the frames scroll: the title and the facts, then the legend,
 * or the facts if there is none. */
static void bar(struct wk_svg_picture *p)
{
	const char *title = p->drawing->title ? p->drawing->title : "Flame graph";

	wk_out_fmt(p->out,
		   "<g class=\"bar\"><rect class=\"page cover\" width=\"%u\" height=\"%u\"/>\n",
		   p->width, p->head - 2);
	wk_out_fmt(p->out, "<text class=\"title ink\" x=\"%d\" y=\"%d\">", WK_SVG_MARGIN,
		   TITLE_LINE);
	title_words(p, wk_str_c(title));
	wk_buf_reset(&p->text);
	add_facts(p);
	if (has_legend(p))
		facts_behind(p, title, wk_buf_str(&p->text));
	wk_out_text(p->out, "</text>\n");
	if (has_legend(p))
		wk_svg_legend(p, TITLE_LINE + LEGEND_LINE);
	else
		text_line(p, "facts legend small muted", TITLE_LINE + LEGEND_LINE,
			  wk_buf_str(&p->text));
	wk_out_text(p->out, "</g>\n");
}

/* Lines below the frames; their origin is the lower end of the picture. */
static void notes(struct wk_svg_picture *p)
{
	struct wk_str lines = wk_buf_str(&p->lines), line;
	int y = -9 - (int)p->line_count * LINE;

	wk_out_fmt(p->out, "<g class=\"notes\" transform=\"translate(0,%u)\">\n", p->height);
	wk_buf_reset(&p->text);
	narrow_note(p, &p->text);
	if (p->text.len || !p->drawing->has_no_script)
		note_line(p, "narrow small muted", y, wk_buf_str(&p->text));
	while (wk_str_split(lines, '\0', &line, &lines))
		note_line(p, "small muted", y += LINE, line);
	wk_out_text(p->out, "</g>\n");
}

static void flag(struct wk_out *out, const char *name, bool value)
{
	wk_out_fmt(out, "\"%s\":%s,", name, value ? "true" : "false");
}

static void settings(struct wk_svg_picture *p)
{
	static const char *const orders[] = {
		[WK_TREE_BY_WEIGHT] = "weight", [WK_TREE_BY_NAME] = "name",
		[WK_TREE_BY_TEXT] = "text",     [WK_TREE_BY_TIME] = "time",
		[WK_TREE_UNSORTED] = "text",
	};
	static const char *const sides[] = {
		[WK_TREE_AFTER] = "after",
		[WK_TREE_BEFORE] = "before",
		[WK_TREE_LARGER] = "larger",
		[WK_TREE_AFTER_AND_GONE] = "gone",
	};
	const struct wk_drawing *drawing = p->drawing;
	struct wk_out *out = p->out;

	wk_out_fmt(out,
		   "{\"margin\":%d,\"row\":%u,\"head\":%u,\"foot\":%u,\"width\":%u,"
		   "\"height\":%u,\"font\":%g,\"order\":\"%s\",\"factor\":%.17g,\n",
		   WK_SVG_MARGIN, p->row, p->head, p->foot, p->width, p->height, p->font_size,
		   orders[drawing->order], wk_svg_factor(p));
	flag(out, "icicle", drawing->is_icicle);
	flag(out, "reversed", drawing->is_inverted);
	flag(out, "fixed", drawing->has_fixed_width);
	flag(out, "chart", drawing->is_chart);
	flag(out, "comparison", p->is_comparison);
	flag(out, "coloured", p->colours);
	flag(out, "negates", drawing->negates);
	flag(out, "cutsLeft", drawing->cuts_left);
	flag(out, "cutsRight", drawing->cuts_right);
	wk_out_fmt(out, "\"side\":\"%s\",",
		   sides[p->is_comparison ? drawing->side : WK_TREE_AFTER]);
	if (p->is_comparison)
		wk_out_fmt(out, "\"chance\":[%.9g,%.9g],", drawing->sampling.before,
			   drawing->sampling.after);
	wk_out_text(out, "\"countName\":");
	wk_svg_quoted(out, wk_str_c(drawing->count_name));
	wk_out_text(out, ",\"nameType\":");
	wk_svg_quoted(out, wk_str_c(drawing->name_type));
	wk_out_text(out, ",\n");
}

/* The tree with all inlined functions, and its names. */
static void full_data(const struct wk_svg_picture *p)
{
	const struct wk_view *view = p->view;
	struct wk_svg_picture full = *p;

	if (!view->full)
		return;
	full.tree = view->full;
	wk_svg_names_init(&full.names, &p->shown, view->model, full.tree,
			  view->drawing.keeps_marks);
	wk_svg_find_colours(&full);
	wk_svg_name_data(&full, true);
	wk_out_text(p->out, "<script type=\"application/json\" class=\"full\">{");
	wk_svg_data(&full);
	wk_out_text(p->out, "}</script>\n");
	wk_svg_names_fini(&full.names);
	if (full.colours)
		wk_free(full.colours);
}

static void script(struct wk_svg_picture *p)
{
	wk_svg_name_data(p, false);
	full_data(p);
	wk_out_text(p->out, "<script type=\"application/json\" class=\"data\">");
	settings(p);
	wk_svg_data(p);
	wk_out_text(p->out, "}</script>\n<script><![CDATA[\n");
	for (size_t i = 0; i < sizeof(script_js) / sizeof(script_js[0]); i++)
		wk_out_text(p->out, script_js[i]);
	wk_out_text(p->out, "]]></script>\n");
}

/* A font's name as a string of CSS; what could end the string or the style is escaped. */
static void css_string(struct wk_out *out, const char *text)
{
	wk_out_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c > 0x7e || strchr("\"\\<>&'", c))
			wk_out_fmt(out, "\\%x ", c);
		else
			wk_out_char(out, (char)c);
	}
	wk_out_char(out, '"');
}

/* Names of generic font families in CSS must not be quoted. */
static void font_family(struct wk_out *out, const char *font)
{
	static const char *const generic[] = { "monospace", "serif", "sans-serif", "cursive",
					       "fantasy", "system-ui", NULL };

	if (wk_str_is_one_of(wk_str_c(font), generic)) {
		wk_out_text(out, font);
		return;
	}
	css_string(out, font);
	wk_out_text(out, ",monospace");
}

static void asked_css(struct wk_svg_picture *p)
{
	const struct wk_drawing *drawing = p->drawing;
	uint32_t found;

	if (drawing->font) {
		wk_out_text(p->out, ".wick .frames text,.wick .mono{font-family:");
		font_family(p->out, drawing->font);
		wk_out_text(p->out, "}\n");
	}
	if (drawing->font_size > 0)
		wk_out_fmt(p->out, ".wick .frames text,.wick .mono{font-size:%gpx}\n",
			   p->font_size);
	if (drawing->search_colour && wk_colour_read(wk_str_c(drawing->search_colour), &found))
		wk_out_fmt(p->out, ".wick .frames .hit{fill:%s}\n.wick .frames text.hit{fill:%s}\n",
			   drawing->search_colour, wk_colour_is_dark(found) ? "#fff" : "#000");
}

static void dark_rules(struct wk_svg_picture *p)
{
	wk_svg_looks_css(p, true);
	wk_out_text(p->out, dark_css);
}

/* One background for all: behind the fixed part above the frames only the upper colour is used, and
 * the window uses it around a picture of a fixed width. */
static void background_css(struct wk_svg_picture *p, const struct wk_background *background)
{
	const char *ink;

	wk_out_fmt(p->out,
		   ".wick .page{fill:url(#wick-page)}\n.wick .cover{fill:#%06" PRIx32
		   "}\nsvg.wick{background:#%06" PRIx32 " linear-gradient(#%06" PRIx32
		   " var(--wick-head,%upx),#%06" PRIx32 ") fixed}\n",
		   background->top, background->bottom, background->top, p->head,
		   background->bottom);
	ink = wk_colour_is_dark(background->top) ? "#fff" : "#000";
	wk_out_fmt(p->out, ".wick .ink,.wick .muted{fill:%s}\n.wick .tools{color:%s}\n", ink, ink);
}

static void background_gradient(struct wk_svg_picture *p, const struct wk_background *background)
{
	wk_out_fmt(p->out,
		   "<linearGradient id=\"wick-page\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" "
		   "x2=\"0\" y1=\"%u\" y2=\"%u\">"
		   "<stop offset=\"0\" stop-color=\"#%06" PRIx32 "\"/>"
		   "<stop offset=\"1\" stop-color=\"#%06" PRIx32 "\"/></linearGradient>",
		   p->head, p->height, background->top, background->bottom);
}

/* Light and dark follow the viewer, unless a background was given. */
static void style(struct wk_svg_picture *p)
{
	struct wk_background background;
	bool is_asked = p->drawing->background &&
			wk_background_read(wk_str_c(p->drawing->background), &background);

	wk_out_text(p->out, "<style>\n");
	wk_svg_looks_css(p, false);
	wk_out_text(p->out, style_css);
	if (!is_asked) {
		wk_out_text(p->out, "@media (prefers-color-scheme: dark) {\n");
		dark_rules(p);
		wk_out_text(p->out, "}\n");
	} else if (wk_colour_is_dark(background.top)) {
		dark_rules(p);
	}
	if (is_asked)
		background_css(p, &background);
	asked_css(p);
	wk_out_text(p->out, "</style>\n<defs>");
	wk_out_text(p->out, "<pattern id=\"wick-few\" width=\"6\" height=\"6\" "
			    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
			    "<rect class=\"few-back\" width=\"6\" height=\"6\"/>"
			    "<rect class=\"few-line\" width=\"2.5\" height=\"6\"/></pattern>");
	if (is_asked)
		background_gradient(p, &background);
	wk_out_text(p->out, "</defs>\n");
}

static void document(struct wk_svg_picture *p)
{
	struct wk_str title = wk_str_c(p->drawing->title ? p->drawing->title : "Flame graph");

	wk_out_fmt(p->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick\" width=\"%u\" "
		   "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\" aria-label=\"",
		   p->width, p->height, p->width, p->height);
	wk_svg_text(p->out, title);
	wk_out_text(p->out, "\">\n<title>");
	wk_svg_text(p->out, title);
	wk_out_text(p->out, "</title>\n");
	style(p);
	wk_out_fmt(p->out, "<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n", p->width,
		   p->height);
	if (p->row_of)
		wk_svg_axis(p);
	wk_out_text(p->out, "<g class=\"graph\"><g class=\"frames\">\n");
	wk_svg_frames(p);
	wk_out_text(p->out, "</g></g>\n");
	bar(p);
	notes(p);
	if (!p->drawing->has_no_script)
		script(p);
	wk_out_text(p->out, "</svg>\n");
}

static void choose_sizes(struct wk_svg_picture *p)
{
	const struct wk_drawing *drawing = p->drawing;
	double character = drawing->font_width > 0 ? drawing->font_width : CHARACTER;

	p->width = drawing->width ? drawing->width : USUAL_WIDTH;
	if (p->width < LEAST_WIDTH)
		p->width = LEAST_WIDTH;
	p->row = drawing->frame_height ? drawing->frame_height : USUAL_ROW;
	p->font_size = drawing->font_size > 0 ? drawing->font_size : USUAL_FONT_SIZE;
	p->character = p->font_size * character;
	p->head = TITLE_LINE + LEGEND_LINE + 10 + (p->tree->is_lane ? WK_SVG_AXIS : 0);
	p->foot = WK_SVG_FOOT + (p->line_count + 1) * LINE;
	p->whole = p->tree->total[0] > drawing->total ? p->tree->total[0] : drawing->total;
	p->scale = (double)(p->width - 2 * WK_SVG_MARGIN) /
		   (double)(p->tree->took_ns ? p->tree->took_ns[0] : p->whole);
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_tree *tree = view->tree;
	struct wk_svg_picture p = {
		.view = view,
		.drawing = &view->drawing,
		.tree = tree,
		.out = out,
		.is_comparison = tree->total_before && !view->drawing.colouring,
	};

	if (tree->total[0] == 0)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "there are no samples to draw");
	add_lines(&p);
	choose_sizes(&p);
	if (!view->drawing.cuts_left && !view->drawing.cuts_right)
		wk_shown_names_init(&p.shown, view->model);
	wk_svg_names_init(&p.names, &p.shown, view->model, tree, view->drawing.keeps_marks);
	wk_svg_choose_frames(&p);
	wk_svg_find_colours(&p);
	document(&p);
	wk_svg_names_fini(&p.names);
	wk_shown_names_fini(&p.shown);
	WK_BUF_FINI_ALL(&p.text, &p.lines);
	WK_FREE_ALL(p.colours, p.row_of);
	return true;
}

const struct wk_renderer wk_renderer_svg = {
	.name = "svg",
	.summary = "an interactive flame graph, one file for any browser",
	.wants = WK_RENDER_TREE,
	.render = render,
};
