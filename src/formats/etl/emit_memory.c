/* Memory in a Windows trace: address space that is given and taken, and the blocks of heaps. */
#include "formats/etl/trace.h"

#include "formats/etl/payload/memory.h"

/* ---- address space */

static uint32_t changes_of(uint32_t hook, uint32_t flags)
{
	bool is_free = hook == WK_ETL_VIRTUAL_FREE;
	bool is_seen = hook == WK_ETL_VIRTUAL_BEFORE || hook == WK_ETL_VIRTUAL_BEHIND;
	uint32_t changes = 0;

	if (is_free)
		return (flags & WK_ETL_MEM_DECOMMIT ? WK_MEMORY_DECOMMIT : 0u) |
		       (flags & WK_ETL_MEM_RELEASE ? WK_MEMORY_RELEASE : 0u);
	if (flags & WK_ETL_MEM_RESERVE)
		changes |= WK_MEMORY_RESERVE;
	if (flags & WK_ETL_MEM_COMMIT)
		changes |= WK_MEMORY_COMMIT;
	return changes && is_seen ? changes | WK_MEMORY_SEEN : changes;
}

/* Where nobody knows who did it, the process itself is as good a guess as any. */
bool wk_etl_emit_virtual(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook)
{
	struct wk_event event = { .kind = WK_EVENT_MEMORY, .cpu = record->cpu,
				  .time_ns = wk_etl_ns(trace->file, record->time) };
	struct wk_etl_virtual memory;

	if (!wk_etl_read_virtual(record->payload, wk_etl_form_of(record), &memory)) {
		trace->short_payloads++;
		return true;
	}
	event.memory = (struct wk_event_memory){ .changes = changes_of(hook, memory.flags),
						 .owner_pid = memory.pid, .start = memory.base,
						 .size_bytes = memory.size_bytes };
	if (event.memory.changes & WK_MEMORY_SEEN ||
	    !wk_etl_set_doer(trace, record, &event, &event.memory.sample))
		event.pid = event.tid = memory.pid;
	if (event.pid == WK_UNKNOWN_PID)
		event.pid = memory.pid;
	return event.memory.changes == 0 || wk_etl_handle(trace, &event);
}

/* ---- what was counted for a process */

bool wk_etl_emit_use(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .cpu = WK_NO_CPU,
				  .time_ns = wk_etl_ns(trace->file, record->time) };
	struct wk_etl_use use;

	if (!wk_etl_read_use(record->payload, wk_etl_form_of(record), &use)) {
		trace->short_payloads++;
		return true;
	}
	event.pid = event.tid = use.pid;
	event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
						   .threads_apart = true, .use = use.use };
	return wk_etl_handle(trace, &event);
}

/* ---- heaps */

static bool read_heap(const struct wk_etl_record *record, uint32_t hook, struct wk_etl_heap *block,
		      enum wk_heap_change *change)
{
	struct wk_etl_form form = wk_etl_form_of(record);

	switch (hook) {
	case WK_ETL_HEAP_ALLOC:
		*change = WK_HEAP_ALLOCATE;
		return wk_etl_read_heap_alloc(record->payload, form, block);
	case WK_ETL_HEAP_REALLOC:
		*change = WK_HEAP_REALLOCATE;
		return wk_etl_read_heap_realloc(record->payload, form, block);
	case WK_ETL_HEAP_FREE:
		*change = WK_HEAP_FREE;
		return wk_etl_read_heap_free(record->payload, form, block);
	default:
		*change = hook == WK_ETL_HEAP_CREATE ? WK_HEAP_CREATE : WK_HEAP_DESTROY;
		return wk_etl_read_heap(record->payload, form, block);
	}
}

bool wk_etl_emit_heap(struct wk_etl_trace *trace, const struct wk_etl_record *record, uint32_t hook)
{
	struct wk_event event = { .kind = WK_EVENT_HEAP, .cpu = record->cpu,
				  .time_ns = wk_etl_ns(trace->file, record->time) };
	enum wk_heap_change change;
	struct wk_etl_heap block;

	if (!read_heap(record, hook, &block, &change) ||
	    !wk_etl_set_doer(trace, record, &event, &event.heap.sample)) {
		trace->short_payloads++;
		return true;
	}
	event.heap.change = change;
	event.heap.heap = block.heap;
	event.heap.address = block.address;
	event.heap.size_bytes = block.size_bytes;
	event.heap.old_address = block.old_address;
	event.heap.old_size_bytes = block.old_size_bytes;
	event.heap.made_by = wk_str_c(wk_etl_heap_source(block.source));
	return wk_etl_handle(trace, &event);
}
