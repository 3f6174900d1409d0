#include "event/dump.h"

#include <inttypes.h>

#include "event/pdb_id.h"

static void text_field(struct wk_out *out, const char *name, struct wk_str value)
{
	if (value.len == 0)
		return;
	wk_out_fmt(out, " %s=\"", name);
	/* A quote inside would end the value early; the rest is escaped by wk_out_term. */
	while (value.len) {
		size_t plain = 0;

		while (plain < value.len && value.at[plain] != '"' && value.at[plain] != '\\')
			plain++;
		wk_out_term(out, wk_str_of(value.at, plain));
		value = wk_str_skip(value, plain);
		if (value.len) {
			wk_out_fmt(out, "\\%c", value.at[0]);
			value = wk_str_skip(value, 1);
		}
	}
	wk_out_char(out, '"');
}

static void build_id_field(struct wk_out *out, const struct wk_build_id *id, bool is_of_pdb)
{
	struct wk_buf text = { 0 };

	wk_build_id_add(&text, id, is_of_pdb);
	if (text.len)
		wk_out_fmt(out, " build_id=%s", wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void kind_field(struct wk_out *out, enum wk_frame_kind kind)
{
	static const char *const kinds[] = { NULL, "user", "kernel", "jit", "jit-program" };

	if (kinds[kind])
		wk_out_fmt(out, " kind=%s", kinds[kind]);
}

static void chain_field(struct wk_out *out, const char *name, const uint64_t *chain, size_t count)
{
	if (count == 0)
		return;
	wk_out_fmt(out, " %s=", name);
	for (size_t i = 0; i < count; i++)
		wk_out_fmt(out, "%s0x%" PRIx64, i ? "," : "", chain[i]);
}

static void dump_use(const struct wk_process_use *use, struct wk_out *out)
{
	wk_out_fmt(out,
		   " faults=%" PRIu32 " handles=%" PRIu32 " working_set=%" PRIu64 " commit=%" PRIu64
		   " peak_working_set=%" PRIu64 " peak_commit=%" PRIu64 " peak_virtual=%" PRIu64,
		   use->page_faults, use->handles, use->working_set_bytes, use->commit_bytes,
		   use->peak_working_set_bytes, use->peak_commit_bytes, use->peak_virtual_bytes);
	if (use->share_bytes)
		wk_out_fmt(out,
			   " swap=%" PRIu64 " share=%" PRIu64 " huge=%" PRIu64 " huge_tlb=%" PRIu64,
			   use->swap_bytes, use->share_bytes, use->huge_bytes, use->huge_tlb_bytes);
	if (use->anonymous_bytes)
		wk_out_fmt(out,
			   " anonymous=%" PRIu64 " file=%" PRIu64 " shared=%" PRIu64
			   " heap=%" PRIu64 " stack=%" PRIu64,
			   use->anonymous_bytes, use->file_bytes, use->shared_bytes,
			   use->heap_bytes, use->stack_bytes);
}

static void dump_process(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_process *process = &event->process;
	static const char *const changes[] = { "seen", "fork", "exec", "exit",
					       "start" };

	wk_out_fmt(out, " change=%s", changes[process->change]);
	if (process->parent_pid && process->change != WK_PROCESS_EXIT)
		wk_out_fmt(out, " parent_pid=%" PRIu32, process->parent_pid);
	text_field(out, "name", process->name);
	text_field(out, "command_line", process->command_line);
	if (process->has_exit_code)
		wk_out_fmt(out, " exit_code=%d", process->exit_code);
	text_field(out, "user", process->user);
	text_field(out, "package", process->package);
	text_field(out, "services", process->services);
	if (process->has_session)
		wk_out_fmt(out, " session=%" PRIu32, process->session);
	if (process->traits & WK_PROCESS_IS_32BIT)
		wk_out_text(out, " 32bit=1");
	if (process->traits & WK_PROCESS_IS_PROTECTED)
		wk_out_text(out, " protected=1");
	if (process->traits & WK_PROCESS_IS_PACKAGED)
		wk_out_text(out, " packaged=1");
	if (process->use.is_known)
		dump_use(&process->use, out);
}

static void dump_thread(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_thread *thread = &event->thread;
	static const char *const changes[] = { "seen", "start", "name", "exit" };

	wk_out_fmt(out, " change=%s", changes[thread->change]);
	if (thread->parent_tid && thread->change != WK_THREAD_EXIT)
		wk_out_fmt(out, " parent_tid=%" PRIu32, thread->parent_tid);
	text_field(out, "name", thread->name);
}

static void dump_image(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_image *image = &event->image;

	wk_out_fmt(out, " start=0x%" PRIx64 " size=0x%" PRIx64 " offset=0x%" PRIx64, image->start,
		   image->size_bytes, image->file_offset);
	text_field(out, "path", image->path);
	if (image->is_data)
		wk_out_text(out, " data=1");
	if (image->is_gone)
		wk_out_text(out, " gone=1");
	if (image->inode)
		wk_out_fmt(out, " device=%" PRIu32 ":%" PRIu32 " inode=%" PRIu64,
			   image->device_major, image->device_minor, image->inode);
	build_id_field(out, &image->build_id, image->pdb_path.len > 0);
	text_field(out, "pdb", image->pdb_path);
	if (image->time_stamp)
		wk_out_fmt(out, " time_stamp=0x%" PRIx32, image->time_stamp);
}

static void dump_symbol(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_symbol *symbol = &event->symbol;

	wk_out_fmt(out, " start=0x%" PRIx64 " size=0x%" PRIx64, symbol->start, symbol->size_bytes);
	text_field(out, "name", symbol->name);
	text_field(out, "path", symbol->image_path);
	build_id_field(out, &symbol->build_id, false);
	kind_field(out, symbol->kind);
	for (size_t i = 0; i < symbol->line_count; i++) {
		if (i == 0 || !wk_str_eq(symbol->lines[i].file, symbol->lines[i - 1].file))
			text_field(out, "file", symbol->lines[i].file);
		wk_out_fmt(out, " line+0x%" PRIx64 "=%" PRIu32,
			   symbol->lines[i].address - symbol->start, symbol->lines[i].line);
	}
}

static void dump_calls(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_calls *calls = &event->calls;

	wk_out_fmt(out, " address=0x%" PRIx64, calls->address);
	for (size_t i = 0; i < calls->count; i++) {
		text_field(out, "function", calls->calls[i].function);
		text_field(out, "file", calls->calls[i].file);
		if (calls->calls[i].line)
			wk_out_fmt(out, " line=%" PRIu32, calls->calls[i].line);
	}
	text_field(out, "path", calls->image_path);
	build_id_field(out, &calls->build_id, false);
}

static void dump_bounds(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_bounds *bounds = &event->bounds;

	wk_out_fmt(out, " start=0x%" PRIx64 " size=0x%" PRIx32 "%s", bounds->start,
		   bounds->size_bytes, bounds->is_root ? " root" : "");
	text_field(out, "path", bounds->image_path);
	build_id_field(out, &bounds->build_id, false);
}

static void dump_frame(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_frame *frame = &event->frame;

	wk_out_fmt(out, " frame=%" PRIu32, frame->number);
	text_field(out, "name", frame->name);
	text_field(out, "image", frame->image);
	text_field(out, "file", frame->file);
	if (frame->line)
		wk_out_fmt(out, " line=%" PRIu32, frame->line);
	if (frame->address)
		wk_out_fmt(out, " address=0x%" PRIx64, frame->address);
	kind_field(out, frame->kind);
	if (frame->is_inlined)
		wk_out_text(out, " inlined=1");
	if (frame->is_unnamed)
		wk_out_text(out, " unnamed=1");
}

/* A line each: the last one's end is its event's. */
static void dump_stacks(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_stacks *stacks = &event->stacks;

	for (uint32_t i = 0; i < stacks->count; i++) {
		if (i)
			wk_out_fmt(out, "\nstack time=%" PRIu64, event->time_ns);
		wk_out_fmt(out, " stack=%" PRIu32 " parent=%" PRIu32 " frame=%" PRIu32,
			   stacks->first + i, stacks->entries[i].parent, stacks->entries[i].label);
	}
}

/* Prints only fields that the sample has and that are not 0: most fields of most samples are 0. */
static void detail_field(struct wk_out *out, const char *name, uint64_t value)
{
	if (value)
		wk_out_fmt(out, " %s=0x%" PRIx64, name, value);
}

static void dump_details(const struct wk_event_details *details, struct wk_out *out)
{
	detail_field(out, "data_address", details->data_address);
	detail_field(out, "physical_address", details->physical_address);
	detail_field(out, "data_weight", details->weight);
	detail_field(out, "data_source", details->data_source);
	detail_field(out, "transaction", details->transaction);
	detail_field(out, "cgroup", details->cgroup);
	detail_field(out, "data_page", details->data_page_bytes);
	detail_field(out, "code_page", details->code_page_bytes);
	if (details->branch_count)
		wk_out_text(out, " branches=");
	for (size_t i = 0; i < details->branch_count; i++)
		wk_out_fmt(out, "%s0x%" PRIx64 ">0x%" PRIx64 ":0x%" PRIx64, i ? "," : "",
			   details->branches[i].from, details->branches[i].to,
			   details->branches[i].flags);
	text_field(out, "trace", details->trace);
}

static void dump_chains(const struct wk_event_sample *sample, struct wk_out *out)
{
	chain_field(out, "kernel", sample->kernel_chain, sample->kernel_count);
	chain_field(out, "user", sample->user_chain, sample->user_count);
}

/* Of an event other than a sample. */
static void dump_stack(const struct wk_event_sample *sample, struct wk_out *out)
{
	dump_chains(sample, out);
	if (sample->named_stack)
		wk_out_fmt(out, " stack=%" PRIu32, sample->named_stack);
}

static void dump_sample(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_sample *sample = &event->sample;

	wk_out_fmt(out, " source=%" PRIu32 " weight=%" PRIu64, sample->source, sample->weight);
	if (!sample->named_stack || sample->address)
		wk_out_fmt(out, " mode=%s address=0x%" PRIx64,
			   sample->in_kernel ? "kernel" : "user", sample->address);
	dump_chains(sample, out);
	if (sample->user_is_exact && sample->user_count)
		wk_out_text(out, " exact=1");
	if (sample->stack)
		wk_out_fmt(out, " stack_bytes=%zu", sample->stack->size_bytes);
	if (sample->named_stack)
		wk_out_fmt(out, " stack=%" PRIu32, sample->named_stack);
	if (sample->is_before)
		wk_out_text(out, " side=before");
	if (sample->details)
		dump_details(sample->details, out);
}

/* A line for each, below the event's own. */
static void dump_sums(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_sums *sums = &event->sums;

	wk_out_fmt(out, " count=%zu", sums->count);
	if (sums->is_before)
		wk_out_text(out, " side=before");
	for (size_t i = 0; i < sums->count; i++) {
		const struct wk_event_sum *sum = &sums->at[i];
		const struct wk_event_whose *whose = &sums->whose[sum->whose];

		wk_out_fmt(out, "\nsum time=%" PRIu64 " until=%" PRIu64, sum->time_ns,
			   sum->until_ns);
		if (whose->pid != WK_NO_PID)
			wk_out_fmt(out, " pid=%" PRIu32 " tid=%" PRIu32, whose->pid, whose->tid);
		wk_out_fmt(out,
			   " source=%" PRIu32 " weight=%" PRIu64 " times=%" PRIu64
			   " stack=%" PRIu32,
			   whose->source, sum->weight, sum->times, sum->stack);
	}
}

static void dump_memory(const struct wk_event *event, struct wk_out *out)
{
	static const char *const changes[] = { "reserve", "commit", "decommit", "release",
					       "seen",	  "discard" };
	const struct wk_event_memory *memory = &event->memory;
	const char *before = " change=";

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (memory->changes >> i & 1) {
			wk_out_fmt(out, "%s%s", before, changes[i]);
			before = ",";
		}
	wk_out_fmt(out, " start=0x%" PRIx64 " size=0x%" PRIx64, memory->start, memory->size_bytes);
	if (memory->owner_pid != event->pid)
		wk_out_fmt(out, " owner=%" PRIu32, memory->owner_pid);
	dump_chains(&memory->sample, out);
}

static void dump_heap(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_heap *heap = &event->heap;
	static const char *const changes[] = { "create",   "destroy",    "seen",
					       "allocate", "reallocate", "free" };

	wk_out_fmt(out, " change=%s heap=0x%" PRIx64, changes[heap->change], heap->heap);
	if (heap->change >= WK_HEAP_ALLOCATE)
		wk_out_fmt(out, " address=0x%" PRIx64, heap->address);
	if (heap->size_bytes)
		wk_out_fmt(out, " size=0x%" PRIx64, heap->size_bytes);
	if (heap->change == WK_HEAP_REALLOCATE)
		wk_out_fmt(out, " old_address=0x%" PRIx64 " old_size=0x%" PRIx64, heap->old_address,
			   heap->old_size_bytes);
	if (heap->of_blocks)
		wk_out_fmt(out, " of_blocks=%" PRIu64 " of_bytes=%" PRIu64, heap->of_blocks,
			   heap->of_bytes);
	text_field(out, "made_by", heap->made_by);
	dump_stack(&heap->sample, out);
}

static void blocks_field(struct wk_out *out, const char *name, uint64_t bytes, uint64_t blocks)
{
	if (bytes || blocks)
		wk_out_fmt(out, " %s=%" PRIu64 "/%" PRIu64, name, bytes, blocks);
}

/* Bytes and blocks of each part, as "allocated=300/2". */
static void dump_heap_sum(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_heap_sum *sum = &event->heap_sum;

	blocks_field(out, "allocated", sum->allocated_bytes, sum->allocated_blocks);
	blocks_field(out, "freed", sum->freed_bytes, sum->freed_blocks);
	blocks_field(out, "temporary", sum->temporary_bytes, sum->temporary_blocks);
	blocks_field(out, "peak", sum->peak_bytes, sum->peak_blocks);
	dump_stack(&sum->sample, out);
}

const char *wk_snapshot_cause_name(enum wk_snapshot_cause cause)
{
	static const char *const names[] = { "user", "program", "interval", "peak", "size",
					     "exit" };

	return names[cause];
}

static void dump_snapshot(const struct wk_event *event, struct wk_out *out)
{
	wk_out_fmt(out, " cause=%s", wk_snapshot_cause_name(event->snapshot.cause));
	text_field(out, "label", event->snapshot.label);
}

static void dump_snapshot_request(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_snapshot_request *request = &event->snapshot_request;

	if (request->at_exit)
		wk_out_text(out, " at_exit=1");
	if (request->at_peak)
		wk_out_text(out, " at_peak=1");
	if (request->over_bytes)
		wk_out_fmt(out, " over=%" PRIu64, request->over_bytes);
}

const char *wk_wait_mode_name(enum wk_wait_mode mode)
{
	return mode == WK_WAIT_KERNEL ? "kernel" : mode == WK_WAIT_USER ? "user" : "";
}

static void pid_field(struct wk_out *out, const char *name, uint32_t pid)
{
	if (pid == WK_UNKNOWN_PID)
		wk_out_fmt(out, " %s=unknown", name);
	else
		wk_out_fmt(out, " %s=%" PRIu32, name, pid);
}

static void dump_switch(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_switch *switched = &event->switched;

	pid_field(out, "old_pid", switched->old_pid);
	wk_out_fmt(out, " old_tid=%" PRIu32 " old=%s", switched->old_tid,
		   switched->old_waits ? "waits" : "ready");
	text_field(out, "reason", switched->wait_reason);
	text_field(out, "mode", wk_str_c(wk_wait_mode_name(switched->wait_mode)));
	dump_chains(&switched->sample, out);
}

static void dump_ready(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_ready *ready = &event->ready;

	pid_field(out, "ready_pid", ready->ready_pid);
	wk_out_fmt(out, " ready_tid=%" PRIu32 "%s", ready->ready_tid,
		   ready->is_interrupt ? " interrupt=1" : "");
	dump_chains(&ready->sample, out);
}

static void dump_count(const struct wk_event *event, struct wk_out *out)
{
	const struct wk_event_count *count = &event->count;

	wk_out_fmt(out, " count=%" PRIu64, count->count);
	text_field(out, "provider", count->provider);
	text_field(out, "name", count->name);
	if (!count->is_used)
		wk_out_text(out, " used=0");
}

static void dump_system(const struct wk_event *event, struct wk_out *out)
{
	text_field(out, "section", event->system.section);
	text_field(out, "key", event->system.key);
	text_field(out, "value", event->system.value);
}

static void dump_source(const struct wk_event *event, struct wk_out *out)
{
	wk_out_fmt(out, " source=%" PRIu32, event->source.source);
	text_field(out, "name", event->source.name);
	text_field(out, "unit", event->source.unit);
}

static void dump_mark(const struct wk_event *event, struct wk_out *out)
{
	text_field(out, "label", event->mark.label);
	text_field(out, "provider", event->mark.provider);
}

static void dump_lost(const struct wk_event *event, struct wk_out *out)
{
	wk_out_fmt(out, " count=%" PRIu64 " what=%s", event->lost.count,
		   event->lost.samples_only ? "samples" : "records");
	if (event->lost.has_source)
		wk_out_fmt(out, " source=%" PRIu32, event->lost.source);
	if (event->lost.count_before)
		wk_out_fmt(out, " count_before=%" PRIu64, event->lost.count_before);
}

static void dump_note(const struct wk_event *event, struct wk_out *out)
{
	if (event->note.offset != WK_NOWHERE)
		wk_out_fmt(out, " offset=0x%" PRIx64, event->note.offset);
	text_field(out, "text", event->note.text);
}

static void dump_other(const struct wk_event *event, struct wk_out *out)
{
	text_field(out, "what", event->other.what);
	text_field(out, "text", event->other.text);
}

static const struct event_kind {
	const char *name;
	void (*dump)(const struct wk_event *event, struct wk_out *out);
	bool has_cpu;      /* happens on a processor */
	bool is_about_all; /* pid 0 is none */
} kinds[WK_EVENT_KINDS] = {
	[WK_EVENT_NONE] = { .name = "none" },
	[WK_EVENT_SYSTEM] = { .name = "system", .dump = dump_system, .is_about_all = true },
	[WK_EVENT_SOURCE] = { .name = "source", .dump = dump_source, .is_about_all = true },
	[WK_EVENT_PROCESS] = { .name = "process", .dump = dump_process },
	[WK_EVENT_THREAD] = { .name = "thread", .dump = dump_thread },
	[WK_EVENT_IMAGE] = { .name = "image", .dump = dump_image },
	[WK_EVENT_SYMBOL] = { .name = "symbol", .dump = dump_symbol },
	[WK_EVENT_CALLS] = { .name = "calls", .dump = dump_calls },
	[WK_EVENT_BOUNDS] = { .name = "bounds", .dump = dump_bounds },
	[WK_EVENT_FRAME] = { .name = "frame", .dump = dump_frame, .is_about_all = true },
	[WK_EVENT_STACKS] = { .name = "stack", .dump = dump_stacks, .is_about_all = true },
	[WK_EVENT_SAMPLE] = { .name = "sample", .dump = dump_sample, .has_cpu = true },
	[WK_EVENT_SUMS] = { .name = "sums", .dump = dump_sums, .is_about_all = true },
	[WK_EVENT_LISTS] = { .name = "lists", .is_about_all = true },
	[WK_EVENT_MEMORY] = { .name = "memory", .dump = dump_memory },
	[WK_EVENT_HEAP] = { .name = "heap", .dump = dump_heap },
	[WK_EVENT_HEAP_SUM] = { .name = "heap-sum", .dump = dump_heap_sum },
	[WK_EVENT_SNAPSHOT] = { .name = "snapshot", .dump = dump_snapshot },
	[WK_EVENT_SNAPSHOT_REQUEST] = { .name = "snapshot-request",
					.dump = dump_snapshot_request,
					.is_about_all = true },
	[WK_EVENT_SWITCH] = { .name = "switch", .dump = dump_switch, .has_cpu = true },
	[WK_EVENT_READY] = { .name = "ready", .dump = dump_ready, .has_cpu = true },
	[WK_EVENT_MARK] = { .name = "mark", .dump = dump_mark },
	[WK_EVENT_COUNT] = { .name = "count", .dump = dump_count, .is_about_all = true },
	[WK_EVENT_LOST] = { .name = "lost", .dump = dump_lost, .is_about_all = true },
	[WK_EVENT_NOTE] = { .name = "note", .dump = dump_note, .is_about_all = true },
	[WK_EVENT_OTHER] = { .name = "other", .dump = dump_other },
};

const char *wk_event_kind_name(enum wk_event_kind kind)
{
	return kinds[kind < WK_EVENT_KINDS ? kind : WK_EVENT_NONE].name;
}

void wk_event_dump(const struct wk_event *event, struct wk_out *out)
{
	const struct event_kind *kind =
		&kinds[event->kind < WK_EVENT_KINDS ? event->kind : WK_EVENT_NONE];

	wk_out_fmt(out, "%s time=%" PRIu64, kind->name, event->time_ns);
	if (event->pid == WK_KERNEL_PID)
		wk_out_text(out, " pid=kernel");
	else if (event->pid == WK_UNKNOWN_PID)
		wk_out_fmt(out, " pid=unknown tid=%" PRIu32, event->tid);
	else if (event->pid != WK_NO_PID && (!kind->is_about_all || event->pid))
		wk_out_fmt(out, " pid=%" PRIu32 " tid=%" PRIu32, event->pid, event->tid);
	if (kind->has_cpu && event->cpu != WK_NO_CPU)
		wk_out_fmt(out, " cpu=%" PRIu32, event->cpu);
	if (kind->dump)
		kind->dump(event, out);
	wk_out_char(out, '\n');
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_out *out = context;

	wk_event_dump(event, out);
	if (out->failed)
		return wk_fail_os(err, out->error_number, "writing the events");
	return true;
}

struct wk_sink wk_dump_sink(struct wk_out *out)
{
	return (struct wk_sink){ .take = take, .context = out };
}
