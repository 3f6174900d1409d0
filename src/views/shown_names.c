#include "views/shown_names.h"

#include <string.h>

#include "base/mem.h"
#include "names/short_name.h"

#define SEVERAL UINT32_MAX

#define STEP(name) (1u << WK_SHORT_##name)

#define ALL_STEPS     ((1u << WK_SHORT_STEPS) - 1)
#define WITH_CLOSURES (1u << WK_SHORT_STEPS)

/* From short to long: steps of names/short_name.h. */
static const unsigned forms[] = {
	ALL_STEPS,
	WITH_CLOSURES,
	STEP(TIDY) | STEP(PARAMETERS) | STEP(SELF),
	STEP(TIDY) | STEP(FOLDED) | STEP(PLAIN),
	STEP(PARAMETERS) | STEP(SELF),
	STEP(TIDY),
};

/* The names for which no form was found yet. */
struct pending {
	wk_text_id *names;
	uint32_t *short_names;
	uint32_t count;
};

/* Does the name have anything that a step removes? Most do not. */
static bool can_be_shorter(struct wk_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (strchr("<({[$'`", name.at[i]) ||
		    (name.at[i] == '_' && i >= 5 && wk_str_ends(wk_str_of(name.at, i), "std::")))
			return true;
	return false;
}

static uint32_t add_form(struct wk_shown_names *names, struct wk_str name, unsigned steps,
			 struct wk_buf *text)
{
	if (!can_be_shorter(name))
		return wk_strtab_add_str(names->text, name);
	wk_buf_reset(text);
	if (steps & WITH_CLOSURES)
		wk_short_name_closures(name, text);
	else
		wk_buf_add_str(text, name);
	for (int step = 0; step < WK_SHORT_STEPS; step++)
		if (steps & 1u << step)
			wk_short_name_step(text, (enum wk_short)step);
	return wk_strtab_add_str(names->text, text->len ? wk_buf_str(text) : name);
}

/* Those whose name in this form is no other's have it; the rest stays. */
static void settle(struct wk_shown_names *names, struct pending *pending, unsigned steps)
{
	struct wk_map owners = { 0 };
	struct wk_buf text = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pending->count; i++) {
		wk_text_id name = pending->names[i];
		uint32_t *owner;

		pending->short_names[i] =
			add_form(names, wk_model_str(names->model, name), steps, &text);
		owner = wk_map_at(&owners, pending->short_names[i]);
		*owner = *owner && *owner != name ? SEVERAL : name;
	}
	for (uint32_t i = 0; i < pending->count; i++) {
		if (wk_map_find(&owners, pending->short_names[i]) == SEVERAL)
			pending->names[kept++] = pending->names[i];
		else
			wk_map_set(&names->shown, pending->names[i], pending->short_names[i]);
	}
	pending->count = kept;
	wk_map_fini(&owners);
	wk_buf_fini(&text);
}

void wk_shown_names_init(struct wk_shown_names *names, const struct wk_model *model)
{
	size_t most = (size_t)model->function_count + 1;
	struct pending pending = {
		.names = wk_alloc(most * sizeof(*pending.names)),
		.short_names = wk_alloc(most * sizeof(*pending.short_names)),
	};
	struct wk_map seen = { 0 };

	*names = (struct wk_shown_names){ .model = model, .text = wk_strtab_new() };
	for (wk_function_id id = 1; id < model->function_count; id++) {
		wk_text_id name = model->functions[id].name;
		uint32_t *is_seen;

		if (!name || model->functions[id].is_unnamed)
			continue;
		is_seen = wk_map_at(&seen, name);
		if (!*is_seen)
			pending.names[pending.count++] = name;
		*is_seen = 1;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		settle(names, &pending, forms[i]);
	wk_map_fini(&seen);
	WK_FREE_ALL(pending.names, pending.short_names);
}

void wk_shown_names_fini(struct wk_shown_names *names)
{
	wk_map_fini(&names->shown);
	if (names->text)
		wk_strtab_free(names->text);
	*names = (struct wk_shown_names){ 0 };
}

struct wk_str wk_shown_name(const struct wk_shown_names *names, struct wk_str name)
{
	wk_text_id id = names->model ? wk_strtab_find(names->model->text, name) : 0;
	uint32_t shown = id ? wk_map_find(&names->shown, id) : 0;

	return shown ? wk_strtab_str(names->text, shown) : name;
}
