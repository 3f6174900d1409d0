/* One question to a recording, as show, fold and flame ask it: which samples, and how good
 * they are. Order of calls: wk_selection_open, the views and renderers, wk_selection_fini. */
#ifndef WK_CLI_SYMBOLS_QUESTION_H
#define WK_CLI_SYMBOLS_QUESTION_H

#include "model/model.h"
#include "views/filter/filter.h"
#include "views/quality.h"

struct wk_selection {
	struct wk_filter_spec asked; /* its texts stay those of the command line */
	struct wk_filter filter;
	struct wk_quality quality;
};

bool wk_selection_open(struct wk_selection *question, const struct wk_model *model,
		       const struct wk_filter_spec *spec, struct wk_err *err);
void wk_selection_fini(struct wk_selection *question);

/* What a reader must know who cannot see it in the output itself: how many samples, how many
 * were lost, or why there are none; then wk_selection_warn. On standard error. */
void wk_selection_print(const struct wk_selection *question);

/* Fails where nothing is in view, with which filter keeps how much and, where a filter asks for
 * what the input never tells, that. */
bool wk_selection_expect(const struct wk_selection *question, struct wk_err *err);

/* First of all: that what is shown is not the time that people look for. Nothing, or a line on
 * standard error; wk_selection_print includes it. */
void wk_selection_print_cpu(const struct wk_selection *question);

/* What of the input could not be used and, where tables do not say it, what is not there: a few
 * lines on standard error. */
void wk_selection_print_faults(const struct wk_selection *question, bool and_missing);

/* All of it, and which programs have no names since their files are gone or replaced: nothing, or
 * one line on standard error. For output that has no room for it. */
void wk_selection_warn(const struct wk_selection *question);

/* Where many functions of one file have no names: which, and that `wick doctor` knows what brings
 * them. Nothing, or one line on standard error; wk_selection_print includes it. */
void wk_selection_hint(const struct wk_selection *question);

#endif
