#include "views/compare/diff_lines.h"

#include "base/mem.h"

struct known {
	const struct wk_model *model;
	const struct wk_pairs *pairs;
	uint8_t *seen, *lined;       /* [function_count]: as functions are shown */
	uint8_t *inlined;            /* [image_count]: with calls that were inlined */
	wk_image_id *before, *after; /* [function_count]: where shown functions are on a side */
	uint8_t imaged;              /* the sides with images; folded text has none */
};

static void find_lines(struct known *known)
{
	const struct wk_model *model = known->model;

	for (wk_stack_id id = 1; id < model->named.count; id++) {
		uint32_t frame = model->named.entries[id].label;
		wk_function_id function = model->named_frames.function[frame];
		wk_function_id shown = known->pairs->shown[function];
		uint8_t sides = known->pairs->stack_sides[id];

		if (model->named_frames.is_inlined[frame]) {
			known->inlined[model->functions[function].image] |= sides;
			continue;
		}
		known->imaged |= model->functions[function].image ? sides : 0;
		known->seen[shown] |= sides;
		if (sides & WK_SIDE_AFTER)
			known->after[shown] = model->functions[function].image;
		if (sides & WK_SIDE_BEFORE)
			known->before[shown] = model->functions[function].image;
		known->lined[shown] |= model->functions[function].file ? sides : 0;
	}
}

/* If only one side has lines for a function that both have: the other side, or 0. */
static uint8_t side_without(const struct known *known, wk_function_id function)
{
	wk_function_id shown = known->pairs->shown[function];
	uint8_t lined = known->lined[shown];

	return known->seen[shown] == WK_SIDE_BOTH &&
			       (lined == WK_SIDE_BEFORE || lined == WK_SIDE_AFTER)
		       ? lined ^ WK_SIDE_BOTH
		       : 0;
}

/* What lacks lines: the file of this function on that side, which may be another program. */
static void add_side(const struct known *known, wk_function_id function, uint8_t side,
		     struct wk_buf *line)
{
	wk_function_id shown = known->pairs->shown[function];
	wk_image_id image = side == WK_SIDE_AFTER ? known->after[shown] : known->before[shown];
	struct wk_str path = wk_model_str(known->model, known->model->images[image].path);
	struct wk_str name = wk_str_basename(path);

	wk_buf_add_fmt(line,
		       "%.*s has no line information in the %s recording: calls inlined there "
		       "count for their callers",
		       WK_STR_ARG(name), side == WK_SIDE_AFTER ? "second" : "first");
}

static void find_image(const struct known *known, struct wk_buf *line)
{
	const struct wk_model *model = known->model;

	for (wk_function_id id = 1; id < model->function_count && !line->len; id++) {
		wk_image_id image = model->functions[id].image;
		uint8_t side = side_without(known, id);

		if (image && side & known->imaged && known->inlined[image] == (side ^ WK_SIDE_BOTH))
			add_side(known, id, side, line);
	}
}

void wk_diff_lines_line(const struct wk_model *model, const struct wk_pairs *pairs,
			struct wk_buf *line)
{
	struct known known = {
		.model = model,
		.pairs = pairs,
		.seen = wk_alloc_zeroed(model->function_count, 1),
		.lined = wk_alloc_zeroed(model->function_count, 1),
		.inlined = wk_alloc_zeroed(model->image_count, 1),
		.before = wk_alloc_zeroed(model->function_count, sizeof(wk_image_id)),
		.after = wk_alloc_zeroed(model->function_count, sizeof(wk_image_id)),
	};

	find_lines(&known);
	find_image(&known, line);
	WK_FREE_ALL(known.seen, known.lined, known.inlined, known.before, known.after);
}
