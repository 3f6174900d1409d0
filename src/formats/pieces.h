/* Text in pieces: of a pipe because it would not fit into memory, and of a file because reading
 * into the same memory again costs less than mapping ever new pages.
 *
 *	while (wk_pieces_read(&pieces)) {
 *		used = ... of wk_pieces_text(&pieces), all of it if `is_last` ...
 *		wk_pieces_use(&pieces, used);
 *	}
 *
 * What is not used is the start of the next text. If nothing can be used, use 0: the next piece is
 * larger. */
#ifndef WK_FORMATS_PIECES_H
#define WK_FORMATS_PIECES_H

#include "base/buf.h"
#include "os/os.h"

#define WK_PIECE_BYTES ((size_t)256 << 10) /* few enough to stay in a cache */

struct wk_pieces {
	struct wk_os_stream *stream;
	uint64_t at, end; /* of a file: what is left to be read */
	struct wk_buf text;
	size_t used, piece_bytes;
	bool is_last;  /* the text ends with the input */
	bool is_short; /* a file: it ends before `end` */
	int cause;     /* errno, if reading failed */
};

/* From `at` to `end` of a file. */
void wk_pieces_of_file(struct wk_pieces *pieces, struct wk_os_stream *stream, uint64_t at,
		       uint64_t end);
/* `start`, and what is left of a pipe behind it. */
void wk_pieces_of_pipe(struct wk_pieces *pieces, struct wk_os_stream *stream, struct wk_str start);
void wk_pieces_fini(struct wk_pieces *pieces);

/* More text, which replaces what was used; false at the end, or if reading fails:
 * see wk_pieces_check. */
bool wk_pieces_read(struct wk_pieces *pieces);

static inline struct wk_str wk_pieces_text(const struct wk_pieces *pieces)
{
	return wk_buf_str(&pieces->text);
}

void wk_pieces_use(struct wk_pieces *pieces, size_t len);

/* False if reading failed, or the file has become shorter meanwhile. */
bool wk_pieces_check(const struct wk_pieces *pieces, struct wk_err *err);

#endif
