#include <event-parse.h>
#include <stdlib.h>
#include <trace-seq.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/tracepoint/format_internal.h"

/* A field begins and ends within WK_TRACE_MOST_RAW bytes, and an array of that many elements has
 * eight times as many bytes: wherever the library reads, it finds zeros behind the sample. */
#define DATA_BYTES (16 * (size_t)(WK_TRACE_MOST_RAW + 1))

struct wk_traceevent {
	struct wk_trace_formats *formats;
	struct tep_handle *tep;
	struct trace_seq text;
	uint8_t *data;      /* a sample, and zeros behind it */
	struct wk_buf name; /* of the function that was looked up last */
};

bool wk_trace_has_library(void)
{
	return true;
}

/* The library asks for a name, which it only reads, and the start of the function. */
static char *name_function(void *context, unsigned long long *address, char **module)
{
	struct wk_traceevent *library = context;
	const struct wk_trace_namer *namer = &library->formats->namer;
	struct wk_str name;
	uint64_t start;

	*module = NULL;
	if (!namer->name || !namer->name(namer->context, *address, &name, &start))
		return NULL;
	*address = start;
	wk_buf_reset(&library->name);
	wk_buf_add_str(&library->name, name);
	wk_buf_add_char(&library->name, '\0');
	return library->name.at;
}

/* Lines of "0xffff... : "text"": the texts of trace_printk. The library looks at the last three
 * bytes behind a quote, even if there are fewer. */
static void add_texts(struct tep_handle *tep, struct wk_str lines)
{
	while (lines.len > 0) {
		struct wk_str line = wk_str_cut(&lines, '\n');
		struct wk_str where = wk_trim(wk_str_cut(&line, ':')), quoted = wk_trim(line);
		char *text = wk_strndup(quoted.at, quoted.len);
		uint64_t address;

		if (wk_str_starts(where, "0x") && wk_num_hex(wk_str_skip(where, 2), &address) &&
		    strlen(text) > 3)
			tep_register_print_string(tep, text, address);
		wk_free(text);
	}
}

struct wk_traceevent *wk_traceevent_new(struct wk_trace_formats *formats)
{
	struct wk_traceevent *library = wk_alloc_zeroed(1, sizeof(*library));

	tep_set_loglevel(TEP_LOG_NONE);
	library->formats = formats;
	library->tep = tep_alloc();
	library->data = wk_alloc_zeroed(DATA_BYTES, 1);
	trace_seq_init(&library->text);
	if (!library->tep)
		return library;
	tep_set_file_bigendian(library->tep,
			       formats->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(library->tep, (int)formats->long_bytes);
	add_texts(library->tep, formats->printk);
	tep_set_function_resolver(library->tep, name_function, library);
	return library;
}

void wk_traceevent_free(struct wk_traceevent *library)
{
	if (!library)
		return;
	tep_free(library->tep);
	trace_seq_destroy(&library->text);
	wk_buf_fini(&library->name);
	WK_FREE_ALL(library->data, library);
}

static void add_field(const struct wk_trace_field *field, struct wk_buf *out)
{
	wk_buf_add_fmt(out, "\tfield:%.*s %.*s", WK_STR_ARG(field->type), WK_STR_ARG(field->name));
	if (field->is_array && !field->is_dynamic)
		wk_buf_add_fmt(out, "[%u]", field->size / field->element_bytes);
	wk_buf_add_fmt(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", field->offset, field->size,
		       field->is_signed);
}

/* The library gets what wick understood, not the description itself: names and the order of
 * fields could make it treat an event in another way. */
bool wk_traceevent_add_event(struct wk_traceevent *library, const struct wk_trace_format *format)
{
	struct wk_buf text = { 0 };
	struct tep_event *event;
	bool ok;

	if (!library->tep)
		return false;
	wk_buf_add_fmt(&text,
		       "name: event\nID: %u\nformat:\n"
		       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n",
		       format->id);
	for (size_t i = 0; i < format->field_count; i++)
		if (!wk_str_is(format->fields[i].name, "common_type"))
			add_field(&format->fields[i], &text);
	wk_buf_add_fmt(&text, "\nprint fmt: %.*s\n", WK_STR_ARG(format->print_fmt));
	ok = tep_parse_event(library->tep, text.at, text.len, "wick") == 0;
	event = ok ? tep_find_event(library->tep, (int)format->id) : NULL;
	wk_buf_fini(&text);
	return event && !(event->flags & TEP_EVENT_FL_FAILED);
}

bool wk_traceevent_print(struct wk_traceevent *library, const struct wk_trace_format *format,
			 struct wk_bytes raw, struct wk_buf *out)
{
	struct tep_record record = { .data = library->data, .size = (int)wk_bytes_left(&raw) };
	struct tep_event *event = tep_find_event(library->tep, (int)format->id);

	memcpy(library->data, raw.at, wk_bytes_left(&raw));
	wk_trace_clear_bad_places(format, raw, library->data);
	trace_seq_reset(&library->text);
	if (event)
		tep_print_event(library->tep, &library->text, &record, "%s", TEP_PRINT_INFO);
	if (event && library->text.state == TRACE_SEQ__GOOD)
		wk_buf_add(out, library->text.buffer, library->text.len);
	memset(library->data, 0, wk_bytes_left(&raw));
	return event && library->text.state == TRACE_SEQ__GOOD;
}
