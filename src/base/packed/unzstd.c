#include "base/packed/unzstd.h"

#ifdef WK_HAS_ZSTD
#include <zstd.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/packed/zstd_undo.h"

#define STEP        ((size_t)64 << 10) /* of plain bytes, between two looks at the limit */
#define ALWAYS_FREE ((uint64_t)64 << 20)
#define MOST_RATIO  300

struct wk_unzstd {
	ZSTD_DStream *stream;
	struct wk_undo *undo;
	uint64_t packed_bytes, plain_bytes;
};

struct wk_unzstd *wk_unzstd_new(struct wk_err *err)
{
	struct wk_unzstd *stream = wk_alloc_zeroed(1, sizeof(*stream));

	(void)err;
	stream->stream = wk_zstd_open(&stream->undo);
	return stream;
}

void wk_unzstd_free(struct wk_unzstd *stream)
{
	if (stream)
		wk_zstd_close(stream->stream, stream->undo);
	wk_free(stream);
}

bool wk_unzstd_add(struct wk_unzstd *stream, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err)
{
	ZSTD_inBuffer in = { piece.at, wk_bytes_left(&piece), 0 };
	ZSTD_outBuffer out = { NULL, 0, 0 };

	stream->packed_bytes += in.size;
	/* A step that fills its buffer may have more output, even at the end of the input. */
	while (in.pos < in.size || out.pos == out.size) {
		uint8_t *room = wk_buf_extend(plain, STEP);
		size_t before = in.pos, answer;

		out = (ZSTD_outBuffer){ room, STEP, 0 };
		answer = ZSTD_decompressStream(stream->stream, &out, &in);
		plain->len -= STEP - out.pos;
		plain->at[plain->len] = '\0';
		stream->plain_bytes += out.pos;
		if (ZSTD_isError(answer))
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "the zstd data is broken: %s",
				       ZSTD_getErrorName(answer));
		if (stream->plain_bytes > ALWAYS_FREE + MOST_RATIO * stream->packed_bytes)
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				       "the zstd data unpacks to more than %d times its size",
				       MOST_RATIO);
		if (in.pos == before && out.pos == 0)
			break;
	}
	return true;
}
#else
struct wk_unzstd *wk_unzstd_new(struct wk_err *err)
{
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		"this is compressed with zstd, and this wick was built without libzstd");
	return NULL;
}

void wk_unzstd_free(struct wk_unzstd *stream)
{
	(void)stream;
}

bool wk_unzstd_add(struct wk_unzstd *stream, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err)
{
	(void)stream, (void)piece, (void)plain;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "this wick was built without libzstd");
}
#endif
