/* Parts to events. Numbers of a part mean nothing outside of it: frames, chains, tasks and events
 * are told when the first sample that needs them is, and their numbers kept beside them. */
#include "formats/perf_script/internal.h"

#include "base/mem.h"

void wk_script_emitter_init(struct wk_script_emitter *teller, struct wk_stack_writer *writer,
			    const struct wk_collapse *collapse)
{
	*teller = (struct wk_script_emitter){ .writer = writer, .collapse = collapse };
	teller->names = wk_strtab_new();
	teller->sources = wk_strtab_new();
	if (!collapse || !collapse->event)
		return;
	teller->only_event = wk_str_c(collapse->event);
	teller->has_only_event = true;
	teller->told_filtering = true;
}

void wk_script_emitter_fini(struct wk_script_emitter *teller)
{
	wk_strtab_free(teller->names);
	wk_strtab_free(teller->sources);
	wk_map_fini(&teller->name_of_thread);
	wk_map_fini(&teller->knows_process);
	wk_map_fini(&teller->stacks);
	wk_free(teller->path);
}

static uint32_t frame_number(struct wk_script_emitter *teller, struct wk_script_part *part,
			     uint32_t frame)
{
	if (!part->number_of_frame[frame])
		part->number_of_frame[frame] =
			wk_stack_writer_frame(teller->writer, &part->frames[frame]);
	return part->number_of_frame[frame];
}

/* Room for the numbers of all that the part has found so far. */
static uint32_t *make_room(uint32_t *numbers, size_t *cap, uint32_t count)
{
	size_t old = *cap;

	numbers = wk_grow(numbers, cap, count, sizeof(*numbers));
	memset(numbers + old, 0, (*cap - old) * sizeof(*numbers));
	return numbers;
}

static void push_path(struct wk_script_emitter *teller, size_t at, uint32_t chain)
{
	WK_RESERVE(teller->path, teller->path_cap, at + 1);
	teller->path[at] = chain;
}

/* The number of a chain that begins with nothing in front of it. */
static uint32_t plain_stack(struct wk_script_emitter *teller, struct wk_script_part *part,
			    uint32_t chain)
{
	size_t depth = 0;
	uint32_t stack;

	for (; chain && !part->stack_of_chain[chain]; chain = part->chains.parent[chain])
		push_path(teller, depth++, chain);
	stack = chain ? part->stack_of_chain[chain] : 0;
	while (depth) {
		chain = teller->path[--depth];
		stack = wk_stack_writer_stack(
			teller->writer, stack,
			frame_number(teller, part, part->chains.label[chain]));
		part->stack_of_chain[chain] = stack;
	}
	return stack;
}

/* The same with a frame below it, unless an option cut the callers off. */
static uint32_t stack_on(struct wk_script_emitter *teller, struct wk_script_part *part,
			 uint32_t root, uint32_t chain)
{
	uint32_t *known = wk_map_at(&teller->stacks, (uint64_t)root << 32 | chain);
	uint32_t stack;
	size_t depth = 0;

	if (*known)
		return *known;
	stack = root ? wk_stack_writer_stack(teller->writer, 0, root) : 0;
	for (; chain; chain = part->chains.parent[chain]) {
		if (part->chains.label[chain] == 0)
			stack = 0;
		else
			push_path(teller, depth++, part->chains.label[chain]);
	}
	while (depth)
		stack = wk_stack_writer_stack(teller->writer, stack,
					      frame_number(teller, part, teller->path[--depth]));
	*known = stack;
	return stack;
}

/* What a number of an event counts: what its name says, with or without a PMU around it and
 * modifiers behind it ("cpu_core/cycles/u", "cpu-clock:pppH"). */
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

static void emit_source(struct wk_script_emitter *teller, struct wk_str name, uint32_t number,
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

	wk_stack_writer_emit_source(teller->writer, &source);
}

/* Source 0 is of what has no name, so that the others are what their names' numbers are. */
static uint32_t source_of(struct wk_script_emitter *teller, struct wk_script_part *part,
			  const struct wk_script_group *group)
{
	struct wk_str name = { 0 };
	bool is_new;
	uint32_t number;

	if (group->event && part->events[group->event].told)
		return part->events[group->event].told - 1;
	if (group->event)
		name = wk_strtab_str(part->event_names, group->event - 1);
	is_new = name.len ? !wk_strtab_find(teller->sources, name) : !teller->told_unnamed;
	number = wk_strtab_add_str(teller->sources, name);
	teller->told_unnamed |= name.len == 0;
	if (is_new)
		emit_source(teller, name, number, group->has_period);
	if (group->event)
		part->events[group->event].told = number + 1;
	return number;
}

/* A thread that is met for the first time, or under another name. */
static void emit_thread(struct wk_script_emitter *teller, const struct wk_script_task *task,
			uint64_t time_ns, bool is_new)
{
	uint32_t *knows = wk_map_at(&teller->knows_process, task->pid);
	struct wk_event event = {
		.time_ns = time_ns, .pid = task->pid, .tid = task->pid, .cpu = WK_NO_CPU };

	if (!*knows) {
		*knows = 1;
		event.kind = WK_EVENT_PROCESS;
		event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
							   .name = task->name };
		wk_stack_writer_event(teller->writer, &event);
		if (task->tid == task->pid)
			return;
	}
	event.kind = WK_EVENT_THREAD;
	event.tid = task->tid;
	event.thread = (struct wk_event_thread){
		.change = is_new ? WK_THREAD_SEEN : WK_THREAD_NAME, .name = task->name };
	wk_stack_writer_event(teller->writer, &event);
}

static void name_thread(struct wk_script_emitter *teller, struct wk_script_task *task,
			uint64_t time_ns)
{
	uint32_t *name;

	if (!task->told)
		task->told = wk_strtab_add_str(teller->names, task->name) + 1;
	name = wk_map_at(&teller->name_of_thread, (uint64_t)task->pid << 32 | task->tid);
	if (*name == task->told)
		return;
	emit_thread(teller, task, time_ns, *name == 0);
	*name = task->told;
}

/* Who is behind a row; a thread is told, if need be, by the name it has in that. */
static struct wk_event_whose whose(struct wk_script_emitter *teller, struct wk_script_part *part,
				   const struct wk_script_group *group, uint64_t time_ns)
{
	struct wk_event_whose whose = { .pid = WK_NO_PID, .tid = WK_NO_PID };
	struct wk_script_task *task = &part->tasks[group->task];

	whose.source = source_of(teller, part, group);
	if (!task->has_pid)
		return whose;
	if (group->task != teller->last_task)
		name_thread(teller, task, time_ns);
	teller->last_task = group->task;
	whose.pid = task->pid;
	whose.tid = task->tid;
	return whose;
}

/* Where a first line names a command and nothing else, it becomes the outermost frame. */
static uint32_t stack_of_row(struct wk_script_emitter *teller, struct wk_script_part *part,
			     const struct wk_event_sum *row)
{
	uint32_t task = part->groups[row->whose].task, root = 0;

	if (part->tasks[task].has_pid)
		return plain_stack(teller, part, row->stack);
	if (task)
		root = wk_stack_writer_name(teller->writer, part->tasks[task].name);
	return stack_on(teller, part, root, row->stack);
}

static void emit_sample(struct wk_script_emitter *teller, struct wk_script_part *part,
			const struct wk_event_sum *row)
{
	struct wk_event_whose of = whose(teller, part, &part->groups[row->whose], row->time_ns);
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .time_ns = row->time_ns,
				  .pid = of.pid, .tid = of.tid, .cpu = row->cpu };

	event.sample.source = of.source;
	event.sample.weight = row->weight;
	event.sample.named_stack = stack_of_row(teller, part, row);
	wk_stack_writer_event(teller->writer, &event);
}

static void emit_filtering(struct wk_script_emitter *teller)
{
	struct wk_buf text = { 0 };

	teller->told_filtering = true;
	wk_buf_add_text(&text, "Filtering for events of type: ");
	wk_buf_add_str(&text, teller->only_event);
	wk_stack_writer_note(teller->writer, wk_buf_str(&text));
	wk_buf_fini(&text);
}

/* The older tools take the samples of one event: the first where none is named. */
static bool is_wanted(struct wk_script_emitter *teller, const struct wk_script_part *part,
		      uint32_t event)
{
	struct wk_str name;

	if (!event)
		return true;
	name = wk_strtab_str(part->event_names, event - 1);
	if (!teller->has_only_event) {
		teller->only_event =
			wk_strtab_str(teller->sources, wk_strtab_add_str(teller->sources, name));
		teller->has_only_event = true;
	}
	if (wk_str_eq(name, teller->only_event))
		return true;
	if (!teller->told_filtering)
		emit_filtering(teller);
	return false;
}

/* The one tool counts samples without a stack under their command, the other drops them. */
static void emit_count(struct wk_script_emitter *teller, struct wk_script_part *part,
		       const struct wk_event_sum *row)
{
	const struct wk_script_group *group = &part->groups[row->whose];
	struct wk_script_task *task = &part->tasks[group->task];

	if (!is_wanted(teller, part, group->event) || !group->task)
		return;
	if (!row->stack && teller->collapse->dialect == WK_COLLAPSE_INFERNO)
		return;
	if (!task->told)
		task->told = wk_stack_writer_name(teller->writer, task->name);
	wk_stack_writer_count(teller->writer, stack_on(teller, part, task->told, row->stack),
			      row->weight);
}

static int by_last(const void *left, const void *right)
{
	const struct wk_script_task *const *a = left, *const *b = right;

	return ((*a)->last > (*b)->last) - ((*a)->last < (*b)->last);
}

/* Threads are told by their first samples; what one is called at the end is what it was called
 * last. */
static void name_threads(struct wk_script_emitter *teller, struct wk_script_part *part)
{
	struct wk_script_task **tasks = wk_alloc(part->task_count * sizeof(*tasks));
	size_t count = 0;

	for (uint32_t i = 1; i < part->task_count; i++)
		if (part->tasks[i].has_pid && part->tasks[i].last)
			tasks[count++] = &part->tasks[i];
	qsort(tasks, count, sizeof(*tasks), by_last);
	for (size_t i = 0; i < count; i++)
		name_thread(teller, tasks[i], 0);
	wk_free(tasks);
}

/* All rows in one event. */
static void emit_sums(struct wk_script_emitter *teller, struct wk_script_part *part)
{
	struct wk_event_whose *of = wk_alloc(part->group_count * sizeof(*of));
	struct wk_event event = { .kind = WK_EVENT_SUMS, .cpu = WK_NO_CPU };

	for (uint32_t i = 0; i < part->group_count; i++)
		of[i] = whose(teller, part, &part->groups[i], part->groups[i].time_ns);
	wk_stack_writer_expect(teller->writer, part->chains.count);
	for (size_t i = 0; i < part->row_count; i++)
		part->rows[i].stack = stack_of_row(teller, part, &part->rows[i]);
	event.sums = (struct wk_event_sums){
		.at = part->rows, .count = part->row_count,
		.whose = of, .whose_count = part->group_count };
	if (part->row_count)
		wk_stack_writer_event(teller->writer, &event);
	name_threads(teller, part);
	wk_free(of);
}

static void begin_part(struct wk_script_emitter *teller, struct wk_script_part *part)
{
	if (teller->part == part)
		return;
	teller->part = part;
	teller->last_task = 0;
	wk_map_fini(&teller->stacks);
}

void wk_script_emit(struct wk_script_emitter *teller, struct wk_script_part *part)
{
	begin_part(teller, part);
	part->number_of_frame =
		make_room(part->number_of_frame, &part->number_of_frame_cap, part->frame_count);
	part->stack_of_chain =
		make_room(part->stack_of_chain, &part->stack_of_chain_cap, part->chains.count);
	if (part->sums && !teller->collapse) {
		emit_sums(teller, part);
	} else {
		for (size_t i = 0; i < part->row_count; i++)
			if (teller->collapse)
				emit_count(teller, part, &part->rows[i]);
			else
				emit_sample(teller, part, &part->rows[i]);
	}
	part->row_count = 0;
}
