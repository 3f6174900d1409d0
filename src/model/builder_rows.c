#include "model/builder_internal.h"

/* Fields that all rows from events other than samples share. */
static struct wk_sample who_did(struct wk_builder *builder, const struct wk_event *event,
				const struct wk_event_sample *taken)
{
	struct wk_recent_thread *recent = wk_builder_recent_thread(builder, event->pid, event->tid);
	struct wk_sample who = { .time_ns = event->time_ns, .thread = recent->row,
				 .cpu = event->cpu, .is_before = taken->is_before };

	if (taken->named_stack)
		who.stack = wk_builder_stack_of_number(builder, taken->named_stack);
	else if (taken->user_count || taken->kernel_count || taken->address)
		who.stack = wk_builder_stack_of(builder, recent, taken);
	return who;
}

/* Memory belongs to its process, whichever thread requested it. */
void wk_builder_add_memory(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_memory *memory = &event->memory;
	struct wk_sample who = who_did(builder, event, &memory->sample);

	if (memory->owner_pid != event->pid)
		who.thread = wk_builder_thread_row(builder, memory->owner_pid, event->tid);
	wk_memory_lifetimes_add(&builder->memory, builder->model->threads[who.thread].process,
				memory, &who);
}

static void add_snapshot(struct wk_builder *builder, wk_process_id process,
			 enum wk_snapshot_cause cause, uint64_t time_ns)
{
	wk_heap_lifetimes_snapshot(builder->heaps, process);
	wk_model_add_snapshot(builder->model, &(struct wk_snapshot){ .time_ns = time_ns,
								     .process = process,
								     .cause = (uint8_t)cause });
}

void wk_builder_add_due_snapshots(struct wk_builder *builder, wk_process_id process,
				  uint64_t time_ns)
{
	struct wk_due_moments due;

	if (!wk_heap_moments_are_requested(&builder->moments))
		return;
	due = wk_heap_moments_add(&builder->moments, process,
				  wk_heap_lifetimes_left(builder->heaps, process));
	if (due.is_over)
		add_snapshot(builder, process, WK_SNAPSHOT_SIZE, time_ns);
	if (due.is_peak)
		add_snapshot(builder, process, WK_SNAPSHOT_PEAK, time_ns);
}

void wk_builder_add_heap(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_sample who = who_did(builder, event, &event->heap.sample);
	wk_process_id process = builder->model->threads[who.thread].process;

	wk_heap_lifetimes_add(builder->heaps, process, &event->heap, &who);
	wk_builder_add_due_snapshots(builder, process, event->time_ns);
}

void wk_builder_add_last_snapshot(struct wk_builder *builder, wk_process_id process,
				  uint64_t time_ns)
{
	if (builder->moments.request.at_exit && wk_heap_lifetimes_has(builder->heaps, process))
		add_snapshot(builder, process, WK_SNAPSHOT_EXIT, time_ns);
}

void wk_builder_add_heap_sum(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_sample who = who_did(builder, event, &event->heap_sum.sample);

	who.about = wk_heap_lifetimes_only_heap(builder->heaps,
						builder->model->threads[who.thread].process);
	wk_heap_sums_add(builder->heap_sums, &event->heap_sum, &who);
}

void wk_builder_add_snapshot(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_model *model = builder->model;
	wk_thread_id thread = event->pid == WK_NO_PID
				      ? 0
				      : wk_builder_thread_row(builder, event->pid, event->tid);

	wk_process_id process = model->threads[thread].process;

	wk_heap_lifetimes_snapshot(builder->heaps, process);
	wk_model_add_snapshot(builder->model, &(struct wk_snapshot){
		.time_ns = event->time_ns,
		.process = process,
		.label = wk_model_text(builder->model, event->snapshot.label),
		.cause = (uint8_t)event->snapshot.cause,
	});
}

static void add_derived(struct wk_builder *builder, enum wk_derived source, uint64_t weight,
			struct wk_sample *sample)
{
	if (weight == 0)
		return;
	sample->source = wk_model_derived_source(builder->model, source);
	sample->weight = wk_model_fit_weight(builder->model, weight);
	wk_model_put_sample(builder->model, sample);
}

/* The idle thread: one for each processor, all with number 0. */
static wk_thread_id thread_that_runs(struct wk_builder *builder, uint32_t pid, uint32_t tid)
{
	return tid ? wk_builder_thread_row(builder, pid, tid) : 0;
}

void wk_builder_add_switch(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_switch *switched = &event->switched;
	wk_thread_id old = thread_that_runs(builder, switched->old_pid, switched->old_tid);
	wk_thread_id now = thread_that_runs(builder, event->pid, event->tid);
	struct wk_subject why = { .what = wk_model_text(builder->model, switched->wait_reason),
				.mode = (uint8_t)switched->wait_mode,
				.could_run = !switched->old_waits };
	struct wk_waited waited = wk_waits_switch(builder->waits, old, &why, now, event->time_ns);
	struct wk_sample who;

	if (!waited.wait_ns && !waited.ready_ns)
		return;
	who = who_did(builder, event, &switched->sample);
	who.about = waited.about;
	add_derived(builder, WK_DERIVED_WAIT, waited.wait_ns, &who);
	add_derived(builder, WK_DERIVED_READY, waited.ready_ns, &who);
}

void wk_builder_add_ready(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_ready *ready = &event->ready;
	wk_thread_id thread = thread_that_runs(builder, ready->ready_pid, ready->ready_tid);
	struct wk_sample who = who_did(builder, event, &ready->sample);

	wk_waits_ready(builder->waits, thread, ready->is_interrupt ? 0 : who.thread,
		       event->time_ns);
	add_derived(builder, WK_DERIVED_READYING, 1, &who);
}

void wk_builder_add_mark(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_mark mark = {
		.time_ns = event->time_ns,
		.thread = wk_builder_thread_row(builder, event->pid, event->tid),
		.label = wk_model_text(builder->model, event->mark.label),
		.provider = wk_model_text(builder->model, event->mark.provider),
	};

	mark.process = builder->model->threads[mark.thread].process;
	wk_model_add_mark(builder->model, &mark);
}

void wk_builder_add_count(struct wk_builder *builder, const struct wk_event_count *count)
{
	struct wk_count row = {
		.provider = wk_model_text(builder->model, count->provider),
		.name = wk_model_text(builder->model, count->name),
		.count = count->count,
		.is_used = count->is_used,
	};

	wk_model_add_count(builder->model, &row);
}
