/* Payloads of kernel events as Windows writes them, for tests. */
#ifndef WK_TESTS_ETL_PAYLOADS_H
#define WK_TESTS_ETL_PAYLOADS_H

#include "base/buf.h"
#include "formats/etl/payload/payload.h"

static inline void put(struct wk_buf *to, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		wk_buf_add_char(to, (char)(i < 8 ? value >> 8 * i : 0));
}

static inline void put_text8(struct wk_buf *to, const char *text)
{
	wk_buf_add(to, text, strlen(text) + 1);
}

static inline void put_text16(struct wk_buf *to, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i++)
		put(to, (uint8_t)text[i], 2);
}

static inline void put_sid(struct wk_buf *to)
{
	static const uint8_t sid[] = { 1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0 };

	wk_buf_add(to, sid, sizeof(sid));
}

static inline struct wk_bytes bytes_of(const struct wk_buf *buf)
{
	return wk_bytes_of(buf->at, buf->len);
}

#endif
