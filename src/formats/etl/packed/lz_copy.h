/* Copies of earlier output, for all kinds of LZ77. */
#ifndef WK_FORMATS_ETL_PACKED_LZ_COPY_H
#define WK_FORMATS_ETL_PACKED_LZ_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wk_lz_out {
	uint8_t *start, *at, *end;
};

static inline size_t wk_lz_left(const struct wk_lz_out *out)
{
	return (size_t)(out->end - out->at);
}

/* Source and destination overlap: the copied bytes are copied again. */
static inline void wk_lz_copy_bytes(struct wk_lz_out *out, size_t distance, size_t length)
{
	const uint8_t *from = out->at - distance;
	uint8_t *to = out->at;

	out->at += length;
	while (to < out->at)
		*to++ = *from++;
}

/* Sixteen bytes at a time; the last step may write beyond `length`, for which the caller has
 * space. */
static inline void wk_lz_copy_wide(struct wk_lz_out *out, size_t distance, size_t length)
{
	const uint8_t *from = out->at - distance;
	uint8_t *to = out->at;

	out->at += length;
	do {
		memcpy(to, from, 16);
		to += 16;
		from += 16;
	} while (to < out->at);
}

/* False if the distance is outside the output, or if the output ends first; copies up to the
 * end. */
static inline bool wk_lz_copy(struct wk_lz_out *out, size_t distance, uint64_t length)
{
	size_t left = wk_lz_left(out);

	if (distance == 0 || distance > (size_t)(out->at - out->start))
		return false;
	if (length > left) {
		wk_lz_copy_bytes(out, distance, left);
		return false;
	}
	if (distance >= 16 && left - length >= 16)
		wk_lz_copy_wide(out, distance, (size_t)length);
	else
		wk_lz_copy_bytes(out, distance, (size_t)length);
	return true;
}

#endif
