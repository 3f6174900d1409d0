#include "session/query/query_tables.h"

#include "base/map.h"
#include "base/mem.h"
#include "model/model.h"
#include "views/kind.h"

/* ---- values */

static void put_number(struct wk_sql_value *value, uint64_t number)
{
	value->kind = WK_SQL_INTEGER;
	value->integer = number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

/* 0 is none. */
static void put_id(struct wk_sql_value *value, uint32_t id)
{
	if (id)
		put_number(value, id);
}

static void put_str(struct wk_sql_value *value, struct wk_str text)
{
	value->kind = WK_SQL_TEXT;
	value->text = text;
}

static void put_text(struct wk_sql_value *value, const struct wk_model *model, wk_text_id text)
{
	if (text)
		put_str(value, wk_model_str(model, text));
}

static void put_moment(struct wk_sql_value *value, const struct wk_model *model, uint64_t time_ns)
{
	value->kind = WK_SQL_INTEGER;
	value->integer = (int64_t)(time_ns - wk_model_begin_ns(model));
}

/* That of a process or thread: 0 is before the recording, or not yet. */
static void put_moment_if_known(struct wk_sql_value *value, const struct wk_model *model,
				uint64_t time_ns)
{
	if (time_ns)
		put_moment(value, model, time_ns);
}

/* ---- samples */

static uint64_t count_samples(const void *context)
{
	return ((const struct wk_model *)context)->samples.count;
}

static void sample_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_samples *samples = &model->samples;
	uint32_t i = (uint32_t)row;

	(void)expanded;
	switch (column) {
	case 1:
		if (samples->time_ns)
			put_moment(value, model, samples->time_ns[i]);
		break;
	case 2:
		put_id(value, wk_sample_thread(samples, i));
		break;
	case 3:
		put_id(value, wk_model_named_of(model, samples->stack[i]));
		break;
	case 4:
		put_id(value, wk_sample_source(samples, i));
		break;
	case 5:
		put_number(value, samples->weight[i]);
		break;
	case 6:
		put_number(value, wk_model_sample_times(model, i));
		break;
	default:
		if (wk_sample_cpu(samples, i) != WK_NO_CPU)
			put_number(value, wk_sample_cpu(samples, i));
	}
}

static const struct wk_sql_column sample_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "time_ns", "when it was taken", WK_SQL_INTEGER },
	{ "thread", "threads.id", WK_SQL_INTEGER },
	{ "stack", "stacks.id of its innermost function", WK_SQL_INTEGER },
	{ "event", "events.id", WK_SQL_INTEGER },
	{ "weight", "in the unit of its event", WK_SQL_INTEGER },
	{ "count", "how many samples or blocks the row stands for", WK_SQL_INTEGER },
	{ "cpu", "the processor", WK_SQL_INTEGER },
	{ 0 },
};

/* ---- stacks */

static uint64_t count_stacks(const void *context)
{
	const struct wk_model *model = context;

	return model->named.count ? model->named.count - 1 : 0;
}

static void frame_cell(const struct wk_model *model, uint32_t frame, size_t column,
		       struct wk_sql_value *value)
{
	const struct wk_named_frames *frames = &model->named_frames;

	if (column == 0)
		put_id(value, frames->function[frame]);
	else if (column == 1)
		put_id(value, frames->line[frame]);
	else
		put_number(value, frames->is_inlined[frame]);
}

static void stack_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		       struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_trie_entry *entry = &model->named.entries[row + 1];

	(void)expanded;
	if (column == 1)
		put_id(value, entry->parent);
	else
		frame_cell(model, entry->label, column - 2, value);
}

static const struct wk_sql_column stack_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "parent", "stacks.id of its caller; NULL: it is the outermost", WK_SQL_INTEGER },
	{ "function", "functions.id", WK_SQL_INTEGER },
	{ "line", "of the source", WK_SQL_INTEGER },
	{ "is_inlined", "1: into its caller", WK_SQL_INTEGER },
	{ 0 },
};

/* The frames of one stack, the innermost first. */
struct chain {
	uint32_t *frames;  /* rows of named_frames */
	uint8_t *is_first; /* no caller is of the same function */
};

static void *expand_chain(const void *context, int64_t stack, uint64_t *count)
{
	const struct wk_model *model = context;
	struct chain *chain = wk_alloc_zeroed(1, sizeof(*chain));
	struct wk_map seen = { 0 };
	size_t cap = 0, length = 0;

	if (stack <= 0 || (uint64_t)stack >= model->named.count)
		stack = 0;
	for (uint32_t at = (uint32_t)stack; at; at = model->named.entries[at].parent)
		*WK_APPEND(chain->frames, length, cap) = model->named.entries[at].label;
	chain->is_first = wk_alloc_zeroed(length + 1, 1);
	for (size_t i = length; i-- > 0;) {
		wk_function_id function = model->named_frames.function[chain->frames[i]];
		uint32_t *times = wk_map_at(&seen, function);

		chain->is_first[i] = (*times)++ == 0;
	}
	wk_map_fini(&seen);
	*count = length;
	return chain;
}

static void release_chain(void *expanded)
{
	struct chain *chain = expanded;

	WK_FREE_ALL(chain->frames, chain->is_first, chain);
}

static void chain_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		       struct wk_sql_value *value)
{
	const struct chain *chain = expanded;

	if (column == 0)
		put_number(value, row);
	else if (column == 4)
		put_number(value, chain->is_first[row]);
	else
		frame_cell(context, chain->frames[row], column - 1, value);
}

static const struct wk_sql_column chain_columns[] = {
	{ "level", "0 is the innermost function, 1 its caller ...", WK_SQL_INTEGER },
	{ "function", "functions.id", WK_SQL_INTEGER },
	{ "line", "of the source", WK_SQL_INTEGER },
	{ "is_inlined", "1: into its caller", WK_SQL_INTEGER },
	{ "is_first", "0: a caller is the same function, so that it would count twice",
	  WK_SQL_INTEGER },
	{ 0 },
};

/* ---- code */

static uint64_t count_functions(const void *context)
{
	return ((const struct wk_model *)context)->function_count - 1;
}

static void function_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			  struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	wk_function_id id = (wk_function_id)row + 1;
	const struct wk_function *function = &model->functions[id];

	(void)expanded;
	if (column == 1)
		put_text(value, model, function->name);
	else if (column == 2)
		put_id(value, function->image);
	else if (column == 3)
		put_text(value, model, function->file);
	else
		put_str(value, wk_str_c(wk_code_kind_name(model, wk_code_kind_of(model, id))));
}

static const struct wk_sql_column function_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "name", "readable", WK_SQL_TEXT },
	{ "image", "images.id", WK_SQL_INTEGER },
	{ "file", "of its source", WK_SQL_TEXT },
	{ "kind", "of code: your program, standard library, kernel ...", WK_SQL_TEXT },
	{ 0 },
};

static uint64_t count_images(const void *context)
{
	return ((const struct wk_model *)context)->image_count - 1;
}

static void image_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		       struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_image *image = &model->images[row + 1];

	(void)expanded;
	if (column == 1)
		put_text(value, model, image->name);
	else if (column == 2)
		put_text(value, model, image->path);
	else
		put_text(value, model, image->reason);
}

static const struct wk_sql_column image_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "name", "the last part of its path", WK_SQL_TEXT },
	{ "path", "its path", WK_SQL_TEXT },
	{ "names_from", "where the names of its functions came from, or why there are none",
	  WK_SQL_TEXT },
	{ 0 },
};

/* ---- who ran */

static uint64_t count_threads(const void *context)
{
	return ((const struct wk_model *)context)->thread_count - 1;
}

static void thread_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_thread *thread = &model->threads[row + 1];

	(void)expanded;
	if (column == 1)
		put_number(value, thread->tid);
	else if (column == 2)
		put_text(value, model, thread->name);
	else if (column == 3)
		put_id(value, thread->process);
	else
		put_moment_if_known(value, model, column == 4 ? thread->start_ns : thread->end_ns);
}

static const struct wk_sql_column thread_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "tid", "the system's number", WK_SQL_INTEGER },
	{ "name", "its name", WK_SQL_TEXT },
	{ "process", "processes.id", WK_SQL_INTEGER },
	{ "start_ns", "NULL: before the recording", WK_SQL_INTEGER },
	{ "end_ns", "NULL: after the recording", WK_SQL_INTEGER },
	{ 0 },
};

static uint64_t count_processes(const void *context)
{
	return ((const struct wk_model *)context)->process_count - 1;
}

static void process_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			 struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_process *process = &model->processes[row + 1];

	(void)expanded;
	switch (column) {
	case 1:
		put_number(value, process->pid);
		break;
	case 2:
		put_text(value, model, process->name);
		break;
	case 3:
		put_id(value, process->parent);
		break;
	case 4:
		put_text(value, model, process->command_line);
		break;
	case 5:
		put_moment_if_known(value, model, process->start_ns);
		break;
	case 6:
		put_moment_if_known(value, model, process->end_ns);
		break;
	case 7:
		if (!process->has_exit_code)
			break;
		value->kind = WK_SQL_INTEGER;
		value->integer = process->exit_code;
		break;
	default:
		if (process->use.is_known)
			put_number(value, process->use.peak_working_set_bytes);
	}
}

static const struct wk_sql_column process_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "pid", "the system's number", WK_SQL_INTEGER },
	{ "name", "its name", WK_SQL_TEXT },
	{ "parent", "processes.id of the one that started it", WK_SQL_INTEGER },
	{ "command_line", "its arguments, joined by spaces", WK_SQL_TEXT },
	{ "start_ns", "NULL: before the recording", WK_SQL_INTEGER },
	{ "end_ns", "NULL: after the recording", WK_SQL_INTEGER },
	{ "exit_code", "NULL: unknown", WK_SQL_INTEGER },
	{ "peak_bytes", "the most that it had in memory", WK_SQL_INTEGER },
	{ 0 },
};

static uint64_t count_events(const void *context)
{
	return ((const struct wk_model *)context)->source_count - 1;
}

static void event_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		       struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_source *source = &model->sources[row + 1];

	(void)expanded;
	put_text(value, model, column == 1 ? source->name : source->unit);
}

static const struct wk_sql_column event_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "name", "as --by accepts it", WK_SQL_TEXT },
	{ "unit", "of weights", WK_SQL_TEXT },
	{ 0 },
};

/* ---- moments */

static uint64_t count_marks(const void *context)
{
	return ((const struct wk_model *)context)->mark_count;
}

static void mark_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		      struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_mark *mark = &model->marks[row];

	(void)expanded;
	if (column == 1)
		put_moment(value, model, mark->time_ns);
	else if (column == 2)
		put_id(value, mark->process);
	else if (column == 3)
		put_id(value, mark->thread);
	else
		put_text(value, model, mark->label);
}

static const struct wk_sql_column mark_columns[] = {
	{ "id", "the number of the row", WK_SQL_INTEGER },
	{ "time_ns", "when that was", WK_SQL_INTEGER },
	{ "process", "processes.id", WK_SQL_INTEGER },
	{ "thread", "threads.id", WK_SQL_INTEGER },
	{ "label", "its text", WK_SQL_TEXT },
	{ 0 },
};

static uint64_t count_counters(const void *context)
{
	return ((const struct wk_model *)context)->use_count;
}

static void counter_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			 struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_use_row *use = &model->uses[row];
	const uint64_t bytes[] = { use->use.working_set_bytes, use->use.peak_working_set_bytes,
				   use->use.anonymous_bytes,   use->use.file_bytes,
				   use->use.shared_bytes,      use->use.swap_bytes };

	(void)expanded;
	if (column == 0)
		put_moment(value, model, use->time_ns);
	else if (column == 1)
		put_id(value, use->process);
	else
		put_number(value, bytes[column - 2]);
}

static const struct wk_sql_column counter_columns[] = {
	{ "time_ns", "when that was", WK_SQL_INTEGER },
	{ "process", "processes.id", WK_SQL_INTEGER },
	{ "resident_bytes", "in memory then", WK_SQL_INTEGER },
	{ "peak_bytes", "the most until then", WK_SQL_INTEGER },
	{ "anonymous_bytes", "of those in memory, without a file", WK_SQL_INTEGER },
	{ "file_bytes", "of files", WK_SQL_INTEGER },
	{ "shared_bytes", "shared", WK_SQL_INTEGER },
	{ "swap_bytes", "swapped out", WK_SQL_INTEGER },
	{ 0 },
};

/* Ends of what samples of memory allocated. */
static uint64_t count_releases(const void *context)
{
	return ((const struct wk_model *)context)->end_count;
}

static void release_cell(const void *context, const void *expanded, uint64_t row, size_t column,
			 struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_end *end = &model->ends[row];

	(void)expanded;
	switch (column) {
	case 0:
		put_number(value, (uint64_t)end->sample + 1);
		break;
	case 1:
		put_moment(value, model, end->time_ns);
		break;
	case 2:
		put_number(value, end->weight);
		break;
	case 3:
		put_number(value, end->times);
		break;
	case 4:
		put_id(value, end->thread);
		break;
	default:
		put_number(value, end->is_left);
	}
}

static const struct wk_sql_column release_columns[] = {
	{ "sample", "samples.id that allocated it", WK_SQL_INTEGER },
	{ "time_ns", "when that was", WK_SQL_INTEGER },
	{ "weight", "bytes", WK_SQL_INTEGER },
	{ "count", "blocks", WK_SQL_INTEGER },
	{ "thread", "threads.id that released it", WK_SQL_INTEGER },
	{ "is_left", "1: nothing released it, its process ended", WK_SQL_INTEGER },
	{ 0 },
};

static uint64_t count_facts(const void *context)
{
	return ((const struct wk_model *)context)->fact_count;
}

static void fact_cell(const void *context, const void *expanded, uint64_t row, size_t column,
		      struct wk_sql_value *value)
{
	const struct wk_model *model = context;
	const struct wk_fact *fact = &model->facts[row];

	(void)expanded;
	put_text(value, model, column == 0 ? fact->key : fact->value);
}

static const struct wk_sql_column fact_columns[] = {
	{ "key", "as in `wick show system`", WK_SQL_TEXT },
	{ "value", "the same", WK_SQL_TEXT },
	{ 0 },
};

/* ---- all */

const struct wk_sql_table wk_query_tables[] = {
	{ .name = "samples",
	  .columns = sample_columns, .has_ids = true, .first_id = 1,
	  .count = count_samples, .cell = sample_cell },
	{ .name = "stacks",
	  .columns = stack_columns, .has_ids = true, .first_id = 1,
	  .count = count_stacks, .cell = stack_cell },
	{ .name = "chain",
	  .columns = chain_columns, .argument = "stack",
	  .expand = expand_chain, .release = release_chain, .cell = chain_cell },
	{ .name = "functions",
	  .columns = function_columns, .has_ids = true, .first_id = 1,
	  .count = count_functions, .cell = function_cell },
	{ .name = "images",
	  .columns = image_columns, .has_ids = true, .first_id = 1,
	  .count = count_images, .cell = image_cell },
	{ .name = "threads",
	  .columns = thread_columns, .has_ids = true, .first_id = 1,
	  .count = count_threads, .cell = thread_cell },
	{ .name = "processes",
	  .columns = process_columns, .has_ids = true, .first_id = 1,
	  .count = count_processes, .cell = process_cell },
	{ .name = "events",
	  .columns = event_columns, .has_ids = true, .first_id = 1,
	  .count = count_events, .cell = event_cell },
	{ .name = "releases",
	  .columns = release_columns, .count = count_releases, .cell = release_cell },
	{ .name = "counters",
	  .columns = counter_columns, .count = count_counters, .cell = counter_cell },
	{ .name = "marks",
	  .columns = mark_columns, .has_ids = true, .first_id = 1,
	  .count = count_marks, .cell = mark_cell },
	{ .name = "facts",
	  .columns = fact_columns, .count = count_facts, .cell = fact_cell },
	{ 0 },
};
