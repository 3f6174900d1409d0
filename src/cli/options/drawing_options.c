#include "cli/options/drawing_options.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/messages.h"
#include "cli/options/option_errors.h"
#include "cli/terminal.h"

#define AT(field) offsetof(struct wk_drawing_args, field)

static const char *const sides[] = { "left", "right", NULL };
static const char *const sorts[] = { "weight", "name", NULL };

static const struct wk_opt options[] = {
	WK_TEXT(0, "title", "TEXT", "title above the flame graph", AT(drawing.title)),
	WK_TEXT(0, "subtitle", "TEXT", "second line below the title [default: what was recorded]",
	  AT(drawing.subtitle)),
	WK_TEXT(0, "notes", "TEXT", "a note below the flame graph", AT(drawing.notes)),
	WK_VALUE(0, "width", "PIXELS", "fixed width [default: the window's]", WK_OPT_COUNT,
	  AT(width)),
	WK_VALUE(0, "image-width", "PIXELS", "same as --width", WK_OPT_COUNT, AT(width)),
	WK_VALUE(0, "frame-height", "PIXELS", "height of a frame [default: 18]", WK_OPT_COUNT,
	  AT(frame_height)),
	WK_TEXT(0, "min-width", "PIXELS|N%", "hide narrower frames in still flame graphs; in pixels or "
	  "percent of the whole", AT(min_width)),
	WK_TEXT(0, "font", "NAME", "font of the frames", AT(drawing.font)),
	WK_TEXT(0, "font-size", "PIXELS", "font size [default: 12]", AT(font_size)),
	{ 0, "truncate", "SIDE", "shorten long names at this end: left or right [default: the less "
	  "distinctive part]", WK_OPT_CHOICE, AT(truncate), sides },
	WK_TEXT(0, "count-name", "TEXT", "unit of the counts: samples, bytes ...",
	  AT(drawing.count_name)),
	WK_TEXT(0, "name-type", "TEXT", "label before the name of a frame", AT(drawing.name_type)),
	WK_VALUE(0, "total", "N", "the weight of the full width, if it is more than was counted",
	  WK_OPT_COUNT, AT(drawing.total)),
	WK_TEXT(0, "factor", "N", "multiply printed numbers by N", AT(factor)),
	WK_FLAG(0, "negate", "swap the colours of a comparison", AT(drawing.negates)),
	WK_TEXT(0, "background", "COLOUR", "yellow, blue, green, grey, #rrggbb, or #rrggbb-#rrggbb "
	  "from top to bottom", AT(drawing.background)),
	WK_TEXT(0, "search-colour", "#rrggbb", "colour of matching frames",
	  AT(drawing.search_colour)),
	WK_TEXT(0, "nameattr", "FILE", "links and titles for functions: one per line, name, then "
	  "key=value separated by tabs", AT(name_attributes)),
	WK_FLAG(0, "icicle", "draw the outermost function on top", AT(drawing.is_icicle)),
	WK_FLAG(0, "inverted", "same as --icicle", AT(inverted)),
	WK_FLAG(0, "reverse", "start with the innermost function: callers above callees",
	  AT(drawing.is_inverted)),
	{ 0, "sort", "BY", "order neighbours by weight or by name", WK_OPT_CHOICE, AT(sort),
	  sorts },
	WK_VALUE(0, "skip-after", "FUNCTION", "hide the callers of FUNCTION; may be repeated",
	  WK_OPT_LIST, AT(skip_after)),
	WK_FLAG(0, "collapse-recursion", "merge recursive calls into one frame",
	  AT(collapse_recursion)),
	WK_TEXT(0, "most-frames", "N", "fold the lightest frames beyond N; 0 keeps all [default: "
	  "250000]", AT(most_frames)),
	WK_FLAG(0, "no-script", "write a still flame graph without script", AT(drawing.has_no_script)),
	{ 0 },
};

const struct wk_opt_group wk_drawing_group = { "Drawing", options };

static const struct wk_opt single_options[] = {
	{ 0, "palette", "NAME", "colours: kind (of code), hot, mem, io, wakeup, chain, java, js, "
	  "perl, python, rust, red, green, blue, aqua, yellow, purple, orange [default: kind]",
	  WK_OPT_CHOICE, AT(palette), wk_palette_names },
	WK_FLAG(0, "hash", "similar colours for names that start alike", AT(hash)),
	WK_FLAG(0, "random", "random colours, the same in every run", AT(random)),
	WK_FLAG(0, "deterministic", "same colour for a name in every flame graph [default with "
	  "--palette]", AT(deterministic)),
	WK_FLAG(0, "colour-diffusion", "colour by width: the wider, the redder", AT(diffusion)),
	WK_FLAG(0, "cp", "read and update the colours in palette.map", AT(keeps_colours)),
	WK_TEXT(0, "palette-map", "FILE", "read and update the colours in FILE", AT(colour_map)),
	WK_FLAG(0, "flamechart", "draw what ran when: a lane for each thread on an axis of time, "
	  "callers on top", AT(drawing.is_chart)),
	{ 0 },
};

const struct wk_opt_group wk_single_drawing_group = { "Drawing one recording", single_options };

/* NULL leaves `value` alone. */
static bool read_decimal(const char *option, const char *text, double *value, struct wk_err *err)
{
	char *end;

	if (!text)
		return true;
	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value <= 0)
		return wk_option_must_be(option, text, "a number above zero", err);
	return true;
}

static bool read_min_width(const char *text, struct wk_drawing *drawing, struct wk_err *err)
{
	static const char wanted[] = "pixels such as 0.5, or a share such as 1%";
	char *end;

	if (!text)
		return true;
	drawing->min_width = strtod(text, &end);
	drawing->min_width_is_share = end != text && *end == '%';
	if (end == text || end[drawing->min_width_is_share] || !isfinite(drawing->min_width) ||
	    drawing->min_width < 0 || (drawing->min_width_is_share && drawing->min_width > 100))
		return wk_option_must_be("min-width", text, wanted, err);
	if (drawing->min_width == 0) /* typed, it means all frames; unset, the default */
		drawing->min_width = 1e-9;
	return true;
}

static bool check_colours(const struct wk_drawing *drawing, struct wk_err *err)
{
	struct wk_background background;
	uint32_t colour;

	if (drawing->background && !wk_background_read(wk_str_c(drawing->background), &background))
		return wk_option_must_be("background", drawing->background,
					 "yellow, blue, green, grey, #rrggbb or #rrggbb-#rrggbb",
					 err);
	return !drawing->search_colour ||
	       wk_colour_read(wk_str_c(drawing->search_colour), &colour) ||
	       wk_option_must_be("search-colour", drawing->search_colour, "#rrggbb", err);
}

static enum wk_colour_choice choice_of(const struct wk_drawing_args *args)
{
	return args->diffusion ? WK_COLOUR_BY_WIDTH
	       : args->hash    ? WK_COLOUR_BY_HASH
	       : args->random  ? WK_COLOUR_BY_CHANCE
			       : WK_COLOUR_BY_NAME;
}

/* wick's own colours are by kind of code; any of these options selects others. */
static bool make_colouring(struct wk_picture *picture, const struct wk_drawing_args *args,
			   struct wk_err *err)
{
	struct wk_colouring_options chosen = {
		.palette = WK_PALETTE_HOT,
		.choice = choice_of(args),
	};
	bool has_map = args->keeps_colours || args->colour_map;

	if (args->hash + args->random + args->deterministic + args->diffusion > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--hash, --random, --deterministic and --colour-diffusion "
			       "exclude each other");
	if (args->palette)
		wk_palette_find(wk_str_c(args->palette), &chosen.palette);
	if (chosen.palette == WK_PALETTE_KIND)
		return true;
	if (!args->palette && !has_map && chosen.choice == WK_COLOUR_BY_NAME &&
	    !args->deterministic)
		return true;
	return wk_picture_colour(picture, &chosen,
				 args->colour_map      ? args->colour_map
				 : args->keeps_colours ? WK_COLOUR_MAP
						       : NULL,
				 err);
}

static void report_attribute(void *context, const char *why, struct wk_str name,
			     struct wk_str attribute)
{
	wk_warn_fmt(&wk_cli_messages, "%s: %s ignored: %.*s of %.*s", (const char *)context, why,
		    WK_STR_ARG(attribute), WK_STR_ARG(name));
}

static bool read_tree(struct wk_picture *picture, const struct wk_drawing_args *args,
		      struct wk_err *err)
{
	uint64_t most = WK_MOST_FRAMES;

	if (args->most_frames &&
	    (!wk_num_u64(wk_str_c(args->most_frames), &most) || most > UINT32_MAX))
		return wk_option_must_be("most-frames", args->most_frames, "a number", err);
	picture->folding = (struct wk_tree_options){
		.inverted = args->drawing.is_inverted,
		.merge_images = true,
		.is_chart = args->drawing.is_chart,
		.collapses_recursion = args->collapse_recursion,
		.skip_after = args->skip_after.at,
		.most_nodes = (uint32_t)most,
		.order = args->drawing.is_chart ? WK_TREE_BY_TIME
			 : args->sort && args->sort[0] == 'n' ? WK_TREE_BY_NAME
							      : WK_TREE_BY_WEIGHT,
	};
	return true;
}

/* Bounds that keep coordinates in the range of exact numbers. */
static bool check_sizes(const struct wk_drawing_args *args, struct wk_err *err)
{
	if (args->drawing.is_chart && args->drawing.is_inverted)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--flamechart and --reverse exclude each other: a flame "
			       "chart does not merge stacks");
	return wk_option_check_range("width", args->width, 50, 1000000, "50 to 1000000 pixels",
				     err) &&
	       wk_option_check_range("frame-height", args->frame_height, 3, 1000,
				     "3 to 1000 pixels", err);
}

bool wk_drawing_read(const struct wk_drawing_args *args, struct wk_picture *picture,
		     struct wk_err *err)
{
	struct wk_drawing *drawing = &picture->drawing;
	const char *path = args->name_attributes;

	*picture = (struct wk_picture){ 0 };
	*drawing = args->drawing;
	drawing->width = (unsigned)args->width;
	drawing->frame_height = (unsigned)args->frame_height;
	drawing->is_icicle |= args->inverted || drawing->is_chart; /* lanes are read from the top */
	drawing->has_fixed_width = args->width;
	drawing->cuts_left = args->truncate && args->truncate[0] == 'l';
	drawing->cuts_right = args->truncate && args->truncate[0] == 'r';
	if (!check_sizes(args, err) || !read_tree(picture, args, err) ||
	    !read_decimal("font-size", args->font_size, &drawing->font_size, err) ||
	    !read_decimal("factor", args->factor, &drawing->factor, err) ||
	    !read_min_width(args->min_width, drawing, err) || !check_colours(drawing, err) ||
	    !make_colouring(picture, args, err) ||
	    (path && !wk_picture_attributes(picture, path, report_attribute,
					    (void *)(uintptr_t)path, err))) {
		wk_picture_fini(picture);
		return false;
	}
	drawing->order = picture->folding.order;
	return true;
}
