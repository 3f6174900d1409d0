/* The symbols of a module: functions and the calls inlined into them. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb/block.h"

#define MOST_DEPTH 128 /* of calls within one another; deeper ones are left out */
#define NOTHING    UINT32_MAX

#define RECORD_HEAD    4  /* bytes: its length and its kind */
#define MOST_NAMESAKES 16 /* that are looked at of parts of functions at one place */

enum scope_kind {
	SCOPE_FUNCTION,
	SCOPE_BLOCK, /* and whatever else ends as it does */
	SCOPE_SITE,
};

struct scope {
	enum scope_kind kind;
	uint32_t proc; /* NOTHING: its place is not known */
	uint32_t site; /* number + 1; 0: none */
};

struct walk {
	struct wk_pdb *pdb;
	struct wk_pdb_block *block;
	uint32_t next; /* of the outline's functions */
	struct scope *scopes;
	size_t count, cap;
};

static void push(struct walk *w, struct scope scope)
{
	*WK_APPEND(w->scopes, w->count, w->cap) = scope;
}

static struct scope around(const struct walk *w)
{
	return w->count ? w->scopes[w->count - 1] : (struct scope){ SCOPE_BLOCK, NOTHING, 0 };
}

/* If ends and begins do not match, the open scopes are unknown. */
static void pop(struct walk *w, bool is_site)
{
	if (w->count > 0 && (w->scopes[w->count - 1].kind == SCOPE_SITE) == is_site)
		w->count--;
	else
		w->count = 0;
}

/* Functions are not nested: an open one was never ended. A separate part may be nested. */
static void open_function(struct walk *w, uint32_t proc, bool is_inside)
{
	if (!is_inside)
		w->count = 0;
	push(w, (struct scope){ SCOPE_FUNCTION, proc, 0 });
}

static uint32_t linked_name(struct walk *w, const struct wk_pdb_function *function)
{
	struct wk_str linked =
		wk_pdb_public_at(w->pdb, function->section, function->offset, function->name);

	return wk_pdb_text(w->pdb, linked.len ? linked : function->name);
}

/* The first one that begins there and is not a separate part. */
static uint32_t parent_name(struct walk *w, const struct wk_pdb_function *part)
{
	const struct wk_pdb_outline *o = w->block->outline;
	uint32_t start;
	size_t at;

	if (!wk_pdb_source_rva(w->pdb, part->parent_section, part->parent_offset, &start))
		return 0;
	at = wk_pdb_procs_from(o, start);
	for (size_t end = at + MOST_NAMESAKES; at < end && at < o->proc_count; at++) {
		struct wk_bytes in = o->symbols, body;
		struct wk_pdb_function function;
		uint16_t kind;

		if (o->by_start[at].key != start)
			break;
		wk_bytes_skip(&in, o->procs[o->by_start[at].row].at);
		if (wk_pdb_next_record(&in, &kind, &body) && kind != S_SEPCODE &&
		    wk_pdb_read_function(kind, body, &function))
			return linked_name(w, &function);
	}
	return 0;
}

static bool is_hidden(const struct wk_pdb_outlined *proc)
{
	return proc->start == proc->end;
}

static bool is_wanted(const struct wk_pdb_block *b, const struct wk_pdb_outlined *proc)
{
	return !is_hidden(proc) && proc->end > b->low && proc->start < b->high;
}

/* The function that begins at `at` in the symbols, if its place is known. */
static uint32_t add_proc(struct walk *w, uint16_t kind, uint32_t at,
			 const struct wk_pdb_function *function)
{
	struct wk_pdb_block *b = w->block;
	const struct wk_pdb_outlined *proc = &b->outline->procs[w->next];

	if (w->next >= b->outline->proc_count || proc->at != at)
		return NOTHING;
	w->next++;
	if (!is_wanted(b, proc))
		return NOTHING;
	WK_RESERVE(b->procs, b->proc_cap, b->proc_count + 1);
	b->procs[b->proc_count] = (struct wk_pdb_proc){
		.start = proc->start,
		.end = proc->end,
		.name = kind == S_SEPCODE ? parent_name(w, function) : linked_name(w, function),
	};
	return (uint32_t)b->proc_count++;
}

static void read_function(struct walk *w, uint16_t kind, struct wk_bytes in)
{
	const struct wk_bytes *symbols = &w->block->outline->symbols;
	uint32_t at = (uint32_t)(in.at - symbols->start) - RECORD_HEAD, proc = NOTHING;
	struct wk_pdb_function function;

	if (wk_pdb_read_function(kind, in, &function))
		proc = add_proc(w, kind, at, &function);
	open_function(w, proc, kind == S_SEPCODE);
}

static void read_site(struct walk *w, struct wk_bytes in, bool has_count)
{
	static const struct wk_pdb_inlinee unknown;
	struct wk_pdb_block *b = w->block;
	const struct wk_pdb_outline *o = b->outline;
	struct scope outer = around(w), scope = { SCOPE_SITE, outer.proc, outer.site };
	uint32_t id, inlinee, depth;

	wk_bytes_skip(&in, 8);
	id = wk_u32le(&in);
	if (has_count)
		wk_bytes_skip(&in, 4);
	depth = outer.site ? b->sites[outer.site - 1].depth + 1 : 1;
	if (!in.bad && outer.proc != NOTHING && depth <= MOST_DEPTH) {
		*WK_APPEND(b->sites, b->site_count, b->site_cap) = (struct wk_pdb_site){
			.parent = outer.site,
			.proc = outer.proc,
			.name = wk_pdb_inlinee_name(w->pdb, id),
			.depth = depth,
		};
		scope.site = (uint32_t)b->site_count;
		inlinee = wk_map_find(&o->inlinee_of, id);
		wk_pdb_run_annotations(w->pdb, b, in, scope.site - 1,
				       inlinee ? &o->inlinees[inlinee - 1] : &unknown);
	}
	push(w, scope);
}

static void read_record(struct walk *w, uint16_t kind, struct wk_bytes in)
{
	if (wk_pdb_begins_function(kind)) {
		read_function(w, kind, in);
		return;
	}
	switch (kind) {
	case S_BLOCK32:
	case S_WITH32:
		push(w, (struct scope){ SCOPE_BLOCK, around(w).proc, around(w).site });
		break;
	case S_INLINESITE:
	case S_INLINESITE2:
		read_site(w, in, kind == S_INLINESITE2);
		break;
	case S_INLINESITE_END:
		pop(w, true);
		break;
	case S_END:
	case S_PROC_ID_END:
		pop(w, false);
		break;
	default:
		break;
	}
}

static void read_chapter(struct walk *w, uint32_t number)
{
	const struct wk_pdb_outline *o = w->block->outline;
	struct wk_bytes in = o->symbols, body;
	uint16_t kind;

	if (number + 1 < o->chapter_count)
		in.end = in.start + o->chapters[number + 1].at;
	wk_bytes_skip(&in, o->chapters[number].at);
	w->next = o->chapters[number].first;
	w->count = 0;
	while (wk_pdb_next_record(&in, &kind, &body))
		read_record(w, kind, body);
}

/* Those that have code between the block's bounds, in the order of the symbols. */
static struct wk_sort_key *wanted_chapters(const struct wk_pdb_block *b, size_t *count)
{
	const struct wk_pdb_outline *o = b->outline;
	size_t first = wk_pdb_procs_from(o, b->low), end = first;
	struct wk_sort_key *chapters;

	/* The one before may reach here, but for those that it hides. */
	while (first > 0 && is_hidden(&o->procs[o->by_start[first - 1].row]))
		first--;
	first -= first > 0;
	while (end < o->proc_count && o->by_start[end].key < b->high)
		end++;
	chapters = wk_alloc((end - first + 1) * sizeof(*chapters));
	*count = 0;
	for (size_t i = first; i < end; i++) {
		const struct wk_pdb_outlined *proc = &o->procs[o->by_start[i].row];

		if (is_wanted(b, proc))
			chapters[(*count)++] = (struct wk_sort_key){ proc->chapter, 0 };
	}
	wk_sort_keys(chapters, *count);
	return chapters;
}

void wk_pdb_read_scopes(struct wk_pdb *pdb, struct wk_pdb_block *block)
{
	struct walk w = { .pdb = pdb, .block = block };
	size_t count;
	struct wk_sort_key *chapters = wanted_chapters(block, &count);

	for (size_t i = 0; i < count; i++)
		if (i == 0 || chapters[i].key != chapters[i - 1].key)
			read_chapter(&w, (uint32_t)chapters[i].key);
	WK_FREE_ALL(chapters, w.scopes);
}
