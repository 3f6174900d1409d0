#include "formats/etl_methods.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf16.h"
#include "formats/etl_payload.h"
#include "formats/etl_trace.h"

struct method {
	uint32_t pid, size_bytes;
	uint64_t start;
	struct wk_str name;
	struct wk_runtime_line line; /* of a script; its line is 0 where that is unknown */
};

struct wk_etl_methods {
	struct wk_arena texts;
	struct method *seen;
	size_t seen_count, seen_cap;
	struct wk_map met;       /* pid and start, hashed */
	struct wk_str *sources;  /* files of scripts */
	size_t source_count, source_cap;
	struct wk_map source_of; /* pid and number, hashed: row + 1 */
};

struct wk_etl_methods *wk_etl_methods_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_etl_methods));
}

void wk_etl_methods_free(struct wk_etl_methods *methods)
{
	if (!methods)
		return;
	wk_arena_fini(&methods->texts);
	wk_map_fini(&methods->met);
	wk_map_fini(&methods->source_of);
	free(methods->seen);
	free(methods->sources);
	free(methods);
}

/* ---- one record */

/* "Namespace.Type.Method" */
static bool read_clr(const struct wk_etl_record *record, struct method *method,
		     struct wk_buf *name)
{
	struct wk_etl_method read;

	if (!wk_etl_read_method(record->payload, &read))
		return false;
	method->start = read.start;
	method->size_bytes = read.size_bytes;
	wk_utf16_add(name, read.space, false);
	if (name->len)
		wk_buf_add_char(name, '.');
	wk_utf16_add(name, read.name, false);
	return true;
}

static uint64_t take_pointer(struct wk_bytes *in, unsigned pointer_bytes)
{
	return pointer_bytes == 4 ? wk_u32le(in) : wk_u64le(in);
}

static struct wk_str file_of(const struct wk_etl_methods *methods, uint32_t pid, uint64_t source)
{
	uint32_t row = wk_map_find(&methods->source_of, wk_hash_pair(source, pid));

	return row ? methods->sources[row - 1] : wk_str_c("");
}

/* Context, start, size, numbers of method and range, the script's number, where in it, name. */
static bool read_script(const struct wk_etl_methods *methods, const struct wk_etl_record *record,
			struct method *method, struct wk_buf *name)
{
	struct wk_bytes in = record->payload;
	uint64_t size_bytes, source;

	take_pointer(&in, record->pointer_bytes);
	method->start = take_pointer(&in, record->pointer_bytes);
	size_bytes = wk_u64le(&in);
	wk_bytes_skip(&in, 8);
	source = wk_u64le(&in);
	method->line.line = wk_u32le(&in);
	wk_u32le(&in); /* the column */
	if (in.bad)
		return false;
	method->size_bytes = size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)size_bytes;
	method->line.address = method->start;
	method->line.file = file_of(methods, record->pid, source);
	wk_utf16_add(name, wk_etl_text16(&in), false);
	return true;
}

static bool read_method(const struct wk_etl_methods *methods, const struct wk_etl_record *record,
			uint32_t hook, struct method *method, struct wk_buf *name)
{
	bool is_clr = hook == WK_ETL_METHOD_LOAD || hook == WK_ETL_METHOD_KNOWN;

	*method = (struct method){ .pid = record->pid };
	return is_clr ? read_clr(record, method, name)
		      : read_script(methods, record, method, name);
}

/* ---- the first pass */

/* A script's number, its context, flags, where it came from. */
static bool scan_source(struct wk_etl_methods *methods, const struct wk_etl_record *record)
{
	struct wk_bytes in = record->payload;
	uint64_t number = wk_u64le(&in);
	struct wk_buf file = { 0 };
	uint32_t *row;

	take_pointer(&in, record->pointer_bytes);
	wk_u32le(&in);
	if (in.bad)
		return false;
	wk_utf16_add(&file, wk_etl_text16(&in), false);
	methods->sources = wk_grow(methods->sources, &methods->source_cap,
				   methods->source_count + 1, sizeof(*methods->sources));
	methods->sources[methods->source_count++] = wk_arena_copy(&methods->texts,
								  wk_buf_str(&file));
	row = wk_map_at(&methods->source_of, wk_hash_pair(number, record->pid));
	*row = (uint32_t)methods->source_count;
	wk_buf_fini(&file);
	return true;
}

static void keep(struct wk_etl_methods *methods, struct method *method, const struct wk_buf *name)
{
	method->name = wk_arena_copy(&methods->texts, wk_buf_str(name));
	methods->seen = wk_grow(methods->seen, &methods->seen_cap, methods->seen_count + 1,
				sizeof(*methods->seen));
	methods->seen[methods->seen_count++] = *method;
}

bool wk_etl_methods_scan(struct wk_etl_methods *methods, const struct wk_etl_record *record,
			 uint32_t hook)
{
	bool is_made_now = hook == WK_ETL_METHOD_LOAD || hook == WK_ETL_SCRIPT_LOAD;
	struct wk_buf name = { 0 };
	struct method method;
	uint32_t *is_met;
	bool ok;

	if (hook == WK_ETL_SCRIPT_SOURCE)
		return scan_source(methods, record);
	ok = read_method(methods, record, hook, &method, &name);
	if (ok) {
		is_met = wk_map_at(&methods->met, wk_hash_pair(method.start, method.pid));
		if (!*is_met && !is_made_now)
			keep(methods, &method, &name);
		*is_met = 1;
	}
	wk_buf_fini(&name);
	return ok;
}

/* ---- the second */

static bool tell(const struct method *method, uint64_t time_ns, const struct wk_sink *sink,
		 struct wk_err *err)
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
	return wk_sink_take(sink, &event, err);
}

bool wk_etl_methods_tell_seen(const struct wk_etl_methods *methods, const struct wk_sink *sink,
			      struct wk_err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < methods->seen_count; i++)
		ok = tell(&methods->seen[i], 0, sink, err);
	return ok;
}

bool wk_etl_methods_tell(const struct wk_etl_methods *methods, const struct wk_etl_record *record,
			 uint32_t hook, uint64_t time_ns, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct wk_buf name = { 0 };
	struct method method;
	bool ok = true;

	if (read_method(methods, record, hook, &method, &name)) {
		method.name = wk_buf_str(&name);
		ok = tell(&method, time_ns, sink, err);
	}
	wk_buf_fini(&name);
	return ok;
}
