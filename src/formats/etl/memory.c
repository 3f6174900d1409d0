/* Memory in a Windows trace: address space of processes, their counters, and blocks of heaps. */
#include "formats/etl/trace.h"

#include "formats/etl/payload/memory.h"

/* ---- address space */

static uint32_t changes_of(const struct wk_etl_hook *hook, uint32_t flags)
{
	uint32_t changes = 0;

	if (hook->phase == WK_ETL_END)
		return (flags & WK_ETL_MEM_DECOMMIT ? WK_MEMORY_DECOMMIT : 0u) |
		       (flags & WK_ETL_MEM_RELEASE ? WK_MEMORY_RELEASE : 0u);
	if (flags & WK_ETL_MEM_RESERVE)
		changes |= WK_MEMORY_RESERVE;
	if (flags & WK_ETL_MEM_COMMIT)
		changes |= WK_MEMORY_COMMIT;
	return changes && hook->phase == WK_ETL_RUNDOWN ? changes | WK_MEMORY_SEEN : changes;
}

/* Without a known thread the process itself is the best guess. */
bool wk_etl_emit_virtual(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 const struct wk_etl_hook *hook)
{
	struct wk_event event = wk_etl_event_at(trace, record, WK_EVENT_MEMORY);
	struct wk_etl_virtual memory;

	if (!wk_etl_read_virtual(record->payload, wk_etl_form_of(record), &memory))
		return wk_etl_skip_short(trace);
	event.memory = (struct wk_event_memory){ .changes = changes_of(hook, memory.flags),
						 .owner_pid = memory.pid, .start = memory.base,
						 .size_bytes = memory.size_bytes };
	if (event.memory.changes & WK_MEMORY_SEEN ||
	    !wk_etl_find_thread(trace, record, &event, &event.memory.sample))
		event.pid = event.tid = memory.pid;
	if (event.pid == WK_UNKNOWN_PID)
		event.pid = memory.pid;
	return event.memory.changes == 0 || wk_etl_emit_event(trace, &event);
}

/* ---- counters of a process */

bool wk_etl_emit_use(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		     const struct wk_etl_hook *hook)
{
	struct wk_event event = wk_etl_event_at(trace, record, WK_EVENT_PROCESS);
	struct wk_etl_use use;

	(void)hook;
	if (!wk_etl_read_use(record->payload, wk_etl_form_of(record), &use))
		return wk_etl_skip_short(trace);
	event.cpu = WK_NO_CPU;
	event.pid = event.tid = use.pid;
	event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
						   .threads_apart = true, .use = use.use };
	return wk_etl_emit_event(trace, &event);
}

/* ---- heaps */

typedef bool read_heap(struct wk_bytes payload, struct wk_etl_form form, struct wk_etl_heap *block);

static bool emit_heap(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		      enum wk_heap_change change, read_heap *read)
{
	struct wk_event event = wk_etl_event_at(trace, record, WK_EVENT_HEAP);
	struct wk_etl_heap block;

	if (!read(record->payload, wk_etl_form_of(record), &block) ||
	    !wk_etl_find_thread(trace, record, &event, &event.heap.sample))
		return wk_etl_skip_short(trace);
	event.heap.change = change;
	event.heap.heap = block.heap;
	event.heap.address = block.address;
	event.heap.size_bytes = block.size_bytes;
	event.heap.old_address = block.old_address;
	event.heap.old_size_bytes = block.old_size_bytes;
	event.heap.made_by = wk_str_c(wk_etl_heap_source(block.source));
	return wk_etl_emit_event(trace, &event);
}

bool wk_etl_emit_heap_create(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			     const struct wk_etl_hook *hook)
{
	(void)hook;
	return emit_heap(trace, record, WK_HEAP_CREATE, wk_etl_read_heap);
}

bool wk_etl_emit_heap_alloc(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			    const struct wk_etl_hook *hook)
{
	(void)hook;
	return emit_heap(trace, record, WK_HEAP_ALLOCATE, wk_etl_read_heap_alloc);
}

bool wk_etl_emit_heap_realloc(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			      const struct wk_etl_hook *hook)
{
	(void)hook;
	return emit_heap(trace, record, WK_HEAP_REALLOCATE, wk_etl_read_heap_realloc);
}

bool wk_etl_emit_heap_free(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			   const struct wk_etl_hook *hook)
{
	(void)hook;
	return emit_heap(trace, record, WK_HEAP_FREE, wk_etl_read_heap_free);
}

bool wk_etl_emit_heap_destroy(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			      const struct wk_etl_hook *hook)
{
	(void)hook;
	return emit_heap(trace, record, WK_HEAP_DESTROY, wk_etl_read_heap);
}
