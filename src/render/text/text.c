/* A table for the terminal: aligned columns, one unit a column, numbers to the right, the last
 * column as wide as the rest of the line. Without a width nothing is cut. Names of functions are
 * shortened before they are cut. */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/text/utf8.h"
#include "names/label.h"
#include "render/renderers.h"
#include "views/shown_names.h"

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define PLAIN "\033[0m"

#define LEAST_LAST_COLUMN  24
#define MOST_TEXT_COLUMN   32 /* for text columns before the last, unless there is space left */
#define LEAST_TEXT_COLUMN  12 /* if there is none */
#define MOST_COMMON_COLUMN 20 /* the common width of all parts of a table */
#define MOST_GUIDES        40 /* beyond it, a tree is not indented further */

/* How one column is shown. */
struct format {
	bool is_shown;
	bool is_left_out; /* since lines are too short */
	double scale;     /* of durations: nanoseconds in the unit */
	int decimals;
	const char *unit; /* behind the title */
	size_t common;    /* in characters, that it has in all parts of the table */
	size_t width;     /* in characters */
	size_t whole;     /* that nothing is cut at */
};

struct printer {
	const struct wk_table *table;
	const struct wk_view *view;
	struct wk_out *out;
	struct format formats[WK_TABLE_COLUMNS];
	uint32_t last;                 /* the last column that is shown */
	size_t first_row, end_row;     /* of the part at hand */
	bool goes_on[MOST_GUIDES + 1]; /* a branch at this level has siblings to come */
	struct wk_shown_names names;
	struct wk_buf text; /* the cell at hand */
};

/* Cuts to `width` characters, the last being an ellipsis if something was cut. */
static void cut_to(struct wk_buf *text, size_t width, bool is_plain)
{
	if (wk_utf8_count(wk_buf_str(text)) <= width)
		return;
	if (is_plain && width > 2)
		width -= 2; /* three dots */
	text->len = wk_utf8_offset(wk_buf_str(text), width ? width - 1 : 0);
	wk_buf_add_text(text, is_plain ? "..." : "…");
}

static bool is_time(const struct wk_column *column)
{
	return column->kind == WK_CELL_DURATION || column->kind == WK_CELL_MOMENT ||
	       column->kind == WK_CELL_START;
}

/* Whether no digit is other than 0: "-0.00" is no moment. */
static bool rounds_to_zero(const struct format *format, const struct wk_cell *cell)
{
	double least = format->scale / 2;

	for (int i = 0; i < format->decimals; i++)
		least /= 10;
	return (double)cell->number < least;
}

static void number_text(struct wk_buf *text, const struct wk_column *column,
			const struct format *format, const struct wk_cell *cell)
{
	if (cell->is_negative && !(column->kind == WK_CELL_MOMENT && rounds_to_zero(format, cell)))
		wk_buf_add_char(text, '-');
	if (column->kind == WK_CELL_COUNT)
		wk_num_add_grouped(text, cell->number);
	else if (column->kind == WK_CELL_THOUSANDTHS)
		wk_num_add_thousandths(text, cell->number);
	else if (column->kind == WK_CELL_BYTES)
		wk_num_add_bytes(text, cell->number);
	else if (is_time(column))
		wk_buf_add_fmt(text, "%.*f", format->decimals,
			       (double)cell->number / format->scale);
	else
		wk_buf_add_fmt(text, "%" PRIu64, cell->number);
}

static bool names_functions(const struct printer *p, uint32_t i)
{
	return i == p->last &&
	       (p->table->is_tree || wk_str_is(p->table->columns[i].key, "function"));
}

/* A dot for zero, which is easier to read past. */
static bool is_dot(const struct wk_table *table, const struct wk_column *column,
		   const struct wk_cell *cell)
{
	if (cell->is_none || table->has_zeros)
		return cell->is_none;
	if (wk_column_has_text(column))
		return cell->text.len == 0 && cell->brief.len == 0;
	return (column->kind != WK_CELL_NUMBER && column->kind != WK_CELL_MOMENT &&
		column->kind != WK_CELL_START && cell->number == 0);
}

/* Functions have their short names unless details are shown. */
static struct wk_str shown_text(const struct printer *p, uint32_t i, const struct wk_cell *cell)
{
	if (cell->brief.len)
		return cell->brief;
	return names_functions(p, i) ? wk_shown_name(&p->names, cell->text) : cell->text;
}

/* A start that was recorded before the first sample, such as that of the command: how long before
 * it depends on the recorder. */
static bool is_before(const struct wk_column *column, const struct wk_cell *cell)
{
	return column->kind == WK_CELL_START && cell->is_negative && cell->number;
}

static void format_cell(struct printer *p, size_t row, uint32_t i)
{
	const struct wk_column *column = &p->table->columns[i];
	const struct wk_cell *cell = wk_table_cell(p->table, row, i);

	wk_buf_reset(&p->text);
	if (is_dot(p->table, column, cell)) {
		wk_buf_add_text(&p->text, p->table->has_blanks ? ""
					  : p->view->is_plain  ? "."
							       : "·");
	} else if (wk_column_has_text(column) || cell->brief.len) {
		struct wk_out clean = wk_out_to_buf(&p->text);

		wk_out_term(&clean, shown_text(p, i, cell));
		wk_out_end(&clean);
	} else if (is_before(column, cell)) {
		number_text(&p->text, column, &p->formats[i], &(struct wk_cell){ 0 });
	} else if (column->kind == WK_CELL_SHARE) {
		wk_num_add_share(&p->text, cell->number, cell->whole);
		p->text.len -= 2; /* the column's title says " %" */
	} else {
		number_text(&p->text, column, &p->formats[i], cell);
	}
}

static void choose_unit(struct format *format, uint64_t largest_ns)
{
	static const struct {
		uint64_t least_ns;
		double scale;
		int decimals;
		const char *unit;
	} units[] = {
		{ 1000000000, 1e9, 3, "s" },
		{ 1000000, 1e6, 2, "ms" },
		{ 1000, 1e3, 1, "us" },
		{ 0, 1, 0, "ns" },
	};
	int i = 0;

	while (largest_ns && largest_ns < units[i].least_ns)
		i++;
	format->scale = units[i].scale;
	format->decimals = units[i].decimals;
	format->unit = units[i].unit;
}

static uint64_t largest_in(const struct wk_table *table, uint32_t column)
{
	uint64_t largest = 0;

	for (size_t row = 0; row < table->row_count; row++) {
		const struct wk_cell *cell = wk_table_cell(table, row, column);

		if (!cell->is_none && cell->number > largest &&
		    !is_before(&table->columns[column], cell))
			largest = cell->number;
	}
	return largest;
}

/* The unit of the column, or of all shown columns if they are compared with each other. */
static uint64_t largest_for(const struct printer *p, uint32_t column)
{
	uint64_t largest = 0;

	if (!p->table->has_one_scale)
		return largest_in(p->table, column);
	for (uint32_t i = 0; i < p->table->column_count; i++) {
		uint64_t here = p->formats[i].is_shown && is_time(&p->table->columns[i])
					? largest_in(p->table, i)
					: 0;

		largest = here > largest ? here : largest;
	}
	return largest;
}

static size_t title_width(const struct wk_column *column, const struct format *format)
{
	return wk_utf8_count(column->title) + (format->unit ? 1 + strlen(format->unit) : 0);
}

/* Names of functions are shortened to the available width, trees are indented far. */
static bool takes_any_room(const struct printer *p, uint32_t i)
{
	return names_functions(p, i) || (i == p->last && p->view->columns == 0);
}

/* Of the column's cells in the part at hand: the widest that is not wider than `most`. */
static size_t widest_cell(struct printer *p, uint32_t i, size_t most)
{
	size_t widest = 0;

	for (size_t row = p->first_row; row < p->end_row; row++) {
		size_t width;

		format_cell(p, row, i);
		width = wk_utf8_count(wk_buf_str(&p->text));
		if (width > widest && width <= most)
			widest = width;
	}
	return widest;
}

/* What all parts share: their column names, and widths that leave enough for the others. */
static void measure_common(struct printer *p, uint32_t i)
{
	size_t most = i == 0 ? SIZE_MAX : MOST_COMMON_COLUMN;

	if (p->table->has_parts && i != p->last)
		p->formats[i].common = widest_cell(p, i, most);
}

static void measure_column(struct printer *p, uint32_t i)
{
	const struct wk_column *column = &p->table->columns[i];
	struct format *format = &p->formats[i];
	size_t widest;

	if (is_time(column))
		choose_unit(format, largest_for(p, i));
	format->width = title_width(column, format);
	format->whole = SIZE_MAX;
	if (takes_any_room(p, i))
		return;
	if (format->common > format->width)
		format->width = format->common;
	widest = widest_cell(p, i, SIZE_MAX);
	if (widest > format->width)
		format->width = widest;
	format->whole = format->width;
	if (column->kind == WK_CELL_TEXT && p->view->columns && format->width > MOST_TEXT_COLUMN)
		format->width = MOST_TEXT_COLUMN;
}

static void choose_columns(struct printer *p)
{
	for (uint32_t i = 0; i < p->table->column_count; i++) {
		p->formats[i].is_shown = p->view->has_details || !p->table->columns[i].is_detail;
		if (p->formats[i].is_shown)
			p->last = i;
	}
}

static void measure(struct printer *p, void (*column)(struct printer *p, uint32_t i))
{
	for (uint32_t i = 0; i < p->table->column_count; i++)
		if (p->formats[i].is_shown)
			column(p, i);
}

static size_t width_before_last(const struct printer *p)
{
	size_t used = 0;

	for (uint32_t i = 0; i < p->last; i++)
		if (p->formats[i].is_shown)
			used += p->formats[i].width + 2;
	return used;
}

/* The least width of the last column. */
static size_t least_last(const struct printer *p)
{
	size_t whole = p->formats[p->last].whole;

	return whole < LEAST_LAST_COLUMN ? whole : LEAST_LAST_COLUMN;
}

/* The least important column, or `last` if no other one may be hidden. */
static uint32_t most_spare(const struct printer *p)
{
	uint32_t found = p->last;
	unsigned most = 0;

	for (uint32_t i = 0; i < p->last; i++) {
		if (!p->formats[i].is_shown || p->table->columns[i].spare <= most)
			continue;
		most = p->table->columns[i].spare;
		found = i;
	}
	return found;
}

/* Columns go before the last one is cut to nothing. */
static void leave_out_columns(struct printer *p)
{
	while (p->view->columns && width_before_last(p) + least_last(p) > p->view->columns) {
		uint32_t spare = most_spare(p);

		if (spare == p->last)
			return;
		p->formats[spare].is_shown = false;
		p->formats[spare].is_left_out = true;
	}
}

/* The widest text column that can be narrower, or `last`. */
static uint32_t widest_text(const struct printer *p)
{
	uint32_t found = p->last;
	size_t most = LEAST_TEXT_COLUMN;

	for (uint32_t i = 0; i < p->last; i++) {
		if (!p->formats[i].is_shown || p->table->columns[i].kind != WK_CELL_TEXT ||
		    p->formats[i].width <= most)
			continue;
		most = p->formats[i].width;
		found = i;
	}
	return found;
}

/* If lines are too short for all, text columns get what the last one leaves, which keeps half of
 * the line if it needs that. */
static void fit_text_columns(struct printer *p)
{
	size_t room = p->view->columns, last = p->formats[p->last].whole, used;
	uint32_t widest;

	if (room == 0)
		return;
	while (width_before_last(p) + least_last(p) > room && (widest = widest_text(p)) != p->last)
		p->formats[widest].width--;
	used = width_before_last(p) + (last < room / 2 ? last : room / 2);
	for (uint32_t i = 0; i < p->last && used < room; i++) {
		struct format *format = &p->formats[i];
		size_t more = format->whole - format->width;

		if (!format->is_shown || format->width >= format->whole)
			continue;
		more = more < room - used ? more : room - used;
		format->width += more;
		used += more;
	}
}

static size_t room_for_last(const struct printer *p)
{
	size_t used = width_before_last(p);

	if (p->view->columns == 0)
		return SIZE_MAX;
	if (used + least_last(p) > p->view->columns)
		return least_last(p);
	return p->view->columns - used;
}

static void blanks(struct printer *p, size_t count)
{
	while (count--)
		wk_out_char(p->out, ' ');
}

static void style(struct printer *p, const char *sequence)
{
	if (p->view->has_colour)
		wk_out_text(p->out, sequence);
}

/* The common part of event names is the start: "…/GC/Start". */
static void cut_event(struct wk_buf *text, size_t width, bool is_plain)
{
	struct wk_str name = wk_buf_str(text), provider, rest;
	struct wk_buf end = { 0 };

	if (wk_utf8_count(name) <= width || memchr(name.at, ' ', name.len) ||
	    !wk_str_split(name, '/', &provider, &rest))
		return;
	wk_buf_add_fmt(&end, "%s/%.*s", is_plain ? "..." : "…", WK_STR_ARG(rest));
	wk_buf_reset(text);
	wk_buf_add_str(text, wk_buf_str(&end));
	wk_buf_fini(&end);
}

/* The buffered text in its column, to the right or to the left. */
static void put(struct printer *p, uint32_t i)
{
	struct format *format = &p->formats[i];
	bool is_left = p->table->columns[i].kind == WK_CELL_TEXT;
	size_t width;

	if (i != p->last) {
		if (wk_str_is(p->table->columns[i].key, "key"))
			cut_event(&p->text, format->width, p->view->is_plain);
		cut_to(&p->text, format->width, p->view->is_plain);
	}
	width = wk_utf8_count(wk_buf_str(&p->text));
	if (!is_left && width < format->width)
		blanks(p, format->width - width);
	wk_out_str(p->out, wk_buf_str(&p->text));
	if (i == p->last)
		return;
	if (is_left && width < format->width)
		blanks(p, format->width - width);
	blanks(p, 2);
}

static void titles(struct printer *p)
{
	style(p, BOLD);
	for (uint32_t i = 0; i <= p->last; i++) {
		if (!p->formats[i].is_shown)
			continue;
		wk_buf_reset(&p->text);
		wk_buf_add_str(&p->text, p->table->columns[i].title);
		if (p->formats[i].unit)
			wk_buf_add_fmt(&p->text, " %s", p->formats[i].unit);
		put(p, i);
	}
	style(p, PLAIN);
	wk_out_char(p->out, '\n');
}

/* The lines that join the rows of a tree; returns their width in characters. */
static size_t guides(struct printer *p, const struct wk_row *row)
{
	uint32_t levels = row->indent < MOST_GUIDES ? row->indent : MOST_GUIDES;
	const char *line = p->view->is_plain ? "| " : "│ ";
	const char *branch = p->view->is_plain ? "|-" : "├ ";
	const char *last = p->view->is_plain ? "`-" : "└ ";

	if (levels == 0)
		return 0;
	style(p, DIM);
	for (uint32_t level = 1; level < levels; level++)
		wk_out_text(p->out, p->goes_on[level] ? line : "  ");
	if (row->is_branch) {
		wk_out_text(p->out, row->is_last ? last : branch);
		p->goes_on[levels] = !row->is_last;
	} else {
		wk_out_text(p->out, p->goes_on[levels] ? line : "  ");
	}
	style(p, PLAIN);
	return (size_t)levels * 2;
}

static void last_cell(struct printer *p, size_t row, size_t room)
{
	const struct wk_row *shape = &p->table->rows[row];
	const char *mark;
	size_t used = 0;

	if (p->table->is_tree)
		used = guides(p, shape);
	format_cell(p, row, p->last);
	room = room == SIZE_MAX ? SIZE_MAX : room > used + 8 ? room - used : 8;
	mark = shape->is_inlined     ? shape->is_recursive ? " [inlined, recursive]" : " [inlined]"
	       : shape->is_recursive ? " [recursive]"
				     : "";
	if (names_functions(p, p->last) && !p->view->is_plain && room != SIZE_MAX)
		wk_label_fit(&p->text, room > strlen(mark) + 4 ? room - strlen(mark) : 4);
	wk_buf_add_text(&p->text, mark);
	if (room != SIZE_MAX)
		cut_to(&p->text, room, p->view->is_plain);
	put(p, p->last);
}

static void rows(struct printer *p)
{
	size_t room = room_for_last(p);

	for (size_t row = p->first_row; row < p->end_row; row++) {
		for (uint32_t i = 0; i < p->last; i++) {
			bool dot = is_dot(p->table, &p->table->columns[i],
					  wk_table_cell(p->table, row, i));

			if (!p->formats[i].is_shown)
				continue;
			format_cell(p, row, i);
			if (dot)
				style(p, DIM);
			put(p, i);
			if (dot)
				style(p, PLAIN);
		}
		last_cell(p, row, room);
		wk_out_char(p->out, '\n');
	}
}

static void foot_line(struct printer *p, struct wk_buf *line)
{
	if (line->len) {
		wk_out_term(p->out, wk_buf_str(line));
		wk_out_char(p->out, '\n');
	}
	wk_buf_reset(line);
}

static void note_left_out(struct printer *p, struct wk_buf *line)
{
	uint32_t hidden = 0;

	for (uint32_t i = 0; i < p->last; i++) {
		if (!p->formats[i].is_left_out)
			continue;
		wk_buf_add_text(line, hidden++ ? ", " : "columns hidden to fit the width: ");
		wk_buf_add_str(line, p->table->columns[i].title);
	}
	if (hidden)
		wk_buf_add_text(line, "; a larger --width shows them");
	foot_line(p, line);
}

/* The quality of the recording, as far as the table depends on it. */
static void quality_lines(struct printer *p, struct wk_buf *line)
{
	struct wk_quality quality = *p->view->quality;

	quality.shows_elsewhere = p->table->lists_events;
	if (p->table->counted)
		wk_quality_counted_line(&quality, p->table, line);
	else
		wk_quality_line(&quality, line);
	foot_line(p, line);
	wk_quality_missing_line(&quality, line);
	foot_line(p, line);
	wk_quality_fault_line(&quality, line);
	foot_line(p, line);
	if (p->table->names_functions) {
		wk_quality_closed_line(&quality, line);
		foot_line(p, line);
		wk_quality_stacks_line(&quality, line);
	}
	foot_line(p, line);
}

static void foot(struct printer *p)
{
	struct wk_buf line = { 0 };

	style(p, DIM);
	note_left_out(p, &line);
	for (size_t i = 0; i < p->table->note_count; i++) {
		wk_out_term(p->out, p->table->notes[i]);
		wk_out_char(p->out, '\n');
	}
	if (p->view->quality)
		quality_lines(p, &line);
	wk_buf_fini(&line);
	style(p, PLAIN);
}

/* False behind the last row. */
static bool next_part(struct printer *p)
{
	const struct wk_table *table = p->table;

	p->first_row = p->end_row;
	while (p->end_row < table->row_count &&
	       (!table->has_parts || wk_str_eq(wk_table_cell(table, p->end_row, 0)->text,
					       wk_table_cell(table, p->first_row, 0)->text)))
		p->end_row++;
	return p->first_row < p->end_row;
}

/* The headings are aligned with the columns of the first part. */
static void titles_and_rows(struct printer *p)
{
	p->end_row = p->table->row_count;
	measure(p, measure_common);
	p->end_row = 0;
	for (bool is_first = true; next_part(p) || is_first; is_first = false) {
		measure(p, measure_column);
		leave_out_columns(p);
		fit_text_columns(p);
		if (is_first)
			titles(p);
		rows(p);
	}
}

static bool render(const struct wk_view *view, struct wk_out *out, struct wk_err *err)
{
	struct printer p = { .table = view->table, .view = view, .out = out };

	(void)err;
	choose_columns(&p);
	if (view->model && !view->has_details && names_functions(&p, p.last))
		wk_shown_names_init(&p.names, view->model);
	titles_and_rows(&p);
	if (!view->is_quiet) {
		wk_out_char(out, '\n');
		foot(&p);
	}
	wk_shown_names_fini(&p.names);
	wk_buf_fini(&p.text);
	return true;
}

const struct wk_renderer wk_renderer_text = {
	.name = "text",
	.summary = "aligned columns, for people",
	.wants = WK_RENDER_TABLE,
	.render = render,
};
