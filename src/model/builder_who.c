#include "base/buf.h"
#include "model/builder_internal.h"

/* The kernel writes this for a task that had already released its number when it was sampled. */
#define EXITING_PID UINT32_MAX

static wk_process_id process_row(struct wk_builder *builder, uint32_t pid)
{
	uint32_t *row = wk_map_at(&builder->process_of, pid);

	if (!*row)
		*row = wk_model_add_process(builder->model, &(struct wk_process){ .pid = pid });
	return *row;
}

/* A number may be used in several processes at once: in traces it counts from 1 in each. */
static uint64_t thread_key(wk_process_id process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

wk_thread_id wk_builder_thread_row(struct wk_builder *builder, uint32_t pid, uint32_t tid)
{
	wk_process_id process;
	uint32_t *row;

	if (pid == WK_NO_PID)
		return 0;
	process = process_row(builder, pid);
	row = wk_map_at(&builder->thread_of, thread_key(process, tid));
	if (!*row) {
		struct wk_thread thread = {
			.tid = tid,
			.process = process,
			.name = builder->model->processes[process].name,
		};

		*row = wk_model_add_thread(builder->model, &thread);
	}
	return *row;
}

struct wk_recent_thread *wk_builder_recent_thread(struct wk_builder *builder, uint32_t pid,
						  uint32_t tid)
{
	struct wk_recent_thread *recent = &builder->recent[tid % WK_RECENT_THREADS];

	if (recent->generation == builder->generation && recent->pid == pid && recent->tid == tid)
		return recent;
	recent->generation = builder->generation;
	recent->pid = pid;
	recent->tid = tid;
	recent->row = wk_builder_thread_row(builder, pid, tid);
	return recent;
}

static void name_process(struct wk_builder *builder, uint32_t pid, wk_text_id name)
{
	if (name) {
		wk_process_id process = process_row(builder, pid);
		wk_thread_id thread = wk_builder_thread_row(builder, pid, pid);

		builder->model->processes[process].name = name;
		builder->model->threads[thread].name = name;
	}
}

/* With the fields it inherits from its parent. A process that is only mentioned here is not added
 * to the recording. */
static wk_process_id add_process(struct wk_builder *builder, const struct wk_event *event)
{
	wk_process_id parent = wk_map_find(&builder->process_of, event->process.parent_pid);
	struct wk_process process = {
		.pid = event->pid, .parent = parent, .parent_pid = event->process.parent_pid,
		.start_ns = event->time_ns };
	wk_process_id id;

	if (event->process.change == WK_PROCESS_FORK && parent) {
		process.name = builder->model->processes[parent].name;
		process.command_line = builder->model->processes[parent].command_line;
	}
	id = wk_model_add_process(builder->model, &process);
	*wk_map_at(&builder->process_of, event->pid) = id;
	return id;
}

static void start_process(struct wk_builder *builder, const struct wk_event *event)
{
	wk_process_id process = add_process(builder, event);
	struct wk_thread thread = {
		.tid = event->pid,
		.process = process,
		.name = builder->model->processes[process].name,
		.start_ns = event->time_ns,
	};

	if (!event->process.threads_apart)
		*wk_map_at(&builder->thread_of, thread_key(process, event->pid)) =
			wk_model_add_thread(builder->model, &thread);
}

/* A program that the recorder starts was forked before the recording: its exec is the first that is
 * seen of it. */
static bool begins(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_process *change = &event->process;

	if (change->change == WK_PROCESS_EXEC)
		return event->time_ns && !wk_map_find(&builder->process_of, event->pid);
	return change->change == WK_PROCESS_START ||
	       (change->change == WK_PROCESS_FORK && change->parent_pid != event->pid);
}

static void set_text(struct wk_model *model, wk_text_id *field, struct wk_str text)
{
	if (text.len)
		*field = wk_model_text(model, text);
}

/* Updates the fields that are known now. */
static void describe_process(struct wk_model *model, struct wk_process *row,
			     const struct wk_event_process *change)
{
	if (change->change == WK_PROCESS_EXEC)
		row->command_line = 0;
	set_text(model, &row->name, change->name);
	set_text(model, &row->command_line, change->command_line);
	set_text(model, &row->user, change->user);
	set_text(model, &row->package, change->package);
	set_text(model, &row->services, change->services);
	row->traits |= change->traits;
	if (change->use.is_known)
		row->use = change->use;
	if (change->has_session) {
		row->has_session = true;
		row->session = change->session;
	}
	if (change->has_exit_code) {
		row->has_exit_code = true;
		row->exit_code = change->exit_code;
	}
}

static void end_process(struct wk_builder *builder, wk_process_id process,
			const struct wk_event *event)
{
	wk_thread_id first;

	builder->model->processes[process].end_ns = event->time_ns;
	if (event->process.threads_apart)
		return;
	first = wk_builder_thread_row(builder, event->pid, event->pid);
	builder->model->threads[first].end_ns = event->time_ns;
}

/* The previous owner of the number has no memory any more. */
static void end_memory(struct wk_builder *builder, const struct wk_event *event)
{
	wk_process_id process = wk_map_find(&builder->process_of, event->pid);
	enum wk_process_change change = event->process.change;

	if (!process ||
	    (change != WK_PROCESS_EXIT && change != WK_PROCESS_EXEC && !begins(builder, event)))
		return;
	wk_memory_lifetimes_end(&builder->memory, process, event->time_ns);
	if (change == WK_PROCESS_EXIT)
		wk_builder_add_last_snapshot(builder, process, event->time_ns);
	else
		wk_heap_moments_restart(&builder->moments, process);
	wk_heap_lifetimes_end(builder->heaps, process, event->time_ns,
			      change == WK_PROCESS_EXIT &&
				      builder->model->input_traits->leaves_blocks);
}

void wk_builder_add_process(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_process *change = &event->process;
	wk_process_id process;
	struct wk_process *row;

	end_memory(builder, event);
	if (begins(builder, event))
		start_process(builder, event);
	if (!change->threads_apart)
		name_process(builder, event->pid, wk_model_text(builder->model, change->name));
	process = process_row(builder, event->pid);
	row = &builder->model->processes[process];
	if (change->use.is_known)
		wk_model_add_use(builder->model, &(struct wk_use_row){ event->time_ns, process,
								       change->use });
	if (change->change == WK_PROCESS_SEEN && change->parent_pid) {
		row->parent_pid = change->parent_pid;
		row->parent = 0; /* which may be emitted only later */
	}
	describe_process(builder->model, row, change);
	if (change->change == WK_PROCESS_EXIT)
		end_process(builder, process, event);
}

void wk_builder_add_thread(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_model *model = builder->model;
	wk_text_id name = wk_model_text(model, event->thread.name);
	wk_thread_id id;

	if (event->thread.change == WK_THREAD_START) {
		wk_process_id process = process_row(builder, event->pid);
		wk_thread_id parent = wk_map_find(&builder->thread_of,
						  thread_key(process, event->thread.parent_tid));
		struct wk_thread thread = {
			.tid = event->tid,
			.process = process,
			.name = parent ? model->threads[parent].name
				       : model->processes[process].name,
			.start_ns = event->time_ns,
		};

		id = wk_model_add_thread(model, &thread);
		*wk_map_at(&builder->thread_of, thread_key(process, event->tid)) = id;
		wk_waits_begin(builder->waits, id, event->time_ns);
	}
	id = wk_builder_thread_row(builder, event->pid, event->tid);
	if (name)
		model->threads[id].name = name;
	if (name && event->tid == event->pid)
		name_process(builder, event->pid, name);
	if (event->thread.change == WK_THREAD_EXIT)
		model->threads[id].end_ns = event->time_ns;
}

/* A parent may be emitted after its child: the first process of that number, if it existed when the
 * child started. */
static wk_process_id parent_row(const struct wk_model *model, const struct wk_map *first_of,
				wk_process_id child)
{
	const struct wk_process *row = &model->processes[child];
	wk_process_id parent = wk_map_find(first_of, row->parent_pid);

	if (parent == child || row->pid == WK_UNKNOWN_PID ||
	    (row->parent_pid == 0 && !model->traits->has_parent_zero) ||
	    model->processes[parent].start_ns > row->start_ns)
		return 0;
	return parent;
}

void wk_builder_find_parents(struct wk_builder *builder)
{
	struct wk_model *model = builder->model;
	struct wk_map first_of = { 0 };

	for (wk_process_id i = model->process_count; i-- > builder->first_process;)
		wk_map_set(&first_of, model->processes[i].pid, i);
	for (wk_process_id i = builder->first_process; i < model->process_count; i++)
		if (!model->processes[i].parent)
			model->processes[i].parent = parent_row(model, &first_of, i);
	wk_map_fini(&first_of);
}

/* An empty name is one that never came: the number is better than nothing. */
static void name_by_number(const struct wk_model *model, uint32_t pid, struct wk_buf *name)
{
	const struct wk_fixed_pid *fixed = model->traits->fixed_pids;

	while (fixed->name && fixed->pid != pid)
		fixed++;
	if (fixed->name)
		wk_buf_add_text(name, fixed->name);
	else if (pid == EXITING_PID)
		wk_buf_add_text(name, "[exiting]");
	else if (pid == WK_UNKNOWN_PID)
		wk_buf_add_text(name, "[unknown]");
	else
		wk_buf_add_fmt(name, "[pid %u]", pid);
}

void wk_builder_name_all(struct wk_model *model)
{
	struct wk_buf name = { 0 };

	for (uint32_t i = 1; i < model->process_count; i++) {
		if (model->processes[i].name)
			continue;
		wk_buf_reset(&name);
		name_by_number(model, model->processes[i].pid, &name);
		model->processes[i].name = wk_model_text(model, wk_buf_str(&name));
	}
	wk_buf_fini(&name);
	for (uint32_t i = 1; i < model->thread_count; i++)
		if (!model->threads[i].name)
			model->threads[i].name = model->processes[model->threads[i].process].name;
}
