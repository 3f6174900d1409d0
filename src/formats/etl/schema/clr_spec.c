#include "formats/etl/schema/clr_spec.h"

#include "base/buf.h"

#define MOST_FIELDS 32
#define MOST_WORDS  8

/* The tables are compiled in: a test finds their faults. */
struct spec {
	struct wk_etl_schemas *schemas;
	const struct wk_etl_event_key *key;
	struct wk_etl_field fields[MOST_FIELDS];
	uint32_t count;
	uint32_t open_struct; /* its index + 1, or 0 */
};

static void set_type(struct wk_etl_field *field, char type, unsigned bytes)
{
	unsigned power = bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;

	switch (type) {
	case 'u':
	case 'h':
		field->in_type = (uint16_t)(WK_ETL_IN_U8 + 2 * power);
		field->out_type = type == 'h' ? WK_ETL_OUT_HEX64 : WK_ETL_OUT_DEFAULT;
		break;
	case 'f':
		field->in_type = WK_ETL_IN_F64;
		break;
	case 'p':
		field->in_type = WK_ETL_IN_POINTER;
		break;
	case 'z':
		field->in_type = WK_ETL_IN_TEXT16;
		break;
	default:
		field->in_type = WK_ETL_IN_GUID;
		break;
	}
}

static void count_by(struct spec *spec, struct wk_etl_field *field, struct wk_str name)
{
	for (uint32_t i = 0; i < spec->count; i++) {
		if (wk_str_eq(spec->fields[i].name, name)) {
			field->counted = WK_ETL_BY_FIELD;
			field->count = (uint16_t)i;
			return;
		}
	}
}

/* They are identified by the name of the field: an event has no two of one name with values. */
static void add_words(struct spec *spec, struct wk_etl_field *field, struct wk_str words)
{
	struct wk_etl_value values[MOST_WORDS];
	struct wk_buf name = { 0 };
	struct wk_str word;
	uint32_t count = 0;

	wk_buf_add_fmt(&name, "%u.%.*s", spec->key->id, WK_STR_ARG(field->name));
	while (words.len && count < MOST_WORDS) {
		wk_str_split(words, '|', &word, &words);
		values[count] = (struct wk_etl_value){ count,
						       wk_etl_schemas_text(spec->schemas, word) };
		count++;
	}
	field->values_name = wk_etl_schemas_text(spec->schemas, wk_buf_str(&name));
	wk_etl_schemas_add_values(spec->schemas, &spec->key->provider, field->values_name,
				  &(struct wk_etl_values){ values, count, false });
	wk_buf_fini(&name);
}

static void open_struct(struct spec *spec, struct wk_str name, struct wk_str counted_by)
{
	struct wk_etl_field field = { .name = name, .in_type = WK_ETL_IN_STRUCT };

	count_by(spec, &field, counted_by);
	spec->fields[spec->count++] = field;
	spec->open_struct = spec->count;
}

static void add_word(struct spec *spec, struct wk_str word)
{
	struct wk_etl_field field = { 0 };
	struct wk_str rest, words, counted_by;

	if (wk_str_is(word, "}")) {
		spec->fields[spec->open_struct - 1].end = spec->count;
		spec->open_struct = 0;
		return;
	}
	if (wk_str_split(word, '{', &field.name, &rest)) {
		open_struct(spec, field.name, wk_str_skip(rest, 1));
		return;
	}
	wk_str_split(word, ':', &field.name, &rest);
	wk_str_split(rest, '=', &rest, &words);
	wk_str_split(rest, '*', &rest, &counted_by);
	set_type(&field, rest.at[0], rest.len > 1 ? (unsigned)(rest.at[1] - '0') : 0);
	count_by(spec, &field, counted_by);
	if (words.len)
		add_words(spec, &field, words);
	field.end = spec->count + 1;
	spec->fields[spec->count++] = field;
}

void wk_etl_clr_spec_add(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
			 const char *event, const char *fields)
{
	struct spec spec = { .schemas = schemas, .key = key };
	struct wk_str rest = wk_str_c(fields), word;
	struct wk_etl_schema schema = { .event = wk_str_c(event), .may_end = true };

	while (rest.len && spec.count < MOST_FIELDS) {
		wk_str_split(rest, ' ', &word, &rest);
		add_word(&spec, word);
	}
	schema.fields =
		wk_etl_schemas_copy_fields(schemas, &key->provider, spec.fields, spec.count);
	schema.count = spec.count;
	wk_etl_schemas_add(schemas, key, &schema);
}
