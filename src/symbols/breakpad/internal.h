/* Shared by the two halves of the Breakpad reader: breakpad.c finds the records, unit.c reads the
 * functions of a unit. */
#ifndef WK_SYMBOLS_BREAKPAD_INTERNAL_H
#define WK_SYMBOLS_BREAKPAD_INTERNAL_H

#include "base/map.h"
#include "symbols/breakpad/breakpad.h"

/* FILE or INLINE_ORIGIN records, by the numbers that other records give. */
struct wk_breakpad_text {
	struct wk_str text;
	uint32_t id; /* in the index, once it was looked up */
};

struct wk_breakpad_texts {
	struct wk_map row_of; /* a number's row, from 1 on */
	struct wk_breakpad_text *rows;
	size_t count, cap;
};

/* A stretch of the text that begins with a FUNC record. No two of its functions begin more than
 * 4 GiB apart. */
struct wk_breakpad_unit {
	size_t begin, end;
};

struct wk_breakpad {
	struct wk_str text;
	struct wk_breakpad_module module;
	struct wk_breakpad_texts files, origins;
	struct wk_breakpad_unit *units;
	size_t unit_count, unit_cap;
	struct wk_code_range *ranges;
	size_t range_count, range_cap;
	struct wk_breakpad_public *publics;
	size_t public_count, public_cap;
	/* Lines of unknown form: those outside functions, then those of each unit that is loaded.
	 */
	uint64_t bad_lines;
	const struct wk_code_index *index; /* whose ids the texts have */
};

/* The next whole line; false at the end. */
bool wk_breakpad_next_line(struct wk_str *text, struct wk_str *line);

/* Reads a number and the blank after it from the front of `line`. */
bool wk_breakpad_read_hex(struct wk_str *line, uint64_t *value);
bool wk_breakpad_read_number(struct wk_str *line, uint64_t *value);

/* Does the line start with this record's name? Then removes the name. */
bool wk_breakpad_read_record(struct wk_str *line, const char *record);

struct wk_breakpad_func {
	uint64_t start, end;
	struct wk_str name;
};

/* The fields after "FUNC". */
bool wk_breakpad_read_func(struct wk_str line, struct wk_breakpad_func *func);

/* The index's id of the text with that number; 0 if there is none. */
uint32_t wk_breakpad_text_id(struct wk_breakpad_texts *texts, uint64_t number,
			     struct wk_code_index *index);

/* Adds the functions of the unit's text to the index; the answer is how many lines are bad. */
uint64_t wk_breakpad_read_unit(struct wk_breakpad *breakpad, uint32_t unit,
			       struct wk_code_index *index);

#endif
