#include "serve/page_filters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/json.h"
#include "serve/page_pattern.h"
#include "views/shown_names.h"

#define MOST_FILTERS 200
#define LONGEST_TEXT 10000 /* bytes */

enum kind {
	OF_PRESET,
	OF_PROCESS,
	OF_PID,
	OF_TID,
	OF_FUNCTION,
	OF_MODULE,
	OF_PATTERN,
	OF_FOCUS, /* a filter, and a verb */
	OF_MERGE,
	OF_COLLAPSE,
	OF_MERGED_MODULE,
	OF_RECURSION,
	KINDS
};

static const char *const kind_words[KINDS] = {
	[OF_PRESET] = "preset",
	[OF_PROCESS] = "process",
	[OF_PID] = "pid",
	[OF_TID] = "tid",
	[OF_FUNCTION] = "function",
	[OF_MODULE] = "module",
	[OF_PATTERN] = "pattern",
	[OF_FOCUS] = "focus",
	[OF_MERGE] = "merge",
	[OF_COLLAPSE] = "collapse",
	[OF_MERGED_MODULE] = "merge-module",
	[OF_RECURSION] = "recursion",
};

struct wk_page_filter {
	enum kind kind;
	struct wk_str text;
	uint64_t number; /* of a process or thread; UINT64_MAX: the text is none */
	bool out;        /* it leaves out what it would keep */
	struct wk_pattern *pattern;
};

static bool keeps_samples(const struct wk_page_filter *filter)
{
	return filter->kind <= OF_FOCUS;
}

static bool is_verb(const struct wk_page_filter *filter)
{
	return filter->kind >= OF_FOCUS;
}

/* ---- reading */

static bool read_kind(struct wk_page_filter *filter, struct wk_str word, struct wk_err *err)
{
	unsigned kind = 0;

	while (kind < KINDS && !wk_str_is(word, kind_words[kind]))
		kind++;
	filter->kind = (enum kind)kind;
	return kind < KINDS || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "the argument \"filters\": there is no kind \"%.*s\"",
				       (int)(word.len < 100 ? word.len : 100), word.at);
}

static bool read_pattern(struct wk_page_filter *filter, struct wk_err *err)
{
	const char *why = NULL;

	if (filter->kind != OF_PATTERN)
		return true;
	filter->pattern = wk_page_pattern_new(filter->text, &why);
	return filter->pattern ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "the argument \"filters\": a pattern is invalid: %s", why);
}

/* As the page writes numbers: "010" and "+1" are none. */
static uint64_t number_of(struct wk_str text)
{
	uint64_t number;
	char digits[32];

	if (!wk_num_u64(text, &number))
		return UINT64_MAX;
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return wk_str_is(text, digits) ? number : UINT64_MAX;
}

static bool check_text(struct wk_str text, struct wk_err *err)
{
	if (text.len > LONGEST_TEXT)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the argument \"filters\": a text has more than %d bytes",
			       LONGEST_TEXT);
	return !text.len || !memchr(text.at, 0, text.len) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"filters\": a text has a NUL");
}

static bool read_filter(struct wk_page_filters *filters, struct wk_json *json, struct wk_err *err)
{
	struct wk_page_filter *filter = WK_APPEND(filters->at, filters->count, filters->cap);
	struct wk_buf kind = { 0 };
	struct wk_str key;
	bool ok;

	*filter = (struct wk_page_filter){ 0 };
	wk_json_enter_object(json);
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "kind"))
			wk_json_copy_text(json, &kind);
		else if (wk_str_is(key, "text"))
			filter->text = wk_arena_copy(&filters->arena, wk_json_text(json));
		else if (wk_str_is(key, "out"))
			filter->out = wk_json_bool(json);
	}
	filter->number = number_of(filter->text);
	ok = read_kind(filter, wk_buf_str(&kind), err) && check_text(filter->text, err) &&
	     read_pattern(filter, err);
	wk_buf_fini(&kind);
	return ok;
}

static bool read_list(struct wk_page_filters *filters, struct wk_json *json, struct wk_err *err)
{
	bool ok = true;

	if (wk_json_peek(json) != WK_JSON_ARRAY)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the argument \"filters\" is not a list of JSON");
	wk_json_enter_array(json);
	while (ok && wk_json_next_element(json))
		ok = filters->count < MOST_FILTERS
			     ? read_filter(filters, json, err)
			     : wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "the argument \"filters\" has more than %d filters",
				       MOST_FILTERS);
	return ok && (!json->is_cut || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					       "the argument \"filters\" ends within its JSON"));
}

static void add_key(struct wk_buf *key, const struct wk_page_filter *filter)
{
	wk_buf_add_char(key, (char)('a' + filter->kind));
	wk_buf_add_char(key, filter->out && keeps_samples(filter) ? '-' : '+');
	wk_buf_add(key, filter->text.at, filter->text.len);
	wk_buf_add_char(key, '\0');
}

bool wk_page_filters_read(struct wk_page_filters *filters, struct wk_str text, struct wk_err *err)
{
	struct wk_json json = wk_json_of(wk_bytes_of(text.at, text.len));
	struct wk_err fault = { 0 };
	bool ok = read_list(filters, &json, err);

	if (!wk_json_end(&json, &fault) && ok)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"filters\": %s",
			     fault.text);
	for (size_t i = 0; i < filters->count; i++) {
		if (keeps_samples(&filters->at[i]))
			add_key(&filters->kept_key, &filters->at[i]);
		if (is_verb(&filters->at[i]))
			add_key(&filters->verbs_key, &filters->at[i]);
	}
	return ok;
}

void wk_page_filters_fini(struct wk_page_filters *filters)
{
	for (size_t i = 0; i < filters->count; i++)
		wk_pattern_free(filters->at[i].pattern);
	wk_free(filters->at);
	wk_arena_fini(&filters->arena);
	WK_BUF_FINI_ALL(&filters->kept_key, &filters->verbs_key);
}

/* ---- filters of threads */

static bool is_number(const struct wk_page_filter *filter, uint32_t number)
{
	return filter->number == (number < WK_UNKNOWN_PID ? number : 0);
}

static const struct wk_page_preset *preset_named(const struct wk_page *page, struct wk_str name)
{
	for (size_t i = 0; i < page->preset_count; i++)
		if (wk_str_is(name, page->presets[i].preset->name))
			return &page->presets[i];
	return NULL;
}

static bool is_of_thread(const struct wk_page_filter *filter, const struct wk_page *page,
			 wk_thread_id thread)
{
	const struct wk_model *model = page->model;
	wk_process_id process = model->threads[thread].process;
	const struct wk_page_preset *preset;

	switch (filter->kind) {
	case OF_PRESET:
		preset = preset_named(page, filter->text);
		return !preset || !preset->processes || (process && preset->processes[process]);
	case OF_TID:
		return thread && is_number(filter, model->threads[thread].tid);
	case OF_PID:
		return process && is_number(filter, model->processes[process].pid);
	default:
		return wk_str_eq(wk_model_str(model, model->processes[process].name), filter->text);
	}
}

static bool is_alternative(const struct wk_page_filter *filter)
{
	return (filter->kind == OF_PROCESS || filter->kind == OF_PID || filter->kind == OF_TID) &&
	       !filter->out;
}

static bool keeps_thread(const struct wk_page_filters *filters, const struct wk_page *page,
			 wk_thread_id thread)
{
	bool has_alternatives = false, is_one_true = false;

	for (size_t i = 0; i < filters->count; i++) {
		const struct wk_page_filter *filter = &filters->at[i];

		if (filter->kind > OF_TID)
			continue;
		if (is_alternative(filter)) {
			has_alternatives = true;
			is_one_true = is_one_true || is_of_thread(filter, page, thread);
		} else if (is_of_thread(filter, page, thread) == filter->out) {
			return false;
		}
	}
	return !has_alternatives || is_one_true;
}

/* By thread; NULL if all are kept. */
static uint8_t *kept_threads(const struct wk_page_filters *filters, wk_process_id process,
			     const struct wk_page *page)
{
	uint32_t count = page->model->thread_count;
	uint8_t *kept;
	bool has_any = process;

	for (size_t i = 0; i < filters->count; i++)
		has_any |= filters->at[i].kind <= OF_TID;
	if (!has_any)
		return NULL;
	kept = wk_alloc_zeroed(count, 1);
	for (wk_thread_id thread = 0; thread < count; thread++)
		kept[thread] = (!process || page->model->threads[thread].process == process) &&
			       keeps_thread(filters, page, thread);
	return kept;
}

/* ---- filters of stacks */

static bool is_of_image(const struct wk_model *model, wk_function_id id, struct wk_str name)
{
	uint32_t image = model->functions[id].image;

	return image && wk_str_eq(wk_model_str(model, model->images[image].name), name);
}

static bool is_of_function(const struct wk_page_filter *filter, const struct wk_model *model,
			   const struct wk_shown_names *shown, wk_function_id id)
{
	struct wk_str name = wk_model_str(model, model->functions[id].name), brief;

	if (filter->kind == OF_MODULE)
		return is_of_image(model, id, filter->text);
	if (filter->kind != OF_PATTERN)
		return wk_str_eq(name, filter->text);
	if (wk_pattern_matches(filter->pattern, name))
		return true;
	brief = wk_shown_name(shown, name);
	/* The page has an empty text if both are the same. */
	return wk_pattern_matches(filter->pattern,
				  wk_str_eq(brief, name) ? (struct wk_str){ "", 0 } : brief);
}

/* By function: 1 if the filter is about it. */
static uint8_t *functions_of(const struct wk_page_filter *filter, const struct wk_model *model,
			     const struct wk_shown_names *shown)
{
	uint8_t *functions = wk_alloc_zeroed(model->function_count, 1);

	for (wk_function_id id = 1; id < model->function_count; id++)
		functions[id] = is_of_function(filter, model, shown, id);
	return functions;
}

/* By named stack: clears those that the filter leaves out. */
static void keep_stacks(const struct wk_page_filter *filter, const struct wk_model *model,
			const struct wk_shown_names *shown, uint8_t *kept)
{
	const struct wk_trie *named = &model->named;
	uint8_t *functions = functions_of(filter, model, shown);
	uint8_t *has = wk_alloc_table_zeroed(named->count, 1);

	for (wk_stack_id id = 0; id < named->count; id++) {
		struct wk_trie_entry stack = named->entries[id];

		if (id)
			has[id] = has[stack.parent] |
				  functions[model->named_frames.function[stack.label]];
		kept[id] &= has[id] != filter->out;
	}
	WK_FREE_ALL(functions, has);
}

/* By named stack; NULL if all are kept. */
static uint8_t *kept_stacks(const struct wk_page_filters *filters, const struct wk_model *model)
{
	struct wk_shown_names shown = { 0 };
	bool has_any = false, has_pattern = false;
	uint8_t *kept;

	for (size_t i = 0; i < filters->count; i++) {
		has_any |= keeps_samples(&filters->at[i]) && filters->at[i].kind > OF_TID;
		has_pattern |= filters->at[i].kind == OF_PATTERN;
	}
	if (!has_any)
		return NULL;
	if (has_pattern)
		wk_shown_names_init(&shown, model);
	kept = wk_alloc_table(model->named.count + 1);
	memset(kept, 1, model->named.count + 1);
	for (size_t i = 0; i < filters->count; i++)
		if (keeps_samples(&filters->at[i]) && filters->at[i].kind > OF_TID)
			keep_stacks(&filters->at[i], model, &shown, kept);
	if (has_pattern)
		wk_shown_names_fini(&shown);
	return kept;
}

uint64_t *wk_page_filters_bits(const struct wk_page_filters *filters,
			       const struct wk_event_rows *rows, wk_process_id process,
			       const struct wk_page *page)
{
	const struct wk_samples *samples = &page->model->samples;
	uint64_t *bits = wk_alloc_zeroed((size_t)rows->count / 64 + 1, sizeof(*bits));
	uint8_t *threads = kept_threads(filters, process, page);
	uint8_t *stacks = kept_stacks(filters, page->model);

	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t sample = wk_event_row_sample(rows, i);
		bool is_kept =
			(!threads || threads[wk_sample_thread(samples, sample)]) &&
			(!stacks || stacks[wk_model_named_of(page->model, samples->stack[sample])]);

		bits[i / 64] |= (uint64_t)is_kept << (i % 64);
	}
	WK_FREE_ALL(threads, stacks);
	return bits;
}

/* ---- verbs */

static uint8_t *flags(uint8_t **table, const struct wk_model *model)
{
	if (!*table)
		*table = wk_alloc_zeroed(model->function_count, 1);
	return *table;
}

/* What is merged is not collapsed. */
static void add_action(uint8_t *actions, const struct wk_page_filter *filter,
		       const struct wk_model *model)
{
	uint8_t action = filter->kind == OF_MERGE ? WK_FRAME_MERGE : WK_FRAME_COLLAPSE;

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (actions[id] != WK_FRAME_MERGE &&
		    wk_str_eq(wk_model_str(model, model->functions[id].name), filter->text))
			actions[id] = action;
}

/* Functions without an image are of the module without a name. */
static void add_module(uint8_t *modules, struct wk_str name, const struct wk_model *model)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		modules[id] |= is_of_image(model, id, name) ||
			       (!model->functions[id].image && name.len == 0);
}

static void add_verb(struct wk_page_verbs *verbs, const struct wk_page_filter *filter,
		     const struct wk_model *model)
{
	if (filter->kind == OF_MERGE || filter->kind == OF_COLLAPSE) {
		add_action(flags(&verbs->actions, model), filter, model);
	} else if (filter->kind == OF_MERGED_MODULE) {
		add_module(flags(&verbs->modules, model), filter->text, model);
	} else if (filter->kind == OF_RECURSION) {
		verbs->verbs.joins_recursion = true;
	} else if (filter->kind == OF_FOCUS) { /* the last one counts */
		wk_free(verbs->focus);
		verbs->focus = functions_of(filter, model, NULL);
	}
}

void wk_page_verbs_init(struct wk_page_verbs *verbs, const struct wk_page_filters *filters,
			const struct wk_model *model)
{
	*verbs = (struct wk_page_verbs){ 0 };
	for (size_t i = 0; i < filters->count; i++)
		add_verb(verbs, &filters->at[i], model);
	verbs->verbs.actions = verbs->actions;
	verbs->verbs.focus = verbs->focus;
	verbs->verbs.modules = verbs->modules;
}

void wk_page_verbs_fini(struct wk_page_verbs *verbs)
{
	WK_FREE_ALL(verbs->actions, verbs->focus, verbs->modules);
}
