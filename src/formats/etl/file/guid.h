/* GUIDs of providers: comparison, and text. */
#ifndef WK_FORMATS_ETL_FILE_GUID_H
#define WK_FORMATS_ETL_FILE_GUID_H

#include "base/buf.h"
#include "formats/etl/file/file.h"

static inline bool wk_guid_eq(const struct wk_guid *a, const struct wk_guid *b)
{
	return a->a == b->a && a->b == b->b && a->c == b->c &&
	       memcmp(a->d, b->d, sizeof(a->d)) == 0;
}

/* The next 16 bytes, in the order of the file. */
static inline struct wk_guid wk_guid_read(struct wk_bytes *in)
{
	struct wk_guid guid = { .a = wk_u32le(in) };

	guid.b = wk_u16le(in);
	guid.c = wk_u16le(in);
	for (size_t i = 0; i < sizeof(guid.d); i++)
		guid.d[i] = wk_u8(in);
	return guid;
}

/* "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4" */
static inline void wk_guid_add(const struct wk_guid *guid, struct wk_buf *text)
{
	wk_buf_add_fmt(text, "%08x-%04x-%04x-%02x%02x-", (unsigned)guid->a, guid->b, guid->c,
		       guid->d[0], guid->d[1]);
	for (size_t i = 2; i < sizeof(guid->d); i++)
		wk_buf_add_fmt(text, "%02x", guid->d[i]);
}

/* Parses such a text, with or without braces; false for any other. */
bool wk_guid_parse(struct wk_str text, struct wk_guid *guid);

#endif
