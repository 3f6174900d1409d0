#include "views/tables/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/event.h"

void wk_table_init(struct wk_table *table, const char *name)
{
	*table = (struct wk_table){ .name = wk_str_c(name) };
}

void wk_table_fini(struct wk_table *table)
{
	WK_FREE_ALL(table->rows, table->cells, table->notes);
	wk_arena_fini(&table->arena);
	*table = (struct wk_table){ 0 };
}

static void add_column(struct wk_table *table, struct wk_column column)
{
	assert(table->column_count < WK_TABLE_COLUMNS && table->row_count == 0);
	table->columns[table->column_count++] = column;
}

void wk_table_column(struct wk_table *table, enum wk_cell_kind kind, const char *key,
		     const char *title)
{
	add_column(table, (struct wk_column){ .key = wk_str_c(key), .title = wk_str_c(title),
					      .kind = kind });
}

void wk_table_detail(struct wk_table *table)
{
	assert(table->column_count > 0);
	table->columns[table->column_count - 1].is_detail = true;
}

struct wk_str wk_table_keep(struct wk_table *table, struct wk_str text)
{
	return wk_arena_copy(&table->arena, text);
}

/* The unit comes from a file, so everything but letters and digits becomes '_'. */
static void add_key(struct wk_buf *key, struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		wk_buf_add_char(key, (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_');
	}
}

static enum wk_cell_kind weight_kind(struct wk_str unit)
{
	if (wk_str_is(unit, "ns"))
		return WK_CELL_DURATION;
	if (wk_str_is(unit, "bytes"))
		return WK_CELL_BYTES;
	return wk_str_is(unit, WK_UNIT_THOUSANDTHS) ? WK_CELL_THOUSANDTHS : WK_CELL_COUNT;
}

void wk_table_weight_column(struct wk_table *table, const char *what, struct wk_str unit)
{
	bool is_time = wk_str_is(unit, "ns");
	bool is_titled = unit.len && !is_time && !wk_str_is(unit, WK_UNIT_THOUSANDTHS);
	struct wk_buf key = { 0 }, title = { 0 };

	wk_buf_add_text(&key, what);
	wk_buf_add_text(&title, is_time && strcmp(what, "weight") == 0 ? "time" : what);
	if (unit.len)
		wk_buf_add_char(&key, '_');
	add_key(&key, unit);
	if (is_titled) {
		wk_buf_add_char(&title, ' ');
		wk_buf_add_str(&title, unit);
	}
	add_column(table, (struct wk_column){
		.key = wk_table_keep(table, wk_buf_str(&key)),
		.title = wk_table_keep(table, wk_buf_str(&title)),
		.kind = weight_kind(unit),
	});
	WK_BUF_FINI_ALL(&key, &title);
}

void wk_table_note(struct wk_table *table, const char *format, ...)
{
	char text[1000];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	*WK_APPEND(table->notes, table->note_count, table->notes_cap) =
		wk_table_keep(table, wk_str_c(text));
}

struct wk_row *wk_table_row(struct wk_table *table)
{
	struct wk_row *row;

	assert(table->cell_count == table->row_count * table->column_count);
	row = WK_APPEND(table->rows, table->row_count, table->rows_cap);
	*row = (struct wk_row){ 0 };
	return row;
}

static void add_cell(struct wk_table *table, struct wk_cell cell)
{
	assert(table->cell_count < table->row_count * table->column_count);
	*WK_APPEND(table->cells, table->cell_count, table->cells_cap) = cell;
}

void wk_table_text(struct wk_table *table, struct wk_str text)
{
	add_cell(table, (struct wk_cell){ .text = text });
}

void wk_table_brief(struct wk_table *table, struct wk_str text)
{
	if (table->cell_count)
		table->cells[table->cell_count - 1].brief = text;
}

void wk_table_number(struct wk_table *table, uint64_t number)
{
	add_cell(table, (struct wk_cell){ .number = number });
}

static struct wk_cell signed_cell(int64_t number)
{
	return (struct wk_cell){
		.is_negative = number < 0,
		.number = number < 0 ? 0 - (uint64_t)number : (uint64_t)number,
	};
}

void wk_table_signed(struct wk_table *table, int64_t number)
{
	add_cell(table, signed_cell(number));
}

void wk_table_change(struct wk_table *table, uint64_t before, uint64_t after)
{
	add_cell(table, (struct wk_cell){
		.is_negative = after < before,
		.number = after < before ? before - after : after - before,
	});
}

void wk_table_share(struct wk_table *table, uint64_t part, uint64_t whole)
{
	add_cell(table, (struct wk_cell){ .number = part, .whole = whole });
}

/* ---- columns and their cells */

/* Adds the column; false after the first row, when it is there. */
static bool is_heading(struct wk_table *table, enum wk_cell_kind kind, const char *key,
		       const char *title, unsigned how)
{
	if (table->row_count)
		return false;
	add_column(table, (struct wk_column){ .key = wk_str_c(key), .title = wk_str_c(title),
					      .kind = kind, .is_detail = how == WK_DETAIL,
					      .spare = how == WK_DETAIL ? 0 : (uint8_t)how });
	return true;
}

void wk_column_text_if(struct wk_table *table, const char *key, const char *title, unsigned how,
		       bool is_there, struct wk_str text)
{
	if (!is_heading(table, WK_CELL_TEXT, key, title, how))
		add_cell(table, (struct wk_cell){ .is_none = !is_there, .text = text });
}

void wk_column_text(struct wk_table *table, const char *key, const char *title, unsigned how,
		    struct wk_str text)
{
	wk_column_text_if(table, key, title, how, true, text);
}

void wk_column_number_if(struct wk_table *table, enum wk_cell_kind kind, const char *key,
			 const char *title, unsigned how, bool is_there, uint64_t number)
{
	if (!is_heading(table, kind, key, title, how))
		add_cell(table, (struct wk_cell){ .is_none = !is_there, .number = number });
}

void wk_column_signed_if(struct wk_table *table, enum wk_cell_kind kind, const char *key,
			 const char *title, unsigned how, bool is_there, int64_t number)
{
	struct wk_cell cell = signed_cell(number);

	cell.is_none = !is_there;
	if (!is_heading(table, kind, key, title, how))
		add_cell(table, cell);
}

void wk_column_number(struct wk_table *table, enum wk_cell_kind kind, const char *key,
		      const char *title, unsigned how, uint64_t number)
{
	wk_column_number_if(table, kind, key, title, how, true, number);
}

void wk_column_share(struct wk_table *table, const char *key, const char *title, uint64_t part,
		     uint64_t whole)
{
	if (!is_heading(table, WK_CELL_SHARE, key, title, 0))
		wk_table_share(table, part, whole);
}
