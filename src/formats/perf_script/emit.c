/* Parts to events. Numbers of a part are valid only in that part: its frames, chains, tasks and
 * events are emitted before the first sample that uses them, and their new numbers are stored. */
#include "formats/perf_script/internal.h"

#include "base/mem.h"
#include "base/sort.h"

void wk_script_emitter_init(struct wk_script_emitter *emitter, struct wk_stack_writer *writer,
			    const struct wk_collapse *collapse)
{
	*emitter = (struct wk_script_emitter){ .writer = writer, .collapse = collapse };
	emitter->names = wk_strtab_new();
	emitter->sources = wk_strtab_new();
	if (!collapse || !collapse->event)
		return;
	emitter->only_event = wk_str_c(collapse->event);
	emitter->has_only_event = emitter->has_noted_filter = true;
}

void wk_script_emitter_fini(struct wk_script_emitter *emitter)
{
	wk_strtab_free(emitter->names);
	wk_strtab_free(emitter->sources);
	wk_map_fini(&emitter->name_of_thread);
	wk_map_fini(&emitter->knows_process);
	wk_map_fini(&emitter->stacks);
	wk_free(emitter->path);
}

static uint32_t frame_number(struct wk_script_emitter *emitter, struct wk_script_part *part,
			     uint32_t frame)
{
	if (!part->number_of_frame[frame])
		part->number_of_frame[frame] =
			wk_stack_writer_frame(emitter->writer, &part->frames[frame]);
	return part->number_of_frame[frame];
}

/* The stack of a chain without a root frame. */
static uint32_t plain_stack(struct wk_script_emitter *emitter, struct wk_script_part *part,
			    uint32_t chain)
{
	size_t depth = 0;
	uint32_t stack;

	for (; chain && !part->stack_of_chain[chain]; chain = part->chains.entries[chain].parent)
		*WK_APPEND(emitter->path, depth, emitter->path_cap) = chain;
	stack = chain ? part->stack_of_chain[chain] : 0;
	while (depth) {
		chain = emitter->path[--depth];
		stack = wk_stack_writer_stack(
			emitter->writer, stack,
			frame_number(emitter, part, part->chains.entries[chain].label));
		part->stack_of_chain[chain] = stack;
	}
	return stack;
}

/* The stack of a chain on a root frame, unless an option cut the callers off. */
static uint32_t stack_on(struct wk_script_emitter *emitter, struct wk_script_part *part,
			 uint32_t root, uint32_t chain)
{
	uint32_t *known = wk_map_at(&emitter->stacks, (uint64_t)root << 32 | chain);
	uint32_t stack;
	size_t depth = 0;

	if (*known)
		return *known;
	stack = root ? wk_stack_writer_stack(emitter->writer, 0, root) : 0;
	for (; chain; chain = part->chains.entries[chain].parent) {
		if (part->chains.entries[chain].label == 0)
			stack = 0;
		else
			*WK_APPEND(emitter->path, depth, emitter->path_cap) =
				part->chains.entries[chain].label;
	}
	while (depth)
		stack = wk_stack_writer_stack(emitter->writer, stack,
					      frame_number(emitter, part, emitter->path[--depth]));
	*known = stack;
	return stack;
}

/* The event without its PMU and modifiers ("cpu_core/cycles/u", "cpu-clock:pppH"). */
static struct wk_str bare_event(struct wk_str name)
{
	const char *slash = name.len ? memchr(name.at, '/', name.len) : NULL;

	if (slash)
		name = wk_str_skip(name, (size_t)(slash - name.at) + 1);
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == ':' || name.at[i] == '/' || name.at[i] == ',')
			name.len = i;
	return name;
}

static void emit_source(struct wk_script_emitter *emitter, struct wk_str name, uint32_t number,
			bool has_period)
{
	struct wk_str bare = bare_event(name);
	bool is_clock = wk_str_is(bare, "cpu-clock") || wk_str_is(bare, "task-clock");
	bool is_cycles = wk_str_is(bare, "cycles") || wk_str_is(bare, "cpu-cycles") ||
			 wk_str_is(bare, "ref-cycles");
	struct wk_event_source source = {
		.source = number,
		.name = name.len ? name : wk_str_c("samples"),
		.unit = wk_str_c(!has_period ? "samples" : is_clock ? "ns"
				 : is_cycles ? "cycles" : "events"),
		.is_cpu_time = is_clock || is_cycles,
	};

	wk_stack_writer_emit_source(emitter->writer, &source);
}

/* Source 0 is the unnamed one; the others have the numbers of their names. */
static uint32_t source_of(struct wk_script_emitter *emitter, struct wk_script_part *part,
			  const struct wk_script_group *group)
{
	struct wk_str name = { 0 };
	bool is_new;
	uint32_t number;

	if (group->event && part->source_of_event[group->event])
		return part->source_of_event[group->event] - 1;
	if (group->event)
		name = wk_strtab_str(part->event_names, group->event - 1);
	is_new = name.len ? !wk_strtab_find(emitter->sources, name) : !emitter->has_unnamed;
	number = wk_strtab_add_str(emitter->sources, name);
	emitter->has_unnamed |= name.len == 0;
	if (is_new)
		emit_source(emitter, name, number, group->has_period);
	if (group->event)
		part->source_of_event[group->event] = number + 1;
	return number;
}

/* A thread that is new or has another name. */
static void emit_thread(struct wk_script_emitter *emitter, const struct wk_script_task *task,
			uint64_t time_ns, bool is_new)
{
	uint32_t *knows = wk_map_at(&emitter->knows_process, task->pid);
	struct wk_event event = {
		.time_ns = time_ns, .pid = task->pid, .tid = task->pid, .cpu = WK_NO_CPU };

	if (!*knows) {
		*knows = 1;
		event.kind = WK_EVENT_PROCESS;
		event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
							   .name = task->name };
		wk_stack_writer_event(emitter->writer, &event);
		if (task->tid == task->pid)
			return;
	}
	event.kind = WK_EVENT_THREAD;
	event.tid = task->tid;
	event.thread = (struct wk_event_thread){
		.change = is_new ? WK_THREAD_SEEN : WK_THREAD_NAME, .name = task->name };
	wk_stack_writer_event(emitter->writer, &event);
}

static void name_thread(struct wk_script_emitter *emitter, struct wk_script_task *task,
			uint64_t time_ns)
{
	uint32_t *name = wk_map_at(&emitter->name_of_thread, (uint64_t)task->pid << 32 | task->tid);

	if (!task->emitted)
		task->emitted = wk_strtab_add_str(emitter->names, task->name) + 1;
	if (*name == task->emitted)
		return;
	emit_thread(emitter, task, time_ns, *name == 0);
	*name = task->emitted;
}

/* The process, thread and source of a group's samples, emitted first if they are new. */
static struct wk_event_whose whose(struct wk_script_emitter *emitter, struct wk_script_part *part,
				   const struct wk_script_group *group, uint64_t time_ns)
{
	struct wk_event_whose whose = { .pid = WK_NO_PID, .tid = WK_NO_PID };
	struct wk_script_task *task = &part->tasks[group->task];

	whose.source = source_of(emitter, part, group);
	if (!task->has_pid)
		return whose;
	if (group->task != emitter->last_task)
		name_thread(emitter, task, time_ns);
	emitter->last_task = group->task;
	whose.pid = task->pid;
	whose.tid = task->tid;
	return whose;
}

/* If the first line contains only a command, it becomes the outermost frame. */
static uint32_t stack_of_row(struct wk_script_emitter *emitter, struct wk_script_part *part,
			     const struct wk_event_sum *row)
{
	uint32_t task = part->groups[row->whose].task, root = 0;

	if (part->tasks[task].has_pid)
		return plain_stack(emitter, part, row->stack);
	if (task)
		root = wk_stack_writer_name(emitter->writer, part->tasks[task].name);
	return stack_on(emitter, part, root, row->stack);
}

static void emit_sample(struct wk_script_emitter *emitter, struct wk_script_part *part,
			const struct wk_event_sum *row)
{
	struct wk_event_whose of = whose(emitter, part, &part->groups[row->whose], row->time_ns);
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = row->time_ns,
				  .pid = of.pid, .tid = of.tid, .cpu = row->cpu };

	event.sample.source = of.source;
	event.sample.weight = row->weight;
	event.sample.named_stack = stack_of_row(emitter, part, row);
	wk_stack_writer_event(emitter->writer, &event);
}

/* The older tools count one event: that of the option or else the first. */
static bool is_wanted(struct wk_script_emitter *emitter, const struct wk_script_part *part,
		      uint32_t event)
{
	struct wk_str name;

	if (!event)
		return true;
	name = wk_strtab_str(part->event_names, event - 1);
	if (!emitter->has_only_event) {
		emitter->only_event =
			wk_strtab_str(emitter->sources, wk_strtab_add_str(emitter->sources, name));
		emitter->has_only_event = true;
	}
	if (wk_str_eq(name, emitter->only_event))
		return true;
	if (!emitter->has_noted_filter)
		wk_note(emitter->writer, "Filtering for events of type: %.*s",
			WK_STR_ARG(emitter->only_event));
	emitter->has_noted_filter = true;
	return false;
}

/* stackcollapse-perf.pl counts samples without a stack under their command, inferno drops them. */
static void emit_count(struct wk_script_emitter *emitter, struct wk_script_part *part,
		       const struct wk_event_sum *row)
{
	const struct wk_script_group *group = &part->groups[row->whose];
	struct wk_script_task *task = &part->tasks[group->task];

	if (!is_wanted(emitter, part, group->event) || !group->task)
		return;
	if (!row->stack && emitter->collapse->dialect == WK_COLLAPSE_INFERNO)
		return;
	if (!task->emitted)
		task->emitted = wk_stack_writer_name(emitter->writer, task->name);
	wk_stack_writer_count(emitter->writer, stack_on(emitter, part, task->emitted, row->stack),
			      row->weight);
}

/* Threads were emitted with their first names; at the end each gets its last one. */
static void name_threads(struct wk_script_emitter *emitter, struct wk_script_part *part)
{
	struct wk_sort_key *tasks = wk_alloc(part->task_count * sizeof(*tasks));
	size_t count = 0;

	for (uint32_t i = 1; i < part->task_count; i++)
		if (part->tasks[i].has_pid && part->tasks[i].last)
			tasks[count++] = (struct wk_sort_key){ part->tasks[i].last, i };
	wk_sort_keys(tasks, count);
	for (size_t i = 0; i < count; i++)
		name_thread(emitter, &part->tasks[tasks[i].row], 0);
	wk_free(tasks);
}

/* All rows in one event. */
static void emit_sums(struct wk_script_emitter *emitter, struct wk_script_part *part)
{
	struct wk_event_whose *of = wk_alloc(part->group_count * sizeof(*of));
	struct wk_event event = { .kind = WK_EVENT_SUMS, .cpu = WK_NO_CPU };

	for (uint32_t i = 0; i < part->group_count; i++)
		of[i] = whose(emitter, part, &part->groups[i], part->groups[i].time_ns);
	wk_stack_writer_expect(emitter->writer, part->chains.count);
	for (size_t i = 0; i < part->row_count; i++)
		part->rows[i].stack = stack_of_row(emitter, part, &part->rows[i]);
	event.sums = (struct wk_event_sums){
		.at = part->rows, .count = part->row_count,
		.whose = of, .whose_count = part->group_count };
	if (part->row_count)
		wk_stack_writer_event(emitter->writer, &event);
	name_threads(emitter, part);
	wk_free(of);
}

static void begin_part(struct wk_script_emitter *emitter, struct wk_script_part *part)
{
	if (emitter->part == part)
		return;
	emitter->part = part;
	emitter->last_task = 0;
	wk_map_fini(&emitter->stacks);
}

void wk_script_emit(struct wk_script_emitter *emitter, struct wk_script_part *part)
{
	begin_part(emitter, part);
	WK_RESERVE_ZEROED(part->number_of_frame, part->number_of_frame_cap, part->frame_count);
	WK_RESERVE_ZEROED(part->stack_of_chain, part->stack_of_chain_cap, part->chains.count);
	WK_RESERVE_ZEROED(part->source_of_event, part->source_of_event_cap, part->event_count);
	if (part->sums && !emitter->collapse) {
		emit_sums(emitter, part);
	} else {
		for (size_t i = 0; i < part->row_count; i++)
			if (emitter->collapse)
				emit_count(emitter, part, &part->rows[i]);
			else
				emit_sample(emitter, part, &part->rows[i]);
	}
	part->row_count = 0;
}
