/* Call graphs of FreeBSD's pmcstat -G: functions, with their callers below, indented by one more
 * blank. docs/formats/pmcstat.md */
#include "formats/stack_text.h"

#include "base/mem.h"

/* A line: a function that was reached `count` times through all lines above it. */
struct row {
	size_t indent;
	uint64_t count;
	struct wk_str name, image; /* empty: that of the line above */
};

/* A line whose callers are still being read. */
struct level {
	size_t indent;
	uint64_t count; /* samples not claimed by a caller */
	uint32_t frame;
	struct wk_str image;
};

struct graph {
	struct wk_stack_text text;
	struct level *levels; /* innermost function first */
	size_t depth, levels_cap;
	uint32_t source;   /* the next */
	uint32_t *columns; /* collapse mode: the frame at each indentation */
	size_t column_cap;
	size_t indent; /* of the last line, if `has_row` */
	uint64_t count;
	bool has_row;
};

/* "  16.67%  [2]          selfdfree @ /boot/kernel/kernel" */
static bool read_row(struct wk_str line, struct row *row)
{
	struct wk_str rest = line;
	size_t figures = 0;

	while (wk_str_accept(&rest, " "))
		;
	row->indent = line.len - rest.len;
	while (figures < rest.len && (wk_is_digit(rest.at[figures]) || rest.at[figures] == '.'))
		figures++;
	rest = wk_str_skip(rest, figures);
	if (figures == 0 || !wk_str_accept(&rest, "%  [") || !wk_scan_number(&rest, &row->count) ||
	    !wk_str_accept(&rest, "]"))
		return false;
	wk_scan_blanks(&rest);
	row->name = wk_scan_word(&rest);
	row->image = wk_str_accept(&rest, " @ ") ? wk_trim(rest) : wk_str_of("", 0);
	return row->name.len > 0;
}

static bool is_row(struct wk_str line)
{
	struct row row;

	return read_row(line, &row);
}

/* Samples that the callers below a line do not account for end at that line. */
static void end_levels(struct graph *graph, size_t indent)
{
	while (graph->depth && graph->levels[graph->depth - 1].indent >= indent) {
		uint64_t left = graph->levels[graph->depth - 1].count;
		uint32_t stack = 0;

		for (size_t i = left ? graph->depth : 0; i-- > 0;)
			stack = wk_stack_writer_stack(graph->text.writer, stack,
						      graph->levels[i].frame);
		if (left)
			wk_stack_writer_sample(graph->text.writer, 0, WK_NO_PID, WK_NO_PID,
					       graph->source ? graph->source - 1 : 0, stack, left);
		graph->depth--;
	}
}

static void add_row(struct graph *graph, const struct row *row)
{
	struct level level = { .indent = row->indent, .count = row->count, .image = row->image };
	struct wk_event_frame frame = { .name = row->name };

	end_levels(graph, row->indent);
	if (graph->depth) {
		struct level *above = &graph->levels[graph->depth - 1];

		above->count -= row->count < above->count ? row->count : above->count;
		if (level.image.len == 0)
			level.image = above->image;
	}
	frame.image = level.image;
	level.frame = wk_stack_writer_frame(graph->text.writer, &frame);
	*WK_APPEND(graph->levels, graph->depth, graph->levels_cap) = level;
}

/* As the older tool: a line is printed, with its own count, if the next one is not indented more;
 * the rest of the callers' samples is lost. A level skipped by the indentation is the previous
 * frame at that level, or has no name. */
static void end_collapsed(struct graph *graph, size_t indent)
{
	uint32_t stack = 0;

	if (!graph->has_row || indent > graph->indent)
		return;
	for (size_t i = graph->indent + 1; i-- > 0;) {
		if (!graph->columns[i])
			graph->columns[i] =
				wk_stack_writer_name(graph->text.writer, wk_str_of("", 0));
		stack = wk_stack_writer_stack(graph->text.writer, stack, graph->columns[i]);
	}
	wk_stack_writer_count(graph->text.writer, stack, graph->count);
}

static void add_collapsed(struct graph *graph, const struct row *row)
{
	end_collapsed(graph, row->indent);
	WK_RESERVE_ZEROED(graph->columns, graph->column_cap, row->indent + 1);
	graph->columns[row->indent] = wk_stack_writer_name(graph->text.writer, row->name);
	graph->indent = row->indent;
	graph->count = row->count;
	graph->has_row = true;
}

/* "@ CPU_CLK_UNHALTED [551 samples]": the event of the following lines. */
static bool read_event(struct graph *graph, struct wk_str line)
{
	struct wk_event_source source = { .unit = wk_str_c("samples") };

	if (!wk_str_accept(&line, "@ "))
		return false;
	if (graph->text.collapse)
		return true;
	end_levels(graph, 0);
	source.source = graph->source++;
	source.name = wk_scan_word(&line);
	wk_stack_writer_emit_source(graph->text.writer, &source);
	return true;
}

static void read_line(struct graph *graph, struct wk_str line)
{
	struct row row;

	if (read_row(line, &row)) {
		if (!graph->text.collapse && graph->source == 0)
			wk_stack_writer_source(graph->text.writer, graph->source++, "samples",
					       "samples", false);
		if (graph->text.collapse)
			add_collapsed(graph, &row);
		else
			add_row(graph, &row);
	} else if (wk_trim(line).len && !read_event(graph, line)) {
		wk_stack_text_bad(&graph->text, "\"12.34%  [56]  function\"");
	}
}

static bool read_graph(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct graph graph = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&graph.text, input, sink, input->options.collapse ? "samples" : NULL);
	while (wk_stack_text_next(&graph.text, &line))
		read_line(&graph, line);
	end_levels(&graph, 0);
	end_collapsed(&graph, 0);
	WK_FREE_ALL(graph.levels, graph.columns);
	return wk_stack_text_end(&graph.text,
				 "call graph of pmcstat -G: \"12.34%  [56]  function\"", err);
}

const struct wk_reader wk_reader_pmcstat = {
	.name = "pmcstat",
	.summary = "call graphs of FreeBSD's pmcstat -G",
	.signs = (const struct wk_line_sign[]){ { 90, is_row, NULL }, { 0 } },
	.read = read_graph,
};
