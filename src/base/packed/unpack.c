#include "base/packed/unpack.h"

#include <inttypes.h>
#include <limits.h>

#include "base/mem.h"
#include "base/num.h"

#ifdef WK_HAS_ZLIB
#include "base/packed/zlib_alloc.h"
#endif
#ifdef WK_HAS_ZSTD
#include <zstd.h>

#include "base/heap.h"
#endif
#ifdef WK_HAS_LZMA
#include <lzma.h>
#endif
#ifdef WK_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif

#define STEP (256u * 1024) /* plain bytes requested at a time */

/* What `xz -9` needs to unpack is 65 MiB; a header may claim gigabytes. */
#define MOST_XZ_MEMORY (80ull << 20)

static const char xz_mark[] = { '\xfd', '7', 'z', 'X', 'Z', '\0' };

struct unpacking {
	enum wk_packing packing;
	struct wk_bytes in;
	struct wk_buf *out;
	uint64_t most; /* bytes that may be added to `out` */
	bool is_look;  /* reaching `most` or an early end is not an error */
	bool is_piece; /* of a stream that goes on with any byte */
	struct wk_err *err;
};

enum wk_packing wk_packing_of(struct wk_bytes first)
{
	size_t left = wk_bytes_left(&first);

	/* The third byte of gzip is its one method, deflate. */
	if (left >= 3 && memcmp(first.at, "\x1f\x8b\x08", 3) == 0)
		return WK_PACKED_GZIP;
	if (left >= 4 && memcmp(first.at, "\x28\xb5\x2f\xfd", 4) == 0)
		return WK_PACKED_ZSTD;
	if (left >= sizeof(xz_mark) && memcmp(first.at, xz_mark, sizeof(xz_mark)) == 0)
		return WK_PACKED_XZ;
	return WK_NOT_PACKED;
}

const char *wk_packing_name(enum wk_packing packing)
{
	static const char *const names[] = {
		[WK_NOT_PACKED] = "nothing",
		[WK_PACKED_GZIP] = "gzip",
		[WK_PACKED_ZLIB] = "zlib",
		[WK_PACKED_DEFLATE] = "deflate",
		[WK_PACKED_ZSTD] = "zstd",
		[WK_PACKED_XZ] = "xz",
	};

	return names[packing];
}

uint64_t wk_unpack_limit_of(uint64_t packed_bytes)
{
	return (64u << 20) + 300 * packed_bytes;
}

uint64_t wk_unpack_limit(struct wk_bytes packed)
{
	return wk_unpack_limit_of(wk_bytes_left(&packed));
}

#if defined(WK_HAS_ZLIB) || defined(WK_HAS_ZSTD) || defined(WK_HAS_LZMA)
static bool fail_too_large(struct unpacking *u)
{
	struct wk_buf size = { 0 };

	wk_num_add_bytes(&size, wk_unpack_limit((struct wk_bytes){ .at = u->in.start,
								   .end = u->in.end }));
	wk_fail(u->err, WK_ECORRUPT, WK_NOWHERE,
		"unpacked with %s it is larger than %s, which is more than recordings of that "
		"packed size need; if it is one, unpack it first",
		wk_packing_name(u->packing), wk_buf_text(&size));
	wk_buf_fini(&size);
	return false;
}

static bool fail_cut(struct unpacking *u)
{
	return u->is_look || wk_fail(u->err, WK_ECORRUPT, wk_bytes_offset(&u->in),
				     "the %s data ends in the middle; the file was cut",
				     wk_packing_name(u->packing));
}

enum answer {
	UNPACK_MORE,
	UNPACK_END, /* of a stream; another one may follow */
	UNPACK_FAILED,
};

static enum answer fail_broken(struct unpacking *u, const char *why)
{
	wk_fail(u->err, WK_ECORRUPT, wk_bytes_offset(&u->in), "the %s data is broken: %s",
		wk_packing_name(u->packing), why);
	return UNPACK_FAILED;
}

/* Unpacks up to `*size` bytes of u->in to `to`, and reports how many. After the end of a stream
 * the next step begins another one. */
typedef enum answer (*step_function)(void *library, struct unpacking *u, uint8_t *to, size_t *size);

static bool unpack_by(step_function step, void *library, struct unpacking *u)
{
	for (;;) {
		size_t asked = u->most < STEP ? (size_t)u->most : STEP, got = asked;
		uint8_t *to = asked ? wk_buf_extend(u->out, asked) : NULL;
		const uint8_t *before = u->in.at;
		enum answer answer;

		if (!to)
			return u->is_look || fail_too_large(u);
		answer = step(library, u, to, &got);
		u->out->len -= asked - got;
		u->out->at[u->out->len] = '\0';
		u->most -= got;
		if (answer == UNPACK_FAILED)
			return false;
		if (answer == UNPACK_END && !u->is_piece && wk_packing_of(u->in) != u->packing)
			return true;
		if (answer == UNPACK_MORE && got < asked &&
		    (wk_bytes_left(&u->in) == 0 || (got == 0 && u->in.at == before)))
			return fail_cut(u);
	}
}
#endif

#if !defined(WK_HAS_ZLIB) || !defined(WK_HAS_ZSTD) || !defined(WK_HAS_LZMA)
static bool fail_without(struct unpacking *u, const char *library, const char *program)
{
	return wk_fail(u->err, WK_EFORMAT, WK_NOWHERE,
		       "this is compressed with %s, and this wick was built without %s: "
		       "unpack it first (%s)",
		       wk_packing_name(u->packing), library, program);
}
#endif

#ifdef WK_HAS_ZLIB
static enum answer inflate_step(void *library, struct unpacking *u, uint8_t *to, size_t *size)
{
	z_stream *stream = library;
	size_t left = wk_bytes_left(&u->in);
	int answer;

	stream->next_in = (Bytef *)u->in.at;
	stream->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
	stream->next_out = to;
	stream->avail_out = (uInt)*size;
	answer = inflate(stream, Z_NO_FLUSH);
	u->in.at = stream->next_in;
	*size -= stream->avail_out;
	if (answer == Z_STREAM_END) {
		inflateReset(stream);
		return UNPACK_END;
	}
	/* Z_BUF_ERROR: nothing was done, which ends a stream that was cut. */
	return answer == Z_OK || answer == Z_BUF_ERROR
		       ? UNPACK_MORE
		       : fail_broken(u, stream->msg ? stream->msg : "no more can be unpacked");
}

/* zlib's code for the wrapper around the deflated data. */
static int window_bits(enum wk_packing packing)
{
	if (packing == WK_PACKED_DEFLATE)
		return -MAX_WBITS;
	return packing == WK_PACKED_GZIP ? 16 + MAX_WBITS : MAX_WBITS;
}

static bool unpack_deflated(struct unpacking *u)
{
	z_stream stream = { .zalloc = wk_zlib_alloc, .zfree = wk_zlib_free };
	bool ok;

	if (inflateInit2(&stream, window_bits(u->packing)) != Z_OK)
		return wk_fail(u->err, WK_EIO, WK_NOWHERE, "zlib cannot be started");
	ok = unpack_by(inflate_step, &stream, u);
	inflateEnd(&stream);
	return ok;
}
#else
static bool unpack_deflated(struct unpacking *u)
{
	return fail_without(u, "zlib", u->packing == WK_PACKED_DEFLATE ? "unzip" : "gunzip");
}
#endif

#ifdef WK_HAS_ZSTD
struct wk_unzstd {
	ZSTD_DStream *stream;
	struct wk_undo *undo; /* the library allocates by itself */
	uint64_t packed_bytes, plain_bytes;
};

static void undo_zstd(struct wk_undo *undo)
{
	ZSTD_freeDStream(undo->at);
}

struct wk_unzstd *wk_unzstd_new(struct wk_err *err)
{
	struct wk_unzstd *zstd = wk_alloc_zeroed(1, sizeof(*zstd));

	(void)err;
	zstd->undo = wk_undo_new();
	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream)
		wk_heap_raise();
	wk_undo_arm(zstd->undo, undo_zstd, zstd->stream, 0);
	return zstd;
}

void wk_unzstd_free(struct wk_unzstd *zstd)
{
	if (!zstd)
		return;
	ZSTD_freeDStream(zstd->stream);
	wk_undo_free(zstd->undo);
	wk_free(zstd);
}

static enum answer zstd_step(void *library, struct unpacking *u, uint8_t *to, size_t *size)
{
	ZSTD_inBuffer in = { u->in.at, wk_bytes_left(&u->in), 0 };
	ZSTD_outBuffer out = { to, *size, 0 };
	size_t hint = ZSTD_decompressStream(library, &out, &in);

	u->in.at += in.pos;
	*size = out.pos;
	if (ZSTD_isError(hint))
		return fail_broken(u, ZSTD_getErrorName(hint));
	return hint ? UNPACK_MORE : UNPACK_END;
}

static bool unpack_zstd(struct unpacking *u)
{
	struct wk_unzstd *zstd = wk_unzstd_new(u->err);
	bool ok = unpack_by(zstd_step, zstd->stream, u);

	wk_unzstd_free(zstd);
	return ok;
}

bool wk_unzstd_add(struct wk_unzstd *zstd, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err)
{
	struct unpacking u = { .packing = WK_PACKED_ZSTD, .in = piece, .out = plain,
			       .is_look = true, .is_piece = true, .err = err };
	size_t before = plain->len;

	zstd->packed_bytes += wk_bytes_left(&piece);
	u.most = wk_unpack_limit_of(zstd->packed_bytes) - zstd->plain_bytes;
	if (!unpack_by(zstd_step, zstd->stream, &u))
		return false;
	zstd->plain_bytes += plain->len - before;
	return u.most > 0 || wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				     "the zstd data unpacks to more than 300 times its size");
}
#else
struct wk_unzstd *wk_unzstd_new(struct wk_err *err)
{
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		"this is compressed with zstd, and this wick was built without libzstd");
	return NULL;
}

void wk_unzstd_free(struct wk_unzstd *zstd)
{
	(void)zstd;
}

bool wk_unzstd_add(struct wk_unzstd *zstd, struct wk_bytes piece, struct wk_buf *plain,
		   struct wk_err *err)
{
	(void)zstd, (void)piece, (void)plain;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "this wick was built without libzstd");
}

static bool unpack_zstd(struct unpacking *u)
{
	return fail_without(u, "libzstd", "unzstd");
}
#endif

#ifdef WK_HAS_LZMA
static void *lzma_by_heap(void *context, size_t count, size_t size_bytes)
{
	(void)context;
	return size_bytes && count > SIZE_MAX / size_bytes ? NULL
							   : wk_try_alloc(count * size_bytes);
}

static void lzma_free_by_heap(void *context, void *at)
{
	(void)context;
	wk_free(at);
}

static enum answer xz_step(void *library, struct unpacking *u, uint8_t *to, size_t *size)
{
	lzma_stream *stream = library;
	lzma_ret answer;
	bool is_end;

	stream->next_in = u->in.at;
	stream->avail_in = wk_bytes_left(&u->in);
	stream->next_out = to;
	stream->avail_out = *size;
	answer = lzma_code(stream, LZMA_RUN);
	u->in.at = stream->next_in;
	*size -= stream->avail_out;
	is_end = answer == LZMA_STREAM_END;
	if (is_end)
		answer = lzma_stream_decoder(stream, MOST_XZ_MEMORY, 0);
	if (answer == LZMA_OK || answer == LZMA_BUF_ERROR)
		return is_end ? UNPACK_END : UNPACK_MORE;
	if (answer == LZMA_MEMLIMIT_ERROR) {
		wk_fail(u->err, WK_ECORRUPT, wk_bytes_offset(&u->in),
			"the xz data claims to need more memory than xz -9 does; unpack it first "
			"(unxz)");
		return UNPACK_FAILED;
	}
	return fail_broken(u, answer == LZMA_OPTIONS_ERROR ? "its options are not known"
							   : "no more can be unpacked");
}

static bool unpack_xz(struct unpacking *u)
{
	const lzma_allocator allocator = { .alloc = lzma_by_heap, .free = lzma_free_by_heap };
	lzma_stream stream = LZMA_STREAM_INIT;
	bool ok;

	stream.allocator = &allocator;
	if (lzma_stream_decoder(&stream, MOST_XZ_MEMORY, 0) != LZMA_OK)
		return wk_fail(u->err, WK_EIO, WK_NOWHERE, "liblzma cannot be started");
	ok = unpack_by(xz_step, &stream, u);
	lzma_end(&stream);
	return ok;
}
#else
static bool unpack_xz(struct unpacking *u)
{
	return fail_without(u, "liblzma", "unxz");
}
#endif

static bool unpack(struct unpacking *u)
{
	switch (u->packing) {
	case WK_PACKED_GZIP:
	case WK_PACKED_ZLIB:
	case WK_PACKED_DEFLATE:
		return unpack_deflated(u);
	case WK_PACKED_ZSTD:
		return unpack_zstd(u);
	case WK_PACKED_XZ:
		return unpack_xz(u);
	case WK_NOT_PACKED:
		break;
	}
	return wk_fail(u->err, WK_EFORMAT, WK_NOWHERE, "this is not packed");
}

bool wk_unpack(struct wk_bytes packed, struct wk_buf *plain, struct wk_err *err)
{
	return unpack(&(struct unpacking){
		.packing = wk_packing_of(packed), .in = packed, .out = plain,
		.most = wk_unpack_limit(packed), .err = err });
}

bool wk_unpack_first(struct wk_bytes packed, size_t most, struct wk_buf *plain, struct wk_err *err)
{
	return unpack(&(struct unpacking){
		.packing = wk_packing_of(packed), .in = packed, .out = plain,
		.most = most, .is_look = true, .err = err });
}

#ifdef WK_HAS_LIBDEFLATE
/* Needs half the time of zlib, but only works for complete input of exactly the expected size.
 * Everything else is left to zlib, which reports the reason of a failure. */
static bool unpack_at_once(const struct unpacking *u)
{
	size_t before = u->out->len, len = wk_bytes_left(&u->in);
	enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
	struct libdeflate_decompressor *library;
	void *to;

	if (u->packing != WK_PACKED_ZLIB && u->packing != WK_PACKED_DEFLATE)
		return false;
	to = wk_buf_extend(u->out, (size_t)u->most);
	library = libdeflate_alloc_decompressor();
	if (library && u->packing == WK_PACKED_ZLIB)
		result = libdeflate_zlib_decompress(library, u->in.at, len, to, (size_t)u->most,
						    NULL);
	else if (library)
		result = libdeflate_deflate_decompress(library, u->in.at, len, to, (size_t)u->most,
						       NULL);
	libdeflate_free_decompressor(library);
	if (result != LIBDEFLATE_SUCCESS)
		u->out->len = before;
	return result == LIBDEFLATE_SUCCESS;
}
#else
static bool unpack_at_once(const struct unpacking *u)
{
	(void)u;
	return false;
}
#endif

/* Page faults one by one cost as much as unpacking does. */
static void make_room(struct wk_buf *plain, uint64_t size_bytes)
{
	if (plain->at)
		return;
	plain->cap = (size_t)size_bytes + 1;
	plain->at = wk_alloc_table(plain->cap);
}

/* Space for all of it is allocated at once, so the size is checked first. */
bool wk_unpack_as(enum wk_packing packing, struct wk_bytes packed, uint64_t size_bytes,
		  struct wk_buf *plain, struct wk_err *err)
{
	struct unpacking u = { .packing = packing, .in = packed, .out = plain, .most = size_bytes,
			       .is_look = true, .err = err };
	size_t before = plain->len;

	if (size_bytes > wk_unpack_limit(packed))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "%zu bytes packed with %s claim to be %" PRIu64
			       " bytes of plain data",
			       wk_bytes_left(&packed), wk_packing_name(packing), size_bytes);
	make_room(plain, size_bytes);
	if (unpack_at_once(&u))
		return true;
	if (wk_buf_extend(plain, (size_t)size_bytes))
		plain->len = before;
	if (!unpack(&u))
		return false;
	return plain->len - before == size_bytes ||
	       wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
		       "the %s data ends after %zu of the %" PRIu64 " bytes that it should have",
		       wk_packing_name(packing), plain->len - before, size_bytes);
}
