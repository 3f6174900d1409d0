#include "formats/perf/internal.h"

#define KSYMBOL_UNREGISTER 1u

bool wk_perf_give(struct wk_perf *perf, const struct wk_event *event, struct wk_err *err)
{
	perf->emitted_ns = event->time_ns;
	return wk_sink_emit(perf->sink, event, err);
}

static bool emit_held(struct wk_perf *perf, struct wk_err *err)
{
	struct wk_event held;

	if (perf->held.kind == WK_EVENT_NONE)
		return true;
	held = perf->held;
	perf->held.kind = WK_EVENT_NONE;
	if (held.kind == WK_EVENT_PROCESS)
		wk_perf_apply_process_row(perf, &held);
	return wk_perf_give(perf, &held, err);
}

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

static bool emit_image(struct wk_perf *perf, const struct wk_perf_record *record,
		       struct wk_event *event, struct wk_err *err)
{
	struct wk_event_image *image = &event->image;
	uint32_t mode = record->misc & WK_PERF_MISC_CPUMODE;
	struct wk_bytes body = record->body;

	event->kind = WK_EVENT_IMAGE;
	read_ids(&body, event);
	image->start = wk_u64(&body);
	image->size_bytes = wk_u64(&body);
	image->file_offset = wk_u64(&body);
	image->is_data = record->misc & WK_PERF_MISC_MMAP_DATA;
	image->is_kernel = mode == WK_PERF_MISC_KERNEL || event->pid == WK_KERNEL_PID;
	if (record->type == WK_PERF_MMAP2)
		read_file_identity(perf, record, &body, image);
	image->path = wk_bytes_text(&body);
	if (body.bad) {
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
		return true;
	}
	if (mode == WK_PERF_MISC_GUEST_KERNEL || mode == WK_PERF_MISC_GUEST_USER)
		return true;
	if (image->is_kernel) {
		event->pid = WK_KERNEL_PID;
		image->path = kernel_path(image->path);
	}
	wk_perf_apply_build_id(perf, image);
	wk_perf_apply_image_row(perf, image);
	return wk_perf_give(perf, event, err);
}

static bool emit_seen_name(struct wk_perf *perf, struct wk_event *event, struct wk_str name,
			   struct wk_err *err)
{
	bool is_process = event->pid == event->tid;

	event->kind = is_process ? WK_EVENT_PROCESS : WK_EVENT_THREAD;
	if (is_process) {
		event->process.name = name;
		wk_perf_apply_process_row(perf, event);
	} else {
		event->thread.name = name;
	}
	return wk_perf_give(perf, event, err);
}

static bool emit_name(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_event *event, struct wk_err *err)
{
	struct wk_bytes body = record->body;
	struct wk_str name;

	read_ids(&body, event);
	name = wk_bytes_text(&body);
	if (body.bad) {
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
		return true;
	}
	if (record->misc & WK_PERF_MISC_COMM_EXEC) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_EXEC;
		event->process.name = name;
		wk_perf_apply_process_row(perf, event);
	} else if (event->time_ns == 0) {
		return emit_seen_name(perf, event, name, err);
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_NAME;
		event->thread.name = name;
	}
	return wk_perf_give(perf, event, err);
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

static bool read_task(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_event *event, uint32_t *parent_pid, uint32_t *parent_tid)
{
	struct wk_bytes body = record->body;

	event->pid = wk_u32(&body);
	*parent_pid = wk_u32(&body);
	event->tid = wk_u32(&body);
	*parent_tid = wk_u32(&body);
	if (body.bad)
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
	return !body.bad;
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

static bool emit_fork(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_event *event, struct wk_err *err)
{
	uint32_t parent_pid, parent_tid;

	if (!read_task(perf, record, event, &parent_pid, &parent_tid))
		return true;
	if (event->time_ns == 0 || record->misc & WK_PERF_MISC_FORK_EXEC) {
		hold_seen(perf, event, parent_pid, parent_tid);
		return true;
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
	return wk_perf_give(perf, event, err);
}

static bool emit_exit(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_event *event, struct wk_err *err)
{
	uint32_t parent_pid, parent_tid;

	if (!read_task(perf, record, event, &parent_pid, &parent_tid))
		return true;
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
	return wk_perf_give(perf, event, err);
}

static bool emit_lost(struct wk_perf *perf, const struct wk_perf_record *record,
		      struct wk_event *event, struct wk_err *err)
{
	struct wk_bytes body = record->body;

	event->kind = WK_EVENT_LOST;
	/* The task that ran at the time of the record is unrelated to the loss. */
	event->pid = event->tid = 0;
	event->lost.samples_only = record->type == WK_PERF_LOST_SAMPLES;
	if (!event->lost.samples_only)
		wk_u64(&body); /* the id of the counter */
	event->lost.count = wk_u64(&body);
	if (body.bad)
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
	if (body.bad || event->lost.count == 0)
		return true;
	return wk_perf_give(perf, event, err);
}

static bool emit_kernel_symbol(struct wk_perf *perf, const struct wk_perf_record *record,
			       struct wk_event *event, struct wk_err *err)
{
	struct wk_event as_record = *event;
	struct wk_bytes body = record->body;
	uint16_t flags;

	event->kind = WK_EVENT_SYMBOL;
	event->pid = WK_KERNEL_PID;
	event->tid = 0;
	event->symbol.start = wk_u64(&body);
	event->symbol.size_bytes = wk_u32(&body);
	wk_u16(&body); /* its origin: BPF ... */
	flags = wk_u16(&body);
	event->symbol.name = wk_bytes_text(&body);
	if (body.bad)
		wk_perf_odd(perf, WK_PERF_ODD_SHORT, record->at);
	if (body.bad)
		return true;
	if (flags & KSYMBOL_UNREGISTER)
		return wk_perf_emit_other(perf, record, &as_record, err);
	return wk_perf_give(perf, event, err);
}

static bool emit_side_band(struct wk_perf *perf, const struct wk_perf_record *record,
			   uint64_t time_ns, struct wk_err *err)
{
	struct wk_event event = { .time_ns = time_ns };

	wk_perf_read_trailer(perf, record, &event);
	switch (record->type) {
	case WK_PERF_MMAP:
	case WK_PERF_MMAP2:
		return emit_image(perf, record, &event, err);
	case WK_PERF_COMM:
		return emit_name(perf, record, &event, err);
	case WK_PERF_FORK:
		return emit_fork(perf, record, &event, err);
	case WK_PERF_EXIT:
		return emit_exit(perf, record, &event, err);
	case WK_PERF_LOST:
	case WK_PERF_LOST_SAMPLES:
		return emit_lost(perf, record, &event, err);
	case WK_PERF_KSYMBOL:
		return emit_kernel_symbol(perf, record, &event, err);
	case WK_PERF_THROTTLE:
		wk_perf_odd(perf, WK_PERF_ODD_THROTTLED, record->at);
		return wk_perf_emit_other(perf, record, &event, err);
	case WK_PERF_CALLCHAIN_DEFERRED:
		wk_perf_drop_deferred(perf, record);
		return true;
	default:
		return wk_perf_emit_other(perf, record, &event, err);
	}
}

bool wk_perf_emit(struct wk_perf *perf, uint64_t time_ns, const uint8_t *at, struct wk_err *err)
{
	struct wk_perf_record record = wk_perf_record_at(perf, at);

	if (perf->held.kind != WK_EVENT_NONE) {
		bool is_its_name = names_held(perf, &record, time_ns);
		bool ok = emit_held(perf, err);

		if (!ok || is_its_name)
			return ok;
	}
	if (perf->extras_emitted < perf->extra_count && !wk_perf_emit_extras(perf, time_ns, err))
		return false;
	if (time_ns != 0 && time_ns < perf->emitted_ns)
		wk_perf_odd(perf, WK_PERF_ODD_LATE, at);
	if (record.type == WK_PERF_SAMPLE)
		return wk_perf_emit_sample(perf, &record, time_ns, err);
	return emit_side_band(perf, &record, time_ns, err);
}

bool wk_perf_emit_rest(struct wk_perf *perf, struct wk_err *err)
{
	return emit_held(perf, err) && wk_perf_emit_extras(perf, UINT64_MAX, err);
}
