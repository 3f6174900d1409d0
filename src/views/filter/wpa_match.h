/* How a filter of Windows Performance Analyzer compares a cell of a column with a value: upper and
 * lower case are alike, numbers are compared as such where one is to be greater. */
#ifndef WK_VIEWS_FILTER_WPA_MATCH_H
#define WK_VIEWS_FILTER_WPA_MATCH_H

#include <stdbool.h>

#include "base/str.h"

enum wk_wpa_operator {
	WK_WPA_IS,
	WK_WPA_IS_NOT,
	WK_WPA_HAS,
	WK_WPA_BEGINS,
	WK_WPA_ENDS,
	WK_WPA_PATTERN, /* a regular expression */
	WK_WPA_LESS,
	WK_WPA_GREATER,
	WK_WPA_AT_MOST,
	WK_WPA_AT_LEAST,
	WK_WPA_UNKNOWN,
};

/* The operator of a term: what stands between the ':' and the value. */
enum wk_wpa_operator wk_wpa_operator_of(struct wk_str text);

/* Any but patterns, which base/text/pattern.h matches. */
bool wk_wpa_matches(enum wk_wpa_operator operator, struct wk_str cell, struct wk_str value);

#endif
