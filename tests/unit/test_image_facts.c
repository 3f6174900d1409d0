/* What is known of the images of a recording: names, lines, what they lack, and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/builder.h"
#include "model/resolve.h"
#include "session/images/image_table.h"
#include "symbols/image/symbols.h"

#define SIZE UINT64_C(0x1000)

/* Images of 0x1000 bytes behind each other, none of which is a file on this machine. */
struct fixture {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_sink sink;
	struct wk_symbols *symbols;
	struct wk_filter filter;
	struct wk_images_facts facts;
	struct wk_findings findings;
	uint64_t next;
};

static void give(struct fixture *f, struct wk_event event)
{
	struct wk_err err = { 0 };

	event.pid = event.tid = 7;
	assert_true(wk_sink_emit(&f->sink, &event, &err));
}

static void start(struct fixture *f)
{
	*f = (struct fixture){ .model = wk_model_new(), .next = SIZE };
	f->builder = wk_builder_new(f->model);
	f->sink = wk_builder_sink(f->builder);
}

static void give_sample(struct fixture *f, uint64_t address)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
				   .sample = { .source = 1, .weight = 1, .user_chain = &address,
					       .user_count = 1, .user_is_exact = true } });
}

/* With as many samples, at 0x110, 0x120 and so on. Returns where it is mapped. */
static uint64_t give_image(struct fixture *f, const char *path, unsigned samples)
{
	uint64_t begin = f->next;

	f->next += SIZE;
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE,
				   .image = { .start = begin, .size_bytes = SIZE,
					      .path = wk_str_c(path) } });
	for (unsigned i = 0; i < samples; i++)
		give_sample(f, begin + 0x110 + i * 0x10);
	return begin;
}

/* At 0x110. */
static void give_line(struct fixture *f, const char *path)
{
	static const struct wk_event_call call = { WK_STR("work"), WK_STR("work.c"), 15 };

	give(f, (struct wk_event){ .kind = WK_EVENT_CALLS,
				   .calls = { .image_path = wk_str_c(path), .address = 0x110,
					      .calls = &call, .count = 1 } });
}

/* A symbol for the whole image. */
static void give_name(struct fixture *f, const char *path)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
				   .symbol = { .image_path = wk_str_c(path), .size_bytes = SIZE,
					       .name = WK_STR("work") } });
}

static void gather(struct fixture *f)
{
	struct wk_image_context about = { .model = f->model, .recording = "wick.data" };
	struct wk_err err = { 0 };

	wk_builder_finish(f->builder);
	f->symbols = about.symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	wk_model_resolve(f->model, f->symbols, (struct wk_resolve_options){ 0 });
	assert_true(wk_filter_init(&f->filter, f->model, &(struct wk_filter_spec){ 0 }, &err));
	wk_images_facts_gather(&f->facts, &about, &f->filter);
}

static const struct wk_image_facts *facts_of_one(struct fixture *f)
{
	gather(f);
	assert_int_equal(f->facts.count, 1);
	return &f->facts.at[0];
}

/* Returns how many images are left out. */
static size_t find(struct fixture *f, size_t most)
{
	struct wk_quality quality = { .model = f->model };

	gather(f);
	return wk_images_find(&f->findings, f->model, &f->facts, &quality, most);
}

static void end(struct fixture *f)
{
	wk_findings_fini(&f->findings);
	wk_images_facts_fini(&f->facts);
	wk_filter_fini(&f->filter);
	wk_symbols_free(f->symbols);
	wk_builder_free(f->builder);
	wk_model_free(f->model);
}

static void lines_that_came_with_the_recording_are_recorded(void **state)
{
	const struct wk_image_facts *facts;
	struct fixture f;

	(void)state;
	start(&f);
	give_image(&f, "/gone/app", 1);
	give_line(&f, "/gone/app");
	facts = facts_of_one(&f);
	assert_int_equal(facts->lines, WK_EXTENT_RECORDED);
	assert_int_equal(facts->lacks & WK_LACKS_LINES, 0);
	end(&f);
	start(&f);
	give_image(&f, "/gone/app", 1);
	give_line(&f, "/gone/other");
	give_line(&f, "/gone/app");
	assert_int_equal(facts_of_one(&f)->lines, WK_EXTENT_RECORDED);
	end(&f);
}

static void a_program_without_lines_lacks_them(void **state)
{
	const struct wk_image_facts *facts;
	struct fixture f;

	(void)state;
	start(&f);
	give_image(&f, "/gone/app", 1);
	give_line(&f, "/gone/other");
	facts = facts_of_one(&f);
	assert_int_equal(facts->samples, 1);
	assert_int_equal(facts->lines, WK_EXTENT_NONE);
	assert_int_equal(facts->lacks & WK_LACKS_LINES, WK_LACKS_LINES);
	end(&f);
}

static bool has_store_keys(struct fixture *f)
{
	struct wk_table table;
	bool has = false;

	gather(f);
	wk_table_init(&table, "images");
	wk_image_table_fill(&table, f->model, &f->facts, false);
	for (uint32_t i = 0; i < table.column_count; i++)
		has |= wk_str_is(table.columns[i].key, "store_key");
	wk_table_fini(&table);
	return has;
}

/* A program of Windows has one by its time stamp, if it names no PDB. */
static void images_of_linux_have_no_keys_in_symbol_stores(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_image(&f, "/gone/app", 1);
	assert_false(has_store_keys(&f));
	end(&f);
	start(&f);
	give(&f, (struct wk_event){ .kind = WK_EVENT_IMAGE,
				    .image = { .start = SIZE, .size_bytes = SIZE,
					       .path = WK_STR("C:\\app.exe"),
					       .time_stamp = 0x5f000001 } });
	give_sample(&f, SIZE + 0x10);
	assert_true(has_store_keys(&f));
	end(&f);
}

static void memory_has_the_names_of_its_code_and_lacks_no_file(void **state)
{
	for (int is_named = 0; is_named < 2; is_named++) {
		const struct wk_image_facts *facts;
		struct fixture f;

		(void)state;
		start(&f);
		if (is_named)
			give(&f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
						    .symbol = { .start = f.next,
								.size_bytes = SIZE,
								.name = WK_STR("made") } });
		give_image(&f, "//anon", 2);
		give_image(&f, "/gone/app", 1); /* not all is named */
		gather(&f);
		facts = &f.facts.at[0];
		assert_int_equal(facts->samples, 2);
		assert_int_equal(facts->names, is_named ? WK_EXTENT_ALL : WK_EXTENT_NONE);
		assert_int_equal(facts->lacks, is_named ? 0 : WK_LACKS_NAMES);
		end(&f);
	}
}

static void images_with_one_fix_are_explained_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_image(&f, "/gone/little", 1);
	give_image(&f, "/gone/most", 3);
	give_image(&f, "/gone/more", 2);
	assert_int_equal(find(&f, 2), 0);
	assert_int_equal(f.findings.count, 1);
	assert_non_null(strstr(f.findings.at[0].about, "/gone/most (50.0 %"));
	assert_non_null(strstr(f.findings.at[0].text, "; the fix is also for more, little"));
	end(&f);
	start(&f);
	give_image(&f, "/gone/app", 1);
	assert_int_equal(find(&f, 2), 0);
	assert_int_equal(f.findings.count, 1);
	end(&f);
}

static void lines_of_a_part_of_the_code_are_explained_with_a_share(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_image(&f, "/gone/app", 4);
	give_name(&f, "/gone/app");
	give_line(&f, "/gone/app");
	assert_int_equal(find(&f, 1), 0);
	assert_int_equal(f.facts.at[0].names, WK_EXTENT_RECORDED);
	assert_int_equal(f.facts.at[0].lines, WK_EXTENT_SOME);
	assert_int_equal(f.findings.count, 1);
	assert_int_equal(f.findings.at[0].grade, WK_GRADE_WARN);
	assert_non_null(strstr(f.findings.at[0].text, "missing lines: "));
	assert_non_null(strstr(f.findings.at[0].text, "25.0 % of the sampled code"));
	end(&f);
}

/* The last finding, or "". */
static const char *found_about(struct fixture *f, const char *path)
{
	start(f);
	give_image(f, path, 1);
	give_name(f, path);
	give_line(f, path);
	find(f, 1);
	return f->findings.count ? f->findings.at[f->findings.count - 1].text : "";
}

static void an_interpreter_that_reports_no_functions_is_found(void **state)
{
	struct fixture f;

	(void)state;
	assert_non_null(strstr(found_about(&f, "/gone/python3.11"), "before 3.12"));
	end(&f);
	assert_non_null(strstr(found_about(&f, "/gone/libpython3.12.so.1.0"), "without -X perf"));
	end(&f);
	assert_null(strstr(found_about(&f, "/gone/python3.x"), "Python"));
	end(&f);
	assert_null(strstr(found_about(&f, "/gone/xpython3.11"), "Python"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_came_with_the_recording_are_recorded),
		cmocka_unit_test(a_program_without_lines_lacks_them),
		cmocka_unit_test(images_of_linux_have_no_keys_in_symbol_stores),
		cmocka_unit_test(memory_has_the_names_of_its_code_and_lacks_no_file),
		cmocka_unit_test(images_with_one_fix_are_explained_once),
		cmocka_unit_test(lines_of_a_part_of_the_code_are_explained_with_a_share),
		cmocka_unit_test(an_interpreter_that_reports_no_functions_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
