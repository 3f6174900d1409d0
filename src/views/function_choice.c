#include "views/function_choice.h"

#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"
#include "names/bare_name.h"
#include "names/function_name.h"
#include "names/short_name.h"
#include "views/filter/filter.h"
#include "views/kind.h"
#include "views/shown_names.h"

struct choice {
	struct wk_str word;
	struct wk_pattern *pattern;
	struct wk_buf plain; /* of the name at hand */
	struct wk_shown_names shown;
};

static bool is_name(struct choice *choice, struct wk_str name)
{
	return wk_str_eq(name, choice->word);
}

static bool is_shown_name(struct choice *choice, struct wk_str name)
{
	return wk_str_eq(wk_shown_name(&choice->shown, name), choice->word);
}

static bool is_end_of_path(struct choice *choice, struct wk_str name)
{
	struct wk_str path;
	size_t front;

	wk_buf_reset(&choice->plain);
	wk_short_name_plain(name, &choice->plain);
	path = wk_buf_str(&choice->plain);
	if (path.len < choice->word.len)
		return false;
	front = path.len - choice->word.len;
	return wk_str_eq(wk_str_skip(path, front), choice->word) &&
	       (front == 0 || wk_str_ends(wk_str_of(path.at, front), "::") ||
		path.at[front - 1] == '.');
}

static bool is_match(struct choice *choice, struct wk_str name)
{
	return wk_pattern_matches(choice->pattern, name);
}

/* Those for which the rule holds; NULL if it holds for none. */
static uint8_t *choose(struct choice *choice, const struct wk_model *model,
		       bool (*rule)(struct choice *choice, struct wk_str name))
{
	uint8_t *chosen = wk_alloc_zeroed(model->function_count, 1);
	bool is_any = false;

	for (wk_function_id id = 1; id < model->function_count; id++) {
		chosen[id] = rule(choice, wk_model_str(model, model->functions[id].name));
		is_any |= chosen[id];
	}
	if (is_any)
		return chosen;
	wk_free(chosen);
	return NULL;
}

static bool is_rust_main(struct choice *choice, struct wk_str name)
{
	return wk_str_ends(name, "::main") && is_end_of_path(choice, name);
}

enum { RUST = 1, OWN_MAIN = 2 };

/* Of each image: is it a Rust program, with a `main` of its own in view? */
static uint8_t *rust_images(struct choice *choice, const struct wk_model *model)
{
	uint8_t *images = wk_alloc_zeroed(model->image_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_starts(wk_model_str(model, model->functions[id].name),
				  "std::rt::lang_start"))
			images[model->functions[id].image] = RUST;
	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_str name = wk_model_str(model, model->functions[id].name);
		uint8_t *image = &images[model->functions[id].image];

		if (*image && is_rust_main(choice, name))
			*image |= OWN_MAIN;
	}
	return images;
}

/* rustc generates the `main` that the C library calls; people mean the program's own. */
static uint8_t *choose_mains(struct choice *choice, const struct wk_model *model)
{
	uint8_t *images = rust_images(choice, model);
	uint8_t *chosen = wk_alloc_zeroed(model->function_count, 1);
	bool is_any = false;

	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_str name = wk_model_str(model, model->functions[id].name);
		bool is_own = images[model->functions[id].image] & OWN_MAIN;

		chosen[id] = is_own ? is_rust_main(choice, name) : is_name(choice, name);
		is_any |= chosen[id];
	}
	wk_free(images);
	if (is_any)
		return chosen;
	wk_free(chosen);
	return NULL;
}

/* Are inlined functions of the program known? Text names them, or not, as its writer chose. */
static bool has_inlined(const struct wk_model *model)
{
	for (wk_frame_id id = 1; model->calls.first && id < model->frames.count; id++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, id);

		if (calls.count > 1 && wk_code_kind_of(model, calls.function[0]) == WK_CODE_PROGRAM)
			return true;
	}
	return !model->calls.first;
}

/* Names without parameters: few people type those. Their ids are 1 to `last`. */
static struct wk_strtab *bare_names(const struct wk_model *model, uint32_t *last)
{
	struct wk_strtab *names = wk_strtab_new();
	struct wk_buf bare = { 0 };
	uint32_t id = 0;

	for (wk_function_id i = 1; i < model->function_count; i++) {
		wk_buf_reset(&bare);
		if (wk_bare_name(
			    wk_name_without_clones(wk_model_str(model, model->functions[i].name)),
			    &bare))
			id = wk_strtab_add_str(names, wk_buf_str(&bare));
		*last = id > *last ? id : *last;
	}
	wk_buf_fini(&bare);
	return names;
}

/* It may be one of those that have no names. */
static void add_nameless(const struct wk_model *model, struct wk_buf *text)
{
	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];

		if (!function->is_rest_of_image ||
		    model->images[function->image].kind != WK_IMAGE_FILE)
			continue;
		wk_buf_add_fmt(
			text, ", and functions of %.*s have no names",
			WK_STR_ARG(wk_model_str(model, model->images[function->image].name)));
		return;
	}
}

/* `why`: the word is no pattern; or NULL. */
static void fail(const struct choice *choice, const struct wk_model *model, const char *why,
		 struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(choice->word);
	struct wk_buf nameless = { 0 };
	struct wk_strtab *bare;
	uint32_t last = 0;

	if (model->samples.count == 0) {
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, WK_NO_SAMPLES);
		return;
	}
	bare = bare_names(model, &last);
	add_nameless(model, &nameless);
	for (wk_function_id id = 1; id < model->function_count; id++)
		wk_suggestion_try(&near, wk_strtab_get(model->text, model->functions[id].name));
	for (uint32_t i = 1; i <= last; i++)
		wk_suggestion_try(&near, wk_strtab_get(bare, i));
	if (why)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no function is named \"%.100s\", and as a pattern it is wrong: %s",
			choice->word.at, why);
	else
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "no function is named or matches \"%.100s\"%s",
			choice->word.at, wk_buf_text(&nameless));
	wk_suggestion_add(&near,
			  has_inlined(model) ? "`wick show functions --all` lists them"
					     : "`wick show functions --all` lists them, without "
					       "those that were inlined: compile with -g",
			  err);
	wk_strtab_free(bare);
	wk_buf_fini(&nameless);
}

uint8_t *wk_choose_functions(const struct wk_model *model, const char *word, bool ignore_case,
			     struct wk_err *err)
{
	struct choice choice = { .word = wk_str_c(word) };
	uint8_t *chosen = NULL;
	const char *why = NULL;

	chosen = wk_str_is(choice.word, "main") ? choose_mains(&choice, model)
						: choose(&choice, model, is_name);
	if (!chosen) {
		wk_shown_names_init(&choice.shown, model);
		chosen = choose(&choice, model, is_shown_name);
	}
	if (!chosen)
		chosen = choose(&choice, model, is_end_of_path);
	if (!chosen) {
		choice.pattern = wk_pattern_new(word, ignore_case, &why);
		chosen = choice.pattern ? choose(&choice, model, is_match) : NULL;
	}
	if (!chosen)
		fail(&choice, model, why, err);
	wk_pattern_free(choice.pattern);
	wk_shown_names_fini(&choice.shown);
	wk_buf_fini(&choice.plain);
	return chosen;
}
