#include "formats/etl/payload/methods.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text/utf16.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/trace.h"

struct method {
	uint32_t pid, size_bytes;
	uint64_t start, module;
	bool is_clr;
	struct wk_str name;
	struct wk_jit_map_line line; /* of a script; its line is 0 where that is unknown */
};

/* As it is read: its name is made of both texts where somebody wants it. */
struct record {
	struct method method;
	struct wk_bytes space, name; /* UTF-16; no space is no namespace */
};

struct wk_etl_methods {
	struct wk_arena texts;
	struct method *seen;
	size_t seen_count, seen_cap;
	struct wk_map met;      /* pid and start, hashed */
	struct wk_str *sources; /* files of scripts */
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
	wk_free(methods->seen);
	wk_free(methods->sources);
	wk_free(methods);
}

/* ---- one record */

static bool read_clr(const struct wk_etl_record *from, struct record *record)
{
	struct wk_etl_method read;

	if (!wk_etl_read_method(from->payload, &read))
		return false;
	record->method.is_clr = true;
	record->method.module = read.module;
	record->method.start = read.start;
	record->method.size_bytes = read.size_bytes;
	record->space = read.space;
	record->name = read.name;
	return true;
}

static struct wk_str file_of(const struct wk_etl_methods *methods, uint32_t pid, uint64_t source)
{
	uint32_t row = wk_map_find(&methods->source_of, wk_hash_pair(source, pid));

	return row ? methods->sources[row - 1] : wk_str_c("");
}

/* Context, start, size, numbers of method and range, the script's number, where in it, name. */
static bool read_script(const struct wk_etl_methods *methods, const struct wk_etl_record *from,
			struct record *record)
{
	struct wk_etl_form form = wk_etl_form_of(from);
	struct method *method = &record->method;
	struct wk_bytes in = from->payload;
	uint64_t size_bytes, source;

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
	method->line.file = file_of(methods, from->pid, source);
	record->name = wk_etl_text16(&in);
	return true;
}

/* "Namespace.Type.Method" */
static struct wk_str name_of(const struct record *record, struct wk_buf *name)
{
	wk_utf16_add(name, record->space, false);
	if (name->len)
		wk_buf_add_char(name, '.');
	wk_utf16_add(name, record->name, false);
	return wk_buf_str(name);
}

static bool read_method(const struct wk_etl_methods *methods, const struct wk_etl_record *from,
			uint32_t hook, struct record *record)
{
	bool is_clr = hook == WK_ETL_METHOD_LOAD || hook == WK_ETL_METHOD_KNOWN;

	*record = (struct record){ .method.pid = from->pid };
	return is_clr ? read_clr(from, record) : read_script(methods, from, record);
}

/* ---- the first pass */

/* A script's number, its context, flags, where it came from. */
static bool scan_source(struct wk_etl_methods *methods, const struct wk_etl_record *record)
{
	struct wk_bytes in = record->payload;
	uint64_t number = wk_u64le(&in);
	struct wk_buf file = { 0 };
	uint32_t *row;

	wk_etl_read_pointer(&in, wk_etl_form_of(record));
	wk_u32le(&in);
	if (in.bad)
		return false;
	wk_utf16_add(&file, wk_etl_text16(&in), false);
	methods->sources = wk_grow(methods->sources, &methods->source_cap,
				   methods->source_count + 1, sizeof(*methods->sources));
	methods->sources[methods->source_count++] =
		wk_arena_copy(&methods->texts, wk_buf_str(&file));
	row = wk_map_at(&methods->source_of, wk_hash_pair(number, record->pid));
	*row = (uint32_t)methods->source_count;
	wk_buf_fini(&file);
	return true;
}

static void keep(struct wk_etl_methods *methods, struct record *record)
{
	struct wk_buf name = { 0 };

	record->method.name = wk_arena_copy(&methods->texts, name_of(record, &name));
	wk_buf_fini(&name);
	methods->seen = wk_grow(methods->seen, &methods->seen_cap, methods->seen_count + 1,
				sizeof(*methods->seen));
	methods->seen[methods->seen_count++] = record->method;
}

bool wk_etl_methods_scan(struct wk_etl_methods *methods, const struct wk_etl_record *from,
			 uint32_t hook)
{
	bool is_made_now = hook == WK_ETL_METHOD_LOAD || hook == WK_ETL_SCRIPT_LOAD;
	struct record record;
	uint32_t *is_met;

	if (hook == WK_ETL_SCRIPT_SOURCE)
		return scan_source(methods, from);
	if (!read_method(methods, from, hook, &record))
		return false;
	is_met = wk_map_at(&methods->met, wk_hash_pair(record.method.start, record.method.pid));
	if (!*is_met && !is_made_now)
		keep(methods, &record);
	*is_met = 1;
	return true;
}

/* ---- the second */

static bool emit(const struct method *method, const struct wk_etl_modules *modules,
		 uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err)
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
	if (method->is_clr &&
	    wk_etl_modules_is_program(modules, method->pid, method->module, method->name))
		event.symbol.kind = WK_FRAME_JIT_PROGRAM;
	return wk_sink_emit(sink, &event, err);
}

bool wk_etl_methods_emit_seen(const struct wk_etl_methods *methods,
			      const struct wk_etl_modules *modules, const struct wk_sink *sink,
			      struct wk_err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < methods->seen_count; i++)
		ok = emit(&methods->seen[i], modules, 0, sink, err);
	return ok;
}

bool wk_etl_methods_emit(const struct wk_etl_methods *methods, const struct wk_etl_modules *modules,
			 const struct wk_etl_record *from, uint32_t hook, uint64_t time_ns,
			 const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_buf name = { 0 };
	struct record record;
	bool ok = true;

	if (read_method(methods, from, hook, &record)) {
		record.method.name = name_of(&record, &name);
		ok = emit(&record.method, modules, time_ns, sink, err);
	}
	wk_buf_fini(&name);
	return ok;
}
