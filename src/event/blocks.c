#include "event/blocks.h"

static bool emit_one(const struct wk_sink *sink, const struct wk_event_blocks *blocks, size_t i,
		     struct wk_err *err)
{
	const struct wk_event_block *block = &blocks->at[i];
	const struct wk_block_thread *thread = &blocks->threads[block->thread];
	uint64_t chain[WK_BLOCK_MOST_FRAMES];
	struct wk_event event = {
		.kind = WK_EVENT_HEAP,
		.time_ns = block->time_ns,
		.pid = thread->pid,
		.tid = thread->tid,
		.cpu = WK_NO_CPU,
		.heap = { .change = block->is_freed ? WK_HEAP_FREE : WK_HEAP_ALLOCATE,
			  .address = block->address,
			  .size_bytes = block->size_bytes,
			  .has_loose_time = thread->has_loose_times },
	};

	event.heap.sample.is_before = blocks->is_before;
	if (block->is_freed)
		return wk_sink_emit(sink, &event, err);
	event.heap.made_by = blocks->parts[block->part];
	if (blocks->estimates) {
		event.heap.of_blocks = blocks->estimates[i].blocks;
		event.heap.of_bytes = blocks->estimates[i].bytes;
	}
	event.heap.sample.user_is_exact = true;
	event.heap.sample.user_chain = chain;
	event.heap.sample.user_count = blocks->chain(blocks->context, thread->group, block->stack,
						     chain, WK_BLOCK_MOST_FRAMES);
	return wk_sink_emit(sink, &event, err);
}

bool wk_blocks_emit(const struct wk_sink *sink, const struct wk_event *event, struct wk_err *err)
{
	if (sink->accepts_blocks)
		return wk_sink_emit(sink, event, err);
	for (size_t i = 0; i < event->blocks.count; i++)
		if (!emit_one(sink, &event->blocks, i, err))
			return false;
	return true;
}
