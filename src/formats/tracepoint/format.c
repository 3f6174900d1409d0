#include "formats/tracepoint/format.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/lines.h"
#include "formats/scan.h"
#include "formats/tracepoint/format_internal.h"

/* Names are searched one by one; real events have fewer than a hundred fields. */
#define MOST_FIELDS 512

/* A text may be this long, and longer for each byte of its sample. */
#define MOST_TEXT  (1u << 16)
#define LEAST_TEXT (1u << 14)
#define BYTE_TEXT  8

static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* "offset:8": the number behind the key. */
static uint32_t number_behind(struct wk_str part)
{
	uint64_t value = 0;

	part = wk_trim(part);
	wk_str_cut(&part, ':');
	return wk_num_u64(wk_trim(part), &value) && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static bool holds(struct wk_str text, const char *word)
{
	return wk_str_find(text, word) != SIZE_MAX;
}

/* Removes "[16]" or "[]" from the name; a dynamic array has its brackets in the type. */
static void split_array(struct wk_trace_field *field)
{
	struct wk_str inside = field->name;
	uint64_t count;

	wk_str_cut(&inside, '[');
	if (field->name.len > 0 && field->name.at[field->name.len - 1] == ']') {
		field->name.len -= inside.len + 1;
		field->is_array = true;
		inside.len--;
		if (wk_num_u64(inside, &count) && count > 0)
			field->element_bytes = (uint32_t)(field->size / count);
	}
	if (field->is_dynamic)
		field->is_array = true;
	field->is_text = field->is_array && holds(field->type, "char");
	field->is_pointer = !field->is_array && holds(field->type, "*");
	if (field->is_text || field->element_bytes == 0)
		field->element_bytes = 1;
}

static uint32_t dynamic_element_bytes(struct wk_str type, unsigned long_bytes)
{
	if (holds(type, "char") || holds(type, "u8") || holds(type, "s8"))
		return 1;
	if (holds(type, "short") || holds(type, "u16") || holds(type, "s16"))
		return 2;
	if (holds(type, "u64") || holds(type, "s64") || holds(type, "long long"))
		return 8;
	if (holds(type, "long"))
		return long_bytes;
	return 4;
}

/* "	field:char prev_comm[16];	offset:8;	size:16;	signed:0;" */
static bool parse_field(const struct wk_trace_formats *formats, struct wk_str line,
			struct wk_trace_field *field)
{
	struct wk_str declaration;

	line = wk_trim(line);
	if (!wk_str_starts(line, "field"))
		return false;
	wk_str_cut(&line, ':');
	declaration = wk_trim(wk_str_cut(&line, ';'));
	*field = (struct wk_trace_field){ .offset = number_behind(wk_str_cut(&line, ';')) };
	field->size = number_behind(wk_str_cut(&line, ';'));
	field->is_signed = number_behind(wk_str_cut(&line, ';')) != 0;
	field->is_relative = wk_str_starts(declaration, "__rel_loc");
	field->is_dynamic = field->is_relative || wk_str_starts(declaration, "__data_loc");
	field->element_bytes = field->size;
	field->name = declaration;
	for (size_t i = declaration.len; i > 0; i--)
		if (declaration.at[i - 1] == ' ' || declaration.at[i - 1] == '\t') {
			field->name = wk_str_skip(declaration, i);
			field->type = wk_trim(wk_str_of(declaration.at, i - 1));
			break;
		}
	field->is_common = wk_str_starts(field->name, "common_");
	split_array(field);
	if (field->is_dynamic)
		field->element_bytes = dynamic_element_bytes(field->type, formats->long_bytes);
	else if (!field->is_array)
		field->element_bytes = field->size;
	return field->name.len > 0;
}

static void parse_event(struct wk_trace_formats *formats, struct wk_trace_event *event)
{
	struct wk_str text = event->description;
	struct wk_trace_field *fields = NULL;
	size_t count = 0, cap = 0;

	event->is_parsed = true;
	while (text.len > 0 && !wk_str_starts(text, "print fmt:")) {
		struct wk_trace_field field;

		if (!parse_field(formats, wk_str_cut(&text, '\n'), &field) || count == MOST_FIELDS)
			continue;
		*WK_APPEND(fields, count, cap) = field;
	}
	text = wk_str_skip(text, strlen("print fmt:"));
	event->format.print_fmt = wk_trim(wk_str_cut(&text, '\n'));
	if (count > 0) {
		struct wk_trace_field *kept =
			wk_arena_alloc(&formats->arena, count * sizeof(*kept));

		memcpy(kept, fields, count * sizeof(*kept));
		event->format.fields = kept;
		event->format.field_count = count;
	}
	wk_free(fields);
}

/* Only name and id; the rest is parsed on first use. */
static void add_event(struct wk_trace_formats *formats, struct wk_str system, struct wk_str text)
{
	struct wk_trace_event event = { .format.system = system, .description = text };
	bool has_id = false;

	while (text.len > 0 && !has_id) {
		struct wk_str line = wk_str_cut(&text, '\n');
		uint64_t id;

		if (wk_str_starts(line, "name:"))
			event.format.name = wk_trim(wk_str_skip(line, 5));
		else if (wk_str_starts(line, "ID:") &&
			 wk_num_u64(wk_trim(wk_str_skip(line, 3)), &id) && id <= UINT32_MAX) {
			event.format.id = (uint32_t)id;
			has_id = true;
		}
	}
	if (!has_id || event.format.name.len == 0)
		return;
	*WK_APPEND(formats->events, formats->count, formats->cap) = event;
	wk_map_set(&formats->event_of_id, event.format.id, (uint32_t)formats->count);
}

static struct wk_str read_text(struct wk_bytes *in, uint64_t size)
{
	struct wk_bytes piece = wk_bytes_slice(in, size);

	return wk_str_of((const char *)piece.at, wk_bytes_left(&piece));
}

/* "header_page" or "header_event", a size and that many bytes, which describe ring pages. */
static bool skip_header(struct wk_bytes *in, const char *name)
{
	if (!wk_str_is(wk_bytes_text(in), name))
		return false;
	wk_bytes_skip(in, wk_u64(in));
	return !in->bad;
}

static void read_systems(struct wk_trace_formats *formats, struct wk_bytes *in)
{
	uint32_t ftrace = wk_u32(in), systems;

	for (uint32_t i = 0; i < ftrace && !in->bad; i++)
		add_event(formats, wk_str_c("ftrace"), read_text(in, wk_u64(in)));
	systems = wk_u32(in);
	for (uint32_t i = 0; i < systems && !in->bad; i++) {
		struct wk_str system = wk_bytes_text(in);
		uint32_t count = wk_u32(in);

		for (uint32_t j = 0; j < count && !in->bad; j++)
			add_event(formats, system, read_text(in, wk_u64(in)));
	}
	read_text(in, wk_u32(in)); /* functions: only perf 3.x wrote any */
	formats->printk = read_text(in, wk_u32(in));
}

struct wk_trace_formats *wk_trace_formats_new(struct wk_bytes content, struct wk_err *err)
{
	uint64_t offset = wk_bytes_offset(&content);
	size_t size = wk_bytes_left(&content);
	struct wk_trace_formats *formats;
	struct wk_bytes in;

	if (content.bad || size < sizeof(magic) || memcmp(content.at, magic, sizeof(magic)) != 0) {
		wk_fail(err, WK_ECORRUPT, offset,
			"the tracing data does not begin with 17 08 44 \"tracing\"");
		return NULL;
	}
	formats = wk_alloc_zeroed(1, sizeof(*formats));
	formats->content = wk_alloc(size);
	memcpy(formats->content, content.at, size);
	in = wk_bytes_of(formats->content, size);
	wk_bytes_skip(&in, sizeof(magic));
	wk_bytes_text(&in); /* the version: 0.5 or 0.6 */
	in.big_endian = formats->big_endian = wk_u8(&in) != 0;
	formats->long_bytes = wk_u8(&in) == 4 ? 4 : 8;
	wk_u32(&in); /* size of a page */
	if (skip_header(&in, "header_page") && skip_header(&in, "header_event"))
		read_systems(formats, &in);
	return formats;
}

void wk_trace_formats_free(struct wk_trace_formats *formats)
{
	if (!formats)
		return;
	wk_traceevent_free(formats->library);
	wk_free(formats->events);
	wk_map_fini(&formats->event_of_id);
	wk_arena_fini(&formats->arena);
	WK_FREE_ALL(formats->content, formats);
}

size_t wk_trace_formats_count(const struct wk_trace_formats *formats)
{
	return formats->count;
}

const struct wk_trace_format *wk_trace_formats_at(struct wk_trace_formats *formats, size_t index)
{
	struct wk_trace_event *event = &formats->events[index];

	if (!event->is_parsed)
		parse_event(formats, event);
	return &event->format;
}

const struct wk_trace_format *wk_trace_formats_find(struct wk_trace_formats *formats, uint32_t id)
{
	uint32_t index = wk_map_find(&formats->event_of_id, id);

	return index ? wk_trace_formats_at(formats, index - 1) : NULL;
}

void wk_trace_formats_set_namer(struct wk_trace_formats *formats, struct wk_trace_namer namer)
{
	formats->namer = namer;
}

/* --- The text of a sample ------------------------------------------------------------------ */

static bool prepare(struct wk_trace_formats *formats, struct wk_trace_event *event)
{
	struct wk_print_fmt *print_fmt = &event->print_fmt;

	if (!formats->library)
		formats->library = wk_traceevent_new(formats);
	if (!print_fmt->is_checked)
		print_fmt->is_safe = wk_print_fmt_check(print_fmt, &event->format) &&
				     wk_traceevent_add_event(formats->library, &event->format);
	print_fmt->is_checked = true;
	return print_fmt->is_safe;
}

/* No array of the sample is longer than the sample. */
static bool lengths_are_good(const struct wk_print_fmt *print_fmt, struct wk_bytes raw)
{
	for (unsigned i = 0; i < print_fmt->length_count; i++)
		if (wk_trace_read(&raw, print_fmt->lengths[i]->offset,
				  print_fmt->lengths[i]->size) > wk_bytes_left(&raw))
			return false;
	return wk_bytes_left(&raw) <= WK_TRACE_MOST_RAW;
}

static size_t text_limit(size_t raw_bytes)
{
	size_t limit = LEAST_TEXT + BYTE_TEXT * raw_bytes;

	return limit < MOST_TEXT ? limit : MOST_TEXT;
}

void wk_trace_formats_print(struct wk_trace_formats *formats, struct wk_bytes raw,
			    struct wk_buf *out)
{
	struct wk_buf text = { .limit = text_limit(wk_bytes_left(&raw)) };
	struct wk_trace_event *event;
	uint32_t index;

	raw.start = raw.at;
	raw.big_endian = formats->big_endian;
	index = wk_map_find(&formats->event_of_id, wk_trace_read(&raw, 0, 2));
	if (!index)
		return;
	wk_trace_formats_at(formats, index - 1);
	event = &formats->events[index - 1];
	if (!wk_trace_has_library()) {
		wk_trace_fields_text(&event->format, raw, &text);
	} else if (!prepare(formats, event) || !lengths_are_good(&event->print_fmt, raw) ||
		   !wk_traceevent_print(formats->library, &event->format, raw, &text)) {
		wk_buf_add_text(&text, "[FAILED TO PARSE] ");
		wk_trace_fields_text(&event->format, raw, &text);
	}
	wk_buf_add_str(out, wk_buf_str(&text));
	if (text.full)
		wk_buf_add_text(out, "[TOO LONG]");
	wk_buf_fini(&text);
}
