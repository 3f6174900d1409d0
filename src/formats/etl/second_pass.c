/* The second pass over a Windows trace: events in order of time. */
#include "formats/etl/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"

/* ---- state at the start */

static bool emit_fact(struct wk_etl_trace *trace, const char *key, struct wk_str value)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU,
				  .system = { .key = wk_str_c(key), .value = value } };

	return value.len == 0 || wk_etl_emit_event(trace, &event);
}

static bool emit_number(struct wk_etl_trace *trace, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return value == 0 || emit_fact(trace, key, wk_str_c(text));
}

/* "Windows 11 Pro, build 26100". Windows 11 calls itself 10, but for its build. */
static bool emit_version(struct wk_etl_trace *trace)
{
	const struct wk_etl_header *header = wk_etl_header(trace->file);
	struct wk_str product = trace->config.product;
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };
	struct wk_buf text = { 0 };
	bool is_11 = header->os_build >= 22000, ok;

	if (is_11 && wk_str_starts(product, "Windows 10 ")) {
		wk_buf_add_text(&text, "Windows 11 ");
		wk_buf_add_str(&text, wk_str_skip(product, strlen("Windows 10 ")));
	} else if (product.len) {
		wk_buf_add_text(&text, wk_str_starts(product, "Windows ") ? "" : "Windows ");
		wk_buf_add_str(&text, product);
	} else {
		wk_buf_add_fmt(&text, "Windows %" PRIu32 ".%" PRIu32, is_11 ? 11 : header->os_major,
			       header->os_minor);
	}
	wk_buf_add_fmt(&text, ", build %" PRIu32, header->os_build);
	event.system = (struct wk_event_system){ .key = WK_STR("system"),
						 .value = wk_buf_str(&text),
						 .traits = &wk_traits_windows };
	ok = wk_etl_emit_event(trace, &event);
	wk_buf_fini(&text);
	return ok;
}

static bool emit_config(struct wk_etl_trace *trace)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };
	size_t count;
	const struct wk_etl_fact *facts = wk_etl_config_facts(&trace->config, &count);
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++) {
		event.system = facts[i].event;
		ok = wk_etl_emit_event(trace, &event);
	}
	return ok;
}

#define TICKS_TO_1970 116444736000000000u /* from 1601 */
#define LAST_TICK     (TICKS_TO_1970 + INT64_MAX / 100)

/* When the trace's own clock was at 0, in ns since 1970. */
static bool emit_clock(struct wk_etl_trace *trace)
{
	uint64_t start = wk_etl_header(trace->file)->start_time;
	char text[32];

	if (start < TICKS_TO_1970 || start > LAST_TICK)
		return true;
	snprintf(text, sizeof(text), "0 %" PRIu64, (start - TICKS_TO_1970) * 100);
	return emit_fact(trace, "clock pair", wk_str_c(text));
}

static bool emit_system(struct wk_etl_trace *trace)
{
	const struct wk_etl_header *header = wk_etl_header(trace->file);

	return emit_version(trace) && emit_clock(trace) &&
	       emit_fact(trace, "cpu", trace->config.cpu_name) &&
	       emit_number(trace, "cpus", header->processors) &&
	       emit_number(trace, "cpu MHz", header->cpu_mhz) && emit_config(trace);
}

/* What other records say of it. */
static void complete_process(struct wk_etl_trace *trace, uint32_t pid,
			     struct wk_event_process *process)
{
	process->name = wk_etl_whole_name(trace, pid, process->name, process->command_line);
	process->services = wk_etl_services_of(&trace->config, pid);
}

static bool emit_process(struct wk_etl_trace *trace, const struct wk_etl_seen_process *process)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .pid = process->pid,
				  .tid = process->pid, .cpu = WK_NO_CPU,
				  .process = process->event };

	event.process.change = WK_PROCESS_SEEN;
	complete_process(trace, process->pid, &event.process);
	return wk_etl_emit_event(trace, &event);
}

/* Its own, or else that of the service it works for: "service Dhcp". */
static struct wk_str thread_name(const struct wk_etl_trace *trace,
				 const struct wk_etl_seen_thread *thread, struct wk_buf *words)
{
	struct wk_str service = wk_etl_service_of_tag(&trace->config, thread->service_tag);

	if (thread->name.len || service.len == 0)
		return thread->name;
	wk_buf_add_text(words, "service ");
	wk_buf_add_str(words, service);
	return wk_buf_str(words);
}

static bool emit_thread(struct wk_etl_trace *trace, const struct wk_etl_seen_thread *thread,
			enum wk_thread_change change, uint64_t time_ns)
{
	struct wk_event event = { .kind = WK_EVENT_THREAD, .time_ns = time_ns, .pid = thread->pid,
				  .tid = thread->tid, .cpu = WK_NO_CPU };
	struct wk_buf words = { 0 };
	bool ok;

	event.thread = (struct wk_event_thread){
		.change = change, .name = thread_name(trace, thread, &words) };
	ok = wk_etl_emit_event(trace, &event);
	wk_buf_fini(&words);
	return ok;
}

static struct wk_build_id build_id_of(const struct wk_etl_debug_id *id)
{
	struct wk_build_id build = { .size = 20 };

	memcpy(build.bytes, id->guid, sizeof(id->guid));
	for (unsigned i = 0; i < 4; i++)
		build.bytes[16 + i] = (uint8_t)(id->age >> 8 * i);
	return build;
}

static bool emit_image(struct wk_etl_trace *trace, const struct wk_etl_seen_image *image,
		       bool is_gone, uint64_t time_ns)
{
	const struct wk_etl_debug_id *id =
		wk_etl_ids_debug(trace->ids, image->pid, image->base, image->time);
	const struct wk_etl_image_id *key =
		wk_etl_ids_key(trace->ids, image->pid, image->base, image->time);
	struct wk_event event = { .kind = WK_EVENT_IMAGE, .time_ns = time_ns, .pid = image->pid,
				  .tid = image->pid, .cpu = WK_NO_CPU };

	event.image = (struct wk_event_image){ .start = image->base,
					       .size_bytes = image->size_bytes,
					       .path = image->path, .is_gone = is_gone };
	event.image.time_stamp = key ? key->time_stamp : image->time_stamp;
	event.image.image_bytes = (uint32_t)(key ? key->size_bytes : image->size_bytes);
	if (!id)
		id = wk_etl_modules_find(&trace->modules, image->pid, image->path);
	if (id) {
		event.image.build_id = build_id_of(id);
		event.image.pdb_path = id->path;
	}
	return wk_etl_emit_event(trace, &event);
}

static bool emit_seen_images(struct wk_etl_trace *trace)
{
	bool ok = true;

	for (size_t i = 0; ok && i < trace->image_count; i++) {
		struct wk_etl_seen_image image = trace->images[i];

		image.path = wk_etl_copy_path(trace, wk_bytes_of(image.path.at, image.path.len));
		ok = emit_image(trace, &image, false, 0);
	}
	return ok;
}

static bool emit_seen(struct wk_etl_trace *trace)
{
	bool ok = true;

	for (size_t i = 0; ok && i < trace->process_count; i++)
		ok = emit_process(trace, &trace->processes[i]);
	for (size_t i = 0; ok && i < trace->thread_count; i++) {
		wk_map_set(&trace->pid_of, trace->threads[i].tid, trace->threads[i].pid + 1);
		ok = emit_thread(trace, &trace->threads[i], WK_THREAD_SEEN, 0);
	}
	ok = ok && emit_seen_images(trace);
	return ok && wk_etl_methods_emit_seen(trace);
}

/* ---- changes: the first pass has counted payloads that are too short */

bool wk_etl_emit_process(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_PROCESS);
	bool ends = trace->hook->phase == WK_ETL_END;
	struct wk_etl_process process;

	if (!wk_etl_read_process(trace->record.payload, wk_etl_form(trace), &process))
		return true;
	event.cpu = WK_NO_CPU;
	event.pid = event.tid = process.pid;
	event.process = wk_etl_process_event(trace, &process);
	event.process.change = ends ? WK_PROCESS_EXIT : WK_PROCESS_START;
	event.process.has_exit_code = ends;
	event.process.exit_code = process.exit_status;
	complete_process(trace, process.pid, &event.process);
	return wk_etl_emit_event(trace, &event);
}

static bool emit_thread_change(struct wk_etl_trace *trace, const struct wk_etl_thread *thread,
			       enum wk_thread_change change)
{
	struct wk_etl_seen_thread seen = { thread->pid, thread->tid, thread->service_tag,
					   wk_utf16_copy(&trace->texts, thread->name) };

	return emit_thread(trace, &seen, change, wk_etl_ns(trace->file, trace->record.time));
}

bool wk_etl_emit_thread(struct wk_etl_trace *trace)
{
	bool ends = trace->hook->phase == WK_ETL_END;
	struct wk_etl_thread thread;

	if (!wk_etl_read_thread(trace->record.payload, wk_etl_form(trace), &thread))
		return true;
	if (!ends)
		wk_map_set(&trace->pid_of, thread.tid, thread.pid + 1);
	return emit_thread_change(trace, &thread, ends ? WK_THREAD_EXIT : WK_THREAD_START);
}

bool wk_etl_emit_thread_name(struct wk_etl_trace *trace)
{
	struct wk_etl_thread thread;

	if (!wk_etl_read_thread_name(trace->record.payload, &thread))
		return wk_etl_skip_short(trace);
	return emit_thread_change(trace, &thread, WK_THREAD_NAME);
}

bool wk_etl_emit_image(struct wk_etl_trace *trace)
{
	struct wk_etl_seen_image seen;
	struct wk_etl_image image;

	if (!wk_etl_read_image(trace->record.payload, wk_etl_form(trace), &image))
		return true;
	seen = (struct wk_etl_seen_image){
		.pid = wk_etl_owner_of(image.base, trace->record.pointer_bytes,
				       image.pid == WK_ETL_NO_PID ? trace->record.pid : image.pid),
		.base = image.base, .size_bytes = image.size_bytes,
		.path = wk_etl_copy_path(trace, image.path),
		.time_stamp = image.time_stamp, .time = trace->record.time };
	return emit_image(trace, &seen, trace->hook->phase == WK_ETL_END,
			  wk_etl_ns(trace->file, trace->record.time));
}

/* `xperf -m` and WPR, one byte a character. */
bool wk_etl_emit_mark(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_MARK);
	struct wk_bytes label = trace->record.payload;

	wk_etl_set_running(trace, &event);
	event.mark.label = wk_etl_text8(&label);
	return wk_etl_emit_event(trace, &event);
}

static bool emit_record(struct wk_etl_trace *trace)
{
	trace->hook = wk_etl_hooks_match(&trace->hooks, &trace->record).hook;
	if (!trace->hook->emit)
		return true;
	wk_etl_hook_set_width(trace->hook, &trace->record);
	return trace->hook->emit(trace);
}

static bool emit_sums(struct wk_etl_trace *trace)
{
	struct wk_etl_sums sums = { 0 };
	bool ok;

	if (!wk_etl_sums_others(trace))
		return true;
	wk_etl_sum_idle(trace, &sums);
	wk_etl_user_sum(trace, &sums);
	ok = wk_etl_sums_emit(&sums, trace->file, trace->sink, trace->err);
	wk_etl_sums_fini(&sums);
	return ok;
}

bool wk_etl_second_pass(struct wk_etl_trace *trace)
{
	bool ok = emit_system(trace) && wk_etl_emit_sources(trace) &&
		  wk_etl_user_emit_sources(trace) && emit_seen(trace);

	while (ok && wk_etl_next(trace->file, &trace->record))
		ok = emit_record(trace) &&
		     (trace->record.kind == WK_ETL_KERNEL || wk_etl_user_emit(trace));
	return ok && emit_sums(trace) && wk_etl_counts_emit(trace);
}
