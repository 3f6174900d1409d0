/* The symbols of a module: functions and the calls that were inlined into them. */
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb_block.h"

#define MOST_DEPTH 128 /* of calls within one another; deeper ones are left out */
#define NOTHING    UINT32_MAX

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

/* A part of a function that lies elsewhere, and where the function begins. */
struct apart {
	uint32_t proc;
	uint32_t parent_start;
};

struct walk {
	struct wk_pdb *pdb;
	struct wk_pdb_block *block;
	struct scope *scopes;
	size_t count, cap;
	struct apart *apart;
	size_t apart_count, apart_cap;
	struct wk_map proc_at; /* by its start, for those: to its number + 1 */
};

static void push(struct walk *w, struct scope scope)
{
	w->scopes = wk_grow(w->scopes, &w->cap, w->count + 1, sizeof(*w->scopes));
	w->scopes[w->count++] = scope;
}

static struct scope around(const struct walk *w)
{
	return w->count ? w->scopes[w->count - 1] : (struct scope){ SCOPE_BLOCK, NOTHING, 0 };
}

/* Where ends and begins do not match, what is open is no longer known. */
static void pop(struct walk *w, bool is_site)
{
	if (w->count > 0 && (w->scopes[w->count - 1].kind == SCOPE_SITE) == is_site)
		w->count--;
	else
		w->count = 0;
}

/* Functions do not lie within one another: what is open still was never ended. A part apart may. */
static void open_function(struct walk *w, uint32_t proc, bool is_inside)
{
	if (!is_inside)
		w->count = 0;
	push(w, (struct scope){ SCOPE_FUNCTION, proc, 0 });
}

static uint32_t add_proc(struct walk *w, uint16_t section, uint32_t offset, uint32_t size_bytes,
			 uint32_t name)
{
	struct wk_pdb_block *b = w->block;
	uint32_t start;

	if (!wk_pdb_source_rva(w->pdb, section, offset, &start) ||
	    size_bytes > UINT32_MAX - start)
		return NOTHING;
	b->procs = wk_grow(b->procs, &b->proc_cap, b->proc_count + 1, sizeof(*b->procs));
	b->procs[b->proc_count] = (struct wk_pdb_proc){
		.start = start, .end = start + size_bytes, .name = name };
	return (uint32_t)b->proc_count++;
}

static uint32_t name_of(struct walk *w, uint16_t section, uint32_t offset, struct wk_str name)
{
	struct wk_str linked = wk_pdb_public_at(w->pdb, section, offset, name);

	return wk_pdb_text(w->pdb, linked.len ? linked : name);
}

static void read_proc(struct walk *w, struct wk_bytes in)
{
	uint32_t size, offset;
	uint16_t section;
	struct wk_str name;

	wk_bytes_skip(&in, 12);
	size = wk_u32le(&in);
	wk_bytes_skip(&in, 12);
	offset = wk_u32le(&in);
	section = wk_u16le(&in);
	wk_bytes_skip(&in, 1);
	name = wk_bytes_text(&in);
	open_function(w, in.bad ? NOTHING : add_proc(w, section, offset, size,
						     name_of(w, section, offset, name)), false);
}

static void read_thunk(struct walk *w, struct wk_bytes in)
{
	uint32_t offset, size;
	uint16_t section;
	struct wk_str name;

	wk_bytes_skip(&in, 12);
	offset = wk_u32le(&in);
	section = wk_u16le(&in);
	size = wk_u16le(&in);
	wk_bytes_skip(&in, 1);
	name = wk_bytes_text(&in);
	open_function(w, in.bad ? NOTHING : add_proc(w, section, offset, size,
						     name_of(w, section, offset, name)), false);
}

static void read_apart(struct walk *w, struct wk_bytes in)
{
	uint32_t size, offset, parent_offset, parent_start, proc;
	uint16_t section, parent_section;

	wk_bytes_skip(&in, 8);
	size = wk_u32le(&in);
	wk_bytes_skip(&in, 4);
	offset = wk_u32le(&in);
	parent_offset = wk_u32le(&in);
	section = wk_u16le(&in);
	parent_section = wk_u16le(&in);
	proc = in.bad ? NOTHING : add_proc(w, section, offset, size, 0);
	open_function(w, proc, true);
	if (proc == NOTHING ||
	    !wk_pdb_source_rva(w->pdb, parent_section, parent_offset, &parent_start))
		return;
	w->apart = wk_grow(w->apart, &w->apart_cap, w->apart_count + 1, sizeof(*w->apart));
	w->apart[w->apart_count++] = (struct apart){ proc, parent_start };
}

static void read_site(struct walk *w, struct wk_bytes in, bool has_count)
{
	static const struct wk_pdb_inlinee unknown;
	struct wk_pdb_block *b = w->block;
	struct scope outer = around(w), scope = { SCOPE_SITE, outer.proc, outer.site };
	uint32_t id, inlinee, depth;

	wk_bytes_skip(&in, 8);
	id = wk_u32le(&in);
	if (has_count)
		wk_bytes_skip(&in, 4);
	depth = outer.site ? b->sites[outer.site - 1].depth + 1 : 1;
	if (!in.bad && outer.proc != NOTHING && depth <= MOST_DEPTH) {
		b->sites = wk_grow(b->sites, &b->site_cap, b->site_count + 1, sizeof(*b->sites));
		b->sites[b->site_count++] = (struct wk_pdb_site){
			.parent = outer.site,
			.proc = outer.proc,
			.name = wk_pdb_inlinee_name(w->pdb, id),
			.depth = depth,
		};
		scope.site = (uint32_t)b->site_count;
		inlinee = wk_map_find(&b->inlinee_of, id);
		wk_pdb_run_annotations(w->pdb, b, in, scope.site - 1, b->procs[outer.proc].start,
				       inlinee ? &b->inlinees[inlinee - 1] : &unknown);
	}
	push(w, scope);
}

static void read_record(struct walk *w, uint16_t kind, struct wk_bytes in)
{
	switch (kind) {
	case S_GPROC32:
	case S_LPROC32:
	case S_GPROC32_ID:
	case S_LPROC32_ID:
	case S_LPROC32_DPC:
	case S_LPROC32_DPC_ID:
		read_proc(w, in);
		break;
	case S_THUNK32:
		read_thunk(w, in);
		break;
	case S_SEPCODE:
		read_apart(w, in);
		break;
	case S_GMANPROC:
	case S_LMANPROC:
		open_function(w, NOTHING, false);
		break;
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

static void name_parts_apart(struct walk *w)
{
	struct wk_pdb_block *b = w->block;

	for (size_t i = b->proc_count; w->apart_count > 0 && i-- > 0;)
		if (b->procs[i].name != 0)
			wk_map_set(&w->proc_at, b->procs[i].start, (uint32_t)i + 1);
	for (size_t i = 0; i < w->apart_count; i++) {
		uint32_t parent = wk_map_find(&w->proc_at, w->apart[i].parent_start);

		if (parent)
			b->procs[w->apart[i].proc].name = b->procs[parent - 1].name;
	}
}

void wk_pdb_read_scopes(struct wk_pdb *pdb, struct wk_pdb_block *block)
{
	struct walk w = { .pdb = pdb, .block = block };
	struct wk_bytes in = block->symbols;

	while (wk_bytes_left(&in) >= 4) {
		uint16_t len = wk_u16le(&in);
		struct wk_bytes body = wk_bytes_take(&in, len);
		uint16_t kind = wk_u16le(&body);

		if (body.bad)
			break;
		read_record(&w, kind, body);
	}
	name_parts_apart(&w);
	free(w.scopes);
	free(w.apart);
	wk_map_fini(&w.proc_at);
}
