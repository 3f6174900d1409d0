/* What both passes do with a block. */
#include "formats/nettrace/trace.h"

enum { POINT_ENDS_THREADS = 1, POINT_ENDS_TYPES = 2 };

struct wk_nettrace_who wk_nettrace_who(const struct wk_nettrace *trace, uint64_t number)
{
	const struct wk_nettrace_thread *thread;

	if (!trace->is_v6)
		return (struct wk_nettrace_who){ trace->head.pid, wk_nettrace_id(number) };
	thread = wk_nettrace_threads_find(&trace->threads, number);
	if (!thread)
		return (struct wk_nettrace_who){ WK_UNKNOWN_PID, 0 };
	return (struct wk_nettrace_who){ thread->pid ? thread->pid : trace->head.pid, thread->tid };
}

void wk_nettrace_take_block(struct wk_nettrace *trace, const struct wk_nettrace_block *block)
{
	bool ok = true;

	if (block->kind == WK_NETTRACE_METADATA)
		ok = wk_nettrace_types_add(&trace->types, block->content, trace->is_v6);
	else if (block->kind == WK_NETTRACE_THREADS)
		ok = wk_nettrace_threads_add(&trace->threads, block->content);
	else if (block->kind == WK_NETTRACE_STACKS)
		ok = wk_nettrace_stacks_add(&trace->stacks, block->content);
	trace->bad_blocks += !ok;
}

static void add_losses(struct wk_nettrace_losses *losses, struct wk_bytes in, uint32_t count,
		       bool is_v6)
{
	while (count-- && !in.bad) {
		uint64_t thread = is_v6 ? wk_uleb(&in) : wk_u64le(&in);
		uint32_t sequence = is_v6 ? (uint32_t)wk_uleb(&in) : wk_u32le(&in);

		if (!in.bad)
			wk_nettrace_losses_reach(losses, thread, sequence);
	}
}

void wk_nettrace_pass_point(struct wk_nettrace *trace, struct wk_bytes in,
			    struct wk_nettrace_losses *losses)
{
	uint32_t flags, count;

	wk_u64le(&in); /* the time */
	flags = trace->is_v6 ? wk_u32le(&in) : 0;
	count = wk_u32le(&in);
	if (losses)
		add_losses(losses, in, count, trace->is_v6);
	wk_nettrace_stacks_forget(&trace->stacks);
	if (flags & POINT_ENDS_TYPES)
		wk_nettrace_types_forget(&trace->types);
	if (!(flags & POINT_ENDS_THREADS))
		return;
	wk_nettrace_threads_forget(&trace->threads);
	if (losses)
		wk_nettrace_losses_forget(losses);
}
