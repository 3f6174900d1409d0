/* Pieces taken off the front of a text, one after the other.
 *
 * Each of these takes what it is named for and moves `text` behind it, or takes nothing and
 * says so; `text` never grows. So a line's form reads as a chain of calls:
 *
 *	ok = wk_scan_text(&rest, "TID ") && wk_scan_number(&rest, &tid) && rest.len == 0; */
#ifndef WK_FORMATS_SCAN_H
#define WK_FORMATS_SCAN_H

#include <stdint.h>

#include "base/str.h"

static inline bool wk_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool wk_scan_text(struct wk_str *text, const char *expected);

/* Digits; more than 64 bits can hold is no number. */
bool wk_scan_number(struct wk_str *text, uint64_t *value);

/* Hexadecimal digits, "0x" in front or not. */
bool wk_scan_hex(struct wk_str *text, uint64_t *value);

/* Digits, perhaps none. */
struct wk_str wk_scan_digits(struct wk_str *text);

/* Spaces and tabs, perhaps none: how many. */
size_t wk_scan_blanks(struct wk_str *text);

/* All before the next `end`, which stays; all of it where there is none. */
struct wk_str wk_scan_to(struct wk_str *text, char end);

/* All before the next space or tab. */
struct wk_str wk_scan_word(struct wk_str *text);

/* Where `part` first begins in `text`, or SIZE_MAX. */
size_t wk_str_find(struct wk_str text, const char *part);

/* Where `c` last stands in `text`, or SIZE_MAX. */
size_t wk_str_find_last(struct wk_str text, char c);

/* Where `part` last begins in `text`, or SIZE_MAX. */
size_t wk_str_find_last_text(struct wk_str text, const char *part);

/* Drops spaces in front, but leaves at least `need` in all: what a regular expression does
 * that takes as many as it can and then wants so many words. False if there are too few. */
bool wk_scan_spaces_but(struct wk_str *text, size_t need);

/* Cuts ":12" off the end of "file.c:12"; false if there is none. Lines above 32 bits are 0. For
 * "file.c:12:5" with a column: wk_cut_line(&place, &line) && wk_cut_line(&place, &line) */
bool wk_cut_line(struct wk_str *place, uint32_t *line);

/* The first line of the input's beginning, or all of it. */
struct wk_str wk_scan_line(struct wk_str *text);

#endif
