#include "session/fold/stack_counts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/scan.h"

#define BATCH 64

void wk_stack_counts_fini(struct wk_stack_counts *c)
{
	wk_textmap_fini(&c->map);
	WK_FREE_ALL(c->rows, c->fractions);
	wk_arena_fini(&c->arena);
}

/* A line's stack and count. */
struct entry {
	struct wk_str stack;
	uint64_t hash, count;
	double fraction;
};

/* What follows the point, read as "0.…". */
static double fraction_of(struct wk_str digits)
{
	double value = 0, unit = 1;

	for (size_t i = 0; i < digits.len && i < 18; i++) {
		unit /= 10;
		value += (digits.at[i] - '0') * unit;
	}
	return value;
}

/* Removes " 12" or " 12.5" from the end; false if there is no count. */
static bool read_count(struct wk_str *line, struct entry *entry)
{
	size_t end = line->len, start = end, point = end;

	while (start && wk_is_digit(line->at[start - 1]))
		start--;
	if (start && line->at[start - 1] == '.') {
		point = start - 1;
		entry->fraction = fraction_of(wk_str_of(line->at + start, end - start));
		for (start = point; start && wk_is_digit(line->at[start - 1]);)
			start--;
	}
	if (start == 0 || !wk_is_blank(line->at[start - 1]) ||
	    !wk_num_u64(wk_str_of(line->at + start, point - start), &entry->count))
		return false;
	line->len = start - 1;
	return true;
}

static struct wk_str stripped(struct wk_stack_counts *c, struct wk_str stack)
{
	char *text;
	size_t len = 0;

	/* In the worst case, "0x1" becomes "0x...". */
	text = wk_arena_alloc(&c->arena, stack.len * 2 + 1);
	for (size_t i = 0; i < stack.len;) {
		bool is_address = i + 2 < stack.len && stack.at[i] == '0' &&
				  stack.at[i + 1] == 'x' && wk_is_hex(stack.at[i + 2]);

		if (!is_address) {
			text[len++] = stack.at[i++];
			continue;
		}
		memcpy(text + len, "0x...", 5);
		len += 5;
		for (i += 2; i < stack.len && wk_is_hex(stack.at[i]);)
			i++;
	}
	return wk_str_of(text, len);
}

static bool has_address(struct wk_str stack)
{
	const char *at = stack.at, *end = at + stack.len;

	while (at < end && (at = memchr(at, 'x', (size_t)(end - at)))) {
		if (at > stack.at && at[-1] == '0')
			return true;
		at++;
	}
	return false;
}

static bool read_entry(struct wk_stack_counts *c, struct wk_str line, struct entry *entry)
{
	struct wk_str stack = line;

	entry->fraction = 0;
	if (!read_count(&stack, entry)) {
		c->bad_line(c->context, line);
		return false;
	}
	if (entry->fraction > 0 && c->drops_fractions) {
		if (c->fraction)
			c->fraction(c->context, line);
		c->fraction = NULL;
		entry->fraction = 0;
	}
	while (c->drops_fractions && stack.len && stack.at[stack.len - 1] == ' ')
		stack.len--;
	if (c->strips_hex && has_address(stack))
		stack = stripped(c, stack);
	entry->stack = stack;
	entry->hash = wk_textmap_hash(stack.at, stack.len);
	return true;
}

static void add_fraction(struct wk_stack_counts *c, size_t row, int side, double fraction)
{
	WK_RESERVE_ZEROED(c->fractions, c->fractions_cap, row + 1);
	c->fractions[row][side] += fraction;
	c->total_fraction[side] += fraction;
}

static void add_to(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static void add_entry(struct wk_stack_counts *c, const struct entry *entry, int side)
{
	uint32_t *number = wk_textmap_add(&c->map, entry->stack, entry->hash);

	if (!*number) {
		WK_RESERVE(c->rows, c->cap, c->count + 1);
		c->rows[c->count] = (struct wk_stack_count){ .stack = entry->stack };
		*number = (uint32_t)++c->count;
	}
	add_to(&c->rows[*number - 1].count[side], entry->count);
	add_to(&c->total[side], entry->count);
	if (entry->fraction > 0)
		add_fraction(c, *number - 1, side, entry->fraction);
}

/* Prefetches the slots, then what they point to. */
static void add_batch(struct wk_stack_counts *c, const struct entry *entries, size_t count,
		      int side)
{
	size_t mask = c->map.cap - 1;

	for (size_t i = 0; c->map.cap && i < count; i++)
		__builtin_prefetch(&c->map.slots[entries[i].hash & mask]);
	for (size_t i = 0; c->map.cap && i < count; i++) {
		const struct wk_textmap_slot *slot = &c->map.slots[entries[i].hash & mask];

		if (slot->number && slot->hash == entries[i].hash) {
			__builtin_prefetch(slot->at);
			__builtin_prefetch(slot->at + 64);
			__builtin_prefetch(&c->rows[slot->number - 1], 1);
		}
	}
	for (size_t i = 0; i < count; i++)
		add_entry(c, &entries[i], side);
}

void wk_stack_counts_read(struct wk_stack_counts *c, struct wk_bytes bytes, int side)
{
	struct wk_lines lines = wk_lines_of(bytes);
	struct entry entries[BATCH];
	struct wk_str line;
	size_t count = 0;

	while (wk_lines_next(&lines, &line)) {
		if (read_entry(c, line, &entries[count]))
			count++;
		if (count == BATCH) {
			add_batch(c, entries, count, side);
			count = 0;
		}
	}
	add_batch(c, entries, count, side);
}

static double fraction_at(const struct wk_stack_counts *c, size_t row, int side)
{
	return row < c->fractions_cap ? c->fractions[row][side] : 0;
}

void wk_stack_counts_normalise(struct wk_stack_counts *c)
{
	double before = (double)c->total[0] + c->total_fraction[0];
	double after = (double)c->total[1] + c->total_fraction[1];

	if (before == after || before <= 0)
		return;
	for (size_t i = 0; i < c->count; i++) {
		double own = (double)c->rows[i].count[0] + fraction_at(c, i, 0);
		double value = own * after / before;

		c->rows[i].count[0] = value < 1.8e19 ? (uint64_t)value : UINT64_MAX;
		if (i < c->fractions_cap)
			c->fractions[i][0] = 0;
	}
}

static void write_fractions(const struct wk_stack_counts *c, size_t row, struct wk_out *out)
{
	for (int side = 0; side < 2; side++)
		wk_out_fmt(out, " %.15g",
			   (double)c->rows[row].count[side] + c->fractions[row][side]);
	wk_out_char(out, '\n');
}

void wk_stack_counts_write(const struct wk_stack_counts *c, struct wk_out *out)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct wk_stack_count *row = &c->rows[i];

		wk_out_str(out, row->stack);
		if (fraction_at(c, i, 0) != 0 || fraction_at(c, i, 1) != 0) {
			write_fractions(c, i, out);
			continue;
		}
		wk_out_char(out, ' ');
		wk_out_u64(out, row->count[0]);
		wk_out_char(out, ' ');
		wk_out_u64(out, row->count[1]);
		wk_out_char(out, '\n');
	}
}

bool wk_stack_counts_compare(struct wk_stack_counts *counts, const char *const *paths,
			     bool normalises, struct wk_out *out, struct wk_err *err)
{
	struct wk_opened files[2];
	int count = 0;
	bool ok;

	for (; count < 2 &&
	       wk_reader_open_unchecked(paths[count], "folded", false, &files[count], err);
	     count++)
		wk_stack_counts_read(counts, files[count].input.bytes, count);
	ok = count == 2;
	if (ok && normalises)
		wk_stack_counts_normalise(counts);
	if (ok)
		wk_stack_counts_write(counts, out);
	while (count-- > 0)
		wk_reader_close(&files[count]);
	return ok;
}
