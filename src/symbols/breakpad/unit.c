/* The functions of a unit of a Breakpad file: nested address intervals to nodes and spans of a code
 * index. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/breakpad/internal.h"
#include "symbols/code_index/block.h"

/* A function, or a call that was inlined. */
struct record {
	uint32_t name, call_file, call_line;
	uint32_t function;     /* number of the function's own record */
	uint32_t depth;        /* of a call, from 1 */
	uint32_t node, parent; /* the last node created for it, and its parent */
};

struct interval {
	uint32_t start, end, record;
};

struct row {
	uint32_t start, end, line, file;
};

/* An open interval. */
struct open {
	uint32_t start, end, node, record;
};

struct unit {
	struct wk_breakpad *breakpad;
	struct wk_code_index *index;
	struct wk_code_maker maker; /* of nodes */
	uint64_t base;
	struct wk_breakpad_func func; /* the one that lines now belong to; end 0: none */
	uint32_t func_record;
	uint64_t bad_lines;

	struct record *records;
	struct interval *intervals;
	struct row *rows;
	struct open *opens;
	struct wk_code_span *spans;
	struct wk_code_line *lines;
	struct wk_sort_key *order;
	size_t record_count, record_cap, interval_count, interval_cap, row_count, row_cap;
	size_t open_count, open_cap, span_count, span_cap;
	size_t line_count, line_cap;
};

/* For numbers in a file: values above 32 bits are invalid. */
static uint32_t as_u32(uint64_t value)
{
	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* Addresses relative to the unit's base, cut to the function; false if nothing is left. */
static bool cut_range(const struct unit *u, uint64_t start, uint64_t size, uint32_t *from,
		      uint32_t *to)
{
	uint64_t end;

	if (start < u->func.start || start >= u->func.end || size == 0)
		return false;
	end = size < u->func.end - start ? start + size : u->func.end;
	if (start - u->base >= UINT32_MAX)
		return false;
	*from = (uint32_t)(start - u->base);
	*to = end - u->base < UINT32_MAX ? (uint32_t)(end - u->base) : UINT32_MAX;
	return true;
}

static uint32_t add_record(struct unit *u, struct record record)
{
	*WK_APPEND(u->records, u->record_count, u->record_cap) = record;
	return (uint32_t)u->record_count - 1;
}

static void add_interval(struct unit *u, uint64_t start, uint64_t size, uint32_t record)
{
	struct interval interval = { .record = record };

	if (!cut_range(u, start, size, &interval.start, &interval.end))
		return;
	*WK_APPEND(u->intervals, u->interval_count, u->interval_cap) = interval;
}

/* A bad one was counted when the file was opened; its lines are left out. */
static void read_func(struct unit *u, struct wk_str line)
{
	struct record record = { 0 };

	if (!wk_breakpad_read_func(line, &u->func)) {
		u->func.end = 0;
		return;
	}
	record.name = wk_code_index_text(u->index, u->func.name);
	record.function = (uint32_t)u->record_count;
	u->func_record = add_record(u, record);
	add_interval(u, u->func.start, u->func.end - u->func.start, u->func_record);
}

/* INLINE depth callLine callFile origin [start size]+ */
static bool read_inline(struct unit *u, struct wk_str line)
{
	uint64_t depth, call_line, call_file, origin, start, size;
	uint32_t record;

	if (!wk_breakpad_read_number(&line, &depth) ||
	    !wk_breakpad_read_number(&line, &call_line) ||
	    !wk_breakpad_read_number(&line, &call_file) ||
	    !wk_breakpad_read_number(&line, &origin) || line.len == 0 || depth >= UINT32_MAX)
		return false;
	record = add_record(u, (struct record){
		.name = wk_breakpad_text_id(&u->breakpad->origins, origin, u->index),
		.call_file = wk_breakpad_text_id(&u->breakpad->files, call_file, u->index),
		.call_line = as_u32(call_line),
		.function = u->func_record,
		.depth = (uint32_t)depth + 1,
	});
	while (line.len) {
		if (!wk_breakpad_read_hex(&line, &start) || !wk_breakpad_read_hex(&line, &size))
			return false;
		add_interval(u, start, size, record);
	}
	return true;
}

static bool read_row(struct unit *u, struct wk_str line)
{
	uint64_t start, size, number, file;
	struct row row;

	if (!wk_breakpad_read_hex(&line, &start) || !wk_breakpad_read_hex(&line, &size) ||
	    !wk_breakpad_read_number(&line, &number) || !wk_breakpad_read_number(&line, &file))
		return false;
	if (!cut_range(u, start, size, &row.start, &row.end))
		return true;
	row.line = as_u32(number);
	row.file = wk_breakpad_text_id(&u->breakpad->files, file, u->index);
	*WK_APPEND(u->rows, u->row_count, u->row_cap) = row;
	return true;
}

static bool read_line(struct unit *u, struct wk_str line)
{
	if (wk_breakpad_read_record(&line, "FUNC")) {
		read_func(u, line);
		return true;
	}
	if (line.len == 0 || u->func.end == 0)
		return true;
	if (wk_breakpad_read_record(&line, "INLINE"))
		return read_inline(u, line);
	return read_row(u, line);
}

/* The lowest address of a function: the start of the unit. */
static uint64_t lowest_start(struct wk_str text)
{
	struct wk_breakpad_func func;
	uint64_t lowest = UINT64_MAX;
	struct wk_str line;

	while (wk_breakpad_next_line(&text, &line))
		if (wk_breakpad_read_record(&line, "FUNC") && wk_breakpad_read_func(line, &func) &&
		    func.start < lowest)
			lowest = func.start;
	return lowest;
}

static void set_span(struct unit *u, uint32_t start, uint32_t node)
{
	if (u->span_count && u->spans[u->span_count - 1].start == start) {
		u->spans[u->span_count - 1].node = node;
		return;
	}
	*WK_APPEND(u->spans, u->span_count, u->span_cap) = (struct wk_code_span){ start, node };
}

/* Closes nested intervals that end at or before `at`. */
static void close_ended(struct unit *u, uint32_t at)
{
	while (u->open_count && u->opens[u->open_count - 1].end <= at) {
		uint32_t end = u->opens[--u->open_count].end;

		set_span(u, end, u->open_count ? u->opens[u->open_count - 1].node : 0);
	}
}

/* The same node for all intervals of a call, unless their parents differ. */
static uint32_t node_of(struct unit *u, uint32_t number, uint32_t parent)
{
	struct record *record = &u->records[number];

	if (record->node == 0 || record->parent != parent) {
		record->parent = parent;
		record->node = u->maker.node_count;
		*wk_code_maker_node(&u->maker) = (struct wk_code_packed_node){
			.parent = parent,
			.function = record->name,
			.call_file = wk_code_maker_file(&u->maker, record->call_file),
			.call_line = record->call_line,
		};
	}
	return record->node;
}

static void open_interval(struct unit *u, struct interval interval, uint32_t parent)
{
	uint32_t node = node_of(u, interval.record, parent);

	set_span(u, interval.start, node);
	*WK_APPEND(u->opens, u->open_count, u->open_cap) =
		(struct open){ interval.start, interval.end, node, interval.record };
}

/* A function ends the one before it; of those that begin at the same address the first stays. */
static void open_function(struct unit *u, struct interval interval)
{
	if (u->open_count && u->opens[0].start == interval.start)
		return;
	u->open_count = 0;
	open_interval(u, interval, 0);
}

/* A call belongs to the innermost open one of smaller depth. A call of another function than the
 * open one belongs to a function that was skipped. */
static void open_call(struct unit *u, struct interval interval)
{
	const struct record *record = &u->records[interval.record];
	const struct open *around;

	if (u->open_count == 0 || u->opens[0].record != record->function)
		return;
	while (u->records[u->opens[u->open_count - 1].record].depth >= record->depth)
		u->open_count--;
	around = &u->opens[u->open_count - 1];
	if (interval.end > around->end)
		interval.end = around->end;
	open_interval(u, interval, around->node);
}

/* By start, then by depth. */
static void sort_intervals(struct unit *u)
{
	for (size_t i = 0; i < u->interval_count; i++)
		u->order[i] = (struct wk_sort_key){ u->records[u->intervals[i].record].depth,
						    (uint32_t)i };
	wk_sort_keys(u->order, u->interval_count);
	for (size_t i = 0; i < u->interval_count; i++)
		u->order[i].key = u->intervals[u->order[i].row].start;
	wk_sort_keys(u->order, u->interval_count);
}

static void make_spans(struct unit *u)
{
	sort_intervals(u);
	for (size_t i = 0; i < u->interval_count; i++) {
		struct interval interval = u->intervals[u->order[i].row];

		close_ended(u, interval.start);
		if (u->records[interval.record].depth == 0)
			open_function(u, interval);
		else
			open_call(u, interval);
	}
	close_ended(u, UINT32_MAX);
}

static void add_line(struct unit *u, struct wk_code_line line)
{
	*WK_APPEND(u->lines, u->line_count, u->line_cap) = line;
}

/* Of rows that begin at the same address the first counts, and each ends where the next begins. */
static void make_lines(struct unit *u)
{
	struct wk_sort_key *order = WK_SORT_ORDER(u->rows, u->row_count, start);

	for (size_t i = 0; i < u->row_count; i++) {
		const struct row *row = &u->rows[order[i].row];
		bool is_last = i + 1 == u->row_count;

		if (u->line_count == 0 || u->lines[u->line_count - 1].start != row->start)
			add_line(u, (struct wk_code_line){ row->start, row->file, row->line, 0 });
		if (is_last || order[i + 1].key > row->end)
			add_line(u, (struct wk_code_line){ .start = row->end });
	}
	wk_free(order);
}

static void add_block(struct unit *u, uint32_t number)
{
	wk_code_index_add(u->index, number, &u->maker, &(struct wk_code_block){
		.base = u->base,
		.spans = u->spans,
		.span_count = (uint32_t)u->span_count,
		.lines = u->lines,
		.line_count = (uint32_t)u->line_count,
	});
}

uint64_t wk_breakpad_read_unit(struct wk_breakpad *breakpad, uint32_t unit,
			       struct wk_code_index *index)
{
	const struct wk_breakpad_unit *where = &breakpad->units[unit];
	struct wk_str text = wk_str_of(breakpad->text.at + where->begin, where->end - where->begin),
		      line;
	struct unit u = { .breakpad = breakpad, .index = index, .base = lowest_start(text) };

	wk_code_maker_begin(&u.maker, 0);
	while (wk_breakpad_next_line(&text, &line))
		if (!read_line(&u, line))
			u.bad_lines++;
	u.order = wk_alloc(u.interval_count * sizeof(*u.order));
	make_spans(&u);
	make_lines(&u);
	add_block(&u, unit);
	wk_code_maker_fini(&u.maker);
	WK_FREE_ALL(u.records, u.intervals, u.rows, u.opens, u.spans, u.lines, u.order);
	return u.bad_lines;
}
