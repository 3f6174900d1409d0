/* Recorded frames to named ones, by what came with the recording, and by the kernel that runs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "symbols/image/symbols.h"

#define START 0x5000

static const struct wk_build_id our_id = { .size = 2, .bytes = { 0xab, 0xcd } };
static const struct wk_build_id other_id = { .size = 2, .bytes = { 0xab, 0xce } };

struct fixture {
	struct wk_model *model;
	struct wk_builder *builder;
	struct wk_sink sink;
};

static void give(struct fixture *f, struct wk_event event)
{
	struct wk_err err = { 0 };

	event.pid = event.tid = 7;
	assert_true(wk_sink_emit(&f->sink, &event, &err));
}

/* A process with /bin/app in it: its first 0x1000 bytes, mapped at START. */
static void start(struct fixture *f)
{
	f->model = wk_model_new();
	f->builder = wk_builder_new(f->model);
	f->sink = wk_builder_sink(f->builder);
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE,
				   .image = { .start = START, .size_bytes = 0x1000,
					      .path = wk_str_c("/bin/app"),
					      .build_id = our_id } });
}

static void give_calls(struct fixture *f, uint64_t address, const struct wk_build_id *id,
		       const struct wk_event_call *calls, size_t count)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_CALLS,
				   .calls = { .image_path = wk_str_c("/bin/app"), .build_id = *id,
					      .address = address, .calls = calls,
					      .count = count } });
}

static void give_symbol(struct fixture *f, uint64_t begin, uint64_t size, const char *name)
{
	give(f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
				   .symbol = { .image_path = wk_str_c("/bin/app"),
					       .build_id = our_id, .start = begin,
					       .size_bytes = size, .name = wk_str_c(name) } });
}

/* At offsets in /bin/app, the innermost first. */
static void give_sample(struct fixture *f, const uint64_t *offsets, size_t count)
{
	uint64_t chain[8];

	for (size_t i = 0; i < count; i++)
		chain[i] = START + offsets[i];
	give(f, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
				   .sample = { .source = 1, .weight = 1, .user_chain = chain,
					       .user_count = count, .user_is_exact = true } });
}

/* main called shop, into which buy was inlined, and into that pay. The recording names shop twice:
 * by its symbol, and by the calls at 0x110. */
static void give_shop(struct fixture *f, const struct wk_build_id *id)
{
	static const struct wk_event_call shop[] = {
		{ WK_STR("shop"), WK_STR("shop.c"), 15 },
		{ WK_STR("buy"), WK_STR("shop.c"), 10 },
		{ WK_STR("pay"), WK_STR("till.c"), 5 },
	};

	give_calls(f, 0x110, id, shop, 3);
	give_symbol(f, 0x100, 0x40, "shop_symbol");
	give_symbol(f, 0x200, 0x40, "main");
	give_sample(f, (const uint64_t[]){ 0x110, 0x210 }, 2);
}

static void resolve_by(struct fixture *f, struct wk_symbols *symbols, bool no_inlined)
{
	struct wk_err err = { 0 };

	wk_builder_finish(f->builder);
	wk_model_resolve(
		f->model, symbols,
		(struct wk_resolve_options){ .no_inlined = no_inlined, .separates_unnamed = true });
	if (!model_check(f->model, &err))
		fail_msg("%s", err.text);
}

static void resolve(struct fixture *f, bool no_inlined)
{
	resolve_by(f, NULL, no_inlined);
}

static void end(struct fixture *f)
{
	wk_builder_free(f->builder);
	wk_model_free(f->model);
}

static const char *function_name(const struct wk_model *model, wk_function_id function)
{
	return wk_strtab_get(model->text, model->functions[function].name);
}

/* The calls at an offset, "shop:15 buy:10 ", outermost first. */
static void assert_calls(const struct fixture *f, uint64_t offset, const char *expected)
{
	const struct wk_model *model = f->model;
	struct wk_buf words = { 0 };

	for (wk_frame_id frame = 1; frame < model->frames.count; frame++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, frame);

		if (model->frames.address[frame] != offset)
			continue;
		for (uint32_t i = 0; i < calls.count; i++)
			wk_buf_add_fmt(&words, "%s:%u ", function_name(model, calls.function[i]),
				       calls.line[i]);
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
}

/* The named stack of the first sample, innermost first; what was inlined has a '+' before it. */
static void assert_named(const struct fixture *f, const char *expected)
{
	const struct wk_model *model = f->model;
	struct wk_buf words = { 0 };
	wk_stack_id id = model->named_of[model->samples.stack[0]];

	for (; id; id = model->named.entries[id].parent) {
		uint32_t frame = model->named.entries[id].label;

		wk_buf_add_fmt(&words, "%s%s ", model->named_frames.is_inlined[frame] ? "+" : "",
			       function_name(model, model->named_frames.function[frame]));
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
}

static void calls_that_came_along_are_told_outermost_first(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_shop(&f, &our_id);
	resolve(&f, false);
	assert_calls(&f, 0x110, "shop:15 buy:10 pay:5 ");
	assert_calls(&f, 0x210, "main:0 ");
	end(&f);
}

static void inlined_calls_are_frames_of_the_named_stack(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_shop(&f, &our_id);
	resolve(&f, false);
	assert_named(&f, "+pay +buy shop main ");
	end(&f);
}

static void without_inlined_calls_only_what_the_machine_ran_is_named(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_shop(&f, &our_id);
	resolve(&f, true);
	assert_named(&f, "shop main ");
	assert_calls(&f, 0x110, "shop:15 ");
	end(&f);
}

static void a_function_keeps_the_file_it_came_with(void **state)
{
	struct fixture f;
	bool is_met = false;

	(void)state;
	start(&f);
	give_shop(&f, &our_id);
	resolve(&f, false);
	for (wk_function_id i = 1; i < f.model->function_count; i++)
		if (strcmp(function_name(f.model, i), "pay") == 0) {
			is_met = true;
			assert_string_equal(
				wk_strtab_get(f.model->text, f.model->functions[i].file), "till.c");
		}
	assert_true(is_met);
	end(&f);
}

static void calls_of_another_build_name_nothing(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_shop(&f, &other_id);
	resolve(&f, false);
	assert_named(&f, "shop_symbol main ");
	end(&f);
}

static void calls_name_their_own_address_only(void **state)
{
	static const struct wk_event_call one = { WK_STR("shop"), WK_STR(""), 15 };
	struct fixture f;

	(void)state;
	start(&f);
	give_calls(&f, 0x110, &our_id, &one, 1);
	give_sample(&f, (const uint64_t[]){ 0x111, 0x110, 0x10f }, 3);
	resolve(&f, false);
	assert_named(&f, "app+0x111 shop app+0x10f ");
	end(&f);
}

static void the_same_function_at_two_addresses_is_one(void **state)
{
	static const struct wk_event_call first = { WK_STR("shop"), WK_STR("shop.c"), 15 };
	static const struct wk_event_call second = { WK_STR("shop"), WK_STR("shop.c"), 16 };
	struct fixture f;
	const struct wk_model *model;
	wk_stack_id leaf;

	(void)state;
	start(&f);
	give_calls(&f, 0x120, &our_id, &second, 1); /* in no order */
	give_calls(&f, 0x110, &our_id, &first, 1);
	give_sample(&f, (const uint64_t[]){ 0x110, 0x120 }, 2);
	resolve(&f, false);
	model = f.model;
	assert_calls(&f, 0x110, "shop:15 ");
	assert_calls(&f, 0x120, "shop:16 ");
	leaf = model->named_of[model->samples.stack[0]];
	assert_int_equal(
		model->named_frames.function[model->named.entries[leaf].label],
		model->named_frames
			.function[model->named.entries[model->named.entries[leaf].parent].label]);
	end(&f);
}

static void a_call_without_a_name_goes_by_its_image(void **state)
{
	static const struct wk_event_call calls[] = {
		{ WK_STR(""), WK_STR(""), 0 },
		{ WK_STR("pay"), WK_STR(""), 5 },
	};
	struct fixture f;

	(void)state;
	start(&f);
	give_calls(&f, 0x110, &our_id, calls, 2);
	give_sample(&f, (const uint64_t[]){ 0x110 }, 1);
	resolve(&f, false);
	assert_named(&f, "+pay app+0x110 ");
	end(&f);
}

static void an_empty_chain_of_calls_leaves_the_symbol(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	give_calls(&f, 0x110, &our_id, NULL, 0);
	give_symbol(&f, 0x100, 0x40, "shop_symbol");
	give_sample(&f, (const uint64_t[]){ 0x110 }, 1);
	resolve(&f, false);
	assert_named(&f, "shop_symbol ");
	end(&f);
}

static void a_copy_of_a_function_is_called_as_the_function_and_keeps_its_linked_name(void **state)
{
	struct fixture f;
	const struct wk_model *model;
	wk_function_id function;

	(void)state;
	start(&f);
	give_symbol(&f, 0x100, 0x40, "shop.constprop.0");
	give_sample(&f, (const uint64_t[]){ 0x110 }, 1);
	resolve(&f, false);
	model = f.model;
	assert_named(&f, "shop ");
	function = model->named_frames.function[model->named.entries[1].label];
	assert_string_equal(wk_strtab_get(model->text, model->functions[function].linked),
			    "shop.constprop.0");
	end(&f);
}

static void the_recorded_stack_stays_as_it_was(void **state)
{
	struct fixture f;
	const struct wk_model *model;
	wk_stack_id leaf;

	(void)state;
	start(&f);
	give_shop(&f, &our_id);
	resolve(&f, false);
	model = f.model;
	leaf = model->samples.stack[0];
	assert_int_equal(model->frames.address[model->stacks.entries[leaf].label], 0x110);
	assert_int_equal(
		model->frames
			.address[model->stacks.entries[model->stacks.entries[leaf].parent].label],
		0x210);
	assert_int_equal(model->stacks.entries[model->stacks.entries[leaf].parent].parent, 0);
	end(&f);
}

/* A recording without build ids: what it says of its machine, where its kernel lay, and a sample
 * in that. */
struct told {
	const char *host, *release;
	uint64_t start, size_bytes;
};

static void give_kernel(struct fixture *f, const struct told *told)
{
	static const uint64_t chain[] = { 0xffffffff81000110 };

	give(f, (struct wk_event){ .kind = WK_EVENT_SYSTEM,
				   .system = { .key = wk_str_c("host name"), .value = wk_str_c(told->host) } });
	give(f, (struct wk_event){ .kind = WK_EVENT_SYSTEM,
				   .system = { .key = wk_str_c("kernel"), .value = wk_str_c(told->release) } });
	give(f, (struct wk_event){ .kind = WK_EVENT_IMAGE,
				   .image = { .start = told->start,
					      .size_bytes = told->size_bytes,
					      .path = wk_str_c("[kernel.kallsyms]"),
					      .is_kernel = true } });
	give(f, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
				   .sample = { .source = 1, .weight = 1, .in_kernel = true,
					       .kernel_chain = chain, .kernel_count = 1 } });
}

/* What the one sample's function is called. */
static const char *kernel_name(const struct told *told)
{
	static char name[64];
	char table[] = "/tmp/wick-kallsyms-XXXXXX";
	struct wk_symbols *symbols =
		wk_symbols_new(&(struct wk_symbols_options){ .kallsyms_path = table });
	FILE *file = fdopen(mkstemp(table), "w");
	struct fixture f;

	assert_non_null(file);
	fputs("ffffffff81000000 T _text\nffffffff81000100 t work\n"
	      "ffffffff81000200 T _etext\n",
	      file);
	fclose(file);
	start(&f);
	give_kernel(&f, told);
	resolve_by(&f, symbols, false);
	snprintf(name, sizeof(name), "%s", function_name(f.model, f.model->calls.function[0]));
	end(&f);
	wk_symbols_free(symbols);
	unlink(table);
	return name;
}

static void a_kernel_without_a_build_id_is_known_by_host_release_and_place(void **state)
{
	struct utsname here;
	struct told told = { .start = 0xffffffff81000000, .size_bytes = 0x200 };

	(void)state;
	assert_int_equal(uname(&here), 0);
	told.host = here.nodename;
	told.release = here.release;
	assert_string_equal(kernel_name(&told), "work");
	told.size_bytes = 0x100000; /* some recorders count its data to it */
	assert_string_equal(kernel_name(&told), "work");
}

static void a_kernel_that_may_be_another_one_names_nothing(void **state)
{
	static const char nameless[] = "[kernel.kallsyms]+0xffffffff81000110";
	struct utsname here;
	struct told ours = { .start = 0xffffffff81000000, .size_bytes = 0x200 }, told;

	(void)state;
	assert_int_equal(uname(&here), 0);
	ours.host = here.nodename;
	ours.release = here.release;
	told = ours;
	told.host = "elsewhere";
	assert_string_equal(kernel_name(&told), nameless);
	told = ours;
	told.release = "2.4.0";
	assert_string_equal(kernel_name(&told), nameless);
	told = ours;
	told.start -= 0x1000; /* it moved */
	told.size_bytes += 0x1000;
	assert_string_equal(kernel_name(&told), nameless);
	told = ours;
	told.size_bytes = 0x1f0; /* it was built again */
	assert_string_equal(kernel_name(&told), nameless);
}

/* A file of some kilobytes may claim so: each frame of a deep stack as many calls. */
static void stacks_do_not_grow_by_hundreds_of_calls_a_frame(void **state)
{
	enum { CALLS = 256, DEPTH = 20000 };
	struct wk_event_call calls[CALLS];
	uint64_t *chain = wk_alloc(DEPTH * sizeof(*chain));
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < CALLS; i++)
		calls[i] = (struct wk_event_call){ WK_STR("again"), WK_STR("a.c"), 1 };
	for (size_t i = 0; i < DEPTH; i++)
		chain[i] = START + 0x110;
	start(&f);
	give_calls(&f, 0x110, &our_id, calls, CALLS);
	give(&f, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
				    .sample = { .source = 1, .weight = 1, .user_chain = chain,
						.user_count = DEPTH, .user_is_exact = true } });
	resolve(&f, false);
	assert_in_range(f.model->named.count, DEPTH, 1 << 20);
	assert_int_equal(f.model->note_count, 1);
	assert_non_null(
		strstr(wk_model_str(f.model, f.model->notes[0].text).at, " frames were left out"));
	wk_free(chain);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_do_not_grow_by_hundreds_of_calls_a_frame),
		cmocka_unit_test(calls_that_came_along_are_told_outermost_first),
		cmocka_unit_test(inlined_calls_are_frames_of_the_named_stack),
		cmocka_unit_test(without_inlined_calls_only_what_the_machine_ran_is_named),
		cmocka_unit_test(a_function_keeps_the_file_it_came_with),
		cmocka_unit_test(calls_of_another_build_name_nothing),
		cmocka_unit_test(calls_name_their_own_address_only),
		cmocka_unit_test(the_same_function_at_two_addresses_is_one),
		cmocka_unit_test(a_call_without_a_name_goes_by_its_image),
		cmocka_unit_test(an_empty_chain_of_calls_leaves_the_symbol),
		cmocka_unit_test(
			a_copy_of_a_function_is_called_as_the_function_and_keeps_its_linked_name),
		cmocka_unit_test(the_recorded_stack_stays_as_it_was),
		cmocka_unit_test(a_kernel_without_a_build_id_is_known_by_host_release_and_place),
		cmocka_unit_test(a_kernel_that_may_be_another_one_names_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
