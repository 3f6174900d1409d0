/* How functions are named for people: one short name for each, the same in tables and pictures.
 *
 *	a::run::{closure}          a::run::{{closure}}
 *	alloc::vec::Vec::index     <alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index
 *	alpha                      double alpha<int>(double)
 *
 * Functions of a recording that would look alike keep as much of their names as distinguishes
 * them: their types, the numbers of their lambdas, their parameters. Details, exports and folded
 * stacks have whole names. */
#ifndef WK_VIEWS_SHOWN_NAMES_H
#define WK_VIEWS_SHOWN_NAMES_H

#include "base/map.h"
#include "model/model.h"

/* The model must outlive it, and names that are looked up. Zeros show every name whole. */
struct wk_shown_names {
	const struct wk_model *model;
	struct wk_map shown; /* by the text id of a whole name: that of its short name */
	struct wk_strtab *text;
};

void wk_shown_names_init(struct wk_shown_names *names, const struct wk_model *model);
void wk_shown_names_fini(struct wk_shown_names *names);

/* `name` itself if it is not shown otherwise. */
struct wk_str wk_shown_name(const struct wk_shown_names *names, struct wk_str name);

#endif
