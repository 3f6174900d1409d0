/* Shared by the files of formats/tracepoint:
 *
 *   format.c        descriptions, and the text of a sample
 *   fields.c        a sample's fields as name=value
 *   print_fmt.c     whether a `print fmt` may be passed to libtraceevent
 *   traceevent.c    libtraceevent (traceevent_none.c: wick was built without it)
 */
#ifndef WK_FORMATS_TRACEPOINT_FORMAT_INTERNAL_H
#define WK_FORMATS_TRACEPOINT_FORMAT_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "formats/tracepoint/format.h"

#define WK_TRACE_MOST_RAW   0xffffu /* bytes of a sample: the size of a record has 16 bits */
#define WK_TRACE_MOST_LISTS 8       /* arrays or lengths in one text */

/* What a `print fmt` needs from a sample. */
struct wk_print_fmt {
	bool is_checked, is_safe;
	/* Fields that contain the length of an array or text. */
	const struct wk_trace_field *lengths[WK_TRACE_MOST_LISTS];
	unsigned length_count, list_count;
};

struct wk_trace_event {
	struct wk_trace_format format;
	struct wk_str description;
	bool is_parsed;
	struct wk_print_fmt print_fmt;
};

struct wk_trace_formats {
	uint8_t *content;
	struct wk_arena arena;
	bool big_endian;
	unsigned long_bytes;
	struct wk_trace_event *events;
	size_t count, cap;
	struct wk_map event_of_id;     /* to index + 1 */
	struct wk_str printk;          /* the texts of trace_printk */
	struct wk_traceevent *library; /* NULL until the first text */
	struct wk_trace_namer namer;
};

/* A number of 1, 2, 4 or 8 bytes; 0 outside of the sample. `raw` is at its start. */
uint64_t wk_trace_read(const struct wk_bytes *raw, uint64_t offset, uint64_t size);
/* "comm=cat number=5". */
void wk_trace_fields_text(const struct wk_trace_format *format, struct wk_bytes raw,
			  struct wk_buf *out);
/* In a copy of a sample: dynamic fields that refer to bytes outside of it become empty. */
void wk_trace_clear_bad_places(const struct wk_trace_format *format, struct wk_bytes raw,
			       uint8_t *copy);

/* True if libtraceevent can neither fail nor read outside the sample while it prints the text. */
bool wk_print_fmt_check(struct wk_print_fmt *print_fmt, const struct wk_trace_format *format);

/* --- The one interface to libtraceevent --- */

struct wk_traceevent;

/* Reads the table of texts. */
struct wk_traceevent *wk_traceevent_new(struct wk_trace_formats *formats);
void wk_traceevent_free(struct wk_traceevent *library);

/* Once for each event, before its first sample. False if the library rejects it. */
bool wk_traceevent_add_event(struct wk_traceevent *library, const struct wk_trace_format *format);

/* Adds the text of a sample of an added event; false if the library fails. `raw` has at most
 * WK_TRACE_MOST_RAW bytes. */
bool wk_traceevent_print(struct wk_traceevent *library, const struct wk_trace_format *format,
			 struct wk_bytes raw, struct wk_buf *out);

#endif
