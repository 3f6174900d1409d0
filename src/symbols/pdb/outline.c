#include "symbols/pdb/outline.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"

#define HEAD_BYTES 4 /* of the symbols */

/* The parts of its stream: symbols behind four bytes, old lines, lines. */
static bool open_parts(const struct wk_pdb *pdb, const struct wk_pdb_module *module,
		       struct wk_pdb_outline *o, struct wk_err *err)
{
	struct wk_bytes in;

	if (!wk_msf_read(&pdb->msf, module->stream, &o->stream, err))
		return false;
	in = o->stream.bytes;
	o->symbols = wk_bytes_slice(&in, module->symbol_bytes);
	wk_bytes_skip(&in, module->old_line_bytes);
	o->line_parts = wk_bytes_slice(&in, module->line_bytes);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "stream %u has %zu bytes and the "
			       "module claims more",
			       module->stream, wk_bytes_left(&o->stream.bytes));
	o->symbols = wk_bytes_of(o->symbols.at, wk_bytes_left(&o->symbols));
	o->line_parts = wk_bytes_of(o->line_parts.at, wk_bytes_left(&o->line_parts));
	return true;
}

static void begin_chapter(struct wk_pdb_outline *o, uint32_t at)
{
	*WK_APPEND(o->chapters, o->chapter_count, o->chapter_cap) =
		(struct wk_pdb_chapter){ at, (uint32_t)o->proc_count };
}

static void add_proc(const struct wk_pdb *pdb, struct wk_pdb_outline *o,
		     const struct wk_pdb_function *function, uint32_t at)
{
	uint32_t start;

	if (!wk_pdb_function_start(pdb, function, &start))
		return;
	*WK_APPEND(o->procs, o->proc_count, o->proc_cap) = (struct wk_pdb_outlined){
		start, start + function->size_bytes, at, (uint32_t)o->chapter_count - 1 };
}

static void outline_symbols(const struct wk_pdb *pdb, struct wk_pdb_outline *o)
{
	struct wk_bytes in = o->symbols;

	begin_chapter(o, HEAD_BYTES);
	wk_bytes_skip(&in, HEAD_BYTES);
	for (;;) {
		uint32_t at = (uint32_t)wk_bytes_offset(&in);
		struct wk_pdb_function function;
		struct wk_bytes body;
		uint16_t kind;

		if (!wk_pdb_next_record(&in, &kind, &body))
			break;
		if (!wk_pdb_begins_function(kind))
			continue;
		if (kind != S_SEPCODE)
			begin_chapter(o, at);
		if (wk_pdb_read_function(kind, body, &function))
			add_proc(pdb, o, &function, at);
	}
}

/* A function that begins where another one does is hidden; one in which another begins ends
 * there. */
static void order_procs(struct wk_pdb_outline *o)
{
	struct wk_pdb_outlined *last = NULL;

	o->by_start = WK_SORT_ORDER(o->procs, o->proc_count, start);
	for (size_t i = 0; i < o->proc_count; i++) {
		struct wk_pdb_outlined *proc = &o->procs[o->by_start[i].row];

		if (proc->start == proc->end || (last && last->start == proc->start)) {
			proc->end = proc->start;
			continue;
		}
		if (last && last->end > proc->start)
			last->end = proc->start;
		last = proc;
	}
}

size_t wk_pdb_procs_from(const struct wk_pdb_outline *outline, uint32_t address)
{
	size_t low = 0, high = outline->proc_count;

	WK_BISECT(low, high, outline->by_start[middle].key < address);
	return low;
}

struct wk_pdb_outline *wk_pdb_outline_new(const struct wk_pdb *pdb,
					  const struct wk_pdb_module *module, struct wk_err *err)
{
	struct wk_pdb_outline *outline = wk_alloc_zeroed(1, sizeof(*outline));

	if (!open_parts(pdb, module, outline, err)) {
		wk_pdb_outline_free(outline);
		return NULL;
	}
	outline_symbols(pdb, outline);
	order_procs(outline);
	wk_pdb_outline_lines(pdb, outline);
	return outline;
}

void wk_pdb_outline_free(struct wk_pdb_outline *outline)
{
	if (!outline)
		return;
	wk_msf_stream_fini(&outline->stream);
	WK_FREE_ALL(outline->chapters, outline->procs, outline->by_start, outline->stretches);
	wk_map_fini(&outline->inlinee_of);
	WK_FREE_ALL(outline->inlinees, outline);
}
