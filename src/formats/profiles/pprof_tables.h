/* The tables of a pprof profile: everything but its samples, which refer to them.
 *
 * Texts come last in the file, so they are looked up after all of it has been read. */
#ifndef WK_FORMATS_PROFILES_PPROF_TABLES_H
#define WK_FORMATS_PROFILES_PPROF_TABLES_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

/* Numbers of the fields of a profile. */
enum wk_pprof_field {
	WK_PPROF_SAMPLE_TYPE = 1,
	WK_PPROF_SAMPLE = 2,
	WK_PPROF_MAPPING = 3,
	WK_PPROF_LOCATION = 4,
	WK_PPROF_FUNCTION = 5,
	WK_PPROF_STRING = 6,
	WK_PPROF_DEFAULT_TYPE = 14,
	WK_PPROF_FIELDS = 15,
};

struct wk_pprof_type {
	uint64_t type, unit; /* texts */
	uint64_t scale;      /* to what wick counts in */
};

struct wk_pprof_function {
	uint64_t name, system_name, file; /* texts */
};

struct wk_pprof_line {
	uint64_t function_id, line;
};

/* Its lines, innermost first: all but the last were inlined. */
struct wk_pprof_location {
	uint64_t mapping_id, address;
	uint32_t first_line, line_count;
	uint32_t first_frame; /* of line_count, or one if there is no line; 0: not created yet */
};

struct wk_pprof_tables {
	struct wk_str *texts;
	struct wk_pprof_type *types;
	struct wk_pprof_function *functions;
	struct wk_pprof_line *lines;
	struct wk_pprof_location *locations;
	uint64_t *mappings; /* text of the file's name */
	size_t text_count, text_cap, type_count, type_cap, function_count, function_cap;
	size_t line_count, line_cap, location_count, location_cap, mapping_count, mapping_cap;
	struct wk_map function_of, location_of, mapping_of; /* id + 1 to row + 1 */
	uint64_t default_type;                              /* text */
	uint64_t bad_messages;
};

bool wk_pprof_tables_read(struct wk_pprof_tables *tables, struct wk_bytes input,
			  struct wk_err *err);
void wk_pprof_tables_fini(struct wk_pprof_tables *tables);

/* For the text form. Ids and texts are as in the binary form: texts by number, from 0. */
uint64_t wk_pprof_add_text(struct wk_pprof_tables *tables, struct wk_str text);
void wk_pprof_add_type(struct wk_pprof_tables *tables, uint64_t type, uint64_t unit);
void wk_pprof_add_mapping(struct wk_pprof_tables *tables, uint64_t id, uint64_t file);
void wk_pprof_add_function(struct wk_pprof_tables *tables, uint64_t id,
			   struct wk_pprof_function function);
void wk_pprof_add_line(struct wk_pprof_tables *tables, uint64_t function_id, uint64_t line);
void wk_pprof_add_location(struct wk_pprof_tables *tables, uint64_t id,
			   struct wk_pprof_location location);

/* The text of a number; empty if there is none. */
static inline struct wk_str wk_pprof_text(const struct wk_pprof_tables *tables, uint64_t number)
{
	return number < tables->text_count ? tables->texts[number] : wk_str_c("");
}

/* The location of an id, or NULL. */
static inline struct wk_pprof_location *wk_pprof_location(const struct wk_pprof_tables *tables,
							  uint64_t id)
{
	uint32_t row = wk_map_find(&tables->location_of, id + 1);

	return row ? &tables->locations[row - 1] : NULL;
}

#endif
