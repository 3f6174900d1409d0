#include "model/closure_numbers.h"

#include "base/map.h"
#include "names/closure.h"

#define SEVERAL UINT32_MAX

struct numbers {
	struct wk_model *model;
	struct wk_strtab *families; /* with their images */
	struct wk_map of_line;      /* family and line to the number there, or SEVERAL */
	struct wk_buf family, text;
};

static uint64_t key_of(struct numbers *n, wk_image_id image, struct wk_str name,
		       const struct wk_lined_closure *closure)
{
	wk_closure_family(name, closure->begin, &n->family);
	wk_buf_add_fmt(&n->family, " %u", image);
	return (uint64_t)wk_strtab_add_str(n->families, wk_buf_str(&n->family)) << 32 |
	       closure->line;
}

static void note_numbers(struct numbers *n, const struct wk_function *function)
{
	struct wk_str name = wk_model_str(n->model, function->name);
	struct wk_lined_closure closure = { 0 };

	while (wk_closure_next_lined(name, &closure)) {
		uint32_t *known;

		if (!closure.number)
			continue;
		known = wk_map_at(&n->of_line, key_of(n, function->image, name, &closure));
		*known = *known && *known != closure.number ? SEVERAL : closure.number;
	}
}

static void drop_numbers(struct numbers *n, struct wk_function *function)
{
	struct wk_str name = wk_model_str(n->model, function->name);
	struct wk_lined_closure closure = { 0 };
	size_t added = 0;

	wk_buf_reset(&n->text);
	while (wk_closure_next_lined(name, &closure)) {
		struct wk_str braces = wk_str_of(name.at + closure.begin,
						 closure.end - closure.begin),
			      left, right;

		if (!closure.number ||
		    wk_map_find(&n->of_line, key_of(n, function->image, name, &closure)) == SEVERAL)
			continue;
		wk_str_split(braces, '#', &left, &right);
		wk_buf_add_str(&n->text, wk_str_of(name.at + added, closure.begin - added));
		wk_buf_add_str(&n->text, left);
		added = closure.end - 1; /* the brace */
	}
	if (!added)
		return;
	wk_buf_add_str(&n->text, wk_str_skip(name, added));
	function->name = wk_model_text(n->model, wk_buf_str(&n->text));
}

void wk_model_drop_closure_numbers(struct wk_model *model)
{
	struct numbers n = { .model = model, .families = wk_strtab_new() };

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (model->functions[id].plain)
			note_numbers(&n, &model->functions[id]);
	for (wk_function_id id = 1; id < model->function_count && n.of_line.count; id++)
		if (model->functions[id].plain)
			drop_numbers(&n, &model->functions[id]);
	wk_strtab_free(n.families);
	wk_map_fini(&n.of_line);
	WK_BUF_FINI_ALL(&n.family, &n.text);
}
