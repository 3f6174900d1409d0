/* The first pass over a Windows trace: what the second one must know beforehand. */
#include "formats/etl/trace.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/text/utf16.h"

/* What has had a record that says since when it is there. */
struct scan {
	struct wk_etl_trace *trace;
	struct wk_map processes; /* pid + 1 */
	struct wk_map threads;   /* tid + 1 */
	struct wk_map images;    /* pid and base, hashed */
};

struct wk_str wk_etl_keep16(struct wk_etl_trace *trace, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_utf16_add(&text, utf16, false);
	kept = wk_arena_copy(&trace->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

struct wk_str wk_etl_keep_path(struct wk_etl_trace *trace, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_etl_paths_show(&trace->paths, utf16, &text);
	kept = wk_arena_copy(&trace->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

/* True the first time. */
static bool is_first(struct wk_map *met, uint64_t key)
{
	uint32_t *is_met = wk_map_at(met, key);
	bool first = !*is_met;

	*is_met = 1;
	return first;
}

static uint64_t place_key(uint32_t pid, uint64_t address)
{
	return wk_hash_pair(address, pid);
}

/* ---- processes and threads */

/* What begins now was not there before; everything else that is told for the first time was. */
static void scan_process(struct scan *scan, const struct wk_etl_record *record, uint32_t hook)
{
	struct wk_etl_trace *trace = scan->trace;
	struct wk_etl_process process;

	if (!wk_etl_read_process(record->payload, wk_etl_form_of(record), &process)) {
		trace->short_payloads++;
		return;
	}
	if (!is_first(&scan->processes, (uint64_t)process.pid + 1) || hook == WK_ETL_PROCESS_START)
		return;
	trace->processes = wk_grow(trace->processes, &trace->process_cap, trace->process_count + 1,
				   sizeof(*trace->processes));
	trace->processes[trace->process_count++] = (struct wk_etl_seen_process){
		.pid = process.pid,
		.told = wk_etl_emitted_process(trace, &process),
	};
}

static void scan_thread(struct scan *scan, const struct wk_etl_record *record, uint32_t hook)
{
	struct wk_etl_trace *trace = scan->trace;
	struct wk_etl_thread thread;

	if (!wk_etl_read_thread(record->payload, wk_etl_form_of(record), &thread)) {
		trace->short_payloads++;
		return;
	}
	/* The idle thread of each processor has the number 0. */
	if (!is_first(&scan->threads, (uint64_t)thread.tid + 1) || hook == WK_ETL_THREAD_START)
		return;
	trace->threads = wk_grow(trace->threads, &trace->thread_cap, trace->thread_count + 1,
				 sizeof(*trace->threads));
	trace->threads[trace->thread_count++] = (struct wk_etl_seen_thread){
		thread.pid, thread.tid, thread.service_tag, wk_etl_keep16(trace, thread.name) };
}

/* ---- images */

static void scan_image(struct scan *scan, const struct wk_etl_record *record, bool is_load)
{
	struct wk_etl_trace *trace = scan->trace;
	struct wk_etl_image image;
	uint32_t pid;

	if (!wk_etl_read_image(record->payload, wk_etl_form_of(record), &image)) {
		trace->short_payloads++;
		return;
	}
	pid = wk_etl_owner_of(image.base, record->pointer_bytes,
			      image.pid == WK_ETL_NO_PID ? record->pid : image.pid);
	wk_etl_keep_program(trace, pid, image.path);
	if (!is_first(&scan->images, place_key(pid, image.base)) || is_load)
		return;
	trace->images = wk_grow(trace->images, &trace->image_cap, trace->image_count + 1,
				sizeof(*trace->images));
	/* The map of volumes may come later: paths are made whole when they are told. */
	trace->images[trace->image_count++] = (struct wk_etl_seen_image){
		pid, image.base, image.size_bytes,
		wk_arena_copy(&trace->texts,
			      wk_str_of((const char *)image.path.at,
					wk_bytes_left(&image.path))),
		image.time_stamp, record->time };
}

static void scan_debug_id(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_etl_debug_id id;

	if (!wk_etl_read_debug_id(record->payload, wk_etl_form_of(record), &id)) {
		trace->short_payloads++;
		return;
	}
	id.pid = wk_etl_owner_of(id.base, record->pointer_bytes, id.pid);
	wk_etl_ids_add_debug(trace->ids, record->time, &id);
}

static void scan_image_id(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_etl_image_id id;

	if (!wk_etl_read_image_id(record->payload, wk_etl_form_of(record), &id)) {
		trace->short_payloads++;
		return;
	}
	id.pid = wk_etl_owner_of(id.base, record->pointer_bytes, id.pid);
	wk_etl_ids_add_key(trace->ids, record->time, &id);
}

/* ---- stacks */

static void scan_stack(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		       uint32_t hook)
{
	struct wk_etl_form form = wk_etl_form_of(record);
	bool is_key = hook != WK_ETL_STACK;
	struct wk_etl_stack stack;
	struct wk_etl_stack_owner owner;

	if (is_key ? !wk_etl_read_stack_key(record->payload, form, &stack)
		   : !wk_etl_read_stack(record->payload, form, &stack)) {
		trace->short_payloads++;
		return;
	}
	owner = (struct wk_etl_stack_owner){ stack.time, stack.tid, record->cpu };
	wk_map_set(&trace->guess_of, stack.tid, stack.pid + 1);
	if (is_key)
		wk_etl_stacks_add_key(trace->stacks, owner, stack.key, record->time);
	else
		wk_etl_stacks_add(trace->stacks, owner, stack.addresses, form.pointer_bytes);
}

static void scan_definition(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			    bool is_begin)
{
	struct wk_etl_form form = wk_etl_form_of(record);
	struct wk_bytes addresses;
	uint64_t key;

	if (!wk_etl_read_stack_definition(record->payload, form, &key, &addresses))
		trace->short_payloads++;
	else if (is_begin)
		wk_etl_stacks_begin_key(trace->stacks, key, record->time, addresses,
					form.pointer_bytes);
	else
		wk_etl_stacks_define(trace->stacks, key, record->time, addresses,
				     form.pointer_bytes);
}

/* ---- the machine */

static bool scan_config(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			uint32_t hook)
{
	if (!wk_etl_config_knows(hook))
		return false;
	trace->short_payloads += !wk_etl_config_handle(&trace->config, hook, record);
	return true;
}

/* False if nothing is made of such records. */
static bool scan_record(struct scan *scan, const struct wk_etl_record *record, uint32_t hook)
{
	struct wk_etl_trace *trace = scan->trace;
	struct wk_bytes first, second;

	switch (hook) {
	case WK_ETL_PROCESS_START:
	case WK_ETL_PROCESS_END:
	case WK_ETL_PROCESS_BEFORE:
	case WK_ETL_PROCESS_BEHIND:
		scan_process(scan, record, hook);
		break;
	case WK_ETL_THREAD_START:
	case WK_ETL_THREAD_END:
	case WK_ETL_THREAD_BEFORE:
	case WK_ETL_THREAD_BEHIND:
		scan_thread(scan, record, hook);
		break;
	case WK_ETL_PROCESS_LOADS:
	case WK_ETL_IMAGE_LOAD:
	case WK_ETL_IMAGE_UNLOAD:
	case WK_ETL_IMAGE_BEFORE:
	case WK_ETL_IMAGE_BEHIND:
		scan_image(scan, record, hook == WK_ETL_PROCESS_LOADS || hook == WK_ETL_IMAGE_LOAD);
		break;
	case WK_ETL_DEBUG_ID:
		scan_debug_id(trace, record);
		break;
	case WK_ETL_IMAGE_ID:
		scan_image_id(trace, record);
		break;
	case WK_ETL_VOLUME:
		if (wk_etl_read_pair(record->payload, &first, &second))
			wk_etl_paths_add(&trace->paths, first, second);
		scan_config(trace, record, hook);
		break;
	case WK_ETL_METHOD_LOAD:
	case WK_ETL_METHOD_KNOWN:
	case WK_ETL_SCRIPT_LOAD:
	case WK_ETL_SCRIPT_KNOWN:
	case WK_ETL_SCRIPT_SOURCE:
		trace->short_payloads += !wk_etl_methods_scan(trace->methods, record, hook);
		break;
	case WK_ETL_MODULE:
		trace->short_payloads += !wk_etl_modules_scan(trace->modules, record);
		break;
	case WK_ETL_STACK:
	case WK_ETL_STACK_KERNEL_KEY:
	case WK_ETL_STACK_USER_KEY:
		scan_stack(trace, record, hook);
		break;
	case WK_ETL_STACK_CREATE:
	case WK_ETL_STACK_EVICT:
	case WK_ETL_STACK_REST:
		scan_definition(trace, record, hook == WK_ETL_STACK_CREATE);
		break;
	case WK_ETL_INTERVAL_SET:
	case WK_ETL_INTERVAL_BEGIN:
	case WK_ETL_INTERVAL_END:
		wk_etl_scan_interval(trace, record, hook);
		break;
	case WK_ETL_COMPACT_SWITCH:
		trace->packed_switches++;
		return false;
	case WK_ETL_NO_HOOK:
		return record->kind == WK_ETL_KERNEL; /* the header, which is read already */
	default:
		return wk_etl_scan_sampled(trace, record, hook) || wk_etl_is_known(hook) ||
		       scan_config(trace, record, hook);
	}
	return true;
}

/* The kernel's own, whoever logged them, are known by their hooks. */
static struct wk_etl_tally *tally_of(struct wk_etl_trace *trace, const struct wk_etl_record *record,
				     uint32_t hook, uint32_t kind)
{
	bool is_kernel =
		record->kind == WK_ETL_KERNEL || (hook != WK_ETL_NO_HOOK && hook <= UINT16_MAX);

	return wk_etl_counts_add(trace->counts, hook, is_kernel ? 0 : kind);
}

static void scan_next(struct scan *scan, struct wk_etl_record *record)
{
	struct wk_etl_trace *trace = scan->trace;
	uint32_t hook = wk_etl_hook_of(record);
	uint32_t kind = wk_etl_schemas_kind(trace->schemas, record);
	struct wk_etl_tally *tally = tally_of(trace, record, hook, kind);

	wk_etl_widen_pointers(record, hook);
	tally->is_used |= scan_record(scan, record, hook);
	if (wk_etl_is_emitted(trace, record, hook))
		wk_etl_keep(trace->file, wk_etl_place(trace->file));
	if (record->kind == WK_ETL_KERNEL)
		return;
	wk_etl_schemas_learn(trace->schemas, record);
	tally->is_used |= wk_etl_snapshots_scan(trace->snapshots, record);
	wk_etl_user_scan(trace->user, &(struct wk_etl_event){ trace->file, record, kind,
							      wk_etl_sums_others(trace) });
}

void wk_etl_scan(struct wk_etl_trace *trace)
{
	struct scan scan = { .trace = trace };
	struct wk_etl_record record;

	trace->stacks = wk_etl_stacks_new();
	trace->ids = wk_etl_ids_new();
	trace->config.texts = &trace->texts;
	trace->counts = wk_etl_counts_new();
	trace->schemas = wk_etl_schemas_new();
	trace->user = wk_etl_user_new(trace->schemas);
	trace->methods = wk_etl_methods_new();
	trace->modules = wk_etl_modules_new();
	trace->snapshots = wk_etl_snapshots_new();
	while (wk_etl_next(trace->file, &record))
		scan_next(&scan, &record);
	wk_etl_schemas_settle(trace->schemas);
	wk_etl_user_settle(trace->user, trace->counts);
	trace->unknown_keys = wk_etl_stacks_settle(trace->stacks);
	wk_etl_ids_settle(trace->ids);
	wk_etl_config_handle_header(&trace->config, wk_etl_header(trace->file));
	wk_map_fini(&scan.processes);
	wk_map_fini(&scan.threads);
	wk_map_fini(&scan.images);
}
