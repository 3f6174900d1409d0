#include "model/closure_arguments.h"

#include "base/map.h"
#include "names/closure.h"

/* Closures by their names and images: programs have closures of the same name, and so have files of
 * one program. */
struct lined {
	struct wk_model *model;
	struct wk_map names;    /* of a closure, to its name with the line */
	struct wk_map files;    /* to the file that it is in */
	struct wk_map inlined;  /* to the line of what was inlined into its instances */
	struct wk_map doubtful; /* closures for which several lines or files were found */
	wk_image_id image;      /* of the instance that is named */
	struct wk_buf text;
};

static uint64_t key_of(wk_image_id image, wk_text_id closure)
{
	return (uint64_t)image << 32 | closure;
}

/* The first name stays: that of a closure which is called, if it is. */
static void add(struct lined *lined, uint64_t key, wk_text_id name, wk_text_id file)
{
	if (!wk_map_find(&lined->names, key)) {
		wk_map_set(&lined->names, key, name);
		wk_map_set(&lined->files, key, file);
	} else if (wk_map_find(&lined->files, key) != file) {
		wk_map_set(&lined->doubtful, key, 1);
	}
}

/* "run()::$_0" is a closure if it is called. */
static wk_text_id called(struct lined *lined, struct wk_str closure)
{
	wk_buf_reset(&lined->text);
	wk_buf_add_str(&lined->text, closure);
	wk_buf_add_text(&lined->text, "::operator()");
	return wk_model_text(lined->model, wk_buf_str(&lined->text));
}

static wk_text_id with_line(struct lined *lined, wk_text_id call, uint32_t line)
{
	wk_buf_reset(&lined->text);
	wk_closure_name_add(wk_model_str(lined->model, call), line, line, &lined->text);
	return wk_model_text(lined->model, wk_closure_path(wk_buf_str(&lined->text)));
}

/* Closures that are functions. */
static void add_own(struct lined *lined)
{
	struct wk_model *model = lined->model;

	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];
		struct wk_str plain, name;

		if (!function->closure_line)
			continue;
		plain = wk_closure_path(wk_model_str(model, function->plain));
		name = wk_closure_path(wk_model_str(model, function->name));
		add(lined, key_of(function->image, wk_model_text(model, plain)),
		    wk_model_text(model, name), function->file);
	}
}

/* The closure that a function is an instance for. */
struct single {
	struct wk_str closure;
	bool has_more;
};

static struct wk_str note_closure(void *context, struct wk_str closure)
{
	struct single *single = context;

	single->has_more |= single->closure.len && !wk_str_eq(single->closure, closure);
	single->closure = closure;
	return wk_str_c("");
}

static struct wk_str single_closure(struct lined *lined, wk_function_id instance)
{
	struct single single = { 0 };

	wk_buf_reset(&lined->text);
	wk_closure_arguments_add(wk_model_str(lined->model, lined->model->functions[instance].name),
				 WK_CLOSURE_INNERMOST, note_closure, &single, &lined->text);
	return single.has_more ? wk_str_c("") : single.closure;
}

/* "run" and "run(int)": inlined functions have no parameters in their names. */
static bool is_same_home(struct wk_str inlined, struct wk_str numbered)
{
	char next = numbered.len > inlined.len ? numbered.at[inlined.len] : '(';

	return inlined.len && inlined.len <= numbered.len &&
	       wk_str_eq(wk_str_of(numbered.at, inlined.len), inlined) &&
	       (next == '(' || next == '<');
}

/* The outermost closure that is written in `home`; NULL if there is none. */
static const struct wk_function *find_inlined(const struct wk_model *model,
					      struct wk_frame_calls calls, struct wk_str home)
{
	for (uint32_t i = 1; i < calls.count; i++) {
		const struct wk_function *function = &model->functions[calls.function[i]];

		if (function->closure_line &&
		    is_same_home(wk_closure_home(wk_model_str(model, function->plain)), home))
			return function;
	}
	return NULL;
}

static void add_line(struct lined *lined, uint64_t key, uint32_t line)
{
	uint32_t before = wk_map_find(&lined->inlined, key);

	if (before && before != line)
		wk_map_set(&lined->doubtful, key, 1);
	wk_map_set(&lined->inlined, key, line);
}

static void add_inlined(struct lined *lined)
{
	const struct wk_model *model = lined->model;

	for (wk_frame_id frame = 0; model->calls.first && frame < model->frames.count; frame++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, frame);
		struct wk_str closure;
		const struct wk_function *inlined;
		wk_text_id text, call;
		uint64_t key;

		if (calls.count < 2)
			continue;
		closure = single_closure(lined, calls.function[0]);
		if (!closure.len)
			continue;
		text = wk_model_text(lined->model, closure);
		call = called(lined, wk_model_str(model, text));
		inlined = find_inlined(model, calls, wk_closure_home(wk_model_str(model, call)));
		if (!inlined)
			continue;
		key = key_of(model->functions[calls.function[0]].image, text);
		add_line(lined, key, inlined->closure_line);
		add(lined, key, with_line(lined, call, inlined->closure_line), inlined->file);
	}
}

static struct wk_str lined_name(void *context, struct wk_str closure)
{
	const struct lined *lined = context;
	wk_text_id text = wk_strtab_find(lined->model->text, closure), name = 0;
	uint64_t key = key_of(lined->image, text);

	if (text && !wk_map_find(&lined->doubtful, key))
		name = wk_map_find(&lined->names, key);
	return name ? wk_model_str(lined->model, name) : wk_str_c("");
}

static void name_part(struct lined *lined, struct wk_function *function, enum wk_closure_part part)
{
	struct wk_model *model = lined->model;

	wk_buf_reset(&lined->text);
	if (!wk_closure_arguments_add(wk_model_str(model, function->name), part, lined_name, lined,
				      &lined->text))
		return;
	if (!function->plain)
		function->plain = function->name;
	function->name = wk_model_text(model, wk_buf_str(&lined->text));
}

/* A closure in a closure first: its name is that of both. */
static void name_instances(struct lined *lined)
{
	struct wk_model *model = lined->model;

	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_function *function = &model->functions[id];

		lined->image = function->image;
		if (function->is_unnamed)
			continue;
		name_part(lined, function, WK_CLOSURE_INNERMOST);
		name_part(lined, function, WK_CLOSURE_OUTERMOST);
	}
}

void wk_model_name_closure_arguments(struct wk_model *model)
{
	struct lined lined = { .model = model };

	add_own(&lined);
	if (lined.names.count) {
		add_inlined(&lined);
		name_instances(&lined);
	}
	wk_map_fini(&lined.names);
	wk_map_fini(&lined.files);
	wk_map_fini(&lined.inlined);
	wk_map_fini(&lined.doubtful);
	wk_buf_fini(&lined.text);
}
