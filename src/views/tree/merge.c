#include "views/tree/merge.h"

#include "base/map.h"
#include "base/mem.h"

#define IS_FILE 0x80000000u /* ids stay below it */

wk_function_id *wk_functions_merged(const struct wk_model *model, bool across_images,
				    bool across_files)
{
	wk_function_id *shown = wk_alloc_zeroed(model->function_count, sizeof(*shown));
	struct wk_map first = { 0 };

	for (wk_function_id i = 1; i < model->function_count; i++) {
		const struct wk_function *function = &model->functions[i];
		uint64_t image = across_images ? 0 : function->image;
		bool has_file = !across_files && !function->image && function->file;
		uint64_t group = has_file ? IS_FILE | function->file : image;
		uint32_t *id = wk_map_at(&first, group << 32 | function->name);

		if (!*id)
			*id = i;
		shown[i] = *id;
	}
	wk_map_fini(&first);
	return shown;
}

wk_text_id wk_function_module(const struct wk_model *model, wk_function_id id)
{
	const struct wk_function *function = &model->functions[id];

	return function->image ? model->images[function->image].name : function->file;
}

wk_function_id *wk_functions_of_modules(const struct wk_model *model)
{
	wk_function_id *first_of = wk_alloc_zeroed(model->function_count, sizeof(*first_of));
	struct wk_map first = { 0 };

	for (wk_function_id i = 1; i < model->function_count; i++) {
		uint32_t *id = wk_map_at(&first, wk_function_module(model, i));

		if (!*id)
			*id = i;
		first_of[i] = *id;
	}
	wk_map_fini(&first);
	return first_of;
}
