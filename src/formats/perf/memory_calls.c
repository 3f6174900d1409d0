/* Samples of the tracepoints of memory calls to MEMORY events. */
#include "formats/perf/internal.h"

#include "base/mem.h"
#include "formats/perf/space_calls.h"

/* Of the attr of a tracepoint. */
enum what {
	UNKNOWN,
	OTHER,
	BEGIN,
	END,
};

struct point {
	enum what what;
	enum wk_space_call call;
	uint32_t offsets[WK_SPACE_ARGUMENTS]; /* of arguments, or of the result; 0: none */
};

struct wk_perf_memory {
	struct wk_space_calls *spaces;
	struct point *points; /* of each attr */
	size_t point_count;
};

static const struct {
	const char *name;
	enum wk_space_call call;
} calls[] = {
	{ "mmap", WK_SPACE_MMAP },
	{ "munmap", WK_SPACE_MUNMAP },
	{ "mremap", WK_SPACE_MREMAP },
	{ "mprotect", WK_SPACE_MPROTECT },
	{ "madvise", WK_SPACE_MADVISE },
	{ "brk", WK_SPACE_BRK },
	{ "pkey_mprotect", WK_SPACE_MPROTECT },
};

void wk_perf_memory_free(struct wk_perf_memory *memory)
{
	if (!memory)
		return;
	wk_space_calls_free(memory->spaces);
	wk_free(memory->points);
	wk_free(memory);
}

static enum wk_space_call call_of(struct wk_str name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (wk_str_is(name, calls[i].name))
			return calls[i].call;
	return 0;
}

/* "sys_enter_mmap" */
static struct point read_name(struct wk_str name)
{
	bool begins = wk_str_accept(&name, "sys_enter_");
	struct point point = { .what = OTHER };

	if (!begins && !wk_str_accept(&name, "sys_exit_"))
		return point;
	point.call = call_of(name);
	if (point.call)
		point.what = begins ? BEGIN : END;
	return point;
}

/* Arguments are the fields after the call's number, in order. */
static struct point read_format(const struct wk_trace_format *format)
{
	struct point point = { .what = OTHER };
	size_t count = 0;

	if (wk_str_is(format->system, "syscalls"))
		point = read_name(format->name);
	for (size_t i = 0; i < format->field_count && count < WK_SPACE_ARGUMENTS; i++)
		if (!format->fields[i].is_common && format->fields[i].size == 8)
			point.offsets[count++] = format->fields[i].offset;
	return point;
}

/* A recorder that was killed has not written the formats, nor that it is a tracepoint. Those of
 * 64-bit kernels are all the same: the common fields and the call's number, in 8 bytes each. */
static struct point guess_format(struct wk_str event)
{
	struct wk_str system = wk_str_cut(&event, ':');
	struct point point = { .what = OTHER };

	if (wk_str_is(system, "syscalls"))
		point = read_name(wk_str_cut(&event, ':'));
	for (uint32_t i = 0; i < WK_SPACE_ARGUMENTS; i++)
		point.offsets[i] = 16 + 8 * i;
	return point;
}

/* NULL: the attr came after the first sample. */
static const struct point *point_of(struct wk_perf *perf, const struct wk_perf_attr *attr)
{
	size_t index = (size_t)(attr - perf->attrs);
	struct wk_trace_formats *formats;
	const struct wk_trace_format *format;
	struct point *point;

	if (!perf->memory) {
		perf->memory = wk_alloc_zeroed(1, sizeof(*perf->memory));
		perf->memory->points =
			wk_alloc_zeroed(perf->attr_count, sizeof(*perf->memory->points));
		perf->memory->point_count = perf->attr_count;
		perf->memory->spaces = wk_space_calls_new();
	}
	if (index >= perf->memory->point_count)
		return NULL;
	point = &perf->memory->points[index];
	if (point->what != UNKNOWN)
		return point;
	formats = attr->type == WK_PERF_TYPE_TRACEPOINT ? wk_perf_trace_formats(perf) : NULL;
	format = formats ? wk_trace_formats_find(formats, (uint32_t)attr->config) : NULL;
	*point = format ? read_format(format) : guess_format(attr->name);
	return point;
}

/* Of the sample at hand. */
struct change {
	struct wk_perf *perf;
	const struct wk_event *sample;
};

/* The stack is that of the program: what the kernel does is known. */
static bool emit_change(void *context, uint32_t changes, uint64_t start, uint64_t size_bytes)
{
	const struct change *change = context;
	struct wk_event event = *change->sample;
	struct wk_event_sample taken = change->sample->sample;

	event.kind = WK_EVENT_MEMORY;
	taken.source = 0;
	taken.weight = 0;
	taken.in_kernel = false;
	taken.kernel_count = 0;
	taken.address = taken.user_count ? taken.user_chain[0] : 0;
	taken.details = NULL;
	event.memory = (struct wk_event_memory){
		.changes = changes,
		.owner_pid = event.pid,
		.start = start,
		.size_bytes = size_bytes,
		.sample = taken,
	};
	return wk_perf_give(change->perf, &event);
}

static uint64_t word_at(struct wk_bytes raw, uint32_t offset)
{
	wk_bytes_skip(&raw, offset);
	return wk_u64(&raw);
}

bool wk_perf_emit_memory(struct wk_perf *perf, const struct wk_perf_attr *attr,
			 const struct wk_perf_fields *fields, const struct wk_event *sample)
{
	struct change change = { perf, sample };
	struct wk_space_changes changes = { emit_change, &change };
	uint64_t words[WK_SPACE_ARGUMENTS] = { 0 };
	const struct point *point;

	if (!wk_bytes_left(&fields->raw))
		return true;
	point = point_of(perf, attr);
	if (!point || point->what == OTHER)
		return true;
	for (int i = 0; i < WK_SPACE_ARGUMENTS; i++)
		if (point->offsets[i])
			words[i] = word_at(fields->raw, point->offsets[i]);
	if (point->what == BEGIN)
		return wk_space_calls_begin(perf->memory->spaces, sample->pid, sample->tid,
					    point->call, words, &changes);
	return wk_space_calls_end(perf->memory->spaces, sample->pid, sample->tid, point->call,
				  (int64_t)words[0], &changes);
}

void wk_perf_memory_process(struct wk_perf *perf, const struct wk_event *event)
{
	if (!perf->memory || event->kind != WK_EVENT_PROCESS)
		return;
	if (event->process.change == WK_PROCESS_FORK)
		wk_space_calls_fork(perf->memory->spaces, event->process.parent_pid, event->pid);
	else if (event->process.change == WK_PROCESS_EXEC ||
		 event->process.change == WK_PROCESS_EXIT)
		wk_space_calls_forget(perf->memory->spaces, event->pid);
}
