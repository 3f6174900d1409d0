#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pdb_maker.h"
#include "symbols/pdb/internal.h"

#define MOST_FRAMES 8

/* What was made and is asked. */
struct made {
	struct wk_buf bytes;
	struct wk_pdb *pdb;
	struct wk_code_index *index;
};

static void open_bytes(struct made *made)
{
	struct wk_err err = { 0 };

	made->pdb = wk_pdb_open(made->bytes.at, made->bytes.len, &err);
	if (!made->pdb)
		fail_msg("%s", err.text);
	made->index = wk_code_index_new();
	wk_pdb_fill(made->pdb, made->index);
}

static void make(struct pdb_spec *spec, struct made *made)
{
	*made = (struct made){ 0 };
	pdb_write(spec, &made->bytes);
	pdb_spec_fini(spec);
	open_bytes(made);
}

static void unmake(struct made *made)
{
	wk_code_index_free(made->index);
	wk_pdb_free(made->pdb);
	wk_buf_fini(&made->bytes);
}

/* The chain at `rva` as "name file:line < name file:line". */
static const char *chain_at(struct made *made, uint64_t rva)
{
	static char text[1024];
	struct wk_place places[MOST_FRAMES];
	uint32_t unit = wk_code_index_unit_at(made->index, rva);
	size_t count, len = 0;

	if (unit != WK_NO_UNIT && !wk_code_index_has(made->index, unit))
		wk_pdb_load(made->pdb, unit, made->index, NULL);
	count = wk_code_index_places(made->index, rva, places, MOST_FRAMES);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s %.*s:%u",
					i ? " < " : "", WK_STR_ARG(places[i].function),
					WK_STR_ARG(places[i].file), places[i].line);
	return text;
}

#define FILE_A 0
#define FILE_B 8

/* Files a.c and b.h of the first module. */
static void add_files(struct pdb_spec *spec)
{
	uint32_t names[2];

	names[0] = pdb_name(&spec->names, "a.c");
	names[1] = pdb_name(&spec->names, "b.h");
	pdb_files(&spec->lines[0], names, 2);
}

/* `work` from 0x10 to 0x50 of section 1, with these lines, all of module 0. */
static void fill_work(struct pdb_spec *spec, const uint32_t (*rows)[2], uint32_t count)
{
	add_files(spec);
	pdb_function(&spec->symbols[0], 0x10, 0x40, "work");
	pdb_function_end(&spec->symbols[0]);
	pdb_lines(&spec->lines[0], 0x10, 0x40, FILE_A, rows, count);
	pdb_contribution(spec, &spec->contributions, 0, 0x100, 0);
}

static void fill_plain(struct pdb_spec *spec)
{
	static const uint32_t rows[][2] = { { 0, 5 }, { 8, 6 }, { 0x20, 7 } };

	fill_work(spec, rows, 3);
}

/* `work` with a call of `outer` in which one of `inner` is. */
static void fill_inlined(struct pdb_spec *spec)
{
	static const uint32_t rows[][2] = { { 0, 5 }, { 8, 6 }, { 0x20, 7 } };
	static const struct pdb_inlinee inlinees[] = { { 0x1001, FILE_B, 20 },
						       { 0x1002, FILE_B, 40 } };
	/* code +8 and line +1, code +4 and line +2, then 12 bytes of it. */
	static const uint8_t outer[] = { 0x0b, 0x28, 0x0b, 0x44, 0x04, 0x0c };
	static const uint8_t inner[] = { 0x03, 0x0c, 0x04, 0x04 };

	add_files(spec);
	pdb_string_id(&spec->ids, "space");
	pdb_function_id(&spec->ids, 0x1000, "outer");
	pdb_member_id(&spec->ids, 0x1000, "inner");
	pdb_class(&spec->types, "space::Kind");
	pdb_function(&spec->symbols[0], 0x10, 0x40, "work");
	pdb_site(&spec->symbols[0], 0x1001, outer, sizeof(outer));
	pdb_site(&spec->symbols[0], 0x1002, inner, sizeof(inner));
	pdb_site_end(&spec->symbols[0]);
	pdb_site_end(&spec->symbols[0]);
	pdb_function_end(&spec->symbols[0]);
	pdb_lines(&spec->lines[0], 0x10, 0x40, FILE_A, rows, 3);
	pdb_inlinees(&spec->lines[0], inlinees, 2);
	pdb_contribution(spec, &spec->contributions, 0, 0x100, 0);
}

static void check_plain(struct made *made)
{
	assert_string_equal(chain_at(made, 0x100f), "");
	assert_string_equal(chain_at(made, 0x1010), "work a.c:5");
	assert_string_equal(chain_at(made, 0x1018), "work a.c:6");
	assert_string_equal(chain_at(made, 0x104f), "work a.c:7");
	assert_string_equal(chain_at(made, 0x1050), "");
}

/* What fill_plain makes, in a container of some other form. */
static void check_plain_in(struct pdb_spec spec)
{
	struct made made;

	fill_plain(&spec);
	make(&spec, &made);
	check_plain(&made);
	unmake(&made);
}

static void a_function_has_its_lines(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	make(&spec, &made);
	check_plain(&made);
	assert_false(wk_pdb_is_stripped(made.pdb));
	unmake(&made);
}

static void blocks_may_lie_anywhere(void **state)
{
	struct pdb_spec spec = { .is_scattered = true };
	struct made made;

	(void)state;
	fill_plain(&spec);
	for (int i = 0; i < 200; i++) /* more than a block */
		pdb_function(&spec.symbols[0], 0x60, 0, "nothing at all");
	make(&spec, &made);
	check_plain(&made);
	unmake(&made);
}

static void blocks_may_be_of_any_size_that_is_allowed(void **state)
{
	(void)state;
	for (uint32_t size = 512; size <= 32768; size *= 2)
		check_plain_in((struct pdb_spec){ .block_bytes = size });
}

static void a_large_directory_has_several_map_pages(void **state)
{
	(void)state;
	check_plain_in((struct pdb_spec){ .empty_streams = 50000 }); /* 4 pages of 128 blocks */
}

static void wide_contributions_are_read_too(void **state)
{
	(void)state;
	check_plain_in((struct pdb_spec){ .has_wide_contributions = true });
}

static void an_inlined_call_is_named_with_its_scopes(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_inlined(&spec);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1017), "work a.c:5");
	assert_string_equal(chain_at(&made, 0x1018), "space::outer b.h:21 < work a.c:6");
	assert_string_equal(chain_at(&made, 0x101c),
			    "space::Kind::inner b.h:40 < space::outer b.h:23 < work a.c:6");
	assert_string_equal(chain_at(&made, 0x1020), "space::outer b.h:23 < work a.c:6");
	assert_string_equal(chain_at(&made, 0x1028), "work a.c:6");
	assert_string_equal(chain_at(&made, 0x1030), "work a.c:7");
	unmake(&made);
}

static void ids_are_found_by_the_writers_pairs(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_inlined(&spec);
	wk_buf_add_u32(&spec.id_pairs, 0x1000);
	wk_buf_add_u32(&spec.id_pairs, 0);
	wk_buf_add_u32(&spec.id_pairs, 0x1002);
	wk_buf_add_u32(&spec.id_pairs, 16 + 20);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x101c),
			    "space::Kind::inner b.h:40 < space::outer b.h:23 < work a.c:6");
	unmake(&made);
}

/* One call of `outer`, which begins in line 20 of b.h, in `work`, which is 0x40 bytes at 0x1010. */
static void make_annotated(const void *annotations, size_t len, struct made *made)
{
	static const struct pdb_inlinee inlinee = { 0x1000, FILE_B, 20 };
	struct pdb_spec spec = { 0 };

	add_files(&spec);
	pdb_function_id(&spec.ids, 0, "outer");
	pdb_function(&spec.symbols[0], 0x10, 0x40, "work");
	pdb_site(&spec.symbols[0], 0x1000, annotations, len);
	pdb_site_end(&spec.symbols[0]);
	pdb_function_end(&spec.symbols[0]);
	pdb_inlinees(&spec.lines[0], &inlinee, 1);
	pdb_contribution(&spec, &spec.contributions, 0, 0x100, 0);
	make(&spec, made);
}

static void a_length_with_an_offset_does_not_move_on(void **state)
{
	/* 4 bytes of code at +8, then, 6 behind where that begins, 2 bytes one line on. */
	static const uint8_t code[] = { 0x0c, 0x04, 0x08, 0x06, 0x02, 0x0c, 0x02, 0x06 };
	struct made made;

	(void)state;
	make_annotated(code, sizeof(code), &made);
	assert_string_equal(chain_at(&made, 0x1018), "outer b.h:20 < work :0");
	assert_string_equal(chain_at(&made, 0x101c), "work :0");
	assert_string_equal(chain_at(&made, 0x101e), "outer b.h:21 < work :0");
	assert_string_equal(chain_at(&made, 0x1020), "work :0");
	unmake(&made);
}

static void a_change_of_line_alone_begins_a_row(void **state)
{
	static const uint8_t code[] = { 0x06, 0x03, 0x04, 0x05 };
	struct made made;

	(void)state;
	make_annotated(code, sizeof(code), &made);
	assert_string_equal(chain_at(&made, 0x1010), "outer b.h:19 < work :0");
	assert_string_equal(chain_at(&made, 0x1014), "outer b.h:19 < work :0");
	assert_string_equal(chain_at(&made, 0x1015), "work :0");
	unmake(&made);
}

static void numbers_of_annotations_have_up_to_four_bytes(void **state)
{
	/* file 0; code + 0x20 in two bytes; length 0x10 in four; the end */
	static const uint8_t code[] = { 0x05, 0x00, 0x03, 0x80, 0x20,
					0x04, 0xc0, 0x00, 0x00, 0x10, 0x00, 0x03, 0x01 };
	struct made made;

	(void)state;
	make_annotated(code, sizeof(code), &made);
	assert_string_equal(chain_at(&made, 0x102f), "work :0");
	assert_string_equal(chain_at(&made, 0x1030), "outer a.c:20 < work :0");
	assert_string_equal(chain_at(&made, 0x103f), "outer a.c:20 < work :0");
	assert_string_equal(chain_at(&made, 0x1040), "work :0");
	unmake(&made);
}

static void a_call_without_a_name_is_left_out(void **state)
{
	static const uint8_t code[] = { 0x03, 0x08, 0x04, 0x08 };
	static const uint32_t rows[][2] = { { 0, 5 } };
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	add_files(&spec);
	pdb_function(&spec.symbols[0], 0x10, 0x40, "work");
	pdb_site(&spec.symbols[0], 0x1234, code, sizeof(code));
	pdb_site_end(&spec.symbols[0]);
	pdb_function_end(&spec.symbols[0]);
	pdb_lines(&spec.lines[0], 0x10, 0x40, FILE_A, rows, 1);
	pdb_contribution(&spec, &spec.contributions, 0, 0x100, 0);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1018), "work a.c:5");
	unmake(&made);
}

static void a_part_apart_has_its_functions_name(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	pdb_part_apart(&spec.symbols[0], 0x80, 0x10, 0x10);
	pdb_function_end(&spec.symbols[0]);
	make(&spec, &made);
	check_plain(&made);
	assert_string_equal(chain_at(&made, 0x1080), "work :0");
	assert_string_equal(chain_at(&made, 0x1090), "");
	unmake(&made);
}

static void make_work(const uint32_t (*rows)[2], uint32_t count, struct made *made)
{
	struct pdb_spec spec = { 0 };

	fill_work(&spec, rows, count);
	make(&spec, made);
}

static void of_lines_at_one_address_the_last_counts(void **state)
{
	static const uint32_t rows[][2] = { { 0, 5 }, { 0, 9 }, { 8, 0xf00f00 }, { 0x10, 0xfeefee },
					    { 0x20, 7 } };
	struct made made;

	(void)state;
	make_work(rows, 5, &made);
	assert_string_equal(chain_at(&made, 0x1010), "work a.c:9");
	assert_string_equal(chain_at(&made, 0x1024), "work a.c:9"); /* hidden lines are not shown */
	assert_string_equal(chain_at(&made, 0x1030), "work a.c:7");
	unmake(&made);
}

static void code_in_front_of_the_first_row_has_its_line(void **state)
{
	static const uint32_t rows[][2] = { { 0x20, 7 }, { 8, 6 } };
	struct made made;

	(void)state;
	make_work(rows, 2, &made);
	assert_string_equal(chain_at(&made, 0x100f), "");
	assert_string_equal(chain_at(&made, 0x1010), "work a.c:6");
	assert_string_equal(chain_at(&made, 0x1017), "work a.c:6");
	assert_string_equal(chain_at(&made, 0x1030), "work a.c:7");
	unmake(&made);
}

/* b.h at +8 up to +0x10, told behind all lines of a.c. */
static void files_of_a_function_lie_among_one_another(void **state)
{
	static const uint32_t rows[][2] = { { 0, 5 }, { 0x10, 6 } };
	struct pdb_spec spec = { 0 };
	struct made made;
	size_t at;

	(void)state;
	add_files(&spec);
	pdb_function(&spec.symbols[0], 0x10, 0x40, "work");
	pdb_function_end(&spec.symbols[0]);
	at = spec.lines[0].len;
	pdb_lines(&spec.lines[0], 0x10, 0x40, FILE_A, rows, 2);
	wk_buf_add_u32(&spec.lines[0], FILE_B);
	wk_buf_add_u32(&spec.lines[0], 1);
	wk_buf_add_u32(&spec.lines[0], 20);
	wk_buf_add_u32(&spec.lines[0], 8);
	wk_buf_add_u32(&spec.lines[0], 77);
	pdb_set_u32(&spec.lines[0], at + 4, (uint32_t)(spec.lines[0].len - at - 8));
	pdb_contribution(&spec, &spec.contributions, 0, 0x100, 0);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1010), "work a.c:5");
	assert_string_equal(chain_at(&made, 0x1018), "work b.h:77");
	assert_string_equal(chain_at(&made, 0x1020), "work a.c:6");
	unmake(&made);
}

/* `high` is told before `work`; `twin` has the same code as `work`. */
static void functions_come_in_any_order_and_the_first_at_a_place_has_it(void **state)
{
	static const uint32_t high[][2] = { { 0, 90 } }, twin[][2] = { { 0, 30 }, { 4, 31 } };
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	pdb_function(&spec.symbols[0], 0x80, 0x10, "high");
	pdb_function_end(&spec.symbols[0]);
	pdb_lines(&spec.lines[0], 0x80, 0x10, FILE_A, high, 1);
	fill_plain(&spec);
	pdb_function(&spec.symbols[0], 0x10, 0x40, "twin");
	pdb_function_end(&spec.symbols[0]);
	pdb_lines(&spec.lines[0], 0x10, 0x48, FILE_B, twin, 2);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1014), "work a.c:5");
	assert_string_equal(chain_at(&made, 0x104f), "work a.c:7");
	assert_string_equal(chain_at(&made, 0x1050), " b.h:31"); /* of a function not known */
	assert_string_equal(chain_at(&made, 0x1058), "");
	assert_string_equal(chain_at(&made, 0x1080), "high a.c:90");
	unmake(&made);
}

static void a_linked_name_is_taken_before_a_plain_one(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	wk_buf_add_u32(&spec.by_address, pdb_public(&spec.records, 1, 0x10, "?work@@YAXXZ"));
	wk_buf_add_u32(&spec.by_address, pdb_public(&spec.records, 1, 0x60, "?other@@YAXXZ"));
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1010), "?work@@YAXXZ a.c:5");
	unmake(&made);
}

static void of_folded_functions_each_keeps_its_linked_name(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	wk_buf_add_u32(&spec.by_address, pdb_public(&spec.records, 1, 0x10, "?work@@YAXXZ"));
	wk_buf_add_u32(&spec.by_address, pdb_public(&spec.records, 1, 0x10, "?same@@YAXXZ"));
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1010), "?work@@YAXXZ a.c:5");
	unmake(&made);
}

/* Eight publics, and a table by address that is wrong in some way. */
static void check_wrong_table(uint32_t first, uint32_t every)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	fill_plain(&spec);
	for (uint32_t i = 0; i < 8; i++)
		pdb_public(&spec.records, 1, 0x80 - i * 0x10, i == 7 ? "?work@@YAXXZ" : "?other@@");
	for (uint32_t i = 0; i < 8 && every; i++)
		wk_buf_add_u32(&spec.by_address, first + i * every);
	make(&spec, &made);
	assert_string_equal(chain_at(&made, 0x1010), "?work@@YAXXZ a.c:5");
	unmake(&made);
}

static void publics_are_found_without_their_table(void **state)
{
	(void)state;
	check_wrong_table(0, 0);       /* there is none */
	check_wrong_table(1 << 20, 4); /* it leads nowhere */
	check_wrong_table(0, 24);      /* it is in another order */
}

static bool count_public(void *context, const struct wk_pdb_public *symbol)
{
	uint64_t *sum = context;

	*sum += symbol->rva + symbol->name.len + symbol->is_function;
	return true;
}

static void each_public_tells_where_it_is(void **state)
{
	struct pdb_spec spec = { .is_minimal = true };
	struct made made;
	uint64_t sum = 0;

	(void)state;
	pdb_public(&spec.records, 1, 0x10, "ab");
	pdb_public(&spec.records, 9, 0x10, "nowhere");
	pdb_public(&spec.records, 2, 0x20, "abc");
	make(&spec, &made);
	wk_pdb_each_public(made.pdb, count_public, &sum);
	assert_int_equal(sum, 0x1010 + 2 + 1 + 0x3020 + 3 + 1);
	assert_true(wk_pdb_is_stripped(made.pdb));
	unmake(&made);
}

static void what_was_stripped_says_so(void **state)
{
	struct pdb_spec spec = { .dbi_flags = 2 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	make(&spec, &made);
	assert_true(wk_pdb_is_stripped(made.pdb));
	unmake(&made);
}

static void sections_end_where_the_pdb_says(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	make(&spec, &made);
	assert_int_equal(wk_pdb_section_end(made.pdb, 0x1000), 0x2000);
	assert_int_equal(wk_pdb_section_end(made.pdb, 0x37ff), 0x3800);
	assert_int_equal(wk_pdb_section_end(made.pdb, 0x3800), 0);
	unmake(&made);
}

static void a_section_without_a_size_has_that_of_its_bytes_in_the_file(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	make(&spec, &made);
	assert_int_equal(wk_pdb_section_count(made.pdb), 3);
	assert_int_equal(wk_pdb_section_at(made.pdb, 2).size_bytes, 0x200);
	assert_int_equal(wk_pdb_section_end(made.pdb, 0x41ff), 0x4200);
	assert_int_equal(wk_pdb_section_end(made.pdb, 0x4200), 0);
	unmake(&made);
}

static void sections_with_code_are_known(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	make(&spec, &made);
	assert_true(wk_pdb_section_at(made.pdb, 0).is_code);
	assert_false(wk_pdb_section_at(made.pdb, 1).is_code);
	unmake(&made);
}

static void add_moved(struct wk_buf *moved, uint32_t from, uint32_t to)
{
	wk_buf_add_u32(moved, from);
	wk_buf_add_u32(moved, to);
}

/* Section 1 was at 0x8000; of `work`, the first 0x10 bytes went to 0x1800, the next 8 are gone, and
 * the rest is at 0x1200. */
static void check_moved(struct pdb_spec *spec)
{
	struct made made;
	uint64_t sum = 0;

	fill_plain(spec);
	pdb_public(&spec->records, 1, 0x10, "w");
	make(spec, &made);
	assert_string_equal(chain_at(&made, 0x1010), "");
	assert_string_equal(chain_at(&made, 0x1800), "w a.c:5");
	assert_string_equal(chain_at(&made, 0x1808), "w a.c:6");
	assert_string_equal(chain_at(&made, 0x180f), "w a.c:6");
	assert_string_equal(chain_at(&made, 0x1810), "");
	assert_string_equal(chain_at(&made, 0x1200), "w a.c:6");
	assert_string_equal(chain_at(&made, 0x1208), "w a.c:7");
	assert_string_equal(chain_at(&made, 0x1227), "w a.c:7");
	assert_string_equal(chain_at(&made, 0x1228), "");
	wk_pdb_each_public(made.pdb, count_public, &sum);
	assert_int_equal(sum, 0x1800 + 1 + 1);
	unmake(&made);
}

static void moved_code_is_found_where_it_is(void **state)
{
	struct pdb_spec spec = { 0 };

	(void)state;
	add_moved(&spec.moved, 0x8000, 0x1000);
	add_moved(&spec.moved, 0x8010, 0x1800);
	add_moved(&spec.moved, 0x8020, 0);
	add_moved(&spec.moved, 0x8028, 0x1200);
	add_moved(&spec.moved, 0x8050, 0x1400);
	add_moved(&spec.moved_back, 0x1000, 0x8080); /* it is not asked then */
	check_moved(&spec);
}

static void moved_code_is_found_by_the_way_back_alone(void **state)
{
	struct pdb_spec spec = { 0 };

	(void)state;
	add_moved(&spec.moved_back, 0x1810, 0);
	add_moved(&spec.moved_back, 0x1000, 0x8000);
	add_moved(&spec.moved_back, 0x1010, 0); /* was put in */
	add_moved(&spec.moved_back, 0x1200, 0x8028);
	add_moved(&spec.moved_back, 0x1228, 0);
	add_moved(&spec.moved_back, 0x1400, 0x8050);
	add_moved(&spec.moved_back, 0x1410, 0);
	add_moved(&spec.moved_back, 0x1800, 0x8010);
	check_moved(&spec);
}

static void a_module_is_read_when_it_is_asked_for(void **state)
{
	struct pdb_spec spec = { .shares_blocks = true };
	struct wk_err err = { 0 };
	struct made made;

	(void)state;
	fill_plain(&spec);
	pdb_function(&spec.symbols[1], 0x100, 0x40, "broken");
	pdb_contribution(&spec, &spec.contributions, 0x100, 0x40, 1);
	make(&spec, &made);
	check_plain(&made);
	assert_false(wk_code_index_has(made.index, 1));
	assert_int_equal(wk_code_index_unit_at(made.index, 0x1100), 1);
	assert_false(wk_pdb_load(made.pdb, 1, made.index, &err));
	assert_non_null(strstr(err.text, "another stream's"));
	assert_true(wk_code_index_has(made.index, 1));
	assert_string_equal(chain_at(&made, 0x1100), "");
	unmake(&made);
}

/* Functions in disorder, one of them with a part elsewhere, and calls that lie over borders. */
static void fill_several(struct pdb_spec *spec)
{
	static const uint32_t rows[][2] = { { 0, 15 }, { 0xc, 16 } };

	fill_inlined(spec);
	pdb_function(&spec->symbols[0], 0x80, 0x30, "late");
	pdb_function_end(&spec->symbols[0]);
	pdb_part_apart(&spec->symbols[0], 0xc0, 0x18, 0x58);
	pdb_function_end(&spec->symbols[0]);
	pdb_function(&spec->symbols[0], 0x58, 0x18, "early");
	pdb_function_end(&spec->symbols[0]);
	pdb_lines(&spec->lines[0], 0x80, 0x30, FILE_B, rows, 2);
	pdb_lines(&spec->lines[0], 0x58, 0x18, FILE_A, rows, 2);
}

static void a_large_module_is_read_in_pieces(void **state)
{
	struct pdb_spec spec = { 0 };
	struct made whole, pieces;

	(void)state;
	fill_several(&spec);
	make(&spec, &whole);
	fill_several(&spec);
	make(&spec, &pieces);
	wk_code_index_free(pieces.index);
	wk_pdb_free(pieces.pdb);
	pieces.pdb = wk_pdb_open(pieces.bytes.at, pieces.bytes.len, NULL);
	pieces.pdb->piece_bytes = 16;
	pieces.index = wk_code_index_new();
	wk_pdb_fill(pieces.pdb, pieces.index);
	assert_string_equal(chain_at(&whole, 0x10d0), "early :0");
	for (uint64_t rva = 0x1000; rva < 0x1100; rva++) {
		char expected[1024];

		snprintf(expected, sizeof(expected), "%s", chain_at(&whole, rva));
		assert_string_equal(chain_at(&pieces, rva), expected);
		/* What lies further on is not read yet. */
		if (rva < 0x10e0)
			assert_false(wk_code_index_has(
				pieces.index, wk_code_index_unit_at(pieces.index, rva + 16)));
	}
	unmake(&pieces);
	unmake(&whole);
}

static void a_file_that_was_cut_gives_what_is_left(void **state)
{
	struct pdb_spec spec = { 0 };
	struct wk_err err = { 0 };
	struct made made = { 0 };

	(void)state;
	fill_plain(&spec);
	pdb_function(&spec.symbols[1], 0x100, 0x40, "lost");
	pdb_contribution(&spec, &spec.contributions, 0x100, 0x40, 1);
	pdb_write(&spec, &made.bytes);
	pdb_spec_fini(&spec);
	made.bytes.len -= 512; /* the last stream */
	open_bytes(&made);
	check_plain(&made);
	assert_false(wk_pdb_load(made.pdb, 1, made.index, &err));
	assert_non_null(strstr(err.text, "is not in the file"));
	unmake(&made);
}

static void scopes_that_do_not_match_harm_only_themselves(void **state)
{
	static const uint8_t code[] = { 0x03, 0x08, 0x04, 0x08 };
	struct pdb_spec spec = { 0 };
	struct made made;

	(void)state;
	pdb_function(&spec.symbols[0], 0x80, 0x10, "first");
	pdb_site(&spec.symbols[0], 0x1000, code, sizeof(code));
	pdb_function_end(&spec.symbols[0]); /* before the end of the call */
	pdb_site_end(&spec.symbols[0]);
	pdb_site_end(&spec.symbols[0]);
	fill_plain(&spec);
	make(&spec, &made);
	check_plain(&made);
	assert_string_equal(chain_at(&made, 0x1084), "first :0");
	unmake(&made);
}

static void check_refusal(const void *bytes, size_t len, const char *words)
{
	struct wk_err err = { 0 };

	assert_null(wk_pdb_open(bytes, len, &err));
	if (!strstr(err.text, words))
		fail_msg("expected \"%s\" in: %s", words, err.text);
}

static void other_files_are_told_by_their_kind(void **state)
{
	static const char old[] = "Microsoft C/C++ program database 2.00\r\n\x1aJG";
	static const char portable[] = "BSJB\1\0\1\0";

	(void)state;
	check_refusal(old, sizeof(old), "Visual C++ 6 or older");
	check_refusal(portable, sizeof(portable), ".NET");
	check_refusal("MZ", 2, "not a PDB");
	check_refusal("", 0, "not a PDB");
}

static void sizes_that_lie_are_refused(void **state)
{
	struct pdb_spec spec = { 0 };
	struct wk_buf bytes = { 0 };

	(void)state;
	fill_plain(&spec);
	pdb_write(&spec, &bytes);
	pdb_spec_fini(&spec);
	check_refusal(bytes.at, 40, "ends inside its header");
	pdb_set_u32(&bytes, 0x2c, 0x7fffffff);
	check_refusal(bytes.at, bytes.len, "a directory of");
	pdb_set_u32(&bytes, 0x2c, 64);
	check_refusal(bytes.at, bytes.len, "more blocks than are listed");
	pdb_set_u32(&bytes, 0x20, 1000);
	check_refusal(bytes.at, bytes.len, "power of two");
	wk_buf_fini(&bytes);
}

static void ask_all(const struct wk_buf *bytes)
{
	struct wk_pdb *pdb = wk_pdb_open(bytes->at, bytes->len, NULL);
	struct wk_code_index *index = wk_code_index_new();
	struct wk_place places[MOST_FRAMES];
	uint64_t sum = 0;

	if (pdb) {
		wk_pdb_fill(pdb, index);
		for (uint32_t i = 0; i < pdb->unit_count; i++) {
			wk_pdb_load(pdb, i, index, NULL);
			assert_true(wk_code_index_has(index, i));
		}
		wk_pdb_each_public(pdb, count_public, &sum);
	}
	for (uint64_t rva = 0x1000; rva < 0x1100; rva += 4)
		assert_true(wk_code_index_places(index, rva, places, MOST_FRAMES) <= MOST_FRAMES);
	wk_pdb_free(pdb);
	wk_code_index_free(index);
}

static void no_damage_does_harm(void **state)
{
	struct pdb_spec spec = { 0 };
	struct wk_buf bytes = { 0 };
	size_t len;

	(void)state;
	fill_inlined(&spec);
	wk_buf_add_u32(&spec.by_address, pdb_public(&spec.records, 1, 0x10, "?work@@YAXXZ"));
	add_moved(&spec.moved, 0x8000, 0x1000);
	add_moved(&spec.moved, 0x8020, 0x1200);
	pdb_write(&spec, &bytes);
	pdb_spec_fini(&spec);
	len = bytes.len;
	for (bytes.len = 0; bytes.len < len; bytes.len += 61)
		ask_all(&bytes);
	bytes.len = len;
	for (size_t i = 0; i < len; i++) {
		char byte = bytes.at[i];

		bytes.at[i] = (char)(byte ? 0 : 0xff);
		ask_all(&bytes);
		bytes.at[i] = (char)(byte ^ 1);
		ask_all(&bytes);
		bytes.at[i] = byte;
	}
	wk_buf_fini(&bytes);
}

static void the_age_is_the_one_that_images_name(void **state)
{
	struct pdb_spec spec = { 0 };
	struct wk_buf key = { 0 };
	struct wk_build_id build;
	struct made made;

	(void)state;
	make(&spec, &made);
	wk_pdb_id_add(&key, wk_pdb_id(made.pdb));
	assert_string_equal(wk_buf_text(&key), "0403020106050807090A0B0C0D0E0F102");
	build = wk_pdb_id_as_build_id(wk_pdb_id(made.pdb));
	assert_int_equal(build.size, 20);
	assert_int_equal(build.bytes[0], 1);
	assert_int_equal(build.bytes[15], 16);
	assert_int_equal(build.bytes[16], 2);
	wk_buf_fini(&key);
	unmake(&made);
}

static void an_old_image_is_known_by_its_time(void **state)
{
	struct wk_pdb_id id = { .age = 0x1f, .signature = 0x3ab00cd }, other = id;
	struct wk_buf key = { 0 };

	(void)state;
	wk_pdb_id_add(&key, &id);
	assert_string_equal(wk_buf_text(&key), "03AB00CD1f");
	other.age = 1;
	assert_true(wk_pdb_id_same_build(&id, &other));
	other.signature++;
	assert_false(wk_pdb_id_same_build(&id, &other));
	assert_int_equal(wk_pdb_id_as_build_id(&id).size, 20);
	assert_int_equal(wk_pdb_id_as_build_id(&(struct wk_pdb_id){ 0 }).size, 0);
	wk_buf_fini(&key);
}

static void another_guid_is_another_build(void **state)
{
	struct wk_pdb_id a = { .guid = { 1, 2, 3 }, .age = 1 }, b = a, none = { 0 };

	(void)state;
	b.age = 5;
	assert_true(wk_pdb_id_same_build(&a, &b));
	b.guid[15] = 1;
	assert_false(wk_pdb_id_same_build(&a, &b));
	assert_false(wk_pdb_id_same_build(&none, &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_lines),
		cmocka_unit_test(blocks_may_lie_anywhere),
		cmocka_unit_test(blocks_may_be_of_any_size_that_is_allowed),
		cmocka_unit_test(a_large_directory_has_several_map_pages),
		cmocka_unit_test(wide_contributions_are_read_too),
		cmocka_unit_test(an_inlined_call_is_named_with_its_scopes),
		cmocka_unit_test(ids_are_found_by_the_writers_pairs),
		cmocka_unit_test(a_length_with_an_offset_does_not_move_on),
		cmocka_unit_test(a_change_of_line_alone_begins_a_row),
		cmocka_unit_test(numbers_of_annotations_have_up_to_four_bytes),
		cmocka_unit_test(a_call_without_a_name_is_left_out),
		cmocka_unit_test(a_part_apart_has_its_functions_name),
		cmocka_unit_test(of_lines_at_one_address_the_last_counts),
		cmocka_unit_test(code_in_front_of_the_first_row_has_its_line),
		cmocka_unit_test(files_of_a_function_lie_among_one_another),
		cmocka_unit_test(functions_come_in_any_order_and_the_first_at_a_place_has_it),
		cmocka_unit_test(a_linked_name_is_taken_before_a_plain_one),
		cmocka_unit_test(of_folded_functions_each_keeps_its_linked_name),
		cmocka_unit_test(publics_are_found_without_their_table),
		cmocka_unit_test(each_public_tells_where_it_is),
		cmocka_unit_test(what_was_stripped_says_so),
		cmocka_unit_test(sections_end_where_the_pdb_says),
		cmocka_unit_test(a_section_without_a_size_has_that_of_its_bytes_in_the_file),
		cmocka_unit_test(sections_with_code_are_known),
		cmocka_unit_test(moved_code_is_found_where_it_is),
		cmocka_unit_test(moved_code_is_found_by_the_way_back_alone),
		cmocka_unit_test(a_module_is_read_when_it_is_asked_for),
		cmocka_unit_test(a_large_module_is_read_in_pieces),
		cmocka_unit_test(a_file_that_was_cut_gives_what_is_left),
		cmocka_unit_test(scopes_that_do_not_match_harm_only_themselves),
		cmocka_unit_test(other_files_are_told_by_their_kind),
		cmocka_unit_test(sizes_that_lie_are_refused),
		cmocka_unit_test(no_damage_does_harm),
		cmocka_unit_test(the_age_is_the_one_that_images_name),
		cmocka_unit_test(an_old_image_is_known_by_its_time),
		cmocka_unit_test(another_guid_is_another_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
