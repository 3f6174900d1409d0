#include "base/mem.h"

#include <assert.h>
#include "base/strtab.h"
#include "model/builder_internal.h"
#include "model/stack_lists.h"

struct wk_builder *wk_builder_new(struct wk_model *model)
{
	struct wk_builder *builder = wk_alloc_zeroed(1, sizeof(*builder));

	builder->model = builder->memory.model = model;
	builder->heaps = wk_heap_lifetimes_new(model);
	builder->heap_sums = wk_heap_sums_new(model);
	builder->waits = wk_waits_new(model);
	wk_builder_forget_numbers(builder);
	wk_builder_next_input(builder);
	return builder;
}

void wk_builder_free(struct wk_builder *builder)
{
	if (!builder)
		return;
	wk_spaces_free(builder->spaces);
	wk_jit_code_free(builder->code);
	wk_memory_lifetimes_fini(&builder->memory);
	wk_heap_moments_fini(&builder->moments);
	wk_heap_sums_free(builder->heap_sums);
	wk_waits_free(builder->waits);
	wk_map_fini(&builder->process_of);
	wk_map_fini(&builder->thread_of);
	wk_map_fini(&builder->source_of);
	wk_map_fini(&builder->image_of_path);
	wk_map_fini(&builder->numbered);
	wk_map_fini(&builder->owner_numbers);
	wk_builder_forget_groups(builder);
	wk_heap_lifetimes_free(builder->heaps);
	WK_FREE_ALL(builder->frame_of_number, builder->stack_of_number, builder->groups,
		    builder->block_owners, builder->block_groups);
	for (size_t i = 0; i < WK_RECENT_THREADS; i++) {
		WK_FREE_ALL(builder->recent[i].user.address, builder->recent[i].user.stack,
			    builder->recent[i].kernel.address, builder->recent[i].kernel.stack);
	}
	wk_free(builder);
}

void wk_builder_next_input(struct wk_builder *builder)
{
	wk_builder_find_parents(builder);
	builder->first_process = builder->model->process_count;
	wk_waits_finish(builder->waits);
	builder->model->input_number = ++builder->inputs;
	builder->generation++;
	for (size_t i = 0; i < WK_RECENT_THREADS; i++)
		builder->recent[i].user.count = builder->recent[i].kernel.count = 0;
	wk_strtab_forget_places(builder->model->text);
	builder->may_count_anew = true;
	builder->model->input_traits = &wk_traits_linux;
	builder->moments.request = (struct wk_event_snapshot_request){ 0 };
	wk_map_fini(&builder->source_of);
	wk_map_fini(&builder->process_of);
	wk_map_fini(&builder->thread_of);
	wk_spaces_free(builder->spaces);
	builder->spaces = wk_spaces_new();
	wk_jit_code_free(builder->code);
	builder->code = wk_jit_code_new(builder->model);
	memset(builder->cache, 0, sizeof(builder->cache));
	wk_map_fini(&builder->numbered);
	wk_map_fini(&builder->owner_numbers);
	wk_builder_forget_groups(builder);
}

static wk_source_id source_row(struct wk_builder *builder, uint32_t number)
{
	uint32_t *row = wk_map_at(&builder->source_of, (uint64_t)number + 1);

	if (!*row)
		*row = wk_model_add_source(builder->model, &(struct wk_source){ .number = number });
	return *row;
}

static void handle_sample(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_sample *taken = &event->sample;
	struct wk_recent_thread *recent = wk_builder_recent_thread(builder, event->pid, event->tid);
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
		sample.stack = wk_builder_stack_of_number(builder, taken->named_stack);
	else
		sample.stack = wk_builder_stack_of(builder, recent, taken);
	if (taken->named_stack)
		wk_model_add_sample(builder->model, &sample);
	else
		wk_model_put_sample(builder->model, &sample);
}

/* A sum without a stack is for samples at an unknown address. */
static wk_stack_id stack_of_sum(struct wk_builder *builder, const struct wk_event_whose *whose,
				uint32_t number)
{
	static const struct wk_event_sample unknown = { 0 };

	if (number || whose->pid == WK_NO_PID)
		return wk_builder_stack_of_number(builder, number);
	return wk_builder_stack_of(
		builder, wk_builder_recent_thread(builder, whose->pid, whose->tid), &unknown);
}

static void handle_sums(struct wk_builder *builder, const struct wk_event_sums *sums)
{
	struct wk_sample *whose = wk_alloc_zeroed(sums->whose_count, sizeof(*whose));

	for (size_t i = 0; i < sums->whose_count; i++)
		whose[i] = (struct wk_sample){
			.thread = wk_builder_thread_row(builder, sums->whose[i].pid,
							sums->whose[i].tid),
			.source = source_row(builder, sums->whose[i].source),
			.is_before = sums->is_before,
		};
	wk_model_expect_samples(builder->model, sums->count);
	for (size_t i = 0; i < sums->count; i++) {
		const struct wk_event_sum *sum = &sums->at[i];
		struct wk_sample sample = whose[sum->whose];

		assert(sum->whose < sums->whose_count);
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
	wk_free(whose);
}

static bool are_known(const struct wk_builder *builder, const struct wk_event_lists *lists)
{
	size_t count = wk_event_lists_frames(lists);
	bool ok = true;

	for (size_t i = 0; i < count; i++)
		ok &= lists->frames[i] && lists->frames[i] < builder->frame_numbers;
	return ok;
}

static bool handle_lists(struct wk_builder *builder, const struct wk_event_lists *lists,
			 struct wk_err *err)
{
	struct wk_model *model = builder->model;
	struct wk_sample sums = { .source = source_row(builder, 0), .cpu = WK_NO_CPU,
				  .is_before = lists->is_before };

	if (!are_known(builder, lists))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "a list has a frame that was not emitted before");
	if (lists->count)
		wk_model_add_lists(model, wk_model_sum_row(model, &sums), lists,
				   builder->frame_of_number);
	if (model->lists.frame_count > WK_MOST_LISTED_FRAMES)
		wk_model_stack_lists(model);
	return true;
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

static void handle_source(struct wk_builder *builder, const struct wk_event_source *source)
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
	if (*id) {
		row.lost_samples = builder->model->sources[*id].lost_samples;
		row.lost_before = builder->model->sources[*id].lost_before;
		builder->model->sources[*id] = row;
	} else {
		*id = wk_model_add_source(builder->model, &row);
	}
}

static void count_lost_before(struct wk_model *model, const struct wk_event_lost *lost,
			      wk_source_id id)
{
	model->lost_before += lost->count;
	if (lost->samples_only && id)
		model->sources[id].lost_before += lost->count + lost->count_before;
}

static void handle_lost(struct wk_builder *builder, const struct wk_event_lost *lost)
{
	struct wk_model *model = builder->model;
	wk_source_id id =
		lost->has_source ? wk_map_find(&builder->source_of, (uint64_t)lost->source + 1) : 0;

	*(lost->samples_only ? &model->lost_samples : &model->lost_records) += lost->count;
	if (lost->samples_only && id) {
		model->sources[id].lost_samples += lost->count + lost->count_before;
	} else if (!lost->samples_only && lost->count_before <= model->lost_samples) {
		model->lost_samples -= lost->count_before;
		model->lost_records += lost->count_before;
	}
	if (lost->is_before)
		count_lost_before(model, lost, id);
}

static void handle_symbol(struct wk_builder *builder, const struct wk_event *event)
{
	if (event->symbol.image_path.len)
		wk_model_add_embedded(builder->model, &event->symbol);
	else if (wk_jit_code_add(builder->code, event))
		wk_spaces_touch(builder->spaces, event->pid);
}

static void handle_fact(struct wk_builder *builder, const struct wk_event_system *fact)
{
	if (fact->traits)
		builder->model->traits = builder->model->input_traits = fact->traits;
	wk_model_add_fact(builder->model, fact);
}

/* Of each block or sum of blocks: allocated, freed, temporary. Its peak becomes another one at the
 * end. */
#define MOST_ROWS_OF_AN_EVENT (4 * WK_MOST_BLOCKS)

static bool is_full(const struct wk_model *model)
{
	return model->samples.count >= UINT32_MAX - MOST_ROWS_OF_AN_EVENT ||
	       model->stacks.count == UINT32_MAX;
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_builder *builder = context;
	struct wk_model *model = builder->model;

	if (is_full(model))
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "more than 4 billion samples or stacks in one recording");
	switch (event->kind) {
	case WK_EVENT_SYSTEM:
		handle_fact(builder, &event->system);
		break;
	case WK_EVENT_SOURCE:
		handle_source(builder, &event->source);
		break;
	case WK_EVENT_PROCESS:
		builder->generation++;
		wk_builder_add_process(builder, event);
		wk_spaces_update(builder->spaces, event, 0);
		wk_jit_code_add(builder->code, event);
		break;
	case WK_EVENT_THREAD:
		builder->generation++;
		wk_builder_add_thread(builder, event);
		wk_spaces_update(builder->spaces, event, 0);
		wk_jit_code_add(builder->code, event);
		break;
	case WK_EVENT_IMAGE:
		wk_builder_add_image(builder, event);
		break;
	case WK_EVENT_SYMBOL:
		handle_symbol(builder, event);
		break;
	case WK_EVENT_BOUNDS:
		wk_model_add_embedded_bounds(model, &event->bounds);
		break;
	case WK_EVENT_CALLS:
		wk_model_add_embedded_place(model, &event->calls);
		break;
	case WK_EVENT_FRAME:
		return wk_builder_add_frame(builder, &event->frame, err);
	case WK_EVENT_STACKS:
		return wk_builder_add_stacks(builder, &event->stacks, err);
	case WK_EVENT_SAMPLE:
		handle_sample(builder, event);
		break;
	case WK_EVENT_SUMS:
		handle_sums(builder, &event->sums);
		break;
	case WK_EVENT_LISTS:
		return handle_lists(builder, &event->lists, err);
	case WK_EVENT_LOST:
		handle_lost(builder, &event->lost);
		break;
	case WK_EVENT_NOTE:
		wk_model_add_note(model, &event->note);
		break;
	case WK_EVENT_MEMORY:
		wk_builder_add_memory(builder, event);
		break;
	case WK_EVENT_HEAP:
		wk_builder_add_heap(builder, event);
		break;
	case WK_EVENT_BLOCKS:
		wk_builder_add_blocks(builder, event);
		break;
	case WK_EVENT_HEAP_SUM:
		wk_builder_add_heap_sum(builder, event);
		break;
	case WK_EVENT_SNAPSHOT:
		wk_builder_add_snapshot(builder, event);
		break;
	case WK_EVENT_SNAPSHOT_REQUEST:
		builder->moments.request = event->snapshot_request;
		break;
	case WK_EVENT_SWITCH:
		wk_builder_add_switch(builder, event);
		break;
	case WK_EVENT_READY:
		wk_builder_add_ready(builder, event);
		break;
	case WK_EVENT_MARK:
		wk_builder_add_mark(builder, event);
		break;
	case WK_EVENT_COUNT:
		wk_builder_add_count(builder, &event->count);
		break;
	case WK_EVENT_HEAP_STREAM: /* for those who copy recordings */
	case WK_EVENT_OTHER:
	case WK_EVENT_NONE:
	case WK_EVENT_KINDS:
		break;
	}
	return true;
}

struct wk_sink wk_builder_sink(struct wk_builder *builder)
{
	return (struct wk_sink){ .take = take, .context = builder, .accepts_blocks = true };
}

void wk_builder_use_peaks(struct wk_builder *builder, const struct wk_heap_peaks *peaks)
{
	builder->moments.peaks = peaks;
}

struct wk_heap_peaks wk_builder_peaks(const struct wk_builder *builder)
{
	return wk_heap_moments_peaks(&builder->moments);
}

void wk_builder_finish(struct wk_builder *builder)
{
	wk_builder_find_parents(builder);
	wk_waits_finish(builder->waits);
	wk_heap_lifetimes_finish(builder->heaps);
	wk_heap_sums_finish(builder->heap_sums);
	wk_builder_name_all(builder->model);
	wk_model_settle_lists(builder->model);
	wk_model_see_begin(builder->model);
}
