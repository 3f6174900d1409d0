#include "base/packed/pack.h"

#ifdef WK_HAS_ZLIB

#include <limits.h>
#include "base/packed/zlib_alloc.h"

#define STEP        (64 * 1024)
#define GZIP_WINDOW (16 + MAX_WBITS) /* the largest, and the header of gzip, in one number */
#define LEVEL       5                /* half the time of the usual 6 for one percent more */

struct wk_packer {
	struct wk_out in, *to;
	z_stream stream;
	char packed[STEP];
};

bool wk_can_pack(void)
{
	return true;
}

/* Passes on what comes out until zlib wants more input or, at the end, has no more. */
static void pump(struct wk_packer *packer, int flush)
{
	int answer = Z_OK;

	do {
		packer->stream.next_out = (Bytef *)packer->packed;
		packer->stream.avail_out = STEP;
		answer = deflate(&packer->stream, flush);
		wk_out_bytes(packer->to, packer->packed, STEP - packer->stream.avail_out);
	} while (answer == Z_OK && packer->stream.avail_out == 0);
}

/* Failures stay in the underlying writer, which is checked at the end. */
static bool pack(void *context, const char *bytes, size_t len)
{
	struct wk_packer *packer = context;

	while (len) {
		uInt piece = len < UINT_MAX ? (uInt)len : UINT_MAX;

		packer->stream.next_in = (Bytef *)bytes;
		packer->stream.avail_in = piece;
		pump(packer, Z_NO_FLUSH);
		bytes += piece;
		len -= piece;
	}
	return true;
}

static struct wk_packer *start(struct wk_out *to, int level)
{
	struct wk_packer *packer = wk_alloc_zeroed(1, sizeof(*packer));

	packer->to = to;
	packer->in = (struct wk_out){ .write = pack, .context = packer };
	packer->stream.zalloc = wk_zlib_alloc;
	packer->stream.zfree = wk_zlib_free;
	if (deflateInit2(&packer->stream, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) ==
	    Z_OK)
		return packer;
	wk_free(packer);
	return NULL;
}

struct wk_out *wk_packer_new(struct wk_out *to, struct wk_err *err)
{
	struct wk_packer *packer = start(to, LEVEL);

	if (packer)
		return &packer->in;
	wk_fail(err, WK_EIO, WK_NOWHERE, "zlib cannot be started");
	return NULL;
}

void wk_packer_end(struct wk_out *in)
{
	struct wk_packer *packer = in->context;

	wk_out_end(in);
	pump(packer, Z_FINISH);
	deflateEnd(&packer->stream);
	wk_free(packer);
}

#ifndef WK_HAS_LIBDEFLATE
bool wk_gzip(struct wk_str plain, struct wk_buf *packed)
{
	struct wk_out to = wk_out_to_buf(packed);
	struct wk_packer *packer = start(&to, Z_BEST_COMPRESSION);

	if (!packer)
		return false;
	wk_out_str(&packer->in, plain);
	wk_packer_end(&packer->in);
	return wk_out_end(&to);
}
#endif

#else

bool wk_can_pack(void)
{
	return false;
}

struct wk_out *wk_packer_new(struct wk_out *to, struct wk_err *err)
{
	(void)to;
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		"this wick was built without zlib and cannot pack with gzip; leave .gz out of the "
		"name and pack it afterwards (gzip)");
	return NULL;
}

void wk_packer_end(struct wk_out *packer)
{
	(void)packer;
}

#ifndef WK_HAS_LIBDEFLATE
bool wk_gzip(struct wk_str plain, struct wk_buf *packed)
{
	(void)plain;
	(void)packed;
	return false;
}
#endif

#endif

#ifdef WK_HAS_LIBDEFLATE

#include <libdeflate.h>

#define SMALL_LEVEL 10 /* 13 MB a second; 2 % larger than with 12, in half the time */
#define LARGE_LEVEL 6
#define LARGE_BYTES (64u << 20)

bool wk_gzip(struct wk_str plain, struct wk_buf *packed)
{
	size_t most = libdeflate_gzip_compress_bound(NULL, plain.len), len = 0;
	char *to = wk_buf_extend(packed, most);
	struct libdeflate_compressor *library =
		libdeflate_alloc_compressor(plain.len < LARGE_BYTES ? SMALL_LEVEL : LARGE_LEVEL);

	if (library)
		len = libdeflate_gzip_compress(library, plain.at, plain.len, to, most);
	libdeflate_free_compressor(library);
	packed->len -= most - len;
	return len > 0;
}

#endif
