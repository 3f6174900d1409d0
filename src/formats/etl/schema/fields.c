#include "formats/etl/schema/fields.h"

#include <stdlib.h>

#include "base/mem.h"
#include "formats/etl/schema/value.h"

#define MOST_DEPTH 16

/* A value has at least a byte, or a struct or list contains one: empty ones may occur a few
 * times. */
#define STEPS_FOR_NOTHING 256

struct level {
	uint32_t first, end; /* fields */
	uint32_t at;
	uint32_t left; /* remaining repetitions, including this one */
	bool is_list;
};

struct reading {
	struct wk_etl_field_reader *reader;
	const struct wk_etl_field *fields;
	uint32_t count;
	unsigned pointer_bytes;
	struct wk_bytes in;
	struct wk_buf *text;
	size_t steps; /* members left */
	struct level levels[MOST_DEPTH];
	size_t depth;
};

static void reserve(struct wk_etl_field_reader *reader, uint32_t count)
{
	size_t before = reader->number_cap;

	reader->event++;
	if (count <= before)
		return;
	WK_RESERVE(reader->numbers, reader->number_cap, count);
	memset(reader->numbers + before, 0,
	       (reader->number_cap - before) * sizeof(*reader->numbers));
}

static bool step(struct reading *reading)
{
	if (reading->steps == 0 || reading->text->full)
		return false;
	reading->steps--;
	return true;
}

/* ---- lengths and counts */

static bool number_of(const struct reading *reading, uint32_t field, uint32_t *number)
{
	const struct known_number *numbers = reading->reader->numbers;

	if (field >= reading->count || numbers[field].event != reading->reader->event)
		return false;
	*number = numbers[field].number;
	return true;
}

static bool count_of(struct reading *reading, const struct wk_etl_field *field, uint32_t *count)
{
	switch ((enum wk_etl_measure)field->counted) {
	case WK_ETL_BY_SCHEMA:
		*count = field->count;
		return true;
	case WK_ETL_BY_FIELD:
		return number_of(reading, field->count, count);
	case WK_ETL_BY_PAYLOAD:
		*count = wk_u16le(&reading->in);
		return !reading->in.bad;
	case WK_ETL_BY_TYPE:
		break;
	}
	*count = 1;
	return true;
}

static bool length_of(const struct reading *reading, const struct wk_etl_field *field,
		      uint32_t *length)
{
	*length = WK_ETL_NO_LENGTH;
	if (field->sized == WK_ETL_BY_FIELD)
		return number_of(reading, field->length, length);
	if (field->sized == WK_ETL_BY_SCHEMA)
		*length = field->length;
	else if (field->in_type == WK_ETL_IN_BINARY && field->length)
		*length = field->length;
	return true;
}

/* ---- values */

static bool add_values(struct reading *reading, uint32_t index, uint32_t count)
{
	const struct wk_etl_field *field = &reading->fields[index];
	struct known_number *known = &reading->reader->numbers[index];
	uint32_t length;

	if (!length_of(reading, field, &length))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t number;

		if (i)
			wk_buf_add_text(reading->text, ", ");
		if (!step(reading) ||
		    !wk_etl_value_add(&reading->in, field, length, reading->pointer_bytes, &number,
				      reading->text))
			return false;
		*known = (struct known_number){ reading->reader->event, (uint32_t)number };
	}
	return true;
}

static bool add_plain(struct reading *reading, uint32_t index, uint32_t count)
{
	const struct wk_etl_field *field = &reading->fields[index];
	bool is_list = field->counted != WK_ETL_BY_TYPE, ok;

	if (is_list && wk_etl_value_is_character(field))
		return wk_etl_characters_add(&reading->in, field, count, reading->text);
	if (is_list)
		wk_buf_add_char(reading->text, '[');
	ok = add_values(reading, index, count);
	if (is_list && ok)
		wk_buf_add_char(reading->text, ']');
	return ok;
}

/* ---- structs */

static bool open_struct(struct reading *reading, uint32_t index, uint32_t count)
{
	const struct wk_etl_field *field = &reading->fields[index];
	bool is_list = field->counted != WK_ETL_BY_TYPE;

	if (is_list)
		wk_buf_add_char(reading->text, '[');
	if (count == 0) {
		wk_buf_add_char(reading->text, ']');
		return true;
	}
	if (reading->depth == MOST_DEPTH)
		return false;
	wk_buf_add_char(reading->text, '{');
	reading->levels[reading->depth++] = (struct level){ index + 1, field->end, index + 1,
							    count, is_list };
	return true;
}

static bool close_struct(struct reading *reading)
{
	struct level *level = &reading->levels[reading->depth - 1];

	if (reading->depth > 1)
		wk_buf_add_char(reading->text, '}');
	if (--level->left) {
		wk_buf_add_text(reading->text, ", {");
		level->at = level->first;
		return step(reading);
	}
	if (level->is_list)
		wk_buf_add_char(reading->text, ']');
	reading->depth--;
	return true;
}

static bool add_field(struct reading *reading, struct level *level)
{
	uint32_t index = level->at, count;
	const struct wk_etl_field *field = &reading->fields[index];

	if (index > level->first)
		wk_buf_add_char(reading->text, ' ');
	level->at = field->end;
	wk_buf_add_str(reading->text, field->name);
	wk_buf_add_char(reading->text, '=');
	if (!step(reading) || !count_of(reading, field, &count))
		return false;
	if (field->in_type == WK_ETL_IN_STRUCT)
		return open_struct(reading, index, count);
	return add_plain(reading, index, count);
}

bool wk_etl_fields_add(struct wk_etl_field_reader *reader, const struct wk_etl_schema *schema,
		       unsigned pointer_bytes, struct wk_bytes payload, struct wk_buf *text)
{
	struct reading reading = { .reader = reader, .fields = schema->fields,
				   .count = schema->count,
				   .pointer_bytes = pointer_bytes, .in = payload, .text = text,
				   .steps = STEPS_FOR_NOTHING + 2 * wk_bytes_left(&payload),
				   .levels = { { 0, schema->count, 0, 1, false } }, .depth = 1 };
	bool ok = true;

	reserve(reader, schema->count);
	while (ok && reading.depth) {
		struct level *level = &reading.levels[reading.depth - 1];

		if (schema->may_end && reading.depth == 1 && wk_bytes_left(&reading.in) == 0)
			break;
		ok = level->at < level->end ? add_field(&reading, level) : close_struct(&reading);
	}
	if (!ok)
		wk_buf_add_text(text, "...");
	else if (wk_bytes_left(&reading.in))
		wk_buf_add_fmt(text, "%s(%zu bytes more)", text->len ? " " : "",
			       wk_bytes_left(&reading.in));
	return ok && !reading.in.bad;
}
