#include "views/tree/annotations.h"

#include <assert.h>

#include "base/mem.h"
#include "base/text/pattern.h"
#include "views/tree/merge.h"

/* The patterns of a rule. Those of functions are tried once for each function, those of modules
 * once for each name of one. */
struct matcher {
	struct wk_pattern *function, *module;
	uint8_t number;
};

static struct wk_pattern *pattern_of(const char *text, bool any_case)
{
	const char *why;

	return text ? wk_pattern_new(text, any_case, &why) : NULL;
}

static uint8_t number_of_label(const struct wk_annotations *annotations, const char *label)
{
	size_t number = 0;

	while (strcmp(annotations->rules[number].label, label) != 0)
		number++;
	return (uint8_t)(number + 1);
}

static struct matcher *matchers_new(const struct wk_annotations *annotations,
				    const struct wk_model *model)
{
	struct matcher *matchers = wk_alloc_zeroed(annotations->count + 1, sizeof(*matchers));

	for (size_t i = 0; i < annotations->count; i++) {
		const struct wk_annotation_rule *rule = &annotations->rules[i];

		matchers[i] = (struct matcher){
			.function = pattern_of(rule->function, false),
			.module = pattern_of(rule->module, model->traits->ignores_case),
			.number = number_of_label(annotations, rule->label),
		};
	}
	return matchers;
}

static void matchers_free(struct matcher *matchers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		wk_pattern_free(matchers[i].function);
		wk_pattern_free(matchers[i].module);
	}
	wk_free(matchers);
}

/* A pattern that is not there matches. */
static bool matches(struct wk_pattern *pattern, struct wk_str text)
{
	return !pattern || wk_pattern_matches(pattern, text);
}

static uint8_t number_of_function(const struct wk_annotations *annotations,
				  struct matcher *matchers, const struct wk_model *model,
				  wk_function_id id)
{
	struct wk_str name = wk_model_str(model, model->functions[id].name);
	struct wk_str module = wk_model_str(model, wk_function_module(model, id));

	for (size_t i = 0; i < annotations->count; i++)
		if (matches(matchers[i].module, module) && matches(matchers[i].function, name))
			return matchers[i].number;
	return 0;
}

static uint8_t *numbers_of_functions(const struct wk_annotations *annotations,
				     const struct wk_model *model)
{
	uint8_t *numbers = wk_alloc_zeroed(model->function_count, 1);
	struct matcher *matchers = matchers_new(annotations, model);

	assert(annotations->count <= WK_ANNOTATIONS_MOST);
	for (wk_function_id id = 1; id < model->function_count; id++)
		numbers[id] = number_of_function(annotations, matchers, model, id);
	matchers_free(matchers, annotations->count);
	return numbers;
}

uint8_t *wk_annotations_of_stacks(const struct wk_annotations *annotations,
				  const struct wk_model *model, const uint8_t *is_process)
{
	const struct wk_trie *named = &model->named;
	uint8_t *of_stack = wk_alloc_table_zeroed(named->count, 1);
	uint8_t *of_function;

	if (!annotations)
		return of_stack;
	of_function = numbers_of_functions(annotations, model);
	for (wk_stack_id id = 1; id < named->count; id++) {
		struct wk_trie_entry stack = named->entries[id];
		wk_function_id function = model->named_frames.function[stack.label];

		of_stack[id] = of_stack[stack.parent];
		if (!of_stack[id] && (stack.parent || !is_process || !is_process[function]))
			of_stack[id] = of_function[function];
	}
	wk_free(of_function);
	return of_stack;
}
