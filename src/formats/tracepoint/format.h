/* Tracepoints: the kernel's descriptions of its events, and the text of a sample.
 *
 * A recording of tracepoints has, as the TRACING_DATA feature (or behind a TRACING_DATA record of a
 * pipe), the kernel's description of each: fields with offset and size, and a `print fmt`, a printf
 * call in C. A sample's RAW bytes then hold the fields. libtraceevent makes the text of it, as for
 * `perf script`. Without it, or if a `print fmt` is not one that it can be trusted with, fields are
 * printed as name=value, in the order of the description.
 *
 * The formats keep a copy of the descriptions: `content` may be freed after _new. Descriptions are
 * parsed when their event is first asked for. Not for use from several threads at once. */
#ifndef WK_FORMATS_TRACEPOINT_FORMAT_H
#define WK_FORMATS_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

struct wk_trace_formats;

struct wk_trace_field {
	struct wk_str type, name; /* as declared: "unsigned long", "comm" */
	uint32_t offset, size;    /* in the raw bytes */
	uint32_t element_bytes;   /* of an array's element, otherwise of the field */
	bool is_signed, is_array, is_text, is_pointer;
	bool is_dynamic;  /* __data_loc: a word with the offset in its low half, the length in its
			     high */
	bool is_relative; /* __rel_loc: the offset is relative to the end of the word */
	bool is_common;   /* a field of every event, never printed */
};

struct wk_trace_format {
	uint32_t id; /* the first u16 of raw bytes, the `config` of its attr */
	struct wk_str system, name;
	struct wk_str print_fmt; /* the text behind "print fmt:" */
	const struct wk_trace_field *fields;
	size_t field_count;
};

/* The content of the feature, from its 17 08 44 "tracing" on. NULL if it is something
 * else; if the end is missing, only the formats there are lost. */
struct wk_trace_formats *wk_trace_formats_new(struct wk_bytes content, struct wk_err *err);
void wk_trace_formats_free(struct wk_trace_formats *formats);

/* NULL if the recording does not describe the event. */
const struct wk_trace_format *wk_trace_formats_find(struct wk_trace_formats *formats, uint32_t id);

/* Adds the text of one sample's raw bytes (their first field is the event's id); nothing
 * if no format has that id. */
void wk_trace_formats_print(struct wk_trace_formats *formats, struct wk_bytes raw,
			    struct wk_buf *out);

/* False: wick was built without libtraceevent. */
bool wk_trace_has_library(void);

/* Names a kernel function for %pS and the like: fills name and start, or returns false. */
struct wk_trace_namer {
	bool (*name)(void *context, uint64_t address, struct wk_str *name, uint64_t *start);
	void *context;
};
void wk_trace_formats_set_namer(struct wk_trace_formats *formats, struct wk_trace_namer namer);

/* The number of formats, and the n-th. */
size_t wk_trace_formats_count(const struct wk_trace_formats *formats);
const struct wk_trace_format *wk_trace_formats_at(struct wk_trace_formats *formats, size_t index);

#endif
