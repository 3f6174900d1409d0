/* The running thread of each processor in a Windows trace: context switches, threads that become
 * ready, and the thread and stack of every event. */
#include "formats/etl/trace.h"

#include "base/mem.h"

/* Processors are numbered in 11 bits. */
#define MOST_CPUS 2048

/* What runs where nothing is to be done. */
#define IDLE_TID 0
#define IDLE_PID 0

uint32_t wk_etl_pid_of_thread(const struct wk_etl_trace *trace, uint32_t tid)
{
	uint32_t pid = wk_map_find(&trace->pid_of, tid);

	if (!pid)
		pid = wk_map_find(&trace->guess_of, tid);
	if (!pid)
		return tid == IDLE_TID ? IDLE_PID : WK_UNKNOWN_PID;
	return pid - 1;
}

/* ---- running threads */

static void run_on(struct wk_etl_trace *trace, uint32_t cpu, uint32_t tid)
{
	if (!trace->running) {
		trace->running = wk_alloc(MOST_CPUS * sizeof(*trace->running));
		for (size_t i = 0; i < MOST_CPUS; i++)
			trace->running[i] = WK_ETL_NO_THREAD;
	}
	if (cpu < MOST_CPUS)
		trace->running[cpu] = tid;
}

/* The thread of the record, by its header or by the last switch of its processor;
 * WK_ETL_NO_THREAD before the first one. */
static uint32_t running_thread(const struct wk_etl_trace *trace)
{
	const struct wk_etl_record *record = &trace->record;

	if (record->tid != WK_ETL_NO_THREAD || !trace->running || record->cpu >= MOST_CPUS)
		return record->tid;
	return trace->running[record->cpu];
}

/* ---- threads of events */

static void set_chain(struct wk_event_sample *sample, const struct wk_etl_chain *chain)
{
	sample->kernel_chain = chain->kernel;
	sample->kernel_count = chain->kernel_count;
	sample->user_chain = chain->user;
	sample->user_count = chain->user_count;
}

static bool find_stack(struct wk_etl_trace *trace, uint32_t tid, struct wk_etl_chain *chain)
{
	struct wk_etl_stack_owner owner = { trace->record.time, tid, trace->record.cpu };

	return wk_etl_stacks_find(trace->stacks, owner, chain);
}

void wk_etl_set_thread(struct wk_etl_trace *trace, uint32_t tid, struct wk_event *event,
		       struct wk_event_sample *sample)
{
	struct wk_etl_chain chain;

	event->tid = tid;
	event->pid = wk_etl_pid_of_thread(trace, tid);
	if (find_stack(trace, tid, &chain))
		set_chain(sample, &chain);
}

/* False if `tid` is none. */
static bool set_ids(const struct wk_etl_trace *trace, uint32_t tid, struct wk_event *event)
{
	event->pid = WK_UNKNOWN_PID;
	if (tid == WK_ETL_NO_THREAD)
		return false;
	event->tid = tid;
	event->pid = trace->record.pid != WK_ETL_NO_THREAD ? trace->record.pid
							   : wk_etl_pid_of_thread(trace, tid);
	return true;
}

void wk_etl_set_running(struct wk_etl_trace *trace, struct wk_event *event)
{
	set_ids(trace, running_thread(trace), event);
}

bool wk_etl_find_thread(struct wk_etl_trace *trace, struct wk_event *event,
			struct wk_event_sample *sample)
{
	uint32_t tid = running_thread(trace);
	struct wk_etl_chain chain;

	if (tid != WK_ETL_NO_THREAD ? find_stack(trace, tid, &chain)
				    : wk_etl_stacks_find_on(trace->stacks, trace->record.time,
							    trace->record.cpu, &tid, &chain))
		set_chain(sample, &chain);
	return set_ids(trace, tid, event);
}

/* ---- switches */

bool wk_etl_emit_switch(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_SWITCH);
	uint32_t new_tid;

	if (!wk_etl_read_switch(trace->record.payload, &new_tid, &event.switched))
		return wk_etl_skip_short(trace);
	run_on(trace, trace->record.cpu, new_tid);
	event.switched.old_pid = wk_etl_pid_of_thread(trace, event.switched.old_tid);
	wk_etl_set_thread(trace, new_tid, &event, &event.switched.sample);
	return wk_etl_emit_event(trace, &event);
}

bool wk_etl_emit_ready(struct wk_etl_trace *trace)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_READY);

	if (!wk_etl_read_ready(trace->record.payload, &event.ready))
		return wk_etl_skip_short(trace);
	event.ready.ready_pid = wk_etl_pid_of_thread(trace, event.ready.ready_tid);
	wk_etl_find_thread(trace, &event, &event.ready.sample);
	return wk_etl_emit_event(trace, &event);
}
