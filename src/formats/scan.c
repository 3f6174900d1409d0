#include "formats/scan.h"

#include "base/num.h"

bool wk_scan_number(struct wk_str *text, uint64_t *value)
{
	struct wk_str rest = *text;

	if (!wk_num_u64(wk_scan_digits(&rest), value))
		return false;
	*text = rest;
	return true;
}

bool wk_scan_hex(struct wk_str *text, uint64_t *value)
{
	struct wk_str digits = *text;
	size_t len = 0;

	wk_str_accept(&digits, "0x");
	while (len < digits.len && wk_is_hex(digits.at[len]))
		len++;
	if (!wk_num_hex(wk_str_of(digits.at, len), value))
		return false;
	*text = wk_str_skip(digits, len);
	return true;
}

size_t wk_scan_blanks(struct wk_str *text)
{
	size_t len = 0;

	while (len < text->len && wk_is_blank(text->at[len]))
		len++;
	*text = wk_str_skip(*text, len);
	return len;
}

struct wk_str wk_scan_digits(struct wk_str *text)
{
	struct wk_str digits = { text->at, 0 };

	while (digits.len < text->len && wk_is_digit(text->at[digits.len]))
		digits.len++;
	*text = wk_str_skip(*text, digits.len);
	return digits;
}

struct wk_str wk_scan_to(struct wk_str *text, char end)
{
	const char *found = text->len ? memchr(text->at, end, text->len) : NULL;
	struct wk_str part = { text->at, found ? (size_t)(found - text->at) : text->len };

	*text = wk_str_skip(*text, part.len);
	return part;
}

struct wk_str wk_scan_word(struct wk_str *text)
{
	struct wk_str part = { text->at, 0 };

	while (part.len < text->len && !wk_is_blank(text->at[part.len]))
		part.len++;
	*text = wk_str_skip(*text, part.len);
	return part;
}

size_t wk_str_find(struct wk_str text, const char *part)
{
	struct wk_str rest = text;

	while (wk_scan_to(&rest, part[0]).len < text.len && rest.len) {
		if (wk_str_starts(rest, part))
			return text.len - rest.len;
		rest = wk_str_skip(rest, 1);
	}
	return SIZE_MAX;
}

size_t wk_str_find_last(struct wk_str text, char c)
{
	for (size_t i = text.len; i > 0; i--)
		if (text.at[i - 1] == c)
			return i - 1;
	return SIZE_MAX;
}

size_t wk_str_find_last_text(struct wk_str text, const char *part)
{
	struct wk_str before = text;

	while ((before.len = wk_str_find_last(before, part[0])) != SIZE_MAX)
		if (wk_str_starts(wk_str_skip(text, before.len), part))
			return before.len;
	return SIZE_MAX;
}

bool wk_scan_spaces_but(struct wk_str *text, size_t need)
{
	size_t total = 0;

	for (size_t i = 0; i < text->len; i++)
		total += text->at[i] == ' ';
	if (total < need)
		return false;
	while (total > need && wk_str_accept(text, " "))
		total--;
	return true;
}

bool wk_cut_line(struct wk_str *place, uint32_t *line)
{
	size_t colon = wk_str_find_last(*place, ':');
	uint64_t number;

	if (colon == SIZE_MAX || !wk_num_u64(wk_str_skip(*place, colon + 1), &number))
		return false;
	*line = number <= UINT32_MAX ? (uint32_t)number : 0;
	place->len = colon;
	return true;
}

bool wk_cut_bracketed(struct wk_str *text, const char *open, struct wk_str *inside)
{
	size_t at = wk_str_ends(*text, open[1] == '(' ? ")" : "]")
			    ? wk_str_find_last_text(*text, open)
			    : SIZE_MAX;

	if (at == SIZE_MAX || at == 0)
		return false;
	*inside = wk_str_of(text->at + at + 2, text->len - at - 3);
	text->len = at;
	return true;
}

bool wk_cut_number(struct wk_str *text, const char *open, uint64_t *number)
{
	struct wk_str rest = *text, inside;

	if (!wk_cut_bracketed(&rest, open, &inside) || !wk_num_u64(wk_trim(inside), number))
		return false;
	*text = wk_trim(rest);
	return true;
}

static const struct wk_unit units[] = {
	{ "ns", 1, "ns" }, { "us", 1000, "ns" }, { "\xc2\xb5s", 1000, "ns" },
	{ "\xce\xbcs", 1000, "ns" }, { "ms", 1000000, "ns" }, { "s", 1000000000, "ns" },
	{ "min", 60000000000, "ns" }, { "mins", 60000000000, "ns" },
	{ "h", 3600000000000, "ns" }, { "hrs", 3600000000000, "ns" }, { "cycles", 1, "cycles" },
	{ "Kc", 1000, "cycles" }, { "Mc", 1000000, "cycles" }, { "Gc", 1000000000, "cycles" },
	{ "Tc", 1000000000000, "cycles" }, { "B", 1, "bytes" }, { "Bytes", 1, "bytes" },
	{ "kB", 1024, "bytes" }, { "KB", 1024, "bytes" }, { "MB", 1024 * 1024, "bytes" },
	{ "GB", 1024 * 1024 * 1024, "bytes" }, { "TB", 1024ull * 1024 * 1024 * 1024, "bytes" },
};

const struct wk_unit *wk_unit_of(struct wk_str text)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (wk_str_is(text, units[i].text))
			return &units[i];
	return NULL;
}

struct wk_str wk_scan_line(struct wk_str *text)
{
	struct wk_str line = wk_str_cut(text, '\n');

	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	return line;
}
