#include "model/model.h"

#include <assert.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

/* The capacity of each table, and the indexes that find rows. */
struct wk_model_private {
	size_t images_cap, processes_cap, threads_cap, sources_cap, functions_cap;
	size_t embedded_cap, embedded_places_cap, embedded_bounds_cap, embedded_calls_cap;
	size_t facts_cap, notes_cap, heaps_cap, abouts_cap, marks_cap, counts_cap;
	uint64_t weight_left; /* until the sum of all weights would exceed 64 bits, or equal the
			       * largest number, which means "above all" */
	struct wk_index images, functions, frames, named_frames, sample_rows, interval_rows;
	struct wk_index abouts;
};

static void start_columns(struct wk_model *model)
{
	wk_model_add_frame(model, 0, 0);
	wk_model_add_named_frame(model, 0, 0, false);
	wk_trie_init(&model->stacks);
	wk_trie_init(&model->named);
}

struct wk_model *wk_model_new(void)
{
	struct wk_model *model = wk_alloc_zeroed(1, sizeof(*model));

	model->own = wk_alloc_zeroed(1, sizeof(*model->own));
	model->own->weight_left = UINT64_MAX - 1;
	model->text = wk_strtab_new();
	model->traits = model->input_traits = &wk_traits_linux;
	model->side_times[false].traits = model->side_times[true].traits = &wk_traits_linux;
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

static void free_columns(struct wk_model *model)
{
	WK_FREE_ALL(model->frames.image, model->frames.address, model->embedded_places,
		    model->embedded_bounds, model->embedded_calls, model->calls.first,
		    model->calls.function, model->calls.line, model->named_frames.function,
		    model->named_frames.frame, model->named_frames.is_inlined,
		    model->frames.function, model->frames.line, model->frames.is_inlined);
	wk_trie_fini(&model->stacks);
	if (!model->came_named)
		wk_trie_fini(&model->named);
	WK_FREE_ALL(model->samples.time_ns, model->samples.thread, model->samples.stack,
		    model->samples.weight, model->samples.source, model->samples.cpu,
		    model->samples.is_before, model->samples.times, model->samples.about,
		    model->ends.sample, model->ends.at_row, model->ends.time_ns, model->ends.weight,
		    model->ends.thread, model->ends.stack, model->spells.thread,
		    model->spells.doing, model->spells.begin_ns, model->spells.took_ns,
		    model->spells.about, model->spells.times, model->spells.longest_ns);
}

void wk_model_free(struct wk_model *model)
{
	if (!model)
		return;
	free_columns(model);
	WK_FREE_ALL(model->images, model->processes, model->threads, model->sources,
		    model->functions, model->embedded, model->facts, model->notes, model->heaps,
		    model->abouts, model->marks, model->counts, model->named_of,
		    model->reaches_root, model->has_user_part);
	wk_index_fini(&model->own->images);
	wk_index_fini(&model->own->functions);
	wk_index_fini(&model->own->frames);
	wk_index_fini(&model->own->named_frames);
	wk_index_fini(&model->own->sample_rows);
	wk_index_fini(&model->own->interval_rows);
	wk_index_fini(&model->own->abouts);
	wk_strtab_free(model->text);
	WK_FREE_ALL(model->own, model);
}

wk_text_id wk_model_text(struct wk_model *model, struct wk_str text)
{
	return wk_strtab_add_str(model->text, text);
}

static bool same_image(const void *table, uint32_t id, const void *key)
{
	const struct wk_image *a = &((const struct wk_model *)table)->images[id];
	const struct wk_image *b = key;

	return a->path == b->path && a->kind == b->kind && a->inode == b->inode &&
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
static void learn_image(struct wk_image *known, const struct wk_image *told)
{
	if (!known->pdb_path)
		known->pdb_path = told->pdb_path;
	if (!known->time_stamp) {
		known->time_stamp = told->time_stamp;
		known->image_bytes = told->image_bytes;
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
		.in_kernel = pid == WK_KERNEL_PID && kind == WK_IMAGE_FILE,
	};
	uint64_t hash = wk_hash_pair(wk_hash_pair(row.path, row.inode),
				     wk_hash_bytes(row.build_id.bytes, row.build_id.size));
	wk_image_id id = 0;

	if (model->image_count)
		id = find_image(model, &row, &hash);
	if (id) {
		learn_image(&model->images[id], &row);
		return id;
	}
	WK_RESERVE(model->images, model->own->images_cap, (size_t)model->image_count + 1);
	model->images[model->image_count] = row;
	if (model->image_count)
		wk_index_add(&model->own->images, hash, model->image_count);
	return model->image_count++;
}

wk_process_id wk_model_add_process(struct wk_model *model, const struct wk_process *process)
{
	WK_RESERVE(model->processes, model->own->processes_cap, (size_t)model->process_count + 1);
	model->processes[model->process_count] = *process;
	return model->process_count++;
}

wk_thread_id wk_model_add_thread(struct wk_model *model, const struct wk_thread *thread)
{
	assert(thread->process < model->process_count);
	WK_RESERVE(model->threads, model->own->threads_cap, (size_t)model->thread_count + 1);
	model->threads[model->thread_count] = *thread;
	return model->thread_count++;
}

wk_source_id wk_model_add_source(struct wk_model *model, const struct wk_source *source)
{
	WK_RESERVE(model->sources, model->own->sources_cap, (size_t)model->source_count + 1);
	model->sources[model->source_count] = *source;
	return model->source_count++;
}

wk_source_id wk_model_derived_source(struct wk_model *model, const char *name, const char *unit,
				     bool has_lifetimes)
{
	struct wk_source source = {
		.name = wk_model_text(model, wk_str_c(name)),
		.unit = wk_model_text(model, wk_str_c(unit)),
		.is_weighed = strcmp(unit, "events") != 0,
		.has_lifetimes = has_lifetimes,
	};

	for (wk_source_id id = 1; id < model->source_count; id++)
		if (model->sources[id].name == source.name &&
		    model->sources[id].unit == source.unit &&
		    model->sources[id].has_lifetimes == has_lifetimes)
			return id;
	return wk_model_add_source(model, &source);
}

static bool same_function(const void *table, uint32_t id, const void *key)
{
	const struct wk_function *a = &((const struct wk_model *)table)->functions[id];
	const struct wk_function *b = key;

	return a->name == b->name && a->linked == b->linked && a->image == b->image &&
	       a->file == b->file && a->kind == b->kind;
}

wk_function_id wk_model_add_function(struct wk_model *model, const struct wk_function *function)
{
	uint64_t hash = wk_hash_pair(wk_hash_pair(function->name, function->linked),
				     (uint64_t)function->file << 32 | function->image);
	wk_function_id id = 0;

	assert(function->image < model->image_count);
	if (model->function_count)
		id = wk_index_find(&model->own->functions, hash, same_function, model, function);
	if (id)
		return id;
	WK_RESERVE(model->functions, model->own->functions_cap, (size_t)model->function_count + 1);
	model->functions[model->function_count] = *function;
	if (model->function_count)
		wk_index_add(&model->own->functions, hash, model->function_count);
	return model->function_count++;
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

static void grow_frames(struct wk_frames *frames)
{
	WK_RESERVE(frames->image, frames->cap, (size_t)frames->count + 1);
	frames->address = wk_realloc(frames->address, frames->cap * sizeof(*frames->address));
	frames->function = wk_realloc(frames->function, frames->cap * sizeof(*frames->function));
	frames->line = wk_realloc(frames->line, frames->cap * sizeof(*frames->line));
	frames->is_inlined =
		wk_realloc(frames->is_inlined, frames->cap * sizeof(*frames->is_inlined));
}

static wk_frame_id intern_frame(struct wk_model *model, const struct frame_key *key)
{
	struct wk_frames *frames = &model->frames;
	uint64_t hash =
		wk_hash_pair(key->given.address,
			     (uint64_t)key->given.line << 32 |
				     (key->given.function ? key->given.function : key->image));
	wk_frame_id id = 0;

	assert(key->image < model->image_count);
	if (frames->count)
		id = wk_index_find(&model->own->frames, hash, same_frame, frames, key);
	if (id)
		return id;
	if (frames->count == frames->cap)
		grow_frames(frames);
	frames->image[frames->count] = key->image;
	frames->address[frames->count] = key->given.address;
	frames->function[frames->count] = key->given.function;
	frames->line[frames->count] = key->given.line;
	frames->is_inlined[frames->count] = key->given.is_inlined;
	if (frames->count)
		wk_index_add(&model->own->frames, hash, frames->count);
	return frames->count++;
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
	bool is_inlined;
};

static bool same_named_frame(const void *table, uint32_t id, const void *key)
{
	const struct wk_named_frames *frames = table;
	const struct named_frame_key *frame = key;

	return frames->function[id] == frame->function &&
	       frames->is_inlined[id] == frame->is_inlined;
}

uint32_t wk_model_add_named_frame(struct wk_model *model, wk_function_id function,
				  wk_frame_id frame, bool is_inlined)
{
	struct wk_named_frames *frames = &model->named_frames;
	struct named_frame_key key = { function, is_inlined };
	uint64_t hash = wk_hash_pair(function, is_inlined);
	uint32_t id = 0;

	assert(function < model->function_count && frame < model->frames.count);
	if (frames->count)
		id = wk_index_find(&model->own->named_frames, hash, same_named_frame, frames, &key);
	if (id)
		return id;
	if (frames->count == frames->cap) {
		WK_RESERVE(frames->function, frames->cap, (size_t)frames->count + 1);
		frames->frame = wk_realloc(frames->frame, frames->cap * sizeof(*frames->frame));
		frames->is_inlined =
			wk_realloc(frames->is_inlined, frames->cap * sizeof(*frames->is_inlined));
	}
	frames->function[frames->count] = function;
	frames->frame[frames->count] = frame;
	frames->is_inlined[frames->count] = is_inlined;
	if (frames->count)
		wk_index_add(&model->own->named_frames, hash, frames->count);
	return frames->count++;
}

void wk_model_add_embedded(struct wk_model *model, const struct wk_event_symbol *symbol)
{
	*WK_APPEND(model->embedded, model->embedded_count,
		   model->own->embedded_cap) = (struct wk_embedded_symbol){
		.at = { wk_model_text(model, symbol->image_path), symbol->build_id, symbol->start },
		.size_bytes = symbol->size_bytes,
		.name = wk_model_text(model, symbol->name),
	};
}

void wk_model_add_embedded_bounds(struct wk_model *model, const struct wk_event_bounds *bounds)
{
	struct wk_embedded_bounds row = {
		.at = { wk_model_text(model, bounds->image_path), bounds->build_id, bounds->start },
		.size_bytes = bounds->size_bytes,
		.is_root = bounds->is_root,
	};

	*WK_APPEND(model->embedded_bounds, model->embedded_bounds_count,
		   model->own->embedded_bounds_cap) = row;
}

void wk_model_add_embedded_place(struct wk_model *model, const struct wk_event_calls *calls)
{
	struct wk_embedded_place place = {
		.at = { wk_model_text(model, calls->image_path), calls->build_id, calls->address },
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

void wk_model_add_fact(struct wk_model *model, const struct wk_event_system *told)
{
	struct wk_fact fact = { wk_model_text(model, told->key), wk_model_text(model, told->value),
				wk_model_text(model, told->section) };

	*WK_APPEND(model->facts, model->fact_count, model->own->facts_cap) = fact;
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
	const struct wk_subject *a = &((const struct wk_model *)table)->abouts[id], *b = key;

	return a->heap == b->heap && a->what == b->what && a->by == b->by &&
	       a->by_interrupt == b->by_interrupt && a->could_run == b->could_run &&
	       a->mode == b->mode;
}

wk_subject_id wk_model_add_subject(struct wk_model *model, const struct wk_subject *about)
{
	uint64_t hash = wk_hash_pair((uint64_t)about->heap << 32 | about->what,
				     (uint64_t)about->by << 32 | (uint64_t)about->mode << 2 |
					     (uint64_t)about->by_interrupt << 1 | about->could_run);
	wk_subject_id id = wk_index_find(&model->own->abouts, hash, same_subject, model, about);

	assert(about->heap < model->heap_count && about->by < model->thread_count);
	if (id || (model->subject_count && same_subject(model, 0, about)))
		return id;
	WK_RESERVE(model->abouts, model->own->abouts_cap, (size_t)model->subject_count + 1);
	model->abouts[model->subject_count] = *about;
	if (model->subject_count)
		wk_index_add(&model->own->abouts, hash, model->subject_count);
	return model->subject_count++;
}

wk_heap_id wk_model_add_heap(struct wk_model *model, const struct wk_heap_row *heap)
{
	WK_RESERVE(model->heaps, model->own->heaps_cap, (size_t)model->heap_count + 1);
	model->heaps[model->heap_count] = *heap;
	return model->heap_count++;
}

void wk_model_add_mark(struct wk_model *model, const struct wk_mark *mark)
{
	*WK_APPEND(model->marks, model->mark_count, model->own->marks_cap) = *mark;
}

void wk_model_add_count(struct wk_model *model, const struct wk_count *count)
{
	*WK_APPEND(model->counts, model->count_count, model->own->counts_cap) = *count;
}

static void grow_samples(struct wk_samples *samples, size_t room)
{
	size_t count = samples->count;

	assert(room > count);

	samples->time_ns = wk_grow_table(samples->time_ns, count, room, sizeof(uint64_t));
	samples->thread = wk_grow_table(samples->thread, count, room, sizeof(wk_thread_id));
	samples->stack = wk_grow_table(samples->stack, count, room, sizeof(wk_stack_id));
	samples->weight = wk_grow_table(samples->weight, count, room, sizeof(uint64_t));
	samples->source = wk_grow_table(samples->source, count, room, sizeof(wk_source_id));
	samples->cpu = wk_grow_table(samples->cpu, count, room, sizeof(uint32_t));
	if (samples->is_before)
		samples->is_before = wk_realloc(samples->is_before, room);
	if (samples->times)
		samples->times = wk_grow_table(samples->times, count, room, sizeof(uint64_t));
	if (samples->about)
		samples->about = wk_grow_table(samples->about, count, room, sizeof(wk_subject_id));
	samples->cap = room;
}

static void make_room_for_sample(struct wk_samples *samples)
{
	size_t room = samples->cap ? samples->cap * 2 : 64;

	if (samples->count == samples->cap)
		grow_samples(samples, room < samples->expected ? samples->expected : room);
}

/* The column is there from the first sample on that needs it. */
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
		samples->times[i] =
			model->sources[samples->source[i]].counts_samples ? samples->weight[i] : 1;
}

static void see_side_time(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_side_time *side = &model->side_times[sample->is_before];

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

uint64_t wk_model_fit_weight(struct wk_model *model, uint64_t weight)
{
	static const struct wk_event_note cut = {
		.offset = WK_NOWHERE,
		.severity = WK_NOTE_FAULT,
		.text = WK_STR("the weights add up to more than 64 bits can hold; what is beyond "
			       "that was left out") };

	if (weight > model->own->weight_left) {
		wk_model_add_note(model, &cut);
		weight = model->own->weight_left;
	}
	model->own->weight_left -= weight;
	return weight;
}

void wk_model_expect_samples(struct wk_model *model, size_t count)
{
	struct wk_samples *samples = &model->samples;
	size_t need = samples->count + count;

	if (need > samples->cap)
		grow_samples(samples, need > samples->cap * 2 ? need : samples->cap * 2);
}

void wk_model_add_sample(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_samples *samples = &model->samples;

	assert(sample->source < model->source_count && sample->about < model->subject_count);
	make_room_for_sample(samples);
	samples->time_ns[samples->count] = sample->time_ns;
	samples->thread[samples->count] = sample->thread;
	samples->stack[samples->count] = sample->stack;
	samples->weight[samples->count] = sample->weight;
	samples->source[samples->count] = sample->source;
	samples->cpu[samples->count] = sample->cpu;
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

static void grow_ends(struct wk_ends *ends)
{
	size_t count = ends->count, room = ends->cap ? ends->cap * 2 : 64;

	ends->sample = wk_grow_table(ends->sample, count, room, sizeof(uint32_t));
	ends->at_row = wk_grow_table(ends->at_row, count, room, sizeof(uint32_t));
	ends->time_ns = wk_grow_table(ends->time_ns, count, room, sizeof(uint64_t));
	ends->weight = wk_grow_table(ends->weight, count, room, sizeof(uint64_t));
	ends->thread = wk_grow_table(ends->thread, count, room, sizeof(wk_thread_id));
	ends->stack = wk_grow_table(ends->stack, count, room, sizeof(wk_stack_id));
	ends->cap = room;
}

void wk_model_add_end(struct wk_model *model, const struct wk_end *end)
{
	struct wk_ends *ends = &model->ends;

	assert(end->sample < model->samples.count);
	assert(end->thread < model->thread_count && end->stack < model->stacks.count);
	if (ends->count == UINT32_MAX)
		return;
	if (ends->count == ends->cap)
		grow_ends(ends);
	ends->sample[ends->count] = end->sample;
	ends->at_row[ends->count] = model->samples.count;
	ends->time_ns[ends->count] = end->time_ns;
	ends->weight[ends->count] = end->weight;
	ends->thread[ends->count] = end->thread;
	ends->stack[ends->count] = end->stack;
	ends->count++;
}

static bool same_row(const void *table, uint32_t id, const void *key)
{
	const struct wk_samples *samples = table;
	const struct wk_sample *sample = key;
	uint32_t row = id - 1;

	return samples->stack[row] == sample->stack && samples->thread[row] == sample->thread &&
	       samples->source[row] == sample->source &&
	       (samples->about ? samples->about[row] : 0) == sample->about &&
	       (samples->is_before && samples->is_before[row]) == sample->is_before;
}

void wk_model_sum_sample(struct wk_model *model, const struct wk_sample *sample)
{
	struct wk_samples *samples = &model->samples;
	uint64_t hash = wk_hash_pair((uint64_t)sample->stack << 32 | sample->thread,
				     (uint64_t)sample->about << 32 | (uint64_t)sample->source << 1 |
					     sample->is_before);
	uint32_t id = wk_index_find(&model->own->sample_rows, hash, same_row, samples, sample);

	if (!id) {
		have_times(model);
		wk_model_add_sample(model, sample);
		wk_index_add(&model->own->sample_rows, hash, samples->count);
		return;
	}
	assert(samples->times && id <= samples->count);
	samples->weight[id - 1] += sample->weight;
	samples->times[id - 1] += times_of(model, sample);
	see_time(model, sample);
}

static void grow_intervals(struct wk_intervals *spells)
{
	size_t count = spells->count, room = spells->cap ? spells->cap * 2 : 64;

	spells->thread = wk_grow_table(spells->thread, count, room, sizeof(wk_thread_id));
	spells->doing = wk_grow_table(spells->doing, count, room, 1);
	spells->about = wk_grow_table(spells->about, count, room, sizeof(wk_subject_id));
	spells->begin_ns = wk_grow_table(spells->begin_ns, count, room, sizeof(uint64_t));
	spells->took_ns = wk_grow_table(spells->took_ns, count, room, sizeof(uint64_t));
	if (spells->times) {
		spells->times = wk_grow_table(spells->times, count, room, sizeof(uint64_t));
		spells->longest_ns =
			wk_grow_table(spells->longest_ns, count, room, sizeof(uint64_t));
	}
	spells->cap = room;
}

void wk_model_add_interval(struct wk_model *model, const struct wk_interval *interval)
{
	struct wk_intervals *spells = &model->spells;

	assert(interval->thread < model->thread_count && interval->about < model->subject_count);
	if (spells->count == UINT32_MAX)
		return;
	if (spells->count == spells->cap)
		grow_intervals(spells);
	spells->thread[spells->count] = interval->thread;
	spells->doing[spells->count] = (uint8_t)interval->doing;
	spells->about[spells->count] = interval->about;
	spells->begin_ns[spells->count] = interval->begin_ns;
	spells->took_ns[spells->count] = interval->took_ns;
	if (spells->times) {
		spells->times[spells->count] = 1;
		spells->longest_ns[spells->count] = interval->took_ns;
	}
	spells->count++;
}

static bool same_interval(const void *table, uint32_t id, const void *key)
{
	const struct wk_intervals *spells = table;
	const struct wk_interval *interval = key;

	return spells->thread[id - 1] == interval->thread &&
	       spells->about[id - 1] == interval->about &&
	       spells->doing[id - 1] == (uint8_t)interval->doing;
}

void wk_model_sum_interval(struct wk_model *model, const struct wk_interval *interval)
{
	struct wk_intervals *spells = &model->spells;
	uint64_t hash =
		wk_hash_pair((uint64_t)interval->about << 32 | interval->thread, interval->doing);
	uint32_t id =
		wk_index_find(&model->own->interval_rows, hash, same_interval, spells, interval);

	if (id) {
		assert(spells->times && id <= spells->count);
		spells->took_ns[id - 1] += interval->took_ns;
		spells->times[id - 1]++;
		if (interval->took_ns > spells->longest_ns[id - 1])
			spells->longest_ns[id - 1] = interval->took_ns;
		return;
	}
	if (!spells->times) {
		grow_intervals(spells);
		spells->times = wk_alloc_table_zeroed(spells->cap, sizeof(uint64_t));
		spells->longest_ns = wk_alloc_table_zeroed(spells->cap, sizeof(uint64_t));
	}
	wk_model_add_interval(model, interval);
	wk_index_add(&model->own->interval_rows, hash, spells->count);
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
		.is_kernel = image->kind == WK_IMAGE_KERNEL,
	};
}
