/* base/heap: what happens when memory runs out, at any allocation of the whole way from a file to
 * a picture. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/heap.h"
#include "base/heap_internal.h"
#include "base/mem.h"
#include "formats/reader.h"
#include "model/builder.h"
#include "model/resolve.h"
#include "os/os.h"
#include "os/program.h"
#include "render/renderers.h"
#include "stages/unwind_stage.h"
#include "views/filter/filter.h"

#include "failing_memory.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED
#endif
#endif

static struct wk_heap *new_heap(struct failing_memory *memory)
{
	return wk_heap_new(&(struct wk_allocator){ .alloc = failing_alloc,
						   .realloc = failing_realloc,
						   .free = failing_free,
						   .context = memory });
}

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void allocate_all(void *context)
{
	size_t *count = context;

	for (;;) {
		char *at = wk_alloc(100);

		memset(at, 1, 100);
		++*count;
	}
}

static void running_out_ends_the_call_and_the_heap(void **state)
{
	struct failing_memory memory = { .left = 8 };
	struct wk_heap *heap = new_heap(&memory);
	size_t count = 0;

	(void)state;
	assert_false(wk_heap_run(heap, allocate_all, &count));
	assert_int_equal(count, 7); /* and the heap itself */
	assert_true(wk_heap_has_failed(heap));
	assert_null(wk_heap_current());
	memory.left = -1;
	assert_false(wk_heap_run(heap, allocate_all, &count));
	assert_int_equal(count, 7);
	wk_heap_free(heap);
	assert_int_equal(memory.blocks, 0);
}

static void use_all_kinds(void *context)
{
	size_t cap = 0;
	uint64_t *rows = NULL, *table = wk_alloc_table_zeroed(700000, sizeof(*table));
	char *text = wk_strdup("text");
	const void *at;

	(void)context;
	for (size_t i = 0; i < 100000; i++) {
		rows = wk_grow(rows, &cap, i + 1, sizeof(*rows));
		rows[i] = i;
	}
	assert_int_equal((uintptr_t)table % 4096, 0);
	assert_int_equal(table[699999], 0);
	table[699999] = 7;
	table = wk_grow_table(table, 700000, 1400000, sizeof(*table));
	assert_int_equal(table[699999], 7);
	table = wk_realloc(table, 700000 * sizeof(*table));
	assert_int_equal(table[699999], 7);
	table[299999] = 3;
	at = table;
	table = wk_realloc(table, 300000 * sizeof(*table)); /* its end goes, and it may stay */
	assert_true(table == at || wk_large_page_bytes() == 0);
	table = wk_grow_table(table, 300000, 800000, sizeof(*table));
	assert_int_equal(table[299999], 3);
	table[799999] = 8;
	wk_free(table);
	assert_int_equal(rows[99999], 99999);
	assert_string_equal(text, "text");
	wk_free(text);
	wk_alloc(0); /* rows and this are left to the heap */
}

static void a_heap_frees_what_was_not_freed(void **state)
{
	struct failing_memory memory = { .left = -1 };
	struct wk_heap *heap = new_heap(&memory);

	(void)state;
	assert_true(wk_heap_run(heap, use_all_kinds, NULL));
	assert_int_equal(memory.blocks, 3);
	wk_heap_free(heap);
	assert_int_equal(memory.blocks, 0);
}

/* Of the mapping that the kernel calls [heap] and that is advised to be in large pages ("hg");
 * 0: there is none. */
static size_t advised_heap_bytes(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	size_t bytes = 0, largest = 0;
	unsigned long begin, end;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			bytes = strstr(line, "[heap]") ? end - begin : 0;
		else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") &&
			 bytes > largest)
			largest = bytes;
	}
	if (smaps)
		fclose(smaps);
	return largest;
}

static void the_process_allocates_in_large_pages(void **state)
{
	void *volatile small;
	uint32_t *table;

	(void)state;
	if (wk_large_page_bytes() == 0 ||
	    access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0) {
		print_message("# this system has no large pages for a heap\n");
		skip();
	}
	assert_int_equal(advised_heap_bytes(), 0);
	wk_heap_use_large_pages();
#if !defined(__SANITIZE_ADDRESS__) && !defined(IS_SANITIZED) /* has an allocator of its own */
	assert_in_range(advised_heap_bytes(), 64 << 20, SIZE_MAX);
	small = malloc(1 << 20);
	assert_true((uintptr_t)small < (uintptr_t)sbrk(0)); /* not a mapping of its own */
	free(small);

	/* A table is there as well, unless it is too large; both grow. */
	table = wk_alloc_table_zeroed(2 << 20, sizeof(*table));
	assert_true(wk_is_in_large_heap(table, (2 << 20) * sizeof(*table)));
	table[(2 << 20) - 1] = 7;
	table = wk_grow_table(table, 2 << 20, 4 << 20, sizeof(*table));
	assert_true(wk_is_in_large_heap(table, (4 << 20) * sizeof(*table)));
	table = wk_grow_table(table, 2 << 20, 16 << 20, sizeof(*table));
	assert_false(wk_is_in_large_heap(table, 1));
	assert_int_equal((uintptr_t)table % wk_large_page_bytes(), 0);
	assert_int_equal(table[(2 << 20) - 1], 7);
	wk_free(table);
#else
	(void)small, (void)table;
#endif
}

static int undone[4], undone_count;

static void note_undo(struct wk_undo *undo)
{
	undone[undone_count++] = (int)undo->number;
}

static void make_undos(void *context)
{
	(void)context;
	wk_undo_arm(wk_undo_new(), note_undo, NULL, 1);
	wk_undo_new(); /* not armed: the resource was never there */
	wk_undo_arm(wk_undo_new_thread(), note_undo, NULL, 2);
	wk_undo_free(wk_undo_new());
	wk_undo_arm(wk_undo_new(), note_undo, NULL, 3);
	wk_heap_raise();
}

static void resources_are_released_after_threads_newest_first(void **state)
{
	struct failing_memory memory = { .left = -1 };
	struct wk_heap *heap = new_heap(&memory);

	(void)state;
	undone_count = 0;
	assert_false(wk_heap_run(heap, make_undos, NULL));
	assert_int_equal(undone_count, 0);
	wk_heap_free(heap);
	assert_int_equal(undone_count, 3);
	assert_int_equal(undone[0], 2);
	assert_int_equal(undone[1], 3);
	assert_int_equal(undone[2], 1);
	assert_int_equal(memory.blocks, 0);
}

struct nested {
	struct wk_heap *other;
	struct failing_memory *memory;
	bool was_right;
};

static void run_out_inside(void *context)
{
	struct nested *nested = context;
	struct wk_heap *own = wk_heap_current();
	size_t count = 0;

	wk_strdup("of the outer heap");
	nested->memory->left = 3;
	nested->was_right = !wk_heap_run(nested->other, allocate_all, &count) && count == 3 &&
			    wk_heap_current() == own && !wk_heap_has_failed(own);
	wk_strdup("goes on");
}

static void heaps_fail_one_by_one(void **state)
{
	struct failing_memory outer = { .left = -1 }, inner = { .left = -1 };
	struct wk_heap *heap = new_heap(&outer);
	struct nested nested = { .other = new_heap(&inner), .memory = &inner };

	(void)state;
	assert_true(wk_heap_run(heap, run_out_inside, &nested));
	assert_true(nested.was_right);
	wk_heap_free(nested.other);
	wk_heap_free(heap);
	assert_int_equal(outer.blocks + inner.blocks, 0);
}

/* ---- threads */

struct shared {
	struct wk_os_lock *lock;
	bool is_raised_by_worker;
	bool is_done;
};

static void worker(void *context)
{
	struct shared *shared = context;

	wk_os_lock_acquire(shared->lock);
	if (shared->is_raised_by_worker)
		wk_heap_raise();
	while (!shared->is_done)
		wk_os_lock_wait(shared->lock, 10);
	wk_os_lock_leave(shared->lock);
}

static void start_and_wait(void *context)
{
	struct shared *shared = context;
	struct wk_os_thread *thread;

	shared->lock = wk_os_lock_new();
	thread = wk_os_thread_start(worker, shared);
	assert_non_null(thread);
	if (!shared->is_raised_by_worker) {
		wk_os_lock_acquire(shared->lock);
		wk_heap_raise();
	}
	wk_os_lock_acquire(shared->lock);
	while (!shared->is_done) /* which never comes */
		wk_os_lock_wait(shared->lock, 10);
}

static void neither_side_waits_for_the_other_for_ever(void **state)
{
	(void)state;
	for (int by_worker = 0; by_worker < 2; by_worker++) {
		struct failing_memory memory = { .left = -1 };
		struct wk_heap *heap = new_heap(&memory);
		struct shared shared = { .is_raised_by_worker = by_worker };

		assert_false(wk_heap_run(heap, start_and_wait, &shared));
		wk_heap_free(heap);
		assert_int_equal(memory.blocks, 0);
	}
}

static void collect_output(void *context)
{
	const char *const words[] = { "head", "-c", "3000000", "/dev/zero", NULL };
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;

	io.collect = context;
	wk_os_program_run(words, io, NULL);
}

static void a_program_whose_output_does_not_fit_is_waited_for(void **state)
{
	struct failing_memory memory = { .left = 4 };
	struct wk_heap *heap = new_heap(&memory);
	unsigned before = open_descriptors();
	struct wk_buf text = { 0 };

	(void)state;
	assert_false(wk_heap_run(heap, collect_output, &text));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(open_descriptors(), before);
	wk_heap_free(heap);
	assert_int_equal(memory.blocks, 0);
}

/* ---- from a file to a picture */

struct job {
	const char *path;
	const char *const *debug_dirs;
	size_t svg_bytes;
	bool ok;
};

static bool add_to_text(void *context, const char *bytes, size_t len)
{
	wk_buf_add(context, bytes, len);
	return true;
}

static bool read_into(struct wk_model *model, struct wk_symbols *symbols, const char *path)
{
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_unwind_stage *stage = wk_unwind_stage_new(symbols, wk_builder_sink(builder),
							    (struct wk_unwind_options){ 0 });
	struct wk_sink sink = wk_unwind_stage_sink(stage);
	struct wk_opened opened;
	bool ok = wk_reader_open(path, NULL, &opened, NULL);

	if (ok) {
		opened.input.options.threads = 2;
		ok = opened.reader->read(&opened.input, &sink, NULL);
		wk_reader_close(&opened);
	}
	ok = ok && wk_unwind_stage_finish(stage, NULL);
	wk_unwind_stage_free(stage);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	return ok;
}

static size_t draw(const struct wk_model *model)
{
	struct wk_tree_options options = { .by_process = true, .merge_images = true };
	struct wk_view view = { .model = model };
	struct wk_filter filter = { 0 };
	struct wk_quality quality;
	struct wk_buf text = { 0 };
	struct wk_out out = { .write = add_to_text, .context = &text };
	struct wk_tree tree;
	size_t len = 0;

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL))
		return 0;
	quality = wk_quality_of(model, &filter);
	wk_tree_init(&tree, model, &filter, &options);
	view.tree = &tree;
	view.filter = &filter;
	view.quality = &quality;
	if (wk_renderer_svg.render(&view, &out, NULL) && wk_out_end(&out))
		len = text.len;
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
	wk_buf_fini(&text);
	return len;
}

static void work(void *context)
{
	struct job *job = context;
	struct wk_symbols *symbols =
		wk_symbols_new(&(struct wk_symbols_options){ .debug_dirs = job->debug_dirs });
	struct wk_model *model = wk_model_new();

	job->ok = read_into(model, symbols, job->path);
	wk_model_resolve(model, symbols, (struct wk_resolve_options){ 0 });
	job->svg_bytes = draw(model);
	wk_model_free(model);
	wk_symbols_free(symbols);
}

/* Every one of the first 2000, then every second, every third ... */
static void at_any_allocation(const char *name)
{
	char path[512];
	struct failing_memory memory = { .left = -1 };
	struct job job = { .path = path };
	unsigned before, runs = 0;
	struct wk_heap *heap;
	long all;

	snprintf(path, sizeof(path), "%s/tests/%s", getenv("WICK_SOURCE_ROOT"), name);
	heap = new_heap(&memory);
	assert_true(wk_heap_run(heap, work, &job));
	assert_true(job.ok);
	assert_true(job.svg_bytes > 1000);
	wk_heap_free(heap);
	assert_int_equal(memory.blocks, 0);
	all = memory.calls;
	before = open_descriptors();
	for (long n = 1; n < all; n += 1 + n / 2000, runs++) {
		memory = (struct failing_memory){ .left = n };
		heap = new_heap(&memory);
		assert_false(wk_heap_run(heap, work, &job));
		wk_heap_free(heap);
		assert_int_equal(memory.blocks, 0);
		assert_int_equal(open_descriptors(), before);
	}
	print_message("# %s: %ld allocations, %u of them failed in turn\n", name, all, runs);
}

static void a_recording_of_perf(void **state)
{
	(void)state;
	at_any_allocation("data/shop.data");
}

static void a_recording_with_copied_stacks(void **state)
{
	(void)state;
	at_any_allocation("data/copied_stacks.data");
}

static void a_trace_of_windows(void **state)
{
	(void)state;
	at_any_allocation("data/memory.etl");
}

static void text_of_perf_script(void **state)
{
	(void)state;
	at_any_allocation("golden/perf_script/usual/input.perf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_out_ends_the_call_and_the_heap),
		cmocka_unit_test(a_heap_frees_what_was_not_freed),
		cmocka_unit_test(the_process_allocates_in_large_pages),
		cmocka_unit_test(resources_are_released_after_threads_newest_first),
		cmocka_unit_test(heaps_fail_one_by_one),
		cmocka_unit_test(neither_side_waits_for_the_other_for_ever),
		cmocka_unit_test(a_program_whose_output_does_not_fit_is_waited_for),
		cmocka_unit_test(a_recording_of_perf),
		cmocka_unit_test(a_recording_with_copied_stacks),
		cmocka_unit_test(a_trace_of_windows),
		cmocka_unit_test(text_of_perf_script),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
