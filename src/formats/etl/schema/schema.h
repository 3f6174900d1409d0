/* The table of descriptions: names of events, types of their fields, and names for numbers. For
 * schema/ only; the reader uses descriptions.h. The files of sources.h fill it.
 *
 * descriptions.h has the order of calls. */
#ifndef WK_FORMATS_ETL_SCHEMA_SCHEMA_H
#define WK_FORMATS_ETL_SCHEMA_SCHEMA_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "formats/etl/schema/descriptions.h"

/* Types of values with Windows' numbers (TDH); those of TraceLogging are the same up to 25. */
enum wk_etl_in_type {
	WK_ETL_IN_NULL = 0,
	WK_ETL_IN_TEXT16 = 1,
	WK_ETL_IN_TEXT8 = 2,
	WK_ETL_IN_I8 = 3,
	WK_ETL_IN_U8 = 4,
	WK_ETL_IN_I16 = 5,
	WK_ETL_IN_U16 = 6,
	WK_ETL_IN_I32 = 7,
	WK_ETL_IN_U32 = 8,
	WK_ETL_IN_I64 = 9,
	WK_ETL_IN_U64 = 10,
	WK_ETL_IN_F32 = 11,
	WK_ETL_IN_F64 = 12,
	WK_ETL_IN_BOOL = 13,
	WK_ETL_IN_BINARY = 14,
	WK_ETL_IN_GUID = 15,
	WK_ETL_IN_POINTER = 16,
	WK_ETL_IN_FILETIME = 17,
	WK_ETL_IN_SYSTEMTIME = 18,
	WK_ETL_IN_SID = 19,
	WK_ETL_IN_HEX32 = 20,
	WK_ETL_IN_HEX64 = 21,
	WK_ETL_IN_COUNTED_TEXT16 = 22, /* preceded by a number of bytes, u16 */
	WK_ETL_IN_COUNTED_TEXT8 = 23,
	WK_ETL_IN_STRUCT = 24,
	WK_ETL_IN_COUNTED_BINARY = 25,
	WK_ETL_IN_MOF_COUNTED_TEXT16 = 300,
	WK_ETL_IN_MOF_COUNTED_TEXT8 = 301,
	WK_ETL_IN_MOF_REVERSED_TEXT16 = 302, /* the number is big-endian */
	WK_ETL_IN_MOF_REVERSED_TEXT8 = 303,
	WK_ETL_IN_MOF_REST_TEXT16 = 304, /* up to the end of the payload */
	WK_ETL_IN_MOF_REST_TEXT8 = 305,
	WK_ETL_IN_MOF_CHAR16 = 306,
	WK_ETL_IN_MOF_CHAR8 = 307,
	WK_ETL_IN_MOF_SIZE = 308,
	WK_ETL_IN_MOF_HEX_DUMP = 309, /* preceded by a number of bytes, u32 */
	WK_ETL_IN_MOF_SID = 310,      /* after a structure of two pointers */
};

enum wk_etl_out_type {
	WK_ETL_OUT_DEFAULT = 0,
	WK_ETL_OUT_STRING = 1,
	WK_ETL_OUT_BOOL = 13,
	WK_ETL_OUT_HEX = 15, /* up to 19, by width */
	WK_ETL_OUT_HEX64 = 19,
	WK_ETL_OUT_PORT = 22,
	WK_ETL_OUT_IPV4 = 23,
	WK_ETL_OUT_IPV6 = 24,
	WK_ETL_OUT_SOCKET = 25,
	WK_ETL_OUT_NTSTATUS = 31,
	WK_ETL_OUT_HRESULT = 32,
};

/* How the number of elements of a field, or the length of one, is determined. */
enum wk_etl_measure {
	WK_ETL_BY_TYPE, /* one; as long as its type says */
	WK_ETL_BY_SCHEMA,
	WK_ETL_BY_FIELD,   /* by an earlier field */
	WK_ETL_BY_PAYLOAD, /* a u16 before the first */
};

struct wk_etl_field {
	struct wk_str name;
	uint16_t in_type, out_type;
	uint8_t counted, sized;             /* enum wk_etl_measure */
	uint16_t count, length;             /* or the index of that field */
	uint32_t end;                       /* index after it and, if it is a struct, its members */
	struct wk_str values_name;          /* names for its numbers; empty: none */
	const struct wk_etl_values *values; /* set by settle */
};

/* The members of a struct follow it. */
struct wk_etl_schema {
	struct wk_str provider, event; /* event: "Task/Opcode", or a name */
	const struct wk_etl_field *fields;
	uint32_t count;
	bool may_end; /* older versions end after any of them */
};

/* Names for numbers: for one number, or for bits. */
struct wk_etl_value {
	uint32_t value;
	struct wk_str word;
};

struct wk_etl_values {
	const struct wk_etl_value *at; /* in ascending order */
	uint32_t count;
	bool are_bits;
};

/* State for reading one event after the other; zero-initialized is ready. The owner frees
 * `numbers`. */
struct wk_etl_field_reader {
	struct known_number {
		uint64_t event; /* the time of the last read */
		uint32_t number;
	} * numbers; /* by field: values that may be counts */
	size_t number_cap;
	uint64_t event;
};

struct wk_etl_field_list {
	struct wk_etl_field *at;
	size_t count, cap;
};

/* Fields that a copy was made of; `provider` owns the names for their numbers. */
struct wk_etl_copied_fields {
	struct wk_guid provider;
	struct wk_etl_field *at;
	uint32_t count;
};

struct wk_etl_schemas {
	struct wk_etl_kinds *kinds;
	struct wk_strtab *texts;
	struct wk_arena arena;
	struct wk_etl_schema *described;
	size_t described_count, described_cap;
	struct wk_map described_at; /* by the key of the event, hashed: row + 1 */
	struct wk_etl_copied_fields *lists;
	size_t list_count, list_cap;
	struct wk_etl_values **values; /* each stays where it is */
	size_t values_count, values_cap;
	struct wk_map values_at; /* by provider and name, hashed: row + 1 */
	struct wk_etl_manifests *manifests;
	uint64_t unread_manifests; /* this build cannot read them */

	/* For texts of events. */
	struct wk_etl_field_reader reader;
	struct wk_etl_field_list fields; /* of the last TraceLogging event */
	struct wk_buf what, text;
	uint64_t undescribed; /* events without a description */
	uint64_t broken;      /* events that end before their last field */
};

/* The description in the trace, or NULL. `of` also uses the built-in ones; it is NULL as well if
 * each event has its own. */
const struct wk_etl_schema *wk_etl_schemas_find(const struct wk_etl_schemas *schemas,
						const struct wk_etl_event_key *key);
const struct wk_etl_schema *wk_etl_schemas_of(struct wk_etl_schemas *schemas,
					      const struct wk_etl_event_kind *kind);

/* ---- for the sources of descriptions */

/* A copy that is valid as long as the schemas, cut at WK_ETL_MOST_NAME. */
struct wk_str wk_etl_schemas_text(struct wk_etl_schemas *schemas, struct wk_str text);
struct wk_str wk_etl_schemas_text16(struct wk_etl_schemas *schemas, struct wk_bytes utf16);

/* A copy that is valid as long as the schemas, for one or more events. `provider` owns the names
 * for their numbers. */
const struct wk_etl_field *wk_etl_schemas_copy_fields(struct wk_etl_schemas *schemas,
						      const struct wk_guid *provider,
						      const struct wk_etl_field *fields,
						      uint32_t count);

/* Texts are from wk_etl_schemas_text, fields from wk_etl_schemas_copy_fields. The first
 * description of an event is used. */
void wk_etl_schemas_add(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
			const struct wk_etl_schema *schema);

bool wk_etl_schemas_lacks_values(const struct wk_etl_schemas *schemas,
				 const struct wk_guid *provider, struct wk_str name);

/* The names for numbers that `provider` calls `name`; copied and sorted. The first list is used. */
void wk_etl_schemas_add_values(struct wk_etl_schemas *schemas, const struct wk_guid *provider,
			       struct wk_str name, const struct wk_etl_values *values);

/* wk_etl_add_event_name, copied. */
struct wk_str wk_etl_schemas_join_name(struct wk_etl_schemas *schemas, struct wk_str task,
				       struct wk_str opcode);

#endif
