/* A model's invariants: every id refers to a row, every parent comes before its children, every
 * named stack matches its recorded one. */
#ifndef WK_TESTS_MODEL_CHECK_H
#define WK_TESTS_MODEL_CHECK_H

#include "base/err.h"
#include "model/model.h"

static inline bool below(uint32_t id, uint32_t count, const char *what, uint32_t row,
			 struct wk_err *err)
{
	if (id < count)
		return true;
	return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "%s of row %u is %u, but there are %u rows",
		       what, row, id, count);
}

static inline bool check_frames(const struct wk_model *model, struct wk_err *err)
{
	for (uint32_t i = 0; i < model->frames.count; i++)
		if (!below(model->frames.image[i], model->image_count, "the frame's image", i, err))
			return false;
	for (uint32_t i = 0; i < model->named_frames.count; i++)
		if (!below(model->named_frames.function[i], model->function_count,
			   "the named frame's function", i, err) ||
		    !below(model->named_frames.frame[i], model->frames.count,
			   "the named frame's frame", i, err))
			return false;
	return true;
}

static inline bool check_stacks(const struct wk_trie *stacks, uint32_t frame_count,
				struct wk_err *err)
{
	for (uint32_t i = 1; i < stacks->count; i++)
		if (!below(stacks->entries[i].parent, i, "the stack's parent", i, err) ||
		    !below(stacks->entries[i].label, frame_count, "the stack's frame", i, err))
			return false;
	return true;
}

static inline bool check_samples(const struct wk_model *model, struct wk_err *err)
{
	const struct wk_samples *samples = &model->samples;

	for (uint32_t i = 0; i < samples->count; i++)
		if (!below(wk_sample_thread(samples, i), model->thread_count, "the sample's thread",
			   i, err) ||
		    !below(samples->stack[i], model->stacks.count, "the sample's stack", i, err) ||
		    !below(wk_sample_source(samples, i), model->source_count, "the sample's source",
			   i, err) ||
		    (samples->about && !below(samples->about[i], model->subject_count,
					      "what the sample is about", i, err)))
			return false;
	return true;
}

static inline bool check_ends(const struct wk_model *model, struct wk_err *err)
{
	for (uint32_t i = 0; i < model->end_count; i++) {
		const struct wk_end *end = &model->ends[i];

		if (!below(end->sample, model->samples.count, "the end's sample", i, err) ||
		    !below(end->sample, end->at_row, "the end's sample", i, err) ||
		    !below(end->thread, model->thread_count, "the end's thread", i, err) ||
		    !below(end->stack, model->stacks.count, "the end's stack", i, err) ||
		    (i && !below(end[-1].at_row, end->at_row + 1, "the end's order", i, err)))
			return false;
	}
	return true;
}

static inline bool check_intervals(const struct wk_model *model, struct wk_err *err)
{
	for (uint32_t i = 0; i < model->interval_count; i++) {
		const struct wk_interval *interval = &model->intervals[i];

		if (!below(interval->thread, model->thread_count, "the interval's thread", i,
			   err) ||
		    !below(interval->about, model->subject_count, "the interval's subject", i,
			   err) ||
		    !below(interval->doing, WK_READY + 1, "what is done in an interval", i, err))
			return false;
	}
	return true;
}

static inline bool check_owners(const struct wk_model *model, struct wk_err *err)
{
	for (uint32_t i = 0; i < model->thread_count; i++)
		if (!below(model->threads[i].process, model->process_count, "the thread's process",
			   i, err))
			return false;
	for (uint32_t i = 0; i < model->process_count; i++)
		if (!below(model->processes[i].parent, model->process_count, "the process's parent",
			   i, err))
			return false;
	for (uint32_t i = 0; i < model->heap_count; i++)
		if (!below(model->heaps[i].process, model->process_count, "the heap's process", i,
			   err))
			return false;
	for (uint32_t i = 0; i < model->subject_count; i++)
		if (!below(model->subjects[i].heap, model->heap_count,
			   "the heap of what a row is "
			   "about",
			   i, err) ||
		    !below(model->subjects[i].by, model->thread_count,
			   "the thread of what a row is "
			   "about",
			   i, err))
			return false;
	for (uint32_t i = 0; i < model->mark_count; i++)
		if (!below(model->marks[i].process, model->process_count, "the mark's process", i,
			   err) ||
		    !below(model->marks[i].thread, model->thread_count, "the mark's thread", i,
			   err))
			return false;
	for (uint32_t i = 0; i < model->snapshot_count; i++)
		if (!below(model->snapshots[i].process, model->process_count,
			   "the snapshot's process", i, err) ||
		    !below(model->snapshots[i].at_row, model->samples.count + 1,
			   "the snapshot's samples", i, err) ||
		    !below(model->snapshots[i].at_end, model->end_count + 1, "the snapshot's ends",
			   i, err))
			return false;
	for (uint32_t i = 0; i < model->function_count; i++)
		if (!below(model->functions[i].image, model->image_count, "the function's image", i,
			   err))
			return false;
	return true;
}

static inline bool check_resolved(const struct wk_model *model, struct wk_err *err)
{
	for (uint32_t i = 1; model->named_of && i < model->stacks.count; i++)
		if (!below(model->named_of[i], model->named.count, "the stack's name", i, err) ||
		    model->named_of[i] == 0)
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "stack %u was not named", i);
	return check_stacks(&model->named, model->named_frames.count, err);
}

static inline bool model_check(const struct wk_model *model, struct wk_err *err)
{
	return check_frames(model, err) && check_owners(model, err) &&
	       check_stacks(&model->stacks, model->frames.count, err) &&
	       check_samples(model, err) && check_ends(model, err) && check_intervals(model, err) &&
	       check_resolved(model, err);
}

#endif
