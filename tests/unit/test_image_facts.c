/* What is known of the images of a recording: names, lines, and what they lack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/builder.h"
#include "model/resolve.h"
#include "session/images/image_facts.h"
#include "symbols/image/symbols.h"

#define START 0x5000

/* The facts of one program that is not here, with samples at 0x110. */
struct fixture {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_sink sink;
	struct wk_symbols *symbols;
	struct wk_filter filter;
	struct wk_images_facts facts;
};

static void give(struct fixture *f, struct wk_event event)
{
	struct wk_err err = { 0 };

	event.pid = event.tid = 7;
	assert_true(wk_sink_emit(&f->sink, &event, &err));
}

static void start(struct fixture *f)
{
	*f = (struct fixture){ .model = wk_model_new() };
	f->builder = wk_builder_new(f->model);
	f->sink = wk_builder_sink(f->builder);
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE,
				   .image = { .start = START, .size_bytes = 0x1000,
					      .path = wk_str_c("/gone/app") } });
}

static void give_calls(struct fixture *f, const char *path)
{
	static const struct wk_event_call call = { WK_STR("work"), WK_STR("work.c"), 15 };

	give(f, (struct wk_event){ .kind = WK_EVENT_CALLS,
				   .calls = { .image_path = wk_str_c(path), .address = 0x110,
					      .calls = &call, .count = 1 } });
}

static const struct wk_image_facts *gather(struct fixture *f)
{
	uint64_t address = START + 0x110;
	struct wk_image_context about = { .recording = "wick.data" };
	struct wk_err err = { 0 };

	give(f, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
				   .sample = { .source = 1, .weight = 1, .user_chain = &address,
					       .user_count = 1, .user_is_exact = true } });
	wk_builder_finish(f->builder);
	f->symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	wk_model_resolve(f->model, f->symbols, NULL);
	assert_true(wk_filter_init(&f->filter, f->model, &(struct wk_filter_spec){ 0 }, &err));
	about.model = f->model;
	about.symbols = f->symbols;
	wk_images_facts_gather(&f->facts, &about, &f->filter);
	assert_int_equal(f->facts.count, 1);
	return &f->facts.at[0];
}

static void end(struct fixture *f)
{
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
	give_calls(&f, "/gone/app");
	facts = gather(&f);
	assert_int_equal(facts->lines, WK_EXTENT_RECORDED);
	assert_int_equal(facts->lacks & WK_LACKS_LINES, 0);
	end(&f);
}

static void a_program_without_lines_lacks_them(void **state)
{
	const struct wk_image_facts *facts;
	struct fixture f;

	(void)state;
	start(&f);
	give_calls(&f, "/gone/other");
	facts = gather(&f);
	assert_int_equal(facts->samples, 1);
	assert_int_equal(facts->lines, WK_EXTENT_NONE);
	assert_int_equal(facts->lacks & WK_LACKS_LINES, WK_LACKS_LINES);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_came_with_the_recording_are_recorded),
		cmocka_unit_test(a_program_without_lines_lacks_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
