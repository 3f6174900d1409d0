#include "formats/etl/methods.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text/utf16.h"
#include "formats/clr/payload.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/trace.h"

void wk_etl_methods_fini(struct wk_etl_methods *methods)
{
	wk_arena_fini(&methods->texts);
	wk_map_fini(&methods->met);
	wk_map_fini(&methods->source_of);
	WK_FREE_ALL(methods->seen, methods->sources);
}

/* ---- one record */

static bool read_clr(const struct wk_etl_trace *trace, struct wk_etl_seen_method *method,
		     struct wk_buf *name)
{
	struct wk_clr_method read;

	if (!wk_clr_read_method(trace->record.payload, &read))
		return false;
	*method = (struct wk_etl_seen_method){ .pid = trace->record.pid, .is_clr = true, .module = read.module,
				   .start = read.start, .size_bytes = read.size_bytes };
	wk_clr_method_name(&read, name);
	return true;
}

static struct wk_str file_of(const struct wk_etl_methods *methods, uint32_t pid, uint64_t source)
{
	uint32_t row = wk_map_find(&methods->source_of, wk_hash_pair(source, pid));

	return row ? methods->sources[row - 1] : wk_str_c("");
}

/* Context, start, size, numbers of method and range, the script's number, where in it, name. */
static bool read_script(const struct wk_etl_trace *trace, struct wk_etl_seen_method *method,
			struct wk_buf *name)
{
	struct wk_etl_form form = wk_etl_form(trace);
	struct wk_bytes in = trace->record.payload;
	uint64_t size_bytes, source;

	*method = (struct wk_etl_seen_method){ .pid = trace->record.pid };
	wk_etl_read_pointer(&in, form);
	method->start = wk_etl_read_pointer(&in, form);
	size_bytes = wk_u64le(&in);
	wk_bytes_skip(&in, 8);
	source = wk_u64le(&in);
	method->line.line = wk_u32le(&in);
	wk_u32le(&in); /* the column */
	if (in.bad)
		return false;
	method->size_bytes = size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)size_bytes;
	method->line.address = method->start;
	method->line.file = file_of(&trace->methods, method->pid, source);
	wk_utf16_add(name, wk_utf16_text(&in), false);
	return true;
}

static bool read_method(const struct wk_etl_trace *trace, struct wk_etl_seen_method *method,
			struct wk_buf *name)
{
	bool ok = (trace->hook->provider == WK_ETL_BY_SCRIPT ? read_script
							     : read_clr)(trace, method, name);

	method->name = wk_buf_str(name);
	return ok;
}

/* ---- the first pass */

/* The number of a script, its context, flags, its origin. */
bool wk_etl_scan_script_source(struct wk_etl_trace *trace)
{
	struct wk_etl_methods *methods = &trace->methods;
	struct wk_bytes in = trace->record.payload;
	uint64_t number = wk_u64le(&in);

	wk_etl_read_pointer(&in, wk_etl_form(trace));
	wk_u32le(&in);
	if (in.bad)
		return false;
	*WK_APPEND(methods->sources, methods->source_count, methods->source_cap) =
		wk_utf16_copy(&methods->texts, wk_utf16_text(&in));
	wk_map_set(&methods->source_of, wk_hash_pair(number, trace->record.pid),
		   (uint32_t)methods->source_count);
	return true;
}

bool wk_etl_scan_method(struct wk_etl_trace *trace)
{
	struct wk_etl_methods *methods = &trace->methods;
	struct wk_buf name = { 0 };
	struct wk_etl_seen_method method;
	bool ok = read_method(trace, &method, &name);

	if (ok) {
		uint32_t *is_met = wk_map_at(&methods->met, wk_hash_pair(method.start, method.pid));

		if (!*is_met && trace->hook->phase != WK_ETL_START) {
			method.name = wk_arena_copy(&methods->texts, method.name);
			*WK_APPEND(methods->seen, methods->seen_count, methods->seen_cap) = method;
		}
		*is_met = 1;
	}
	wk_buf_fini(&name);
	return ok;
}

/* ---- the second */

static bool emit(const struct wk_etl_trace *trace, const struct wk_etl_seen_method *method,
		 uint64_t time_ns)
{
	struct wk_event event = { .kind = WK_EVENT_SYMBOL, .time_ns = time_ns, .pid = method->pid,
				  .tid = method->pid, .cpu = WK_NO_CPU };

	event.symbol = (struct wk_event_symbol){ .start = method->start,
						 .size_bytes = method->size_bytes,
						 .name = method->name };
	if (method->line.line && method->line.file.len) {
		event.symbol.lines = &method->line;
		event.symbol.line_count = 1;
	}
	if (method->is_clr && wk_clr_owners_is_program(&trace->modules.owners, method->pid,
						       method->module, method->name))
		event.symbol.kind = WK_FRAME_JIT_PROGRAM;
	return wk_etl_emit_event(trace, &event);
}

bool wk_etl_methods_emit_seen(const struct wk_etl_trace *trace)
{
	bool ok = true;

	for (size_t i = 0; ok && i < trace->methods.seen_count; i++)
		ok = emit(trace, &trace->methods.seen[i], 0);
	return ok;
}

bool wk_etl_emit_method(struct wk_etl_trace *trace)
{
	struct wk_buf name = { 0 };
	struct wk_etl_seen_method method;
	bool ok = !read_method(trace, &method, &name) ||
		  emit(trace, &method, wk_etl_ns(trace->file, trace->record.time));

	wk_buf_fini(&name);
	return ok;
}
