#include "formats/profiles/pprof_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/proto.h"

static void add_text(struct wk_pprof_tables *tables, struct wk_str text)
{
	*WK_APPEND(tables->texts, tables->text_count, tables->text_cap) = text;
}

#define NUMBERS 6 /* of the fields of a table's row, and 0 */

/* Fields that hold one number each. */
static void read_numbers(struct wk_pprof_tables *tables, struct wk_bytes message,
			 uint64_t numbers[static NUMBERS])
{
	struct wk_proto_field field;

	memset(numbers, 0, NUMBERS * sizeof(*numbers));
	while (wk_proto_next(&message, &field))
		if (field.number < NUMBERS)
			numbers[field.number] = field.value;
	tables->bad_messages += message.bad;
}

static void add_type(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	uint64_t numbers[NUMBERS];

	read_numbers(tables, message, numbers);
	*WK_APPEND(tables->types, tables->type_count, tables->type_cap) = (struct wk_pprof_type){
		.type = numbers[1], .unit = numbers[2], .scale = 1 };
}

static void add_mapping(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	uint64_t numbers[NUMBERS];

	read_numbers(tables, message, numbers);
	*WK_APPEND(tables->mappings, tables->mapping_count, tables->mapping_cap) = numbers[5];
	wk_map_set(&tables->mapping_of, numbers[1] + 1, (uint32_t)tables->mapping_count);
}

static void add_function(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	uint64_t numbers[NUMBERS];

	read_numbers(tables, message, numbers);
	*WK_APPEND(tables->functions, tables->function_count, tables->function_cap) =
		(struct wk_pprof_function){ .name = numbers[2],
					    .system_name = numbers[3],
					    .file = numbers[4] };
	wk_map_set(&tables->function_of, numbers[1] + 1, (uint32_t)tables->function_count);
}

static void add_line(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	uint64_t numbers[NUMBERS];

	read_numbers(tables, message, numbers);
	*WK_APPEND(tables->lines, tables->line_count, tables->line_cap) = (struct wk_pprof_line){
		.function_id = numbers[1], .line = numbers[2] };
}

static void add_location(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	struct wk_pprof_location location = { .first_line = (uint32_t)tables->line_count };
	struct wk_proto_field field;
	uint64_t id = 0;

	while (wk_proto_next(&message, &field)) {
		switch (field.number) {
		case 1:
			id = field.value;
			break;
		case 2:
			location.mapping_id = field.value;
			break;
		case 3:
			location.address = field.value;
			break;
		case 4:
			add_line(tables, field.bytes);
			location.line_count++;
			break;
		}
	}
	tables->bad_messages += message.bad;
	*WK_APPEND(tables->locations, tables->location_count, tables->location_cap) = location;
	wk_map_set(&tables->location_of, id + 1, (uint32_t)tables->location_count);
}

static void read_table(struct wk_pprof_tables *tables, const struct wk_proto_field *field)
{
	switch (field->number) {
	case WK_PPROF_SAMPLE_TYPE:
		add_type(tables, field->bytes);
		break;
	case WK_PPROF_MAPPING:
		add_mapping(tables, field->bytes);
		break;
	case WK_PPROF_LOCATION:
		add_location(tables, field->bytes);
		break;
	case WK_PPROF_FUNCTION:
		add_function(tables, field->bytes);
		break;
	case WK_PPROF_STRING:
		add_text(tables, wk_proto_text(field));
		break;
	case WK_PPROF_DEFAULT_TYPE:
		tables->default_type = field->value;
		break;
	}
}

bool wk_pprof_tables_read(struct wk_pprof_tables *tables, struct wk_bytes input, struct wk_err *err)
{
	struct wk_bytes rest = input;
	struct wk_proto_field field;

	while (wk_proto_next(&rest, &field)) {
		bool is_message =
			field.number >= WK_PPROF_SAMPLE_TYPE && field.number <= WK_PPROF_STRING;

		if (is_message && !field.is_bytes)
			return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&rest),
				       "pprof: field %" PRIu32 " is a number, expected a message; "
				       "this is some other protocol buffer",
				       field.number);
		read_table(tables, &field);
	}
	if (rest.bad)
		return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&rest),
			       "pprof: the profile ends in the middle of a field");
	return true;
}

void wk_pprof_tables_fini(struct wk_pprof_tables *tables)
{
	wk_free(tables->texts);
	wk_free(tables->types);
	wk_free(tables->functions);
	wk_free(tables->lines);
	wk_free(tables->locations);
	wk_free(tables->mappings);
	wk_map_fini(&tables->function_of);
	wk_map_fini(&tables->location_of);
	wk_map_fini(&tables->mapping_of);
}
