/* Which samples of a model a view shows, and how good they are. Order of calls: wk_selection_open,
 * the views and renderers, wk_selection_fini. */
#ifndef WK_SESSION_SELECTION_H
#define WK_SESSION_SELECTION_H

#include "model/model.h"
#include "session/messages.h"
#include "views/filter/filter.h"
#include "views/quality.h"

struct wk_selection {
	struct wk_filter_spec asked; /* its texts are borrowed */
	struct wk_filter filter;
	struct wk_quality quality;
};

bool wk_selection_open(struct wk_selection *question, const struct wk_model *model,
		       const struct wk_filter_spec *spec, struct wk_err *err);
void wk_selection_fini(struct wk_selection *question);

/* Fails if nothing is in view, with how much each filter keeps and, if a filter asks for something
 * that the input does not contain, that. */
bool wk_selection_expect(const struct wk_selection *question, struct wk_err *err);

/* Everything that a reader must know and cannot see in the output: the numbers of samples and of
 * lost ones, or why there are none; then the warnings and hints below. */
void wk_selection_report(const struct wk_selection *question, const struct wk_messages *messages);

/* Warns if the view does not show CPU time. */
void wk_selection_report_cpu(const struct wk_selection *question,
			     const struct wk_messages *messages);

/* Which parts of the input could not be used, and which are missing. Tables of text print that
 * themselves. */
void wk_selection_report_faults(const struct wk_selection *question,
				const struct wk_messages *messages);

/* The faults, the programs that have no names because their files are gone or replaced, and stacks
 * that are cut off. */
void wk_selection_warn(const struct wk_selection *question, const struct wk_messages *messages);

/* If many functions of one file have no names: which, and how to get them. */
void wk_selection_hint(const struct wk_selection *question, const struct wk_messages *messages);

#endif
