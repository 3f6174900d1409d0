/* Folded stacks: frames from root to leaf joined by ';', then a count: the input of every flame
 * graph tool. A ';' in a name becomes ':', and line breaks in names are escaped. */

#include "base/mem.h"
#include "render/profiles/sampled.h"
#include "render/renderers.h"
#include "render/text/folded_rows.h"
#include "views/source_line.h"

/* A line grows and is cut back: a node's line is its parent's and its own name. */
struct line {
	const struct wk_view *view;
	struct wk_buf text;
	struct wk_out names; /* to `text` */
	size_t *ends;        /* by depth: the end of that node's name */
};

void wk_folded_name(struct wk_out *names, struct wk_buf *text, struct wk_str name)
{
	size_t start = text->len;
	char *at;

	wk_out_term(names, name);
	wk_out_flush(names);
	for (; start < text->len && (at = memchr(text->at + start, ';', text->len - start)) != NULL;
	     start = (size_t)(at - text->at) + 1)
		*at = ':';
}

/* " (src/main.rs:42)", if the line is known. */
static void add_source(struct line *line, uint32_t place)
{
	struct wk_buf source = { 0 };

	wk_source_line_add(line->view->model, place, true, &source);
	if (source.len) {
		wk_buf_add_text(&line->text, " (");
		wk_folded_name(&line->names, &line->text, wk_buf_str(&source));
		wk_buf_add_char(&line->text, ')');
	}
	wk_buf_fini(&source);
}

static void add_name(struct line *line, uint32_t node)
{
	const struct wk_tree *tree = line->view->tree;
	uint32_t depth = tree->depth[node];

	line->text.len = line->ends[depth - 1];
	if (depth > 1)
		wk_buf_add_char(&line->text, ';');
	wk_folded_name(&line->names, &line->text, tree->name[node]);
	if (tree->place)
		add_source(line, tree->place[node]);
	line->ends[depth] = line->text.len;
}

void wk_folded_count(struct wk_out *out, struct wk_str unit, uint64_t count)
{
	wk_out_char(out, ' ');
	wk_sampled_decimal(out, count, wk_str_is(unit, WK_UNIT_THOUSANDTHS) ? 3 : 0);
}

/* For a comparison: both counts, the input of differential flame graphs. */
static void add_sides(struct wk_out *out, const struct wk_tree *tree, struct wk_str line,
		      uint64_t before, uint64_t after)
{
	if (before == 0 && after == 0)
		return;
	wk_out_str(out, line);
	wk_folded_count(out, tree->unit, before);
	wk_folded_count(out, tree->unit, after);
	wk_out_char(out, '\n');
}

static void write_node(struct line *line, uint32_t node, struct wk_out *out)
{
	const struct wk_view *view = line->view;
	const struct wk_tree *tree = view->tree;

	add_name(line, node);
	if (tree->self_before) {
		add_sides(out, tree, wk_buf_str(&line->text), tree->self_before[node],
			  tree->self_after[node]);
		return;
	}
	if (tree->self_samples[node] == 0 || (view->by_weight && tree->self[node] == 0))
		return;
	wk_out_str(out, wk_buf_str(&line->text));
	wk_folded_count(out, tree->unit,
			view->by_weight ? tree->self[node] : tree->self_samples[node]);
	wk_out_char(out, '\n');
}

static void write_tree(const struct wk_view *view, struct wk_out *out)
{
	struct line line = { .view = view };

	line.names = wk_out_to_buf(&line.text);
	line.ends = wk_alloc(((size_t)view->tree->depth_max + 1) * sizeof(*line.ends));
	line.ends[0] = 0;
	for (uint32_t node = 1; node < view->tree->count; node++)
		write_node(&line, node, out);
	wk_out_end(&line.names);
	wk_buf_fini(&line.text);
	wk_free(line.ends);
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	(void)err;
	if (view->rows)
		wk_folded_rows(view->rows, view->model, out);
	else
		write_tree(view, out);
	return true;
}

const struct wk_renderer wk_renderer_folded = {
	.name = "folded",
	.summary = "folded stacks, one line each, for flame graph tools",
	.wants = WK_RENDER_TREE,
	.render = render,
};
