#include "cli/as/flamegraph_args.h"
#include "session/picture.h"

#define AT(field) offsetof(struct wk_as_flamegraph_args, field)

static const struct wk_opt script_options[] = {
	{ 0, "title", "TEXT", "title above the picture", WK_OPT_TEXT, AT(title), NULL },
	{ 0, "subtitle", "TEXT", "second line below the title", WK_OPT_TEXT, AT(subtitle), NULL },
	{ 0, "width", "NUM", "width of the picture in pixels [default: 1200]", WK_OPT_NUMBER,
	  AT(width), NULL },
	{ 0, "height", "NUM", "height of a frame in pixels [default: 16]", WK_OPT_NUMBER,
	  AT(height), NULL },
	{ 0, "minwidth", "NUM", "hide narrower frames: pixels, or percent of the whole such as 1% "
	  "[default: 0.1]", WK_OPT_TEXT, AT(min_width), NULL },
	{ 0, "fonttype", "FONT", "font of the frames [default: Verdana]", WK_OPT_TEXT, AT(font),
	  NULL },
	{ 0, "fontsize", "NUM", "font size in pixels [default: 12]", WK_OPT_REAL, AT(font_size),
	  NULL },
	{ 0, "fontwidth", "NUM", "width of a character relative to the font size [default: 0.59]",
	  WK_OPT_REAL, AT(font_width), NULL },
	{ 0, "countname", "TEXT", "unit of the counts [default: samples]", WK_OPT_TEXT,
	  AT(count_name), NULL },
	{ 0, "nametype", "TEXT", "label before the name of a frame [default: Function:]",
	  WK_OPT_TEXT, AT(name_type), NULL },
	{ 0, "colors", "PALETTE", "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, "
	  "aqua, yellow, purple or orange [default: hot]", WK_OPT_TEXT, AT(colours), NULL },
	{ 0, "bgcolors", "COLOR", "background: yellow, blue, green, grey or #rrggbb", WK_OPT_TEXT,
	  AT(background), NULL },
	{ 0, "hash", NULL, "similar colours for names that start alike", WK_OPT_FLAG, AT(hash),
	  NULL },
	{ 0, "random", NULL, "random colours", WK_OPT_FLAG, AT(random), NULL },
	{ 0, "cp", NULL, "read and update the colours in palette.map", WK_OPT_FLAG,
	  AT(keeps_colours), NULL },
	{ 0, "reverse", NULL, "start with the innermost function: callers above callees",
	  WK_OPT_FLAG, AT(reverse), NULL },
	{ 0, "inverted", NULL, "draw the outermost function on top", WK_OPT_FLAG, AT(inverted),
	  NULL },
	{ 0, "flamechart", NULL, "order by time and do not merge equal stacks", WK_OPT_FLAG,
	  AT(flamechart), NULL },
	{ 0, "negate", NULL, "swap the colours of a comparison", WK_OPT_FLAG, AT(negate), NULL },
	{ 0, "nameattr", "FILE", "links and titles for functions", WK_OPT_TEXT, AT(name_attributes),
	  NULL },
	{ 0, "notes", "TEXT", "a note in the picture", WK_OPT_TEXT, AT(notes), NULL },
	{ 0, "total", "NUM", "the weight of the full width, if it is more than was counted",
	  WK_OPT_REAL, AT(total), NULL },
	{ 0, "factor", "NUM", "multiply printed numbers by this", WK_OPT_REAL, AT(factor), NULL },
	{ 0, "encoding", "NAME", "encoding of the names in the input [default: UTF-8]", WK_OPT_TEXT,
	  AT(encoding), NULL },
	{ 0 },
};

static const char *const inferno_palettes[] = {
	"aqua", "blue", "green", "hot", "io", "java", "js", "mem", "orange", "perl", "python",
	"purple", "red", "rust", "wakeup", "yellow", NULL };

static const struct wk_opt inferno_options[] = {
	{ 0, "cp", NULL, "read and update the colours in palette.map", WK_OPT_FLAG,
	  AT(keeps_colours), NULL },
	{ 0, "hash", NULL, "similar colours for names that start alike", WK_OPT_FLAG, AT(hash),
	  NULL },
	{ 0, "deterministic", NULL, "same colour for a name in every picture", WK_OPT_FLAG,
	  AT(deterministic), NULL },
	{ 'i', "inverted", NULL, "draw the outermost function on top", WK_OPT_FLAG, AT(inverted),
	  NULL },
	{ 0, "truncate-text-right", NULL, "shorten long names at the end", WK_OPT_FLAG,
	  AT(cuts_right), NULL },
	{ 0, "negate", NULL, "swap the colours of a comparison", WK_OPT_FLAG, AT(negate), NULL },
	{ 0, "no-javascript", NULL, "write a still picture without script", WK_OPT_FLAG,
	  AT(no_script), NULL },
	{ 0, "no-sort", NULL, "the lines are sorted already; it is an error if they are not",
	  WK_OPT_FLAG, AT(no_sort), NULL },
	{ 0, "pretty-xml", NULL, "accepted and ignored: the picture is not indented", WK_OPT_FLAG,
	  AT(pretty), NULL },
	{ 0, "reverse", NULL, "start with the innermost function: callers above callees",
	  WK_OPT_FLAG, AT(reverse), NULL },
	{ 0, "bgcolors", "STRING", "background: yellow, blue, green, grey or #rrggbb",
	  WK_OPT_TEXT, AT(background), NULL },
	{ 'c', "colors", "STRING", "colours of the frames [default: hot]", WK_OPT_CHOICE,
	  AT(colours),
	  inferno_palettes },
	{ 0, "colordiffusion", NULL, "colour by width: the wider, the redder", WK_OPT_FLAG,
	  AT(by_width), NULL },
	{ 0, "countname", "STRING", "unit of the counts [default: samples]", WK_OPT_TEXT,
	  AT(count_name), NULL },
	{ 0, "factor", "FLOAT", "multiply printed numbers by this", WK_OPT_REAL, AT(factor), NULL },
	{ 0, "fontsize", "UINT", "font size in pixels [default: 12]", WK_OPT_REAL, AT(font_size),
	  NULL },
	{ 0, "fonttype", "STRING", "font of the frames [default: monospace]", WK_OPT_TEXT, AT(font),
	  NULL },
	{ 0, "fontwidth", "FLOAT", "width of a character relative to the font size [default: 0.59]",
	  WK_OPT_REAL, AT(font_width), NULL },
	{ 0, "uicolor", "#RRGGBB", "accepted and ignored: text has the more readable colour",
	  WK_OPT_TEXT, AT(ui_colour), NULL },
	{ 0, "height", "UINT", "height of a frame in pixels [default: 16]", WK_OPT_NUMBER,
	  AT(height), NULL },
	{ 0, "minwidth", "FLOAT", "hide narrower frames, in percent of the whole [default: 0.01]",
	  WK_OPT_REAL, AT(min_share), NULL },
	{ 0, "nameattr", "PATH", "links and titles for functions", WK_OPT_TEXT, AT(name_attributes),
	  NULL },
	{ 0, "nametype", "STRING", "label before the name of a frame [default: Function:]",
	  WK_OPT_TEXT, AT(name_type), NULL },
	{ 0, "notes", "STRING", "a note in the picture", WK_OPT_TEXT, AT(notes), NULL },
	{ 0, "search-color", "STRING", "colour #rrggbb of matching frames [default: #e600e6]",
	  WK_OPT_TEXT, AT(search_colour), NULL },
	{ 0, "stroke-color", "STRING", "accepted and ignored: frames have no outline", WK_OPT_TEXT,
	  AT(stroke_colour), NULL },
	{ 0, "subtitle", "STRING", "second line below the title", WK_OPT_TEXT, AT(subtitle), NULL },
	{ 0, "title", "STRING", "title above the picture", WK_OPT_TEXT, AT(title), NULL },
	{ 0, "width", "UINT", "fixed width in pixels [default: the window's]", WK_OPT_NUMBER,
	  AT(width), NULL },
	{ 0, "base", "STRING", "start stacks at this function and leave out stacks without it; may "
	  "be repeated", WK_OPT_LIST, AT(base), NULL },
	{ 0, "flamechart", NULL, "order by time and do not merge equal stacks", WK_OPT_FLAG,
	  AT(flamechart), NULL },
	{ 0 },
};

static void prepare(void *args, const struct wk_as_tool *tool)
{
	struct wk_as_flamegraph_args *a = args;
	bool is_inferno = tool->kind->family == WK_AS_INFERNO;

	a->count_name = "samples";
	a->name_type = "Function:";
	a->font = is_inferno ? "monospace" : "Verdana";
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
	  .options = script_options },
	{ &inferno, "inferno-flamegraph", "draws folded stacks as a flame graph",
	  .options = inferno_options },
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
	if (args->flamechart && args->no_sort)
		return "error: the argument '--flamechart' cannot be used with '--no-sort'";
	if (args->flamechart && args->reverse)
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
	if (args->background && !wk_background_read(wk_str_c(args->background), &background))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       is_inferno ? "error: invalid value '%s' for '--bgcolors <STRING>': "
					    "unknown background color"
					  : "Unrecognized bgcolor option \"%s\"",
			       args->background);
	if (args->search_colour && !wk_colour_read(wk_str_c(args->search_colour), &colour))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: invalid value '%s' for '--search-color <STRING>': unknown "
			       "color",
			       args->search_colour);
	return true;
}

bool wk_as_flamegraph_check(const struct wk_as_flamegraph_args *args, const struct wk_as_tool *tool,
			    struct wk_err *err)
{
	bool is_inferno = tool->kind->family == WK_AS_INFERNO;
	const char *wrong = is_inferno ? conflict(args) : NULL;

	if (!is_inferno && args->notes && strpbrk(args->notes, "<>"))
		wrong = "Notes string can't contain < or >";
	if (args->width > 1000000 || args->height > 1000 || args->height < 3)
		wrong = "the picture can be up to 1000000 pixels wide, and a frame 3 to 1000 high";
	if (wrong)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s", wrong);
	return check_colours(args, is_inferno, err);
}
