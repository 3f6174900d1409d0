#include "formats/pieces.h"

#include <errno.h>
#include <string.h>

void wk_pieces_of_file(struct wk_pieces *pieces, struct wk_os_stream *stream, uint64_t at,
		       uint64_t end)
{
	*pieces = (struct wk_pieces){ .stream = stream, .at = at, .end = end,
				      .piece_bytes = WK_PIECE_BYTES };
}

void wk_pieces_of_pipe(struct wk_pieces *pieces, struct wk_os_stream *stream, struct wk_str start)
{
	*pieces = (struct wk_pieces){ .stream = stream, .piece_bytes = WK_PIECE_BYTES };
	wk_buf_add_str(&pieces->text, start);
}

void wk_pieces_fini(struct wk_pieces *pieces)
{
	wk_buf_fini(&pieces->text);
	*pieces = (struct wk_pieces){ 0 };
}

static bool read_file(struct wk_pieces *pieces)
{
	uint64_t left = pieces->end - pieces->at;
	size_t before = pieces->text.len;
	size_t wanted = left < pieces->piece_bytes ? (size_t)left : pieces->piece_bytes;

	if (!wk_os_stream_read_at(pieces->stream, pieces->at, &pieces->text, wanted))
		return false;
	pieces->at += pieces->text.len - before;
	pieces->is_short = pieces->text.len < before + wanted;
	pieces->is_last = pieces->at == pieces->end || pieces->is_short;
	return true;
}

static bool read_pipe(struct wk_pieces *pieces)
{
	size_t wanted = pieces->text.len + pieces->piece_bytes;

	if (!wk_os_stream_read(pieces->stream, &pieces->text, wanted))
		return false;
	pieces->is_last = pieces->text.len < wanted;
	return true;
}

static void drop_used(struct wk_pieces *pieces)
{
	struct wk_buf *text = &pieces->text;

	if (pieces->used) {
		text->len -= pieces->used;
		memmove(text->at, text->at + pieces->used, text->len + 1); /* and the NUL */
	}
	pieces->used = 0;
}

bool wk_pieces_read(struct wk_pieces *pieces)
{
	if (pieces->is_last || pieces->cause)
		return false;
	drop_used(pieces);
	if (pieces->stream->is_file ? read_file(pieces) : read_pipe(pieces))
		return true;
	pieces->cause = errno;
	return false;
}

void wk_pieces_use(struct wk_pieces *pieces, size_t len)
{
	pieces->used = len;
	if (len == 0)
		pieces->piece_bytes *= 2;
}

bool wk_pieces_check(const struct wk_pieces *pieces, struct wk_err *err)
{
	if (pieces->cause)
		return wk_fail_os(err, pieces->cause, "reading failed");
	return !pieces->is_short ||
	       wk_fail(err, WK_EIO, WK_NOWHERE,
		       "the file became shorter while it was read: try again when nothing writes "
		       "to it");
}
