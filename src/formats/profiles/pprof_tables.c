#include "formats/profiles/pprof_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/proto.h"

uint64_t wk_pprof_add_text(struct wk_pprof_tables *tables, struct wk_str text)
{
	*WK_APPEND(tables->texts, tables->text_count, tables->text_cap) = text;
	return tables->text_count - 1;
}

void wk_pprof_add_type(struct wk_pprof_tables *tables, uint64_t type, uint64_t unit)
{
	*WK_APPEND(tables->types, tables->type_count, tables->type_cap) =
		(struct wk_pprof_type){ .type = type, .unit = unit, .scale = 1 };
}

void wk_pprof_add_mapping(struct wk_pprof_tables *tables, uint64_t id, uint64_t file)
{
	*WK_APPEND(tables->mappings, tables->mapping_count, tables->mapping_cap) = file;
	wk_map_set(&tables->mapping_of, id + 1, (uint32_t)tables->mapping_count);
}

void wk_pprof_add_function(struct wk_pprof_tables *tables, uint64_t id,
			   struct wk_pprof_function function)
{
	*WK_APPEND(tables->functions, tables->function_count, tables->function_cap) = function;
	wk_map_set(&tables->function_of, id + 1, (uint32_t)tables->function_count);
}

void wk_pprof_add_line(struct wk_pprof_tables *tables, uint64_t function_id, uint64_t line)
{
	*WK_APPEND(tables->lines, tables->line_count, tables->line_cap) =
		(struct wk_pprof_line){ .function_id = function_id, .line = line };
}

void wk_pprof_add_location(struct wk_pprof_tables *tables, uint64_t id,
			   struct wk_pprof_location location)
{
	*WK_APPEND(tables->locations, tables->location_count, tables->location_cap) = location;
	wk_map_set(&tables->location_of, id + 1, (uint32_t)tables->location_count);
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

static void read_location(struct wk_pprof_tables *tables, struct wk_bytes message)
{
	uint64_t n[4] = { 0 }, line[NUMBERS]; /* n: id, mapping and address */
	uint32_t first_line = (uint32_t)tables->line_count;
	struct wk_proto_field field;

	while (wk_proto_next(&message, &field))
		if (field.number < 4) {
			n[field.number] = field.value;
		} else if (field.number == 4) {
			read_numbers(tables, field.bytes, line);
			wk_pprof_add_line(tables, line[1], line[2]);
		}
	tables->bad_messages += message.bad;
	wk_pprof_add_location(tables, n[1], (struct wk_pprof_location){
		.mapping_id = n[2], .address = n[3], .first_line = first_line,
		.line_count = (uint32_t)tables->line_count - first_line });
}

static void read_table(struct wk_pprof_tables *tables, const struct wk_proto_field *field)
{
	uint64_t n[NUMBERS];

	switch (field->number) {
	case WK_PPROF_SAMPLE_TYPE:
		read_numbers(tables, field->bytes, n);
		wk_pprof_add_type(tables, n[1], n[2]);
		break;
	case WK_PPROF_MAPPING:
		read_numbers(tables, field->bytes, n);
		wk_pprof_add_mapping(tables, n[1], n[5]);
		break;
	case WK_PPROF_LOCATION:
		read_location(tables, field->bytes);
		break;
	case WK_PPROF_FUNCTION:
		read_numbers(tables, field->bytes, n);
		wk_pprof_add_function(tables, n[1], (struct wk_pprof_function){ n[2], n[3], n[4] });
		break;
	case WK_PPROF_STRING:
		wk_pprof_add_text(tables, wk_bytes_str(field->bytes));
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
	WK_FREE_ALL(tables->texts, tables->types, tables->functions, tables->lines,
		    tables->locations, tables->mappings);
	wk_map_fini(&tables->function_of);
	wk_map_fini(&tables->location_of);
	wk_map_fini(&tables->mapping_of);
}
