/* A filter as Windows Performance Analyzer writes it, as an expression:
 *
 *	[Process]:="app.exe (12)" AND NOT ([Module]:~="ntdll" OR [CPU]:>3)
 *
 * Terms next to each other are joined by "and". A condition on a column that wick does not have is
 * unknown: it leaves out no sample by itself. The text must outlive the query. */
#ifndef WK_VIEWS_FILTER_WPA_QUERY_H
#define WK_VIEWS_FILTER_WPA_QUERY_H

#include "views/filter/expression.h"

/* False with a sentence if it is no expression, or has too many conditions. */
bool wk_wpa_query_read(struct wk_preset_query *query, struct wk_str text, bool keeps,
		       struct wk_err *err);

/* Which field a column is. Blanks, dashes, case and a unit in parentheses make no difference, nor
 * does "New" in front (of a context switch: the thread that runs from then on). */
enum wk_field wk_wpa_field_of(struct wk_str column);

#endif
