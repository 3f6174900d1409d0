/* Memory in a Windows trace: address space of processes, their counters, and blocks of heaps. */
#include "formats/etl/trace.h"

/* ---- address space */

/* Flags of VirtualAlloc and VirtualFree; others are not used. */
enum {
	WK_ETL_MEM_COMMIT = 0x1000,
	WK_ETL_MEM_RESERVE = 0x2000,
	WK_ETL_MEM_DECOMMIT = 0x4000, /* of an allocation it means something else */
	WK_ETL_MEM_RELEASE = 0x8000,
};

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
bool wk_etl_emit_virtual(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_MEMORY);
	struct wk_etl_form form = wk_etl_form(trace);
	struct wk_bytes in = trace->record.payload;

	event.memory.start = wk_etl_read_pointer(&in, form);
	event.memory.size_bytes = wk_etl_read_pointer(&in, form);
	event.memory.owner_pid = wk_u32le(&in);
	event.memory.changes = changes_of(trace->hook, wk_u32le(&in));
	if (in.bad)
		return wk_etl_skip_short(trace);
	if (event.memory.changes & WK_MEMORY_SEEN ||
	    !wk_etl_find_thread(trace, &event, &event.memory.sample))
		event.pid = event.tid = event.memory.owner_pid;
	if (event.pid == WK_UNKNOWN_PID)
		event.pid = event.memory.owner_pid;
	return event.memory.changes == 0 || wk_etl_emit_event(trace, &event);
}

/* ---- counters of a process */

bool wk_etl_emit_use(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_PROCESS);

	event.process.change = WK_PROCESS_SEEN;
	event.process.threads_apart = true;
	if (!wk_etl_read_use(trace->record.payload, wk_etl_form(trace), &event.pid,
			     &event.process.use))
		return wk_etl_skip_short(trace);
	event.cpu = WK_NO_CPU;
	event.tid = event.pid;
	return wk_etl_emit_event(trace, &event);
}

/* ---- heaps */

bool wk_etl_emit_heap(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_HEAP);

	event.heap.change = trace->hook->change;
	if (!wk_etl_read_heap(trace->record.payload, wk_etl_form(trace), &event.heap) ||
	    !wk_etl_find_thread(trace, &event, &event.heap.sample))
		return wk_etl_skip_short(trace);
	return wk_etl_emit_event(trace, &event);
}
