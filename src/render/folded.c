/* Folded stacks: root to leaf joined by ';', then how often. What every flame graph tool
 * reads. A ';' inside a name becomes ':' and a line never holds another's line break. */

#include "base/mem.h"
#include "os/os.h"
#include "render/folded_rows.h"
#include "render/renderers.h"

/* A line grows and is cut back: that of a node is its parent's and its own name. */
struct line {
	const struct wk_view *view;
	struct wk_buf text;
	struct wk_out names; /* to `text` */
	size_t *ends;        /* by depth: where the name of that node ends */
};

void wk_folded_name(struct wk_out *names, struct wk_buf *text, struct wk_str name)
{
	size_t start = text->len;

	wk_out_term(names, name);
	wk_out_flush(names);
	for (size_t i = start; i < text->len; i++)
		if (text->at[i] == ';')
			text->at[i] = ':';
}

static void add_name(struct line *line, uint32_t node)
{
	const struct wk_tree *tree = line->view->tree;
	uint32_t depth = tree->depth[node];

	line->text.len = line->ends[depth - 1];
	if (depth > 1)
		wk_buf_add_char(&line->text, ';');
	wk_folded_name(&line->names, &line->text, tree->name[node]);
	line->ends[depth] = line->text.len;
}

/* A line as it is before the node `first`: its callers' names. */
static void start_line(struct line *line, const struct wk_view *view, uint32_t first)
{
	const struct wk_tree *tree = view->tree;

	*line = (struct line){ .view = view };
	line->names = wk_out_to_buf(&line->text);
	line->ends = wk_alloc(((size_t)tree->depth_max + 1) * sizeof(*line->ends));
	line->ends[0] = 0;
	for (uint32_t node = tree->parent[first]; node; node = tree->parent[node])
		line->ends[tree->depth[node]] = node;
	for (uint32_t depth = 1; depth < tree->depth[first]; depth++)
		add_name(line, (uint32_t)line->ends[depth]);
}

static void end_line(struct line *line)
{
	wk_out_end(&line->names);
	wk_buf_fini(&line->text);
	free(line->ends);
}

void wk_folded_count(struct wk_out *out, struct wk_str unit, uint64_t count)
{
	uint64_t part = count % 1000;

	if (!wk_str_is(unit, WK_UNIT_THOUSANDTHS)) {
		wk_out_u64(out, count);
		return;
	}
	wk_out_u64(out, count / 1000);
	if (part == 0)
		return;
	wk_out_char(out, '.');
	for (uint64_t place = 100; part; place /= 10) {
		wk_out_char(out, (char)('0' + part / place));
		part %= place;
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
	wk_folded_count(out, tree->unit, before);
	wk_out_char(out, ' ');
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
	wk_out_char(out, ' ');
	wk_folded_count(out, tree->unit,
			view->by_weight ? tree->self[node] : tree->self_samples[node]);
	wk_out_char(out, '\n');
}

static void write_nodes(const struct wk_view *view, uint32_t first, uint32_t end,
			struct wk_out *out)
{
	struct line line;

	if (first >= end)
		return;
	start_line(&line, view, first);
	for (uint32_t node = first; node < end; node++)
		write_node(&line, node, out);
	end_line(&line);
}

/* ---- several threads: the first writes, the others make what comes behind it */

#define MOST_PIECES 16
#define PIECE_NODES 8192
#define PIECE_BYTES ((size_t)4 << 20) /* more is left to the first thread */

struct piece {
	const struct wk_view *view;
	uint32_t first, end, reached;
	struct wk_buf text;
	struct wk_os_thread *thread;
};

static void make_piece(void *context)
{
	struct piece *piece = context;
	struct wk_out out = wk_out_to_buf(&piece->text);
	struct line line;

	start_line(&line, piece->view, piece->first);
	while (piece->reached < piece->end && piece->text.len < PIECE_BYTES)
		write_node(&line, piece->reached++, &out);
	end_line(&line);
	wk_out_end(&out);
}

static void start_piece(struct piece *piece, const struct wk_view *view, uint32_t first,
			uint32_t end)
{
	wk_buf_reset(&piece->text);
	piece->view = view;
	piece->first = piece->reached = first;
	piece->end = end;
	piece->thread = first < end ? wk_os_thread_start(make_piece, piece) : NULL;
}

static void write_piece(struct piece *piece, struct wk_out *out)
{
	if (piece->thread)
		wk_os_thread_join(piece->thread);
	wk_out_str(out, wk_buf_str(&piece->text));
	write_nodes(piece->view, piece->reached, piece->end, out);
}

static void write_in_pieces(const struct wk_view *view, uint32_t piece_count, struct wk_out *out)
{
	struct piece pieces[MOST_PIECES] = { 0 };
	uint32_t node = 1, count = view->tree->count;

	while (node < count) {
		uint32_t size = (count - node + piece_count - 1) / piece_count, begin = node;

		if (size > PIECE_NODES)
			size = PIECE_NODES;
		for (uint32_t i = 0; i < piece_count; i++) {
			uint32_t end = count - node < size ? count : node + size;

			if (i)
				start_piece(&pieces[i], view, node, end);
			node = end;
		}
		write_nodes(view, begin, count - begin < size ? count : begin + size, out);
		for (uint32_t i = 1; i < piece_count; i++)
			write_piece(&pieces[i], out);
	}
	for (uint32_t i = 1; i < piece_count; i++)
		wk_buf_fini(&pieces[i].text);
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	unsigned threads = view->threads < MOST_PIECES ? view->threads : MOST_PIECES;

	(void)err;
	if (view->rows) {
		wk_folded_rows(view->rows, view->model, out);
		return true;
	}
	if (threads > 1 && view->tree->count > PIECE_NODES)
		write_in_pieces(view, threads, out);
	else
		write_nodes(view, 1, view->tree->count, out);
	return true;
}

const struct wk_renderer wk_renderer_folded = {
	.name = "folded",
	.summary = "folded stacks, one line each, for flame graph tools",
	.suffix = ".folded",
	.wants = WK_RENDER_TREE,
	.render = render,
};
