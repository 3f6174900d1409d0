#include "names/label.h"

#include <string.h>

#include "names/short_name.h"
#include "names/spelling.h"

#define ELLIPSIS   "…"
#define LEAST_ROOM 4

/* The start of the last step of the path: after the last "::" outside brackets. */
static size_t last_step(const struct wk_buf *label)
{
	size_t last = 0;
	int open = 0;

	for (size_t i = 0; i + 2 < label->len; i++) {
		open += wk_bracket_at(wk_buf_str(label), i);
		if (open <= 0 && label->at[i] == ':' && label->at[i + 1] == ':')
			last = i + 2;
	}
	return last;
}

/* Not the suffix of a copy that the compiler made, or of a file. */
static bool starts_step(struct wk_str rest)
{
	static const char *const suffixes[] = { "constprop", "isra", "part", "cold", "lto_priv",
						"llvm", "localalias", "clone", "so", "dll", "exe",
						NULL };
	unsigned char c = rest.len ? (unsigned char)rest.at[0] : 0;

	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? true : c && strchr("_<(*", c)) &&
	       !wk_str_starts_one_of(rest, suffixes);
}

/* The same of names of .NET, Java and Go: after the last dot, slash or '!'. */
static size_t last_dotted_step(const struct wk_buf *label)
{
	size_t last = 0, steps = 0;
	int open = 0;

	for (size_t i = 0; i < label->len; i++) {
		char c = label->at[i];

		open += wk_bracket_at(wk_buf_str(label), i);
		if (open > 0)
			continue;
		if (c == ' ')
			return 0;
		if (!i || (c != '.' && c != '/' && c != '!') ||
		    !starts_step(wk_str_skip(wk_buf_str(label), i + 1)))
			continue;
		last = i + 1;
		steps += c == '!' ? 2 : 1;
	}
	return steps > 1 ? last : 0;
}

/* As much of the end as fits after an ellipsis, but at least the last step. */
static void drop_path(struct wk_buf *label, size_t room)
{
	struct wk_buf rest = { 0 };
	size_t path = last_step(label), last = path ? path : last_dotted_step(label);
	size_t from = label->len, left = room - 1;
	bool is_cut = wk_characters(wk_str_skip(wk_buf_str(label), last)) > left;

	if (last == 0)
		return;
	while (!is_cut && from > 0 && left > 0) {
		from--;
		left -= (label->at[from] & 0xc0) != 0x80;
	}
	while (from < last && label->at[from] == ':')
		from++;
	if (is_cut)
		from = last;
	else
		wk_buf_add_text(&rest, ELLIPSIS);
	wk_buf_add(&rest, label->at + from, label->len - from);
	wk_buf_fini(label);
	*label = rest;
}

static void cut_end(struct wk_buf *label, size_t room)
{
	size_t at = 0, count = 0;

	if (wk_characters(wk_buf_str(label)) <= room)
		return;
	for (; at < label->len; at++) {
		count += (label->at[at] & 0xc0) != 0x80;
		if (count == room)
			break;
	}
	label->len = at;
	wk_buf_add_text(label, ELLIPSIS);
}

void wk_label_fit(struct wk_buf *label, size_t room)
{
	if (room < LEAST_ROOM) {
		wk_buf_reset(label);
		return;
	}
	if (wk_characters(wk_buf_str(label)) <= room)
		return;
	if (label->len <= WK_SHORT_MOST_BYTES)
		drop_path(label, room);
	cut_end(label, room);
}
