/* Growing bytes, or growing text.
 *
 * Zero-initialised is empty and ready. A buffer with a `limit` never grows beyond it:
 * what does not fit is dropped and `full` is set, so writers of hostile text need to check only
 * once, at the end. The bytes are always followed by a NUL that is not counted, so `at` is a C
 * string unless a NUL was added, and NULL before anything was. */
#ifndef WK_BASE_BUF_H
#define WK_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/printf.h"
#include "base/str.h"

struct wk_buf {
	char *at;
	size_t len, cap;
	size_t limit; /* maximum length; 0: no limit */
	bool full;    /* something was dropped at the limit */
};

void wk_buf_fini(struct wk_buf *buf);
void wk_buf_fini_each(struct wk_buf *const *bufs, size_t count);

/* Of several: WK_BUF_FINI_ALL(&name, &text); */
#define WK_BUF_FINI_ALL(...) \
	wk_buf_fini_each((struct wk_buf *const[]){ __VA_ARGS__ }, \
			 sizeof((struct wk_buf *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* Empty again, keeping its memory and its limit. */
void wk_buf_reset(struct wk_buf *buf);

void wk_buf_add(struct wk_buf *buf, const void *bytes, size_t len);
void wk_buf_add_str(struct wk_buf *buf, struct wk_str text);
void wk_buf_add_text(struct wk_buf *buf, const char *text);
void wk_buf_add_fmt(struct wk_buf *buf, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

void wk_buf_add_args(struct wk_buf *buf, const char *format, va_list args)
	__attribute__((format(WK_PRINTF, 2, 0)));

/* As one argument of a shell command: in single quotes if it has other characters than those of
 * simple paths, and as $'...' if it has control characters. */
void wk_buf_add_shell(struct wk_buf *buf, struct wk_str text);

/* Little-endian numbers, for writers of binary formats. */
void wk_buf_add_u16(struct wk_buf *buf, uint16_t value);
void wk_buf_add_u32(struct wk_buf *buf, uint32_t value);
void wk_buf_add_u64(struct wk_buf *buf, uint64_t value);

/* Adds `len` bytes of unset content and returns them, or NULL at the limit. */
void *wk_buf_extend(struct wk_buf *buf, size_t len);

static inline void wk_buf_add_char(struct wk_buf *buf, char c)
{
	char *at;

	if (buf->len + 1 < buf->cap && !buf->limit && !buf->full) {
		buf->at[buf->len++] = c;
		buf->at[buf->len] = '\0';
	} else if ((at = wk_buf_extend(buf, 1)) != NULL) {
		*at = c;
	}
}

static inline struct wk_str wk_buf_str(const struct wk_buf *buf)
{
	return (struct wk_str){ buf->at ? buf->at : "", buf->len };
}

/* As a C string, never NULL. */
static inline const char *wk_buf_text(const struct wk_buf *buf)
{
	return buf->at ? buf->at : "";
}

#endif
