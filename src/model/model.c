#include "model/model.h"

#include <assert.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/stack_lists.h"
#include "os/os.h"

/* Arrays of a table that grow together, one element for each row. */
struct column {
	size_t at, size_bytes; /* of the pointer in the table; of an element */
	bool is_optional;      /* NULL until a row needs it */
};

#define COLUMN(table, name) \
	{ offsetof(struct table, name), sizeof(*((struct table *)0)->name), false }
#define OPTIONAL(table, name) \
	{ offsetof(struct table, name), sizeof(*((struct table *)0)->name), true }

static const struct column frame_columns[] = {
	COLUMN(wk_frames, image), COLUMN(wk_frames, address), COLUMN(wk_frames, function),
	COLUMN(wk_frames, line), COLUMN(wk_frames, is_inlined), { 0 },
};
static const struct column named_frame_columns[] = {
	COLUMN(wk_named_frames, function), COLUMN(wk_named_frames, frame),
	COLUMN(wk_named_frames, line), COLUMN(wk_named_frames, is_inlined), { 0 },
};
static const struct column sample_columns[] = {
	COLUMN(wk_samples, stack), COLUMN(wk_samples, weight), OPTIONAL(wk_samples, time_ns),
	OPTIONAL(wk_samples, thread), OPTIONAL(wk_samples, source), OPTIONAL(wk_samples, cpu),
	OPTIONAL(wk_samples, is_before), OPTIONAL(wk_samples, times), OPTIONAL(wk_samples, about),
	{ 0 },
};

static void *column_of(const void *table, const struct column *column)
{
	void *at;

	memcpy(&at, (const char *)table + column->at, sizeof(at));
	return at;
}

/* To twice the capacity `*cap` or, if that is more, for `least` rows. */
static void grow_columns(void *table, const struct column *columns, uint32_t count, size_t *cap,
			 size_t least)
{
	size_t room = *cap ? *cap * 2 : 64;

	room = room < least ? least : room;
	for (; columns->size_bytes; columns++) {
		void *at = column_of(table, columns);

		if (columns->is_optional && !at)
			continue;
		at = wk_grow_table(at, count, room, columns->size_bytes);
		memcpy((char *)table + columns->at, &at, sizeof(at));
	}
	*cap = room;
}

#define MAKE_ROOM(table, columns) \
	do { \
		if ((table)->count == (table)->cap) \
			grow_columns(table, columns, (table)->count, &(table)->cap, 0); \
	} while (0)

static void free_columns(const void *table, const struct column *columns)
{
	for (; columns->size_bytes; columns++)
		wk_free(column_of(table, columns));
}

/* The capacity of each table, and the indexes that find rows. */
struct wk_model_private {
	size_t images_cap, processes_cap, threads_cap, sources_cap, functions_cap;
	size_t embedded_cap, embedded_places_cap, embedded_bounds_cap, embedded_calls_cap;
	size_t facts_cap, notes_cap, heaps_cap, subjects_cap, marks_cap, snapshots_cap, uses_cap,
		counts_cap;
	size_t ends_cap, intervals_cap;
	struct wk_index images, functions, frames, named_frames, sample_rows, interval_rows;
	struct wk_index subjects;
	wk_source_id derived[WK_DERIVED_COUNT]; /* 0: not yet */
};

static void start_columns(struct wk_model *model)
{
	wk_model_add_frame(model, 0, 0);
	wk_model_add_named_frame(model, 0, 0, 0, false);
	wk_trie_init(&model->stacks);
	wk_trie_init(&model->named);
}

struct wk_model *wk_model_new(void)
{
	struct wk_model *model = wk_alloc_zeroed(1, sizeof(*model));

	model->own = wk_alloc_zeroed(1, sizeof(*model->own));
	model->weight_left = UINT64_MAX;
	model->text = wk_strtab_new();
	model->traits = model->input_traits = &wk_traits_linux;
	for (int side = 0; side < 2; side++)
		model->side_times[side] = (struct wk_side_time){ .traits = &wk_traits_linux,
								 .began_ns = UINT64_MAX,
								 .command_ns = UINT64_MAX };
	wk_model_add_image(model, WK_IMAGE_UNKNOWN, &(struct wk_event_image){ 0 }, 0, 0);
	wk_model_add_process(model, &(struct wk_process){ 0 });
	wk_model_add_thread(model, &(struct wk_thread){ 0 });
	wk_model_add_source(model, &(struct wk_source){ 0 });
	wk_model_add_function(model, &(struct wk_function){ 0 });
	wk_model_add_heap(model, &(struct wk_heap_row){ 0 });
	wk_model_add_subject(model, &(struct wk_subject){ 0 });
	start_columns(model);
	return model;
}

static void free_tables(struct wk_model *model)
{
	free_columns(&model->frames, frame_columns);
	free_columns(&model->named_frames, named_frame_columns);
	free_columns(&model->samples, sample_columns);
	wk_trie_fini(&model->stacks);
	wk_stack_lists_fini(&model->lists);
	if (!model->came_named)
		wk_trie_fini(&model->named);
	WK_FREE_ALL(model->images, model->processes, model->threads, model->sources,
		    model->functions, model->embedded, model->embedded_places,
		    model->embedded_bounds, model->embedded_calls, model->facts, model->notes,
		    model->heaps, model->subjects, model->marks, model->snapshots, model->uses,
		    model->counts, model->ends, model->intervals, model->calls.first,
		    model->calls.function, model->calls.line, model->named_of, model->reaches_root,
		    model->has_user_part);
}

void wk_model_free(struct wk_model *model)
{
	if (!model)
		return;
	free_tables(model);
	wk_index_fini(&model->own->images);
	wk_index_fini(&model->own->functions);
	wk_index_fini(&model->own->frames);
	wk_index_fini(&model->own->named_frames);
	wk_index_fini(&model->own->sample_rows);
	wk_index_fini(&model->own->interval_rows);
	wk_index_fini(&model->own->subjects);
	wk_strtab_free(model->text);
	WK_FREE_ALL(model->own, model);
}

wk_text_id wk_model_text(struct wk_model *model, struct wk_str text)
{
	return wk_strtab_add_str(model->text, text);
}

/* For a row that was just added; no key finds row 0. */
static uint32_t index_row(struct wk_index *index, uint64_t hash, uint32_t id)
{
	if (id)
		wk_index_add(index, hash, id);
	return id;
}

static bool same_image(const void *table, uint32_t id, const void *key)
{
	const struct wk_image *a = &((const struct wk_model *)table)->images[id];
	const struct wk_image *b = key;

	return a->path == b->path && a->kind == b->kind && a->inode == b->inode &&
	       (a->inode_generation == b->inode_generation || !a->inode_generation ||
		!b->inode_generation) &&
	       a->device_major == b->device_major && a->device_minor == b->device_minor &&
	       a->in_kernel == b->in_kernel && wk_build_id_eq(&a->build_id, &b->build_id);
}

static bool same_image_and_stamp(const void *table, uint32_t id, const void *key)
{
	const struct wk_image *row = &((const struct wk_model *)table)->images[id];

	return same_image(table, id, key) &&
	       row->time_stamp == ((const struct wk_image *)key)->time_stamp;
}

/* The first image of a path without a time stamp, or with the same, matches. Others of that path,
 * which differ only in their stamps, have those in their hashes: honest files have few. */
static wk_image_id find_image(const struct wk_model *model, const struct wk_image *row,
			      uint64_t *hash)
{
	wk_image_id id = wk_index_find(&model->own->images, *hash, same_image, model, row);

	if (!id || !row->time_stamp || !model->images[id].time_stamp ||
	    row->time_stamp == model->images[id].time_stamp)
		return id;
	*hash = wk_hash_pair(*hash, row->time_stamp);
	return wk_index_find(&model->own->images, *hash, same_image_and_stamp, model, row);
}

/* Adds fields of a mapping that earlier ones lacked. */
static void learn_image(struct wk_image *known, const struct wk_image *mapped)
{
	known->last_input = mapped->last_input;
	if (!known->inode_generation)
		known->inode_generation = mapped->inode_generation;
	if (!known->pdb_path)
		known->pdb_path = mapped->pdb_path;
	if (!known->time_stamp) {
		known->time_stamp = mapped->time_stamp;
		known->image_bytes = mapped->image_bytes;
	}
}

/* Memory of memfd_create is "/memfd:NAME (deleted)" to the kernel, always: it is in no folder. */
static struct wk_str shown_name(enum wk_image_kind kind, struct wk_str path)
{
	static const char deleted[] = " (deleted)";

	if (kind == WK_IMAGE_FILE)
		return wk_str_basename(path);
	if (!wk_str_starts(path, "/memfd:"))
		return path;
	if (wk_str_ends(path, deleted))
		path.len -= strlen(deleted);
	return wk_str_skip(path, 1);
}

wk_image_id wk_model_add_image(struct wk_model *model, enum wk_image_kind kind,
			       const struct wk_event_image *image, uint32_t pid, uint64_t time_ns)
{
	struct wk_image row = {
		.path = wk_model_text(model, image->path),
		.name = wk_model_text(model, shown_name(kind, image->path)),
		.kind = kind,
		.build_id = image->build_id,
		.inode = image->inode,
		.inode_generation = image->inode_generation,
		.device_major = image->device_major,
		.device_minor = image->device_minor,
		.pdb_path = wk_model_text(model, image->pdb_path),
		.time_stamp = image->time_stamp,
		.image_bytes = image->image_bytes,
		.pid = pid,
		.first_start = image->start,
		.first_offset = image->file_offset,
		.first_size_bytes = image->size_bytes,
		.first_seen_ns = time_ns,
		.first_input = model->input_number,
		.last_input = model->input_number,
		.in_kernel = pid == WK_KERNEL_PID && kind == WK_IMAGE_FILE,
	};
	uint64_t hash = wk_hash_pair(wk_hash_pair(row.path, row.inode),
				     wk_hash_bytes(row.build_id.bytes, row.build_id.size));
	wk_image_id id = find_image(model, &row, &hash);

	if (id) {
		learn_image(&model->images[id], &row);
		return id;
	}
	*WK_APPEND(model->images, model->image_count, model->own->images_cap) = row;
	return index_row(&model->own->images, hash, model->image_count - 1);
}

/* The first process that starts after the recording began is the command. */
static void see_start(struct wk_side_time *side, uint64_t start_ns)
{
	if (side->has_command && start_ns >= side->began_ns && start_ns < side->command_ns)
		side->command_ns = start_ns;
}

wk_process_id wk_model_add_process(struct wk_model *model, const struct wk_process *process)
{
	see_start(&model->side_times[false], process->start_ns);
	see_start(&model->side_times[true], process->start_ns);
	*WK_APPEND(model->processes, model->process_count, model->own->processes_cap) = *process;
	return model->process_count - 1;
}

wk_thread_id wk_model_add_thread(struct wk_model *model, const struct wk_thread *thread)
{
	assert(thread->process < model->process_count);
	*WK_APPEND(model->threads, model->thread_count, model->own->threads_cap) = *thread;
	return model->thread_count - 1;
}

wk_source_id wk_model_add_source(struct wk_model *model, const struct wk_source *source)
{
	*WK_APPEND(model->sources, model->source_count, model->own->sources_cap) = *source;
	return model->source_count - 1;
}

wk_source_id wk_model_derived_source(struct wk_model *model, enum wk_derived derived)
{
	static const struct {
		const char *name, *unit;
		bool has_lifetimes;
	} all[] = {
		[WK_DERIVED_WAIT] = { "wait", "ns", false },
		[WK_DERIVED_READY] = { "ready", "ns", false },
		[WK_DERIVED_READYING] = { "readying", "events", false },
		[WK_DERIVED_COMMIT] = { "commit", "bytes", true },
		[WK_DERIVED_RESERVE] = { "reserve", "bytes", true },
		[WK_DERIVED_DECOMMIT] = { "decommit", "bytes", false },
		[WK_DERIVED_HEAP] = { "heap", "bytes", true },
		[WK_DERIVED_FREE] = { "free", "bytes", false },
		[WK_DERIVED_HEAP_TEMPORARY] = { "heap-temporary", "bytes", false },
		[WK_DERIVED_HEAP_PEAK] = { "heap-peak", "bytes", false },
	};
	wk_source_id *known = &model->own->derived[derived];

	if (!*known)
		*known = wk_model_add_source(model, &(struct wk_source){
			.name = wk_model_text(model, wk_str_c(all[derived].name)),
			.unit = wk_model_text(model, wk_str_c(all[derived].unit)),
			.is_weighed = derived != WK_DERIVED_READYING,
			.has_lifetimes = all[derived].has_lifetimes,
			.is_of_blocks = derived >= WK_DERIVED_HEAP,
			.is_of_pages = derived == WK_DERIVED_COMMIT ||
				       derived == WK_DERIVED_RESERVE ||
				       derived == WK_DERIVED_DECOMMIT,
			.is_part = derived >= WK_DERIVED_HEAP_TEMPORARY,
		});
	return *known;
}

static bool same_function(const void *table, uint32_t id, const void *key)
{
	const struct wk_function *a = &((const struct wk_model *)table)->functions[id];
	const struct wk_function *b = key;

	return a->name == b->name && a->linked == b->linked && a->image == b->image &&
	       a->file == b->file && a->kind == b->kind && a->is_before == b->is_before;
}

wk_function_id wk_model_add_function(struct wk_model *model, const struct wk_function *function)
{
	uint64_t hash = wk_hash_pair(wk_hash_pair(function->name, function->linked),
				     (uint64_t)function->file << 32 | function->image);
	wk_function_id id =
		wk_index_find(&model->own->functions, hash, same_function, model, function);

	assert(function->image < model->image_count);
	if (id)
		return id;
	*WK_APPEND(model->functions, model->function_count, model->own->functions_cap) = *function;
	return index_row(&model->own->functions, hash, model->function_count - 1);
}

struct frame_key {
	struct wk_supplied_frame given;
	wk_image_id image;
};

static bool same_frame(const void *table, uint32_t id, const void *key)
{
	const struct wk_frames *frames = table;
	const struct frame_key *frame = key;

	return frames->image[id] == frame->image && frames->address[id] == frame->given.address &&
	       frames->function[id] == frame->given.function &&
	       frames->line[id] == frame->given.line &&
	       frames->is_inlined[id] == frame->given.is_inlined;
}

static wk_frame_id intern_frame(struct wk_model *model, const struct frame_key *key)
{
	struct wk_frames *frames = &model->frames;
	uint64_t hash =
		wk_hash_pair(key->given.address,
			     (uint64_t)key->given.line << 32 |
				     (key->given.function ? key->given.function : key->image));
	wk_frame_id id = wk_index_find(&model->own->frames, hash, same_frame, frames, key);

	assert(key->image < model->image_count);
	if (id)
		return id;
	MAKE_ROOM(frames, frame_columns);
	frames->image[frames->count] = key->image;
	frames->address[frames->count] = key->given.address;
	frames->function[frames->count] = key->given.function;
	frames->line[frames->count] = key->given.line;
	frames->is_inlined[frames->count] = key->given.is_inlined;
	return index_row(&model->own->frames, hash, frames->count++);
}

wk_frame_id wk_model_add_frame(struct wk_model *model, wk_image_id image, uint64_t address)
{
	return intern_frame(model, &(struct frame_key){ { .address = address }, image });
}

wk_frame_id wk_model_add_supplied_frame(struct wk_model *model,
					const struct wk_supplied_frame *given)
{
	assert(given->function < model->function_count);
	return intern_frame(model, &(struct frame_key){
		*given, model->functions[given->function].image });
}

wk_stack_id wk_model_add_stack(struct wk_model *model, wk_stack_id parent, wk_frame_id frame)
{
	return wk_trie_add(&model->stacks, parent, frame);
}

wk_stack_id wk_model_add_named(struct wk_model *model, wk_stack_id parent, uint32_t named_frame)
{
	return wk_trie_add(&model->named, parent, named_frame);
}

struct named_frame_key {
	wk_function_id function;
	uint32_t line;
	bool is_inlined;
};

static bool same_named_frame(const void *table, uint32_t id, const void *key)
{
	const struct wk_named_frames *frames = table;
	const struct named_frame_key *frame = key;

	return frames->function[id] == frame->function && frames->line[id] == frame->line &&
	       frames->is_inlined[id] == frame->is_inlined;
}

uint32_t wk_model_add_named_frame(struct wk_model *model, wk_function_id function, uint32_t line,
				  wk_frame_id frame, bool is_inlined)
{
	struct wk_named_frames *frames = &model->named_frames;
	struct named_frame_key key = { function, line, is_inlined };
	uint64_t hash = wk_hash_pair(function, (uint64_t)line << 1 | is_inlined);
	uint32_t id =
		wk_index_find(&model->own->named_frames, hash, same_named_frame, frames, &key);

	assert(function < model->function_count && frame < model->frames.count);
	if (id)
		return id;
	MAKE_ROOM(frames, named_frame_columns);
	frames->function[frames->count] = function;
	frames->frame[frames->count] = frame;
	frames->line[frames->count] = line;
	frames->is_inlined[frames->count] = is_inlined;
	return index_row(&model->own->named_frames, hash, frames->count++);
}

void wk_model_add_embedded(struct wk_model *model, const struct wk_event_symbol *symbol)
{
	*WK_APPEND(model->embedded, model->embedded_count, model->own->embedded_cap) =
		(struct wk_embedded_symbol){
			.at = { wk_model_text(model, symbol->image_path), symbol->build_id,
				symbol->start, model->input_number },
			.size_bytes = symbol->size_bytes,
			.name = wk_model_text(model, symbol->name),
		};
}

void wk_model_add_embedded_bounds(struct wk_model *model, const struct wk_event_bounds *bounds)
{
	*WK_APPEND(model->embedded_bounds, model->embedded_bounds_count,
		   model->own->embedded_bounds_cap) = (struct wk_embedded_bounds){
		.at = { wk_model_text(model, bounds->image_path), bounds->build_id, bounds->start,
			model->input_number },
		.size_bytes = bounds->size_bytes,
		.is_root = bounds->is_root,
	};
}

void wk_model_add_embedded_place(struct wk_model *model, const struct wk_event_calls *calls)
{
	struct wk_embedded_place place = {
		.at = { wk_model_text(model, calls->image_path), calls->build_id, calls->address,
			model->input_number },
		.first = model->embedded_call_count,
		.count = (uint32_t)calls->count,
	};

	*WK_APPEND(model->embedded_places, model->embedded_place_count,
		   model->own->embedded_places_cap) = place;
	WK_RESERVE(model->embedded_calls, model->own->embedded_calls_cap,
		   (size_t)model->embedded_call_count + calls->count);
	for (size_t i = 0; i < calls->count; i++)
		model->embedded_calls[model->embedded_call_count++] = (struct wk_embedded_call){
			.function = wk_model_text(model, calls->calls[i].function),
			.file = wk_model_text(model, calls->calls[i].file),
			.line = calls->calls[i].line,
		};
	assert(model->embedded_call_count == place.first + place.count);
}

void wk_model_add_fact(struct wk_model *model, const struct wk_event_system *fact)
{
	*WK_APPEND(model->facts, model->fact_count, model->own->facts_cap) = (struct wk_fact){
		.key = wk_model_text(model, fact->key),
		.value = wk_model_text(model, fact->value),
		.section = wk_model_text(model, fact->section),
		.input = model->input_number,
	};
}

struct wk_str wk_model_fact(const struct wk_model *model, const char *key)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (wk_str_is(wk_model_str(model, model->facts[i].key), key))
			return wk_model_str(model, model->facts[i].value);
	return wk_str_c("");
}

struct wk_str wk_model_fact_of(const struct wk_model *model, const char *key, uint32_t input)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (model->facts[i].input == input &&
		    wk_str_is(wk_model_str(model, model->facts[i].key), key))
			return wk_model_str(model, model->facts[i].value);
	return wk_str_c("");
}

uint64_t *wk_model_count_samples(const struct wk_model *model)
{
	uint64_t *counts = wk_alloc_zeroed(model->source_count, sizeof(*counts));

	for (uint32_t i = 0; i < model->samples.count; i++)
		counts[wk_sample_source(&model->samples, i)] += wk_model_sample_times(model, i);
	return counts;
}

/* Notes of one kind come in crowds: the last few are compared so that a crowd is one row. */
void wk_model_add_note(struct wk_model *model, const struct wk_event_note *note)
{
	wk_text_id id = wk_model_text(model, note->text);

	for (uint32_t i = model->note_count; i > 0 && i + 8 > model->note_count; i--) {
		if (model->notes[i - 1].text == id) {
			model->notes[i - 1].count++;
			return;
		}
	}
	*WK_APPEND(model->notes, model->note_count, model->own->notes_cap) = (struct wk_note){
		.offset = note->offset, .text = id, .count = 1, .severity = note->severity
	};
}

static bool same_subject(const void *table, uint32_t id, const void *key)
{
	const struct wk_subject *a = &((const struct wk_model *)table)->subjects[id], *b = key;

	return a->heap == b->heap && a->what == b->what && a->by == b->by &&
	       a->by_interrupt == b->by_interrupt && a->could_run == b->could_run &&
	       a->mode == b->mode;
}

wk_subject_id wk_model_add_subject(struct wk_model *model, const struct wk_subject *subject)
{
	uint64_t hash =
		wk_hash_pair((uint64_t)subject->heap << 32 | subject->what,
			     (uint64_t)subject->by << 32 | (uint64_t)subject->mode << 2 |
				     (uint64_t)subject->by_interrupt << 1 | subject->could_run);
	wk_subject_id id = wk_index_find(&model->own->subjects, hash, same_subject, model, subject);

	assert(subject->heap < model->heap_count && subject->by < model->thread_count);
	if (id || (model->subject_count && same_subject(model, 0, subject)))
		return id;
	*WK_APPEND(model->subjects, model->subject_count, model->own->subjects_cap) = *subject;
	return index_row(&model->own->subjects, hash, model->subject_count - 1);
}

wk_heap_id wk_model_add_heap(struct wk_model *model, const struct wk_heap_row *heap)
{
	*WK_APPEND(model->heaps, model->heap_count, model->own->heaps_cap) = *heap;
	return model->heap_count - 1;
}

void wk_model_add_mark(struct wk_model *model, const struct wk_mark *mark)
{
	*WK_APPEND(model->marks, model->mark_count, model->own->marks_cap) = *mark;
}

void wk_model_add_snapshot(struct wk_model *model, const struct wk_snapshot *snapshot)
{
	struct wk_snapshot row = *snapshot;

	assert(snapshot->process < model->process_count);
	row.at_row = model->samples.count;
	row.at_end = model->end_count;
	row.input = model->input_number;
	*WK_APPEND(model->snapshots, model->snapshot_count, model->own->snapshots_cap) = row;
}

void wk_model_add_use(struct wk_model *model, const struct wk_use_row *use)
{
	*WK_APPEND(model->uses, model->use_count, model->own->uses_cap) = *use;
}

void wk_model_add_count(struct wk_model *model, const struct wk_count *count)
{
	*WK_APPEND(model->counts, model->count_count, model->own->counts_cap) = *count;
}

static void make_room_for_sample(struct wk_samples *samples)
{
	if (samples->count == samples->cap)
		grow_columns(samples, sample_columns, samples->count, &samples->cap,
			     samples->expected);
}

static void add_time_column(struct wk_samples *samples)
{
	samples->time_ns = wk_alloc_table_zeroed(samples->cap, sizeof(*samples->time_ns));
}

static void add_column(const struct wk_samples *samples, uint32_t **column, uint32_t usual)
{
	*column = wk_alloc_table(samples->cap * sizeof(**column));
	for (uint32_t i = 0; i < samples->count; i++)
		(*column)[i] = usual;
}

/* Columns are there from the first sample on that needs them. */
static inline void set_time(struct wk_samples *samples, uint64_t time_ns)
{
	if (time_ns && !samples->time_ns)
		add_time_column(samples);
	if (samples->time_ns)
		samples->time_ns[samples->count] = time_ns;
}

/* Of a column that is `usual` in all rows of most recordings without times. */
static inline void set_number(const struct wk_samples *samples, uint32_t **column, uint32_t usual,
			      uint32_t number)
{
	if (number != usual && !*column)
		add_column(samples, column, usual);
	if (*column)
		(*column)[samples->count] = number;
}

static void set_before(struct wk_samples *samples, bool is_before)
{
	if (is_before && !samples->is_before)
		samples->is_before = wk_alloc_zeroed(samples->cap, 1);
	if (samples->is_before)
		samples->is_before[samples->count] = is_before;
}

static void set_about(struct wk_samples *samples, wk_subject_id about)
{
	if (about && !samples->about)
		samples->about = wk_alloc_table_zeroed(samples->cap, sizeof(*samples->about));
	if (samples->about)
		samples->about[samples->count] = about;
}

static uint64_t times_of(const struct wk_model *model, const struct wk_sample *sample)
{
	if (model->sources[sample->source].counts_samples)
		return sample->weight;
	return sample->times ? sample->times : 1;
}

static void have_times(struct wk_model *model)
{
	struct wk_samples *samples = &model->samples;

	if (samples->times)
		return;
	make_room_for_sample(samples);
	samples->times = wk_alloc_table_zeroed(samples->cap, sizeof(uint64_t));
	for (uint32_t i = 0; i < samples->count; i++)
		samples->times[i] = model->sources[wk_sample_source(samples, i)].counts_samples
					    ? samples->weight[i]
					    : 1;
}

/* Of "recorded" (record/facts.h): "./app 1", "the whole system during ./app 1". */
static bool names_command(struct wk_str recorded)
{
	static const char *const processes[] = { "process ", "processes ", NULL };

	if (wk_str_starts(recorded, "the whole system"))
		return wk_str_starts(recorded, "the whole system during ");
	return !wk_str_starts_one_of(recorded, processes);
}

/* wick notes its clock before the command starts, and before it looks at what runs. */
static void see_begin(struct wk_model *model, struct wk_side_time *side)
{
	struct wk_str clock, wall;
	uint64_t clock_ns;

	if (side->began_inputs == model->input_number)
		return;
	side->began_inputs = model->input_number;
	if (!wk_str_starts(wk_model_fact_of(model, "recorder", model->input_number), "wick ") ||
	    !wk_str_split(wk_model_fact_of(model, "clock pair", model->input_number), ' ', &clock,
			  &wall) ||
	    !wk_num_u64(clock, &clock_ns) || clock_ns >= side->began_ns)
		return;
	side->began_ns = clock_ns;
	side->command_ns = UINT64_MAX;
	side->has_command = names_command(wk_model_fact_of(model, "recorded", model->input_number));
	for (wk_process_id id = 1; id < model->process_count; id++)
		see_start(side, model->processes[id].start_ns);
}

static void see_side_time(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_side_time *side = &model->side_times[sample->is_before];

	see_begin(model, side);
	if (!side->has_samples || sample->time_ns < side->first_ns)
		side->first_ns = sample->time_ns;
	if (!side->has_samples || sample->time_ns > side->last_ns)
		side->last_ns = sample->time_ns;
	if (sample->until_ns > side->last_ns)
		side->last_ns = sample->until_ns;
	side->has_samples = true;
	if (model->input_traits != &wk_traits_linux)
		side->traits = model->input_traits;
}

static void see_time(struct wk_model *model, const struct wk_sample *sample)
{
	uint64_t time_ns = sample->time_ns;

	if (model->samples.count == 0 || time_ns < model->first_ns)
		model->first_ns = time_ns;
	if (model->samples.count == 0 || time_ns > model->last_ns)
		model->last_ns = time_ns;
	see_side_time(model, sample);
}

uint64_t wk_model_cut_weight(struct wk_model *model)
{
	static const struct wk_event_note cut = {
		.offset = WK_NOWHERE,
		.severity = WK_NOTE_FAULT,
		.text = WK_STR("the weights add up to more than 64 bits can hold; what is beyond "
			       "that was left out") };
	uint64_t left = model->weight_left;

	wk_model_add_note(model, &cut);
	model->weight_left = 0;
	return left;
}

void wk_model_expect_samples(struct wk_model *model, size_t count)
{
	struct wk_samples *samples = &model->samples;
	size_t need = samples->count + count;

	if (need > samples->cap)
		grow_columns(samples, sample_columns, samples->count, &samples->cap,
			     need > samples->expected ? need : samples->expected);
}

void wk_model_add_sample(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_samples *samples = &model->samples;

	assert(sample->source < model->source_count && sample->about < model->subject_count);
	assert(sample->thread < model->thread_count && sample->stack < model->stacks.count);
	make_room_for_sample(samples);
	samples->stack[samples->count] = sample->stack;
	samples->weight[samples->count] = sample->weight;
	set_time(samples, sample->time_ns);
	set_number(samples, &samples->thread, 0, sample->thread);
	set_number(samples, &samples->source, 1, sample->source);
	set_number(samples, &samples->cpu, WK_NO_CPU, sample->cpu);
	set_before(samples, sample->is_before);
	set_about(samples, sample->about);
	if (sample->times > 1)
		have_times(model);
	if (samples->times)
		samples->times[samples->count] = times_of(model, sample);
	see_time(model, sample);
	samples->count++;
	if (sample->until_ns > model->last_ns)
		model->last_ns = sample->until_ns;
}

void wk_model_add_end(struct wk_model *model, const struct wk_end *end)
{
	struct wk_end row = *end;

	assert(end->sample < model->samples.count);
	assert(end->thread < model->thread_count && end->stack < model->stacks.count);
	row.at_row = model->samples.count;
	if (model->end_count < UINT32_MAX)
		*WK_APPEND(model->ends, model->end_count, model->own->ends_cap) = row;
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	const struct wk_samples *samples = table;
	const struct wk_sample *sample = key;
	uint32_t row = id - 1;

	return samples->stack[row] == sample->stack &&
	       wk_sample_thread(samples, row) == sample->thread &&
	       wk_sample_source(samples, row) == sample->source &&
	       (samples->about ? samples->about[row] : 0) == sample->about &&
	       (samples->is_before && samples->is_before[row]) == sample->is_before;
}

void wk_model_set_sum(struct wk_model *model, uint32_t row, uint64_t weight, uint64_t times)
{
	struct wk_samples *samples = &model->samples;

	assert(row < samples->count);
	samples->weight[row] = weight;
	if (times > 1)
		have_times(model);
	if (samples->times)
		samples->times[row] = times;
}

void wk_model_see_begin(struct wk_model *model)
{
	if (!model->samples.count)
		see_begin(model, &model->side_times[false]);
}

void wk_model_see_last(struct wk_model *model, bool is_before, uint64_t time_ns)
{
	struct wk_side_time *side = &model->side_times[is_before];

	if (side->has_samples && time_ns > side->last_ns)
		side->last_ns = time_ns;
	if (model->samples.count && time_ns > model->last_ns)
		model->last_ns = time_ns;
}

uint32_t wk_model_sum_row(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_samples *samples = &model->samples;
	uint64_t hash = wk_hash_pair((uint64_t)sample->stack << 32 | sample->thread,
				     (uint64_t)sample->about << 32 | (uint64_t)sample->source << 1 |
					     sample->is_before);
	uint32_t id = wk_index_find(&model->own->sample_rows, hash, same_row, samples, sample);

	if (id)
		return id - 1;
	have_times(model);
	wk_model_add_sample(model, sample);
	wk_model_set_sum(model, samples->count - 1, 0, 0);
	wk_index_add(&model->own->sample_rows, hash, samples->count);
	return samples->count - 1;
}

void wk_model_sum_sample(struct wk_model *model, const struct wk_sample *sample)
{
	uint32_t row = wk_model_sum_row(model, sample);

	wk_model_add_to_sum(model, row, sample->weight, times_of(model, sample));
	see_time(model, sample);
}

static bool same_interval(const void *table, uint32_t id, const void *key)
{
	const struct wk_interval *a = &((const struct wk_model *)table)->intervals[id - 1],
				 *b = key;

	return a->thread == b->thread && a->about == b->about && a->doing == b->doing;
}

/* Adds it to the row with its thread, state and subject; false if there is none. */
static bool sum_interval(struct wk_model *model, const struct wk_interval *interval)
{
	uint64_t hash =
		wk_hash_pair((uint64_t)interval->about << 32 | interval->thread, interval->doing);
	struct wk_index *rows = &model->own->interval_rows;
	uint32_t id = wk_index_find(rows, hash, same_interval, model, interval);
	struct wk_interval *row;

	if (!id) {
		wk_index_add(rows, hash, model->interval_count + 1);
		return false;
	}
	row = &model->intervals[id - 1];
	row->longest_ns = row->times > 1 ? row->longest_ns : row->took_ns;
	if (interval->took_ns > row->longest_ns)
		row->longest_ns = interval->took_ns;
	row->took_ns += interval->took_ns;
	row->times += row->times < UINT32_MAX;
	return true;
}

void wk_model_add_interval(struct wk_model *model, const struct wk_interval *interval)
{
	struct wk_interval row = *interval;

	assert(interval->thread < model->thread_count && interval->about < model->subject_count);
	row.times = 1;
	if (model->interval_count < UINT32_MAX &&
	    !(model->sums_samples && sum_interval(model, interval)))
		*WK_APPEND(model->intervals, model->interval_count, model->own->intervals_cap) =
			row;
}

/* When the image was first seen, by the wall's clock; 0 if unknown, or by that of another machine.
 */
static uint64_t mapped_wall_ns(const struct wk_model *model, const struct wk_image *image)
{
	struct wk_str pair = wk_model_fact_of(model, "clock pair", image->first_input), clock, wall;
	uint64_t clock_ns, wall_ns, since_ns = 0;
	struct wk_os_host here;

	wk_os_host(&here);
	if (!wk_str_is(wk_model_fact_of(model, "host name", image->first_input), here.name) ||
	    !wk_str_split(pair, ' ', &clock, &wall) || !wk_num_u64(clock, &clock_ns) ||
	    !wk_num_u64(wall, &wall_ns))
		return 0;
	if (image->first_seen_ns > clock_ns)
		since_ns = image->first_seen_ns - clock_ns;
	return wall_ns > UINT64_MAX - since_ns ? 0 : wall_ns + since_ns;
}

struct wk_image_key wk_model_image_key(const struct wk_model *model, wk_image_id id)
{
	const struct wk_image *image = &model->images[id];

	return (struct wk_image_key){
		.path = wk_model_str(model, image->path),
		.build_id = image->build_id,
		.inode = image->inode,
		.device_major = image->device_major,
		.device_minor = image->device_minor,
		.pdb_path = wk_model_str(model, image->pdb_path),
		.time_stamp = image->time_stamp,
		.image_bytes = image->image_bytes,
		.pid = image->pid,
		.map_offset = image->first_offset,
		.map_bytes = image->first_size_bytes,
		.mapped_wall_ns = mapped_wall_ns(model, image),
		.is_kernel = image->kind == WK_IMAGE_KERNEL,
	};
}
