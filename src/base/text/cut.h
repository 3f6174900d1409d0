/* Texts read piece by piece: fields of a line, lines of a file. */
#ifndef WK_BASE_TEXT_CUT_H
#define WK_BASE_TEXT_CUT_H

#include "base/str.h"

/* Removes the text up to the first `mark`, and the mark; all of it if there is none. */
static inline struct wk_str wk_str_cut(struct wk_str *text, char mark)
{
	struct wk_str piece;

	wk_str_split(*text, mark, &piece, text);
	return piece;
}

#endif
