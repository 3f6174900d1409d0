#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "code_nodes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t text(struct wk_code_index *index, const char *text)
{
	return wk_code_index_text(index, wk_str_c(text));
}

static void assert_place(const struct wk_place *place, const char *function, const char *file,
			 uint32_t line, uint32_t column)
{
	char got[200], wanted[200];

	snprintf(got, sizeof(got), "%.*s %.*s:%u:%u", WK_STR_ARG(place->function),
		 WK_STR_ARG(place->file), place->line, place->column);
	snprintf(wanted, sizeof(wanted), "%s %s:%u:%u", function, file, line, column);
	assert_string_equal(got, wanted);
}

/* main at 0x1000-0x10ff, in it `outer` from 0x1010 to 0x1030 and in that `inner` from 0x1018 to
 * 0x1020; from 0x1100 on a line without a function, and nothing from 0x1110 on. */
static void add_example(struct wk_code_index *index, uint32_t unit, uint64_t base)
{
	uint32_t c = text(index, "/src/a.c"), h = text(index, "/src/a.h");
	struct code_node nodes[] = {
		{ 0 },
		{ 0, text(index, "main"), 0, 0, 0 },
		{ 1, text(index, "outer"), c, 12, 3 },
		{ 2, text(index, "inner"), h, 5, 70000 },
	};
	struct wk_code_span spans[] = {
		{ 0x00, 1 }, { 0x10, 2 }, { 0x18, 3 }, { 0x20, 2 }, { 0x28, 2 }, { 0x30, 1 },
		{ 0x100, 0 },
	};
	struct wk_code_line lines[] = {
		{ 0x00, c, 10, 1 }, { 0x10, h, 4, 0 }, { 0x18, h, 8, 2 }, { 0x20, h, 6, 9 },
		{ 0x24, h, 6, 9 }, { 0x30, c, 13, 5 }, { 0x100, c, 99, 0 }, { 0x110, 0, 0, 0 },
	};
	struct wk_code_block block = {
		.base = base, .spans = spans, .span_count = COUNT(spans),
		.lines = lines, .line_count = COUNT(lines),
	};

	code_add(index, unit, nodes, COUNT(nodes), &block);
}

static struct wk_code_index *example(void)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_code_range ranges[] = { { 0x1000, 0x1200, 0 }, { 0x2000, 0x2200, 7 } };

	wk_code_index_set_ranges(index, ranges, COUNT(ranges));
	add_example(index, 0, 0x1000);
	return index;
}

static void assert_example(const struct wk_code_index *index, uint64_t base)
{
	struct wk_place at[8];

	assert_int_equal(wk_code_index_places(index, base + 0x1f, at, 8), 3);
	assert_place(&at[0], "inner", "/src/a.h", 8, 2);
	assert_place(&at[1], "outer", "/src/a.h", 5, 0); /* a column too large to keep */
	assert_place(&at[2], "main", "/src/a.c", 12, 3);
	assert_int_equal(wk_code_index_places(index, base + 0x2c, at, 8), 2);
	assert_place(&at[0], "outer", "/src/a.h", 6, 9);
	assert_int_equal(wk_code_index_places(index, base, at, 8), 1);
	assert_place(&at[0], "main", "/src/a.c", 10, 1);
	assert_int_equal(wk_code_index_places(index, base + 0xff, at, 8), 1);
	assert_place(&at[0], "main", "/src/a.c", 13, 5);
	assert_int_equal(wk_code_index_places(index, base + 0x10f, at, 8), 1);
	assert_place(&at[0], "", "/src/a.c", 99, 0);
	assert_int_equal(wk_code_index_places(index, base + 0x110, at, 8), 0);
	assert_int_equal(wk_code_index_places(index, base - 1, at, 8), 0);
}

static void a_place_gives_the_inlined_calls_innermost_first(void **state)
{
	struct wk_code_index *index = example();

	(void)state;
	assert_example(index, 0x1000);
	assert_true(wk_code_index_is_changed(index));
	wk_code_index_free(index);
}

static void assert_interval(const struct wk_code_index *index, uint64_t vaddr, uint64_t start,
			    uint64_t end, const char *name)
{
	struct wk_code_function found;

	assert_true(wk_code_index_function(index, vaddr, &found));
	assert_int_equal(found.start, start);
	assert_int_equal(found.end, end);
	assert_true(wk_str_is(wk_code_index_str(index, found.function), name));
}

static void a_function_reaches_over_the_calls_inlined_into_it(void **state)
{
	static const uint64_t at[] = { 0x1000, 0x100f, 0x1010, 0x1018,
				       0x101f, 0x1027, 0x1030, 0x10ff };
	struct wk_code_index *index = example();
	struct wk_code_function found;

	(void)state;
	for (size_t i = 0; i < COUNT(at); i++)
		assert_interval(index, at[i], 0x1000, 0x1100, "main");
	assert_false(wk_code_index_function(index, 0x1100, &found)); /* a line, no function */
	assert_false(wk_code_index_function(index, 0x110f, &found));
	assert_false(wk_code_index_function(index, 0x1110, &found));
	assert_false(wk_code_index_function(index, 0xfff, &found));
	assert_false(wk_code_index_function(index, 0x2000, &found)); /* not loaded */
	add_example(index, 7, 0x2000);
	assert_interval(index, 0x2018, 0x2000, 0x2100, "main");
	wk_code_index_free(index);
}

static void neighbouring_functions_end_where_the_next_begins(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_code_range range = { 0x1000, 0x1030, 0 };
	struct code_node nodes[4] = { { 0 } };
	struct wk_code_span spans[] = { { 0, 1 }, { 0x10, 2 }, { 0x18, 3 }, { 0x20, 2 } };
	struct wk_code_block block = { .base = 0x1000, .spans = spans, .span_count = 4 };

	(void)state;
	nodes[1].function = text(index, "first");
	nodes[2].function = text(index, "second");
	nodes[3].function = text(index, "third");
	wk_code_index_set_ranges(index, &range, 1);
	code_add(index, 0, nodes, 4, &block);
	assert_interval(index, 0x1000, 0x1000, 0x1010, "first");
	assert_interval(index, 0x100f, 0x1000, 0x1010, "first");
	assert_interval(index, 0x1010, 0x1010, 0x1018, "second");
	assert_interval(index, 0x1018, 0x1018, 0x1020, "third");
	assert_interval(index, 0x1020, 0x1020, 0x1030, "second"); /* to the end of the unit */
	assert_interval(index, 0x102f, 0x1020, 0x1030, "second");
	wk_code_index_free(index);
}

/* Two functions of one name, and one that only looks like them. */
static void a_copy_of_a_function_is_told_with_its_name(void **state)
{
	static const uint64_t copies[] = { 0x1234, 0xfedcba9876543210, 0 };
	struct wk_code_index *index = wk_code_index_new(), *saved;
	struct wk_code_range range = { 0x1000, 0x1200, 0 };
	struct code_node nodes[4] = { { 0 } };
	struct wk_code_span spans[] = { { 0, 1 }, { 0x10, 2 }, { 0x20, 3 } };
	struct wk_code_block block = { .base = 0x1000, .spans = spans, .span_count = 3 };
	struct wk_buf bytes = { 0 };
	struct wk_place at;

	(void)state;
	for (int i = 0; i < 2; i++)
		nodes[1 + i].function = wk_code_index_copied(index, wk_str_c("part"), copies[i]);
	assert_int_equal(wk_code_index_copied(index, wk_str_c("part"), copies[0]),
			 nodes[1].function);
	nodes[3].function = text(index, "part");
	wk_code_index_set_ranges(index, &range, 1);
	code_add(index, 0, nodes, 4, &block);
	wk_code_index_save(index, &bytes);
	saved = wk_code_index_load(wk_bytes_of(bytes.at, bytes.len), NULL);
	assert_non_null(saved);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(wk_code_index_places(index, 0x1000 + 0x10 * i, &at, 1), 1);
		assert_true(wk_str_is(at.function, "part"));
		assert_int_equal(at.copy_at, copies[i]);
		assert_int_equal(wk_code_index_places(saved, 0x1000 + 0x10 * i, &at, 1), 1);
		assert_true(wk_str_is(at.function, "part"));
		assert_int_equal(at.copy_at, copies[i]);
	}
	assert_int_equal(text(saved, "part"), nodes[3].function);
	wk_code_index_free(saved);
	wk_code_index_free(index);
	wk_buf_fini(&bytes);
}

static void a_unit_is_there_when_it_was_added(void **state)
{
	struct wk_code_index *index = example();
	struct wk_place at[4];

	(void)state;
	assert_int_equal(wk_code_index_unit_at(index, 0x2010), 7);
	assert_false(wk_code_index_has(index, 7));
	assert_int_equal(wk_code_index_places(index, 0x2010, at, 4), 0);
	add_example(index, 7, 0x2000);
	assert_true(wk_code_index_has(index, 7));
	assert_example(index, 0x2000);
	assert_example(index, 0x1000);
	assert_false(wk_code_index_has(index, 3));
	code_add(index, 3, NULL, 0, &(struct wk_code_block){ .base = 5 });
	assert_true(wk_code_index_has(index, 3));
	wk_code_index_free(index);
}

static void assert_ids(struct wk_code_index *index, uint64_t vaddr, const char *function)
{
	struct wk_place_ids at[4];
	uint32_t missing;

	assert_true(wk_code_index_place_ids(index, vaddr, at, 4, &missing) > 0);
	assert_int_equal(missing, WK_NO_UNIT);
	assert_string_equal(wk_code_index_str(index, at[0].function).at, function);
	assert_string_equal(wk_code_index_str(index, at[0].file).at, "/src/a.h");
}

/* The unit that was asked last is remembered, whatever was asked or added in between. */
static void a_place_by_numbers_tells_which_unit_is_missing(void **state)
{
	struct wk_code_index *index = example();
	struct wk_place_ids at[4];
	uint32_t missing;

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_ids(index, 0x1018, "inner");
		assert_int_equal(wk_code_index_place_ids(index, 0x2018, at, 4, &missing), 0);
		assert_int_equal(missing, 7);
		assert_ids(index, 0x1010, "outer");
		assert_int_equal(wk_code_index_place_ids(index, 0x1200, at, 4, &missing), 0);
		assert_int_equal(missing, WK_NO_UNIT);
	}
	add_example(index, 7, 0x2000);
	assert_ids(index, 0x2018, "inner");
	assert_ids(index, 0x1018, "inner");
	wk_code_index_set_ranges(index, &(struct wk_code_range){ 0x2000, 0x2200, 0 }, 1);
	assert_int_equal(wk_code_index_place_ids(index, 0x1018, at, 4, &missing), 0);
	wk_code_index_free(index);
}

static void a_chain_that_does_not_fit_loses_its_innermost_calls(void **state)
{
	struct wk_code_index *index = example();
	struct wk_place at[2];

	(void)state;
	assert_int_equal(wk_code_index_places(index, 0x1018, at, 2), 2);
	assert_place(&at[0], "outer", "/src/a.h", 5, 0);
	assert_place(&at[1], "main", "/src/a.c", 12, 3);
	assert_int_equal(wk_code_index_places(index, 0x1018, at, 1), 1);
	assert_place(&at[0], "main", "/src/a.c", 12, 3);
	assert_int_equal(wk_code_index_places(index, 0x1018, at, 0), 0);
	wk_code_index_free(index);
}

/* What a damaged debug file could lead to. */
static void nodes_that_make_no_sense_end_the_chain(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_code_range range = { 0, 100, 0 };
	struct code_node nodes[] = { { 0 }, { 2, 12345, 1, 1, 1 }, { 2, 0, 99, 1, 1 } };
	struct wk_code_span spans[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, UINT32_MAX } };
	struct wk_code_block block = {
		.spans = spans, .span_count = 4,
	};
	struct wk_place at[4];

	(void)state;
	wk_code_index_set_ranges(index, &range, 1);
	code_add(index, 0, nodes, 3, &block);
	assert_int_equal(wk_code_index_places(index, 0, at, 4), 1);
	assert_place(&at[0], "", "", 0, 0);
	assert_int_equal(wk_code_index_places(index, 1, at, 4), 1);
	assert_int_equal(wk_code_index_places(index, 2, at, 4), 0);
	assert_int_equal(wk_code_index_places(index, 3, at, 4), 0);
	wk_code_index_free(index);
}

static void of_overlapping_ranges_the_one_that_begins_later_has_it(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_code_range ranges[] = {
		{ 0x500, 0x600, 5 }, { 0x100, 0x400, 1 }, { 0x150, 0x200, 2 },
		{ 0x180, 0x300, 3 }, { 0x180, 0x190, 4 }, { 0x180, 0x190, 9 },
		{ 0x700, 0x700, 6 }, { 0x600, 0x650, 5 }, { 0x900, UINT64_MAX, 8 },
	};
	struct {
		uint64_t vaddr;
		uint32_t unit;
	} wanted[] = {
		{ 0, WK_NO_UNIT },     { 0xff, WK_NO_UNIT },  { 0x100, 1 },
		{ 0x14f, 1 },          { 0x150, 2 },          { 0x17f, 2 },
		{ 0x180, 4 },          { 0x18f, 4 },          { 0x190, 3 },
		{ 0x2ff, 3 },          { 0x300, 1 },          { 0x3ff, 1 },
		{ 0x400, WK_NO_UNIT }, { 0x500, 5 },          { 0x64f, 5 },
		{ 0x650, WK_NO_UNIT }, { 0x700, WK_NO_UNIT }, { 0x8ff, WK_NO_UNIT },
		{ 0x900, 8 },          { UINT64_MAX - 1, 8 }, { UINT64_MAX, WK_NO_UNIT },
	};

	(void)state;
	assert_int_equal(wk_code_index_unit_at(index, 0x100), WK_NO_UNIT);
	wk_code_index_set_ranges(index, ranges, COUNT(ranges));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		if (wk_code_index_unit_at(index, wanted[i].vaddr) != wanted[i].unit)
			fail_msg("0x%llx is of unit %u, not %u",
				 (unsigned long long)wanted[i].vaddr,
				 wk_code_index_unit_at(index, wanted[i].vaddr), wanted[i].unit);
	}
	wk_code_index_free(index);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Against the plain way to say the same: of all that cover the address, the one with the latest
 * start, then the earliest end, then the first given. */
static uint32_t unit_by_hand(const struct wk_code_range *ranges, size_t count, uint64_t vaddr)
{
	const struct wk_code_range *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct wk_code_range *r = &ranges[i];

		if (vaddr < r->start || vaddr >= r->end)
			continue;
		if (!best || r->start > best->start ||
		    (r->start == best->start && r->end < best->end))
			best = r;
	}
	return best ? best->unit : WK_NO_UNIT;
}

static void random_ranges_are_settled_as_by_hand(void **state)
{
	struct wk_code_range ranges[40];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct wk_code_index *index = wk_code_index_new();
		size_t count = next_random(&seed) % 40;
		uint32_t reach = 1 + next_random(&seed) % 60;

		for (size_t i = 0; i < count; i++) {
			ranges[i].start = next_random(&seed) % 200;
			ranges[i].end = ranges[i].start + next_random(&seed) % reach;
			ranges[i].unit = next_random(&seed) % 10;
		}
		wk_code_index_set_ranges(index, ranges, count);
		for (uint64_t at = 0; at < 270; at++)
			assert_int_equal(wk_code_index_unit_at(index, at),
					 unit_by_hand(ranges, count, at));
		wk_code_index_free(index);
	}
}

static void texts_stay_where_they_are(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	uint32_t first = text(index, "first"), before = 0;
	const char *at = wk_code_index_str(index, first).at;
	char *long_one = wk_alloc(1000001);
	char name[40];

	(void)state;
	assert_int_equal(text(index, ""), 0);
	memset(long_one, 'x', 1000000);
	long_one[1000000] = '\0';
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "a name with the number %d", i);
		if (i == 50000)
			before = text(index, long_one);
		assert_true(wk_str_is(wk_code_index_str(index, text(index, name)), name));
	}
	assert_int_equal(text(index, "first"), first);
	assert_ptr_equal(wk_code_index_str(index, first).at, at);
	assert_int_equal(text(index, long_one), before);
	assert_int_equal(wk_code_index_str(index, before).len, 1000000);
	assert_int_equal(wk_code_index_str(index, UINT32_MAX).len, 0);
	wk_free(long_one);
	wk_code_index_free(index);
}

/* Near each row, where the rest is all the same. */
static uint32_t next_checked(uint32_t at, uint32_t start, uint32_t next)
{
	return at < start + 50 || at + 2 >= next ? at + 1 : next - 2;
}

/* A table with a span and a line up to `step` bytes behind one another, and 500 rows further a
 * `gap`, so that searches meet every case of stretches and parts. */
static void assert_every_address(uint32_t step, uint32_t gap)
{
	enum { ROWS = 5000 };
	struct wk_code_index *index = wk_code_index_new();
	struct wk_code_range range = { 0x10000, 0x10000 + ROWS * step + 11 * gap, 0 };
	struct code_node nodes[] = { { 0 }, { 0, text(index, "one"), 0, 0, 0 },
					{ 0, text(index, "two"), 0, 0, 0 } };
	struct wk_code_span *spans = wk_alloc(ROWS * sizeof(*spans));
	struct wk_code_line *lines = wk_alloc(ROWS * sizeof(*lines));
	struct wk_code_block block = {
		.base = 0x8000, .spans = spans, .span_count = ROWS, .lines = lines, .line_count = ROWS,
	};
	uint32_t seed = 7, at = 0x8000, row = 0;
	struct wk_place place;

	for (uint32_t i = 0; i < ROWS; i++) {
		spans[i] = (struct wk_code_span){ at, 1 + i % 2 };
		lines[i] = (struct wk_code_line){ at, text(index, i % 3 ? "x" : "y"), i + 1, 0 };
		at += 1 + next_random(&seed) % (i % 500 == 0 ? gap : step);
	}
	wk_code_index_set_ranges(index, &range, 1);
	code_add(index, 0, nodes, 3, &block);
	for (uint32_t i = spans[0].start; i < at;) {
		while (row + 1 < ROWS && spans[row + 1].start <= i)
			row++;
		assert_int_equal(wk_code_index_places(index, 0x8000 + i, &place, 1), 1);
		assert_int_equal(place.line, row + 1);
		assert_true(wk_str_is(place.function, row % 2 ? "two" : "one"));
		assert_true(wk_str_is(place.file, row % 3 ? "x" : "y"));
		i = next_checked(i, spans[row].start, row + 1 < ROWS ? spans[row + 1].start : at);
	}
	wk_free(spans);
	wk_free(lines);
	wk_code_index_free(index);
}

static void every_address_of_a_large_unit_is_right(void **state)
{
	(void)state;
	assert_every_address(30, 4000);
}

static void every_address_of_a_unit_in_many_places_is_right(void **state)
{
	(void)state;
	assert_every_address(4, 10000000);
	assert_every_address(1, 3000000);
	assert_every_address(100, 100000);
}

static struct wk_code_index *load(const struct wk_buf *saved)
{
	struct wk_err err = { 0 };
	struct wk_code_index *index = wk_code_index_load(wk_bytes_of(saved->at, saved->len), &err);

	if (!index)
		fail_msg("%s", err.text);
	return index;
}

static void a_saved_index_answers_the_same(void **state)
{
	struct wk_code_index *index = example();
	struct wk_buf saved = { 0 };

	(void)state;
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	index = load(&saved);
	assert_false(wk_code_index_is_changed(index));
	assert_example(index, 0x1000);
	assert_true(wk_code_index_has(index, 0));
	assert_int_equal(wk_code_index_unit_at(index, 0x2010), 7);
	assert_false(wk_code_index_has(index, 7));
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

static void a_long_text_is_no_longer_than_the_saved_one(void **state)
{
	struct wk_code_index *index = example();
	char *long_one = wk_alloc((2 << 20) + 1);
	struct wk_buf saved = { 0 };
	uint32_t id;

	(void)state;
	memset(long_one, 'x', 2 << 20);
	long_one[2 << 20] = '\0';
	id = text(index, long_one);
	assert_int_equal(wk_code_index_str(index, id).len, 1 << 20);
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	index = load(&saved);
	assert_int_equal(text(index, long_one), id);
	assert_int_equal(wk_code_index_str(index, id).len, 1 << 20);
	wk_free(long_one);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

static void what_is_added_to_a_loaded_index_is_saved_with_it(void **state)
{
	struct wk_code_index *index = example();
	struct wk_buf saved = { 0 }, again = { 0 };

	(void)state;
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	index = load(&saved);
	add_example(index, 7, 0x2000);
	code_add(index, 9, NULL, 0, &(struct wk_code_block){ .base = 5 });
	assert_true(wk_code_index_is_changed(index));
	assert_example(index, 0x1000);
	assert_example(index, 0x2000);
	wk_code_index_save(index, &again);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
	index = load(&again);
	assert_example(index, 0x1000);
	assert_example(index, 0x2000);
	assert_true(wk_code_index_has(index, 9));
	assert_false(wk_code_index_has(index, 8));
	wk_code_index_free(index);
	wk_buf_fini(&again);
}

static void a_text_that_was_saved_is_not_kept_twice(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_buf saved = { 0 }, again = { 0 };
	uint32_t ids[2000];
	char name[40];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		ids[i] = text(index, name);
	}
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	index = load(&saved);
	for (int i = 1999; i >= 0; i--) {
		snprintf(name, sizeof(name), "name %d", i);
		if (i < 1000)
			assert_int_equal(text(index, name), ids[i]);
		else
			ids[i] = text(index, name);
	}
	wk_code_index_save(index, &again);
	wk_code_index_free(index);
	index = load(&again);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(text(index, name), ids[i]);
		assert_true(wk_str_is(wk_code_index_str(index, ids[i]), name));
	}
	wk_code_index_free(index);
	wk_buf_fini(&saved);
	wk_buf_fini(&again);
}

/* A unit of one function a span of one byte, by the ids of their names. */
static void add_named(struct wk_code_index *index, const uint32_t *names, uint32_t count)
{
	struct wk_code_range range = { 0x1000, 0x1000 + count, 0 };
	struct code_node *nodes = wk_alloc_zeroed(count + 1, sizeof(*nodes));
	struct wk_code_span *spans = wk_alloc(count * sizeof(*spans));
	struct wk_code_block block = { .base = 0x1000, .spans = spans, .span_count = count };

	for (uint32_t i = 0; i < count; i++) {
		nodes[i + 1].function = names[i];
		spans[i] = (struct wk_code_span){ i, i + 1 };
	}
	wk_code_index_set_ranges(index, &range, 1);
	code_add(index, 0, nodes, count + 1, &block);
	wk_free(nodes);
	wk_free(spans);
}

static void assert_function(const struct wk_code_index *index, uint64_t vaddr, const char *name)
{
	struct wk_place place = { 0 };

	assert_int_equal(wk_code_index_places(index, vaddr, &place, 1), 1);
	assert_true(wk_str_is(place.function, name));
}

static bool has_bytes(const struct wk_buf *buf, const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i + len <= buf->len; i++)
		if (memcmp(buf->at + i, text, len) == 0)
			return true;
	return false;
}

static void texts_that_are_lent_are_saved_with_what_has_them(void **state)
{
	static const char lent[] = "\0main\0unused\0own\0open", more[] = "other";
	struct wk_code_index *index = wk_code_index_new();
	uint32_t own = text(index, "own");
	uint32_t first = wk_code_index_lend(index, wk_str_of(lent, sizeof(lent) - 1));
	uint32_t second = wk_code_index_lend(index, wk_str_of(more, sizeof(more)));
	uint32_t names[] = { first + 1, second, first + 13, own, first + 1, second + 2, first,
			     first + 17 };
	struct wk_buf saved = { 0 };

	(void)state;
	assert_true(wk_str_is(wk_code_index_str(index, first + 1), "main"));
	add_named(index, names, COUNT(names));
	wk_code_index_save(index, &saved);
	assert_false(has_bytes(&saved, "unused"));
	assert_true(has_bytes(&saved, "main"));
	wk_code_index_free(index);
	index = load(&saved);
	assert_function(index, 0x1000, "main");
	assert_function(index, 0x1001, "other");
	assert_function(index, 0x1002, "own");
	assert_function(index, 0x1003, "own");
	assert_function(index, 0x1004, "main");
	assert_function(index, 0x1005, "her");
	assert_function(index, 0x1006, "");
	assert_function(index, 0x1007, ""); /* it does not end */
	assert_int_equal(text(index, "main"), text(index, "main"));
	assert_false(wk_code_index_is_changed(index));
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

static void tails_of_a_long_text_are_not_all_saved(void **state)
{
	enum { LEN = 200000, NAMES = 20000 };
	struct wk_code_index *index = wk_code_index_new();
	char *lent = wk_alloc_zeroed(LEN + 1, 1);
	uint32_t *names = wk_alloc(NAMES * sizeof(*names)), first;
	struct wk_buf saved = { 0 };

	(void)state;
	memset(lent, 'x', LEN);
	first = wk_code_index_lend(index, wk_str_of(lent, LEN + 1));
	for (uint32_t i = 0; i < NAMES; i++)
		names[i] = first + i;
	add_named(index, names, NAMES);
	wk_code_index_save(index, &saved);
	assert_in_range(saved.len, LEN, 4u << 20);
	wk_code_index_free(index);
	wk_buf_fini(&saved);
	wk_free(names);
	wk_free(lent);
}

static void an_empty_index_is_saved_and_loaded(void **state)
{
	struct wk_code_index *index = wk_code_index_new();
	struct wk_buf saved = { 0 };

	(void)state;
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	index = load(&saved);
	assert_int_equal(wk_code_index_unit_at(index, 5), WK_NO_UNIT);
	add_example(index, 0, 0);
	assert_true(wk_code_index_has(index, 0));
	wk_code_index_free(index);
	wk_buf_fini(&saved);
}

static void damaged_bytes_are_refused(void **state)
{
	struct wk_code_index *index = example();
	struct wk_buf saved = { 0 };
	struct wk_err err = { 0 };

	(void)state;
	wk_code_index_save(index, &saved);
	wk_code_index_free(index);
	for (size_t len = 0; len < saved.len; len++)
		assert_null(wk_code_index_load(wk_bytes_of(saved.at, len), NULL));
	saved.at[0] ^= 1;
	assert_null(wk_code_index_load(wk_bytes_of(saved.at, saved.len), &err));
	assert_int_equal(err.code, WK_EFORMAT);
	wk_buf_fini(&saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_gives_the_inlined_calls_innermost_first),
		cmocka_unit_test(a_function_reaches_over_the_calls_inlined_into_it),
		cmocka_unit_test(neighbouring_functions_end_where_the_next_begins),
		cmocka_unit_test(a_copy_of_a_function_is_told_with_its_name),
		cmocka_unit_test(a_unit_is_there_when_it_was_added),
		cmocka_unit_test(a_place_by_numbers_tells_which_unit_is_missing),
		cmocka_unit_test(a_chain_that_does_not_fit_loses_its_innermost_calls),
		cmocka_unit_test(nodes_that_make_no_sense_end_the_chain),
		cmocka_unit_test(of_overlapping_ranges_the_one_that_begins_later_has_it),
		cmocka_unit_test(random_ranges_are_settled_as_by_hand),
		cmocka_unit_test(texts_stay_where_they_are),
		cmocka_unit_test(every_address_of_a_large_unit_is_right),
		cmocka_unit_test(every_address_of_a_unit_in_many_places_is_right),
		cmocka_unit_test(a_saved_index_answers_the_same),
		cmocka_unit_test(a_long_text_is_no_longer_than_the_saved_one),
		cmocka_unit_test(what_is_added_to_a_loaded_index_is_saved_with_it),
		cmocka_unit_test(a_text_that_was_saved_is_not_kept_twice),
		cmocka_unit_test(texts_that_are_lent_are_saved_with_what_has_them),
		cmocka_unit_test(tails_of_a_long_text_are_not_all_saved),
		cmocka_unit_test(an_empty_index_is_saved_and_loaded),
		cmocka_unit_test(damaged_bytes_are_refused),
	};

	return cmocka_run_group_tests_name("code_index", tests, NULL, NULL);
}
