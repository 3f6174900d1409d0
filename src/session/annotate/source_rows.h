/* The rows of an annotation: lines of source code and instructions, each with its weight. */
#ifndef WK_SESSION_ANNOTATE_SOURCE_ROWS_H
#define WK_SESSION_ANNOTATE_SOURCE_ROWS_H

#include "model/model.h"
#include "views/tables/table.h"

struct wk_row_weight {
	uint64_t self, total;
	uint32_t samples;
};

struct wk_source_rows {
	struct wk_table *table;
	uint64_t whole;
	const char *samples; /* the title of their column */
	bool weighs_bytes;
	struct wk_str file; /* of the lines at hand */
	bool has_code;      /* rows are instructions as well, which have addresses */
};

/* `whole` is what weights are shares of, and `source` what they are of. Adds the columns. */
void wk_source_rows_init(struct wk_source_rows *rows, struct wk_table *table,
			 const struct wk_model *model, wk_source_id source, uint64_t whole);
void wk_source_rows_init_code(struct wk_source_rows *rows, struct wk_table *table,
			      const struct wk_model *model, wk_source_id source, uint64_t whole);

/* Lines that follow are of this file; the path is a row of its own. */
void wk_source_rows_file(struct wk_source_rows *rows, struct wk_str path);

/* A heading: the name of a function. */
void wk_source_rows_heading(struct wk_source_rows *rows, struct wk_str text);

/* Lines are left out here. */
void wk_source_rows_gap(struct wk_source_rows *rows);

/* `weight` NULL: none. The text is copied. */
void wk_source_rows_line(struct wk_source_rows *rows, uint32_t line, struct wk_str text,
			 const struct wk_row_weight *weight);
void wk_source_rows_instruction(struct wk_source_rows *rows, uint64_t address, struct wk_str text,
				const struct wk_row_weight *weight);

#endif
