/* Folded stacks to a picture, as flamegraph.pl and inferno-flamegraph draw it. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/as/flamegraph_args.h"
#include "session/fold/fold_model.h"

#define SCRIPT_DREW_NOTHING 2 /* the exit code of flamegraph.pl then */

struct flamegraph {
	const struct wk_as_call *call;
	const struct wk_as_flamegraph_args *args;
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
	const struct wk_as_flamegraph_args *args = f->args;

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

static bool settle(struct flamegraph *f, struct wk_err *err)
{
	const struct wk_as_flamegraph_args *args = f->args;
	struct wk_drawing *drawing = &f->picture.drawing;

	if (!wk_as_flamegraph_check(args, f->call->tool, err))
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

static bool draw(struct flamegraph *f, const struct wk_model *model, struct wk_err *err)
{
	f->picture.folding = (struct wk_tree_options){
		.merge_images = true,
		.merge_files = true,
		.is_chart = f->picture.drawing.is_chart,
		.most_nodes = WK_MOST_FRAMES,
		.order = f->picture.drawing.order,
	};
	if (!wk_picture_fold_all(&f->picture, model, err))
		return false;
	if (!f->picture.tree.total[0])
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "No stack counts found");
	set_total(f, &f->picture.tree);
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
		.reverses_lines = f->picture.drawing.is_chart,
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

int wk_as_flamegraph(const struct wk_as_call *call, struct wk_err *err)
{
	struct flamegraph f = {
		.call = call,
		.args = call->args,
		.is_inferno = call->tool->kind->family == WK_AS_INFERNO,
	};
	bool ok = settle(&f, err) && make(&f, err);
	unsigned width = f.picture.drawing.width;
	int exit_code;

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
