#include "session/symbolize/typed_address.h"

#include "base/num.h"

static struct wk_str trimmed(struct wk_str text)
{
	while (text.len && strchr(" \t\r", text.at[0]))
		text = wk_str_skip(text, 1);
	while (text.len && strchr(" \t\r", text.at[text.len - 1]))
		text.len--;
	return text;
}

bool wk_typed_address_is_plain(struct wk_str text, uint64_t *address)
{
	if (wk_str_starts(text, "0x") || wk_str_starts(text, "0X"))
		text = wk_str_skip(text, 2);
	return wk_num_hex(text, address);
}

/* The text before an address: an image, perhaps in quotes, perhaps after the word CODE as in
 * llvm-symbolizer. */
static struct wk_str image_part(struct wk_str text)
{
	text = trimmed(text);
	if (wk_str_starts(text, "CODE "))
		text = trimmed(wk_str_skip(text, strlen("CODE ")));
	if (text.len >= 2 && text.at[0] == '"' && text.at[text.len - 1] == '"')
		text = wk_str_of(text.at + 1, text.len - 2);
	return text;
}

/* The offset behind the last `c`; 0 if there is none. */
static size_t behind_last(struct wk_str text, char c)
{
	size_t at = text.len;

	while (at > 0 && text.at[at - 1] != c)
		at--;
	return at;
}

/* "22f0", "+0x22f0", "main+0x10", "main". */
static bool read_place(struct wk_str text, struct wk_typed_address *typed)
{
	size_t plus = behind_last(text, '+');

	if (wk_typed_address_is_plain(text, &typed->offset))
		return true;
	if (plus == 0) {
		typed->function = text;
		typed->offset = 0;
		return text.len > 0;
	}
	typed->function = wk_str_of(text.at, plus - 1);
	return wk_typed_address_is_plain(wk_str_skip(text, plus), &typed->offset);
}

/* Removes "[0x55d0c0de]" from the end. */
static bool read_brackets(struct wk_str *text, uint64_t *number)
{
	size_t open = behind_last(*text, '[');

	if (open == 0 || !wk_str_ends(*text, "]") ||
	    !wk_typed_address_is_plain(wk_str_of(text->at + open, text->len - open - 1), number))
		return false;
	*text = trimmed(wk_str_of(text->at, open - 1));
	return true;
}

/* "app(main+0x10)"; "app()" and "app" before brackets. */
static bool read_backtrace(struct wk_str text, bool has_brackets, struct wk_typed_address *typed)
{
	size_t open = wk_str_ends(text, ")") ? behind_last(text, '(') : 0;
	struct wk_str inside = { "", 0 };

	typed->image = image_part(open ? wk_str_of(text.at, open - 1) : text);
	if (open)
		inside = wk_str_of(text.at + open, text.len - open - 1);
	if (behind_last(inside, '+'))
		return read_place(inside, typed);
	return has_brackets; /* with the address */
}

bool wk_typed_address_read(struct wk_str text, struct wk_typed_address *typed)
{
	bool has_brackets;
	size_t blank;

	*typed = (struct wk_typed_address){ 0 };
	text = trimmed(text);
	has_brackets = read_brackets(&text, &typed->offset);
	if (has_brackets || wk_str_ends(text, ")"))
		return read_backtrace(text, has_brackets, typed);
	blank = text.len;
	while (blank > 0 && text.at[blank - 1] != ' ' && text.at[blank - 1] != '\t')
		blank--;
	typed->image = image_part(wk_str_of(text.at, blank));
	typed->may_be_image = blank == 0 && behind_last(text, '+') > 1;
	return read_place(wk_str_skip(text, blank), typed);
}
