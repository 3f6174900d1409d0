#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "model/resolve.h"
#include "reach.h"

static void give_process(struct built *fixture, enum wk_process_change change, uint64_t time_ns,
			 uint32_t pid, uint32_t parent_pid, const char *name)
{
	built_give(fixture, (struct wk_event){
			      .kind = WK_EVENT_PROCESS,
			      .time_ns = time_ns,
			      .pid = pid,
			      .tid = pid,
			      .process = { .change = change, .parent_pid = parent_pid,
					   .name = wk_str_c(name) } });
}

static void give_image(struct built *fixture, uint32_t pid, uint64_t start, uint64_t offset,
		       const char *path)
{
	built_give(fixture, (struct wk_event){
			      .kind = WK_EVENT_IMAGE,
			      .pid = pid,
			      .tid = pid,
			      .image = { .start = start, .size_bytes = 0x1000,
					 .file_offset = offset, .path = wk_str_c(path),
					 .is_kernel = pid == WK_KERNEL_PID } });
}

static void give_sample(struct built *fixture, uint64_t time_ns, uint32_t pid, uint32_t tid,
			const uint64_t *kernel, size_t kernel_count, const uint64_t *user,
			size_t user_count, bool is_exact)
{
	built_give(fixture, (struct wk_event){
			      .kind = WK_EVENT_SAMPLE,
			      .time_ns = time_ns,
			      .pid = pid,
			      .tid = tid,
			      .cpu = 1,
			      .sample = { .source = 3, .weight = 10,
					  .kernel_chain = kernel, .kernel_count = kernel_count,
					  .user_chain = user, .user_count = user_count,
					  .user_is_exact = is_exact } });
}

static void lose(struct built *fixture, struct wk_event_lost lost)
{
	built_give(fixture,
		   (struct wk_event){ .kind = WK_EVENT_LOST, .cpu = WK_NO_CPU, .lost = lost });
}

static void lost_samples_are_those_of_an_event_if_that_is_known(void **state)
{
	struct built fixture;
	const struct wk_source *sources;

	(void)state;
	built_start(&fixture);
	for (uint32_t source = 0; source < 2; source++)
		built_give(&fixture, (struct wk_event){
					     .kind = WK_EVENT_SOURCE,
					     .source = { .source = source,
							 .name = wk_str_c(source ? "b" : "a"),
							 .unit = WK_STR("events") } });
	lose(&fixture, (struct wk_event_lost){ .count = 40, .samples_only = true });
	lose(&fixture, (struct wk_event_lost){ .count = 2 });
	lose(&fixture, (struct wk_event_lost){ .count = 5, .samples_only = true,
					       .has_source = true, .source = 1 });
	/* Of the forty. */
	lose(&fixture, (struct wk_event_lost){ .samples_only = true, .has_source = true,
					       .count_before = 30 });
	lose(&fixture, (struct wk_event_lost){ .count_before = 7 });
	/* Of an event that nobody announced. */
	lose(&fixture, (struct wk_event_lost){ .count = 1, .samples_only = true,
					       .has_source = true, .source = 9 });
	built_end(&fixture);
	sources = fixture.model->sources;
	assert_int_equal(fixture.model->lost_samples, 40 + 5 - 7 + 1);
	assert_int_equal(fixture.model->lost_records, 2 + 7);
	assert_int_equal(sources[1].lost_samples, 30);
	assert_int_equal(sources[2].lost_samples, 5);
	wk_model_free(fixture.model);
}

/* The stack of a sample as "image@address ...", root first. */
static const char *stack_text(const struct wk_model *model, uint32_t sample)
{
	static char text[1024];
	wk_stack_id ids[64];
	size_t depth = 0, len = 0;

	for (wk_stack_id id = model->samples.stack[sample]; id;
	     id = model->stacks.entries[id].parent)
		ids[depth++] = id;
	text[0] = '\0';
	while (depth--) {
		wk_frame_id frame = model->stacks.entries[ids[depth]].label;
		const struct wk_image *image = &model->images[model->frames.image[frame]];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s@%" PRIx64,
					len ? " " : "", wk_strtab_get(model->text, image->name),
					model->frames.address[frame]);
	}
	return text;
}

static void a_chain_becomes_offsets_in_files_with_callers_one_byte_back(void **state)
{
	static const uint64_t user[] = { 0x5010, 0x5120, 0x9044 };
	static const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000200 };
	struct built f;

	(void)state;
	built_start(&f);
	give_process(&f, WK_PROCESS_SEEN, 0, 7, 1, "app");
	give_image(&f, WK_KERNEL_PID, 0xffffffff81000000, 0, "[kernel.kallsyms]");
	give_image(&f, 7, 0x5000, 0x200, "/bin/app");
	give_sample(&f, 100, 7, 7, kernel, 2, user, 3, false);
	give_sample(&f, 200, 7, 7, NULL, 0, user, 3, true);
	built_end(&f);
	assert_string_equal(
		stack_text(f.model, 0),
		"[unknown]@9043 app@31f app@210 "
		"[kernel.kallsyms]@ffffffff810001ff [kernel.kallsyms]@ffffffff81000010");
	assert_string_equal(stack_text(f.model, 1), "[unknown]@9044 app@320 app@210");
	wk_model_free(f.model);
}

static void the_same_stack_is_one_row(void **state)
{
	static const uint64_t user[] = { 0x5010, 0x5120 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/bin/app");
	for (uint64_t i = 0; i < 100; i++)
		give_sample(&f, i, 7, 7, NULL, 0, user, 2, true);
	built_end(&f);
	assert_int_equal(f.model->samples.count, 100);
	assert_int_equal(f.model->stacks.count, 3);
	assert_int_equal(f.model->frames.count, 3);
	wk_model_free(f.model);
}

/* A thread's next chain is compared with its last one from the outermost entry on. */
static void chains_with_common_callers_share_only_what_is_the_same(void **state)
{
	static const uint64_t long_one[] = { 0x5010, 0x5120, 0x5230 };
	static const uint64_t other_leaf[] = { 0x5020, 0x5120, 0x5230 };
	static const uint64_t callers_alone[] = { 0x5120, 0x5230 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/bin/app");
	give_sample(&f, 1, 7, 7, NULL, 0, long_one, 3, false);
	give_sample(&f, 2, 7, 7, NULL, 0, other_leaf, 3, false);
	give_sample(&f, 3, 7, 7, NULL, 0, callers_alone, 2, false);
	give_sample(&f, 4, 7, 7, NULL, 0, long_one, 3, false);
	give_sample(&f, 5, 7, 7, NULL, 0, long_one, 3, true);
	give_image(&f, 7, 0x5000, 0, "/bin/other");
	give_sample(&f, 6, 7, 7, NULL, 0, long_one, 3, false);
	built_end(&f);
	assert_string_equal(stack_text(f.model, 0), "app@22f app@11f app@10");
	assert_string_equal(stack_text(f.model, 1), "app@22f app@11f app@20");
	assert_string_equal(stack_text(f.model, 2), "app@22f app@120");
	assert_int_equal(f.model->samples.stack[3], f.model->samples.stack[0]);
	assert_string_equal(stack_text(f.model, 4), "app@230 app@120 app@10");
	assert_string_equal(stack_text(f.model, 5), "other@22f other@11f other@10");
	wk_model_free(f.model);
}

static void give_numbered(struct built *fixture, uint32_t pid, uint64_t number)
{
	static const uint64_t kernel[] = { 0xff001010 }, user[] = { 0x5010, 0x5120 };

	built_give(fixture, (struct wk_event){
			      .kind = WK_EVENT_SAMPLE, .pid = pid, .tid = pid,
			      .sample = { .source = 3, .weight = 10, .chain_number = number,
					  .kernel_chain = kernel, .kernel_count = 1,
					  .user_chain = user, .user_count = 2 } });
}

/* Until something else is mapped at its addresses. */
static void a_chain_with_a_number_is_looked_up_once(void **state)
{
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, WK_KERNEL_PID, 0xff001000, 0, "[kernel.kallsyms]");
	give_image(&f, 7, 0x5000, 0, "/bin/app");
	give_image(&f, 8, 0x5000, 0, "/bin/till");
	give_numbered(&f, 7, 1);
	give_numbered(&f, 8, 1);
	give_numbered(&f, 7, 1);
	give_image(&f, 7, 0x5000, 0, "/bin/other");
	give_numbered(&f, 7, 1);
	give_image(&f, WK_KERNEL_PID, 0xff001000, 0, "[more]");
	give_numbered(&f, 7, 1);
	wk_builder_next_input(f.builder);
	give_image(&f, 7, 0x5000, 0, "/bin/next");
	give_numbered(&f, 7, 1);
	built_end(&f);
	assert_int_equal(f.model->samples.stack[2], f.model->samples.stack[0]);
	assert_non_null(strstr(stack_text(f.model, 0), "app@11f"));
	assert_non_null(strstr(stack_text(f.model, 1), "till@11f"));
	assert_non_null(strstr(stack_text(f.model, 3), "other@11f"));
	assert_int_not_equal(f.model->samples.stack[4], f.model->samples.stack[3]);
	assert_non_null(strstr(stack_text(f.model, 5), "next@11f"));
	wk_model_free(f.model);
}

static void kernel_parts_stand_on_their_own_users(void **state)
{
	static const uint64_t kernel[] = { 0xf010, 0xf020 };
	static const uint64_t one[] = { 0x5010 }, two[] = { 0x5020 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, WK_KERNEL_PID, 0xf000, 0, "[kernel.kallsyms]");
	give_image(&f, 7, 0x5000, 0, "/bin/app");
	give_sample(&f, 1, 7, 7, kernel, 2, one, 1, false);
	give_sample(&f, 2, 7, 7, kernel, 2, two, 1, false);
	give_sample(&f, 3, 7, 7, kernel, 2, NULL, 0, false);
	built_end(&f);
	assert_string_equal(stack_text(f.model, 0),
			    "app@10 [kernel.kallsyms]@f01f [kernel.kallsyms]@f010");
	assert_string_equal(stack_text(f.model, 1),
			    "app@20 [kernel.kallsyms]@f01f [kernel.kallsyms]@f010");
	assert_string_equal(stack_text(f.model, 2),
			    "[kernel.kallsyms]@f01f [kernel.kallsyms]@f010");
	wk_model_free(f.model);
}

static void summed_samples_are_a_row_a_stack_and_thread(void **state)
{
	static const uint64_t one[] = { 0x5010 }, two[] = { 0x5020 };
	struct built f;

	(void)state;
	built_start(&f);
	f.model->sums_samples = true;
	give_image(&f, 7, 0x5000, 0, "/bin/app");
	for (uint64_t i = 1; i <= 100; i++) {
		give_sample(&f, i, 7, 7, NULL, 0, one, 1, false);
		give_sample(&f, i, 7, 8, NULL, 0, i > 50 ? one : two, 1, false);
	}
	built_end(&f);
	assert_int_equal(f.model->samples.count, 3);
	assert_int_equal(wk_model_sample_times(f.model, 0), 100);
	assert_int_equal(f.model->samples.weight[0], 1000);
	assert_int_equal(wk_model_sample_times(f.model, 1), 50);
	assert_int_equal(wk_model_sample_times(f.model, 2), 50);
	assert_int_equal(f.model->first_ns, 1);
	assert_int_equal(f.model->last_ns, 100);
	wk_model_free(f.model);
}

static void give_fact(struct built *built, const char *key, const char *value)
{
	built_give(built, (struct wk_event){ .kind = WK_EVENT_SYSTEM,
					     .cpu = WK_NO_CPU,
					     .system = { .key = wk_str_c(key),
							 .value = wk_str_c(value) } });
}

/* Of a recording by `recorder` of `recorded`, a process of which starts at `start_ns` (0: that is
 * not known) and has its first sample at 9000. */
static uint64_t begin_of_target(const char *recorder, const char *recorded, const char *clock_pair,
				uint64_t start_ns)
{
	static const uint64_t user[] = { 0x5010 };
	struct built f;
	uint64_t begin_ns;

	built_start(&f);
	give_fact(&f, "recorder", recorder);
	give_fact(&f, "recorded", recorded);
	give_fact(&f, "clock pair", clock_pair);
	if (start_ns > 9000)
		give_sample(&f, 9000, 7, 7, NULL, 0, user, 1, false);
	if (start_ns)
		built_give(&f, (struct wk_event){ .kind = WK_EVENT_PROCESS,
						  .time_ns = start_ns,
						  .pid = 7,
						  .tid = 7,
						  .cpu = WK_NO_CPU,
						  .process = { .change = WK_PROCESS_START } });
	if (start_ns <= 9000)
		give_sample(&f, 9000, 7, 7, NULL, 0, user, 1, false);
	give_sample(&f, 9500, 7, 7, NULL, 0, user, 1, false);
	built_end(&f);
	begin_ns = wk_model_begin_ns(f.model);
	assert_int_equal(wk_model_side_begin_ns(f.model, false), begin_ns);
	wk_model_free(f.model);
	return begin_ns;
}

static uint64_t begin_of(const char *recorder, const char *clock_pair, uint64_t start_ns)
{
	return begin_of_target(recorder, "./app input.txt", clock_pair, start_ns);
}

static void times_of_own_recordings_count_from_their_start(void **state)
{
	static const char during[] = "the whole system during ./app";

	(void)state;
	assert_int_equal(begin_of("wick 0.1.0", "4000 99000", 5000), 5000);
	assert_int_equal(begin_of("wick 0.1.0", "4000 99000", 0), 4000);
	assert_int_equal(begin_of("wick 0.1.0", "4000 99000", 9200), 9000); /* sampled before */
	assert_int_equal(begin_of("wick 0.1.0", "6000 99000", 5000), 6000); /* not its start */
	assert_int_equal(begin_of("wick 0.1.0", "9999 99000", 5000), 9000);
	assert_int_equal(begin_of("wick 0.1.0", "4000", 5000), 9000);
	assert_int_equal(begin_of("6.1.0", "4000 99000", 5000), 9000); /* perf's */
	/* Of what ran already, the first process that starts is not the start. */
	assert_int_equal(begin_of_target("wick 1", "process 7 (app)", "4000 99000", 5000), 4000);
	assert_int_equal(begin_of_target("wick 1", "processes 7, 8", "4000 99000", 5000), 4000);
	assert_int_equal(begin_of_target("wick 1", "the whole system", "4000 99000", 5000), 4000);
	assert_int_equal(begin_of_target("wick 1", during, "4000 99000", 5000), 5000);
}

static void short_lived_children_keep_their_names(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	struct built f;
	const struct wk_process *first, *second;

	(void)state;
	built_start(&f);
	give_process(&f, WK_PROCESS_SEEN, 0, 7, 1, "make");
	for (uint64_t i = 0; i < 2; i++) {
		/* The same pid twice: a reused number is another process. */
		give_process(&f, WK_PROCESS_FORK, 10 + 100 * i, 8, 7, "");
		give_process(&f, WK_PROCESS_EXEC, 20 + 100 * i, 8, 0, i ? "ld" : "cc1");
		give_sample(&f, 30 + 100 * i, 8, 8, NULL, 0, user, 1, true);
		give_process(&f, WK_PROCESS_EXIT, 40 + 100 * i, 8, 0, "");
	}
	built_end(&f);
	first = &f.model->processes[f.model->threads[wk_sample_thread(&f.model->samples, 0)]
					    .process];
	second = &f.model->processes[f.model->threads[wk_sample_thread(&f.model->samples, 1)]
					     .process];
	assert_string_equal(wk_strtab_get(f.model->text, first->name), "cc1");
	assert_string_equal(wk_strtab_get(f.model->text, second->name), "ld");
	assert_int_equal(first->end_ns, 40);
	assert_int_equal(second->start_ns, 110);
	assert_string_equal(wk_strtab_get(f.model->text, f.model->processes[first->parent].name),
			    "make");
	wk_model_free(f.model);
}

static void a_new_mapping_at_the_same_place_is_another_frame(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/lib/a.so");
	give_sample(&f, 1, 7, 7, NULL, 0, user, 1, true);
	give_image(&f, 7, 0x5000, 0, "/lib/b.so");
	give_sample(&f, 2, 7, 7, NULL, 0, user, 1, true);
	built_end(&f);
	assert_string_equal(stack_text(f.model, 0), "a.so@10");
	assert_string_equal(stack_text(f.model, 1), "b.so@10");
	wk_model_free(f.model);
}

static void tasks_that_had_no_number_left_are_named_for_that(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	const struct wk_process *process;
	struct built f;

	(void)state;
	built_start(&f);
	give_sample(&f, 1, UINT32_MAX, UINT32_MAX, NULL, 0, user, 1, true);
	built_end(&f);
	process = &f.model->processes[f.model->threads[wk_sample_thread(&f.model->samples, 0)]
					      .process];
	assert_string_equal(wk_strtab_get(f.model->text, process->name), "[exiting]");
	wk_model_free(f.model);
}

static void embedded_names_are_used_and_demangled(void **state)
{
	static const uint64_t user[] = { 0x5010, 0x5110, 0x5900 };
	struct built f;
	wk_stack_id named;
	struct wk_named_frames *frames;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/gone/app");
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
				    .symbol = { .image_path = WK_STR("/gone/app"), .start = 0x0,
						.size_bytes = 0x100, .name = WK_STR("_Z3foov") } });
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
				    .symbol = { .image_path = WK_STR("/gone/app"), .start = 0x100,
						.size_bytes = 0x100, .name = WK_STR("_start") } });
	give_sample(&f, 1, 7, 7, NULL, 0, user, 2, true);
	give_sample(&f, 2, 7, 7, NULL, 0, user, 3, true);
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	assert_true(model_check(f.model, NULL));
	frames = &f.model->named_frames;
	named = f.model->named_of[f.model->samples.stack[0]];
	assert_string_equal(
		wk_strtab_get(
			f.model->text,
			f.model->functions[frames->function[f.model->named.entries[named].label]]
				.name),
		"foo()");
	named = f.model->named.entries[named].parent;
	assert_string_equal(
		wk_strtab_get(
			f.model->text,
			f.model->functions[frames->function[f.model->named.entries[named].label]]
				.name),
		"_start");
	assert_int_equal(reach_of(f.model).with_user_part, 2);
	assert_int_equal(reach_of(f.model).whole, 1);
	wk_model_free(f.model);
}

static void what_has_no_name_shows_image_and_offset(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	struct built f;
	const struct wk_function *function;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0x1a00, "/gone/app");
	give_sample(&f, 1, 7, 7, NULL, 0, user, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	function = &f.model->functions[f.model->named_frames.function[1]];
	assert_string_equal(wk_strtab_get(f.model->text, function->name), "app+0x1a10");
	assert_true(function->is_unnamed);
	wk_model_free(f.model);
}

/* A program may map it twice, once to write and once to run, and each time elsewhere. */
static void memory_that_has_a_name_is_named_by_offsets(void **state)
{
	static const uint64_t first[] = { 0x5010 }, second[] = { 0x9010 }, nameless[] = { 0xc010 };
	const struct wk_model *model;
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0x2000, "/memfd:code (deleted)");
	give_image(&f, 8, 0x9000, 0x2000, "/memfd:code (deleted)");
	give_image(&f, 8, 0xc000, 0x2000, "//anon");
	give_sample(&f, 1, 7, 7, NULL, 0, first, 1, true);
	give_sample(&f, 2, 8, 8, NULL, 0, second, 1, true);
	give_sample(&f, 3, 8, 8, NULL, 0, nameless, 1, true);
	built_end(&f);
	model = f.model;
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	assert_int_equal(model->samples.stack[0], model->samples.stack[1]);
	assert_string_equal(wk_strtab_get(model->text, model->functions[1].name),
			    "memfd:code+0x2010");
	assert_string_equal(wk_strtab_get(model->text, model->functions[2].name), "//anon+0xc010");
	wk_model_free(f.model);
}

static void stacks_that_begin_in_a_file_that_is_gone_are_of_unknown_reach(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	struct wk_symbols *symbols = wk_symbols_new(&(struct wk_symbols_options){ 0 });
	struct reach reach;
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/nowhere/app");
	give_sample(&f, 1, 7, 7, NULL, 0, user, 1, true);
	give_sample(&f, 2, 8, 8, NULL, 0, user, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, symbols,
			 (struct wk_resolve_options){ .separates_unnamed = true });
	assert_int_equal(f.model->images[1].state, WK_IMAGE_MISSING);
	reach = reach_of(f.model);
	assert_int_equal(reach.with_user_part, 2);
	assert_int_equal(reach.whole, 0);
	assert_int_equal(reach.unknown, 1);
	wk_model_free(f.model);
	wk_symbols_free(symbols);
}

static void what_the_kernel_does_between_two_programs_has_no_user_part(void **state)
{
	static const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000200 };
	static const uint64_t user[] = { 0x7010, 0x7110 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, WK_KERNEL_PID, 0xffffffff81000000, 0, "[kernel.kallsyms]");
	give_sample(&f, 1, 7, 7, kernel, 2, user, 1, true);
	give_sample(&f, 2, 7, 7, kernel, 2, user, 2, true);
	give_sample(&f, 3, 7, 7, NULL, 0, user, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	assert_int_equal(reach_of(f.model).with_user_part, 2);
	wk_model_free(f.model);
}

static void nor_what_it_does_for_a_caller_of_execve_whose_stack_is_gone(void **state)
{
	static const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000200 };
	static const uint64_t user[] = { 0x5010, 0x5110 };
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, WK_KERNEL_PID, 0xffffffff81000000, 0, "[kernel.kallsyms]");
	give_image(&f, 7, 0x5000, 0, "/gone/libc.so.6");
	built_give(&f, (struct wk_event){ .kind = WK_EVENT_SYMBOL,
					  .symbol = { .image_path = WK_STR("/gone/libc.so.6"),
						      .size_bytes = 0x100,
						      .name = WK_STR("execve") } });
	give_sample(&f, 1, 7, 7, kernel, 2, user, 1, true);
	give_sample(&f, 2, 7, 7, kernel, 2, user, 2, true);
	give_sample(&f, 3, 7, 7, NULL, 0, user, 1, true);
	give_sample(&f, 4, 7, 7, kernel, 2, user + 1, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	assert_int_equal(reach_of(f.model).with_user_part, 3);
	wk_model_free(f.model);
}

/* The recorder may have seen their end; of the code nothing is left that could tell. */
static void stacks_that_begin_in_code_of_memory_are_of_unknown_reach(void **state)
{
	static const uint64_t user[] = { 0x5010 };
	struct reach reach;
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, 7, 0x5000, 0, "/memfd:tool (deleted)");
	give_sample(&f, 1, 7, 7, NULL, 0, user, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	reach = reach_of(f.model);
	assert_int_equal(reach.with_user_part, 1);
	assert_int_equal(reach.unknown, 1);
	wk_model_free(f.model);
}

/* Neither says which kernel it was: the names of the one that runs here may be wrong. */
static void a_kernel_and_a_vdso_of_nobody_knows_where_stay_unnamed(void **state)
{
	static const uint64_t kernel[] = { 0xffffffff81000010 };
	uint64_t user[] = { 0 };
	struct wk_symbols *symbols = wk_symbols_new(NULL);
	struct built f;

	(void)state;
	built_start(&f);
	give_image(&f, WK_KERNEL_PID, 0xffffffff81000000, 0, "[kernel.kallsyms]");
	give_image(&f, 7, 0x5000, 0, "[vdso]");
	for (user[0] = 0x5000; user[0] < 0x6000; user[0] += 16)
		give_sample(&f, 1, 7, 7, kernel, 1, user, 1, true);
	built_end(&f);
	wk_model_resolve(f.model, symbols,
			 (struct wk_resolve_options){ .separates_unnamed = true });
	for (uint32_t i = 1; i < f.model->named_frames.count; i++) {
		wk_function_id function = f.model->named_frames.function[i];

		assert_true(f.model->functions[function].is_unnamed);
	}
	wk_model_free(f.model);
	wk_symbols_free(symbols);
}

/* Traces count threads from 1 in each process. */
static void threads_of_one_number_in_two_processes_stay_two(void **state)
{
	struct built fixture;

	(void)state;
	built_start(&fixture);
	for (uint32_t i = 0; i < 6; i++)
		built_give(&fixture, (struct wk_event){ .kind = WK_EVENT_SAMPLE,
						  .time_ns = 1 + i,
						  .pid = 10 + i % 2,
						  .tid = 1,
						  .cpu = WK_NO_CPU,
						  .sample = { .address = 0x1000, .weight = 1 } });
	assert_int_equal(fixture.model->thread_count, 3);
	assert_int_equal(wk_sample_thread(&fixture.model->samples, 0),
			 wk_sample_thread(&fixture.model->samples, 4));
	assert_int_not_equal(wk_sample_thread(&fixture.model->samples, 0),
			     wk_sample_thread(&fixture.model->samples, 1));
	built_end(&fixture);
	wk_model_free(fixture.model);
}

/* Windows: a process is made of a file, and its threads have numbers of their own. */
static void give_started(struct built *fixture, uint32_t pid, uint32_t parent_pid)
{
	built_give(fixture, (struct wk_event){
			      .kind = WK_EVENT_PROCESS, .time_ns = 5, .pid = pid,
			      .process = { .change = WK_PROCESS_START, .parent_pid = parent_pid,
					   .threads_apart = true, .name = WK_STR("child.exe") } });
}

static void a_process_that_starts_by_itself_has_nothing_of_its_parent(void **state)
{
	static const uint64_t user[] = { 0x1010 };
	struct built fixture;
	wk_process_id process;

	(void)state;
	built_start(&fixture);
	give_process(&fixture, WK_PROCESS_SEEN, 0, 10, 0, "parent.exe");
	give_image(&fixture, 10, 0x1000, 0, "C:\\bin\\parent.exe");
	give_started(&fixture, 20, 10);
	give_sample(&fixture, 6, 20, 21, NULL, 0, user, 1, false);
	built_end(&fixture);
	assert_string_equal(stack_text(fixture.model, 0), "[unknown]@1010");
	process = fixture.model->threads[wk_sample_thread(&fixture.model->samples, 0)].process;
	assert_true(wk_str_is(wk_model_str(fixture.model, fixture.model->processes[process].name),
			      "child.exe"));
	assert_int_equal(fixture.model->processes[process].start_ns, 5);
	for (wk_thread_id id = 1; id < fixture.model->thread_count; id++)
		assert_int_not_equal(fixture.model->threads[id].tid, 20);
	wk_model_free(fixture.model);
}

static void what_was_unmapped_is_not_there_any_more(void **state)
{
	static const uint64_t user[] = { 0x1010 };
	struct built fixture;

	(void)state;
	built_start(&fixture);
	give_process(&fixture, WK_PROCESS_SEEN, 0, 10, 0, "a.exe");
	give_image(&fixture, 10, 0x1000, 0, "C:\\bin\\a.dll");
	give_sample(&fixture, 1, 10, 11, NULL, 0, user, 1, false);
	built_give(&fixture, (struct wk_event){ .kind = WK_EVENT_IMAGE, .time_ns = 2, .pid = 10,
					  .image = { .start = 0x1000, .size_bytes = 0x1000,
						     .is_gone = true } });
	give_sample(&fixture, 3, 10, 11, NULL, 0, user, 1, false);
	give_image(&fixture, 10, 0x1000, 0, "C:\\bin\\b.dll");
	give_sample(&fixture, 4, 10, 11, NULL, 0, user, 1, false);
	built_end(&fixture);
	assert_string_equal(stack_text(fixture.model, 0), "a.dll@10");
	assert_string_equal(stack_text(fixture.model, 1), "[unknown]@1010");
	assert_string_equal(stack_text(fixture.model, 2), "b.dll@10");
	wk_model_free(fixture.model);
}

static void a_file_that_the_kernel_has_mapped_is_a_file_with_offsets(void **state)
{
	static const uint64_t kernel[] = { 0xfffff80000001234 };
	struct built fixture;
	wk_image_id image = 0;

	(void)state;
	built_start(&fixture);
	give_process(&fixture, WK_PROCESS_SEEN, 0, 10, 0, "a.exe");
	built_give(&fixture, (struct wk_event){ .kind = WK_EVENT_IMAGE, .pid = WK_KERNEL_PID,
					  .image = { .start = 0xfffff80000001000,
						     .size_bytes = 0x1000,
						     .path = WK_STR("C:\\drivers\\x.sys") } });
	give_sample(&fixture, 1, 10, 11, kernel, 1, NULL, 0, false);
	built_end(&fixture);
	assert_string_equal(stack_text(fixture.model, 0), "x.sys@234");
	for (wk_image_id id = 1; id < fixture.model->image_count; id++)
		if (fixture.model->images[id].in_kernel)
			image = id;
	assert_int_equal(fixture.model->images[image].kind, WK_IMAGE_FILE);
	wk_model_free(fixture.model);
}

static wk_image_id add_stamped(struct wk_model *model, uint32_t time_stamp, const char *pdb)
{
	const struct wk_event_image image = {
		.path = WK_STR("C:\\bin\\a.dll"), .time_stamp = time_stamp,
		.image_bytes = time_stamp ? 0x5000 : 0, .pdb_path = wk_str_c(pdb) };

	return wk_model_add_image(model, WK_IMAGE_FILE, &image, 10, 0);
}

static void an_image_of_another_time_stamp_is_another_image(void **state)
{
	struct wk_model *model = wk_model_new();
	wk_image_id first = add_stamped(model, 0, "");

	(void)state;
	assert_int_equal(add_stamped(model, 0x51, "a.pdb"), first);
	assert_int_equal(add_stamped(model, 0, ""), first);
	assert_int_equal(model->images[first].time_stamp, 0x51);
	assert_int_equal(model->images[first].image_bytes, 0x5000);
	assert_string_equal(wk_model_image_key(model, first).pdb_path.at, "a.pdb");
	assert_int_not_equal(add_stamped(model, 0x52, ""), first);
	assert_int_equal(add_stamped(model, 0x52, ""), add_stamped(model, 0x52, ""));
	assert_int_equal(add_stamped(model, 0x51, ""), first);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_becomes_offsets_in_files_with_callers_one_byte_back),
		cmocka_unit_test(the_same_stack_is_one_row),
		cmocka_unit_test(lost_samples_are_those_of_an_event_if_that_is_known),
		cmocka_unit_test(chains_with_common_callers_share_only_what_is_the_same),
		cmocka_unit_test(a_chain_with_a_number_is_looked_up_once),
		cmocka_unit_test(kernel_parts_stand_on_their_own_users),
		cmocka_unit_test(summed_samples_are_a_row_a_stack_and_thread),
		cmocka_unit_test(times_of_own_recordings_count_from_their_start),
		cmocka_unit_test(short_lived_children_keep_their_names),
		cmocka_unit_test(a_new_mapping_at_the_same_place_is_another_frame),
		cmocka_unit_test(what_the_kernel_does_between_two_programs_has_no_user_part),
		cmocka_unit_test(nor_what_it_does_for_a_caller_of_execve_whose_stack_is_gone),
		cmocka_unit_test(stacks_that_begin_in_code_of_memory_are_of_unknown_reach),
		cmocka_unit_test(memory_that_has_a_name_is_named_by_offsets),
		cmocka_unit_test(stacks_that_begin_in_a_file_that_is_gone_are_of_unknown_reach),
		cmocka_unit_test(tasks_that_had_no_number_left_are_named_for_that),
		cmocka_unit_test(embedded_names_are_used_and_demangled),
		cmocka_unit_test(what_has_no_name_shows_image_and_offset),
		cmocka_unit_test(threads_of_one_number_in_two_processes_stay_two),
		cmocka_unit_test(a_process_that_starts_by_itself_has_nothing_of_its_parent),
		cmocka_unit_test(what_was_unmapped_is_not_there_any_more),
		cmocka_unit_test(a_file_that_the_kernel_has_mapped_is_a_file_with_offsets),
		cmocka_unit_test(an_image_of_another_time_stamp_is_another_image),
		cmocka_unit_test(a_kernel_and_a_vdso_of_nobody_knows_where_stay_unnamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
