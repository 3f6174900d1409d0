#include "views/filter/wpa_match.h"

#include <stddef.h>

#include "base/num.h"

enum wk_wpa_operator wk_wpa_operator_of(struct wk_str text)
{
	static const struct {
		const char *text;
		enum wk_wpa_operator operator;
	} known[] = {
		{ "=", WK_WPA_IS },        { "<>", WK_WPA_IS_NOT }, { "~=", WK_WPA_HAS },
		{ "~<", WK_WPA_BEGINS },   { "~>", WK_WPA_ENDS },   { "*", WK_WPA_PATTERN },
		{ "<", WK_WPA_LESS },      { ">", WK_WPA_GREATER }, { "<=", WK_WPA_AT_MOST },
		{ ">=", WK_WPA_AT_LEAST },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (wk_str_is(text, known[i].text))
			return known[i].operator;
	return WK_WPA_UNKNOWN;
}

static bool same(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (wk_lower(a[i]) != wk_lower(b[i]))
			return false;
	return true;
}

static bool has(struct wk_str cell, struct wk_str value)
{
	for (size_t i = 0; i + value.len <= cell.len; i++)
		if (same(cell.at + i, value.at, value.len))
			return true;
	return false;
}

static bool is_ordered(enum wk_wpa_operator operator, struct wk_str cell, struct wk_str value)
{
	double a, b;

	if (!wk_num_real(cell, &a) || !wk_num_real(value, &b))
		return false;
	switch (operator) {
	case WK_WPA_LESS:
		return a < b;
	case WK_WPA_GREATER:
		return a > b;
	case WK_WPA_AT_MOST:
		return a <= b;
	default:
		return a >= b;
	}
}

bool wk_wpa_matches(enum wk_wpa_operator operator, struct wk_str cell, struct wk_str value)
{
	bool fits = value.len <= cell.len;

	switch (operator) {
	case WK_WPA_IS:
		return cell.len == value.len && same(cell.at, value.at, value.len);
	case WK_WPA_IS_NOT:
		return cell.len != value.len || !same(cell.at, value.at, value.len);
	case WK_WPA_HAS:
		return has(cell, value);
	case WK_WPA_BEGINS:
		return fits && same(cell.at, value.at, value.len);
	case WK_WPA_ENDS:
		return fits && same(cell.at + (cell.len - value.len), value.at, value.len);
	default:
		return is_ordered(operator, cell, value);
	}
}
