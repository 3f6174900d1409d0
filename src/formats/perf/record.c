#include "formats/perf/internal.h"

#define KSYMBOL_UNREGISTER 1u

bool wk_perf_give(struct wk_perf *perf, const struct wk_event *event)
{
	perf->emitted_ns = event->time_ns;
	return wk_sink_emit(perf->sink, event, perf->err);
}

static bool emit_held(struct wk_perf *perf)
{
	struct wk_event held;

	if (perf->held.kind == WK_EVENT_NONE)
		return true;
	held = perf->held;
	perf->held.kind = WK_EVENT_NONE;
	if (held.kind == WK_EVENT_PROCESS)
		wk_perf_apply_process_row(perf, &held);
	return wk_perf_give(perf, &held);
}

/* Each of these reads a record's body into its event. False if nothing is to be emitted, or not
 * yet. A body that ends too early is left bad. */

/* The body's first two numbers, as nearly all records begin. */
static void read_ids(struct wk_bytes *body, struct wk_event *event)
{
	event->pid = wk_u32(body);
	event->tid = wk_u32(body);
}

/* The kernel's own mapping carries the name of the symbol that its offset is the address of. */
static struct wk_str kernel_path(struct wk_str path)
{
	static const char *const kernel = "[kernel.kallsyms]";

	return wk_str_starts(path, kernel) ? wk_str_c(kernel) : path;
}

/* A kernel that serves other recorders may set the flag on records that contain an inode
 * nevertheless. If no build ids were requested, only the usual length is accepted. */
static bool holds_build_id(const struct wk_perf *perf, const struct wk_perf_record *record,
			   const uint8_t *field)
{
	bool fits = field[0] > 0 && field[0] <= 20 && !field[1] && !field[2] && !field[3];

	if (!(record->misc & WK_PERF_MISC_MMAP_BUILD_ID) || !fits)
		return false;
	return perf->has_build_id_flag || field[0] == 20;
}

static void read_file_identity(const struct wk_perf *perf, const struct wk_perf_record *record,
			       struct wk_bytes *body, struct wk_event_image *image)
{
	if (wk_bytes_left(body) >= 24 && holds_build_id(perf, record, body->at)) {
		image->build_id.size = body->at[0];
		memcpy(image->build_id.bytes, body->at + 4, image->build_id.size);
		wk_bytes_skip(body, 24);
	} else {
		image->device_major = wk_u32(body);
		image->device_minor = wk_u32(body);
		image->inode = wk_u64(body);
		image->inode_generation = wk_u64(body);
	}
	image->protection = wk_u32(body);
	image->flags = wk_u32(body);
}

static bool read_image(struct wk_perf *perf, const struct wk_perf_record *record,
		       struct wk_bytes *body, struct wk_event *event)
{
	struct wk_event_image *image = &event->image;
	uint32_t mode = record->misc & WK_PERF_MISC_CPUMODE;

	event->kind = WK_EVENT_IMAGE;
	read_ids(body, event);
	image->start = wk_u64(body);
	image->size_bytes = wk_u64(body);
	image->file_offset = wk_u64(body);
	image->is_data = record->misc & WK_PERF_MISC_MMAP_DATA;
	image->is_kernel = mode == WK_PERF_MISC_KERNEL || event->pid == WK_KERNEL_PID;
	if (record->type == WK_PERF_MMAP2)
		read_file_identity(perf, record, body, image);
	image->path = wk_bytes_text(body);
	if (mode == WK_PERF_MISC_GUEST_KERNEL || mode == WK_PERF_MISC_GUEST_USER)
		return false;
	if (image->is_kernel) {
		event->pid = WK_KERNEL_PID;
		image->path = kernel_path(image->path);
	}
	wk_perf_apply_build_id(perf, image);
	wk_perf_apply_image_row(perf, image);
	return true;
}

static bool read_name(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_bytes *body, struct wk_event *event)
{
	bool is_exec = record->misc & WK_PERF_MISC_COMM_EXEC, is_seen = event->time_ns == 0;
	struct wk_str name;

	read_ids(body, event);
	name = wk_bytes_text(body);
	if (is_exec || (is_seen && event->pid == event->tid)) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = is_exec ? WK_PROCESS_EXEC : WK_PROCESS_SEEN;
		event->process.name = name;
		wk_perf_apply_process_row(perf, event);
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = is_seen ? WK_THREAD_SEEN : WK_THREAD_NAME;
		event->thread.name = name;
	}
	return true;
}

/* Is this the name of the pending image? Then it receives it. */
static bool names_held(struct wk_perf *perf, const struct wk_perf_record *record, uint64_t time_ns)
{
	struct wk_event *held = &perf->held;
	struct wk_bytes body = record->body;
	uint32_t pid = wk_u32(&body), tid = wk_u32(&body);
	struct wk_str name = wk_bytes_text(&body);

	if (held->kind == WK_EVENT_NONE || record->type != WK_PERF_COMM || body.bad ||
	    record->misc & WK_PERF_MISC_COMM_EXEC || held->pid != pid || held->tid != tid ||
	    held->time_ns != time_ns)
		return false;
	if (held->kind == WK_EVENT_PROCESS)
		held->process.name = name;
	else
		held->thread.name = name;
	return true;
}

/* A thread of a running process or, if it has the number of its process, the process. */
static void read_task(struct wk_bytes *body, struct wk_event *event, uint32_t *parent_pid,
		      uint32_t *parent_tid)
{
	event->pid = wk_u32(body);
	*parent_pid = wk_u32(body);
	event->tid = wk_u32(body);
	*parent_tid = wk_u32(body);
}

/* Recorders describe what already ran by forks at time 0, or by ones that copy nothing. */
static void hold_seen(struct wk_perf *perf, struct wk_event *event, uint32_t parent_pid,
		      uint32_t parent_tid)
{
	if (event->pid == event->tid) {
		event->kind = WK_EVENT_PROCESS;
		event->process.parent_pid = parent_pid;
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.parent_tid = parent_tid;
	}
	perf->held = *event;
}

static bool read_fork(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_bytes *body, struct wk_event *event)
{
	uint32_t parent_pid, parent_tid;

	read_task(body, event, &parent_pid, &parent_tid);
	if (event->time_ns == 0 || record->misc & WK_PERF_MISC_FORK_EXEC) {
		if (!body->bad)
			hold_seen(perf, event, parent_pid, parent_tid);
		return false;
	}
	if (event->pid == parent_pid) {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_START;
		event->thread.parent_tid = parent_tid;
	} else {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_FORK;
		event->process.parent_pid = parent_pid;
		event->process.parent_tid = parent_tid;
	}
	return true;
}

static bool read_exit(struct wk_perf *perf, struct wk_bytes *body, struct wk_event *event)
{
	uint32_t parent_pid, parent_tid;

	read_task(body, event, &parent_pid, &parent_tid);
	if (event->pid == event->tid) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_EXIT;
		event->process.parent_pid = parent_pid;
		event->process.parent_tid = parent_tid;
		wk_perf_apply_process_row(perf, event);
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_EXIT;
		event->thread.parent_pid = parent_pid;
		event->thread.parent_tid = parent_tid;
	}
	return true;
}

/* perf reads the counts of lost records at the end (PERF_FORMAT_LOST) and writes them as
 * LOST_SAMPLES without a time or a thread. They count all records of their event, and repeat what
 * the kernel's LOST records reported. */
static bool is_total_of_lost(const struct wk_perf_attr *attr, const struct wk_perf_record *record,
			     const struct wk_event *event)
{
	return record->type == WK_PERF_LOST_SAMPLES && attr &&
	       attr->read_format & WK_PERF_READ_LOST && event->pid == 0 && event->tid == 0 &&
	       (event->time_ns == 0 || !attr->trailer_time);
}

/* The part of a loss that was not emitted yet: the sum of LOST records or the totals, whichever is
 * more. */
static uint64_t count_once(struct wk_perf_lost *lost, uint64_t count, bool is_total)
{
	uint64_t *sum = is_total ? &lost->totals : &lost->records;
	uint64_t other = is_total ? lost->records : lost->totals;
	uint64_t before = *sum > other ? *sum : other;

	*sum = count < UINT64_MAX - *sum ? *sum + count : UINT64_MAX;
	return *sum > before ? *sum - before : 0;
}

static bool read_lost(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_bytes *body, struct wk_event *event)
{
	const struct wk_perf_attr *attr = wk_perf_attr_of(perf, record);
	bool is_total = is_total_of_lost(attr, record, event);
	bool is_dummy =
		attr && attr->type == WK_PERF_TYPE_SOFTWARE && attr->config == WK_PERF_SW_DUMMY;

	event->kind = WK_EVENT_LOST;
	/* The task that ran at the time of the record is unrelated to the loss. */
	event->pid = event->tid = 0;
	/* A LOST record may come before the totals that say of which event its samples were. One
	 * that exceeds them is of a recorder that was killed: samples fill the rings. */
	event->lost.samples_only = attr && attr->read_format & WK_PERF_READ_LOST
					   ? !(is_total && is_dummy)
					   : record->type == WK_PERF_LOST_SAMPLES;
	if (record->type == WK_PERF_LOST)
		wk_u64(body); /* the id of the counter whose record came next */
	/* Calls of allocators become other events, which miss them. */
	event->lost.has_source = record->type == WK_PERF_LOST_SAMPLES && attr && !is_dummy &&
				 wk_perf_names_attr(perf, record) &&
				 !wk_perf_is_heap_call(perf, attr);
	if (event->lost.has_source)
		event->lost.source = (uint32_t)(attr - perf->attrs);
	event->lost.count = wk_u64(body);
	if (record->type == WK_PERF_LOST_SAMPLES && record->misc & WK_PERF_MISC_LOST_BPF)
		return false; /* left out by a filter of the user */
	if (record->type == WK_PERF_LOST || is_total) {
		uint64_t count = event->lost.count;

		event->lost.count = count_once(&perf->lost, count, is_total);
		event->lost.count_before = is_total ? count - event->lost.count : 0;
	}
	return event->lost.count != 0 || event->lost.count_before != 0;
}

static bool read_kernel_symbol(struct wk_perf *perf, const struct wk_perf_record *record,
			       struct wk_bytes *body, struct wk_event *event)
{
	struct wk_event as_record = *event;
	uint16_t flags;

	event->kind = WK_EVENT_SYMBOL;
	event->pid = WK_KERNEL_PID;
	event->tid = 0;
	event->symbol.start = wk_u64(body);
	event->symbol.size_bytes = wk_u32(body);
	wk_u16(body); /* its origin: BPF ... */
	flags = wk_u16(body);
	event->symbol.name = wk_bytes_text(body);
	if (flags & KSYMBOL_UNREGISTER && !body->bad) {
		*event = as_record;
		return wk_perf_read_other(perf, record, body, event);
	}
	return true;
}

static bool read_side_band(struct wk_perf *perf, const struct wk_perf_record *record,
			   struct wk_bytes *body, struct wk_event *event)
{
	switch (record->type) {
	case WK_PERF_MMAP:
	case WK_PERF_MMAP2:
		return read_image(perf, record, body, event);
	case WK_PERF_COMM:
		return read_name(perf, record, body, event);
	case WK_PERF_FORK:
		return read_fork(perf, record, body, event);
	case WK_PERF_EXIT:
		return read_exit(perf, body, event);
	case WK_PERF_LOST:
	case WK_PERF_LOST_SAMPLES:
		return read_lost(perf, record, body, event);
	case WK_PERF_KSYMBOL:
		return read_kernel_symbol(perf, record, body, event);
	case WK_PERF_THROTTLE:
		wk_perf_odd(perf, WK_PERF_ODD_THROTTLED, record->at);
		return wk_perf_read_other(perf, record, body, event);
	case WK_PERF_CALLCHAIN_DEFERRED:
		wk_perf_drop_deferred(perf, record);
		return false;
	default:
		return wk_perf_read_other(perf, record, body, event);
	}
}

static bool emit_side_band(struct wk_perf *perf, const struct wk_perf_record *record,
			   uint64_t time_ns)
{
	struct wk_event event = { .time_ns = time_ns };
	struct wk_bytes body = record->body;
	bool is_wanted;

	wk_perf_read_trailer(perf, record, &event);
	is_wanted = read_side_band(perf, record, &body, &event);
	if (body.bad)
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
	if (body.bad || !is_wanted)
		return true;
	wk_perf_memory_process(perf, &event);
	wk_perf_heap_lost(perf, &event);
	return wk_perf_give(perf, &event);
}

bool wk_perf_emit(struct wk_perf *perf, uint64_t time_ns, const uint8_t *at)
{
	struct wk_perf_record record = wk_perf_record_at(perf, at);

	if (perf->held.kind != WK_EVENT_NONE) {
		bool is_its_name = names_held(perf, &record, time_ns);
		bool ok = emit_held(perf);

		if (!ok || is_its_name)
			return ok;
	}
	if (perf->extras_emitted < perf->extra_count && !wk_perf_emit_extras(perf, time_ns))
		return false;
	if (perf->uses_emitted < perf->use_count && !wk_perf_emit_uses(perf, time_ns))
		return false;
	if (time_ns != 0 && time_ns < perf->emitted_ns)
		wk_perf_odd(perf, WK_PERF_ODD_LATE, at);
	if (record.type == WK_PERF_SAMPLE)
		return wk_perf_emit_sample(perf, &record, time_ns);
	return emit_side_band(perf, &record, time_ns);
}

bool wk_perf_emit_rest(struct wk_perf *perf)
{
	return emit_held(perf) && wk_perf_emit_extras(perf, UINT64_MAX) &&
	       wk_perf_emit_uses(perf, UINT64_MAX);
}
