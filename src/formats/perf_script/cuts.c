/* Where the text of a part may be cut into pieces: between two samples. */
#include "formats/perf_script/internal.h"

/* Behind the last line that is followed by a blank one; 0 if none is. */
static size_t last_blank(struct wk_str text)
{
	for (size_t at = text.len; at-- > 1;) {
		struct wk_str behind = wk_str_skip(text, at);

		if (text.at[at - 1] == '\n' &&
		    (wk_str_starts(behind, "\n") || wk_str_starts(behind, "\r\n")))
			return at;
	}
	return 0;
}

/* Before the last whole line that is a sample of its own; 0 if there is none. */
static size_t last_one_line(struct wk_str text)
{
	size_t end = text.len;
	struct wk_script_head head;

	while (end > 0) {
		size_t begin = end - 1;

		while (begin > 0 && text.at[begin - 1] != '\n')
			begin--;
		if (end < text.len && begin > 0 &&
		    wk_script_head_parse(wk_str_of(text.at + begin, end - begin - 1), &head) &&
		    head.frame.len)
			return begin;
		end = begin;
	}
	return 0;
}

/* How much of the text is whole samples. Samples of one line have no blank lines between them: if
 * the last piece was cut before one, this probably can be as well. */
static size_t cut(struct wk_script_part *part)
{
	struct wk_str text = wk_pieces_text(&part->pieces);
	size_t at = 0;

	if (part->pieces.is_last)
		return text.len;
	if (part->is_list)
		return wk_str_find_last(text, '\n') + 1;
	if (!part->has_one_line)
		at = last_blank(text);
	if (!at && text.len >= WK_PIECE_BYTES)
		at = last_one_line(text);
	part->has_one_line = at && text.at[at] != '\n' && text.at[at] != '\r';
	return at;
}

bool wk_script_next_piece(struct wk_script_part *part)
{
	struct wk_pieces *pieces = &part->pieces;

	wk_script_part_leave(part);
	while (wk_pieces_read(pieces)) {
		size_t len = cut(part);

		wk_pieces_use(pieces, len);
		if (!len)
			continue;
		part->wants_blank = part->is_end && pieces->is_last && part->collapse &&
				    part->collapse->dialect == WK_COLLAPSE_PERL;
		part->begin = part->at = pieces->text.at;
		part->end = part->begin + len;
		return true;
	}
	return false;
}
