/* Merges functions, inlined calls and lines: the node and line of each interval of code.
 *
 * Goes through a unit once, by address. Calls that cover an address wait in a heap with the last
 * one in the file on top, because it is nested in those before it. Each has its own lines; where it
 * calls the next one is its line at that address. So a call has a node for each line that it is
 * called from. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/code_index/innermost.h"
#include "symbols/pdb/block.h"

#define MOST_PATH 256

struct sweep {
	struct wk_pdb_block *block;
	struct wk_sort_key *events; /* key: address; row: number of the site's row times 2, + 1 at
				     * its end */
	size_t event_count, next_event;
	struct wk_sort_key *order; /* of functions */
	size_t next_proc;
	size_t next_line;
	uint64_t *heap; /* sites */
	size_t heap_count, heap_cap;
	struct wk_pdb_proc *proc; /* that holds; NULL: none */
	struct wk_pdb_line line;  /* that holds */
	bool has_begun;           /* the lowest address of the block is behind */
};

/* If the next row of the same call follows immediately, nothing ends. */
static bool goes_on(const struct wk_pdb_block *b, size_t row)
{
	return row + 1 < b->row_count && b->rows[row + 1].site == b->rows[row].site &&
	       b->rows[row + 1].start == b->rows[row].end;
}

static void sort_events(struct sweep *s)
{
	struct wk_pdb_block *b = s->block;

	s->events = wk_alloc((2 * b->row_count + 1) * sizeof(*s->events));
	for (size_t i = 0; i < b->row_count && i < UINT32_MAX / 2; i++) {
		const struct wk_pdb_site_row *row = &b->rows[i];

		s->events[s->event_count++] = (struct wk_sort_key){ row->start, (uint32_t)i * 2 };
		if (!goes_on(b, i))
			s->events[s->event_count++] =
				(struct wk_sort_key){ row->end, (uint32_t)i * 2 + 1 };
	}
	wk_sort_keys(s->events, s->event_count);
}

/* The innermost call that holds, + 1. */
static uint32_t innermost(struct sweep *s)
{
	struct wk_pdb_site *sites = s->block->sites;

	while (s->heap_count > 0 && sites[s->heap[0]].row == 0) {
		sites[s->heap[0]].is_queued = false;
		wk_innermost_pop(s->heap, &s->heap_count);
	}
	return s->heap_count ? (uint32_t)s->heap[0] + 1 : 0;
}

static void apply_event(struct sweep *s, uint32_t event)
{
	uint32_t row = event / 2 + 1;
	uint32_t number = s->block->rows[row - 1].site;
	struct wk_pdb_site *site = &s->block->sites[number];

	if (event % 2 == 0) {
		site->row = row;
		if (!site->is_queued) {
			WK_RESERVE(s->heap, s->heap_cap, s->heap_count + 1);
			wk_innermost_push(s->heap, &s->heap_count, number);
		}
		site->is_queued = true;
	} else if (site->row == row) {
		site->row = 0;
	}
}

static const struct wk_pdb_proc *proc_ahead(const struct sweep *s)
{
	const struct wk_pdb_block *b = s->block;

	return s->next_proc < b->proc_count ? &b->procs[s->order[s->next_proc].row] : NULL;
}

static uint32_t least(uint32_t a, uint64_t b)
{
	return b < a ? (uint32_t)b : a;
}

/* The next address at which something changes; false if there is none. */
static bool next_address(const struct sweep *s, uint32_t *at)
{
	const struct wk_pdb_proc *ahead = proc_ahead(s);
	bool is_any = false;

	*at = UINT32_MAX;
	if (!s->has_begun) {
		*at = s->block->low;
		is_any = true;
	}
	if (s->next_event < s->event_count) {
		*at = least(*at, s->events[s->next_event].key);
		is_any = true;
	}
	if (s->next_line < s->block->line_count) {
		*at = least(*at, s->block->lines[s->next_line].start);
		is_any = true;
	}
	if (s->proc || ahead) {
		*at = least(*at, s->proc ? s->proc->end : ahead->start);
		is_any = true;
	}
	return is_any;
}

static void advance(struct sweep *s, uint32_t at)
{
	const struct wk_pdb_proc *ahead;

	if (s->proc && s->proc->end <= at)
		s->proc = NULL;
	ahead = proc_ahead(s);
	if (ahead && ahead->start <= at)
		s->proc = &s->block->procs[s->order[s->next_proc++].row];
	while (s->next_line < s->block->line_count && s->block->lines[s->next_line].start <= at)
		s->line = s->block->lines[s->next_line++];
	while (s->next_event < s->event_count && s->events[s->next_event].key <= at)
		apply_event(s, s->events[s->next_event++].row);
}

static uint32_t add_node(struct wk_pdb_block *b, struct wk_code_packed_node node)
{
	*wk_code_maker_node(&b->maker) = node;
	return b->maker.node_count - 1;
}

static uint32_t node_of_proc(struct sweep *s)
{
	if (s->proc->node == 0)
		s->proc->node = add_node(s->block,
					 (struct wk_code_packed_node){ .function = s->proc->name });
	return s->proc->node;
}

/* Deeply nested calls could have more nodes than the file has bytes: the last node then serves for
 * other lines as well. */
static uint32_t node_of_site(struct wk_pdb_block *b, struct wk_pdb_site *site, uint32_t parent,
			     const struct wk_pdb_run *here)
{
	if (site->node && ((site->node_parent == parent && site->node_file == here->file &&
			    site->node_line == here->line) ||
			   b->maker.node_count >= b->most_nodes))
		return site->node;
	site->node = add_node(b, (struct wk_code_packed_node){
		.parent = parent,
		.function = site->name,
		.call_file = wk_code_maker_file(&b->maker, here->file),
		.call_line = here->line,
	});
	site->node_parent = parent;
	site->node_file = here->file;
	site->node_line = here->line;
	return site->node;
}

/* The calls from the function inwards, innermost first; those inside one that does not hold are
 * left out. */
static size_t path_to(const struct sweep *s, uint32_t number, uint32_t *path)
{
	const struct wk_pdb_site *sites = s->block->sites;
	size_t count = 0;

	for (; number && count < MOST_PATH; number = sites[number - 1].parent) {
		if (sites[number - 1].row == 0)
			count = 0;
		else
			path[count++] = number - 1;
	}
	return count;
}

static void enter_calls(struct sweep *s, struct wk_pdb_run *run)
{
	struct wk_pdb_block *b = s->block;
	uint32_t path[MOST_PATH], number = innermost(s);
	size_t count;

	if (number == 0 || &b->procs[b->sites[number - 1].proc] != s->proc)
		return;
	count = path_to(s, number, path);
	while (count-- > 0) {
		struct wk_pdb_site *site = &b->sites[path[count]];
		const struct wk_pdb_site_row *row = &b->rows[site->row - 1];

		if (site->name == 0)
			continue;
		run->node = node_of_site(b, site, run->node, run);
		run->file = row->file;
		run->line = row->line;
	}
}

static bool says_the_same(const struct wk_pdb_run *a, const struct wk_pdb_run *b)
{
	return a->node == b->node && a->file == b->file && a->line == b->line;
}

static void put_run(struct wk_pdb_block *b, struct wk_pdb_run run)
{
	static const struct wk_pdb_run none;
	const struct wk_pdb_run *last = b->run_count ? &b->runs[b->run_count - 1] : &none;

	if (b->run_count && last->start == run.start) {
		b->runs[b->run_count - 1] = run;
		return;
	}
	if (says_the_same(last, &run))
		return;
	*WK_APPEND(b->runs, b->run_count, b->run_cap) = run;
}

static void put_here(struct sweep *s, uint32_t at)
{
	struct wk_pdb_run run = { .start = at, .file = s->line.file, .line = s->line.line };

	if (s->proc) {
		run.node = node_of_proc(s);
		enter_calls(s, &run);
	}
	put_run(s->block, run);
}

/* Counts nodes, and rows where lines change or calls begin. */
static size_t likely_bytes(const struct wk_pdb_block *b)
{
	return (b->proc_count + 2 * b->site_count) * sizeof(struct wk_code_packed_node) +
	       (b->line_count + 2 * b->row_count) * sizeof(struct wk_code_packed_row);
}

void wk_pdb_make_runs(struct wk_pdb_block *block)
{
	struct sweep s = { .block = block };
	uint32_t at;

	s.order = WK_SORT_ORDER(block->procs, block->proc_count, start);
	sort_events(&s);
	block->most_nodes = 1024 + wk_bytes_left(&block->outline->symbols) / 4;
	wk_code_maker_begin(&block->maker, likely_bytes(block));
	while (next_address(&s, &at) && at < block->high) {
		advance(&s, at);
		s.has_begun |= at >= block->low;
		if (s.has_begun)
			put_here(&s, at);
	}
	WK_FREE_ALL(s.events, s.order, s.heap);
}

/* A run in the image. */
struct moved {
	uint32_t start, end;
	size_t run;
};

struct moving {
	struct moved *rows;
	size_t count, cap;
};

static void move_run(struct wk_pdb *pdb, const struct wk_pdb_block *b, size_t i,
		     struct moving *moving)
{
	uint32_t end = i + 1 < b->run_count ? b->runs[i + 1].start : b->runs[i].start;
	struct wk_pdb_part part = wk_pdb_parts(pdb, b->runs[i].start, end);

	if (b->runs[i].node == 0 && b->runs[i].line == 0)
		return;
	while (wk_pdb_next_part(pdb, &part)) {
		*WK_APPEND(moving->rows, moving->count, moving->cap) =
			(struct moved){ part.start, part.end, i };
	}
}

/* In the order of the image, with the gaps between them. */
static void put_moved(struct wk_pdb_block *b, const struct moving *moving)
{
	struct wk_sort_key *order = WK_SORT_ORDER(moving->rows, moving->count, start);
	struct wk_pdb_run *runs = b->runs;
	uint32_t end = 0;

	b->runs = NULL;
	b->run_count = b->run_cap = 0;
	for (size_t i = 0; i < moving->count; i++) {
		const struct moved *moved = &moving->rows[order[i].row];
		struct wk_pdb_run run = runs[moved->run];

		if (i > 0 && end < moved->start)
			put_run(b, (struct wk_pdb_run){ .start = end });
		run.start = moved->start;
		put_run(b, run);
		end = moved->end;
	}
	put_run(b, (struct wk_pdb_run){ .start = end });
	WK_FREE_ALL(runs, order);
}

void wk_pdb_move_runs(struct wk_pdb *pdb, struct wk_pdb_block *block)
{
	struct moving moving = { 0 };

	if (pdb->moved_count == 0)
		return;
	for (size_t i = 0; i < block->run_count; i++)
		move_run(pdb, block, i, &moving);
	put_moved(block, &moving);
	wk_free(moving.rows);
}
