#include "views/quality.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "event/advice.h"

#define MOST_CLOSED_SHOWN 2
#define MOST_OTHERS_SHOWN 3
#define MOST_NOTES_SHOWN  2

#define LEAST_STACKS_JUDGED 50

/* How deep each named stack is, and how many of its frames have no name. */
struct depths {
	uint32_t *frames;
	uint32_t *unnamed; /* NULL: all have one */
};

static bool has_unnamed(const struct wk_model *model)
{
	for (wk_function_id i = 1; i < model->function_count; i++)
		if (model->functions[i].is_unnamed)
			return true;
	return false;
}

static struct depths measure_stacks(const struct wk_model *model)
{
	const struct wk_trie *named = &model->named;
	struct depths depths = {
		.frames = wk_alloc_zeroed((size_t)named->count + 1, sizeof(*depths.frames)),
	};

	if (has_unnamed(model))
		depths.unnamed = wk_alloc_zeroed((size_t)named->count + 1, sizeof(*depths.unnamed));
	for (uint32_t i = 1; i < named->count; i++) {
		wk_stack_id parent = named->entries[i].parent;
		wk_function_id function;

		depths.frames[i] = depths.frames[parent] + 1;
		if (!depths.unnamed)
			continue;
		function = model->named_frames.function[named->entries[i].label];
		depths.unnamed[i] = depths.unnamed[parent] + model->functions[function].is_unnamed;
	}
	return depths;
}

static bool is_closed(const struct wk_image *image)
{
	return !image->has_names && image->path &&
	       (image->state == WK_IMAGE_MISSING || image->state == WK_IMAGE_DIFFERS ||
		image->state == WK_IMAGE_UNREADABLE);
}

/* Counts a stack's samples once for each closed image that it passes through. `last_stack`
 * is the last stack that met each image. */
static void count_stack(const struct wk_model *model, wk_stack_id stack, uint64_t samples,
			wk_stack_id *last_stack, uint64_t *samples_of)
{
	for (wk_stack_id at = stack; at; at = model->named.entries[at].parent) {
		wk_function_id function =
			model->named_frames.function[model->named.entries[at].label];
		wk_image_id image = model->functions[function].image;

		if (last_stack[image] == stack || !is_closed(&model->images[image]))
			continue;
		last_stack[image] = stack;
		samples_of[image] += samples;
	}
}

static void add_closed(struct wk_quality *quality, wk_image_id id, uint64_t samples)
{
	uint32_t at = quality->closed_count < WK_QUALITY_IMAGES ? quality->closed_count
								: WK_QUALITY_IMAGES;

	quality->closed_count++;
	while (at > 0 && quality->closed[at - 1].samples < samples) {
		if (at < WK_QUALITY_IMAGES)
			quality->closed[at] = quality->closed[at - 1];
		at--;
	}
	if (at < WK_QUALITY_IMAGES)
		quality->closed[at] = (struct wk_quality_image){ id, samples };
}

static void find_closed(struct wk_quality *quality, const struct wk_model *model,
			const struct wk_filter *filter)
{
	uint64_t *in_stack, *in_image;
	wk_stack_id *last_stack;
	bool is_any = false;

	for (wk_image_id id = 1; id < model->image_count && !is_any; id++)
		is_any = is_closed(&model->images[id]);
	if (!is_any)
		return;
	in_stack = wk_alloc_zeroed(model->named.count, sizeof(*in_stack));
	in_image = wk_alloc_zeroed(model->image_count, sizeof(*in_image));
	last_stack = wk_alloc_zeroed(model->image_count, sizeof(*last_stack));
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			in_stack[wk_model_named_of(model, model->samples.stack[i])] +=
				wk_filter_times(filter, model, i);
	for (wk_stack_id stack = 1; stack < model->named.count; stack++)
		if (in_stack[stack])
			count_stack(model, stack, in_stack[stack], last_stack, in_image);
	for (wk_image_id id = 1; id < model->image_count; id++)
		if (in_image[id])
			add_closed(quality, id, in_image[id]);
	WK_FREE_ALL(in_stack, in_image, last_stack);
}

static enum wk_stacks_by stacks_by_word(struct wk_str word)
{
	if (wk_str_is(word, "none"))
		return WK_STACKS_NONE;
	return wk_str_is(word, "frame pointers") ? WK_STACKS_FRAME_POINTERS : WK_STACKS_UNTOLD;
}

/* wick's own recordings are in perf's format, but wick unwound their stacks: a fact contains how.
 * False if there is none. */
static bool is_walked(const struct wk_model *model, enum wk_stacks_by *by)
{
	bool is_known = false;

	for (uint32_t i = 0; i < model->fact_count; i++) {
		enum wk_stacks_by here = stacks_by_word(wk_model_str(model, model->facts[i].value));

		if (!wk_str_is(wk_model_str(model, model->facts[i].key), "call graph"))
			continue;
		*by = is_known && *by != here ? WK_STACKS_UNTOLD : here;
		is_known = true;
	}
	return is_known;
}

static enum wk_stacks_by stacks_by(const struct wk_model *model, const struct wk_filter *filter)
{
	enum wk_stacks_by by = model->sources[filter->source].stacks_by;

	if (!is_walked(model, &by) && model->sources[filter->before_source].stacks_by != by)
		return WK_STACKS_UNTOLD;
	return by;
}

/* Functions in which complete stacks end: the C library has no frame pointers. */
static bool ends_near_root(const struct wk_model *model, wk_stack_id stack)
{
	static const char *const names[] = { "main", "__libc_start_main", "__libc_start_call_main",
					     "start_thread", NULL };
	struct wk_str name;

	while (model->stacks.entries[stack].parent)
		stack = model->stacks.entries[stack].parent;
	name = wk_model_str(
		model, model->functions[wk_model_calls_of(model, model->stacks.entries[stack].label)
						.function[0]]
			       .linked);
	return wk_str_is_one_of(name, names);
}

static uint32_t count_notes(const struct wk_model *model, enum wk_note_severity severity)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < model->note_count; i++)
		count += model->notes[i].severity == severity;
	return count;
}

static bool lacks_cpu(const struct wk_model *model, const struct wk_filter *filter)
{
	return model->traits->logs_events && !filter->has_named_source && filter->total &&
	       !model->sources[filter->source].is_cpu_time;
}

/* Profiles of sums have several values for each of their records, one of which may be the number of
 * samples: those of the other sources are not more records. */
static bool has_other_values(const struct wk_model *model, const struct wk_filter *filter)
{
	uint64_t *samples;
	bool are_sums = true;
	uint32_t counting = 0;

	if (!filter->elsewhere || !model->came_named)
		return false;
	samples = wk_model_count_samples(model);
	for (wk_source_id i = 1; i < model->source_count; i++) {
		are_sums &= !samples[i] || model->sources[i].is_weighed;
		counting += samples[i] && model->sources[i].counts_samples;
	}
	wk_free(samples);
	return are_sums && counting <= 1;
}

/* What is known of address spaces on Linux comes from samples of system calls. */
static bool is_made_of(const struct wk_model *model, wk_source_id source, wk_source_id other)
{
	return model->sources[source].is_of_pages &&
	       wk_str_starts(wk_model_str(model, model->sources[other].name), "syscalls:sys_");
}

static uint64_t at_most(uint64_t part, uint64_t whole)
{
	return part < whole ? part : whole;
}

/* Lost samples that are known to be of sources that the filter leaves out; `*before`: of them,
 * those of the first side of a comparison. */
static uint64_t count_lost_elsewhere(const struct wk_model *model, const struct wk_filter *filter,
				     uint64_t *before)
{
	uint64_t sum = 0;

	*before = 0;
	for (wk_source_id i = 1; i < model->source_count && filter->source; i++)
		if (i != filter->source && i != filter->before_source &&
		    !is_made_of(model, filter->source, i)) {
			sum += model->sources[i].lost_samples;
			*before += model->sources[i].lost_before;
		}
	*before = at_most(*before, model->lost_before);
	return at_most(sum, model->lost_samples);
}

struct wk_quality wk_quality_of(const struct wk_model *model, const struct wk_filter *filter)
{
	uint64_t before_elsewhere;
	uint64_t lost_elsewhere = count_lost_elsewhere(model, filter, &before_elsewhere);
	struct wk_quality quality = {
		.model = model,
		.in_view = filter->in_view,
		.total = filter->total,
		.source = filter->source,
		.before_source = filter->before_source,
		.elsewhere = filter->elsewhere,
		.lost_samples = model->lost_samples - lost_elsewhere,
		.lost_elsewhere = lost_elsewhere,
		.lost_before = at_most(model->lost_before - before_elsewhere,
				       model->lost_samples + model->lost_records - lost_elsewhere),
		.lost_records = model->lost_records,
		.missing_parts = count_notes(model, WK_NOTE_INCOMPLETE),
		.lacks_cpu = lacks_cpu(model, filter),
	};
	struct depths depths;

	quality.has_other_values = has_other_values(model, filter);
	if (quality.has_other_values)
		quality.elsewhere = 0;
	quality.stacks_by = stacks_by(model, filter);
	quality.named = wk_broken_stacks_of(model, filter);
	if (!model->named_of && (!model->came_named || !has_unnamed(model)))
		return quality;
	depths = measure_stacks(model);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_stack_id stack = model->samples.stack[i];
		wk_stack_id named = wk_model_named_of(model, stack);
		uint64_t times = wk_filter_times(filter, model, i);

		if (!wk_filter_has(filter, i))
			continue;
		if (model->has_user_part && model->has_user_part[stack]) {
			enum wk_reach reach = model->reaches_root[stack];

			quality.with_user_part += times;
			quality.whole += reach == WK_REACH_ROOT ? times : 0;
			quality.unknown_reach += reach == WK_REACH_UNKNOWN ? times : 0;
			if (reach == WK_REACH_CUT && quality.stacks_by == WK_STACKS_FRAME_POINTERS)
				*(ends_near_root(model, stack) ? &quality.near_root
							       : &quality.broken) += times;
		}
		quality.frames += depths.frames[named] * times;
		quality.unnamed += depths.unnamed ? depths.unnamed[named] * times : 0;
	}
	WK_FREE_ALL(depths.frames, depths.unnamed);
	find_closed(&quality, model, filter);
	return quality;
}

/* No loss was counted, which means little if the recording is incomplete. */
static void add_none_lost(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_source *source = &quality->model->sources[quality->source];

	if (quality->missing_parts)
		wk_buf_add_text(line, quality->has_two_sides ? "a recording is not complete"
							     : ", the recording is not complete");
	else if (quality->has_two_sides)
		wk_buf_add_text(line, "nothing lost");
	else if (!source->is_weighed || source->counts_samples)
		wk_buf_add_text(line, ", none lost");
}

static void add_lost(const struct wk_quality *quality, struct wk_buf *line)
{
	uint64_t lost_samples = quality->lost_samples;

	if (quality->shows_elsewhere)
		lost_samples += quality->lost_elsewhere;
	if (lost_samples == 0 && quality->lost_records == 0) {
		add_none_lost(quality, line);
		return;
	}
	wk_buf_add_text(line, quality->has_two_sides ? "" : ", ");
	if (lost_samples) {
		wk_num_add_grouped(line, lost_samples);
		wk_buf_add_text(line, quality->lost_records ? " lost and " : " lost");
	}
	if (quality->lost_records && lost_samples)
		wk_num_add_counted(line, quality->lost_records, " other record lost",
				   " other records lost");
	else if (quality->lost_records)
		wk_num_add_counted(line, quality->lost_records, " record lost", " records lost");
	if (quality->missing_parts)
		wk_buf_add_fmt(line, ", and %s recording is not complete",
			       quality->has_two_sides ? "a" : "the");
}

static void add_reach(const struct wk_quality *quality, struct wk_buf *line)
{
	if (quality->with_user_part == 0)
		return;
	if (quality->stacks_by == WK_STACKS_NONE) {
		wk_buf_add_text(line, "; no stacks were recorded");
		return;
	}
	if (quality->unknown_reach == quality->with_user_part) {
		wk_buf_add_text(line, "; unknown whether user stacks reach a root, as their "
				      "program file is gone, replaced or was in memory only");
		return;
	}
	wk_buf_add_text(line, "; ");
	wk_num_add_share(line, quality->whole + quality->near_root, quality->with_user_part);
	wk_buf_add_text(line, quality->near_root ? " of user stacks reach main or a root (frame "
						   "pointers go no further than main)"
						 : " of user stacks reach a root");
	if (quality->unknown_reach) {
		wk_buf_add_text(line, ", unknown for ");
		wk_num_add_share(line, quality->unknown_reach, quality->with_user_part);
		wk_buf_add_text(line, " whose program file is gone, replaced or was in memory "
				      "only");
	}
}

static struct wk_str source_name(const struct wk_model *model, wk_source_id source)
{
	struct wk_str name = wk_model_str(model, model->sources[source].name);

	return name.len ? name : wk_str_c("an event without a name");
}

/* The other events that --by accepts; false if they are too many for one line. */
static bool add_others(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_model *model = quality->model;
	uint64_t *samples = wk_model_count_samples(model);
	size_t begin = line->len;
	uint32_t others = 0;

	for (wk_source_id i = 1; i < model->source_count; i++) {
		if (i == quality->source || i == quality->before_source || !samples[i] ||
		    others++ >= MOST_OTHERS_SHOWN)
			continue;
		wk_buf_add_text(line, others > 1 ? ", " : "--by ");
		wk_buf_add_str(line, source_name(model, i));
	}
	wk_free(samples);
	if (others > MOST_OTHERS_SHOWN && model->traits->logs_events) {
		line->len = begin;
		return false;
	}
	if (others > MOST_OTHERS_SHOWN)
		wk_buf_add_fmt(line, ", and %u more", others - MOST_OTHERS_SHOWN);
	return true;
}

/* Samples of other events are not allocations only because those in view are. */
static const char *word_of_others(const struct wk_source *source)
{
	return source->has_lifetimes ? "record" : wk_source_row_word(source);
}

/* The number of samples of other events. */
static void add_elsewhere(const struct wk_quality *quality, struct wk_buf *line)
{
	struct wk_buf others = { 0 };
	bool is_few = add_others(quality, &others);

	wk_buf_add_text(line, "; ");
	wk_num_add_grouped(line, quality->elsewhere);
	if (quality->facts_only || is_few)
		wk_buf_add_fmt(line, " %s%s of other events not shown",
			       word_of_others(&quality->model->sources[quality->source]),
			       quality->elsewhere == 1 ? "" : "s");
	if (is_few && !quality->facts_only)
		wk_buf_add_fmt(line, " (%s)", wk_buf_text(&others));
	else if (!quality->facts_only)
		wk_buf_add_fmt(line,
			       " other events not shown (--by selects one; `wick show %s system` "
			       "lists them)",
			       wk_model_input(quality->model));
	wk_buf_fini(&others);
}

/* "1 of 3 waits" */
static void add_part(struct wk_buf *line, uint64_t in_view, uint64_t total, const char *word)
{
	wk_num_add_grouped(line, in_view);
	if (in_view != total) {
		wk_buf_add_text(line, " of ");
		wk_num_add_grouped(line, total);
	}
	wk_buf_add_fmt(line, " %s%s", word, total == 1 ? "" : "s");
}

static void add_other_values(const struct wk_quality *quality, struct wk_buf *line)
{
	wk_buf_add_text(line, "; other values not shown");
	if (quality->facts_only)
		return;
	wk_buf_add_text(line, " (");
	add_others(quality, line);
	wk_buf_add_char(line, ')');
}

static void add_count(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_source *source = &quality->model->sources[quality->source];

	add_part(line, quality->in_view, quality->total, wk_source_row_word(source));
	if (quality->elsewhere || (quality->has_other_values && !source->counts_samples)) {
		wk_buf_add_text(line, " of ");
		wk_buf_add_str(line, source_name(quality->model, quality->source));
	}
	if (quality->in_view != quality->total)
		wk_buf_add_text(line, " in view");
}

/* Of sampled blocks. */
static void add_estimated(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_model *model = quality->model;

	if (!model->sources[quality->source].is_of_blocks || !model->sample_bytes ||
	    quality->has_two_sides)
		return;
	wk_buf_add_text(line, ", estimated from one block per ");
	wk_num_add_bytes(line, model->sample_bytes);
}

void wk_quality_line(const struct wk_quality *quality, struct wk_buf *line)
{
	if (!quality->has_two_sides)
		add_count(quality, line);
	add_lost(quality, line);
	add_estimated(quality, line);
	add_reach(quality, line);
	if (quality->frames) {
		wk_buf_add_text(line, "; ");
		wk_num_add_share(line, quality->unnamed, quality->frames);
		wk_buf_add_text(line, " of frames unnamed");
	}
	if (quality->elsewhere && !quality->shows_elsewhere)
		add_elsewhere(quality, line);
	if (quality->has_other_values && !quality->shows_elsewhere)
		add_other_values(quality, line);
}

void wk_quality_counted_line(const struct wk_quality *quality, const struct wk_table *table,
			     struct wk_buf *line)
{
	add_part(line, table->counted_in_view, table->counted_in_all, table->counted);
	if (table->counted_in_view != table->counted_in_all)
		wk_buf_add_text(line, " in view");
	add_lost(quality, line);
}

void wk_quality_cpu_line(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_source *source = &quality->model->sources[quality->source];

	if (!quality->lacks_cpu)
		return;
	wk_buf_add_text(line, "no CPU samples in this trace: shown are ");
	wk_num_add_grouped(line, quality->total);
	wk_buf_add_fmt(line, " %s%s of ", source->is_weighed ? wk_source_row_word(source) : "event",
		       quality->total == 1 ? "" : "s");
	wk_buf_add_str(line, source_name(quality->model, quality->source));
	if (!quality->facts_only)
		wk_buf_add_fmt(line, "; %s records what takes CPU time",
			       wk_advice(quality->model->traits->advice, WK_ADVICE_CPU_SAMPLES));
}

static void add_more(const struct wk_quality *quality, uint32_t count, const char *table,
		     struct wk_buf *line)
{
	wk_buf_add_fmt(line, "; and %u more", count);
	if (!quality->facts_only)
		wk_buf_add_fmt(line, ": `wick show %s %s` lists them",
			       wk_model_input(quality->model), table);
}

/* The first notes of a severity, and the number of others. */
static void add_notes(const struct wk_quality *quality, enum wk_note_severity severity,
		      struct wk_buf *line)
{
	const struct wk_model *model = quality->model;
	uint32_t count = count_notes(model, severity), shown = 0;

	for (uint32_t i = 0; i < model->note_count && shown < MOST_NOTES_SHOWN; i++) {
		if (model->notes[i].severity != severity)
			continue;
		wk_buf_add_text(line, shown++ ? "; " : "");
		wk_buf_add_str(line, wk_model_str(model, model->notes[i].text));
	}
	if (count > shown)
		add_more(quality, count - shown, "system", line);
}

void wk_quality_missing_line(const struct wk_quality *quality, struct wk_buf *line)
{
	add_notes(quality, WK_NOTE_INCOMPLETE, line);
}

void wk_quality_fault_line(const struct wk_quality *quality, struct wk_buf *line)
{
	add_notes(quality, WK_NOTE_FAULT, line);
}

/* Of few stacks it is no wonder if most are short. */
static bool are_visibly_broken(const struct wk_broken_stacks *stacks)
{
	return stacks->judged >= LEAST_STACKS_JUDGED && stacks->broken >= stacks->judged / 2;
}

void wk_quality_stacks_line(const struct wk_quality *quality, struct wk_buf *line)
{
	const struct wk_source *source = &quality->model->sources[quality->source];
	const struct wk_broken_stacks *named = &quality->named;
	bool is_bad = are_visibly_broken(named);

	if ((quality->with_user_part && quality->stacks_by == WK_STACKS_NONE &&
	     source->is_cpu_time) ||
	    (is_bad && !named->has_callers)) {
		wk_buf_add_text(line, "no stacks were recorded: who called a function is unknown");
	} else if (is_bad) {
		wk_num_add_share(line, named->broken, named->judged);
		wk_buf_add_text(line, " of user stacks break off after two functions or in a "
				      "library: the program or a library seems to lack frame "
				      "pointers");
	} else if (quality->broken && quality->broken * 2 >= quality->with_user_part) {
		wk_num_add_share(line, quality->broken, quality->with_user_part);
		wk_buf_add_text(line, " of user stacks break off early: they were recorded by "
				      "frame pointers, which the program or a library of it lacks");
	} else {
		return;
	}
	if (!quality->facts_only)
		wk_buf_add_fmt(line, "; %s",
			       wk_advice(quality->model->traits->advice, WK_ADVICE_WHOLE_STACKS));
}

const char *wk_quality_closed_word(const struct wk_quality *quality, uint32_t i)
{
	switch (quality->model->images[quality->closed[i].id].state) {
	case WK_IMAGE_DIFFERS:
		return "replaced";
	case WK_IMAGE_UNREADABLE:
		return "unreadable";
	default:
		return "gone";
	}
}

/* Of two builds of a program the same would be said. */
static bool is_said(const struct wk_quality *quality, uint32_t i)
{
	const struct wk_image *images = quality->model->images;
	const struct wk_image *image = &images[quality->closed[i].id];

	for (uint32_t k = 0; k < i; k++) {
		const struct wk_image *other = &images[quality->closed[k].id];

		if (other->name == image->name && other->state == image->state &&
		    other->kind == image->kind)
			return true;
	}
	return false;
}

/* "app has been replaced since it was recorded" */
static void add_closed_words(const struct wk_quality *quality, uint32_t i, struct wk_buf *line)
{
	const struct wk_image *image = &quality->model->images[quality->closed[i].id];

	wk_buf_add_str(line, wk_model_str(quality->model, image->name));
	if (image->state == WK_IMAGE_UNREADABLE)
		wk_buf_add_text(line, " cannot be read");
	else if (image->kind != WK_IMAGE_FILE)
		wk_buf_add_text(line, " is not the one of the kernel that runs now");
	else if (image->state == WK_IMAGE_DIFFERS)
		wk_buf_add_text(line, " has been replaced since it was recorded");
	else
		wk_buf_add_text(line, " is not here");
}

/* All in one sentence. Windows files are on the recorded machine; symbol servers have their names.
 */
static void add_missing_files(const struct wk_quality *quality, uint32_t shown, struct wk_buf *line)
{
	const struct wk_model *model = quality->model;

	for (uint32_t i = 0; i < shown; i++) {
		wk_buf_add_text(line, i == 0 ? "" : shown < quality->closed_count ? ", " : " and ");
		wk_buf_add_str(line,
			       wk_model_str(model, model->images[quality->closed[i].id].name));
	}
	if (shown < quality->closed_count)
		wk_buf_add_fmt(line, " and %u more", quality->closed_count - shown);
	wk_buf_add_fmt(line, quality->closed_count == 1
				     ? " is not here, so its functions have no names"
				     : " are not here, so their functions have no names");
	if (quality->facts_only || !model->traits->has_symbol_files)
		return;
	if (model->fetching == WK_FETCHING_NOTHING)
		wk_buf_add_fmt(line,
			       ": `wick symbols %s --symbol-path 'srv*'` fetches those that "
			       "Microsoft has",
			       wk_model_one_input(model));
	else if (model->fetching == WK_FETCHING_DONE)
		wk_buf_add_fmt(line,
			       ": `wick symbols %s` with the same symbol path shows where wick "
			       "searched",
			       wk_model_one_input(model));
}

/* Instead of the advice to fetch. */
static void add_interruption(const struct wk_quality *quality, struct wk_buf *line)
{
	if (line->len && !quality->facts_only && quality->model->fetching == WK_FETCHING_STOPPED)
		wk_buf_add_text(line, "; fetching was interrupted; the next run continues it");
}

static bool are_missing(const struct wk_quality *quality, uint32_t shown)
{
	for (uint32_t i = 0; i < shown; i++) {
		const struct wk_image *image = &quality->model->images[quality->closed[i].id];

		if (image->state != WK_IMAGE_MISSING || image->kind != WK_IMAGE_FILE)
			return false;
	}
	return shown > 0;
}

void wk_quality_closed_line(const struct wk_quality *quality, struct wk_buf *line)
{
	uint32_t shown = quality->closed_count < MOST_CLOSED_SHOWN ? quality->closed_count
								   : MOST_CLOSED_SHOWN;

	if (are_missing(quality, shown)) {
		add_missing_files(quality, shown, line);
		add_interruption(quality, line);
		return;
	}
	for (uint32_t i = 0; i < shown; i++) {
		if (is_said(quality, i))
			continue;
		wk_buf_add_text(line, i ? ", " : "");
		add_closed_words(quality, i, line);
	}
	if (shown)
		wk_buf_add_text(line, shown == 1 ? ", so its functions have no names"
						 : ", so their functions have no names");
	if (quality->closed_count > shown)
		add_more(quality, quality->closed_count - shown, "images", line);
	add_interruption(quality, line);
}
