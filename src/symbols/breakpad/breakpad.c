#include "symbols/breakpad/breakpad.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "symbols/breakpad/internal.h"

/* This much text forms a unit: it is read in a fraction of a millisecond. */
#define UNIT_BYTES 32768

bool wk_breakpad_is(struct wk_bytes first)
{
	return wk_str_starts(wk_str_of((const char *)first.at, wk_bytes_left(&first)), "MODULE ");
}

bool wk_breakpad_next_line(struct wk_str *text, struct wk_str *line)
{
	const char *feed = text->len ? memchr(text->at, '\n', text->len) : NULL;

	if (!feed)
		return false;
	*line = wk_str_of(text->at, (size_t)(feed - text->at));
	*text = wk_str_skip(*text, line->len + 1);
	if (line->len && line->at[line->len - 1] == '\r')
		line->len--;
	return true;
}

static struct wk_str read_word(struct wk_str *line)
{
	struct wk_str word;

	wk_str_split(*line, ' ', &word, line);
	return word;
}

bool wk_breakpad_read_hex(struct wk_str *line, uint64_t *value)
{
	return wk_num_hex(read_word(line), value);
}

bool wk_breakpad_read_number(struct wk_str *line, uint64_t *value)
{
	return wk_num_u64(read_word(line), value);
}

bool wk_breakpad_read_record(struct wk_str *line, const char *record)
{
	size_t len = strlen(record);

	if (!wk_str_starts(*line, record) || line->len <= len || line->at[len] != ' ')
		return false;
	*line = wk_str_skip(*line, len + 1);
	return true;
}

/* "m" says that other names begin at the same address. */
static void pass_mark(struct wk_str *line)
{
	if (wk_str_starts(*line, "m "))
		*line = wk_str_skip(*line, 2);
}

bool wk_breakpad_read_func(struct wk_str line, struct wk_breakpad_func *func)
{
	uint64_t size, parameters;

	pass_mark(&line);
	if (!wk_breakpad_read_hex(&line, &func->start) || !wk_breakpad_read_hex(&line, &size) ||
	    !wk_breakpad_read_hex(&line, &parameters) || size > UINT64_MAX - func->start)
		return false;
	func->end = func->start + size;
	func->name = line;
	return line.len > 0;
}

/* The first of the same number counts. */
static bool add_text(struct wk_breakpad_texts *texts, struct wk_str line)
{
	uint32_t *row;
	uint64_t number;

	if (!wk_breakpad_read_number(&line, &number) || texts->count == UINT32_MAX - 1)
		return false;
	row = wk_map_at(&texts->row_of, number);
	if (*row)
		return true;
	*WK_APPEND(texts->rows, texts->count, texts->cap) =
		(struct wk_breakpad_text){ .text = line };
	*row = (uint32_t)texts->count;
	return true;
}

static void fini_texts(struct wk_breakpad_texts *texts)
{
	wk_map_fini(&texts->row_of);
	wk_free(texts->rows);
}

uint32_t wk_breakpad_text_id(struct wk_breakpad_texts *texts, uint64_t number,
			     struct wk_code_index *index)
{
	uint32_t row = wk_map_find(&texts->row_of, number);
	struct wk_breakpad_text *text;

	if (row == 0)
		return 0;
	text = &texts->rows[row - 1];
	if (text->id == 0)
		text->id = wk_code_index_text(index, text->text);
	return text->id;
}

static bool add_public(struct wk_breakpad *b, struct wk_str line)
{
	struct wk_breakpad_public symbol;
	uint64_t parameters;

	pass_mark(&line);
	if (!wk_breakpad_read_hex(&line, &symbol.address) ||
	    !wk_breakpad_read_hex(&line, &parameters) || line.len == 0)
		return false;
	symbol.name = line;
	*WK_APPEND(b->publics, b->public_count, b->public_cap) = symbol;
	return true;
}

/* State of the pass over the text. */
struct scan {
	struct wk_breakpad *breakpad;
	size_t at;           /* start of the line */
	bool is_in_unit;     /* the last unit continues */
	uint64_t unit_start; /* address of the unit's first function */
};

static bool is_near(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) < (uint64_t)1 << 31;
}

static void end_unit(struct scan *s)
{
	if (s->is_in_unit)
		s->breakpad->units[s->breakpad->unit_count - 1].end = s->at;
	s->is_in_unit = false;
}

static void begin_unit(struct scan *s, uint64_t start)
{
	struct wk_breakpad *b = s->breakpad;

	*WK_APPEND(b->units, b->unit_count, b->unit_cap) =
		(struct wk_breakpad_unit){ .begin = s->at };
	s->is_in_unit = true;
	s->unit_start = start;
}

static bool add_func(struct scan *s, struct wk_str line)
{
	struct wk_breakpad *b = s->breakpad;
	struct wk_breakpad_func func;

	if (!wk_breakpad_read_func(line, &func) || b->unit_count == WK_NO_UNIT - 1)
		return false;
	if (s->is_in_unit && (s->at - b->units[b->unit_count - 1].begin > UNIT_BYTES ||
			      !is_near(func.start, s->unit_start)))
		end_unit(s);
	if (!s->is_in_unit)
		begin_unit(s, func.start);
	if (func.end == func.start)
		return true;
	*WK_APPEND(b->ranges, b->range_count, b->range_cap) = (struct wk_code_range){
		func.start, func.end, (uint32_t)b->unit_count - 1 };
	return true;
}

/* Lines and INLINE records, which are looked at when the unit is loaded. */
static bool is_of_function(struct wk_str line)
{
	return wk_str_starts(line, "INLINE ") || (line.at[0] >= '0' && line.at[0] <= '9') ||
	       (line.at[0] >= 'a' && line.at[0] <= 'f');
}

static bool scan_line(struct scan *s, struct wk_str line)
{
	struct wk_breakpad *b = s->breakpad;

	if (line.len == 0)
		return true;
	if (is_of_function(line))
		return s->is_in_unit;
	if (wk_breakpad_read_record(&line, "FUNC"))
		return add_func(s, line);
	end_unit(s);
	if (wk_breakpad_read_record(&line, "FILE"))
		return add_text(&b->files, line);
	if (wk_breakpad_read_record(&line, "INLINE_ORIGIN"))
		return add_text(&b->origins, line);
	if (wk_breakpad_read_record(&line, "PUBLIC"))
		return add_public(b, line);
	return wk_str_starts(line, "STACK ") || wk_str_starts(line, "INFO ");
}

static void scan(struct wk_breakpad *b, struct wk_str rest)
{
	struct scan s = { .breakpad = b };
	struct wk_str line;

	s.at = b->text.len - rest.len;
	while (wk_breakpad_next_line(&rest, &line)) {
		if (!scan_line(&s, line))
			b->bad_lines++;
		s.at = b->text.len - rest.len;
	}
	end_unit(&s);
}

static bool read_module(struct wk_breakpad *b, struct wk_str *rest)
{
	struct wk_breakpad_module *module = &b->module;
	struct wk_str line;

	if (!wk_breakpad_next_line(rest, &line) || !wk_breakpad_read_record(&line, "MODULE"))
		return false;
	module->system = read_word(&line);
	module->machine = read_word(&line);
	module->key = read_word(&line);
	module->name = line;
	return module->key.len > 0;
}

struct wk_breakpad *wk_breakpad_open(const void *text, size_t size_bytes, struct wk_err *err)
{
	struct wk_breakpad *b = wk_alloc_zeroed(1, sizeof(*b));
	struct wk_str rest = wk_str_of(text, size_bytes);

	b->text = rest;
	if (!read_module(b, &rest)) {
		wk_fail(err, WK_EFORMAT, 0,
			"a Breakpad symbol file begins with \"MODULE SYSTEM MACHINE KEY NAME\", "
			"and this does not");
		wk_breakpad_free(b);
		return NULL;
	}
	scan(b, rest);
	return b;
}

void wk_breakpad_free(struct wk_breakpad *breakpad)
{
	if (!breakpad)
		return;
	fini_texts(&breakpad->files);
	fini_texts(&breakpad->origins);
	WK_FREE_ALL(breakpad->units, breakpad->ranges, breakpad->publics, breakpad);
}

const struct wk_breakpad_module *wk_breakpad_module(const struct wk_breakpad *breakpad)
{
	return &breakpad->module;
}

static void forget_ids(struct wk_breakpad_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		texts->rows[i].id = 0;
}

/* Cached ids belong to one index; another index may be allocated at the same address. */
static void use_index(struct wk_breakpad *b, const struct wk_code_index *index)
{
	b->index = index;
	forget_ids(&b->files);
	forget_ids(&b->origins);
}

void wk_breakpad_fill(struct wk_breakpad *breakpad, struct wk_code_index *index)
{
	use_index(breakpad, index);
	wk_code_index_set_ranges(index, breakpad->ranges, breakpad->range_count);
}

bool wk_breakpad_load(struct wk_breakpad *breakpad, uint32_t unit, struct wk_code_index *index,
		      struct wk_err *err)
{
	if (unit >= breakpad->unit_count)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no unit %" PRIu32, unit);
	if (breakpad->index != index)
		use_index(breakpad, index);
	breakpad->bad_lines += wk_breakpad_read_unit(breakpad, unit, index);
	return true;
}
