/* Labels of stacks, by rules: which stage of a program a sample is in.
 *
 * From the root on, the first frame that a rule matches gives the stack its label; if several rules
 * match that frame, the first of them does. So a stage that another one calls counts as a part of
 * its caller. */
#ifndef WK_VIEWS_TREE_ANNOTATIONS_H
#define WK_VIEWS_TREE_ANNOTATIONS_H

#include "model/model.h"
#include "views/filter/presets.h"

struct wk_annotations {
	const struct wk_annotation_rule *rules; /* checked patterns; the first one of each label
						 * stands for it */
	size_t count;
};

#define WK_NOT_ANNOTATED "(not annotated)"

/* The most rules of a preset: each is tried on every function. */
#define WK_ANNOTATIONS_MOST 200

/* By named stack, the number of the first rule with its label, counted from 1; 0: none, as all have
 * if `annotations` is NULL. `is_process` as in views/compare/pairs.h, or NULL. The caller frees it.
 */
uint8_t *wk_annotations_of_stacks(const struct wk_annotations *annotations,
				  const struct wk_model *model, const uint8_t *is_process);

/* The label of such a number. */
static inline const char *wk_annotation_label(const struct wk_annotations *annotations,
					      uint32_t number)
{
	return number ? annotations->rules[number - 1].label : WK_NOT_ANNOTATED;
}

#endif
