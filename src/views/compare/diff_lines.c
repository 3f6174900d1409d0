#include "views/compare/diff_lines.h"

#include "base/mem.h"

/* Sides, as bits. */
enum { BEFORE = 1, AFTER = 2, BOTH = 3 };

struct known {
	const struct wk_model *model;
	const struct wk_pairs *pairs;
	uint8_t *stack_sides;  /* [named.count] */
	uint8_t *seen, *lined; /* [function_count]: as functions are shown */
	uint8_t *inlined;      /* [image_count]: with calls that were inlined */
};

static void find_sides(struct known *known, const struct wk_filter *filter)
{
	const struct wk_model *model = known->model;
	const uint8_t *is_before = model->samples.is_before;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			known->stack_sides[wk_model_named_of(model, model->samples.stack[i])] |=
				is_before && is_before[i] ? BEFORE : AFTER;
	for (wk_stack_id id = model->named.count; id-- > 1;)
		known->stack_sides[model->named.parent[id]] |= known->stack_sides[id];
}

static void find_lines(struct known *known)
{
	const struct wk_model *model = known->model;

	for (wk_stack_id id = 1; id < model->named.count; id++) {
		uint32_t frame = model->named.label[id];
		wk_function_id function = model->named_frames.function[frame];
		wk_function_id shown = known->pairs->shown[function];
		uint8_t sides = known->stack_sides[id];

		if (model->named_frames.is_inlined[frame]) {
			known->inlined[model->functions[function].image] |= sides;
			continue;
		}
		known->seen[shown] |= sides;
		known->lined[shown] |= model->functions[function].file ? sides : 0;
	}
}

/* If only one side has lines for a function that both have: the other side, or 0. */
static uint8_t side_without(const struct known *known, wk_function_id function)
{
	wk_function_id shown = known->pairs->shown[function];
	uint8_t lined = known->lined[shown];

	return known->seen[shown] == BOTH && (lined == BEFORE || lined == AFTER) ? lined ^ BOTH : 0;
}

static void say_side(const struct known *known, wk_image_id image, uint8_t side,
		     struct wk_buf *line)
{
	struct wk_str path = wk_model_str(known->model, known->model->images[image].path);
	struct wk_str name = wk_str_basename(path);

	wk_buf_add_fmt(line,
		       "%s, no lines of %.*s are known (has it debug information?), so calls "
		       "that were inlined into it are not told apart there",
		       side == AFTER ? "after" : "before", WK_STR_ARG(name));
}

static void find_image(const struct known *known, struct wk_buf *line)
{
	const struct wk_model *model = known->model;

	for (wk_function_id id = 1; id < model->function_count && !line->len; id++) {
		wk_image_id image = model->functions[id].image;
		uint8_t side = side_without(known, id);

		if (image && side && known->inlined[image] == (side ^ BOTH))
			say_side(known, image, side, line);
	}
}

void wk_diff_lines_line(const struct wk_model *model, const struct wk_filter *filter,
			const struct wk_pairs *pairs, struct wk_buf *line)
{
	struct known known = {
		.model = model,
		.pairs = pairs,
		.stack_sides = wk_alloc_zeroed((size_t)model->named.count + 1, 1),
		.seen = wk_alloc_zeroed(model->function_count, 1),
		.lined = wk_alloc_zeroed(model->function_count, 1),
		.inlined = wk_alloc_zeroed(model->image_count, 1),
	};

	find_sides(&known, filter);
	find_lines(&known);
	find_image(&known, line);
	WK_FREE_ALL(known.stack_sides, known.seen, known.lined, known.inlined);
}
