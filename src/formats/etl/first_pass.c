/* The first pass over a Windows trace: collects what the second one needs beforehand. */
#include "formats/etl/trace.h"

#include "base/hash.h"
#include "base/mem.h"

struct wk_str wk_etl_copy_path(struct wk_etl_trace *trace, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str copy;

	wk_etl_paths_show(&trace->paths, utf16, &text);
	copy = wk_arena_copy(&trace->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

static bool is_first(struct wk_map *met, uint64_t key)
{
	uint32_t *is_met = wk_map_at(met, key);
	bool first = !*is_met;

	*is_met = 1;
	return first;
}

/* file/header.c has read it. */
bool wk_etl_scan_header(struct wk_etl_trace *trace)
{
	(void)trace;
	return true;
}

bool wk_etl_scan_heap_snapshot(struct wk_etl_trace *trace)
{
	trace->heap_snapshots++;
	return true;
}

bool wk_etl_scan_packed_switch(struct wk_etl_trace *trace)
{
	trace->packed_switches++;
	return true;
}

/* ---- processes and threads */

/* Without a start a process, thread or image existed before its first record. */
bool wk_etl_scan_process(struct wk_etl_trace *trace)
{
	struct wk_etl_process process;

	if (!wk_etl_read_process(trace->record.payload, wk_etl_form(trace), &process))
		return false;
	if (!is_first(&trace->met_processes, (uint64_t)process.pid + 1) ||
	    trace->hook->phase == WK_ETL_START)
		return true;
	*WK_APPEND(trace->processes, trace->process_count, trace->process_cap) =
		(struct wk_etl_seen_process){ process.pid, wk_etl_process_event(trace, &process) };
	return true;
}

bool wk_etl_scan_thread(struct wk_etl_trace *trace)
{
	struct wk_etl_thread thread;

	if (!wk_etl_read_thread(trace->record.payload, wk_etl_form(trace), &thread))
		return false;
	/* The idle thread of each processor has the number 0. */
	if (!is_first(&trace->met_threads, (uint64_t)thread.tid + 1) ||
	    trace->hook->phase == WK_ETL_START)
		return true;
	*WK_APPEND(trace->threads, trace->thread_count, trace->thread_cap) =
		(struct wk_etl_seen_thread){ thread.pid, thread.tid, thread.service_tag,
					     wk_utf16_copy(&trace->texts, thread.name) };
	return true;
}

/* ---- images */

bool wk_etl_scan_image(struct wk_etl_trace *trace)
{
	struct wk_etl_image image;
	uint32_t pid;

	if (!wk_etl_read_image(trace->record.payload, wk_etl_form(trace), &image))
		return false;
	pid = wk_etl_owner_of(image.base, trace->record.pointer_bytes,
			      image.pid == WK_ETL_NO_PID ? trace->record.pid : image.pid);
	wk_etl_add_program(trace, pid, image.path);
	if (!is_first(&trace->met_images, wk_hash_pair(image.base, pid)) ||
	    trace->hook->phase == WK_ETL_START)
		return true;
	WK_RESERVE(trace->images, trace->image_cap, trace->image_count + 1);
	/* The map of volumes may follow: the second pass completes the paths. */
	trace->images[trace->image_count++] = (struct wk_etl_seen_image){
		pid, image.base, image.size_bytes,
		wk_arena_copy(&trace->texts,
			      wk_str_of((const char *)image.path.at,
					wk_bytes_left(&image.path))),
		image.time_stamp, trace->record.time };
	return true;
}

bool wk_etl_scan_debug_id(struct wk_etl_trace *trace)
{
	struct wk_etl_debug_id id;

	if (!wk_etl_read_debug_id(trace->record.payload, wk_etl_form(trace), &id))
		return false;
	id.pid = wk_etl_owner_of(id.base, trace->record.pointer_bytes, id.pid);
	wk_etl_ids_add_debug(trace->ids, trace->record.time, &id);
	return true;
}

bool wk_etl_scan_image_id(struct wk_etl_trace *trace)
{
	struct wk_etl_image_id id;

	if (!wk_etl_read_image_id(trace->record.payload, wk_etl_form(trace), &id))
		return false;
	id.pid = wk_etl_owner_of(id.base, trace->record.pointer_bytes, id.pid);
	wk_etl_ids_add_key(trace->ids, trace->record.time, &id);
	return true;
}

bool wk_etl_scan_volume(struct wk_etl_trace *trace)
{
	struct wk_bytes kernel, shown;

	if (wk_etl_read_pair(trace->record.payload, &kernel, &shown))
		wk_etl_paths_add(&trace->paths, kernel, shown);
	return true;
}

/* ---- stacks */

bool wk_etl_scan_stack(struct wk_etl_trace *trace)
{
	bool is_key = trace->hook->phase == WK_ETL_BY_KEY;
	const struct wk_etl_record *record = &trace->record;
	struct wk_etl_stack_owner owner;
	struct wk_etl_stack stack;

	if (!wk_etl_read_stack(record->payload, wk_etl_form(trace), is_key, &stack))
		return false;
	wk_map_set(&trace->guess_of, stack.tid, stack.pid + 1);
	owner = (struct wk_etl_stack_owner){ stack.time, stack.tid, record->cpu };
	if (is_key)
		wk_etl_stacks_add_key(trace->stacks, owner, stack.key, record->time);
	else
		wk_etl_stacks_add(trace->stacks, owner, stack.addresses, record->pointer_bytes);
	return true;
}

bool wk_etl_scan_stack_definition(struct wk_etl_trace *trace)
{
	struct wk_bytes addresses;
	uint64_t key;

	if (!wk_etl_read_stack_definition(trace->record.payload, wk_etl_form(trace), &key,
					  &addresses))
		return false;
	wk_etl_stacks_define(trace->stacks, trace->hook->phase == WK_ETL_START, key,
			     trace->record.time, addresses, trace->record.pointer_bytes);
	return true;
}

/* ---- all records */

static void scan_record(struct wk_etl_trace *trace)
{
	struct wk_etl_record *record = &trace->record;
	struct wk_etl_match match = wk_etl_hooks_match(&trace->hooks, record);
	uint32_t kind = wk_etl_kinds_add(trace->kinds, record);
	const struct wk_etl_hook *hook = match.hook;
	struct wk_etl_tally *tally =
		match.provider == WK_ETL_BY_KERNEL
			? wk_etl_counts_of_hook(&trace->counts, match.kernel_hook)
			: &wk_etl_kinds_get(trace->kinds, kind)->tally;

	trace->hook = hook;
	trace->provider = match.provider;
	wk_etl_hook_set_width(hook, record);
	tally->count++;
	tally->is_used |= wk_etl_hook_is_used(hook);
	trace->sources_seen |= 1u << hook->source;
	if (hook->scan)
		trace->short_payloads += !hook->scan(trace);
	if (hook->config) {
		trace->config.form = wk_etl_form(trace);
		trace->config.id = hook->id;
		trace->short_payloads += !hook->config(&trace->config, record->payload);
	}
	if (hook->emit || (record->kind != WK_ETL_KERNEL && trace->in_full))
		wk_etl_mark_buffer(trace->file, wk_etl_buffer_index(trace->file));
	if (record->kind == WK_ETL_KERNEL)
		return;
	wk_etl_schemas_learn(trace->schemas, record);
	wk_etl_user_scan(trace, kind);
}

void wk_etl_first_pass(struct wk_etl_trace *trace)
{
	wk_etl_hooks_init(&trace->hooks);
	trace->stacks = wk_etl_stacks_new();
	trace->ids = wk_etl_ids_new();
	trace->config.texts = &trace->texts;
	trace->kinds = wk_etl_kinds_new();
	trace->schemas = wk_etl_schemas_new(trace->kinds);
	trace->user = wk_etl_user_new();
	while (wk_etl_next(trace->file, &trace->record))
		scan_record(trace);
	wk_etl_schemas_settle(trace->schemas);
	wk_etl_user_settle(trace);
	trace->unknown_keys = wk_etl_stacks_settle(trace->stacks);
	wk_etl_ids_settle(trace->ids);
	wk_etl_config_handle_header(&trace->config, wk_etl_header(trace->file));
	wk_map_fini(&trace->met_processes);
	wk_map_fini(&trace->met_threads);
	wk_map_fini(&trace->met_images);
}
