/* The first pass: names, threads, what the process is, and counts. */
#include "base/text/utf16.h"
#include "formats/nettrace/trace.h"

/* A thread was created, or exists: its numbers and flags, the system's number. */
static bool scan_thread(struct wk_nettrace *trace, uint32_t pid, struct wk_bytes in)
{
	enum { IS_COLLECTOR = 1, IS_FINALIZER = 2, IS_WORKER = 4 };
	uint32_t flags, tid;

	wk_bytes_skip(&in, 16);
	flags = wk_u32le(&in);
	wk_u32le(&in);
	tid = wk_u32le(&in);
	if (in.bad)
		return false;
	wk_nettrace_threads_name(&trace->threads, pid, tid,
				 wk_str_c(flags & IS_FINALIZER   ? "finalizer"
					  : flags & IS_COLLECTOR ? "garbage collector"
					  : flags & IS_WORKER    ? "thread pool"
								 : ""));
	return true;
}

/* Command line, operating system, architecture. */
static bool scan_command(struct wk_nettrace *trace, struct wk_bytes in)
{
	struct wk_buf *const texts[] = { &trace->command, &trace->system, &trace->machine };

	for (size_t i = 0; i < 3; i++)
		if (texts[i]->len == 0)
			wk_utf16_add(texts[i], wk_utf16_text(&in), false);
	return true;
}

/* Versions and flags, the command line. It comes early, where a truncated trace has nothing else.
 */
static bool scan_runtime(struct wk_nettrace *trace, struct wk_bytes in)
{
	wk_bytes_skip(&in, 25);
	if (in.bad)
		return false;
	if (trace->command.len == 0)
		wk_utf16_add(&trace->command, wk_utf16_text(&in), false);
	return true;
}

static bool scan_module(struct wk_nettrace *trace, uint32_t pid, struct wk_bytes payload)
{
	struct wk_clr_module module;

	if (!wk_clr_read_module(payload, &module))
		return false;
	wk_clr_owners_add(&trace->owners, pid, module.number, module.il_path);
	return true;
}

static bool scan_known(struct wk_nettrace *trace, enum wk_nettrace_use use,
		       const struct wk_nettrace_event *event)
{
	struct wk_nettrace_who who = wk_nettrace_who(trace, event->thread);

	switch (use) {
	case WK_NETTRACE_SAMPLE:
		return wk_nettrace_samples_scan(&trace->samples,
						wk_nettrace_stacks_leaf(&trace->stacks,
									event->stack,
									trace->head.pointer_bytes),
						event->payload);
	case WK_NETTRACE_METHOD_LOADED:
	case WK_NETTRACE_METHOD_SEEN:
		return wk_nettrace_methods_scan(&trace->methods, who.pid, event->payload,
						use == WK_NETTRACE_METHOD_LOADED);
	case WK_NETTRACE_MODULE:
		return scan_module(trace, who.pid, event->payload);
	case WK_NETTRACE_THREAD:
		return scan_thread(trace, who.pid, event->payload);
	case WK_NETTRACE_COMMAND:
		return scan_command(trace, event->payload);
	case WK_NETTRACE_RUNTIME:
		return scan_runtime(trace, event->payload);
	default:
		return true;
	}
}

static void scan(struct wk_nettrace *trace, const struct wk_nettrace_event *event)
{
	uint32_t row = wk_nettrace_types_find(&trace->types, event->metadata);
	struct wk_nettrace_type *type;

	wk_nettrace_losses_add(&trace->losses, event->capturer, event->sequence);
	if (row == UINT32_MAX) {
		trace->unknown_types++;
		return;
	}
	type = &trace->types.at[row];
	type->count++;
	if (!type->has_stacks)
		type->has_stacks = wk_nettrace_stacks_leaf(&trace->stacks, event->stack,
							   trace->head.pointer_bytes);
	if (!scan_known(trace, type->use, event))
		trace->short_payloads++;
}

static void scan_events(struct wk_nettrace *trace, struct wk_bytes block)
{
	struct wk_nettrace_events events = wk_nettrace_events_of(block, trace->is_v6);
	struct wk_nettrace_event event;

	while (wk_nettrace_events_next(&events, &event))
		scan(trace, &event);
	trace->bad_blocks += events.is_bad;
}

void wk_nettrace_first_pass(struct wk_nettrace *trace, struct wk_nettrace_file *file)
{
	struct wk_nettrace_block block;

	while (wk_nettrace_next(file, &block)) {
		/* The last block is counted as cut, not as bad. */
		uint64_t bad_blocks = trace->bad_blocks;

		if (block.kind == WK_NETTRACE_EVENTS)
			scan_events(trace, block.content);
		else if (block.kind == WK_NETTRACE_SEQUENCE_POINT)
			wk_nettrace_pass_point(trace, block.content, &trace->losses);
		else
			wk_nettrace_take_block(trace, &block);
		if (file->is_cut)
			trace->bad_blocks = bad_blocks;
	}
	wk_nettrace_methods_settle(&trace->methods);
	wk_nettrace_samples_settle(&trace->samples, &trace->methods);
}
