/* include/wick/wick.h: memory that runs out at any allocation, and what callers can do wrong. What
 * is installed, and other languages: tests/library/. */
#include <dirent.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <wick/wick.h>

#include "failing_memory.h"

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void find_input(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/tests/%s", getenv("WICK_SOURCE_ROOT"), name);
}

static bool count_bytes(void *user, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)user += len;
	return true;
}

static struct wick_context *new_context(struct failing_memory *memory, struct wick_error *error)
{
	const struct wick_context_options options = {
		.size = sizeof(options),
		.alloc = failing_alloc,
		.realloc = failing_realloc,
		.free = failing_free,
		.allocator_context = memory,
	};

	return wick_context_new(&options, error);
}

/* Calls end with success or with "out of memory", and whatever follows works on. */
struct pass {
	struct failing_memory memory;
	size_t bytes;
	bool has_failed;
};

static bool passes(struct pass *pass, bool ok, const struct wick_error *error)
{
	if (!ok) {
		assert_int_equal(error->code, WICK_NO_MEMORY);
		assert_string_equal(error->text, "out of memory");
		pass->has_failed = true;
	} else {
		assert_int_equal(error->code, WICK_OK);
	}
	return ok;
}

static void walk_stacks(const struct wick_profile *profile)
{
	struct wick_sample sample = { .size = sizeof(sample) };
	struct wick_frame frame = { .size = sizeof(frame) };

	for (size_t i = 0; wick_sample_at(profile, i, &sample); i++)
		for (uint64_t at = sample.stack; at;)
			at = wick_frame_at(profile, at, &frame);
}

static void show(struct pass *pass, const struct wick_profile *profile)
{
	static const char *const formats[] = { "folded", "svg", "json", "pprof" };
	const struct wick_view_options only = { .size = sizeof(only), .filter = "time < 100s" };
	struct wick_error error;

	walk_stacks(profile);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		passes(pass,
		       wick_render(profile, formats[i], i ? NULL : &only, count_bytes, &pass->bytes,
				   &error),
		       &error);
}

static bool count_frame(void *user, const struct wick_frame *frame)
{
	return count_bytes(user, NULL, strlen(frame->function));
}

static bool count_event(void *user, const struct wick_event *event)
{
	return count_bytes(user, NULL, strlen(wick_event_text(event)));
}

static void name_addresses(struct pass *pass, struct wick_context *context)
{
	struct wick_error error;
	struct wick_symbols *symbols = wick_symbols_new(context, &error);

	if (passes(pass, symbols != NULL, &error))
		passes(pass,
		       wick_symbols_of_process(symbols, getpid(), (uint64_t)(uintptr_t)wick_version,
					       count_frame, &pass->bytes, &error),
		       &error);
	wick_symbols_free(symbols);
}

static void use_all(struct pass *pass, const char *path)
{
	struct wick_error error;
	struct wick_context *context = new_context(&pass->memory, &error);
	struct wick_profile *profile = NULL;

	if (passes(pass, context != NULL, &error)) {
		profile = wick_open(context, path, NULL, &error);
		if (passes(pass, profile != NULL, &error))
			show(pass, profile);
		passes(pass,
		       wick_read_events(context, path, NULL, count_event, &pass->bytes, &error),
		       &error);
		name_addresses(pass, context);
	}
	wick_close(profile);
	wick_context_free(context);
	assert_int_equal(pass->memory.blocks, 0);
}

/* Every one of the first 500, then ever fewer. Memory stays used up from the one on that fails. */
static void at_any_allocation(const char *name)
{
	char path[512];
	struct pass all = { .memory.left = -1 }, pass;
	unsigned before, runs = 0;

	find_input(path, sizeof(path), name);
	setenv("WICK_CACHE_DIR", "", 1);
	use_all(&all, path);
	assert_false(all.has_failed);
	assert_true(all.bytes > 1000);
	before = open_descriptors();
	for (long n = 0; n < all.memory.calls; n += 1 + n / 500, runs++) {
		pass = (struct pass){ .memory.left = n };
		use_all(&pass, path);
		assert_true(pass.has_failed);
		assert_int_equal(open_descriptors(), before);
	}
	print_message("# %s: %ld allocations, %u of them failed in turn\n", name,
		      (long)all.memory.calls, runs);
}

static void memory_may_run_out_with_a_recording(void **state)
{
	(void)state;
	at_any_allocation("data/shop.data");
}

static void memory_may_run_out_with_copied_stacks(void **state)
{
	(void)state;
	at_any_allocation("data/copied_stacks.data");
}

static void memory_may_run_out_with_text(void **state)
{
	(void)state;
	at_any_allocation("golden/perf_script/usual/input.perf");
}

static void a_profile_survives_a_query_without_memory(void **state)
{
	struct failing_memory memory = { .left = -1 };
	struct wick_context *context = new_context(&memory, NULL);
	struct wick_profile *profile;
	struct wick_error error;
	char path[512];
	size_t bytes = 0, again = 0;

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	profile = wick_open(context, path, NULL, &error);
	assert_true(wick_fold(profile, NULL, count_bytes, &bytes, &error));
	memory.left = 3;
	assert_false(wick_fold(profile, NULL, count_bytes, &again, &error));
	assert_int_equal(error.code, WICK_NO_MEMORY);
	memory.left = -1;
	again = 0;
	assert_true(wick_fold(profile, NULL, count_bytes, &again, &error));
	assert_int_equal(again, bytes);
	wick_close(profile);
	wick_context_free(context);
	assert_int_equal(memory.blocks, 0);
}

/* A callback may use the library, also one that runs out of memory inside. */
struct inner {
	struct wick_context *context;
	const char *path;
	unsigned calls;
};

static bool fold_inside(void *user, const struct wick_event *event)
{
	struct inner *inner = user;
	struct wick_error error;
	struct wick_profile *profile = wick_open(inner->context, inner->path, NULL, &error);
	size_t bytes = 0;

	(void)event;
	assert_non_null(profile);
	assert_true(wick_fold(profile, NULL, count_bytes, &bytes, &error));
	wick_close(profile);
	return ++inner->calls < 5;
}

static void callbacks_may_call_the_library_and_stop(void **state)
{
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct inner inner = { .context = context };
	struct wick_error error;
	char path[512];

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	inner.path = path;
	assert_false(wick_read_events(context, path, NULL, fold_inside, &inner, &error));
	assert_int_equal(inner.calls, 5);
	assert_int_equal(error.code, WICK_STOPPED);
	wick_context_free(context);
}

static bool refuse(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return false;
}

static void what_cannot_be_shown_is_an_error(void **state)
{
	struct wick_view_options options = { .size = sizeof(options) };
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *profile;
	struct wick_error error;
	char path[512];
	size_t bytes = 0;

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	profile = wick_open(context, path, NULL, &error);
	assert_false(wick_fold(profile, NULL, refuse, NULL, &error));
	assert_int_equal(error.code, WICK_STOPPED);
	assert_false(wick_render(profile, "jpeg", NULL, count_bytes, &bytes, &error));
	assert_int_equal(error.code, WICK_MISUSE);
	assert_string_equal(error.text, "there is no output format \"jpeg\"");
	options.filter = "process ==";
	assert_false(wick_fold(profile, &options, count_bytes, &bytes, &error));
	assert_int_equal(error.code, WICK_MISUSE);
	options.filter = "process == nobody";
	assert_false(wick_fold(profile, &options, count_bytes, &bytes, &error));
	assert_int_equal(error.code, WICK_NOTHING_TO_SHOW);
	options.filter = NULL;
	options.table = "nothing";
	assert_false(wick_render(profile, "csv", &options, count_bytes, &bytes, &error));
	assert_string_equal(error.text, "there is no table \"nothing\"");
	assert_int_equal(bytes, 0);
	wick_close(profile);
	assert_null(wick_open(context, "nowhere.data", NULL, &error));
	assert_int_equal(error.code, WICK_NOT_FOUND);
	wick_context_free(context);
}

static void structs_of_other_versions_are_filled_as_far_as_they_go(void **state)
{
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *profile;
	union {
		struct wick_source source;
		unsigned char bytes[sizeof(struct wick_source) + 64];
	} older = { .source.size = offsetof(struct wick_source, unit) }, newer;
	char path[512];

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	profile = wick_open(context, path, NULL, NULL);
	older.source.unit = "untouched";
	assert_true(wick_source_at(profile, 0, &older.source));
	assert_true(strlen(older.source.name) > 0);
	assert_string_equal(older.source.unit, "untouched");
	memset(&newer, 0xff, sizeof(newer));
	newer.source.size = sizeof(newer);
	assert_true(wick_source_at(profile, 0, &newer.source));
	assert_int_equal(newer.source.size, sizeof(newer));
	for (size_t i = sizeof(struct wick_source); i < sizeof(newer); i++)
		assert_int_equal(newer.bytes[i], 0);
	assert_false(wick_source_at(profile, 99, &newer.source));
	assert_string_equal(newer.source.name, "");
	wick_close(profile);
	wick_context_free(context);
}

/* ---- What options do */

struct text {
	char at[1 << 17];
	size_t len;
};

static bool add_text(void *user, const char *bytes, size_t len)
{
	struct text *text = user;

	assert_true(text->len + len < sizeof(text->at));
	memcpy(text->at + text->len, bytes, len);
	text->len += len;
	text->at[text->len] = '\0';
	return true;
}

static const char *render(const struct wick_profile *profile, const char *format,
			  const struct wick_view_options *options, struct text *text)
{
	text->len = 0;
	assert_true(wick_render(profile, format, options, add_text, text, NULL));
	return text->at;
}

static void options_shape_the_output(void **state)
{
	static struct text text;
	struct wick_view_options plain = { .size = sizeof(plain), .no_process = true };
	struct wick_view_options weights = { .size = sizeof(weights), .by_weight = true };
	struct wick_view_options table = { .size = sizeof(table), .table = "processes" };
	struct wick_view_options one = { .size = sizeof(one), .limit = 1 };
	struct wick_view_options picture = { .size = sizeof(picture), .title = "Coins & flour" };
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *profile;
	char path[512];

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	profile = wick_open(context, path, NULL, NULL);
	assert_int_equal(strncmp(render(profile, "folded", NULL, &text), "shop;", 5), 0);
	assert_int_equal(strncmp(render(profile, "folded", &plain, &text), "__clone;", 8), 0);
	assert_non_null(strstr(render(profile, "folded", &weights, &text), "000\n"));
	assert_non_null(strstr(render(profile, "csv", &table, &text), "shop"));
	assert_null(strstr(text.at, "weigh_flour"));
	assert_non_null(strstr(render(profile, "csv", NULL, &text), "weigh_flour"));
	assert_null(strstr(render(profile, "csv", &one, &text), "weigh_flour"));
	assert_non_null(strstr(render(profile, "svg", &picture, &text), "Coins &amp; flour"));
	wick_close(profile);
	wick_context_free(context);
}

static void a_profile_can_be_opened_from_memory(void **state)
{
	static struct text from_file, from_memory;
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *profile;
	struct wick_error error;
	char path[512], bytes[32768];
	unsigned before;
	size_t len;
	FILE *file;

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	file = fopen(path, "rb");
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(len < sizeof(bytes));
	profile = wick_open(context, path, NULL, NULL);
	render(profile, "folded", NULL, &from_file);
	wick_close(profile);
	before = open_descriptors();
	profile = wick_open_memory(context, bytes, len, NULL, &error);
	memset(bytes, 0, len);
	assert_string_equal(render(profile, "folded", NULL, &from_memory), from_file.at);
	assert_int_equal(open_descriptors(), before);
	wick_close(profile);
	assert_null(wick_open_memory(context, bytes, len, NULL, &error));
	assert_int_equal(error.code, WICK_UNKNOWN_FORMAT);
	assert_int_equal(open_descriptors(), before);
	wick_context_free(context);
}

static uint64_t count_of(const struct wick_profile *profile)
{
	struct wick_sample sample = { .size = sizeof(sample) };
	uint64_t count = 0;

	for (size_t i = 0; wick_sample_at(profile, i, &sample); i++)
		count += sample.count;
	return count;
}

static void equal_samples_can_be_added_up(void **state)
{
	const struct wick_open_options sums = { .size = sizeof(sums), .sum_samples = true };
	struct wick_summary single = { .size = sizeof(single) }, summed = single;
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *all, *few;
	char path[512];

	(void)state;
	find_input(path, sizeof(path), "data/shop.data");
	all = wick_open(context, path, NULL, NULL);
	few = wick_open(context, path, &sums, NULL);
	wick_summarize(all, &single);
	wick_summarize(few, &summed);
	assert_int_equal(count_of(all), single.sample_count);
	assert_int_equal(count_of(few), single.sample_count);
	assert_true(summed.sample_count < single.sample_count);
	assert_int_equal(single.source_count, 1);
	assert_true(single.first_ns < single.last_ns);
	assert_null(wick_note(all, single.note_count));
	wick_close(all);
	wick_close(few);
	wick_context_free(context);
}

/* As `wick show` adds them up. */
static void blocks_of_heaps_can_be_added_up(void **state)
{
	const struct wick_open_options sums = { .size = sizeof(sums), .sum_samples = true };
	const struct wick_view_options heap = { .size = sizeof(heap), .table = "allocations" };
	struct wick_summary single = { .size = sizeof(single) }, summed = single;
	struct wick_context *context = wick_context_new(NULL, NULL);
	struct wick_profile *all, *few;
	static struct text from_all, from_few;
	char path[512];

	(void)state;
	find_input(path, sizeof(path), "golden/heaptrack/first/input.heaptrack");
	all = wick_open(context, path, NULL, NULL);
	few = wick_open(context, path, &sums, NULL);
	wick_summarize(all, &single);
	wick_summarize(few, &summed);
	assert_true(summed.sample_count < single.sample_count);
	assert_int_equal(count_of(few), count_of(all));
	render(all, "csv", &heap, &from_all);
	assert_string_equal(render(few, "csv", &heap, &from_few), from_all.at);
	wick_close(all);
	wick_close(few);
	wick_context_free(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_may_run_out_with_a_recording),
		cmocka_unit_test(memory_may_run_out_with_copied_stacks),
		cmocka_unit_test(memory_may_run_out_with_text),
		cmocka_unit_test(a_profile_survives_a_query_without_memory),
		cmocka_unit_test(callbacks_may_call_the_library_and_stop),
		cmocka_unit_test(what_cannot_be_shown_is_an_error),
		cmocka_unit_test(structs_of_other_versions_are_filled_as_far_as_they_go),
		cmocka_unit_test(options_shape_the_output),
		cmocka_unit_test(equal_samples_can_be_added_up),
		cmocka_unit_test(blocks_of_heaps_can_be_added_up),
		cmocka_unit_test(a_profile_can_be_opened_from_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
