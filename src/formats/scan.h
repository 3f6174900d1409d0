/* Functions that parse a text from its start.
 *
 * Each one removes what it is named for from `text`, or leaves `text` unchanged and returns false;
 * `text` never grows. So the form of a line is a chain of calls:
 *
 *	ok = wk_str_accept(&rest, "TID ") && wk_scan_number(&rest, &tid) && rest.len == 0; */
#ifndef WK_FORMATS_SCAN_H
#define WK_FORMATS_SCAN_H

#include <stdint.h>

#include "base/str.h"

static inline bool wk_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool wk_is_hex(char c)
{
	return wk_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline bool wk_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Is it one of the characters in `set`? Never for NUL. */
static inline bool wk_is_any_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Decimal digits; false if they exceed 64 bits. */
bool wk_scan_number(struct wk_str *text, uint64_t *value);

/* Hexadecimal digits, with or without "0x". */
bool wk_scan_hex(struct wk_str *text, uint64_t *value);

/* Digits; may be empty. */
struct wk_str wk_scan_digits(struct wk_str *text);

/* Skips spaces and tabs; returns their number. */
size_t wk_scan_blanks(struct wk_str *text);

/* Everything up to `end`, which stays in `text`; all of it if there is none. */
struct wk_str wk_scan_to(struct wk_str *text, char end);

/* Everything up to the next space or tab. */
struct wk_str wk_scan_word(struct wk_str *text);

/* The next word behind spaces and tabs; false if there is none. */
static inline bool wk_next_word(struct wk_str *text, struct wk_str *word)
{
	wk_scan_blanks(text);
	*word = wk_scan_word(text);
	return word->len > 0;
}

/* The first position of `part` in `text`, or SIZE_MAX. */
size_t wk_str_find(struct wk_str text, const char *part);

static inline bool wk_str_has(struct wk_str text, const char *part)
{
	return wk_str_find(text, part) != SIZE_MAX;
}

/* The last position of `c` in `text`, or SIZE_MAX. */
size_t wk_str_find_last(struct wk_str text, char c);

/* The last position of `part` in `text`, or SIZE_MAX. */
size_t wk_str_find_last_text(struct wk_str text, const char *part);

/* Skips leading spaces but leaves at least `need` spaces in the rest, as a greedy regular
 * expression does that expects that many words. False if there are too few. */
bool wk_scan_spaces_but(struct wk_str *text, size_t need);

/* Cuts ":12" off the end of "file.c:12"; false if there is none. Lines above 32 bits are 0. For
 * "file.c:12:5" with a column: wk_cut_line(&place, &line) && wk_cut_line(&place, &line) */
bool wk_cut_line(struct wk_str *place, uint32_t *line);

/* Cuts " (place)" off the end of "name (place)", with " (" as `open`; or " [place]", with " [".
 * False if there is none, or nothing in front of it. */
bool wk_cut_bracketed(struct wk_str *text, const char *open, struct wk_str *inside);

/* The same for a number: "name (12)". */
bool wk_cut_number(struct wk_str *text, const char *open, uint64_t *number);

/* A unit of time, cycles or memory as reports write it. */
struct wk_unit {
	const char *text;
	uint64_t times;
	const char *counts; /* the base unit */
};

/* NULL if it is not known. */
const struct wk_unit *wk_unit_of(struct wk_str text);

/* The first line without its end, or all of the text. */
struct wk_str wk_scan_line(struct wk_str *text);

#endif
