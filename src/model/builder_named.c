#include <inttypes.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "model/builder_internal.h"
#include "names/closure.h"

void wk_builder_forget_numbers(struct wk_builder *builder)
{
	wk_free(builder->stack_of_number);
	builder->stack_of_number = NULL;
	builder->stack_numbers_cap = 0;
	builder->stack_numbers = 1;
	WK_RESERVE(builder->frame_of_number, builder->frame_numbers_cap, 1);
	builder->frame_of_number[0] = 0;
	builder->frame_numbers = 1;
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

/* Numbers count up without a gap: a gap is a fault of the reader, not of the file. */
bool wk_builder_add_frame(struct wk_builder *builder, const struct wk_event_frame *frame,
			  struct wk_err *err)
{
	struct wk_model *model = builder->model;
	struct wk_supplied_frame supplied = {
		.address = frame->address, .line = frame->line, .is_inlined = frame->is_inlined };
	struct wk_function function = {
		.name = text_of_frame(builder, frame, frame->name),
		.image = image_of_frame(builder, frame),
		.file = text_of_frame(builder, frame, frame->file),
		.kind = (uint8_t)frame->kind,
		.is_unnamed = frame->is_unnamed,
		.is_before = frame->is_before && wk_closure_has_lines(frame->name),
	};

	if (frame->number == 1 && builder->may_count_anew)
		wk_builder_forget_numbers(builder);
	builder->may_count_anew = false;
	if (frame->number != builder->frame_numbers)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "frame %" PRIu32 " was emitted, but %" PRIu32 " comes next",
			       frame->number, builder->frame_numbers);
	/* Function row 0 means "none", so a frame without any name gets a row of its own. */
	if (!function.name)
		function.name = wk_model_text(model, wk_str_c("[unknown]"));
	supplied.function = wk_model_add_function(model, &function);
	WK_RESERVE(builder->frame_of_number, builder->frame_numbers_cap, (size_t)frame->number + 1);
	builder->frame_of_number[builder->frame_numbers++] =
		wk_model_add_supplied_frame(model, &supplied);
	return true;
}

/* The numbers of the first input that names its stacks are their ids: it needs no table. This adds
 * the table for another input. */
static void add_stack_numbers(struct wk_builder *builder)
{
	WK_RESERVE(builder->stack_of_number, builder->stack_numbers_cap,
		   (size_t)builder->stack_numbers + 1);
	for (uint32_t i = 0; i < builder->stack_numbers; i++)
		builder->stack_of_number[i] = i;
}

wk_stack_id wk_builder_stack_of_number(const struct wk_builder *builder, uint32_t number)
{
	if (number >= builder->stack_numbers)
		return 0;
	return builder->stack_of_number ? builder->stack_of_number[number] : number;
}

static bool handle_stack(struct wk_builder *builder, uint32_t number, uint32_t parent,
			 uint32_t frame_number)
{
	wk_frame_id frame;
	wk_stack_id id;

	if (parent >= number || frame_number == 0 || frame_number >= builder->frame_numbers)
		return false;
	frame = builder->frame_of_number[frame_number];
	if (!builder->stack_of_number)
		add_stack_numbers(builder);
	id = wk_model_add_stack(builder->model, wk_builder_stack_of_number(builder, parent), frame);
	WK_RESERVE(builder->stack_of_number, builder->stack_numbers_cap, (size_t)number + 1);
	builder->stack_of_number[builder->stack_numbers++] = id;
	return true;
}

/* While numbers are equal to ids: how many of `stacks` could be added directly. */
static uint32_t append_stacks(struct wk_builder *builder, const struct wk_event_stacks *stacks)
{
	struct wk_trie *to = &builder->model->stacks;
	const wk_frame_id *frame_of = builder->frame_of_number;
	uint32_t frames = builder->frame_numbers, done = 0;

	if (builder->stack_of_number || stacks->first != to->count)
		return 0;
	for (; done < stacks->count; done++) {
		uint32_t parent = stacks->entries[done].parent;
		uint32_t frame = stacks->entries[done].label;

		if (parent >= to->count || frame == 0 || frame >= frames)
			break;
		wk_trie_append(to, parent, frame_of[frame]);
	}
	builder->stack_numbers += done;
	return done;
}

bool wk_builder_add_stacks(struct wk_builder *builder, const struct wk_event_stacks *stacks,
			   struct wk_err *err)
{
	bool ok = stacks->first == builder->stack_numbers;

	wk_trie_expect(&builder->model->stacks, stacks->expected);
	builder->model->samples.expected = stacks->expected_samples;
	for (uint32_t i = ok ? append_stacks(builder, stacks) : 0; i < stacks->count && ok; i++)
		ok = handle_stack(builder, stacks->first + i, stacks->entries[i].parent,
				  stacks->entries[i].label);
	if (!ok)
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			"a stack was emitted before its parent or its frame");
	return ok;
}
