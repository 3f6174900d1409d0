#include "cli/as/flamegraph_args.h"

#define AT(field) offsetof(struct wk_as_flamegraph_args, field)

static const struct wk_opt common_options[] = {
	WK_TEXT(0, "title", "STRING", "title above the picture", AT(drawing.title)),
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
	WK_TEXT(0, "countname", "STRING", "unit of the counts [default: samples]", AT(drawing.count_name)),
	WK_TEXT(0, "nametype", "STRING", "label before the name of a frame [default: Function:]",
	  AT(drawing.name_type)),
	WK_TEXT(0, "bgcolors", "STRING", "background: yellow, blue, green, grey or #rrggbb",
	  AT(drawing.background)),
	WK_FLAG(0, "hash", "similar colours for names that start alike", AT(hash)),
	WK_FLAG(0, "cp", "read and update the colours in palette.map", AT(keeps_colours)),
	WK_FLAG(0, "reverse", "start with the innermost function: callers above callees",
	  AT(reverse)),
	WK_FLAG('i', "inverted", "draw the outermost function on top", AT(drawing.is_icicle)),
	WK_FLAG(0, "flamechart", "order by time and do not merge equal stacks", AT(drawing.is_chart)),
	WK_FLAG(0, "negate", "swap the colours of a comparison", AT(drawing.negates)),
	WK_TEXT(0, "nameattr", "PATH", "links and titles for functions", AT(name_attributes)),
	WK_TEXT(0, "notes", "STRING", "a note in the picture", AT(drawing.notes)),
	WK_VALUE(0, "factor", "FLOAT", "multiply printed numbers by this", WK_OPT_REAL, AT(drawing.factor)),
	{ 0 },
};

static const struct wk_opt_group common = { "Picture", common_options };

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
	WK_FLAG(0, "deterministic", "same colour for a name in every picture", AT(deterministic)),
	WK_FLAG(0, "truncate-text-right", "shorten long names at the end", AT(drawing.cuts_right)),
	WK_FLAG(0, "no-javascript", "write a still picture without script", AT(drawing.has_no_script)),
	WK_FLAG(0, "no-sort", "the lines are sorted already; it is an error if they are not",
	  AT(no_sort)),
	WK_FLAG(0, "pretty-xml", "accepted and ignored: the picture is not indented", AT(pretty)),
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

static void prepare(void *args, const struct wk_as_tool *tool)
{
	struct wk_as_flamegraph_args *a = args;
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
	.args_size = sizeof(struct wk_as_flamegraph_args),
	.prepare = prepare,
	.run = wk_as_flamegraph,
};

static const struct wk_as_kind inferno = {
	.family = WK_AS_INFERNO,
	.usage = "[OPTION...] [FILE...]",
	.args_size = sizeof(struct wk_as_flamegraph_args),
	.prepare = prepare,
	.run = wk_as_flamegraph,
};

const struct wk_as_tool wk_as_flamegraph_tools[] = {
	{ &scripts, "flamegraph.pl", "draws folded stacks as a flame graph",
	  .options = script_options, .common = &common },
	{ &inferno, "inferno-flamegraph", "draws folded stacks as a flame graph",
	  .options = inferno_options, .common = &common },
	{ 0 },
};

/* Options that exclude each other, and values that are none. */
static const char *conflict(const struct wk_as_flamegraph_args *args)
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

static bool check_colours(const struct wk_as_flamegraph_args *args, bool is_inferno,
			  struct wk_err *err)
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

bool wk_as_flamegraph_check(const struct wk_as_flamegraph_args *args, const struct wk_as_tool *tool,
			    struct wk_err *err)
{
	bool is_inferno = tool->kind->family == WK_AS_INFERNO;
	const char *wrong = is_inferno ? conflict(args) : NULL;

	if (!is_inferno && args->drawing.notes && strpbrk(args->drawing.notes, "<>"))
		wrong = "Notes string can't contain < or >";
	if (args->width > 1000000 || args->height > 1000 || args->height < 3)
		wrong = "the picture can be up to 1000000 pixels wide, and a frame 3 to 1000 high";
	if (wrong)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wrong);
	return check_colours(args, is_inferno, err);
}
