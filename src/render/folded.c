/* Folded stacks: root to leaf joined by ';', then how often. What every flame graph tool
 * reads. A ';' inside a name becomes ':' and a line never holds another's line break. */

#include "base/mem.h"
#include "render/renderers.h"

static void add_name(struct wk_buf *line, struct wk_str name)
{
	struct wk_out out = wk_out_to_buf(line);
	size_t start = line->len;

	wk_out_term(&out, name);
	wk_out_end(&out);
	for (size_t i = start; i < line->len; i++)
		if (line->at[i] == ';')
			line->at[i] = ':';
}

/* Thousandths are written as they were read, behind a point. */
static void add_count(struct wk_out *out, const struct wk_tree *tree, uint64_t count)
{
	uint64_t part = count % 1000;

	if (!wk_str_is(tree->unit, WK_UNIT_THOUSANDTHS)) {
		wk_out_u64(out, count);
		return;
	}
	wk_out_u64(out, count / 1000);
	if (part == 0)
		return;
	wk_out_char(out, '.');
	for (uint64_t unit = 100; part; unit /= 10) {
		wk_out_char(out, (char)('0' + part / unit));
		part %= unit;
	}
}

/* Of a comparison: both counts, as differential flame graphs are drawn from. */
static void add_sides(struct wk_out *out, const struct wk_tree *tree, struct wk_str line,
		      uint64_t before, uint64_t after)
{
	if (before == 0 && after == 0)
		return;
	wk_out_str(out, line);
	wk_out_char(out, ' ');
	add_count(out, tree, before);
	wk_out_char(out, ' ');
	add_count(out, tree, after);
	wk_out_char(out, '\n');
}

/* The line of a node is its parent's line and its own name, so one buffer is cut back to
 * where the parent ended and grown again. */
static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_tree *tree = view->tree;
	size_t *ends = wk_alloc(((size_t)tree->depth_max + 1) * sizeof(*ends));
	struct wk_buf line = { 0 };

	(void)err;
	ends[0] = 0;
	for (uint32_t node = 1; node < tree->count; node++) {
		uint32_t depth = tree->depth[node];

		line.len = ends[depth - 1];
		if (depth > 1)
			wk_buf_add_char(&line, ';');
		add_name(&line, tree->name[node]);
		ends[depth] = line.len;
		if (tree->self_before) {
			add_sides(out, tree, wk_buf_str(&line), tree->self_before[node],
				  tree->self_after[node]);
			continue;
		}
		if (tree->self_samples[node] == 0 || (view->by_weight && tree->self[node] == 0))
			continue;
		wk_out_str(out, wk_buf_str(&line));
		wk_out_char(out, ' ');
		add_count(out, tree,
			  view->by_weight ? tree->self[node] : tree->self_samples[node]);
		wk_out_char(out, '\n');
	}
	wk_buf_fini(&line);
	free(ends);
	return true;
}

const struct wk_renderer wk_renderer_folded = {
	.name = "folded",
	.summary = "folded stacks, one line each, for flame graph tools",
	.suffix = ".folded",
	.wants = WK_RENDER_TREE,
	.render = render,
};
