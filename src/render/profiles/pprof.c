/* pprof's profile.proto: samples of one stack in one thread are one sample. A location is a place
 * in the code with a line for each function inlined there, innermost first. docs/export.md
 * describes the output. */

#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/proto.h"
#include "base/text/utf8.h"
#include "base/trie.h"
#include "event/pdb_id.h"
#include "render/profiles/sampled.h"
#include "render/renderers.h"
#include "views/filter/by_thread.h"
#include "views/wall_clock.h"

/* Fields of the messages, by their numbers in profile.proto; messages of plain numbers are written
 * whole (ADD_FIELDS). */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LOCATION_LINE = 4 };

struct writing {
	const struct wk_view *view;
	const struct wk_model *model;
	struct wk_out *out;
	struct wk_by_thread by;
	struct wk_strtab *texts;
	uint32_t text_count;
	/* A run is a frame with those behind it that say they were inlined into it. */
	struct wk_trie runs;   /* labels are recorded frames */
	uint32_t *run_of;      /* [stacks.count]: the run that a stack ends in */
	uint32_t *location_of; /* [runs.count]: number of a run's location, or 0 */
	uint32_t location_count;
	uint8_t *is_function;     /* [function_count]: some location names it */
	uint8_t *mapping_has;     /* [image_count]: 0: not in use */
	uint64_t *count, *weight; /* [stacks.count]: of the thread at hand */
	wk_stack_id *met;         /* its stacks */
	uint32_t met_count;
	size_t met_cap;
	bool has_weights; /* in addition to numbers of samples */
	struct wk_buf profile, message, inner;
};

enum mapping_has {
	HAS_LOCATION = 1,
	HAS_FUNCTIONS = 2,
	HAS_FILES = 4,
	HAS_LINES = 8,
	HAS_INLINED = 16
};

static uint64_t text(struct writing *w, struct wk_str words)
{
	uint32_t id = wk_strtab_add_str(w->texts, words);

	if (id >= w->text_count)
		w->text_count = id + 1;
	return id;
}

static uint64_t text_of(struct writing *w, wk_text_id id)
{
	return text(w, wk_model_str(w->model, id));
}

/* Adds numbers to a message: those of its fields from 1 on. */
#define ADD_FIELDS(message, ...) \
	add_fields(message, (const uint64_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void add_fields(struct wk_buf *message, const uint64_t *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		wk_proto_add_number(message, i + 1, numbers[i]);
}

/* The message at hand is done: it becomes a field of the profile. */
static void end_message(struct writing *w, uint32_t field)
{
	wk_buf_reset(&w->profile);
	wk_proto_add_bytes(&w->profile, field, wk_buf_str(&w->message));
	wk_out_str(w->out, wk_buf_str(&w->profile));
	wk_buf_reset(&w->message);
}

static void end_inner(struct writing *w, uint32_t field)
{
	wk_proto_add_bytes(&w->message, field, wk_buf_str(&w->inner));
	wk_buf_reset(&w->inner);
}

static void write_number(struct writing *w, uint32_t field, uint64_t value)
{
	wk_buf_reset(&w->profile);
	wk_proto_add_number(&w->profile, field, value);
	wk_out_str(w->out, wk_buf_str(&w->profile));
}

/* --- Runs ---------------------------------------------------------------------------------- */

static bool goes_on(const struct wk_model *model, wk_stack_id stack)
{
	return model->stacks.entries[stack].parent &&
	       model->frames.is_inlined[model->stacks.entries[stack].label];
}

/* A parent's id is smaller than its children's. */
static void find_runs(struct writing *w)
{
	const struct wk_trie *stacks = &w->model->stacks;

	wk_trie_init(&w->runs);
	w->run_of = wk_alloc_zeroed(stacks->count, sizeof(*w->run_of));
	for (wk_stack_id id = 1; id < stacks->count; id++)
		w->run_of[id] = wk_trie_add(
			&w->runs, goes_on(w->model, id) ? w->run_of[stacks->entries[id].parent] : 0,
			stacks->entries[id].label);
	w->location_of = wk_alloc_zeroed(w->runs.count, sizeof(*w->location_of));
}

/* --- Samples ------------------------------------------------------------------------------- */

static void write_type(struct writing *w, uint32_t field, const char *type, struct wk_str unit)
{
	uint64_t type_text = text(w, wk_str_c(type));

	ADD_FIELDS(&w->message, type_text, text(w, unit));
	end_message(w, field);
}

/* What the weights are, in pprof's words. */
static const char *type_name(const struct writing *w)
{
	const struct wk_source *source = &w->model->sources[w->view->filter->source];
	bool is_time = wk_str_is(wk_model_str(w->model, source->unit), "ns");

	return source->is_cpu_time && is_time ? "cpu" : wk_strtab_get(w->model->text, source->name);
}

static struct wk_str type_unit(const struct writing *w)
{
	struct wk_str unit = wk_sampled_unit(w->view);

	if (wk_str_is(unit, "ns"))
		return wk_str_c("nanoseconds");
	if (wk_str_is(unit, "bytes") || wk_str_is(unit, WK_UNIT_THOUSANDTHS))
		return unit;
	return wk_str_c("count");
}

static uint64_t mean_weight(const struct writing *w)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->by.thread_count; i++)
		sum += w->by.threads[i].weight;
	return w->view->filter->in_view ? sum / w->view->filter->in_view : 0;
}

static void write_types(struct writing *w)
{
	write_type(w, PROFILE_SAMPLE_TYPE, "samples", wk_str_c("count"));
	if (!w->has_weights)
		return;
	write_type(w, PROFILE_SAMPLE_TYPE, type_name(w), type_unit(w));
	write_type(w, PROFILE_PERIOD_TYPE, type_name(w), type_unit(w));
	write_number(w, PROFILE_PERIOD, mean_weight(w));
	write_number(w, PROFILE_DEFAULT_TYPE, text(w, wk_str_c(type_name(w))));
}

/* A text or a number; the other one is 0. */
static void add_label(struct writing *w, const char *key, wk_text_id value, uint32_t number)
{
	uint64_t key_text = text(w, wk_str_c(key));

	ADD_FIELDS(&w->inner, key_text, text_of(w, value), number);
	end_inner(w, SAMPLE_LABEL);
}

static void add_labels(struct writing *w, wk_thread_id id)
{
	const struct wk_thread *thread = &w->model->threads[id];
	const struct wk_process *process = &w->model->processes[thread->process];

	if (!id)
		return;
	if (process->pid < WK_UNKNOWN_PID)
		add_label(w, "pid", 0, process->pid);
	if (thread->tid < WK_NO_PID)
		add_label(w, "tid", 0, thread->tid);
	if (process->name)
		add_label(w, "process_name", process->name, 0);
	if (thread->name)
		add_label(w, "thread_name", thread->name, 0);
}

/* Innermost first; inlined calls belong to the location of their caller. */
static void add_locations(struct writing *w, wk_stack_id stack)
{
	const struct wk_trie *stacks = &w->model->stacks;

	while (stack) {
		uint32_t *location = &w->location_of[w->run_of[stack]];

		if (!*location)
			*location = ++w->location_count;
		wk_proto_add_packed(&w->inner, *location);
		while (goes_on(w->model, stack))
			stack = stacks->entries[stack].parent;
		stack = stacks->entries[stack].parent;
	}
	end_inner(w, SAMPLE_LOCATION);
}

static void write_sample(struct writing *w, wk_thread_id thread, wk_stack_id stack)
{
	add_locations(w, stack);
	wk_proto_add_packed(&w->inner, w->count[stack]);
	if (w->has_weights)
		wk_proto_add_packed(&w->inner, w->weight[stack]);
	end_inner(w, SAMPLE_VALUE);
	add_labels(w, thread);
	end_message(w, PROFILE_SAMPLE);
}

static void write_thread(struct writing *w, const struct wk_thread_samples *thread)
{
	w->met_count = 0;
	for (uint32_t i = 0; i < thread->count; i++) {
		uint32_t row = w->by.rows[thread->first + i];
		wk_stack_id stack = w->model->samples.stack[row];

		if (!w->count[stack])
			*WK_APPEND(w->met, w->met_count, w->met_cap) = stack;
		w->count[stack] += wk_filter_times(w->view->filter, w->model, row);
		w->weight[stack] += wk_sampled_weight(w->view, row);
	}
	for (uint32_t i = 0; i < w->met_count; i++) {
		write_sample(w, thread->thread, w->met[i]);
		w->count[w->met[i]] = w->weight[w->met[i]] = 0;
	}
}

/* --- Locations, functions, mappings -------------------------------------------------------- */

static void add_line(struct writing *w, wk_function_id function, uint32_t line, uint8_t *has)
{
	ADD_FIELDS(&w->inner, function, line);
	end_inner(w, LOCATION_LINE);
	w->is_function[function] = 1;
	*has |= w->model->functions[function].is_unnamed ? 0 : HAS_FUNCTIONS;
	*has |= (w->model->functions[function].file ? HAS_FILES : 0) | (line ? HAS_LINES : 0);
}

/* As it was in the memory of the first process that had the image. */
static uint64_t address_of(const struct wk_model *model, wk_frame_id frame)
{
	const struct wk_image *image = &model->images[model->frames.image[frame]];
	uint64_t address = model->frames.address[frame];

	if (model->frames.function[frame] ||
	    (image->kind != WK_IMAGE_FILE && image->kind != WK_IMAGE_VDSO))
		return address;
	return image->first_start + (address - image->first_offset);
}

static void write_location(struct writing *w, uint32_t run)
{
	const struct wk_model *model = w->model;
	uint32_t outermost = run, lines = 0;
	uint8_t has = HAS_LOCATION;
	wk_image_id image;

	while (w->runs.entries[outermost].parent)
		outermost = w->runs.entries[outermost].parent;
	image = model->frames.image[w->runs.entries[outermost].label];
	ADD_FIELDS(&w->message, w->location_of[run], image,
		   address_of(model, w->runs.entries[outermost].label));
	for (; run; run = w->runs.entries[run].parent) {
		struct wk_frame_calls calls = wk_model_calls_of(model, w->runs.entries[run].label);

		lines += calls.count;
		for (uint32_t i = calls.count; i-- > 0;)
			add_line(w, calls.function[i], calls.line[i], &has);
	}
	w->mapping_has[image] |= (uint8_t)(has | (lines > 1 ? HAS_INLINED : 0));
	end_message(w, PROFILE_LOCATION);
}

/* If a name equals its linkage name, pprof demangles it and then removes bracketed parts:
 * "(anonymous namespace)", the parameters of a lambda. So the linkage name is left out if the name
 * is equal, or comes from debug information. */
static wk_text_id linkage_name(const struct wk_model *model, const struct wk_function *function)
{
	struct wk_str linked = wk_model_str(model, function->linked);

	for (size_t i = 0; i < linked.len; i++)
		if (strchr(" (<{", linked.at[i]))
			return 0;
	return function->linked == function->name ? 0 : function->linked;
}

static void write_function(struct writing *w, wk_function_id id)
{
	const struct wk_function *function = &w->model->functions[id];
	uint64_t name = text_of(w, function->name);
	uint64_t linked = text_of(w, linkage_name(w->model, function));

	ADD_FIELDS(&w->message, id, name, linked, text_of(w, function->file));
	end_message(w, PROFILE_FUNCTION);
}

/* Any text that identifies a build: for a Windows program, its key in symbol stores. */
static uint64_t build_id_text(struct writing *w, const struct wk_image *image)
{
	struct wk_buf id = { 0 };
	uint64_t number;

	wk_build_id_add(&id, &image->build_id, image->pdb_path != 0);
	number = text(w, wk_buf_str(&id));
	wk_buf_fini(&id);
	return number;
}

static void write_mapping(struct writing *w, wk_image_id id)
{
	const struct wk_image *image = &w->model->images[id];
	uint64_t limit = image->first_start + image->first_size_bytes;
	uint64_t path = text_of(w, image->path);
	uint8_t has = w->mapping_has[id];

	ADD_FIELDS(&w->message, id, image->first_start, limit,
		   image->kind == WK_IMAGE_KERNEL ? 0 : image->first_offset, path,
		   build_id_text(w, image), !!(has & HAS_FUNCTIONS), !!(has & HAS_FILES),
		   !!(has & HAS_LINES), !!(has & HAS_INLINED));
	end_message(w, PROFILE_MAPPING);
}

/* The program: pprof names a profile after its first mapping. 0 if no file has the name of the
 * heaviest process. */
static wk_image_id program_of(const struct writing *w)
{
	const struct wk_model *model = w->model;
	const struct wk_thread_samples *best = w->by.threads;
	struct wk_str name;

	for (uint32_t i = 1; i < w->by.thread_count; i++)
		if (w->by.threads[i].weight > best->weight)
			best = &w->by.threads[i];
	name = wk_model_str(model, model->processes[model->threads[best->thread].process].name);
	for (wk_image_id id = 1; name.len && id < model->image_count; id++) {
		struct wk_str file = wk_model_str(model, model->images[id].name);

		if (w->mapping_has[id] && file.len >= name.len &&
		    memcmp(file.at, name.at, name.len) == 0)
			return id;
	}
	return 0;
}

static void write_mappings(struct writing *w)
{
	wk_image_id program = program_of(w);

	if (program)
		write_mapping(w, program);
	for (wk_image_id id = 1; id < w->model->image_count; id++)
		if (w->mapping_has[id] && id != program)
			write_mapping(w, id);
}

static void write_tables(struct writing *w)
{
	for (uint32_t run = 1; run < w->runs.count; run++)
		if (w->location_of[run])
			write_location(w, run);
	for (wk_function_id id = 1; id < w->model->function_count; id++)
		if (w->is_function[id])
			write_function(w, id);
	write_mappings(w);
}

/* --- The profile --------------------------------------------------------------------------- */

static void write_comments(struct writing *w)
{
	struct wk_quality facts = *w->view->quality;
	struct wk_buf line = { 0 };

	wk_buf_add_text(&line, "written by wick " WICK_VERSION ": ");
	facts.facts_only = true;
	wk_quality_line(&facts, &line);
	write_number(w, PROFILE_COMMENT, text(w, wk_buf_str(&line)));
	wk_buf_fini(&line);
}

/* A message's text must be valid UTF-8. */
static void write_texts(struct writing *w)
{
	for (uint32_t id = 0; id < w->text_count; id++) {
		struct wk_str words = wk_strtab_str(w->texts, id);

		wk_buf_reset(&w->inner);
		while (words.len) {
			uint32_t character = wk_utf8_next(&words);

			wk_utf8_add(&w->inner, character == WK_UTF8_BROKEN ? 0xfffd : character);
		}
		wk_buf_reset(&w->profile);
		wk_proto_add_bytes(&w->profile, PROFILE_STRING, wk_buf_str(&w->inner));
		wk_out_str(w->out, wk_buf_str(&w->profile));
	}
}

static void fini(struct writing *w)
{
	wk_by_thread_fini(&w->by);
	wk_strtab_free(w->texts);
	wk_trie_fini(&w->runs);
	WK_FREE_ALL(w->run_of, w->location_of, w->is_function, w->mapping_has, w->count, w->weight,
		    w->met);
	WK_BUF_FINI_ALL(&w->profile, &w->message, &w->inner);
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	const struct wk_model *model = view->model;
	struct writing w = { .view = view, .model = model, .out = out };
	uint64_t wall_ns;

	if (!wk_sampled_check(view, err))
		return false;
	w.texts = wk_strtab_new();
	w.text_count = 1; /* the empty one */
	w.is_function = wk_alloc_zeroed(model->function_count, 1);
	w.mapping_has = wk_alloc_zeroed(model->image_count, 1);
	w.count = wk_alloc_zeroed(model->stacks.count, sizeof(*w.count));
	w.weight = wk_alloc_zeroed(model->stacks.count, sizeof(*w.weight));
	w.has_weights = view->by_weight && !model->sources[view->filter->source].counts_samples;
	wk_by_thread_init(&w.by, model, view->filter);
	find_runs(&w);
	write_types(&w);
	for (uint32_t i = 0; i < w.by.thread_count; i++)
		write_thread(&w, &w.by.threads[i]);
	write_tables(&w);
	if (wk_wall_clock_of(model, &wall_ns))
		write_number(&w, PROFILE_TIME, wall_ns);
	write_number(&w, PROFILE_DURATION, model->last_ns - model->first_ns);
	write_comments(&w);
	write_texts(&w);
	fini(&w);
	return true;
}

const struct wk_renderer wk_renderer_pprof = {
	.name = "pprof",
	.summary = "a protocol buffer for pprof (go tool pprof ...), packed",
	.wants = WK_RENDER_SAMPLES,
	.render = render,
};
