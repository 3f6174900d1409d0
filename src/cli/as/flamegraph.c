/* Folded stacks to a picture, as flamegraph.pl and inferno-flamegraph draw it. */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/as/flamegraph_args.h"
#include "cli/as/restack.h"
#include "cli/as/source.h"
#include "cli/drawing_options.h"
#include "formats/lines.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "render/renderers.h"
#include "views/filter.h"

#define COLOUR_MAP "palette.map"

/* The scripts end with 2 where there is nothing to draw, inferno with 1. */
#define NOTHING_DRAWN(tool) ((tool)->kind->family == WK_AS_PERL ? 2 : WK_EXIT_FAILED)

struct flamegraph {
	const struct wk_as_call *call;
	const struct wk_as_flamegraph_args *args;
	bool is_inferno;
	struct wk_drawing drawing;
	struct wk_name_attributes attributes;
	struct wk_colouring *colouring;
	const char **base;
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

static bool read_attributes(struct flamegraph *f, struct wk_err *err)
{
	struct wk_os_file file;

	if (!f->args->name_attributes)
		return true;
	if (!wk_os_open(f->args->name_attributes, &file, err))
		return false;
	wk_name_attributes_init(&f->attributes,
				wk_str_of((const char *)file.at, file.size_bytes),
				warn_of_attribute, f);
	f->drawing.attributes = &f->attributes;
	wk_os_close(&file);
	return true;
}

/* ---- how it is drawn */

static const char *usual_title(const struct wk_as_flamegraph_args *args)
{
	if (args->flamechart)
		return "Flame Chart";
	return args->inverted ? "Icicle Graph" : "Flame Graph";
}

static bool read_min_width(struct flamegraph *f, struct wk_err *err)
{
	struct wk_str text = wk_str_c(f->args->min_width);

	f->drawing.min_width = f->args->min_share;
	f->drawing.min_width_is_share = f->is_inferno;
	if (!f->is_inferno) {
		f->drawing.min_width_is_share = wk_str_ends(text, "%");
		text.len -= f->drawing.min_width_is_share;
		if (!wk_num_real(text, &f->drawing.min_width))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "Value \"%s\" invalid for option minwidth (number expected)",
				       f->args->min_width);
	}
	if (f->drawing.min_width <= 0) /* asked for, it means all */
		f->drawing.min_width = 1e-9;
	return true;
}

static const char *usual_background(enum wk_palette palette)
{
	switch (palette) {
	case WK_PALETTE_MEM:
		return "green";
	case WK_PALETTE_IO:
	case WK_PALETTE_WAKEUP:
	case WK_PALETTE_CHAIN:
		return "blue";
	case WK_PALETTE_RED:
	case WK_PALETTE_GREEN:
	case WK_PALETTE_BLUE:
	case WK_PALETTE_AQUA:
	case WK_PALETTE_YELLOW:
	case WK_PALETTE_PURPLE:
	case WK_PALETTE_ORANGE:
		return "grey";
	default:
		return "yellow";
	}
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

static void set_colouring(struct flamegraph *f)
{
	enum wk_palette palette = WK_PALETTE_HOT;
	struct wk_colouring_options options = {
		.choice = choice_of(f),
		.dialect = f->is_inferno ? WK_COLOUR_INFERNO : WK_COLOUR_PERL,
		.is_comparison = true,
		.negates = f->args->negate,
	};

	if (f->args->colours)
		wk_palette_find(wk_str_c(f->args->colours), &palette);
	options.palette = palette;
	options.min_share = f->drawing.min_width / 100;
	if (!f->drawing.min_width_is_share)
		options.min_share = f->drawing.min_width / (f->drawing.width - 20.0);
	f->colouring = wk_colouring_new(&options);
	f->drawing.colouring = f->colouring;
	f->drawing.background = f->args->background ? f->args->background
						    : usual_background(palette);
}

static bool settle(struct flamegraph *f, struct wk_err *err)
{
	const struct wk_as_flamegraph_args *args = f->args;

	if (!wk_as_flamegraph_check(args, f->call->tool, err))
		return false;
	f->drawing = (struct wk_drawing){
		.title = args->title ? args->title : usual_title(args),
		.subtitle = args->subtitle,
		.notes = args->notes,
		.width = args->width ? (unsigned)args->width : 1200,
		.frame_height = (unsigned)args->height,
		.font = args->font,
		.font_size = args->font_size,
		.font_width = args->font_width,
		.count_name = args->count_name,
		.name_type = args->name_type,
		.factor = args->factor,
		.is_icicle = args->inverted,
		.is_chart = args->flamechart,
		.has_fixed_width = args->width || !f->is_inferno,
		.cuts_left = f->is_inferno && !args->cuts_right,
		.cuts_right = !f->is_inferno || args->cuts_right,
		.has_no_script = args->no_script,
		.negates = args->negate,
		.search_colour = args->search_colour ? args->search_colour : "#e600e6",
		.order = args->flamechart ? WK_TREE_BY_TIME : WK_TREE_BY_TEXT,
	};
	if (f->drawing.width < 100)
		f->drawing.width = 100;
	if (!read_min_width(f, err))
		return false;
	set_colouring(f);
	f->base = wk_alloc_zeroed(args->base.count + 1, sizeof(*f->base));
	for (size_t i = 0; i < args->base.count; i++)
		f->base[i] = args->base.at[i];
	return read_attributes(f, err);
}

/* ---- the colours that are kept */

static bool read_map(struct flamegraph *f, struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!f->args->keeps_colours)
		return true;
	if (access(COLOUR_MAP, F_OK) != 0) /* the first time */
		return wk_colouring_read_map(f->colouring, wk_str_c(""), err);
	if (!wk_os_open(COLOUR_MAP, &file, err))
		return false;
	ok = wk_colouring_read_map(f->colouring,
				   wk_str_of((const char *)file.at, file.size_bytes), err) ||
	     wk_err_in(err, COLOUR_MAP);
	wk_os_close(&file);
	return ok;
}

static bool write_map(const struct flamegraph *f, struct wk_err *err)
{
	struct wk_out out;
	int fd;

	if (!f->args->keeps_colours)
		return true;
	fd = wk_os_create(COLOUR_MAP, false, err);
	if (fd < 0)
		return false;
	out = wk_out_to_fd(fd);
	wk_colouring_write_map(f->colouring, &out);
	if (!wk_out_end(&out))
		wk_fail_os(err, out.error_number, "cannot write %s", COLOUR_MAP);
	return close(fd) == 0 && !out.failed;
}

/* ---- the lines */

/* The scripts write names as they are and only say in the picture what they are encoded in; a
 * picture of wick's is UTF-8. */
static void decode(struct flamegraph *f, struct wk_as_source *source)
{
	const char *encoding = f->args->encoding;
	struct wk_buf text = { 0 };

	if (!encoding || strcasecmp(encoding, "utf-8") == 0 || strcasecmp(encoding, "utf8") == 0)
		return;
	if (strcasecmp(encoding, "iso-8859-1") == 0 || strcasecmp(encoding, "latin1") == 0) {
		wk_as_source_from_latin1(source);
		return;
	}
	wk_buf_add_fmt(&text, "encoding %s is not known here; names are read as UTF-8", encoding);
	warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* In a chart, the last line of the input is the earliest. */
static void reverse_lines(struct wk_as_source *source, struct wk_buf *reversed)
{
	const char *begin = (const char *)source->input.bytes.at;
	const char *end = (const char *)source->input.bytes.end;

	while (end > begin) {
		const char *line = end;

		while (line > begin && (line == end || line[-1] != '\n'))
			line--;
		wk_buf_add(reversed, line, (size_t)(end - line));
		if (end[-1] != '\n')
			wk_buf_add_char(reversed, '\n');
		end = line;
	}
	source->input.bytes = wk_bytes_of(wk_buf_text(reversed), reversed->len);
	source->input.file = NULL;
}

/* The stack of a line: without the counts behind it. */
static struct wk_str stack_of_line(struct wk_str line)
{
	line = wk_trim(line);
	for (int column = 0; column < 2; column++) {
		size_t end = line.len;

		while (end && line.at[end - 1] >= '0' && line.at[end - 1] <= '9')
			end--;
		if (end == line.len || end == 0 || line.at[end - 1] != ' ')
			break;
		line = wk_trim(wk_str_of(line.at, end));
	}
	return line;
}

static bool check_sorted(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_lines lines = wk_lines_of(bytes);
	struct wk_str line, last = { "", 0 };

	while (wk_lines_next(&lines, &line)) {
		struct wk_str stack = stack_of_line(line);

		if (stack.len == 0)
			continue;
		if (wk_str_compare(stack, last) < 0)
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				       "unsorted input lines detected: line %llu",
				       (unsigned long long)lines.number);
		last = stack;
	}
	return true;
}

static void warn_of_lost(struct flamegraph *f, uint64_t lost)
{
	struct wk_buf text = { 0 };

	if (lost == 0)
		return;
	wk_num_add_grouped(&text, lost);
	wk_buf_add_text(&text, lost == 1 ? " line ends" : " lines end");
	wk_buf_add_text(&text, " in a function of --base with none above it and "
			       "count for nothing, as inferno has it");
	warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static struct wk_model *build(struct flamegraph *f, const struct wk_as_source *source,
			      struct wk_err *err)
{
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink next = wk_builder_sink(builder), sink;
	struct wk_restack restack = {
		.base = f->base[0] ? f->base : NULL,
		.reverses = f->args->reverse,
		.note = warn,
		.context = f,
	};
	bool ok;

	wk_restack_begin(&restack, &next);
	sink = wk_restack_sink(&restack);
	ok = source->reader->read(&source->input, &sink, err);
	ok = wk_restack_end(&restack, err) && ok;
	warn_of_lost(f, restack.lost);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	if (!ok) {
		wk_model_free(model);
		return NULL;
	}
	wk_model_resolve(model, NULL); /* the names are there already */
	return model;
}

/* Nothing to draw is no model, and not always an error of the reader's: NULL without a
 * sentence then. */
static struct wk_model *load(struct flamegraph *f, struct wk_err *err)
{
	struct wk_collapse collapse = {
		.dialect = f->is_inferno ? WK_COLLAPSE_INFERNO : WK_COLLAPSE_PERL };
	struct wk_as_source source = { 0 };
	struct wk_buf reversed = { 0 };
	struct wk_model *model = NULL;

	if (wk_as_source_open(&source, f->call->words, "folded", err) &&
	    (!f->args->no_sort || check_sorted(source.input.bytes, err))) {
		decode(f, &source);
		if (f->args->flamechart)
			reverse_lines(&source, &reversed);
		source.input.options.collapse = &collapse;
		model = build(f, &source, err);
	}
	wk_as_source_close(&source);
	wk_buf_fini(&reversed);
	return model;
}

/* ---- the picture */

/* What is drawn where there is nothing to draw, for whoever shows the file all the same. */
static void draw_nothing(struct flamegraph *f)
{
	wk_out_fmt(f->call->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"60\">"
		   "<text x=\"50%%\" y=\"24\" text-anchor=\"middle\">"
		   "ERROR: No valid input provided to %s</text></svg>\n",
		   f->drawing.width, f->call->tool->name);
}

/* A total below what was counted is not taken; more than a little below, that is told. */
static void set_total(struct flamegraph *f, uint64_t counted)
{
	double total = f->args->total;
	struct wk_buf text = { 0 };

	if (total <= 0)
		return;
	if (total >= (double)counted) {
		f->drawing.total = (uint64_t)total;
		return;
	}
	wk_buf_add_fmt(&text, "Specified --total %.15g is less than actual total %llu, so ignored",
		       total, (unsigned long long)counted);
	if (total / (double)counted > 0.02)
		warn(f, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static bool draw(struct flamegraph *f, const struct wk_model *model, struct wk_err *err)
{
	struct wk_tree_options options = {
		.merge_images = true,
		.is_chart = f->args->flamechart,
		.most_nodes = WK_MOST_FRAMES,
		.order = f->drawing.order,
	};
	struct wk_view view = { .model = model };
	struct wk_filter filter;
	struct wk_tree tree;
	bool ok = false;

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, err))
		return false;
	wk_tree_init(&tree, model, &filter, &options);
	if (tree.total[0]) {
		set_total(f, tree.total[0]);
		view.tree = &tree;
		view.drawing = f->drawing;
		ok = wk_renderer_svg.render(&view, f->call->out, err);
	} else {
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "No stack counts found");
	}
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
	return ok;
}

static bool make(struct flamegraph *f, struct wk_err *err)
{
	struct wk_model *model = load(f, err);
	bool ok = model && read_map(f, err) && draw(f, model, err) && write_map(f, err);

	wk_model_free(model);
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
	int exit_code = ok ? WK_EXIT_DONE : WK_EXIT_FAILED;

	if (!ok && (err->code == WK_EFORMAT || err->code == WK_EEMPTY)) {
		draw_nothing(&f);
		*err = (struct wk_err){ 0 };
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "No stack counts found");
		exit_code = NOTHING_DRAWN(call->tool);
	}
	wk_colouring_free(f.colouring);
	wk_name_attributes_fini(&f.attributes);
	free(f.base);
	return exit_code;
}
