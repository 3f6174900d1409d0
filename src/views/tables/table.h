/* A table to be printed: named columns of typed cells.
 *
 * A view fills one (views/tables/tables.h) and any renderer of tables prints it. Order of calls:
 * init, the columns, then for each row wk_table_row and one cell per column, from left to right;
 * fini. Text is copied only by wk_table_keep: all other text is borrowed, from the model or from
 * literals, and must outlive the table.
 *
 * The functions wk_column_... do both: before the first row they add the column, afterwards its
 * cell. So a view has one function that lists them, and calls it once before the first row. */
#ifndef WK_VIEWS_TABLES_TABLE_H
#define WK_VIEWS_TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text/printf.h"
#include "base/str.h"

enum wk_cell_kind {
	WK_CELL_TEXT,
	WK_CELL_NUMBER,   /* a name made of digits: a pid, an exit code */
	WK_CELL_COUNT,    /* how many of something */
	WK_CELL_DURATION, /* nanoseconds */
	WK_CELL_MOMENT,   /* nanoseconds since the first sample; negative before it */
	WK_CELL_START,    /* the same; for people, all that was before it is 0 */
	WK_CELL_BYTES,
	WK_CELL_THOUSANDTHS, /* of one; for people, with a point */
	WK_CELL_DECIMAL,     /* a number whose text is given */
	WK_CELL_SHARE,       /* a part of a whole */
};

struct wk_column {
	struct wk_str key;   /* for programs: lower case, with the unit ("self_ns") */
	struct wk_str title; /* for people */
	enum wk_cell_kind kind;
	bool is_detail; /* for programs and wide tables; people ask for it */
	uint8_t spare;  /* the highest is hidden first if lines are too short for all; 0: stays */
};

struct wk_cell {
	bool is_none; /* there is no such value */
	bool is_negative;
	struct wk_str text;
	struct wk_str brief; /* the same for people; empty: `text` is */
	uint64_t number;     /* the part, for a share */
	uint64_t whole;
};

/* The position of a row of a tree relative to the preceding one; zero for rows of lists. */
struct wk_row {
	uint32_t indent; /* levels to the right */
	bool is_branch;  /* one of several children; else the only child of the row above */
	bool is_last;    /* of those children */
	bool is_inlined;
	bool is_recursive; /* calls of the function below it are part of the row */
};

#define WK_TABLE_COLUMNS 24

struct wk_table {
	struct wk_str name; /* "functions", "tree" ... */
	struct wk_column columns[WK_TABLE_COLUMNS];
	uint32_t column_count;
	struct wk_row *rows;
	struct wk_cell *cells; /* row by row */
	size_t row_count, cell_count;
	size_t rows_cap, cells_cap;
	bool is_tree;         /* the last column is drawn with the rows' indents */
	bool has_parts;       /* rows of the same text in the first column are one, and laid out
			       * by themselves: some are lists of names as long as lines */
	bool lists_events;    /* of all kinds: none is left out */
	bool has_blanks;      /* for people, cells without a value are blank */
	bool has_zeros;       /* and a zero is no dot */
	bool names_functions; /* so that it matters which of them have no names */
	bool has_one_scale;   /* all durations are shown in one unit, since they are compared */
	const char *counted;  /* what its rows count, if that is not the samples in view: one of
			       * them by name, how many it shows, and the total */
	uint64_t counted_in_view, counted_in_all;
	struct wk_str *notes; /* notes for the reader: what was left out ... */
	size_t note_count, notes_cap;
	struct wk_arena arena;
};

void wk_table_init(struct wk_table *table, const char *name);
void wk_table_fini(struct wk_table *table);

void wk_table_column(struct wk_table *table, enum wk_cell_kind kind, const char *key,
		     const char *title);

/* Makes the column added last a detail. */
void wk_table_detail(struct wk_table *table);

/* A column of weights: `what` is "self", "total" or "weight", the key and kind follow the unit;
 * a weight of nanoseconds is titled "time". */
void wk_table_weight_column(struct wk_table *table, const char *what, struct wk_str unit);

/* A copy that lives as long as the table. */
struct wk_str wk_table_keep(struct wk_table *table, struct wk_str text);

void wk_table_note(struct wk_table *table, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* Returns its shape, for trees. */
struct wk_row *wk_table_row(struct wk_table *table);
void wk_table_text(struct wk_table *table, struct wk_str text);
/* Another text for people, who see the omitted part in another column of the row. Does nothing
 * before the first row. */
void wk_table_brief(struct wk_table *table, struct wk_str text);
void wk_table_number(struct wk_table *table, uint64_t number);
void wk_table_signed(struct wk_table *table, int64_t number);
/* From one weight to another: it may be larger than a signed number. */
void wk_table_change(struct wk_table *table, uint64_t before, uint64_t after);
void wk_table_share(struct wk_table *table, uint64_t part, uint64_t whole);

/* A column or its cell. `how`: `spare` of the column, or WK_DETAIL. */
#define WK_DETAIL 0x100u

void wk_column_text(struct wk_table *table, const char *key, const char *title, unsigned how,
		    struct wk_str text);
void wk_column_number(struct wk_table *table, enum wk_cell_kind kind, const char *key,
		      const char *title, unsigned how, uint64_t number);
void wk_column_share(struct wk_table *table, const char *key, const char *title, uint64_t part,
		     uint64_t whole);

/* The cell is none without `is_there`. */
void wk_column_text_if(struct wk_table *table, const char *key, const char *title, unsigned how,
		       bool is_there, struct wk_str text);
void wk_column_number_if(struct wk_table *table, enum wk_cell_kind kind, const char *key,
			 const char *title, unsigned how, bool is_there, uint64_t number);
void wk_column_signed_if(struct wk_table *table, enum wk_cell_kind kind, const char *key,
			 const char *title, unsigned how, bool is_there, int64_t number);

static inline bool wk_column_has_text(const struct wk_column *column)
{
	return column->kind == WK_CELL_TEXT || column->kind == WK_CELL_DECIMAL;
}

static inline const struct wk_cell *wk_table_cell(const struct wk_table *table, size_t row,
						  uint32_t column)
{
	return &table->cells[row * table->column_count + column];
}

#endif
