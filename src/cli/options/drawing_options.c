#include "cli/options/drawing_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/suggest.h"
#include "cli/messages.h"
#include "cli/terminal.h"

#define AT(field) offsetof(struct wk_drawing_args, field)

static const char *const sides[] = { "left", "right", NULL };
static const char *const sorts[] = { "weight", "name", NULL };

static const struct wk_opt options[] = {
	{ 0, "title", "TEXT", "title above the picture", WK_OPT_TEXT, AT(title), NULL },
	{ 0, "subtitle", "TEXT", "second line below the title [default: what was recorded]",
	  WK_OPT_TEXT, AT(subtitle), NULL },
	{ 0, "notes", "TEXT", "a note below the picture", WK_OPT_TEXT, AT(notes), NULL },
	{ 0, "width", "PIXELS", "fixed width [default: the window's]", WK_OPT_TEXT, AT(width),
	  NULL },
	{ 0, "image-width", "PIXELS", "same as --width", WK_OPT_TEXT, AT(width), NULL },
	{ 0, "frame-height", "PIXELS", "height of a frame [default: 18]", WK_OPT_TEXT,
	  AT(frame_height), NULL },
	{ 0, "min-width", "PIXELS|N%", "hide narrower frames in still pictures; in pixels "
		"or percent of the whole", WK_OPT_TEXT, AT(min_width), NULL },
	{ 0, "font", "NAME", "font of the frames", WK_OPT_TEXT, AT(font), NULL },
	{ 0, "font-size", "PIXELS", "font size [default: 12]", WK_OPT_TEXT, AT(font_size), NULL },
	{ 0, "truncate", "SIDE", "shorten long names at this end: left or right [default: the less "
		"distinctive part]", WK_OPT_CHOICE, AT(truncate), sides },
	{ 0, "count-name", "TEXT", "unit of the counts: samples, bytes ...", WK_OPT_TEXT,
	  AT(count_name), NULL },
	{ 0, "name-type", "TEXT", "label before the name of a frame", WK_OPT_TEXT,
	  AT(name_type), NULL },
	{ 0, "total", "N", "the weight of the full width, if it is more than was counted",
	  WK_OPT_TEXT, AT(total), NULL },
	{ 0, "factor", "N", "multiply printed numbers by N", WK_OPT_TEXT, AT(factor), NULL },
	{ 0, "negate", NULL, "swap the colours of a comparison", WK_OPT_FLAG, AT(negates), NULL },
	{ 0, "background", "COLOUR", "yellow, blue, green, grey, #rrggbb, or "
		"#rrggbb-#rrggbb from top to bottom", WK_OPT_TEXT, AT(background), NULL },
	{ 0, "search-colour", "#rrggbb", "colour of matching frames", WK_OPT_TEXT,
	  AT(search_colour), NULL },
	{ 0, "nameattr", "FILE", "links and titles for functions: one per line, name, then "
		"key=value separated by tabs", WK_OPT_TEXT, AT(name_attributes), NULL },
	{ 0, "icicle", NULL, "draw the outermost function on top", WK_OPT_FLAG, AT(icicle), NULL },
	{ 0, "inverted", NULL, "same as --icicle", WK_OPT_FLAG, AT(inverted), NULL },
	{ 0, "reverse", NULL, "start with the innermost function: callers above callees",
	  WK_OPT_FLAG, AT(reverse), NULL },
	{ 0, "sort", "BY", "order neighbours by weight or by name", WK_OPT_CHOICE, AT(sort),
	  sorts },
	{ 0, "skip-after", "FUNCTION", "hide the callers of FUNCTION; may be repeated",
	  WK_OPT_LIST, AT(skip_after), NULL },
	{ 0, "collapse-recursion", NULL, "merge recursive calls into one frame", WK_OPT_FLAG,
	  AT(collapse_recursion), NULL },
	{ 0, "most-frames", "N", "fold the lightest frames beyond N; 0 keeps all [default: "
		"250000]", WK_OPT_TEXT, AT(most_frames), NULL },
	{ 0, "no-script", NULL, "write a still picture without script", WK_OPT_FLAG, AT(no_script),
	  NULL },
	{ 0 },
};

const struct wk_opt_group wk_drawing_group = { "Drawing", options };

static const struct wk_opt single_options[] = {
	{ 0, "palette", "NAME", "colours: kind (of code), hot, mem, io, wakeup, chain, "
		"java, js, perl, python, rust, red, green, blue, aqua, yellow, purple, "
		"orange [default: kind]",
	  WK_OPT_TEXT, AT(palette), wk_palette_names },
	{ 0, "hash", NULL, "similar colours for names that start alike", WK_OPT_FLAG, AT(hash),
	  NULL },
	{ 0, "random", NULL, "random colours, the same in every run", WK_OPT_FLAG, AT(random),
	  NULL },
	{ 0, "deterministic", NULL, "same colour for a name in every picture [default with "
		"--palette]", WK_OPT_FLAG, AT(deterministic), NULL },
	{ 0, "colour-diffusion", NULL, "colour by width: the wider, the redder", WK_OPT_FLAG,
	  AT(diffusion), NULL },
	{ 0, "cp", NULL, "read and update the colours in palette.map", WK_OPT_FLAG,
	  AT(keeps_colours), NULL },
	{ 0, "palette-map", "FILE", "read and update the colours in FILE", WK_OPT_TEXT,
	  AT(colour_map), NULL },
	{ 0, "flamechart", NULL, "order by time and do not merge equal stacks", WK_OPT_FLAG,
	  AT(flamechart), NULL },
	{ 0 },
};

const struct wk_opt_group wk_single_drawing_group = { "Drawing one recording", single_options };

static bool is_wrong(struct wk_err *err, const char *option, const char *value, const char *wanted)
{
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s must be %s, not \"%.100s\"", option,
		       wanted, value);
}

static bool is_no_palette(const char *typed, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(typed));
	struct wk_buf expected = { 0 };

	for (size_t i = 0; wk_palette_names[i]; i++) {
		wk_suggestion_try(&near, wk_palette_names[i]);
		wk_buf_add_fmt(&expected, "%s%s",
			       i == 0                    ? ""
			       : wk_palette_names[i + 1] ? ", "
							 : " or ",
			       wk_palette_names[i]);
	}
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--palette must be %s, not \"%.60s\"%s%s%s",
		wk_buf_text(&expected), typed, near.best ? "; did you mean " : "",
		near.best ? near.best : "", near.best ? "?" : "");
	wk_buf_fini(&expected);
	return false;
}

/* NULL leaves `value` alone. */
static bool read_decimal(const char *option, const char *text, double *value, struct wk_err *err)
{
	char *end;

	if (!text)
		return true;
	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value <= 0)
		return is_wrong(err, option, text, "a number above zero");
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
		return is_wrong(err, "min-width", text, wanted);
	if (drawing->min_width == 0) /* typed, it means all frames; unset, the default */
		drawing->min_width = 1e-9;
	return true;
}

static bool read_colours(const struct wk_drawing_args *args, struct wk_drawing *drawing,
			 struct wk_err *err)
{
	struct wk_background background;
	uint32_t colour;

	if (args->background && !wk_background_read(wk_str_c(args->background), &background))
		return is_wrong(err, "background", args->background,
				"yellow, blue, green, grey, #rrggbb or #rrggbb-#rrggbb");
	if (args->search_colour && !wk_colour_read(wk_str_c(args->search_colour), &colour))
		return is_wrong(err, "search-colour", args->search_colour, "#rrggbb");
	drawing->background = args->background;
	drawing->search_colour = args->search_colour;
	return true;
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
	if (args->palette && !wk_palette_find(wk_str_c(args->palette), &chosen.palette))
		return is_no_palette(args->palette, err);
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
		return is_wrong(err, "most-frames", args->most_frames, "a number");
	picture->folding = (struct wk_tree_options){
		.inverted = args->reverse,
		.merge_images = true,
		.is_chart = args->flamechart,
		.collapses_recursion = args->collapse_recursion,
		.skip_after = args->skip_after.at,
		.most_nodes = (uint32_t)most,
		.order = args->flamechart ? WK_TREE_BY_TIME
			 : args->sort && args->sort[0] == 'n' ? WK_TREE_BY_NAME
							      : WK_TREE_BY_WEIGHT,
	};
	return true;
}

/* NULL leaves `value` alone. */
static bool read_pixels(const char *option, const char *text, unsigned least, unsigned most,
			unsigned *value, struct wk_err *err)
{
	uint64_t number;

	if (!text)
		return true;
	if (!wk_num_u64(wk_str_c(text), &number) || number < least || number > most)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--%s must be between %u and %u pixels, not \"%.100s\"", option,
			       least, most, text);
	*value = (unsigned)number;
	return true;
}

/* Bounds that keep coordinates in the range of exact numbers. */
static bool read_sizes(const struct wk_drawing_args *args, struct wk_drawing *drawing,
		       struct wk_err *err)
{
	if (!read_pixels("width", args->width, 50, 1000000, &drawing->width, err) ||
	    !read_pixels("frame-height", args->frame_height, 3, 1000, &drawing->frame_height, err))
		return false;
	if (args->total &&
	    (!wk_num_u64(wk_str_c(args->total), &drawing->total) || drawing->total == 0))
		return is_wrong(err, "total", args->total, "a whole number above zero");
	if (args->flamechart && args->reverse)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--flamechart and --reverse exclude each other: a flame "
			       "chart does not merge stacks");
	return true;
}

static void read_words(struct wk_drawing *drawing, const struct wk_drawing_args *args)
{
	*drawing = (struct wk_drawing){
		.title = args->title,
		.subtitle = args->subtitle,
		.notes = args->notes,
		.font = args->font,
		.count_name = args->count_name,
		.name_type = args->name_type,
		.is_icicle = args->icicle || args->inverted,
		.is_inverted = args->reverse,
		.is_chart = args->flamechart,
		.has_fixed_width = args->width != NULL,
		.cuts_left = args->truncate && args->truncate[0] == 'l',
		.cuts_right = args->truncate && args->truncate[0] == 'r',
		.has_no_script = args->no_script,
		.negates = args->negates,
	};
}

bool wk_drawing_read(const struct wk_drawing_args *args, struct wk_picture *picture,
		     struct wk_err *err)
{
	struct wk_drawing *drawing = &picture->drawing;
	const char *path = args->name_attributes;

	*picture = (struct wk_picture){ 0 };
	read_words(drawing, args);
	if (!read_sizes(args, drawing, err) || !read_tree(picture, args, err) ||
	    !read_decimal("font-size", args->font_size, &drawing->font_size, err) ||
	    !read_decimal("factor", args->factor, &drawing->factor, err) ||
	    !read_min_width(args->min_width, drawing, err) || !read_colours(args, drawing, err) ||
	    !make_colouring(picture, args, err) ||
	    (path && !wk_picture_attributes(picture, path, report_attribute,
					    (void *)(uintptr_t)path, err))) {
		wk_picture_fini(picture);
		return false;
	}
	drawing->order = picture->folding.order;
	return true;
}
