#include "model/builder.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "model/chain_memory.h"
#include "model/heap_lives.h"
#include "model/memory_lives.h"
#include "model/runtime_code.h"
#include "model/space.h"
#include "model/waits.h"

/* Remembers which frame an address was, as long as its process's mappings stay. */
#define FRAME_CACHE 4096

/* What the kernel writes for a task that had given its number back when it was sampled. */
#define EXITING_PID UINT32_MAX

/* Windows' own: what a processor does that has nothing to do, and the kernel's threads. */
#define WINDOWS_IDLE_PID   0
#define WINDOWS_SYSTEM_PID 4

struct cached_frame {
	uint64_t address, version;
	wk_frame_id frame;
};

/* Threads by the low bits of their number, so that those that take turns do not meet. */
#define RECENT_THREADS 64

struct recent_thread {
	uint64_t lives; /* as of the builder, when the row was found; 0: never */
	uint32_t pid, tid;
	wk_thread_id row;
	struct wk_chain_memory user, kernel;
};

struct wk_builder {
	struct wk_model *model;
	struct wk_spaces *spaces;
	struct wk_runtime_code *code;
	struct wk_map process_of; /* pid to the row of its present life */
	struct wk_map thread_of;  /* process row and tid to the row of its present life */
	struct wk_map source_of;  /* number + 1 to row */
	wk_image_id unknown, kernel;
	struct wk_map image_of_path;  /* of frames: path's text and whether of the kernel */
	wk_frame_id *frame_of_number; /* of FRAME events; [frame_numbers] */
	size_t frame_numbers_cap;
	uint32_t frame_numbers;
	wk_stack_id *stack_of_number; /* of STACKS events; NULL while numbers are ids */
	size_t stack_numbers_cap;
	uint32_t stack_numbers;
	uint32_t inputs;
	wk_process_id first_process; /* of the input at hand */
	bool may_count_anew;      /* the input at hand has told no frame yet */
	bool sums_samples;
	struct wk_memory_lives memory;
	struct wk_heap_lives *heaps;
	struct wk_waits *waits;
	wk_source_id wait, ready, readying; /* made for rows of switches; 0: not yet */
	uint64_t lives; /* counts what may give a pid and tid another row */
	struct recent_thread recent[RECENT_THREADS];
	struct cached_frame cache[FRAME_CACHE];
};

/* Of frames and stacks: they begin again at 1. */
static void forget_numbers(struct wk_builder *builder)
{
	free(builder->stack_of_number);
	builder->stack_of_number = NULL;
	builder->stack_numbers_cap = 0;
	builder->stack_numbers = 1;
	builder->frame_of_number = wk_grow(builder->frame_of_number, &builder->frame_numbers_cap,
					   1, sizeof(*builder->frame_of_number));
	builder->frame_of_number[0] = 0;
	builder->frame_numbers = 1;
}

struct wk_builder *wk_builder_new(struct wk_model *model)
{
	struct wk_builder *builder = wk_alloc_zeroed(1, sizeof(*builder));
	builder->model = model;
	builder->heaps = wk_heap_lives_new(model);
	builder->waits = wk_waits_new(model);
	forget_numbers(builder);
	wk_builder_next_input(builder);
	return builder;
}

void wk_builder_free(struct wk_builder *builder)
{
	if (!builder)
		return;
	wk_spaces_free(builder->spaces);
	wk_runtime_code_free(builder->code);
	wk_memory_lives_fini(&builder->memory);
	wk_heap_lives_free(builder->heaps);
	wk_waits_free(builder->waits);
	wk_map_fini(&builder->process_of);
	wk_map_fini(&builder->thread_of);
	wk_map_fini(&builder->source_of);
	wk_map_fini(&builder->image_of_path);
	free(builder->frame_of_number);
	free(builder->stack_of_number);
	for (size_t i = 0; i < RECENT_THREADS; i++) {
		wk_chain_memory_fini(&builder->recent[i].user);
		wk_chain_memory_fini(&builder->recent[i].kernel);
	}
	free(builder);
}

enum wk_image_kind wk_image_kind_of(const struct wk_event_image *image)
{
	if (image->is_kernel)
		return WK_IMAGE_KERNEL;
	if (wk_str_starts(image->path, "[vdso"))
		return WK_IMAGE_VDSO;
	if (image->path.len == 0 || wk_str_starts(image->path, "//anon") ||
	    wk_str_starts(image->path, "[") || wk_str_starts(image->path, "anon_inode:") ||
	    wk_str_starts(image->path, "/dev/zero") || wk_str_starts(image->path, "/memfd:") ||
	    wk_str_starts(image->path, "/SYSV"))
		return WK_IMAGE_ANONYMOUS;
	return WK_IMAGE_FILE;
}

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

static wk_thread_id thread_row(struct wk_builder *builder, uint32_t pid, uint32_t tid)
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

static void name_process(struct wk_builder *builder, uint32_t pid, wk_text_id name)
{
	if (name) {
		wk_process_id process = process_row(builder, pid);
		wk_thread_id thread = thread_row(builder, pid, pid);

		builder->model->processes[process].name = name;
		builder->model->threads[thread].name = name;
	}
}

/* With what it has of its parent. One that is only named here is no process of the recording. */
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

static bool begins(const struct wk_event *event)
{
	const struct wk_event_process *change = &event->process;

	return change->change == WK_PROCESS_START ||
	       (change->change == WK_PROCESS_FORK && change->parent_pid != event->pid);
}

static void keep_text(struct wk_model *model, wk_text_id *kept, struct wk_str text)
{
	if (text.len)
		*kept = wk_model_text(model, text);
}

/* What is known of it now, over what was known before. */
static void describe_process(struct wk_model *model, struct wk_process *row,
			     const struct wk_event_process *change)
{
	if (change->change == WK_PROCESS_EXEC)
		row->command_line = 0;
	keep_text(model, &row->name, change->name);
	keep_text(model, &row->command_line, change->command_line);
	keep_text(model, &row->user, change->user);
	keep_text(model, &row->package, change->package);
	keep_text(model, &row->services, change->services);
	row->traits |= change->traits;
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
	builder->model->processes[process].end_ns = event->time_ns;
	if (!event->process.threads_apart)
		builder->model->threads[thread_row(builder, event->pid, event->pid)].end_ns =
			event->time_ns;
}

/* Whoever had the number until now has no memory any more. */
static void end_memory(struct wk_builder *builder, const struct wk_event *event)
{
	wk_process_id process = wk_map_find(&builder->process_of, event->pid);
	enum wk_process_change change = event->process.change;

	if (!process || (change != WK_PROCESS_EXIT && change != WK_PROCESS_EXEC && !begins(event)))
		return;
	wk_memory_lives_end(&builder->memory, builder->model, process, event->time_ns);
	wk_heap_lives_end(builder->heaps, process, event->time_ns);
}

static void take_process(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_process *change = &event->process;
	wk_process_id process;
	struct wk_process *row;

	end_memory(builder, event);
	if (begins(event))
		start_process(builder, event);
	if (!change->threads_apart)
		name_process(builder, event->pid, wk_model_text(builder->model, change->name));
	process = process_row(builder, event->pid);
	row = &builder->model->processes[process];
	if (change->change == WK_PROCESS_SEEN && change->parent_pid) {
		row->parent_pid = change->parent_pid;
		row->parent = 0; /* which may be told only later */
	}
	describe_process(builder->model, row, change);
	if (change->change == WK_PROCESS_EXIT)
		end_process(builder, process, event);
}

static void take_thread(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_model *model = builder->model;
	wk_text_id name = wk_model_text(model, event->thread.name);
	wk_thread_id id;

	if (event->thread.change == WK_THREAD_START) {
		wk_process_id process = process_row(builder, event->pid);
		wk_thread_id parent = wk_map_find(
			&builder->thread_of, thread_key(process, event->thread.parent_tid));
		struct wk_thread thread = {
			.tid = event->tid,
			.process = process,
			.name = parent ? model->threads[parent].name
				       : model->processes[process].name,
			.start_ns = event->time_ns,
		};

		*wk_map_at(&builder->thread_of, thread_key(process, event->tid)) =
			wk_model_add_thread(model, &thread);
	}
	id = thread_row(builder, event->pid, event->tid);
	if (name)
		model->threads[id].name = name;
	if (name && event->tid == event->pid)
		name_process(builder, event->pid, name);
	if (event->thread.change == WK_THREAD_EXIT)
		model->threads[id].end_ns = event->time_ns;
}

static void take_image(struct wk_builder *builder, const struct wk_event *event)
{
	wk_image_id image = 0;

	if (!event->image.is_gone)
		image = wk_model_add_image(builder->model, wk_image_kind_of(&event->image),
					   &event->image, event->pid, event->time_ns);

	if (event->image.is_kernel && !builder->kernel)
		builder->kernel = image;
	wk_spaces_take(builder->spaces, event, image);
}

/* What kernel code lies in that no module has: Linux' is in one that need not be told, Windows'
 * kernel is a file like its drivers. */
static wk_image_id kernel_image(struct wk_builder *builder)
{
	static const struct wk_event_image linux = {
		.path = WK_STR("[kernel.kallsyms]"), .is_kernel = true };
	static const struct wk_event_image windows = { .path = WK_STR("[unknown kernel]") };
	bool is_windows = builder->model->is_windows;

	if (!builder->kernel)
		builder->kernel = wk_model_add_image(
			builder->model, is_windows ? WK_IMAGE_UNKNOWN : WK_IMAGE_KERNEL,
			is_windows ? &windows : &linux, WK_KERNEL_PID, 0);
	return builder->kernel;
}

static wk_image_id unknown_image(struct wk_builder *builder)
{
	struct wk_event_image image = { .path = WK_STR("[unknown]") };

	if (!builder->unknown)
		builder->unknown =
			wk_model_add_image(builder->model, WK_IMAGE_UNKNOWN, &image, 0, 0);
	return builder->unknown;
}

/* Code that no file holds may have been named by whoever made it. */
static wk_frame_id frame_made_at_run_time(struct wk_builder *builder, uint32_t pid,
					  uint64_t address, const struct wk_mapping *mapping)
{
	wk_image_id kernel = 0;

	if (pid == WK_KERNEL_PID)
		kernel = mapping ? mapping->image : kernel_image(builder);
	return wk_runtime_code_frame(builder->code, pid, address, kernel);
}

/* Memory that is mapped by a name lies elsewhere in each process, as files do. */
static bool has_offsets(const struct wk_model *model, const struct wk_image *image)
{
	struct wk_str path = wk_model_str(model, image->path);

	return image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO ||
	       wk_str_starts(path, "/memfd:") || wk_str_starts(path, "/SYSV");
}

/* A place is named by its offset in what is mapped there, or else by its address. */
static uint64_t frame_address(const struct wk_model *model, const struct wk_mapping *mapping,
			      uint64_t address)
{
	if (!has_offsets(model, &model->images[mapping->image]))
		return address;
	return address - mapping->start + mapping->file_offset;
}

static wk_frame_id new_frame(struct wk_builder *builder, uint32_t pid, uint64_t address)
{
	const struct wk_mapping *mapping = wk_spaces_find(builder->spaces, pid, address);
	enum wk_image_kind kind = mapping ? builder->model->images[mapping->image].kind
					  : WK_IMAGE_UNKNOWN;
	wk_frame_id frame = 0;

	if (kind != WK_IMAGE_FILE && kind != WK_IMAGE_VDSO)
		frame = frame_made_at_run_time(builder, pid, address, mapping);
	if (frame)
		return frame;
	if (!mapping)
		return wk_model_add_frame(builder->model,
					  pid == WK_KERNEL_PID ? kernel_image(builder)
							       : unknown_image(builder),
					  address);
	return wk_model_add_frame(builder->model, mapping->image,
				  frame_address(builder->model, mapping, address));
}

static wk_frame_id frame_of(struct wk_builder *builder, uint32_t pid, uint64_t version,
			    uint64_t address)
{
	size_t slot = (size_t)(wk_hash_pair(address, version) % FRAME_CACHE);
	struct cached_frame *cached = &builder->cache[slot];

	if (cached->address != address || cached->version != version)
		*cached = (struct cached_frame){ address, version,
						 new_frame(builder, pid, address) };
	return cached->frame;
}

/* Adds one part of a chain on top of `stack`, outermost frame first. Return addresses point
 * behind their call, so all but the innermost are looked up one byte before. */
static wk_stack_id add_chain(struct wk_builder *builder, struct wk_chain_memory *memory,
			     wk_stack_id stack, uint32_t pid, const uint64_t *chain, size_t count,
			     bool is_exact)
{
	struct wk_chain_place place = { wk_spaces_version(builder->spaces, pid), stack, is_exact };
	size_t known = wk_chain_memory_begin(memory, &place, chain, count);

	if (known)
		stack = memory->stack[known - 1];
	for (size_t i = count - known; i-- > 0;) {
		uint64_t address = chain[i] - (i > 0 && !is_exact && chain[i] > 0);

		stack = wk_model_add_stack(builder->model, stack,
					   frame_of(builder, pid, place.version, address));
		wk_chain_memory_set(memory, count - 1 - i, chain[i], stack);
	}
	return stack;
}

static wk_text_id text_of_frame(struct wk_builder *builder, const struct wk_event_frame *frame,
				struct wk_str text)
{
	return frame->is_lasting ? wk_strtab_add_lasting(builder->model->text, text)
				 : wk_model_text(builder->model, text);
}

static wk_image_id image_of_frame(struct wk_builder *builder, const struct wk_event_frame *frame)
{
	struct wk_event_image image = {
		.path = frame->image, .is_kernel = frame->kind == WK_FRAME_KERNEL };
	uint64_t key;
	uint32_t *id;

	if (frame->image.len == 0)
		return 0;
	key = (uint64_t)text_of_frame(builder, frame, frame->image) << 1 | image.is_kernel;
	id = wk_map_at(&builder->image_of_path, key);
	if (!*id)
		*id = wk_model_add_image(builder->model, wk_image_kind_of(&image), &image, 0, 0);
	return *id;
}

/* Numbers count up without a gap; a giver that leaves one is at fault, not its input. */
static bool take_frame(struct wk_builder *builder, const struct wk_event_frame *frame,
		       struct wk_err *err)
{
	struct wk_model *model = builder->model;
	struct wk_given_frame given = {
		.address = frame->address, .line = frame->line, .is_inlined = frame->is_inlined };
	struct wk_function function = {
		.name = text_of_frame(builder, frame, frame->name),
		.image = image_of_frame(builder, frame),
		.file = text_of_frame(builder, frame, frame->file),
		.kind = (uint8_t)frame->kind,
		.is_unnamed = frame->is_unnamed,
	};

	if (frame->number == 1 && builder->may_count_anew)
		forget_numbers(builder);
	builder->may_count_anew = false;
	if (frame->number != builder->frame_numbers)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "frame %" PRIu32 " was told where %" PRIu32 " comes next",
			       frame->number, builder->frame_numbers);
	/* Row 0 of functions stands for none, so a frame without any name gets one. */
	if (!function.name)
		function.name = wk_model_text(model, wk_str_c("[unknown]"));
	given.function = wk_model_add_function(model, &function);
	builder->frame_of_number =
		wk_grow(builder->frame_of_number, &builder->frame_numbers_cap,
			(size_t)frame->number + 1, sizeof(*builder->frame_of_number));
	builder->frame_of_number[builder->frame_numbers++] =
		wk_model_add_given_frame(model, &given);
	return true;
}

/* The numbers of the first input that names its stacks are their ids, so it needs no look-up
 * and no table. */
static void keep_stack_numbers(struct wk_builder *builder)
{
	builder->stack_of_number =
		wk_grow(NULL, &builder->stack_numbers_cap, (size_t)builder->stack_numbers + 1,
			sizeof(*builder->stack_of_number));
	for (uint32_t i = 0; i < builder->stack_numbers; i++)
		builder->stack_of_number[i] = i;
}

static wk_stack_id stack_of_number(const struct wk_builder *builder, uint32_t number)
{
	if (number >= builder->stack_numbers)
		return 0;
	return builder->stack_of_number ? builder->stack_of_number[number] : number;
}

static bool take_stack(struct wk_builder *builder, uint32_t number, uint32_t parent,
		       uint32_t frame_number)
{
	wk_frame_id frame;
	wk_stack_id id;

	if (parent >= number || frame_number == 0 || frame_number >= builder->frame_numbers)
		return false;
	frame = builder->frame_of_number[frame_number];
	if (!builder->stack_of_number)
		keep_stack_numbers(builder);
	id = wk_model_add_stack(builder->model, stack_of_number(builder, parent), frame);
	builder->stack_of_number =
		wk_grow(builder->stack_of_number, &builder->stack_numbers_cap,
			(size_t)number + 1, sizeof(*builder->stack_of_number));
	builder->stack_of_number[builder->stack_numbers++] = id;
	return true;
}

/* For as long as numbers are ids: how many of `stacks` could be taken. */
static uint32_t append_stacks(struct wk_builder *builder, const struct wk_event_stacks *stacks)
{
	struct wk_trie *to = &builder->model->stacks;
	const wk_frame_id *frame_of = builder->frame_of_number;
	uint32_t frames = builder->frame_numbers, done = 0;

	if (builder->stack_of_number || stacks->first != to->count)
		return 0;
	for (; done < stacks->count; done++) {
		uint32_t parent = stacks->parents[done], frame = stacks->frames[done];

		if (parent >= to->count || frame == 0 || frame >= frames)
			break;
		wk_trie_append(to, parent, frame_of[frame]);
	}
	builder->stack_numbers += done;
	return done;
}

static bool take_stacks(struct wk_builder *builder, const struct wk_event_stacks *stacks,
			struct wk_err *err)
{
	bool ok = stacks->first == builder->stack_numbers;

	wk_trie_expect(&builder->model->stacks, stacks->expected);
	builder->model->samples.expected = stacks->expected_samples;
	for (uint32_t i = ok ? append_stacks(builder, stacks) : 0; i < stacks->count && ok; i++)
		ok = take_stack(builder, stacks->first + i, stacks->parents[i], stacks->frames[i]);
	if (!ok)
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			"a stack was told before what it is made of");
	return ok;
}

/* A parent may have been told after its child: the first of that number, if it was there when the
 * child came. */
static wk_process_id parent_row(const struct wk_model *model, const struct wk_map *first_of,
				wk_process_id child)
{
	const struct wk_process *row = &model->processes[child];
	wk_process_id parent = wk_map_find(first_of, row->parent_pid);

	if (parent == child || (row->parent_pid == 0 && !model->is_windows) ||
	    model->processes[parent].start_ns > row->start_ns)
		return 0;
	return parent;
}

static void find_parents(struct wk_builder *builder)
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

void wk_builder_sum_samples(struct wk_builder *builder)
{
	builder->sums_samples = true;
}

void wk_builder_next_input(struct wk_builder *builder)
{
	find_parents(builder);
	builder->first_process = builder->model->process_count;
	wk_waits_finish(builder->waits);
	builder->inputs++;
	builder->lives++;
	for (size_t i = 0; i < RECENT_THREADS; i++)
		builder->recent[i].user.count = builder->recent[i].kernel.count = 0;
	wk_strtab_forget_places(builder->model->text);
	builder->may_count_anew = true;
	wk_map_fini(&builder->source_of);
	wk_map_fini(&builder->process_of);
	wk_map_fini(&builder->thread_of);
	wk_spaces_free(builder->spaces);
	builder->spaces = wk_spaces_new();
	wk_runtime_code_free(builder->code);
	builder->code = wk_runtime_code_new(builder->model);
	memset(builder->cache, 0, sizeof(builder->cache));
}

static wk_stack_id stack_of_chains(struct wk_builder *builder, struct recent_thread *recent,
				   const struct wk_event_sample *taken)
{
	wk_stack_id stack = 0;

	if (taken->user_count)
		stack = add_chain(builder, &recent->user, 0, recent->pid, taken->user_chain,
				  taken->user_count, taken->user_is_exact);
	if (taken->kernel_count)
		stack = add_chain(builder, &recent->kernel, stack, WK_KERNEL_PID,
				  taken->kernel_chain, taken->kernel_count, false);
	if (taken->user_count == 0 && taken->kernel_count == 0)
		stack = add_chain(builder, taken->in_kernel ? &recent->kernel : &recent->user, 0,
				  taken->in_kernel ? WK_KERNEL_PID : recent->pid, &taken->address,
				  1, true);
	return stack;
}

/* The thread of a sample, found at once if it was seen lately. */
static struct recent_thread *recent_thread(struct wk_builder *builder, uint32_t pid, uint32_t tid)
{
	struct recent_thread *recent = &builder->recent[tid % RECENT_THREADS];

	if (recent->lives == builder->lives && recent->pid == pid && recent->tid == tid)
		return recent;
	recent->lives = builder->lives;
	recent->pid = pid;
	recent->tid = tid;
	recent->row = thread_row(builder, pid, tid);
	return recent;
}

static wk_source_id source_row(struct wk_builder *builder, uint32_t number)
{
	uint32_t *row = wk_map_at(&builder->source_of, (uint64_t)number + 1);

	if (!*row)
		*row = wk_model_add_source(builder->model, &(struct wk_source){ .number = number });
	return *row;
}

static void take_sample(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_sample *taken = &event->sample;
	struct recent_thread *recent = recent_thread(builder, event->pid, event->tid);
	struct wk_sample sample = {
		.time_ns = event->time_ns,
		.weight = wk_model_fit_weight(builder->model, taken->weight),
		.thread = recent->row,
		.source = source_row(builder, taken->source),
		.cpu = event->cpu,
		.is_before = taken->is_before,
	};

	/* A stack that came with names has no address of its own either. */
	if (taken->named_stack || event->pid == WK_NO_PID)
		sample.stack = stack_of_number(builder, taken->named_stack);
	else
		sample.stack = stack_of_chains(builder, recent, taken);
	if (builder->sums_samples && !taken->named_stack)
		wk_model_sum_sample(builder->model, &sample);
	else
		wk_model_add_sample(builder->model, &sample);
}

/* What rows have in common that are made of events which are no samples themselves. */
static struct wk_sample who_did(struct wk_builder *builder, const struct wk_event *event,
				const struct wk_event_sample *taken)
{
	struct recent_thread *recent = recent_thread(builder, event->pid, event->tid);
	struct wk_sample who = { .time_ns = event->time_ns, .thread = recent->row,
				 .cpu = event->cpu, .is_before = taken->is_before };

	if (taken->user_count || taken->kernel_count || taken->address)
		who.stack = stack_of_chains(builder, recent, taken);
	return who;
}

/* Memory is its owner's, whoever's thread asked for it. */
static void take_memory(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_memory *memory = &event->memory;
	struct wk_sample who = who_did(builder, event, &memory->sample);

	if (memory->owner_pid != event->pid)
		who.thread = thread_row(builder, memory->owner_pid, event->tid);
	wk_memory_lives_take(&builder->memory, builder->model,
			     builder->model->threads[who.thread].process, memory, &who);
}

static void take_heap(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_sample who = who_did(builder, event, &event->heap.sample);

	wk_heap_lives_take(builder->heaps, builder->model->threads[who.thread].process,
			   &event->heap, &who);
}

static void add_made(struct wk_builder *builder, wk_source_id *source, const char *name,
		     uint64_t weight, struct wk_sample *sample)
{
	if (weight == 0)
		return;
	if (!*source)
		*source = wk_model_made_source(builder->model, name,
					       source == &builder->readying ? "events" : "ns",
					       false);
	sample->source = *source;
	sample->weight = wk_model_fit_weight(builder->model, weight);
	if (builder->sums_samples)
		wk_model_sum_sample(builder->model, sample);
	else
		wk_model_add_sample(builder->model, sample);
}

/* What runs where nothing is to be done is a thread of each processor, all with number 0. */
static wk_thread_id thread_that_runs(struct wk_builder *builder, uint32_t pid, uint32_t tid)
{
	return tid ? thread_row(builder, pid, tid) : 0;
}

static void take_switch(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_switch *switched = &event->switched;
	wk_thread_id old = thread_that_runs(builder, switched->old_pid, switched->old_tid);
	wk_thread_id now = thread_that_runs(builder, event->pid, event->tid);
	struct wk_waited waited =
		wk_waits_switch(builder->waits, old, switched->old_waits, now, event->time_ns);
	struct wk_sample who;

	if (!waited.wait_ns && !waited.ready_ns)
		return;
	who = who_did(builder, event, &switched->sample);
	add_made(builder, &builder->wait, "wait", waited.wait_ns, &who);
	add_made(builder, &builder->ready, "ready", waited.ready_ns, &who);
}

static void take_ready(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_ready *ready = &event->ready;
	wk_thread_id thread = thread_that_runs(builder, ready->ready_pid, ready->ready_tid);
	struct wk_sample who = who_did(builder, event, &ready->sample);

	wk_waits_ready(builder->waits, thread, event->time_ns);
	add_made(builder, &builder->readying, "readying", 1, &who);
}

static void take_mark(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_mark mark = {
		.time_ns = event->time_ns,
		.thread = thread_row(builder, event->pid, event->tid),
		.label = wk_model_text(builder->model, event->mark.label),
		.provider = wk_model_text(builder->model, event->mark.provider),
	};

	mark.process = builder->model->threads[mark.thread].process;
	wk_model_add_mark(builder->model, &mark);
}

static void take_count(struct wk_builder *builder, const struct wk_event_count *count)
{
	struct wk_count row = {
		.provider = wk_model_text(builder->model, count->provider),
		.name = wk_model_text(builder->model, count->name),
		.count = count->count,
		.is_used = count->is_used,
	};

	wk_model_add_count(builder->model, &row);
}

/* A sum without a stack is one of samples at an address that nobody knows. */
static wk_stack_id stack_of_sum(struct wk_builder *builder, const struct wk_event_whose *whose,
				uint32_t number)
{
	if (number || whose->pid == WK_NO_PID)
		return stack_of_number(builder, number);
	return stack_of_chains(builder, recent_thread(builder, whose->pid, whose->tid),
			       &(struct wk_event_sample){ 0 });
}

static void take_sums(struct wk_builder *builder, const struct wk_event_sums *sums)
{
	struct wk_sample *whose = wk_alloc_zeroed(sums->whose_count, sizeof(*whose));

	for (size_t i = 0; i < sums->whose_count; i++)
		whose[i] = (struct wk_sample){
			.thread = thread_row(builder, sums->whose[i].pid, sums->whose[i].tid),
			.source = source_row(builder, sums->whose[i].source),
			.is_before = sums->is_before,
		};
	wk_model_expect_samples(builder->model, sums->count);
	for (size_t i = 0; i < sums->count; i++) {
		const struct wk_event_sum *sum = &sums->at[i];
		struct wk_sample sample = whose[sum->whose];

		sample.time_ns = sum->time_ns;
		sample.until_ns = sum->until_ns;
		sample.times = sum->times;
		sample.cpu = sum->cpu;
		sample.weight = wk_model_fit_weight(builder->model, sum->weight);
		sample.stack = stack_of_sum(builder, &sums->whose[sum->whose], sum->stack);
		if (sum->stack)
			wk_model_add_sample(builder->model, &sample);
		else
			wk_model_sum_sample(builder->model, &sample);
	}
	free(whose);
}

/* Another input may have measured the same. */
static wk_source_id same_source(const struct wk_model *model, const struct wk_source *row)
{
	for (wk_source_id id = 1; id < model->source_count; id++)
		if (model->sources[id].name == row->name && model->sources[id].unit == row->unit &&
		    row->name)
			return id;
	return 0;
}

static enum wk_stacks_by stacks_by(const struct wk_event_source *source)
{
	if (!source->is_perf)
		return WK_STACKS_UNTOLD;
	if (source->details & (WK_DETAIL_USER_REGISTERS | WK_DETAIL_BRANCHES))
		return WK_STACKS_OTHERWISE;
	return source->details & WK_DETAIL_CHAIN ? WK_STACKS_FRAME_POINTERS : WK_STACKS_NONE;
}

static void take_source(struct wk_builder *builder, const struct wk_event_source *source)
{
	uint32_t *id = wk_map_at(&builder->source_of, (uint64_t)source->source + 1);
	struct wk_source row = {
		.number = source->source,
		.name = wk_model_text(builder->model, source->name),
		.unit = wk_model_text(builder->model, source->unit),
		.is_cpu_time = source->is_cpu_time,
		.is_weighed = source->is_weighed,
		.counts_samples = wk_str_is(source->unit, "samples"),
		.stacks_by = (uint8_t)stacks_by(source),
	};

	if (!*id && builder->inputs > 1)
		*id = same_source(builder->model, &row);
	if (*id)
		builder->model->sources[*id] = row;
	else
		*id = wk_model_add_source(builder->model, &row);
}

static void take_symbol(struct wk_builder *builder, const struct wk_event *event)
{
	struct wk_carried_symbol symbol;

	if (event->symbol.image_path.len == 0) {
		if (wk_runtime_code_take(builder->code, event))
			wk_spaces_touch(builder->spaces, event->pid);
		return;
	}
	symbol = (struct wk_carried_symbol){
		.path = wk_model_text(builder->model, event->symbol.image_path),
		.build_id = event->symbol.build_id,
		.pid = event->pid,
		.start = event->symbol.start,
		.size_bytes = event->symbol.size_bytes,
		.name = wk_model_text(builder->model, event->symbol.name),
	};

	wk_model_add_carried(builder->model, &symbol);
}

static void take_fact(struct wk_builder *builder, const struct wk_event_system *fact)
{
	if (wk_str_is(fact->key, "system") && wk_str_starts(fact->value, "Windows "))
		builder->model->is_windows = true;
	wk_model_add_fact(builder->model, fact);
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_builder *builder = context;
	struct wk_model *model = builder->model;

	/* An event may become two rows. */
	if (model->samples.count >= UINT32_MAX - 1 || model->stacks.count == UINT32_MAX)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "more than 4 billion samples or stacks in one recording");
	switch (event->kind) {
	case WK_EVENT_SYSTEM:
		take_fact(builder, &event->system);
		break;
	case WK_EVENT_SOURCE:
		take_source(builder, &event->source);
		break;
	case WK_EVENT_PROCESS:
		builder->lives++;
		take_process(builder, event);
		wk_spaces_take(builder->spaces, event, 0);
		wk_runtime_code_take(builder->code, event);
		break;
	case WK_EVENT_THREAD:
		builder->lives++;
		take_thread(builder, event);
		wk_spaces_take(builder->spaces, event, 0);
		wk_runtime_code_take(builder->code, event);
		break;
	case WK_EVENT_IMAGE:
		take_image(builder, event);
		break;
	case WK_EVENT_SYMBOL:
		take_symbol(builder, event);
		break;
	case WK_EVENT_BOUNDS:
		wk_model_add_carried_bounds(model, &event->bounds);
		break;
	case WK_EVENT_CALLS:
		wk_model_add_carried_place(model, &event->calls);
		break;
	case WK_EVENT_FRAME:
		return take_frame(builder, &event->frame, err);
	case WK_EVENT_STACKS:
		return take_stacks(builder, &event->stacks, err);
	case WK_EVENT_SAMPLE:
		take_sample(builder, event);
		break;
	case WK_EVENT_SUMS:
		take_sums(builder, &event->sums);
		break;
	case WK_EVENT_LOST:
		if (event->lost.samples_only)
			model->lost_samples += event->lost.count;
		else
			model->lost_records += event->lost.count;
		break;
	case WK_EVENT_NOTE:
		wk_model_add_note(model, &event->note);
		break;
	case WK_EVENT_MEMORY:
		take_memory(builder, event);
		break;
	case WK_EVENT_HEAP:
		take_heap(builder, event);
		break;
	case WK_EVENT_SWITCH:
		take_switch(builder, event);
		break;
	case WK_EVENT_READY:
		take_ready(builder, event);
		break;
	case WK_EVENT_MARK:
		take_mark(builder, event);
		break;
	case WK_EVENT_COUNT:
		take_count(builder, &event->count);
		break;
	case WK_EVENT_OTHER:
	case WK_EVENT_NONE:
	case WK_EVENT_KINDS:
		break;
	}
	return true;
}

struct wk_sink wk_builder_sink(struct wk_builder *builder)
{
	return (struct wk_sink){ .take = take, .context = builder };
}

/* An empty name is one that never came: the number is better than nothing. */
static void name_by_number(const struct wk_model *model, uint32_t pid, struct wk_buf *name)
{
	if (model->is_windows && pid == WINDOWS_IDLE_PID)
		wk_buf_add_text(name, "Idle");
	else if (model->is_windows && pid == WINDOWS_SYSTEM_PID)
		wk_buf_add_text(name, "System");
	else if (pid == 0)
		wk_buf_add_text(name, "swapper");
	else if (pid == EXITING_PID)
		wk_buf_add_text(name, "[exiting]");
	else
		wk_buf_add_fmt(name, "[pid %u]", pid);
}

void wk_builder_finish(struct wk_builder *builder)
{
	struct wk_model *model = builder->model;
	struct wk_buf name = { 0 };

	find_parents(builder);
	wk_waits_finish(builder->waits);
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
			model->threads[i].name =
				model->processes[model->threads[i].process].name;
}
