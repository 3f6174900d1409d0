/* TraceLogging: the fields of an event are described beside each payload. */
#include "base/mem.h"
#include "formats/etl/schema/sources.h"

#define TYPE       0x1f /* of a field's first byte */
#define FIXED      0x20 /* an array with a fixed length, which follows */
#define COUNTED    0x40 /* an array; its length is in the payload */
#define CUSTOM     0x60 /* both: in a format of its writer */
#define MORE       0x80 /* another byte of the same follows */
#define MOST_DEPTH 16

/* TraceLogging's output types as those of Windows' own library. */
static uint16_t out_type_of(uint8_t out)
{
	static const uint8_t types[] = {
		[2] = WK_ETL_OUT_STRING, [3] = WK_ETL_OUT_BOOL,     [4] = WK_ETL_OUT_HEX64,
		[5] = 20,                [6] = 21,                  [7] = WK_ETL_OUT_PORT,
		[8] = WK_ETL_OUT_IPV4,   [9] = WK_ETL_OUT_IPV6,     [10] = WK_ETL_OUT_SOCKET,
		[11] = 28,               [12] = 34,                 [13] = 30,
		[14] = WK_ETL_OUT_NTSTATUS, [15] = WK_ETL_OUT_HRESULT,
	};

	return out < sizeof(types) ? types[out] : out;
}

/* Instead of an output type a struct has the number of its members. */
static bool read_field(struct wk_bytes *in, struct wk_etl_field *field, uint8_t *members)
{
	uint8_t in_type, out = 0;

	*field = (struct wk_etl_field){ .name = wk_bytes_text(in) };
	if (field->name.len > WK_ETL_MOST_NAME)
		field->name.len = WK_ETL_MOST_NAME;
	in_type = wk_u8(in);
	if (in_type & MORE) {
		out = wk_u8(in);
		if (out & MORE)
			wk_etl_tracelogging_skip_tags(in);
	}
	field->in_type = in_type & TYPE;
	if ((in_type & CUSTOM) == CUSTOM)
		return false;
	if (in_type & FIXED) {
		field->counted = WK_ETL_BY_SCHEMA;
		field->count = wk_u16le(in);
	} else if (in_type & COUNTED) {
		field->counted = WK_ETL_BY_PAYLOAD;
	}
	*members = field->in_type == WK_ETL_IN_STRUCT ? out & (MORE - 1) : 0;
	field->out_type = *members ? 0 : out_type_of(out & (MORE - 1));
	if (field->in_type == WK_ETL_IN_BINARY)
		field->in_type = WK_ETL_IN_COUNTED_BINARY;
	return !in->bad;
}

/* A struct with members left to read. */
struct open {
	uint32_t field;
	uint32_t missing;
};

/* A struct ends with its last member, and so may the one around it. */
static size_t close_structs(struct open *open, size_t depth, struct wk_etl_field_list *fields)
{
	while (depth && --open[depth - 1].missing == 0)
		fields->at[open[--depth].field].end = (uint32_t)fields->count;
	return depth;
}

bool wk_etl_tracelogging_fields(struct wk_bytes schema, struct wk_etl_field_list *fields)
{
	struct open open[MOST_DEPTH];
	size_t depth = 0;

	fields->count = 0;
	schema = wk_etl_tracelogging_open(schema);
	wk_etl_tracelogging_skip_tags(&schema);
	wk_bytes_text(&schema);
	while (!schema.bad && schema.at < schema.end) {
		struct wk_etl_field field;
		uint8_t members;

		if (!read_field(&schema, &field, &members) || depth == MOST_DEPTH)
			return false;
		WK_RESERVE(fields->at, fields->cap, fields->count + 1);
		field.end = (uint32_t)++fields->count;
		fields->at[fields->count - 1] = field;
		if (members)
			open[depth++] = (struct open){ field.end - 1, members };
		else
			depth = close_structs(open, depth, fields);
	}
	return !schema.bad && depth == 0;
}
