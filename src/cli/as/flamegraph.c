/* Folded stacks to a picture, as flamegraph.pl and inferno-flamegraph draw it. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/as/tool.h"
#include "session/fold/fold_model.h"
#include "session/picture.h"

/* The older tools keep all frames that are wide enough to be drawn, in order. A limit merges the
 * lightest ones and so moves others; this one is about 30 MB of SVG. */
#define MOST_FRAMES 4000000

struct args {
	struct wk_as_inferno_args inferno;
	struct wk_drawing drawing; /* what the tools name alike */
	const char *name_attributes, *encoding, *colours;
	const char *ui_colour, *stroke_colour;
	const char *min_width; /* pixels, or percent with a '%' behind: the scripts */
	double min_share;      /* percent: inferno; 0: as usual */
	uint64_t width, height;
	double total;
	bool hash, random, deterministic, by_width, keeps_colours;
	bool reverse, no_sort, pretty;
	struct wk_text_list base;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt common_options[] = {
	WK_TEXT(0, "title", "STRING", "title above the flame graph", AT(drawing.title)),
	WK_TEXT(0, "subtitle", "STRING", "second line below the title", AT(drawing.subtitle)),
	WK_VALUE(0, "width", "UINT", "width in pixels [default: 1200, or the window's for inferno]",
	  WK_OPT_NUMBER, AT(width)),
	WK_VALUE(0, "height", "UINT", "height of a frame in pixels [default: 16]", WK_OPT_NUMBER,
	  AT(height)),
	WK_TEXT(0, "fonttype", "STRING", "font of the frames [default: Verdana, or monospace for "
	  "inferno]", AT(drawing.font)),
	WK_VALUE(0, "fontsize", "UINT", "font size in pixels [default: 12]", WK_OPT_REAL,
	  AT(drawing.font_size)),
	WK_VALUE(0, "fontwidth", "FLOAT", "width of a character relative to the font size "
	  "[default: 0.59]", WK_OPT_REAL, AT(drawing.font_width)),
	WK_TEXT(0, "countname", "STRING", "unit of the counts [default: samples]",
	  AT(drawing.count_name)),
	WK_TEXT(0, "nametype", "STRING", "label before the name of a frame [default: Function:]",
	  AT(drawing.name_type)),
	WK_TEXT(0, "bgcolors", "STRING", "background: yellow, blue, green, grey or #rrggbb",
	  AT(drawing.background)),
	WK_FLAG(0, "hash", "similar colours for names that start alike", AT(hash)),
	WK_FLAG(0, "cp", "read and update the colours in palette.map", AT(keeps_colours)),
	WK_FLAG(0, "reverse", "start with the innermost function: callers above callees",
	  AT(reverse)),
	WK_FLAG('i', "inverted", "draw the outermost function on top", AT(drawing.is_icicle)),
	WK_FLAG(0, "flamechart", "order by time and do not merge equal stacks",
	  AT(drawing.is_chart)),
	WK_FLAG(0, "negate", "swap the colours of a comparison", AT(drawing.negates)),
	WK_TEXT(0, "nameattr", "PATH", "links and titles for functions", AT(name_attributes)),
	WK_TEXT(0, "notes", "STRING", "a note in the flame graph", AT(drawing.notes)),
	WK_VALUE(0, "factor", "FLOAT", "multiply printed numbers by this", WK_OPT_REAL,
	  AT(drawing.factor)),
	{ 0 },
};

static const struct wk_opt_group common = { "Flame graph", common_options };

static const struct wk_opt script_options[] = {
	WK_TEXT(0, "minwidth", "NUM", "hide narrower frames: pixels, or percent of the whole such "
	  "as 1% [default: 0.1]", AT(min_width)),
	WK_TEXT(0, "colors", "PALETTE", "hot, mem, io, wakeup, chain, java, js, perl, red, green, "
	  "blue, aqua, yellow, purple or orange [default: hot]", AT(colours)),
	WK_FLAG(0, "random", "random colours", AT(random)),
	WK_VALUE(0, "total", "NUM", "the weight of the full width, if it is more than was counted",
	  WK_OPT_REAL, AT(total)),
	WK_TEXT(0, "encoding", "NAME", "encoding of the names in the input [default: UTF-8]",
	  AT(encoding)),
	{ 0 },
};

static const char *const inferno_palettes[] = {
	"aqua", "blue", "green", "hot", "io", "java", "js", "mem", "orange", "perl", "python",
	"purple", "red", "rust", "wakeup", "yellow", NULL };

static const struct wk_opt inferno_options[] = {
	WK_FLAG(0, "deterministic", "same colour for a name in every flame graph", AT(deterministic)),
	WK_FLAG(0, "truncate-text-right", "shorten long names at the end", AT(drawing.cuts_right)),
	WK_FLAG(0, "no-javascript", "write a still flame graph without script",
	  AT(drawing.has_no_script)),
	WK_FLAG(0, "no-sort", "the lines are sorted already; it is an error if they are not",
	  AT(no_sort)),
	WK_FLAG(0, "pretty-xml", "accepted and ignored: the flame graph is not indented", AT(pretty)),
	{ 'c', "colors", "STRING", "colours of the frames [default: hot]", WK_OPT_CHOICE,
	  AT(colours), inferno_palettes },
	WK_FLAG(0, "colordiffusion", "colour by width: the wider, the redder", AT(by_width)),
	WK_TEXT(0, "uicolor", "#RRGGBB", "accepted and ignored: text has the more readable colour",
	  AT(ui_colour)),
	WK_VALUE(0, "minwidth", "FLOAT", "hide narrower frames, in percent of the whole [default: "
	  "0.01]", WK_OPT_REAL, AT(min_share)),
	WK_TEXT(0, "search-color", "STRING", "colour #rrggbb of matching frames [default: #e600e6]",
	  AT(drawing.search_colour)),
	WK_TEXT(0, "stroke-color", "STRING", "accepted and ignored: frames have no outline",
	  AT(stroke_colour)),
	WK_VALUE(0, "base", "STRING", "start stacks at this function and leave out stacks without "
	  "it; may be repeated", WK_OPT_LIST, AT(base)),
	{ 0 },
};

/* Options that exclude each other, and values that are none. */
static const char *conflict(const struct args *args)
{
	if (args->hash && args->deterministic)
		return "error: the argument '--hash' cannot be used with '--deterministic'";
	if (args->by_width && args->colours)
		return "error: the argument '--colordiffusion' cannot be used with "
		       "'--colors <STRING>'";
	if (args->reverse && args->no_sort)
		return "error: the argument '--reverse' cannot be used with '--no-sort'";
	if (args->drawing.is_chart && args->no_sort)
		return "error: the argument '--flamechart' cannot be used with '--no-sort'";
	if (args->drawing.is_chart && args->reverse)
		return "error: the argument '--flamechart' cannot be used with '--reverse'";
	return NULL;
}

static bool check_colours(const struct args *args, bool is_inferno, struct wk_err *err)
{
	struct wk_background background;
	enum wk_palette palette;
	uint32_t colour;

	if (args->colours && !wk_palette_find(wk_str_c(args->colours), &palette))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Unrecognized colors option \"%s\"",
			       args->colours);
	if (args->drawing.background &&
	    !wk_background_read(wk_str_c(args->drawing.background), &background))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       is_inferno ? "error: invalid value '%s' for '--bgcolors <STRING>': "
					    "unknown background color"
					  : "Unrecognized bgcolor option \"%s\"",
			       args->drawing.background);
	if (args->drawing.search_colour &&
	    !wk_colour_read(wk_str_c(args->drawing.search_colour), &colour))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: invalid value '%s' for '--search-color <STRING>': unknown "
			       "color",
			       args->drawing.search_colour);
	return true;
}

static bool check(const struct args *args, bool is_inferno, struct wk_err *err)
{
	const char *wrong = is_inferno ? conflict(args) : NULL;

	if (!is_inferno && args->drawing.notes && strpbrk(args->drawing.notes, "<>"))
		wrong = "Notes string can't contain < or >";
	if (args->width > 1000000 || args->height > 1000 || args->height < 3)
		wrong = "the flame graph can be up to 1000000 pixels wide, and a frame 3 to 1000 "
			"high";
	if (wrong)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wrong);
	return check_colours(args, is_inferno, err);
}

#define SCRIPT_DREW_NOTHING 2 /* the exit code of flamegraph.pl then */

struct flamegraph {
	const struct wk_as_call *call;
	const struct args *args;
	bool is_inferno;
	struct wk_picture picture;
};

static void warn(void *context, struct wk_str text)
{
	const struct flamegraph *f = context;

	if (!f->args->inferno.quiet)
		wk_as_warn(f->call->tool, text);
}

static void warn_of_attribute(void *context, const char *why, struct wk_str name,
			      struct wk_str attribute)
{
	struct wk_buf text = { 0 };

	/* What inferno would have taken, and wick does not, is unsafe; all else is no attribute. */
	if (strcmp(why, "unsafe attribute") == 0 && !wk_str_starts(attribute, "on") &&
	    !wk_str_starts(attribute, "style=") && !wk_str_starts(attribute, "href="))
		why = "invalid attribute";
	wk_buf_add_fmt(&text, "%s: %.*s of %.*s", why, WK_STR_ARG(attribute), WK_STR_ARG(name));
	warn(context, wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* ---- how it is drawn */

static const char *usual_title(const struct wk_drawing *drawing)
{
	if (drawing->is_chart)
		return "Flame Chart";
	return drawing->is_icicle ? "Icicle Graph" : "Flame Graph";
}

static bool read_min_width(struct flamegraph *f, struct wk_err *err)
{
	struct wk_str text = wk_str_c(f->args->min_width);

	f->picture.drawing.min_width = f->args->min_share;
	f->picture.drawing.min_width_is_share = f->is_inferno;
	if (!f->is_inferno) {
		f->picture.drawing.min_width_is_share = wk_str_ends(text, "%");
		text.len -= f->picture.drawing.min_width_is_share;
		if (!wk_num_real(text, &f->picture.drawing.min_width))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "Value \"%s\" invalid for option minwidth (number expected)",
				       f->args->min_width);
	}
	if (f->picture.drawing.min_width <= 0) /* asked for, it means all */
		f->picture.drawing.min_width = 1e-9;
	return true;
}

static const char *usual_background(enum wk_palette palette)
{
	static const char *const backgrounds[] = {
		[WK_PALETTE_MEM] = "green",    [WK_PALETTE_IO] = "blue",
		[WK_PALETTE_WAKEUP] = "blue",  [WK_PALETTE_CHAIN] = "blue",
		[WK_PALETTE_RED] = "grey",     [WK_PALETTE_GREEN] = "grey",
		[WK_PALETTE_BLUE] = "grey",    [WK_PALETTE_AQUA] = "grey",
		[WK_PALETTE_YELLOW] = "grey",  [WK_PALETTE_PURPLE] = "grey",
		[WK_PALETTE_ORANGE] = "grey",
	};

	return backgrounds[palette] ? backgrounds[palette] : "yellow";
}

static enum wk_colour_choice choice_of(const struct flamegraph *f)
{
	const struct args *args = f->args;

	if (args->by_width)
		return WK_COLOUR_BY_WIDTH;
	if (args->hash)
		return WK_COLOUR_BY_HASH;
	if (args->deterministic || (!f->is_inferno && !args->random))
		return WK_COLOUR_BY_NAME;
	return WK_COLOUR_BY_CHANCE;
}

static bool set_colours(struct flamegraph *f, struct wk_err *err)
{
	struct wk_drawing *drawing = &f->picture.drawing;
	struct wk_colouring_options options = {
		.palette = WK_PALETTE_HOT,
		.choice = choice_of(f),
		.dialect = f->is_inferno ? WK_COLOUR_INFERNO : WK_COLOUR_PERL,
		.is_comparison = true,
		.negates = drawing->negates,
		.min_share = drawing->min_width / 100,
	};

	if (f->args->colours)
		wk_palette_find(wk_str_c(f->args->colours), &options.palette);
	if (!drawing->min_width_is_share)
		options.min_share = drawing->min_width / (drawing->width - 20.0);
	if (!drawing->background)
		drawing->background = usual_background(options.palette);
	return wk_picture_colour(&f->picture, &options,
				 f->args->keeps_colours ? WK_COLOUR_MAP : NULL, err);
}

static void warn_of_colours(struct flamegraph *f)
{
	struct wk_buf text = { 0 };

	if (wk_picture_bad_colours(&f->picture, &text))
		warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static bool settle(struct flamegraph *f, struct wk_err *err)
{
	const struct args *args = f->args;
	struct wk_drawing *drawing = &f->picture.drawing;

	if (!check(args, f->is_inferno, err))
		return false;
	*drawing = args->drawing;
	if (!drawing->title)
		drawing->title = usual_title(drawing);
	drawing->width = args->width ? (unsigned)args->width : 1200;
	drawing->frame_height = (unsigned)args->height;
	drawing->has_fixed_width = args->width || !f->is_inferno;
	drawing->cuts_left = f->is_inferno && !drawing->cuts_right;
	drawing->cuts_right = !drawing->cuts_left;
	if (!drawing->search_colour)
		drawing->search_colour = "#e600e6";
	drawing->order = drawing->is_chart ? WK_TREE_BY_TIME : WK_TREE_BY_TEXT;
	if (drawing->width < 100)
		drawing->width = 100;
	return read_min_width(f, err) && set_colours(f, err) &&
	       (!args->name_attributes || wk_picture_attributes(&f->picture, args->name_attributes,
								warn_of_attribute, f, err));
}

/* ---- the picture */

/* A picture of the error, for viewers of a file without stacks. */
static void draw_nothing(const struct flamegraph *f, unsigned width)
{
	wk_out_fmt(f->call->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"60\">"
		   "<text x=\"50%%\" y=\"24\" text-anchor=\"middle\">"
		   "ERROR: No valid input provided to %s</text></svg>\n",
		   width, f->call->tool->name);
}

#define MOST_TOTAL 1e18 /* pictures of more are as narrow as a line */

/* A total below what was counted is ignored, with a warning if it is not just a little below. */
static void set_total(struct flamegraph *f, const struct wk_tree *tree)
{
	double unit = wk_str_is(tree->unit, WK_UNIT_THOUSANDTHS) ? 1000 : 1;
	double total = f->args->total, counted = (double)tree->total[0] / unit;
	struct wk_buf text = { 0 };

	if (total <= 0)
		return;
	if (total >= counted) {
		f->picture.drawing.total =
			total < MOST_TOTAL / unit ? (uint64_t)(total * unit) : (uint64_t)MOST_TOTAL;
		return;
	}
	wk_buf_add_fmt(&text, "Specified --total %.15g is less than actual total %.15g, so ignored",
		       total, counted);
	if (total / counted > 0.02)
		warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void report_merged(struct flamegraph *f)
{
	const struct wk_tree *tree = &f->picture.tree;
	struct wk_buf text = { 0 };

	if (tree->small_nodes == 0)
		return;
	wk_buf_add_fmt(
		&text,
		"%u frames: the lightest %u of them were merged, so that the places of others "
		"differ",
		tree->count + tree->small_nodes, tree->small_nodes);
	warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static bool draw(struct flamegraph *f, const struct wk_model *model, struct wk_err *err)
{
	f->picture.folding = (struct wk_tree_options){
		.merge_images = true,
		.merge_files = true,
		.is_chart = f->picture.drawing.is_chart,
		.most_nodes = MOST_FRAMES,
		.order = f->picture.drawing.order,
	};
	if (!wk_picture_fold_all(&f->picture, model, err))
		return false;
	if (!f->picture.tree.total[0])
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "No stack counts found");
	set_total(f, &f->picture.tree);
	report_merged(f);
	return wk_picture_draw(&f->picture, f->call->out, err);
}

static bool make(struct flamegraph *f, struct wk_err *err)
{
	const char **paths = wk_words_paths(f->call->words);
	struct wk_fold_input input = {
		.paths = paths,
		.dialect = f->is_inferno ? WK_COLLAPSE_INFERNO : WK_COLLAPSE_PERL,
		.encoding = f->args->encoding,
		.base = f->args->base.at,
		.reverses_stacks = f->args->reverse,
		.reverses_lines = f->picture.drawing.is_chart && f->is_inferno,
		.must_be_sorted = f->args->no_sort,
		.warn = warn,
		.context = f,
	};
	struct wk_model *model = wk_fold_model_open(&input, err);
	bool ok = model && draw(f, model, err);

	wk_model_free(model);
	wk_free(paths);
	return ok;
}

static int run(const struct wk_as_call *call, struct wk_err *err)
{
	struct flamegraph f = {
		.call = call,
		.args = call->args,
		.is_inferno = call->tool->kind->family == WK_AS_INFERNO,
	};
	bool ok = settle(&f, err);
	unsigned width = f.picture.drawing.width;
	int exit_code;

	if (ok)
		warn_of_colours(&f);
	ok = ok && make(&f, err);
	ok = wk_picture_end(&f.picture, ok, err) && ok;
	exit_code = ok ? WK_EXIT_DONE : WK_EXIT_FAILED;
	if (!ok && (err->code == WK_EFORMAT || err->code == WK_EEMPTY)) {
		draw_nothing(&f, width);
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "No stack counts found");
		exit_code = f.is_inferno ? WK_EXIT_FAILED : SCRIPT_DREW_NOTHING;
	}
	return exit_code;
}

static void prepare(void *args, const struct wk_as_tool *tool)
{
	struct args *a = args;
	bool is_inferno = tool->kind->family == WK_AS_INFERNO;

	a->drawing.count_name = "samples";
	a->drawing.name_type = "Function:";
	a->drawing.font = is_inferno ? "monospace" : "Verdana";
	a->height = 16;
	a->min_width = "0.1";
	a->min_share = 0.01;
}

static const struct wk_as_kind scripts = {
	.family = WK_AS_PERL,
	.usage = "[OPTION...] [FILE...]",
	.args_size = sizeof(struct args),
	.prepare = prepare,
	.run = run,
};

static const struct wk_as_kind inferno = {
	.family = WK_AS_INFERNO,
	.usage = "[OPTION...] [FILE...]",
	.args_size = sizeof(struct args),
	.prepare = prepare,
	.run = run,
};

const struct wk_as_tool wk_as_flamegraph_tools[] = {
	{ &scripts, "flamegraph.pl", "draws folded stacks as a flame graph",
	  .options = script_options, .common = &common },
	{ &inferno, "inferno-flamegraph", "draws folded stacks as a flame graph",
	  .options = inferno_options, .common = &common },
	{ 0 },
};
